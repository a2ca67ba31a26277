package spec_test

import (
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
)

// twoNodes returns the parts of a one-way ring of two nodes, as in ringOfTwo, with a
// second tag that nothing uses.
func twoNodes() spec.Parts {
	t := spec.NewTopology()
	t.AddNode("")
	t.AddNode("")
	t.AddLink(spec.Link{From: 0, To: 1, VCs: 1})
	t.AddLink(spec.Link{From: 1, To: 0, VCs: 1})
	return spec.Parts{
		Name: "ring", Topology: t, Classes: []string{""}, Tags: 2, Buffer: 1,
		Rows: [][]spec.Hop{{{Channel: spec.Eject}}, {{Channel: 0}}, {{Channel: 1}}},
		Tables: []spec.Table{
			{Target: spec.Target{Dest: 0}, Sources: []spec.Source{{Node: 1, Row: 2}}, Channels: []spec.ChannelID{1},
				Tags: []spec.Tag{0}, Rows: []spec.RowID{0}},
			{Target: spec.Target{Dest: 1}, Sources: []spec.Source{{Node: 0, Row: 1}}, Channels: []spec.ChannelID{0},
				Tags: []spec.Tag{0}, Rows: []spec.RowID{0}},
		},
	}
}

// site appends a site to a table.
func site(t *spec.Table, c spec.ChannelID, tag spec.Tag, r spec.RowID) {
	t.Channels, t.Tags, t.Rows = append(t.Channels, c), append(t.Tags, tag), append(t.Rows, r)
}

// TestNewNetworkRefuses: every wrong number, order or hop in tables made without care.
// Each change is one fault in parts that are accepted without it.
func TestNewNetworkRefuses(t *testing.T) {
	if _, err := spec.NewNetwork(t.Context(), twoNodes()); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name   string
		change func(*spec.Parts)
		want   string
	}{
		{"no topology", func(p *spec.Parts) { p.Topology = nil }, "needs a topology"},
		{"no node", func(p *spec.Parts) { p.Topology = spec.NewTopology() }, "at least one node"},
		{"switching", func(p *spec.Parts) { p.Switching = 3 }, "switching mode 3"},
		{"no class", func(p *spec.Parts) { p.Classes = nil }, "0 classes"},
		{"classes", func(p *spec.Parts) { p.Classes = make([]string, 1<<16+1) }, "65537 classes"},
		{"class twice", func(p *spec.Parts) { p.Classes = []string{"a", "a"} }, `class name "a"`},
		{"the property after the last expected",
			func(p *spec.Parts) { p.Expect = []spec.Expectation{{Property: spec.NoDiscard + 1}} },
			"one of them does not exist"},
		{"the verdict after the last expected",
			func(p *spec.Parts) { p.Expect = []spec.Expectation{{Verdict: spec.Violated + 1}} },
			"one of them does not exist"},
		{"the switching after the last expected",
			func(p *spec.Parts) { p.Expect = []spec.Expectation{{Switching: spec.Wormhole + 1}} },
			"one of them does not exist"},
		{"as many classes as there may be", func(p *spec.Parts) { p.Classes = make([]string, 1<<16) }, "duplicate class name"},
		{"as many channels and tags as there may be", func(p *spec.Parts) {
			p.Topology, p.Tags = spec.NewTopology("v", "v"), 1<<16
			p.Topology.AddPair(p.Topology.AddNode(""), p.Topology.AddNode(""), 512)
		}, `VC name "v"`},
		{"a channel more", func(p *spec.Parts) {
			p.Topology, p.Tags = spec.NewTopology("v", "v"), 1<<16
			a, b := p.Topology.AddNode(""), p.Topology.AddNode("")
			p.Topology.AddPair(a, b, 512)
			p.Topology.AddLink(spec.Link{From: a, To: b, VCs: 1})
		}, "pairs of channel and tag"},
		{"no such property expected", func(p *spec.Parts) { p.Expect = []spec.Expectation{{Property: 9}} }, "one of them does not exist"},
		{"no such verdict expected", func(p *spec.Parts) { p.Expect = []spec.Expectation{{Verdict: 9}} }, "one of them does not exist"},
		{"no such switching expected", func(p *spec.Parts) { p.Expect = []spec.Expectation{{Switching: 9}} }, "one of them does not exist"},
		{"VC twice", func(p *spec.Parts) {
			p.Topology = spec.NewTopology("v", "v")
			p.Topology.AddNode("")
		}, `VC name "v"`},
		{"no tag", func(p *spec.Parts) { p.Tags = 0 }, "0 tags"},
		{"tags", func(p *spec.Parts) { p.Tags = 1<<16 + 1 }, "65537 tags"},
		{"buffer", func(p *spec.Parts) { p.Buffer = 0 }, "a buffer of 0"},
		{"expected twice", func(p *spec.Parts) { p.Expect = make([]spec.Expectation, 2) }, "expected twice"},
		{"places", func(p *spec.Parts) {
			p.Topology.AddLink(spec.Link{From: 0, To: 1, VCs: 1 << 10})
			p.Tags = 1 << 16
		}, "pairs of channel and tag"},

		{"row: below eject", func(p *spec.Parts) { p.Rows[0][0].Channel = -2 }, "row 0: hop into channel -2"},
		{"row: no channel", func(p *spec.Parts) { p.Rows[2][0].Channel = 2 }, "row 2: hop into channel 2"},
		{"row: tag", func(p *spec.Parts) { p.Rows[2][0].Tag = 2 }, "row 2: hop into channel 1 with tag 2"},
		{"row: eject with tag", func(p *spec.Parts) { p.Rows[0][0].Tag = 2 }, "row 0: hop out of the network with tag 2"},
		{"row: order", func(p *spec.Parts) { p.Rows[2] = []spec.Hop{{Channel: 1, Tag: 1}, {Channel: 1}} }, "row 2: hops must be ascending"},
		{"row: twice", func(p *spec.Parts) { p.Rows[2] = []spec.Hop{{Channel: 1}, {Channel: 1}} }, "row 2: hops must be ascending"},
		{"row: two nodes", func(p *spec.Parts) { p.Rows[1] = []spec.Hop{{Channel: 0}, {Channel: 1}} }, "row 1: hops leave different nodes"},
		{"row: two nodes beside eject",
			func(p *spec.Parts) { p.Rows[0] = []spec.Hop{{Channel: -1}, {Channel: 0}, {Channel: 1}} },
			"row 0: hops leave different nodes"},
		{"rows: order", func(p *spec.Parts) { p.Rows[1], p.Rows[2] = p.Rows[2], p.Rows[1] }, "row 2: rows must be ascending"},
		{"rows: twice", func(p *spec.Parts) { p.Rows[2] = p.Rows[1] }, "row 2: rows must be ascending"},

		{"tables: order", func(p *spec.Parts) { p.Tables[0], p.Tables[1] = p.Tables[1], p.Tables[0] }, "tables must be ascending"},
		{"tables: twice", func(p *spec.Parts) { p.Tables[1] = p.Tables[0] }, "tables must be ascending"},
		{"table: node", func(p *spec.Parts) { p.Tables[1].Dest = 2 }, "table of node 2, class 0: nodes are 0 to 1"},
		{"table: node below 0", func(p *spec.Parts) { p.Tables[0].Dest = -1 }, "nodes are 0 to 1"},
		{"table: class", func(p *spec.Parts) { p.Tables[1].Class = 1 }, "classes are 0 to 0"},
		{"table: no source", func(p *spec.Parts) { p.Tables[1].Sources = nil }, "no node sends"},
		{"table: too few rows", func(p *spec.Parts) { p.Tables[1].Rows = nil }, "1 sites with 1 tags and 0 rows"},
		{"table: too few tags", func(p *spec.Parts) { p.Tables[1].Tags = []spec.Tag{} }, "1 sites with 0 tags"},

		{"site: channel", func(p *spec.Parts) { p.Tables[1].Channels[0] = 2 }, "site in channel 2"},
		{"site: channel below 0", func(p *spec.Parts) { p.Tables[1].Channels[0] = -1 }, "site in channel -1"},
		{"site: tag", func(p *spec.Parts) { p.Tables[1].Tags[0] = 2 }, "site in channel 0 with tag 2"},
		{"site: order of channels", func(p *spec.Parts) { site(&p.Tables[0], 0, 0, 1) }, "sites must be ascending"},
		{"site: order of tags", func(p *spec.Parts) { site(&p.Tables[1], 0, 0, 0) }, "sites must be ascending"},
		{"site: row", func(p *spec.Parts) { p.Tables[1].Rows[0] = 3 }, "row 3: rows are 0 to 2"},
		{"site: row below 0", func(p *spec.Parts) { p.Tables[1].Rows[0] = -1 }, "row -1"},
		{"site: hop of another node", func(p *spec.Parts) { p.Tables[1].Rows[0] = 1 }, "a hop leads into 0->1 vc0, which does not leave 1"},
		{"site: hop to no site", func(p *spec.Parts) { p.Tables[1].Rows[0] = 2 }, "a hop leads into channel 1 with tag 0, but this table lists no such site"},

		{"source: node", func(p *spec.Parts) { p.Tables[1].Sources[0].Node = 2 }, "source node 2"},
		{"source: node below 0", func(p *spec.Parts) { p.Tables[1].Sources[0].Node = -1 }, "source node -1"},
		{"site: hop into the same channel", func(p *spec.Parts) {
			p.Topology.AddLink(spec.Link{From: 1, To: 1, VCs: 1}) // channel 2
			p.Rows = append(p.Rows, []spec.Hop{{Channel: 2}})
			t := &p.Tables[1]
			t.Channels, t.Tags, t.Rows = append(t.Channels, 2), append(t.Tags, 0), append(t.Rows, spec.RowID(len(p.Rows)-1))
		}, "or is where the packet is"},
		{"site: hop into the channel itself, with a row that is right in another one", func(p *spec.Parts) {
			p.Topology.AddLink(spec.Link{From: 1, To: 1, VCs: 1})
			p.Rows = append(p.Rows, []spec.Hop{{Channel: 2}})
			p.Tables[1].Rows[0] = 3
			site(&p.Tables[1], 2, 0, 3)
		}, "or is where the packet is"},
		{"site: hop of another node, with a row that is right there", func(p *spec.Parts) {
			site(&p.Tables[0], 0, 0, 2)
			p.Tables[0].Channels, p.Tables[0].Rows = []spec.ChannelID{0, 1}, []spec.RowID{2, 2}
		}, "does not leave 0"},
		{"source: twice", func(p *spec.Parts) { p.Tables[1].Sources = append(p.Tables[1].Sources, p.Tables[1].Sources[0]) }, "sources must be ascending"},
		{"source: row", func(p *spec.Parts) { p.Tables[1].Sources[0].Row = 3 }, "row 3"},
		{"source: hop of another node", func(p *spec.Parts) { p.Tables[1].Sources[0].Row = 2 }, "does not leave 0"},
		{"source: hop to no site", func(p *spec.Parts) { p.Tables[1].Tags[0] = 1 }, "lists no such site"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := twoNodes()
			tt.change(&p)
			_, err := spec.NewNetwork(t.Context(), p)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want it to contain %q", err, tt.want)
			}
		})
	}
}

// TestSitesThatNobodyReaches: they do no harm, and a network has them if its parts do.
func TestSitesThatNobodyReaches(t *testing.T) {
	p := twoNodes()
	site(&p.Tables[1], 0, 1, 0)
	n, err := spec.NewNetwork(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if hops, ok := n.Hops(spec.Site{Channel: 0, Header: spec.Header{Dest: 1, Tag: 1}}); !ok || len(hops) != 1 {
		t.Errorf("hops %v %v, want one: the site is in the table", hops, ok)
	}
}

// TestTableOf: each target to which somebody sends has its table, and no other has one:
// neither a target without senders, nor one past either end of nodes or classes.
func TestTableOf(t *testing.T) {
	def := routingtest.OneWayRing(4, 1)
	def.Classes = []string{"a", "b", "c"}
	def.Flows = func(src, dst spec.NodeID, c spec.Class) bool {
		return src != dst && (int(dst)+int(c))%2 == 0 && dst != 2
	}
	n := routingtest.Compile(t, def)
	for dest := spec.NodeID(-2); dest < 6; dest++ {
		for class := spec.Class(0); class < 5; class++ {
			target := spec.Target{Dest: dest, Class: class}
			got, want := n.TableOf(target), (*spec.Table)(nil)
			for i := range n.Tables() {
				if n.Table(i).Target == target {
					want = n.Table(i)
				}
			}
			if sends := dest >= 0 && dest < 4 && class < 3 && def.Flows((dest+1)%4, dest, class); got != want || sends != (got != nil) {
				t.Errorf("%v: table %p, want %p, and one only if somebody sends (%v)", target, got, want, sends)
			}
		}
	}
}
