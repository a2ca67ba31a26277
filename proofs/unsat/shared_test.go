package unsat_test

import (
	"context"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/models/gadget"
	"github.com/seed-105a2da2/unknot/proofs/unsat"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// TestNothingRefutesDeadlocks: where exploring all states, flit by flit, finds a deadlock, some values satisfy
// the formula with whatever lists of sites add, so no steps at all are accepted.
func TestNothingRefutesDeadlocks(t *testing.T) {
	stuck, free := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		def := netgen.Definition(rt, netgen.Options{Nodes: 4, Channels: 7, Tags: 2, Buffer: 3, Ring: true, Sparse: true,
			MayFail: rapid.Bool().Draw(rt, "may fail")})
		if name := rapid.SampledFrom([]string{"", "", "", "W1", "W2", "W5"}).Draw(rt, "gadget"); name != "" {
			buffer := def.Buffer
			def, _ = gadget.Wormhole(name)
			def.Buffer = buffer
		}
		def.Switching = spec.Wormhole
		n := routingtest.Compile(rt, def)
		if n.SiteCount() == 0 {
			return
		}
		sc := spec.Scenario{Length: rapid.SampledFrom([]int{spec.AnyLength, 1, 2, 3, 4, 5}).Draw(rt, "length"),
			Shared: rapid.IntRange(0, 3).Draw(rt, "shared") > 0}
		refuted, err := unsat.Refutable(context.Background(), n, sc, 100_000)
		if err != nil {
			rt.Fatal(err)
		}
		switch dead := deadlocks(rt, n, sc); {
		case dead && refuted:
			rt.Fatalf("%s, buffer %d: refuted, and there is a deadlock", sc, n.Buffer())
		case dead:
			stuck++
		case refuted:
			free++
		}
	})
	t.Logf("%d stuck, %d refutable", stuck, free)
	if seedtest.Usual() && (stuck == 0 || free == 0) {
		t.Error("the random networks do not test it")
	}
}

// TestDeadEndsWaitForNothing: a packet whose relation has no hop is lost, and blocks nobody: where the only channel of a network
// has a dead end, that it is held by what is stuck is refuted, as it is where packets arrive.
func TestDeadEndsWaitForNothing(t *testing.T) {
	topo := spec.NewTopology()
	a, b := topo.AddNode("a"), topo.AddNode("b")
	topo.AddLink(spec.Link{From: a, To: b, VCs: 1})
	for _, s := range []spec.Switching{spec.StoreAndForward, spec.VirtualCutThrough, spec.Wormhole} {
		for name, last := range map[string][]spec.Hop{"dead end": {}, "arrives": {{Channel: spec.Eject}}} {
			n, err := spec.NewNetwork(t.Context(), spec.Parts{Topology: topo, Classes: []string{""}, Tags: 1, Buffer: 1, Switching: s,
				Rows: [][]spec.Hop{last, {{Channel: 0}}},
				Tables: []spec.Table{{Target: spec.Target{Dest: b}, Sources: []spec.Source{{Node: a, Row: 1}},
					Channels: []spec.ChannelID{0}, Rows: []spec.RowID{0}}}})
			if err != nil {
				t.Fatal(err)
			}
			// the channel is not held
			err = unsat.Verify(t.Context(), n, &unsat.Proof{Network: n.Digest(), Steps: []unsat.Step{{Clause: true, List: []int32{1}}}})
			if err != nil {
				t.Errorf("%s, %s: %v", s, name, err)
			}
		}
	}
}

// deadlocks reports whether a deadlock is found among the first states.
func deadlocks(t interface {
	Helper()
	Fatal(...any)
}, n *spec.Network, sc spec.Scenario) bool {
	t.Helper()
	traffic, err := states.NewTraffic(n, sc)
	if err != nil {
		t.Fatal(err)
	}
	x, err := checker.Explore(context.Background(), traffic, checker.Question{Workers: 1, MaxStates: 10_000, Properties: []string{"deadlock-freedom"}})
	if err != nil {
		t.Fatal(err)
	}
	return x.Findings[0].Verdict == spec.Violated
}

// TestBehindAnother: A goes over a and b, B over b and, possibly, over a to where it leaves. If a is full of A and the
// head of B, and b of the rest of B and of another packet behind it, nothing moves: A waits for b, and B, which might
// have left from b, has gone on behind A. For packets of one length that is refuted wherever it does not happen: with
// buffer 4 and length 2, say, where b is not full.
func TestBehindAnother(t *testing.T) {
	top := spec.NewTopology()
	p, q, dA, dB := top.AddNode("p"), top.AddNode("q"), top.AddNode("dA"), top.AddNode("dB")
	link := func(from, to spec.NodeID) spec.ChannelID {
		return top.Channel(top.AddLink(spec.Link{From: from, To: to, VCs: 1}), 0)
	}
	a, b := link(p, q), link(q, p)
	exitA, exitB, endB := link(p, dA), link(p, dB), link(q, dB)
	ways := map[spec.NodeID]map[spec.ChannelID][]spec.ChannelID{
		dA: {spec.Injection(p): {a}, a: {b}, b: {exitA}},
		dB: {spec.Injection(q): {b}, b: {a, exitB}, a: {endB}},
	}
	for _, buffer := range []int{1, 2, 3, 4} {
		n := along(t, top, buffer, map[spec.NodeID]spec.NodeID{dA: p, dB: q}, ways)
		for _, length := range []int{spec.AnyLength, 1, 2, 3, 4, 5, 6} {
			for _, shared := range []bool{false, true} {
				sc := spec.Scenario{Length: length, Shared: shared}
				stuck := shared && buffer > 1
				if length != spec.AnyLength { // a has a place beside A, and the rest of B and another packet fill b
					stuck = shared && length < buffer && length-1+length >= buffer
				}
				refuted, err := unsat.Refutable(t.Context(), n, sc, 100_000)
				if dead := deadlocks(t, n, sc); dead != stuck || refuted && stuck || length > 0 && !refuted && !stuck || err != nil {
					t.Errorf("buffer %d, %s: deadlock %t, refutable %t, %v; want a deadlock: %t", buffer, sc, dead, refuted, err, stuck)
				}
			}
		}
	}
}

// TestWaitsBeside: A goes over a, b and c, C over d, c and b. A in b waits for c, which C holds, and C for b. Messages
// longer than a channel lie across what others wait for: with length 2 and buffers of 1, the head of A is in b, the
// rest in a.
func TestWaitsBeside(t *testing.T) {
	top := spec.NewTopology()
	p, u, q, r, dA, dC := top.AddNode("p"), top.AddNode("u"), top.AddNode("q"), top.AddNode("r"), top.AddNode("dA"), top.AddNode("dC")
	link := func(from, to spec.NodeID) spec.ChannelID {
		return top.Channel(top.AddLink(spec.Link{From: from, To: to, VCs: 1}), 0)
	}
	a, b, c, d := link(p, q), link(q, r), link(r, q), link(u, r)
	exitA, exitC := link(q, dA), link(r, dC)
	ways := map[spec.NodeID]map[spec.ChannelID][]spec.ChannelID{
		dA: {spec.Injection(p): {a}, a: {b}, b: {c}, c: {exitA}},
		dC: {spec.Injection(u): {d}, d: {c}, c: {b}, b: {exitC}},
	}
	for _, buffer := range []int{1, 2, 3} {
		n := along(t, top, buffer, map[spec.NodeID]spec.NodeID{dA: p, dC: u}, ways)
		for _, length := range []int{spec.AnyLength, 1, 2, 3, 4, 5, 6, 7} {
			for _, shared := range []bool{false, true} {
				sc := spec.Scenario{Length: length, Shared: shared}
				if refuted, err := unsat.Refutable(t.Context(), n, sc, 100_000); refuted || err != nil {
					t.Errorf("buffer %d, %s: refutable %t, %v; there is a deadlock", buffer, sc, refuted, err)
				}
				if buffer == 1 && length != spec.AnyLength && !deadlocks(t, n, sc) {
					t.Errorf("buffer %d, %s: no deadlock was found", buffer, sc)
				}
			}
		}
	}
}

// along compiles a network in which one node sends to each destination, by a table: by destination and channel, the
// next channels.
func along(t *testing.T, top *spec.Topology, buffer int, from map[spec.NodeID]spec.NodeID,
	ways map[spec.NodeID]map[spec.ChannelID][]spec.ChannelID) *spec.Network {
	t.Helper()
	n, err := routing.Compile(t.Context(), routing.Definition{
		Name: "along", Topology: top, Switching: spec.Wormhole, Buffer: buffer,
		Flows: func(src, dst spec.NodeID, _ spec.Class) bool { s, sends := from[dst]; return sends && s == src },
		Routing: routing.Deliver(top, routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
			for _, c := range ways[h.Dest][at] {
				dst = append(dst, spec.Hop{Channel: c})
			}
			return dst
		})),
	}, routing.CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return n
}
