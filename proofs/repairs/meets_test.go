package repairs_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/proofs/repairs"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
)

// ring is a one-way ring of three nodes. Its three turns are all on one cycle, each is on
// the only path of a flow, and the longest paths have two hops.
func ring(t *testing.T) *spec.Network {
	def := routingtest.OneWayRing(3, 1)
	def.Switching = spec.Wormhole
	return routingtest.Compile(t, def)
}

// again is two nodes. A packet from the first one may be ejected at the second, or go back and
// come again with tag 1, when it must be ejected: so it is stuck nowhere, and no path closes a
// cycle. A worm would hold the link under its head.
func again(t *testing.T, s spec.Switching) *spec.Network {
	topo := spec.NewTopology()
	for range 2 {
		topo.AddNode("")
	}
	there, back := topo.AddPair(0, 1, 1)
	next := routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
		switch {
		case at == topo.Channel(there, 0) && h.Tag == 0:
			return append(dst, spec.Hop{Channel: spec.Eject}, spec.Hop{Channel: topo.Channel(back, 0), Tag: 1})
		case at == topo.Channel(there, 0):
			return append(dst, spec.Hop{Channel: spec.Eject})
		}
		return append(dst, spec.Hop{Channel: topo.Channel(there, 0), Tag: h.Tag})
	})
	return routingtest.Compile(t, routing.Definition{Name: "again", Switching: s, Topology: topo, Tags: 2, Routing: next,
		Flows: func(src, dst spec.NodeID, _ spec.Class) bool { return src == 0 && dst == 1 }})
}

// around is a path to node 2 that may be taken directly, or round a ring without end.
func around(t *testing.T) *spec.Network {
	topo := spec.NewTopology()
	for range 3 {
		topo.AddNode("")
	}
	for _, l := range [][2]spec.NodeID{{0, 1}, {1, 2}, {2, 0}, {0, 2}} {
		topo.AddLink(spec.Link{From: l[0], To: l[1], VCs: 1})
	}
	next := routing.Func(func(dst []spec.Hop, at spec.ChannelID, _ spec.Header) []spec.Hop {
		if at.IsInjection() {
			return append(dst, spec.Hop{Channel: topo.Channel(0, 0)}, spec.Hop{Channel: topo.Channel(3, 0)})
		} else if topo.Head(at) == 2 {
			dst = append(dst, spec.Hop{Channel: spec.Eject})
		}
		if at == topo.Channel(3, 0) {
			return dst
		}
		return append(dst, spec.Hop{Channel: topo.Channel(topo.OutLinks(topo.Head(at))[0], 0)})
	})
	return routingtest.Compile(t, routing.Definition{Name: "around", Switching: spec.Wormhole, Topology: topo, Routing: next,
		Flows: func(src, dst spec.NodeID, _ spec.Class) bool { return src == 0 && dst == 2 }})
}

// spiral is a path to node 3 from outside onto a ring of nodes 1, 2 and 3, and twice round it. Turn 0 enters
// the ring; then 1, 2 and 3 follow in turn.
func spiral(t *testing.T) *spec.Network {
	topo := spec.NewTopology()
	for range 4 {
		topo.AddNode("")
	}
	for _, l := range [][2]spec.NodeID{{0, 1}, {1, 2}, {2, 3}, {3, 1}} {
		topo.AddLink(spec.Link{From: l[0], To: l[1], VCs: 1})
	}
	next := routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
		on := topo.OutLinks(topo.Head(at))[0]
		switch {
		case topo.Head(at) == 3 && h.Tag == 1:
			return append(dst, spec.Hop{Channel: spec.Eject})
		case topo.Head(at) == 3:
			h.Tag++
		}
		return append(dst, spec.Hop{Channel: topo.Channel(on, 0), Tag: h.Tag})
	})
	return routingtest.Compile(t, routing.Definition{Name: "spiral", Topology: topo, Tags: 2, Routing: next,
		Flows: func(src, dst spec.NodeID, _ spec.Class) bool { return src == 0 && dst == 3 }})
}

// stub is the ring, with packets only from node 0 to 2 and from 2 to 1. Those for 2 may continue beyond it, and
// come no further than node 0.
func stub(t *testing.T) *spec.Network {
	topo := spec.NewTopology()
	for range 3 {
		topo.AddNode("")
	}
	for i := range spec.NodeID(3) {
		topo.AddLink(spec.Link{From: i, To: (i + 1) % 3, VCs: 1})
	}
	next := routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
		if topo.Head(at) == h.Dest {
			dst = append(dst, spec.Hop{Channel: spec.Eject})
		}
		if h.Dest == 1 && topo.Head(at) == 1 || h.Dest == 2 && at == topo.Channel(2, 0) {
			return dst
		}
		return append(dst, spec.Hop{Channel: topo.Channel(topo.OutLinks(topo.Head(at))[0], 0)})
	})
	return routingtest.Compile(t, routing.Definition{Name: "stub", Topology: topo, Routing: next,
		Flows: func(src, dst spec.NodeID, _ spec.Class) bool { return src == 0 && dst == 2 || src == 2 && dst == 1 }})
}

// stray is the ring, with packets only from node 0 to 1, and rows for packets that would come from the
// others.
func stray(t *testing.T) *spec.Network {
	topo := spec.NewTopology()
	for range 3 {
		topo.AddNode("")
	}
	for i := range spec.NodeID(3) {
		topo.AddLink(spec.Link{From: i, To: (i + 1) % 3, VCs: 1})
	}
	n, err := spec.NewNetwork(t.Context(), spec.Parts{
		Topology: topo, Classes: []string{""}, Tags: 1, Buffer: 1,
		Rows: [][]spec.Hop{{{Channel: spec.Eject}}, {{Channel: 0}}, {{Channel: 2}}},
		Tables: []spec.Table{{Target: spec.Target{Dest: 1}, Sources: []spec.Source{{Node: 0, Row: 1}},
			Channels: []spec.ChannelID{0, 1, 2}, Rows: []spec.RowID{0, 2, 1}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// blind is a path to node 2 from which a turn leads to node 3, and nowhere from there.
func blind(t *testing.T) *spec.Network {
	topo := spec.NewTopology()
	for range 4 {
		topo.AddNode("")
	}
	for _, l := range [][2]spec.NodeID{{0, 1}, {1, 2}, {1, 3}} {
		topo.AddLink(spec.Link{From: l[0], To: l[1], VCs: 1})
	}
	next := routing.Func(func(dst []spec.Hop, at spec.ChannelID, _ spec.Header) []spec.Hop {
		if topo.Head(at) == 2 {
			return append(dst, spec.Hop{Channel: spec.Eject})
		}
		for _, l := range topo.OutLinks(topo.Head(at)) {
			dst = append(dst, spec.Hop{Channel: topo.Channel(l, 0)})
		}
		return dst
	})
	return routingtest.Compile(t, routing.Definition{Name: "blind", Switching: spec.Wormhole, Topology: topo, Routing: next,
		Flows: func(src, dst spec.NodeID, _ spec.Class) bool { return src == 0 && dst == 2 }})
}

// TestMeets: conditions that every repair meets, by hand, and conditions that some repair
// does not meet.
func TestMeets(t *testing.T) {
	forbidden := func(v int32) int32 { return 2 * v }
	kept := func(v int32) int32 { return 2*v + 1 }
	on := func(turn, copy int32) int32 { return 2*(2*turn+copy) + 1 } // not on one of two copies
	packets := func(t *testing.T) *spec.Network { return again(t, spec.StoreAndForward) }
	worms := func(t *testing.T) *spec.Network { return again(t, spec.Wormhole) }
	for _, tt := range []struct {
		about     string
		net       func(*testing.T) *spec.Network
		scheme    string
		copies    int
		condition []int32
		want      bool
	}{
		{"one turn of the cycle goes", ring, "turns", 0, []int32{forbidden(0), forbidden(1), forbidden(2)}, true},
		{"two turns close no cycle", ring, "turns", 0, []int32{forbidden(0), forbidden(2)}, false},
		{"a flow has no other way", ring, "turns", 0, []int32{kept(1)}, true},
		{"a flow has no other way", ring, "hops", 0, []int32{kept(1)}, true},
		{"nothing kept, nothing gone", ring, "turns", 0, nil, false},
		{"the turns of a cycle are not on one copy", ring, "layers", 2, []int32{on(0, 0), on(1, 0), on(2, 0)}, true},
		{"nor on the other one", ring, "layers", 2, []int32{on(0, 1), on(1, 1), on(2, 1)}, true},
		{"on two copies they close no cycle", ring, "layers", 2, []int32{on(0, 0), on(1, 0), on(2, 1)}, false},
		{"nor do two of them", ring, "layers", 2, []int32{on(0, 0), on(1, 0)}, false},
		{"no repair needs a turn on a copy", ring, "layers", 2, []int32{on(0, 0) - 1, on(1, 0) - 1, on(2, 0) - 1}, false},
		{"flows are not turns", ring, "layers", 2, []int32{on(0, 0), on(1, 0), on(2, 0), on(3, 0)}, false},
		{"a cycle must be cut", ring, "dateline", 1, []int32{forbidden(0), forbidden(1), forbidden(2)}, true},
		{"two turns close no cycle", ring, "dateline", 1, []int32{forbidden(0), forbidden(1)}, false},
		{"a packet that crosses moves to a second copy", ring, "dateline", 1, []int32{kept(0)}, true},
		{"which there is", ring, "dateline", 2, []int32{kept(0)}, false},
		{"packets take one turn", ring, "dateline", 2, []int32{kept(0), kept(1)}, false},
		{"one after the other", spiral, "dateline", 2, []int32{kept(1), kept(2)}, true},
		{"not the other way round", spiral, "dateline", 2, []int32{kept(3), kept(2)}, false},
		{"with others between", spiral, "dateline", 2, []int32{kept(1), kept(3)}, true},
		{"or again", spiral, "dateline", 2, []int32{kept(1), kept(1)}, true},
		{"but not a third time", spiral, "dateline", 3, []int32{kept(1), kept(1), kept(1)}, false},
		{"three turns are enough for three copies", spiral, "dateline", 3, []int32{kept(1), kept(2), kept(1)}, true},
		{"no cycle leads back to where packets come from", spiral, "dateline", 2, []int32{kept(0), kept(2)}, false},
		{"of turns that must be crossed, or must not", spiral, "dateline", 2, []int32{kept(1), kept(2), forbidden(1)}, false},
		{"nor of both, where a cycle is", spiral, "dateline", 2, []int32{forbidden(1), forbidden(2), forbidden(3), kept(0)}, false},
		{"a cycle must be cut", spiral, "dateline", 2, []int32{forbidden(1), forbidden(2), forbidden(3)}, true},
		{"a cycle of turns of which nobody takes one", stub, "dateline", 1, []int32{forbidden(0), forbidden(1), forbidden(2)}, false},
		{"nor does it lead back", stub, "dateline", 1, []int32{kept(0)}, false},
		{"one hop takes one copy, whatever leads on from where nobody comes", stray, "hop-index", 1, nil, false},
		{"on which nothing leads on", blind, "dateline", 1, []int32{kept(1)}, false},
		{"nothing kept, nothing gone", spiral, "dateline", 1, nil, false},
		{"two hops take two copies", ring, "hop-index", 1, nil, true},
		{"two copies do", ring, "hop-index", 2, nil, false},
		{"nothing kept, nothing gone", packets, "hops", 0, nil, false},
		{"all can stay: a packet that waits can also leave", packets, "hops", 0, []int32{forbidden(0), forbidden(1), forbidden(2)}, false},
		{"a worm waits for the channel that it holds", worms, "hops", 0, []int32{forbidden(0), forbidden(1), forbidden(2)}, true},
		{"a ring that packets enter", around, "hops", 0, []int32{forbidden(0), forbidden(2), forbidden(3), forbidden(4)}, true},
		{"its entrance can go", around, "hops", 0, []int32{forbidden(2), forbidden(3), forbidden(4)}, false},
		{"the way back can be forbidden", packets, "hops", 0, []int32{kept(1)}, false},
	} {
		g, err := repairs.New(t.Context(), tt.net(t), tt.scheme, tt.copies)
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := g.Meets(tt.condition); got != tt.want {
			t.Errorf("%s, %d copies, %v: %t, want %t: %s", tt.scheme, tt.copies, tt.condition, got, tt.want, tt.about)
		}
	}
}

// TestClauses: the one turn with which a flow on the first copy continues is on that copy; once.
func TestClauses(t *testing.T) {
	g, err := repairs.New(t.Context(), blind(t), "layers", 2)
	if err != nil {
		t.Fatal(err)
	}
	const flow = 2 * 2 // preceded by variables of two turns on two copies
	for _, wrong := range [][]int32{nil, {2 * (flow + 1)}, {2*flow + 1}, {2 * flow, 2*flow + 1}, {2 * flow, 2 * (flow + 1), 2 * (flow + 2)}, {0}, {2}} {
		if met, more := g.Meets(wrong); met || more != nil {
			t.Errorf("%v is met, with %v", wrong, more)
		}
	}
	met, got := g.Meets([]int32{2 * flow})
	if diff := cmp.Diff([][]int32{{2*flow + 1, 0}, {2*(flow+1) + 1, 2}}, got); diff != "" || !met {
		t.Error(met, diff)
	}
	if met, more := g.Meets([]int32{2 * flow, 2 * (flow + 1)}); met || more != nil {
		t.Error("a flow is placed twice:", more)
	}
}

// TestEnded: no graph is made once the context has ended.
func TestEnded(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if g, err := repairs.New(ctx, blind(t), "layers", 2); g != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v", g, err)
	}
}
