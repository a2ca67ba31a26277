package simulate

import (
	"math"
	"testing"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
)

// lossyLine is a line 0 -> 1 -> 2 where 0 sends to 2, and node 1 routes as choose says.
func lossyLine(t *testing.T, choose func(on spec.Hop) routing.Choice) *spec.Network {
	t.Helper()
	topo := spec.NewTopology()
	for _, name := range []string{"0", "1", "2"} {
		topo.AddNode(name)
	}
	topo.AddLink(spec.Link{From: 0, To: 1, VCs: 1})
	topo.AddLink(spec.Link{From: 1, To: 2, VCs: 1})
	return routingtest.Compile(t, routing.Definition{
		Topology: topo, Buffer: 4, Flows: func(s, d spec.NodeID, _ spec.Class) bool { return s == 0 && d == 2 },
		Routing: routing.Router{Topology: topo, Route: func(p routing.Packet) routing.Choice {
			if p.Node == 0 {
				return routing.Adaptive(spec.Hop{Channel: 0})
			}
			return choose(spec.Hop{Channel: 1})
		}},
	})
}

// TestChoice: of two alternatives chance takes each half of the time, and a hash always the same for a flow, another with
// another seed; discarded packets are counted, and are none of those that arrive. A packet is dropped from the tail only
// where there is no room: never where nothing contends.
func TestChoice(t *testing.T) {
	either := lossyLine(t, func(on spec.Hop) routing.Choice { return routing.Oblivious(routing.Adaptive(on), routing.Discard()) })
	o := Options{Load: 0.2, Lengths: flits(4), Clocks: 40_000}
	o.Choice = ByPacket
	r := simulated(t, either, o)
	sum := float64(r.Delivered + r.Discarded)
	if share := float64(r.Discarded) / sum; sum < 1500 || math.Abs(share-0.5) > 4*0.5/math.Sqrt(sum) { // four standard deviations
		t.Errorf("by packet: %d packets arrive and %d are discarded, want half", r.Delivered, r.Discarded)
	}
	if math.Abs(r.Accepted.Mean-0.1) > 0.02 || r.Saturated || r.Backlog > 3 {
		t.Errorf("by packet: accepted %v, saturated %v, backlog %d, want about 0.1 of a load of 0.2", r.Accepted.Mean, r.Saturated, r.Backlog)
	}
	o.Choice, o.Clocks = ByFlow, 2000
	dropped := 0
	for o.Seed = range uint64(20) {
		r := simulated(t, either, o)
		if r.Delivered > 0 == (r.Discarded > 0) {
			t.Errorf("by flow, seed %d: %d packets arrive and %d are discarded, want one of them 0", o.Seed, r.Delivered, r.Discarded)
		}
		if r.Discarded > 0 {
			dropped++
		}
	}
	if dropped < 3 || dropped > 17 { // each has a chance of 0.0002
		t.Errorf("by flow: %d of 20 seeds discard, want about half", dropped)
	}
	tail := lossyLine(t, func(on spec.Hop) routing.Choice { return routing.Adaptive(on, spec.Discard()) })
	if r := simulated(t, tail, o); r.Discarded > 0 || r.Delivered < 50 {
		t.Errorf("a tail drop without contention: %d packets arrive and %d are discarded, want none discarded", r.Delivered, r.Discarded)
	}
	o.Window, o.Replies = 1, 0
	if _, err := Run(t.Context(), tail, o); err == nil {
		t.Error("a closed loop that loses requests: no error")
	}
}
