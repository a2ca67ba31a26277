package simulate

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// drawnOptions draws how a network is run.
func drawnOptions(rt *rapid.T, n *spec.Network) Options {
	o := Options{
		Load:      rapid.SampledFrom([]float64{0.05, 0.3, 1}).Draw(rt, "load"),
		Injectors: rapid.IntRange(1, 3).Draw(rt, "lanes"), Queue: rapid.IntRange(0, 3).Draw(rt, "queue"),
		Arbiter: Arbiter(rapid.IntRange(0, len(ArbiterNames)-1).Draw(rt, "arbiter")), Shared: rapid.Bool().Draw(rt, "shared"),
		Burst:  rapid.SampledFrom([]float64{0, 1, 5}).Draw(rt, "burst"),
		within: rapid.IntRange(0, 3).Draw(rt, "region"), Choice: Choice(rapid.IntRange(0, 1).Draw(rt, "choice")),
		Clocks: rapid.IntRange(50, 400).Draw(rt, "clocks"), Seed: rapid.Uint64().Draw(rt, "seed"),
		Delays: Delays{
			Route: rapid.IntRange(0, 2).Draw(rt, "route"), Allocate: rapid.IntRange(0, 2).Draw(rt, "allocate"),
			Switch: 1, Cross: rapid.IntRange(0, 1).Draw(rt, "cross"), Link: rapid.IntRange(0, 3).Draw(rt, "link"),
			Credit: rapid.IntRange(1, 3).Draw(rt, "credit"), Source: rapid.IntRange(0, 2).Draw(rt, "source"),
		},
	}
	for range rapid.IntRange(1, 2).Draw(rt, "lengths") {
		o.Lengths = append(o.Lengths, Length{rapid.IntRange(1, 6).Draw(rt, "flits"), 1})
	}
	return o
}

func drawnNetwork(rt *rapid.T, mayFail bool) *spec.Network {
	o := netgen.Options{Nodes: 5, Channels: 10, Tags: 2, Classes: 2, Buffer: 4, Ring: true, MayFail: mayFail}
	o.Discards, o.Commits = rapid.Bool().Draw(rt, "discards"), rapid.Bool().Draw(rt, "commits")
	s := rapid.SampledFrom([]spec.Switching{spec.Wormhole, spec.VirtualCutThrough, spec.StoreAndForward}).Draw(rt, "switching")
	o.Rooms = s != spec.Wormhole && o.Discards == o.Commits
	return netgen.Network(rt, o, s)
}

// TestRunsOfTheReference: each move of a run is one that the reference step allows, and leads to the state
// that the engine is in. Invariants hold in each clock.
func TestRunsOfTheReference(t *testing.T) {
	moves, ended := 0, map[string]int{}
	seedtest.Sample(t, 12)
	rapid.Check(t, func(rt *rapid.T) {
		n := drawnNetwork(rt, rapid.Bool().Draw(rt, "may fail"))
		e, err := newEngine(n, drawnOptions(rt, n))
		if err != nil {
			ended["refused"]++
			return
		}
		e.ahead = rapid.Bool().Draw(rt, "ahead")
		traffic, err := n.Traffic(e.o.scenario(n))
		if err != nil {
			rt.Fatal(err)
		}
		s := traffic.Empty()
		e.record = func(_ int64, m spec.Move) {
			moves++
			if err := traffic.Apply(&s, m); err != nil {
				rt.Fatalf("clock %d: %+v: %v", e.now, m, err)
			}
		}
		for range e.o.Clocks {
			if e.clock(); e.fault != nil {
				ended["undelivered"]++
				return // of the network
			}
			check(rt, e)
			if diff := cmp.Diff(s, e.occupancy(traffic), cmpopts.EquateEmpty(), cmpopts.IgnoreFields(s, "Changed")); diff != "" {
				rt.Fatalf("clock %d (-reference +engine):\n%s", e.now, diff)
			}
		}
		ended["whole"]++
		if e.lost > 0 {
			ended["discarded"]++
		}
		if n.Alternatives() > 1 && e.injected > 0 {
			ended["committed"]++
		}
		if n.Room() > 1 && e.injected > 0 {
			ended["room"]++
		}
	})
	if seedtest.Usual() && (moves < 1000 || min(ended["whole"], ended["discarded"], ended["committed"], ended["room"]) < 3) {
		t.Errorf("only %d moves, runs %v", moves, ended)
	}
}

// TestOwnNode: a packet to its own node, which no router sees, leaves the network in one move of the reference, however many
// flits it has, and the next one follows it.
func TestOwnNode(t *testing.T) {
	topo := spec.NewTopology()
	a := topo.AddNode("a")
	n, err := spec.NewNetwork(t.Context(), spec.Parts{Name: "own node", Topology: topo, Classes: []string{""}, Tags: 1, Buffer: 2, Switching: spec.Wormhole,
		Rows:   [][]spec.Hop{{{Channel: spec.Eject}}},
		Tables: []spec.Table{{Target: spec.Target{Dest: a}, Sources: []spec.Source{{Node: a}}}}})
	if err != nil {
		t.Fatal(err)
	}
	e, err := newEngine(n, Options{Load: 1, Lengths: flits(3), Clocks: 100})
	if err != nil {
		t.Fatal(err)
	}
	traffic, err := n.Traffic(e.o.scenario(n))
	if err != nil {
		t.Fatal(err)
	}
	s, moves := traffic.Empty(), 0
	e.record = func(_ int64, m spec.Move) {
		moves++
		if err := traffic.Apply(&s, m); err != nil {
			t.Errorf("clock %d: %+v: %v", e.now, m, err)
		}
	}
	for range e.o.Clocks {
		e.clock()
	}
	// One flit leaves in a clock, and the first has some clocks of the router before it.
	if packets := int(e.m.delivered); packets < 20 || moves != packets && moves != packets+1 || e.fault != nil {
		t.Errorf("%d moves for %d packets: want one for each, and perhaps for the last: %v", moves, packets, e.fault)
	}
}

// check checks the invariants of the engine: credits, owners, lists, and that each flit is in exactly
// one place.
func check(t interface{ Fatalf(string, ...any) }, e *engine) {
	onWay, back := map[int32]int32{}, map[int32]int32{}
	injected := e.injected
	present, sent := map[int32]int32{}, int64(0) // flits in the network by packet, and of all
	entered := map[spec.ChannelID]int32{}        // packet whose flits enter a channel
	for i := range e.regions {
		for _, s := range e.regions[i].returning {
			for _, c := range s {
				back[c]++
			}
		}
	}
	leaving := int64(0)
	var heads []arrival // on their way, in order
	e.onLinks(func(a *arrival, _ int) {
		if onWay[int32(a.to)]++; a.packet != none {
			heads = append(heads, *a)
		}
	})
	var compete []bidder
	for i := range e.regions {
		for _, flits := range e.regions[i].leaving {
			leaving += int64(flits)
		}
		compete = append(compete, e.regions[i].compete...)
		for _, s := range e.regions[i].due {
			compete = append(compete, s...)
		}
	}
	for v := range int32(len(e.lanes)) {
		l := &e.lanes[v]
		found := slices.ContainsFunc(compete, func(b bidder) bool { return b.lane == v })
		if says := l.out != none && !l.is(idle); says != found || e.moves(l) != found {
			t.Fatalf("clock %d: lane %d moves %v, is listed %v and says %v", e.now, v, e.moves(l), found, says)
		}
		n := &e.nodes[e.fronts[v].node]
		if slices.Contains(e.heads[n.first:][:n.waiting], v) != l.is(waiting) {
			t.Fatalf("clock %d: lane %d waits %v", e.now, v, l.is(waiting))
		}
		if l.out >= 0 && e.lanes[l.out].owner != v {
			t.Fatalf("clock %d: lane %d has a VC that it does not own", e.now, v)
		}
		packet := e.fronts[v].packet
		if packet != none && (l.rest < 1 || l.is(left) != (int32(l.rest) < e.packets[packet].length)) {
			t.Fatalf("clock %d: lane %d has %d flits left to send, and says %v", e.now, v, l.rest, l.is(left))
		}
		if v >= e.channels {
			if packet != none && l.count != int32(l.rest) {
				t.Fatalf("clock %d: source lane %d has %d of %d flits", e.now, v, l.count, l.rest)
			}
			if packet != none {
				injected += int64(e.packets[packet].length - int32(l.rest))
			}
			continue
		}
		here := l.count + onWay[v] // of the packets in order, the last one's as they come
		last := packet
		if last != none {
			flits := min(here, int32(l.rest))
			present[last] += flits
			here -= flits
		}
		for last = range e.queued(spec.ChannelID(v)) {
			flits := min(here, e.packets[last].length)
			present[last] += flits
			here -= flits
		}
		for _, a := range heads {
			if a.to == spec.ChannelID(v) && here > 0 {
				last = a.packet
				flits := min(here, e.packets[last].length)
				present[last] += flits
				here -= flits
			}
		}
		if here != 0 {
			t.Fatalf("clock %d: VC %d has %d flits of no packet", e.now, v, here)
		}
		entered[spec.ChannelID(v)] = last
		if sent += int64(l.count + onWay[v]); l.owner != none && e.lanes[l.owner].out != spec.ChannelID(v) {
			t.Fatalf("clock %d: VC %d has an owner that does not know", e.now, v)
		}
		depth := e.credits
		if e.inPackets {
			depth *= int32(e.o.longest())
		} else if sum := l.credits + l.count + onWay[v] + back[v]; sum != depth {
			t.Fatalf("clock %d: VC %d of %d flits has %d", e.now, v, depth, sum)
		}
		if l.count+onWay[v] > depth || l.credits < 0 || l.credits > e.credits {
			t.Fatalf("clock %d: VC %d: %d flits, %d on their way, %d credits", e.now, v, l.count, onWay[v], l.credits)
		}
	}
	delivered := int64(0) // flits, and those discarded
	for i, x := range e.m.accepted {
		delivered += x + e.m.lost[i]
	}
	waiting := 0
	for i := range e.queues {
		n := &e.queues[i]
		k := int32(0)
		for m := n.head; m != none; m = e.packets[m].next {
			k++
		}
		if waiting += int(k); k != n.queued {
			t.Fatalf("clock %d: node %d has %d packets, not %d", e.now, i, k, n.queued)
		}
	}
	inside := map[int32]bool{} // packets that are not wholly in a queue
	for v := range int32(len(e.lanes)) {
		l, m := &e.lanes[v], e.fronts[v].packet
		if m == none {
			continue
		}
		if inside[m] = true; l.is(left) && l.out >= 0 && entered[l.out] != m {
			t.Fatalf("clock %d: packet %d sends into VC %d, which packet %d enters", e.now, m, l.out, entered[l.out])
		}
	}
	for m := range present {
		inside[m] = true
	}
	for i := range e.regions {
		for _, s := range e.regions[i].leavers {
			for _, m := range s {
				inside[m] = true
			}
		}
	}
	for m, flits := range present {
		if flits > e.packets[m].length {
			t.Fatalf("clock %d: packet %d of %d flits has %d", e.now, m, e.packets[m].length, flits)
		}
	}
	if len(inside)+waiting != e.alive {
		t.Fatalf("clock %d: %d packets are in flight and %d wait, not %d", e.now, len(inside), waiting, e.alive)
	}
	if sent += leaving; e.o.Warmup == 0 && injected-delivered != sent {
		t.Fatalf("clock %d: %d flits injected, %d delivered, %d in flight", e.now, injected, delivered, sent)
	}
}

// TestDrains: without deadlock, all that was generated arrives once nothing more is generated.
func TestDrains(t *testing.T) {
	drained := 0
	rapid.Check(t, func(rt *rapid.T) {
		n := drawnNetwork(rt, false)
		e, err := newEngine(n, drawnOptions(rt, n))
		if err != nil {
			return
		}
		w, err := newWatch(e)
		if err != nil {
			rt.Fatal(err)
		}
		if e.run(context.Background(), e.o.Clocks, func() bool { return false }) != nil {
			return
		}
		e.source.due = nil
		for e.alive > 0 && e.now < 100_000 {
			if e.clock(); e.fault != nil {
				return
			}
			if e.now%patience == 0 && w.deadlocked() {
				return
			}
		}
		if e.alive > 0 && !livelocked(e) {
			rt.Fatalf("%d packets are left, and nothing is stuck", e.alive)
		}
		check(rt, e)
		drained++
	})
	if seedtest.Usual() && drained < 5 {
		t.Errorf("only %d runs drained", drained)
	}
}

// livelocked reports whether something still moves: such a network may move forever.
func livelocked(e *engine) bool {
	before := hops(e)
	for range 1000 {
		e.clock()
	}
	return hops(e) != before
}
