package checker

import (
	"testing"

	"github.com/seed-105a2da2/unknot/spec"
)

// TestSenders: of two nodes each may send to the other, or one of them to itself instead, which are two flows, too.
func TestSenders(t *testing.T) {
	topo := spec.NewTopology()
	a, b := topo.AddNode("a"), topo.AddNode("b")
	topo.AddPair(a, b, 1)
	for name, tt := range map[string]struct {
		to   map[spec.NodeID][]spec.Source // by destination; row 0 ejects, row 1 goes from a to b, and row 2 back
		want string
	}{
		"all":    {map[spec.NodeID][]spec.Source{a: {{Node: b, Row: 2}}, b: {{Node: a, Row: 1}}}, "every node may send to every other at any time"},
		"itself": {map[spec.NodeID][]spec.Source{a: {{Node: a, Row: 0}}, b: {{Node: a, Row: 1}}}, "only 2 flows may send, at any time"},
		"one":    {map[spec.NodeID][]spec.Source{b: {{Node: a, Row: 1}}}, "only 1 flow may send, at any time"},
		"none":   {nil, "no node sends anything"},
	} {
		p := spec.Parts{Topology: topo, Classes: []string{""}, Tags: 1, Buffer: 1, Rows: [][]spec.Hop{{{Channel: spec.Eject}}, {{Channel: 0}}, {{Channel: 1}}}}
		for _, d := range []spec.NodeID{a, b} {
			if sources := tt.to[d]; sources != nil {
				into := spec.ChannelID(map[spec.NodeID]int{a: 1, b: 0}[d])
				p.Tables = append(p.Tables, spec.Table{Target: spec.Target{Dest: d}, Sources: sources, Channels: []spec.ChannelID{into}, Rows: []spec.RowID{0}})
			}
		}
		n, err := spec.NewNetwork(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		if got := senders(n).String(); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}
