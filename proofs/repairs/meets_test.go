package repairs_test

import (
	"testing"

	"github.com/seed-105a2da2/unknot/proofs/repairs"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// ring is a one-way ring of three nodes. Its three turns are all on one cycle, each is on
// the only way of a flow, and the longest ways have two hops.
func ring(t *testing.T) *spec.Network {
	topo := spec.NewTopology()
	for range 3 {
		topo.AddNode("")
	}
	for i := range spec.NodeID(3) {
		topo.AddLink(spec.Link{From: i, To: (i + 1) % 3, VCs: 1})
	}
	next := routing.Func(func(dst []spec.Hop, at spec.ChannelID, _ spec.Header) []spec.Hop {
		return append(dst, spec.Hop{Channel: topo.Channel(topo.Out(topo.Head(at))[0], 0)})
	})
	return compiled(t, routing.Definition{Name: "ring", Topology: topo, Routing: routing.Deliver(topo, next)})
}

// again is two nodes. A packet from the first one may be taken off at the second, or go back
// and come again with tag 1, when it must be: so it is stuck nowhere, and no way closes a cycle.
func again(t *testing.T) *spec.Network {
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
	return compiled(t, routing.Definition{Name: "again", Topology: topo, Tags: 2, Routing: next,
		Flows: func(src, dst spec.NodeID, _ spec.Class) bool { return src == 0 && dst == 1 }})
}

func compiled(t *testing.T, def routing.Definition) *spec.Network {
	def.Switching = spec.Wormhole
	n, err := routing.Compile(t.Context(), def, routing.CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestMeets: conditions that every repair meets, by hand, and such that some repair does not.
func TestMeets(t *testing.T) {
	forbidden := func(v int32) int32 { return 2 * v }
	kept := func(v int32) int32 { return 2*v + 1 }
	on := func(turn, copy int32) int32 { return 2*(2*turn+copy) + 1 } // not on one of two copies
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
		{"flows are no turns", ring, "layers", 2, []int32{on(0, 0), on(1, 0), on(2, 0), on(3, 0)}, false},
		{"two hops take two copies", ring, "hop-index", 1, nil, true},
		{"two copies do", ring, "hop-index", 2, nil, false},
		{"the way back can stay", again, "hops", 0, nil, false},
		{"and can be forbidden", again, "hops", 0, []int32{kept(1)}, false},
	} {
		g, err := repairs.New(tt.net(t), tt.scheme, tt.copies)
		if err != nil {
			t.Fatal(err)
		}
		if got := g.Meets(tt.condition); got != tt.want {
			t.Errorf("%s, %d copies, %v: %t, want %t: %s", tt.scheme, tt.copies, tt.condition, got, tt.want, tt.about)
		}
	}
}
