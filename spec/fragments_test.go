package spec_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// inFragments cuts the lists of the tables of p: fragment 2i has what is sent for table i,
// 2i+1 its sites.
func inFragments(p spec.Parts) spec.Parts {
	p.Ends = [][2]int32{{}}
	for i := range p.Tables {
		t := &p.Tables[i]
		fragment(&p, spec.Table{Sources: t.Sources})
		fragment(&p, spec.Table{Channels: t.Channels, Tags: t.Tags, Rows: t.Rows})
		*t = spec.Table{Target: t.Target, Fragments: []int32{int32(2 * i), int32(2*i + 1)}}
	}
	return p
}

// fragment adds a fragment with the lists of t.
func fragment(p *spec.Parts, t spec.Table) {
	all := &p.Pieces
	all.Sources, all.Channels = append(all.Sources, t.Sources...), append(all.Channels, t.Channels...)
	all.Tags, all.Rows = append(all.Tags, t.Tags...), append(all.Rows, t.Rows...)
	p.Ends = append(p.Ends, [2]int32{int32(len(all.Sources)), int32(all.Len())})
}

// TestFragments: tables consist of their own lists and those of their fragments, in turn, for
// every reader, and the network is the same as one that stores them whole.
func TestFragments(t *testing.T) {
	whole, err := spec.NewNetwork(t.Context(), twoNodes())
	if err != nil {
		t.Fatal(err)
	}
	mixed := inFragments(twoNodes())
	mixed.Tables[1].Sources, mixed.Tables[1].Fragments = mixed.Pieces.Sources[1:2], []int32{3}
	for name, p := range map[string]spec.Parts{"in fragments": inFragments(twoNodes()), "sources of its own": mixed} {
		n, err := spec.NewNetwork(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		if n.Digest() != whole.Digest() || n.SiteCount() != whole.SiteCount() || n.FlowCount() != whole.FlowCount() {
			t.Errorf("%s: %d sites, %d flows, digest %s: not those of the whole network", name, n.SiteCount(), n.FlowCount(), n.Digest())
		}
		var together spec.Table
		index, other := n.NewIndex(), whole.NewIndex()
		for _, i := range []int{0, 1, 0, 1} {
			got := n.TableIn(&together, i)
			if diff := cmp.Diff(whole.Table(i), got); diff != "" {
				t.Errorf("%s: table %d (-want +got):\n%s", name, i, diff)
			}
			if got != &together {
				t.Errorf("%s: table %d is not where it was asked for", name, i)
			}
			joined := spec.Table{Target: got.Target, First: got.First}
			for p := range n.Portions(i) {
				if p.Target != got.Target || p.First != got.First+joined.Len() {
					t.Errorf("%s: a portion of table %d has target %v and first site %d", name, i, p.Target, p.First)
				}
				joined.Sources, joined.Channels = append(joined.Sources, p.Sources...), append(joined.Channels, p.Channels...)
				joined.Tags, joined.Rows = append(joined.Tags, p.Tags...), append(joined.Rows, p.Rows...)
			}
			if diff := cmp.Diff(whole.Table(i), &joined); diff != "" {
				t.Errorf("%s: portions of table %d (-want +got):\n%s", name, i, diff)
			}
			for range n.Portions(i) { // which a loop may leave
				break
			}
			index.Load(got)
			other.Load(whole.Table(i))
			for c := range spec.ChannelID(2) {
				if got, want := index.Site(spec.Hop{Channel: c}), other.Site(spec.Hop{Channel: c}); got != want {
					t.Errorf("%s: table %d has site %d in channel %d, want %d", name, i, got, c, want)
				}
			}
		}
		for c := spec.ChannelID(-3); c < 2; c++ {
			for dest := range spec.NodeID(2) {
				s := spec.Site{Channel: c, Header: spec.Header{Dest: dest}}
				got, ok := n.Hops(s)
				want, legal := whole.Hops(s)
				if ok != legal || !slices.Equal(got, want) {
					t.Errorf("%s: at %v %v, %v, want %v, %v", name, s, got, ok, want, legal)
				}
			}
		}
		if got, want := moves(t, n), moves(t, whole); !slices.Equal(got, want) || len(want) == 0 {
			t.Errorf("%s: moves %v, want %v", name, got, want)
		}
	}
}

// moves are all moves possible in the empty network.
func moves(t *testing.T, n *spec.Network) []spec.Move {
	t.Helper()
	traffic, err := n.Traffic(spec.Scenario{})
	if err != nil {
		t.Fatal(err)
	}
	empty := traffic.Empty()
	return traffic.Moves(nil, &empty, func(spec.Flow) bool { return true })
}

// TestNewNetworkRefusesFragments: fragments that do not exist, that hold a place twice, or so
// many that putting a table together would never end.
func TestNewNetworkRefusesFragments(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*spec.Parts)
		want   string
	}{
		{"below the first", func(p *spec.Parts) { p.Tables[1].Fragments[0] = -1 }, "table of node 1, class 0: fragment -1: fragments are 0 to 3"},
		{"after the last", func(p *spec.Parts) { p.Tables[1].Fragments[1] = 4 }, "fragment 4: fragments are 0 to 3"},
		{"in the wrong order", func(p *spec.Parts) { p.Tables[0].Fragments = []int32{0, 1, 3} }, "sites must be ascending by channel and tag, each once"},
		{"of tags in the wrong order", func(p *spec.Parts) {
			fragment(p, spec.Table{Channels: []spec.ChannelID{1}, Tags: []spec.Tag{1}, Rows: []spec.RowID{0}})
			p.Tables[0].Fragments = []int32{0, 4, 1}
		}, "site in channel 1 with tag 0: sites must be ascending by channel and tag, each once"},
		{"twice", func(p *spec.Parts) { p.Tables[0].Fragments = []int32{0, 1, 1} }, "sites must be ascending by channel and tag, each once"},
		{"sources twice", func(p *spec.Parts) { p.Tables[0].Fragments = []int32{0, 0, 1} }, "sources must be ascending by node, each once"},
		{"of another table", func(p *spec.Parts) { p.Tables[0].Fragments = []int32{2, 1} },
			"a hop leads into channel 0 with tag 0, but this table lists no such site"},
		{"nobody sends", func(p *spec.Parts) { p.Tables[0].Fragments = []int32{1} }, "no node sends to it"},
		{"a row too many", func(p *spec.Parts) { p.Pieces.Rows = make([]spec.RowID, 3) }, "of 2 sources and 2 sites with 2 tags and 3 rows"},
		{"a tag too few", func(p *spec.Parts) { p.Pieces.Tags = p.Pieces.Tags[:1] }, "of 2 sources and 2 sites with 1 tags and 2 rows"},
		{"without the tags that the table has", func(p *spec.Parts) {
			p.Pieces.Tags = nil
			site(&p.Tables[0], 0, 0, 0)
		}, "table of node 0, class 0: 2 sites with 1 tags and 2 rows"},
		{"with tags that the table has not", func(p *spec.Parts) {
			site(&p.Tables[0], 0, 0, 0)
			p.Tables[0].Tags = nil
		}, "table of node 0, class 0: 2 sites with 1 tags and 2 rows"},
		{"that begin before the first source", func(p *spec.Parts) { p.Ends[0][0] = -1 }, "fragments from 0: want consecutive ranges"},
		{"that begin before the first site", func(p *spec.Parts) { p.Ends[0][1] = -1 }, "fragments from 0"},
		{"that end before they begin", func(p *spec.Parts) { p.Ends[2][0] = 0 }, "fragments from 2"},
		{"that end before they begin, in sites", func(p *spec.Parts) { p.Ends[3][1] = 0 }, "fragments from 3"},
		{"that end after the last source", func(p *spec.Parts) { p.Ends[4][0] = 3 }, "fragments from 4"},
		{"that end after the last site", func(p *spec.Parts) { p.Ends[4][1] = 3 }, "fragments from 4"},
		{"a great many sites", func(p *spec.Parts) { p.Tables[0].Fragments = slices.Repeat([]int32{1}, 8) },
			"fragment 1: fragments are 0 to 3, and hold no place twice"},
		{"a great many sources", func(p *spec.Parts) { p.Tables[1].Fragments = slices.Repeat([]int32{2}, 8) },
			"fragment 2: fragments are 0 to 3, and hold no place twice"},
	} {
		p := inFragments(twoNodes())
		tt.change(&p)
		if _, err := spec.NewNetwork(t.Context(), p); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}

// TestMostSites: one site too many is refused, at the table that has it, before any table is looked at; with the
// greatest number, the first table is looked at, and found to be wrong.
func TestMostSites(t *testing.T) {
	const each = 1 << 16 // in a table: a source and the rest in fragment 0; fragment 1 has one site fewer
	topo := spec.NewTopology()
	a, b := topo.AddNode("a"), topo.AddNode("b")
	topo.AddLink(spec.Link{From: a, To: b, VCs: each - 1})
	p := spec.Parts{Topology: topo, Tags: 1, Buffer: 1, Rows: [][]spec.Hop{{{Channel: spec.Eject}}}}
	lists := spec.Table{Sources: []spec.Source{{}}, Rows: make([]spec.RowID, each-1)}
	for c := range each - 1 {
		lists.Channels = append(lists.Channels, spec.ChannelID(c))
	}
	lists.Rows[0] = 7 // which does not exist
	p.Ends = [][2]int32{{}}
	fragment(&p, lists)
	lists.Channels, lists.Rows = lists.Channels[1:], lists.Rows[1:]
	fragment(&p, lists)
	for i := range (spec.MostSites + 1) / each {
		p.Classes = append(p.Classes, fmt.Sprint(i))
		p.Tables = append(p.Tables, spec.Table{Target: spec.Target{Class: spec.Class(i)}, Fragments: []int32{0}})
	}
	last := len(p.Tables) - 1
	want := fmt.Sprintf("table of node 0, class %d: more than 2147483647 sites and flows so far: beyond the bound", last)
	if _, err := spec.NewNetwork(t.Context(), p); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	p.Tables[last].Fragments = []int32{1}
	want = "table of node 0, class 0: row 7: rows are 0 to 0"
	if _, err := spec.NewNetwork(t.Context(), p); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestShortTextOfManySites: a text of 3 MB that stands for too many sites is refused at the table where it exceeds the
// limit, before a table is looked at (all are wrong: a channel occurs twice); the same goes for a caller's bound.
func TestShortTextOfManySites(t *testing.T) {
	seedtest.InFull(t)
	const each, classes = 1 << 16, 1 << 15 // a table has a flow and each-1 sites; there is one for each node and class
	var b strings.Builder
	b.WriteString(`{"format":"unknot-network-1","name":"","switching":"wormhole","buffer":1,"tags":1,"selection":"","classes":[""`)
	for i := range classes - 1 {
		fmt.Fprintf(&b, ",\"%d\"", i)
	}
	fmt.Fprintf(&b,
		`],"vcs":[],"nodes":[{"name":"a","at":[]},{"name":"b","at":[]}],"links":[{"from":0,"to":1,"vcs":%d,"out":"","in":"","dim":0}],"rows":[[-1,0]],
"fragments":[{"sources":[0,0],"sites":[0,0,0`, each)
	for range each - 2 {
		b.WriteString(",0,0,0")
	}
	b.WriteString("]}],\"tables\":[")
	for i := range 2 * classes {
		fmt.Fprintf(&b, "%s\n{\"dest\":%d,\"class\":%d,\"sources\":[],\"sites\":[],\"fragments\":[0]}", strings.Repeat(",", min(i, 1)), i/classes, i%classes)
	}
	b.WriteString("]}\n")
	line := 2 + (spec.MostSites+1)/each // the last table that fits stands in the line before
	want := fmt.Sprintf("net.json:%d:1: more than 2147483647 sites and flows so far: beyond the bound", line)
	if _, err := readClosed(b.String()); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	const all = min(2*classes*each, math.MaxInt) // of 32 bits, perhaps
	for _, most := range []int{1, all - 1} {
		var bound *spec.BoundError
		_, err := routing.ReadClosed(t.Context(), "net.json", []byte(b.String()), routing.CompileOptions{MaxSites: most})
		if !errors.As(err, &bound) || bound.Limit != most {
			t.Errorf("at most %d sites: %v", most, err)
		}
	}
	if _, err := routing.ReadClosed(t.Context(), "net.json", []byte(b.String()), routing.CompileOptions{MaxSites: all}); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// ringInFragments is ringOfTwo with a site stored in a fragment, and the first source, too.
var ringInFragments = strings.NewReplacer(
	`"tables":[`, `"fragments":[
{"sources":[],"sites":[0,0,0]},
{"sources":[1,2],"sites":[1,0,0]}],
"tables":[`,
	`"sources":[1,2],"sites":[1,0,0]`, `"sources":[],"sites":[],"fragments":[1]`,
	`"sites":[0,0,0]`, `"sites":[],"fragments":[0]`).Replace(ringOfTwo)

// TestReadFragments: a text with fragments is the same network as without, wherever they
// occur; faults in them have their place.
func TestReadFragments(t *testing.T) {
	whole, err := readClosed(ringOfTwo)
	if err != nil {
		t.Fatal(err)
	}
	from, to := strings.Index(ringInFragments, `"fragments":[`+"\n"), strings.Index(ringInFragments, `"tables"`)
	fragments := ringInFragments[from:to]
	elsewhere := strings.TrimSuffix(ringInFragments[:from]+ringInFragments[to:], "}\n") + ",\n" + strings.TrimSuffix(fragments, ",\n") + "}\n"
	first := "{" + fragments + ringInFragments[1:from] + ringInFragments[to:]
	for _, text := range []string{ringInFragments, elsewhere, first} {
		n, err := readClosed(text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if n.Digest() != whole.Digest() || n.Fragments() == 0 {
			t.Errorf("another network:\n%s", text)
		}
		first := n.Table(0) // of node 0 and class 0, which a fragment without either must not stand for
		line := 1 + strings.Count(text[:strings.Index(text, `{"dest":0,"class":0,`)], "\n")
		if got, want := n.Reason(first.Site(0), spec.Hop{}).Text, fmt.Sprintf("net.json:%d:1", line); first.Dest != 0 || got != want {
			t.Errorf("the reason of the first table is %q, want %q:\n%s", got, want, text)
		}
	}
	for _, tt := range []struct{ old, new, want string }{
		{`"fragments":[1]`, `"fragments":[2]`, "net.json:20:1: fragment 2: fragments are 0 to 1"},
		{`"fragments":[1]`, `"fragments":[-1]`, "net.json:20:58: -1 is out of range"},
		{`"fragments":[1]`, `"fragments":[4294967297]`, "net.json:20:58: 4294967297 is out of range"},
		{`"fragments":[1]`, `"fragments":1`, `net.json:20:57: want "[" here`},
		{`"fragments":[0]`, `"fragments":[0,0]`, "net.json:21:1: site in channel 0 with tag 0: sites must be ascending"},
		{`{"sources":[],"sites":[0,0,0]},`, `{"sources":[],"sites":[0,0,0],"fragments":[1]},`, `net.json:17:31: unknown key "fragments"`},
		{`{"sources":[],"sites":[0,0,0]},`, `{"dest":1,"sources":[],"sites":[0,0,0]},`, `net.json:17:2: unknown key "dest"`},
		{`{"sources":[],"sites":[0,0,0]},`, `{"sites":[0,0,0]},`, `net.json:17:1: the key "sources" is missing`},
		{`{"sources":[],"sites":[0,0,0]},`, `{"sources":[],"sites":[2,0,0]},`, `net.json:17:24: 2 is out of range`},
		{`"sites":[],"fragments":[0]`, `"fragments":[0]`, `net.json:21:1: the key "sites" is missing`},
	} {
		text := strings.Replace(ringInFragments, tt.old, tt.new, 1)
		if text == ringInFragments {
			t.Fatalf("%q does not occur", tt.old)
		}
		if _, err := readClosed(text); err == nil || !strings.HasPrefix(err.Error(), tt.want) && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", tt.new, err, tt.want)
		}
	}
}

// TestEveryPlaceInFragments: a table with every possible place may name an empty fragment after them.
func TestEveryPlaceInFragments(t *testing.T) {
	topo := spec.NewTopology()
	topo.AddNode("")
	n, err := spec.NewNetwork(t.Context(), spec.Parts{Name: "one node", Topology: topo, Classes: []string{""}, Tags: 1, Buffer: 1,
		Rows:   [][]spec.Hop{{{Channel: spec.Eject}}},
		Pieces: spec.Table{Sources: []spec.Source{{}}}, Ends: [][2]int32{{0, 0}, {1, 0}, {1, 0}},
		Tables: []spec.Table{{Fragments: []int32{0, 1}}}})
	if err != nil || n.FlowCount() != 1 {
		t.Errorf("%v, want one flow", err)
	}
}

// TestNewNetworkEndsWithItsContext: a network that was not checked is never returned.
func TestNewNetworkEndsWithItsContext(t *testing.T) {
	stop := errors.New("stop")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stop)
	if n, err := spec.NewNetwork(ctx, twoNodes()); n != nil || !errors.Is(err, stop) {
		t.Errorf("%v, %v; want %v", n, err, stop)
	}
	if n, err := spec.ReadClosed(ctx, "net.json", []byte(ringOfTwo)); n != nil || !errors.Is(err, stop) {
		t.Errorf("%v, %v; want %v", n, err, stop)
	}
}
