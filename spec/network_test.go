package spec_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/spec"
)

// TestFind: a site is found by its channel and its tag, and no other is taken for it:
// neither one of the channel with a higher tag, nor one of a higher channel.
func TestFind(t *testing.T) {
	table := spec.Table{Channels: []spec.ChannelID{1, 1, 3}, Tags: []spec.Tag{0, 2, 0}}
	for c := range spec.ChannelID(5) {
		for tag := range spec.Tag(4) {
			want := -1
			for i := range table.Channels {
				if table.Channels[i] == c && table.Tags[i] == tag {
					want = i
				}
			}
			if i, ok := table.Find(c, tag); ok != (want >= 0) || ok && i != want {
				t.Errorf("channel %d, tag %d: %d %v, want %d", c, tag, i, ok, want)
			}
		}
	}
}

// TestTagsAreRead: sites of one channel with different tags are kept apart. In channel
// 0, a packet with tag 1 continues to channel 1, and one with tag 0 arrives.
func TestTagsAreRead(t *testing.T) {
	p := twoNodes()
	p.Topology.AddLink(spec.Link{From: 1, To: 1, VCs: 1}) // channel 2
	p.Rows = append(p.Rows, []spec.Hop{{Channel: 2, Tag: 1}})
	p.Tables[1].Channels, p.Tables[1].Tags, p.Tables[1].Rows = []spec.ChannelID{0, 0, 2}, []spec.Tag{0, 1, 1}, []spec.RowID{0, 3, 0}
	n, err := spec.NewNetwork(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := spec.WriteClosed(&text, n); err != nil {
		t.Fatal(err)
	}
	back, err := spec.ReadClosed(t.Context(), "n", text.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(n.Table(1), back.Table(1)); diff != "" || n.Digest() != back.Digest() {
		t.Errorf("digests %s and %s\n%s", n.Digest(), back.Digest(), diff)
	}
}

// TestArrives: a row without a hop is a dead end, and does not count as arrived even if
// the next row does.
func TestArrives(t *testing.T) {
	p := twoNodes()
	p.Rows = append([][]spec.Hop{{}}, p.Rows...)
	for i := range p.Tables {
		p.Tables[i].Sources[0].Row++
	}
	n, err := spec.NewNetwork(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	for r, want := range []bool{false, true, false, false} {
		if got := n.Arrives(spec.RowID(r)); got != want {
			t.Errorf("row %v arrives: %v", p.Rows[r], got)
		}
	}
	if why := n.Reason(spec.Site{}, spec.Hop{}).Text; why != "" {
		t.Errorf("a reason that nobody gave: %q", why)
	}
	if v, ok := n.Topology().NodeNamed("nowhere"); ok {
		t.Errorf("node nowhere is %d", v)
	}
}

// TestNeed: a bubble is required of what is injected and what turns into another
// dimension, but not within a dimension or in a request buffer.
func TestNeed(t *testing.T) {
	p := twoNodes()
	p.Topology.AddLink(spec.Link{From: 1, To: 0, VCs: 1, Dim: 1}) // channel 2
	p.Topology.AddLink(spec.Link{From: 1, To: 1, VCs: 1, Dim: 1}) // channel 3
	p.Buffer = 4
	n, err := spec.NewNetwork(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if got := n.Topology().LinksBetween(1, 0); !slices.Equal(got, []spec.LinkID{1, 2}) {
		t.Errorf("links %v lead from 1 to 0, want 1 and 2, not the request buffer", got)
	}
	if got := n.Topology().ChannelName(3); !strings.HasSuffix(got, " 0") || strings.Contains(got, "vc") {
		t.Errorf("the request buffer's channel is called %q", got)
	}
	for _, tt := range []struct {
		from, to spec.ChannelID
		want     int // with a bubble of 3
	}{{spec.Injection(0), 0, 3}, {0, 1, 1}, {0, 2, 3}, {0, 3, 1}, {spec.Injection(1), 3, 1}, {3, 1, 3}, {3, 2, 1}} {
		for bubble, want := range map[int]int{0: 1, 3: tt.want} {
			m, err := n.Traffic(spec.Scenario{Bubble: bubble})
			if err != nil {
				t.Fatal(err)
			}
			if got := m.Need(tt.from, spec.Hop{Channel: tt.to}); got != want {
				t.Errorf("bubble %d: from %d to %d: %d places, want %d", bubble, tt.from, tt.to, got, want)
			}
		}
	}
}

// TestNoSuchWord: numbers that stand for nothing have a name, too.
func TestNoSuchWord(t *testing.T) {
	if got := spec.Verdict(3).String() + ", " + spec.Property(9).String() + ", " + spec.Violated.String(); got != "verdict(?), property(?), violated" {
		t.Error(got)
	}
}

// TestBounded: traffic is bounded by a number of packets or by a list of them.
func TestBounded(t *testing.T) {
	for _, tt := range []struct {
		sc   spec.Scenario
		want bool
	}{{spec.Scenario{}, false}, {spec.Scenario{Sink: 1, Length: 2}, false}, {spec.Scenario{Packets: 1}, true},
		{spec.Scenario{Once: make([]spec.Flow, 1)}, true}} {
		if got := tt.sc.Bounded(); got != tt.want {
			t.Errorf("%s bounds traffic: %v", tt.sc, got)
		}
	}
}

// TestIndexForgets: sites of a table loaded before are no longer found, whether it used few of the network's channels
// or many.
func TestIndexForgets(t *testing.T) {
	const nodes = 64
	for _, sites := range []int{1, 2, 3, 4, 5, nodes - 1} { // by table; a sixteenth of the channels is 4
		topo := spec.NewTopology()
		for range nodes {
			topo.AddNode("")
		}
		for v := range nodes {
			topo.AddLink(spec.Link{From: spec.NodeID(v), To: spec.NodeID((v + 1) % nodes), VCs: 1})
		}
		p := spec.Parts{Name: "ring", Topology: topo, Classes: []string{""}, Tags: 1, Buffer: 1, Rows: [][]spec.Hop{{{Channel: spec.Eject}}}}
		for v := range nodes {
			p.Rows = append(p.Rows, []spec.Hop{{Channel: spec.ChannelID(v)}})
		}
		for _, dest := range []int{nodes / 2, nodes - 1} { // the last sites on the way round to it
			table := spec.Table{Target: spec.Target{Dest: spec.NodeID(dest)}, Sources: []spec.Source{{Node: spec.NodeID((dest + nodes - sites) % nodes)}}}
			table.Sources[0].Row = spec.RowID(table.Sources[0].Node) + 1
			for c := range nodes {
				if back := (dest - 1 - c + nodes) % nodes; back < sites {
					table.Channels = append(table.Channels, spec.ChannelID(c))
					row := spec.RowID((c+1)%nodes) + 1 // on into the next channel
					if back == 0 {
						row = 0
					}
					table.Rows = append(table.Rows, row)
				}
			}
			p.Tables = append(p.Tables, table)
		}
		n, err := spec.NewNetwork(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		x := n.NewIndex()
		for _, i := range []int{0, 1, 0} {
			x.Load(n.Table(i))
			for c := range spec.ChannelID(nodes) {
				want, ok := n.Table(i).Find(c, 0)
				if !ok {
					want = -1
				}
				if got := x.Site(spec.Hop{Channel: c}); got != want {
					t.Errorf("%d sites, table %d, channel %d: site %d, want %d", sites, i, c, got, want)
				}
			}
		}
	}
}
