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

// hashedRing is a ring of four nodes in which each hop and each reply goes either way, and any of two nodes replies.
func hashedRing(t *testing.T) *spec.Network {
	topo := spec.NewTopology()
	for range 4 {
		topo.AddNode("")
	}
	for v := range spec.NodeID(4) {
		topo.AddPair(v, (v+1)%4, 1)
	}
	return routingtest.Compile(t, routing.Definition{
		Topology: topo, Classes: []string{"request", "reply"},
		Routing: routing.Router{Topology: topo, Route: func(p routing.Packet) routing.Choice {
			var all []routing.Choice
			for _, l := range topo.OutLinks(p.Node) {
				all = append(all, routing.Adaptive(spec.Hop{Channel: topo.Channel(l, 0)}))
			}
			return routing.Oblivious(all...)
		}},
		Replies: []routing.Reply{{Request: 0, Reply: 1, To: func(dst []spec.NodeID, _, at spec.NodeID) ([]spec.NodeID, error) {
			return append(dst, (at+1)%4, (at+2)%4), nil
		}}},
	})
}

// TestChoiceOfFlows: where a node has several flows for one destination, the alternatives of a packet are those of its
// flow: the reference step takes the moves of the run, up to a deadlock.
func TestChoiceOfFlows(t *testing.T) {
	n := hashedRing(t)
	if len(n.FlowsApart()) == 0 {
		t.Fatal("no node has several flows of several alternatives")
	}
	for _, choice := range []Choice{ByFlow, ByPacket} {
		for seed := range uint64(5) {
			r := simulated(t, n, Options{Load: 0.5, Lengths: flits(1), Clocks: 500, Seed: seed, Choice: choice})
			if r.Deadlock == nil { // all links are on one ring, both ways
				t.Errorf("%v, seed %d: no deadlock in 500 clocks", choice, seed)
			}
		}
	}
}

// TestLookAheadCommits: of a node that commits a packet, CCB counts the VCs of the alternative that the packet gets.
func TestLookAheadCommits(t *testing.T) {
	topo := spec.NewTopology()
	for range 3 {
		topo.AddNode("")
	}
	topo.AddLink(spec.Link{From: 0, To: 1, VCs: 1})
	topo.AddLink(spec.Link{From: 1, To: 2, VCs: 3})
	n := routingtest.Compile(t, routing.Definition{
		Topology: topo, Flows: func(s, d spec.NodeID, _ spec.Class) bool { return s == 0 && d == 2 },
		Routing: routing.Router{Topology: topo, Route: func(p routing.Packet) routing.Choice {
			if p.Node == 0 {
				return routing.Adaptive(spec.Hop{Channel: 0})
			}
			one, two := routing.Adaptive(spec.Hop{Channel: 1}), routing.Adaptive(spec.Hop{Channel: 2}, spec.Hop{Channel: 3})
			return routing.Oblivious(one, two)
		}},
	})
	ccb, _ := Function("ccb")
	e, err := newEngine(n, Options{Load: 1, Lengths: flits(1), Clocks: 10, Select: ccb, Choice: ByPacket})
	if err != nil {
		t.Fatal(err)
	}
	met := map[int]bool{}
	for serial := range int64(40) {
		e.packets = append(e.packets, packet{serial: serial})
		f := &front{packet: int32(len(e.packets) - 1), row: e.source.to.flows.row[0]}
		v, hop := e.view, spec.Hop{Channel: 0}
		v.front = f
		free := v.lookahead(hop)
		if want := 1 + int(e.commit(f, hop).Tag); free != want { // the second alternative has tag 1, and two VCs
			t.Fatalf("packet %d: %d VCs are free ahead, want %d", serial, free, want)
		}
		met[free] = true
	}
	if !met[1] || !met[2] {
		t.Errorf("%v: some packet should get each alternative", met)
	}
}
