package spec_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// asking is ringOfTwo in version 2, written by hand: node 0 has two sources for node 1, the second without a first
// hop. Rows in order: none, eject, into channel 0, into channel 1.
var asking = strings.NewReplacer("network-1", "network-2", "[-1,0],\n[0,0],\n[1,0]]", "[[]],\n[[-1,0]],\n[[0,0]],\n[[1,0]]]",
	`"sources":[1,2],"sites":[1,0,0]`, `"sources":[1,3],"sites":[1,0,1]`, `"sources":[0,1],"sites":[0,0,0]`,
	`"sources":[0,2,0,0],"sites":[0,0,1]`).Replace(ringOfTwo)

// TestAlternatives: the sources of a node are numbered, each is a flow, and the step offers the hops of all.
func TestAlternatives(t *testing.T) {
	n, err := readClosed(asking)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(asking, closedText(t, n)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if n.FlowCount() != 3 || !n.Asks() {
		t.Errorf("%d flows, want 3: a source is a flow", n.FlowCount())
	}
	to := n.TableOf(spec.Target{Dest: 1})
	for tag, want := range [][]spec.Hop{{{Channel: 0}}, {}} {
		site := spec.Site{Channel: spec.Injection(0), Header: spec.Header{Dest: 1, Tag: spec.Tag(tag)}}
		if hops, legal := n.Hops(site); !legal || !cmp.Equal(append([]spec.Hop{}, hops...), want) {
			t.Errorf("alternative %d: %v %v, want %v", tag, hops, legal, want)
		}
		if got := to.SourceSite(tag); got != site {
			t.Errorf("source %d injects at %v, want %v", tag, got, site)
		}
	}
	if _, legal := n.Hops(spec.Site{Channel: spec.Injection(0), Header: spec.Header{Dest: 1, Tag: 2}}); legal {
		t.Error("there is no third alternative")
	}
	if got := len(to.SourcesOf(0)); got != 2 {
		t.Errorf("node 0 has %d sources, want 2", got)
	}
	if got := to.SourcesOf(1); len(got) > 0 {
		t.Errorf("node 1 has sources %v, want none", got)
	}
	traffic, err := n.Traffic(spec.Scenario{})
	if err != nil {
		t.Fatal(err)
	}
	s := traffic.Empty()
	for _, tt := range []struct {
		tag  spec.Tag
		want string
	}{{0, ""}, {1, "the relation does not permit this hop"}, {2, "no packet for 1 with that header"}} {
		_, err := traffic.Step(s, spec.Move{From: spec.Injection(0), Header: spec.Header{Dest: 1, Tag: tt.tag}, Hop: spec.Hop{Channel: 0}})
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("alternative %d: %v, want %q", tt.tag, err, tt.want)
		}
	}
}

// TestAlternativesInOrder: a file in any order keeps the order of a node's sources, which numbers them.
func TestAlternativesInOrder(t *testing.T) {
	text := strings.Replace(asking, `"sources":[1,3]`, `"sources":[1,3,0,2,1,0]`, 1) // those of node 0 last
	text = strings.Replace(text, `"sites":[1,0,1]`, `"sites":[1,0,1,0,0,3]`, 1)
	n, err := routing.ReadClosed(t.Context(), "net.json", []byte(text), routing.CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := []spec.Source{{Node: 0, Row: 2}, {Node: 1, Row: 3}, {Node: 1, Row: 0}}
	if diff := cmp.Diff(want, n.TableOf(spec.Target{Dest: 0}).Sources); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestVersions: a network without alternatives is one network in both versions, and written in the first.
func TestVersions(t *testing.T) {
	text := strings.NewReplacer("network-1", "network-2", "[-1,0]", "[[-1,0]]", "[0,0],\n", "[[0,0]],\n", "[1,0]]", "[[1,0]]]").Replace(ringOfTwo)
	n, err := readClosed(text)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(ringOfTwo, closedText(t, n)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestFlowsOfSeveralAlternatives: where the data choose among the flows of a node, the routing may commit the packets of
// each. The sources of the node are then the alternatives of the first flow and those of the second, and windows count
// requests by flow.
func TestFlowsOfSeveralAlternatives(t *testing.T) {
	text := strings.Replace(asking, "[[-1,0]],\n[[0,0]]", "[[],[0,0]],\n[[-1,0]]", 1) // 0 none, 1 none or channel 0, 2 eject
	text = strings.NewReplacer(`"sources":[1,3],"sites":[1,0,1]`, `"sources":[1,3],"sites":[1,0,2]`,
		`"sources":[0,2,0,0],"sites":[0,0,1]`, `"sources":[0,1,0,0,0,1],"sites":[0,0,2]`).Replace(text)
	text = strings.TrimSuffix(text, "}\n") + ",\n\"windows\":[1],\n\"exchanges\":[\n1,0,0,1,-1,7,0,\n1,0,0,2,-1,8,0]}\n"
	n, err := readClosed(text)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(text, closedText(t, n)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	to := n.TableOf(spec.Target{Dest: 1})
	var got []string
	for i := range to.Sources {
		got = append(got, strings.TrimSpace(n.CommitmentText(to.SourceSite(i))))
	}
	want := []string{"(alternative 1 of 2)", "(alternative 2 of 2)", "", "(alternative 1 of 2)", "(alternative 2 of 2)"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if n.FlowCount() != 4 { // one of node 1, three of node 0
		t.Errorf("%d flows, want 4", n.FlowCount())
	}
	var asks []int32
	for _, x := range n.Exchanges() {
		asks = append(asks, int32(x.At.Header.Tag), x.Asks)
	}
	if diff := cmp.Diff([]int32{2, 7, 3, 8, 4, 8}, asks); diff != "" { // each alternative of a flow is an exchange
		t.Errorf("sources and what they ask (-want +got):\n%s", diff)
	}
	for _, tt := range []struct{ old, new, want string }{
		{"1,0,0,2,-1,8,0", "1,0,0,3,-1,8,0", "an exchange is no flow of the network"},
		{"1,0,0,2,-1,8,0", "1,0,0,1,-1,8,0", "exchange 1 is listed twice"},
	} {
		if _, err := readClosed(strings.Replace(text, tt.old, tt.new, 1)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.new, err, tt.want)
		}
	}
}

// TestApartRefused: flows that begin within the sources of a node are in order, and there.
func TestApartRefused(t *testing.T) {
	at := func(tag spec.Tag) spec.Site {
		return spec.Site{Channel: spec.Injection(0), Header: spec.Header{Dest: 1, Tag: tag}}
	}
	for _, tt := range []struct {
		alternatives int
		apart        []spec.Site
		want         string
	}{
		{1, []spec.Site{at(1)}, ""}, // so none has several alternatives
		{0, []spec.Site{at(1)}, "flows that begin apart in a network without alternatives"},
		{1, []spec.Site{at(2)}, "flow 0 that begins apart is no source of the network"},
		{1, []spec.Site{at(0)}, "flow 0 that begins apart is no source of the network, or the first of its node"},
		{1, []spec.Site{{Channel: 0, Header: spec.Header{Dest: 1, Tag: 1}}}, "flow 0 that begins apart is no source"},
		{1, []spec.Site{at(1), at(1)}, "flow 1 that begins apart: these must be ascending"},
	} {
		parts, _, err := spec.ReadParts(t.Context(), "net.json", []byte(asking))
		if err != nil {
			t.Fatal(err)
		}
		parts.Alternatives, parts.Apart = tt.alternatives, tt.apart
		n, err := spec.NewNetwork(t.Context(), parts)
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v: %v, want %q", tt.apart, err, tt.want)
		}
		if err == nil && (n.FlowCount() != 3 || n.Alternatives() != 0) {
			t.Errorf("%d flows and %d alternatives, want 3 and 0", n.FlowCount(), n.Alternatives())
		}
	}
}

func TestAlternativesRefused(t *testing.T) {
	for _, tt := range []struct{ name, old, new, want string }{
		{"in version 1", "", strings.Replace(ringOfTwo, `"sources":[0,1]`, `"sources":[0,1,0,1]`, 1),
			"source node 0: sources must be ascending by node, each once"},
		{"descending", `"sources":[1,3],"sites":[1,0,1]`, `"sources":[1,3,0,2],"sites":[0,0,3,1,0,1]`, "source node 0: sources must be ascending by node"},
		{"none in a row", "[[0,0]]", "[]", "net.json:15:1: a row without alternatives: want one, empty for a dead end"},
		{"a row that is no list of lists", "[[0,0]]", "[0,0]", `net.json:15:2: want "[" here`},
	} {
		text := strings.Replace(asking, tt.old, tt.new, 1)
		if tt.old == "" {
			text = tt.new
		}
		if _, err := readClosed(text); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
		if tt.name == "descending" {
			continue // there, any order will do
		}
		if _, err := routing.ReadClosed(t.Context(), "net.json", []byte(text), routing.CompileOptions{}); err == nil ||
			!strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s, in any order: %v, want %q", tt.name, err, tt.want)
		}
	}
}

// TestLikeAlternatives: sources of a node may have the same row.
func TestLikeAlternatives(t *testing.T) {
	n, err := readClosed(strings.Replace(asking, `"sources":[0,2,0,0]`, `"sources":[0,2,0,2]`, 1))
	if err != nil || n.FlowCount() != 3 {
		t.Errorf("%v, want a network of 3 flows", err)
	}
}

// committing is a network of two nodes whose packets for node 1 are committed to a hop or to none as they enter channel
// 0, a link from node 0 to node 2: as split, by hand. Rows: none, eject, into channel 0 with any alternative, into
// channel 1. Channel 1 leads from node 2 to node 1.
func committing() spec.Parts {
	topo := spec.NewTopology()
	for _, name := range []string{"0", "1", "2"} {
		topo.AddNode(name)
	}
	topo.AddLink(spec.Link{From: 0, To: 2, VCs: 1})
	topo.AddLink(spec.Link{From: 2, To: 1, VCs: 1})
	return spec.Parts{
		Name: "committing", Topology: topo, Classes: []string{""}, Tags: 2, Alternatives: 2, Buffer: 1,
		Rows: [][]spec.Hop{{}, {{Channel: spec.Eject}}, {{Channel: 0}, {Channel: 0, Tag: 1}}, {{Channel: 1}}},
		Tables: []spec.Table{{Target: spec.Target{Dest: 1}, Sources: []spec.Source{{Node: 0, Row: 2}},
			Channels: []spec.ChannelID{0, 0, 1}, Tags: []spec.Tag{0, 1, 0}, Rows: []spec.RowID{3, 0, 1}}},
	}
}

// TestPartsOfAlternatives: a site has its alternatives from the first on, and a hop leads to all of them or to none, as
// a hop to some would let the router choose what it is committed to.
func TestPartsOfAlternatives(t *testing.T) {
	for _, tt := range []struct {
		name, want string
		change     func(p *spec.Parts)
	}{
		{"none", "", func(*spec.Parts) {}},
		{"a hop to the first alone", "a hop into channel 0 with tag 0 leads to some of the alternatives there: want all",
			func(p *spec.Parts) { p.Rows[2] = p.Rows[2][:1] }},
		{"a hop to the last alone", "a hop into channel 0 with tag 0 leads to some of the alternatives there: want all",
			func(p *spec.Parts) { p.Rows[2] = p.Rows[2][1:] }},
		{"a site without its first", "site in channel 0 with tag 0: alternative 1 of it is missing", func(p *spec.Parts) {
			x := &p.Tables[0]
			x.Channels, x.Tags, x.Rows, p.Rows[2] = x.Channels[1:], x.Tags[1:], x.Rows[1:], p.Rows[2][1:]
		}},
		{"a hop to one that is not listed", "this table lists no such site", func(p *spec.Parts) {
			x := &p.Tables[0]
			x.Channels, x.Tags, x.Rows = x.Channels[1:], []spec.Tag{0, 0}, x.Rows[1:]
		}},
		{"tags that alternatives do not divide", "2 tags with up to 3 alternatives of a site: want a multiple",
			func(p *spec.Parts) { p.Alternatives = 3 }},
		{"a negative number", "up to -1 alternatives", func(p *spec.Parts) { p.Alternatives = -1 }},
	} {
		p := committing()
		tt.change(&p)
		n, err := spec.NewNetwork(t.Context(), p)
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
		if err != nil {
			continue
		}
		again, err := readClosed(closedText(t, n))
		if err != nil || again.Digest() != n.Digest() {
			t.Errorf("%s: %v, want the same network once more", tt.name, err)
		}
		if k, of := n.Committed(spec.Site{Header: spec.Header{Dest: 1, Tag: 1}}); k != 2 || of != 2 {
			t.Errorf("alternative %d of %d, want 2 of 2", k, of)
		}
	}
}

// TestSplitBounds: what a short text stands for is refused before it is made.
func TestSplitBounds(t *testing.T) {
	several := strings.NewReplacer(`"sources":[0,2,0,0]`, `"sources":[0,2]`, "[[-1,0]],", "[[-1,0],[]],").Replace(asking)
	if _, err := readClosed(several); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, old, new, want string }{
		{"tags times alternatives", `"tags":1`, `"tags":40000`, "net.json:12:8: 80000 tags: want 1 to 65536"},
		{"alternatives", "[[-1,0],", "[[-1,0]," + strings.Repeat("[],", 1<<16-1), "net.json:12:8: 65537 tags: want 1 to 65536"},
		{"alternatives of all sources", `"sources":[1,3]`, `"sources":[` + strings.Repeat("1,0,", 1<<10) + "1,0]",
			"net.json:12:8: more than 67108864 sites, sources and hops of alternatives"},
		{"fragments", `"tables":`, "\"fragments\":[],\n\"tables\":", "net.json:17:13: fragments in a network with rows of several alternatives"},
	} {
		text := strings.Replace(several, tt.old, tt.new, 1)
		if tt.name == "alternatives of all sources" {
			text = strings.Replace(text, "[[]],", "["+strings.Repeat("[],", 1<<16-1)+"[]],", 1)
		}
		if _, err := readClosed(text); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}

// TestManyAlternatives: 400 alternatives that all lead to a site with 400 alternatives are 160,000 hops, and looking
// at each alternative from each of them took 17 s.
func TestManyAlternatives(t *testing.T) {
	const k = 400
	topo := spec.NewTopology()
	for _, name := range []string{"0", "1", "2"} {
		topo.AddNode(name)
	}
	topo.AddLink(spec.Link{From: 0, To: 2, VCs: 1})
	topo.AddLink(spec.Link{From: 2, To: 1, VCs: 1 + k})
	p := spec.Parts{Name: "many", Topology: topo, Classes: []string{""}, Tags: k, Alternatives: k, Buffer: 1,
		Rows:   [][]spec.Hop{{}, {{Channel: spec.Eject}}, nil},
		Tables: []spec.Table{{Target: spec.Target{Dest: 1}, Sources: []spec.Source{{Node: 0, Row: 2}}}}}
	x := &p.Tables[0]
	site := func(c spec.ChannelID, tag int, r spec.RowID) {
		x.Channels, x.Tags, x.Rows = append(x.Channels, c), append(x.Tags, spec.Tag(tag)), append(x.Rows, r)
	}
	var next []spec.Hop
	for tag := range k {
		p.Rows[2] = append(p.Rows[2], spec.Hop{Tag: spec.Tag(tag)})
		next = append(next, spec.Hop{Channel: 1, Tag: spec.Tag(tag)})
		site(0, tag, spec.RowID(3+tag))
	}
	for tag := range k {
		p.Rows = append(p.Rows, append(slices.Clone(next), spec.Hop{Channel: spec.ChannelID(2 + tag)}))
		site(1, tag, spec.RowID(tag%2))
	}
	for tag := range k {
		site(spec.ChannelID(2+tag), 0, 1)
	}
	if _, err := spec.NewNetwork(t.Context(), p); err != nil {
		t.Error(err)
	}
}
