package unsat_test

import (
	"runtime"
	"slices"
	"testing"

	"github.com/seed-105a2da2/unknot/proofs/unsat"
	"github.com/seed-105a2da2/unknot/spec"
)

// TestManyPackets: the memory that is used does not depend on the bound that evidence
// claims: no more packets block each other than there are channels to hold.
func TestManyPackets(t *testing.T) {
	n := pair(t, spec.Wormhole, 1)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r := &unsat.Proof{Network: n.Digest(), Bound: unsat.Bound{Of: unsat.Packets, Most: 1 << 24}}
	if err := unsat.Verify(t.Context(), n, r); err != nil {
		t.Error(err)
	}
	if runtime.ReadMemStats(&after); after.TotalAlloc-before.TotalAlloc > 1<<20 {
		t.Errorf("%d bytes for a network of two channels", after.TotalAlloc-before.TotalAlloc)
	}
}

// TestUnder: an unsatisfiability proof is about packets of a length that the network can have, and
// does not apply where a packet may enter a channel of two flits behind another.
func TestUnder(t *testing.T) {
	for _, tt := range []struct {
		switching spec.Switching
		buffer    int
		under     *spec.Scenario
		accepted  bool
	}{
		{spec.Wormhole, 2, nil, true},
		{spec.Wormhole, 2, &spec.Scenario{Length: 3}, true},
		{spec.Wormhole, 1, &spec.Scenario{Length: 3, Shared: true}, true},
		{spec.Wormhole, 1, &spec.Scenario{Length: spec.AnyLength, Elastic: true, Shared: true}, true},
		{spec.Wormhole, 2, &spec.Scenario{Length: 3, Shared: true}, true},
		{spec.Wormhole, 2, &spec.Scenario{Length: spec.AnyLength, Shared: true}, true},
		{spec.Wormhole, 1, &spec.Scenario{}, false},
		{spec.Wormhole, 1, &spec.Scenario{Length: spec.AnyLength - 1}, false},
		{spec.StoreAndForward, 1, nil, true},
		{spec.StoreAndForward, 1, &spec.Scenario{Length: 3}, false},
		{spec.StoreAndForward, 1, &spec.Scenario{}, false},
	} {
		n := pair(t, tt.switching, tt.buffer)
		err := unsat.Verify(t.Context(), n, &unsat.Proof{Network: n.Digest(), Under: tt.under, Steps: []unsat.Step{{}}})
		if (err == nil) != tt.accepted {
			t.Errorf("%s, buffer %d, scenario %v: %v", tt.switching, tt.buffer, tt.under, err)
		}
	}
}

// TestUnderWithin: within a bound, packets of flits may not enter a channel of two flits behind others, and
// have no channel of one flit to share.
func TestUnderWithin(t *testing.T) {
	for _, tt := range []struct {
		buffer   int
		shared   bool
		accepted bool
	}{{1, false, true}, {2, false, true}, {1, true, true}, {2, true, false}} {
		n := pair(t, spec.Wormhole, tt.buffer)
		for _, of := range []unsat.Unit{unsat.Packets, unsat.Channels} {
			under := &spec.Scenario{Length: 3, Shared: tt.shared}
			err := unsat.Verify(t.Context(), n, &unsat.Proof{Network: n.Digest(), Under: under, Bound: unsat.Bound{Of: of, Most: 1}, Steps: []unsat.Step{{}}})
			if (err == nil) != tt.accepted {
				t.Errorf("buffer %d, shared %t, at most 1 of %s: %v", tt.buffer, tt.shared, of, err)
			}
		}
	}
}

// TestRing: in a one-way ring of three, each packet passes a node. One copy of the channels closes the cycle of three
// turns, two do not: so this does not bound how many turns and flows are on copies. A bound on copies is never 0; for
// repairs no length of packets is given; and no condition is met by packets that block each other.
func TestRing(t *testing.T) {
	topo := spec.NewTopology()
	parts := spec.Parts{Topology: topo, Classes: []string{""}, Tags: 1, Buffer: 1, Switching: spec.Wormhole, Rows: [][]spec.Hop{{{Channel: spec.Eject}}}}
	for range 3 {
		topo.AddNode("")
	}
	for v := range spec.NodeID(3) {
		topo.AddLink(spec.Link{From: v, To: (v + 1) % 3, VCs: 1})
		parts.Rows = append(parts.Rows, []spec.Hop{{Channel: spec.ChannelID(v)}})
	}
	for d := range spec.NodeID(3) {
		from, by := (d+1)%3, (d+2)%3
		table := spec.Table{Target: spec.Target{Dest: d}, Sources: []spec.Source{{Node: from, Row: spec.RowID(1 + from)}}}
		table.Channels, table.Rows = []spec.ChannelID{spec.ChannelID(from), spec.ChannelID(by)}, []spec.RowID{spec.RowID(1 + by), 0}
		if from > by {
			slices.Reverse(table.Channels)
			slices.Reverse(table.Rows)
		}
		parts.Tables = append(parts.Tables, table)
	}
	n, err := spec.NewNetwork(t.Context(), parts)
	if err != nil {
		t.Fatal(err)
	}
	// the three turns, where there is one copy
	cycle := unsat.Step{Condition: true, List: []int32{1, 3, 5}}
	// on which copy each flow is
	one := []unsat.Step{{Condition: true, List: []int32{6}}, {Condition: true, List: []int32{8}}, {Condition: true, List: []int32{10}}, cycle}
	two := []unsat.Step{{Condition: true, List: []int32{12}}, {Condition: true, List: []int32{16, 18}}, {Condition: true, List: []int32{20, 22}}}
	goes := unsat.Step{Condition: true, List: []int32{0, 2, 4}} // a turn is forbidden: a contradiction only if none may be
	empty := unsat.Step{Clause: true}
	first := unsat.Step{Clause: true, List: []int32{12}}                        // where there are two, that the first flow is on the first one;
	flows := unsat.Step{Clause: true, Sum: [][]int32{{12}, {16, 18}, {20, 22}}} // those of each flow
	of := func(u unsat.Unit, most int) unsat.Bound { return unsat.Bound{Of: u, Most: most} }
	for _, tt := range []struct {
		bound    unsat.Bound
		under    *spec.Scenario
		steps    []unsat.Step
		accepted bool
	}{
		{of(unsat.Layers, 1), nil, one, true},
		{of(unsat.Layers, 1), nil, one[1:], false},
		{of(unsat.Layers, 1), nil, []unsat.Step{cycle}, false},
		{of(unsat.Layers, 1), &spec.Scenario{Length: 3}, one, false},
		{of(unsat.Layers, 1), &spec.Scenario{Length: spec.AnyLength}, one, false},
		{of(unsat.Layers, 2), nil, append(two[:3:3], first), false},
		{of(unsat.Layers, 2), nil, append(two[:3:3], flows), false},
		{of(unsat.Layers, 0), nil, []unsat.Step{empty}, false},
		{of(unsat.HopIndex, 0), nil, []unsat.Step{empty}, false},
		{of(unsat.Dateline, 0), nil, []unsat.Step{empty}, false},
		{of(unsat.HopIndex, 0), nil, []unsat.Step{{Condition: true}}, false},
		{of(unsat.Turns, 0), nil, []unsat.Step{goes, {Clause: true, Sum: [][]int32{{0, 2, 4}}}}, false},
		{unsat.Bound{}, nil, []unsat.Step{cycle}, false},
		{of(unsat.Channels, 1), nil, []unsat.Step{cycle}, false},
	} {
		err := unsat.Verify(t.Context(), n, &unsat.Proof{Network: n.Digest(), Under: tt.under, Bound: tt.bound, Steps: tt.steps})
		if (err == nil) != tt.accepted {
			t.Errorf("%v, scenario %v, steps %v: %v", tt.bound, tt.under, tt.steps, err)
		}
	}
}

// TestProperty: a bound says what does not exist.
func TestProperty(t *testing.T) {
	for bound, want := range map[unsat.Bound]string{
		{}:                            "deadlock-freedom",
		{Of: unsat.Packets, Most: 1}:  "no deadlock of at most 1 packet",
		{Of: unsat.Packets, Most: 2}:  "no deadlock of at most 2 packets",
		{Of: unsat.Channels, Most: 1}: "no deadlock of at most 1 channel",
		{Of: unsat.Channels, Most: 3}: "no deadlock of at most 3 channels",
		{Of: unsat.Turns}:             "no repair by turns",
		{Of: unsat.Turns, Most: 1}:    "no repair by turns that costs at most 1",
		{Of: unsat.Order}:             "no repair by order",
		{Of: unsat.HopIndex, Most: 4}: "no repair by hop-index that costs at most 4",
		{Of: unsat.Dateline, Most: 2}: "no repair by dateline that costs at most 2",
	} {
		if got := bound.Property(); got != want {
			t.Errorf("%d of unit %d: %q, want %q", bound.Most, bound.Of, got, want)
		}
	}
}

// pair is a network of two nodes and a channel each way, in which nothing blocks.
func pair(t *testing.T, switching spec.Switching, buffer int) *spec.Network {
	t.Helper()
	topo := spec.NewTopology()
	a, b := topo.AddNode(""), topo.AddNode("")
	topo.AddPair(a, b, 1)
	n, err := spec.NewNetwork(t.Context(), spec.Parts{
		Topology: topo, Classes: []string{""}, Tags: 1, Buffer: buffer, Switching: switching,
		Rows: [][]spec.Hop{{{Channel: spec.Eject}}, {{Channel: 0}}, {{Channel: 1}}},
		Tables: []spec.Table{
			{Target: spec.Target{Dest: a}, Sources: []spec.Source{{Node: b, Row: 2}}, Channels: []spec.ChannelID{1}, Rows: []spec.RowID{0}},
			{Target: spec.Target{Dest: b}, Sources: []spec.Source{{Node: a, Row: 1}}, Channels: []spec.ChannelID{0}, Rows: []spec.RowID{0}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}
