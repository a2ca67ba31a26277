package checker_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/proofs/machines"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
)

// lineOf returns nodes A, B and C with channels A->B (0), B->A (1) and B->C (2).
func lineOf(t *testing.T, flows [][2]spec.NodeID, switching spec.Switching, route routing.Func) *spec.Network {
	topo := spec.NewTopology()
	a, b, c := topo.AddNode("A"), topo.AddNode("B"), topo.AddNode("C")
	for _, ends := range [][2]spec.NodeID{{a, b}, {b, a}, {b, c}} {
		topo.AddLink(spec.Link{From: ends[0], To: ends[1], VCs: 1})
	}
	sends := func(src, dst spec.NodeID, _ spec.Class) bool {
		for _, f := range flows {
			if f == [2]spec.NodeID{src, dst} {
				return true
			}
		}
		return false
	}
	return routingtest.Compile(t, routing.Definition{Name: "line", Topology: topo, Switching: switching, Flows: sends, Routing: routing.Named("route", route)})
}

// TestDeliveryExplored: what delivery means does not depend on the engine. Each network has one
// fault, visible in its relation; the decision, exploration and the check of a closed set find
// it, and exploration continues until the verdict on
// deadlock.
func TestDeliveryExplored(t *testing.T) {
	const a, b, c = spec.NodeID(0), spec.NodeID(1), spec.NodeID(2)
	const ab, ba, bc = spec.ChannelID(0), spec.ChannelID(1), spec.ChannelID(2)
	right := map[spec.ChannelID]map[spec.NodeID]spec.ChannelID{
		spec.Injection(a): {b: ab, c: ab}, spec.Injection(b): {a: ba, c: bc},
		ab: {b: spec.Eject, c: bc}, ba: {a: spec.Eject}, bc: {c: spec.Eject},
	}
	// but gives the right way, except for packets to dst in at.
	but := func(at spec.ChannelID, dst spec.NodeID, hops ...spec.ChannelID) routing.Func {
		return func(list []spec.Hop, here spec.ChannelID, h spec.Header) []spec.Hop {
			if here == at && h.Dest == dst {
				for _, to := range hops {
					list = append(list, spec.Hop{Channel: to})
				}
			} else if to, ok := right[here][h.Dest]; ok {
				list = append(list, spec.Hop{Channel: to})
			} else if here == ba && h.Dest == c {
				list = append(list, spec.Hop{Channel: ab})
			}
			return list
		}
	}
	flows := [][2]spec.NodeID{{a, c}, {a, b}}
	for name, x := range map[string]struct {
		route routing.Func
		fault counterexamples.Fault // 0: none
	}{
		"right":            {but(ab, a), 0},
		"unrouted":         {but(spec.Injection(a), c), counterexamples.Unrouted},
		"left at source":   {but(spec.Injection(a), c, spec.Eject), counterexamples.Misdelivery},
		"dead end":         {but(ab, c), counterexamples.DeadEnd},
		"left on the way":  {but(ab, c, spec.Eject), counterexamples.Misdelivery},
		"never arrives":    {but(ab, c, ba), counterexamples.Trap},
		"may take a round": {but(ab, c, ba, bc), 0},
	} {
		for _, length := range []int{0, 1} {
			switching := spec.StoreAndForward
			if length > 0 {
				switching = spec.Wormhole
			}
			n := lineOf(t, flows, switching, x.route)
			want := spec.Violated
			if x.fault == 0 {
				want = spec.Holds
			}
			if r := decide(t, n, spec.Delivery); r.Verdict != want || want == spec.Violated && r.Trace().Fault != x.fault {
				t.Errorf("%s, length %d: decided %s (%s), want %s", name, length, r.Verdict, r.Because, want)
			}
			m := trafficOf(t, n, spec.Scenario{Length: length, Packets: 1}) // a single packet, which never waits for another
			e := explore(t, m, checker.Question{})
			f := finding(t, e, "delivery")
			if f.Verdict != want || want == spec.Violated && f.Trace().Fault != x.fault || finding(t, e, "deadlock-freedom").Verdict == spec.Unknown {
				t.Errorf("%s, length %d: explored %s (%s), want %s\n%+v", name, length, f.Verdict, f.Because, want, e)
			}
			whole := explore(t, m, checker.Question{Explore: checker.Whole})
			set := &machines.ClosedSet{Machine: m.Name(), Property: "delivery"}
			d := finding(t, whole, "deadlock-freedom")
			all, ok := d.Evidence.(evidence.ClosedSet)
			if !ok {
				t.Fatalf("%s, length %d: deadlock %s", name, length, d.Verdict)
			}
			set.States = all.States // all that can be reached
			safe, err := machines.Safe(m, "delivery")
			if err != nil {
				t.Fatal(err)
			}
			if err := machines.VerifyClosed(t.Context(), m, safe, set); (err == nil) != (want == spec.Holds) {
				t.Errorf("%s, length %d: of the closed set: %v, want %s", name, length, err, want)
			}
		}
	}
	// The flow that is not routed sends nothing here.
	n := lineOf(t, flows, spec.StoreAndForward, but(spec.Injection(a), c))
	m := trafficOf(t, n, spec.Scenario{Once: []spec.Flow{{Source: a, Target: spec.Target{Dest: b}}}})
	if got := finding(t, explore(t, m, checker.Question{}), "delivery"); got.Verdict != spec.Holds || got.Evidence.Kind() != "closed-set" {
		t.Error("without the flow:", cmp.Diff(spec.Holds, got.Verdict), got.Because)
	}
}

// TestMisdeliveryBehindItself: a message for C may go from A to B and back to A, into the buffer
// of A->B that its own end is still in, and with a tag with which B ejects it. That is not a
// misdelivery yet: the end moves on first.
func TestMisdeliveryBehindItself(t *testing.T) {
	const a, b, c = spec.NodeID(0), spec.NodeID(1), spec.NodeID(2)
	topo := spec.NewTopology()
	topo.AddNode("A")
	topo.AddNode("B")
	topo.AddNode("C")
	ab := topo.Channel(topo.AddLink(spec.Link{From: a, To: b, VCs: 1}), 0)
	ba := topo.Channel(topo.AddLink(spec.Link{From: b, To: a, VCs: 1}), 0)
	bc := topo.Channel(topo.AddLink(spec.Link{From: b, To: c, VCs: 1}), 0)
	n := networkOf(t, routing.Definition{Name: "round", Topology: topo, Switching: spec.Wormhole, Buffer: 3, Tags: 2,
		Flows: func(src, dst spec.NodeID, _ spec.Class) bool { return src == a && dst == c },
		Routing: routing.Named("round", routing.Func(func(list []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
			switch {
			case at.IsInjection():
				return append(list, spec.Hop{Channel: ab})
			case at == ba:
				return append(list, spec.Hop{Channel: ab}, spec.Hop{Channel: ab, Tag: 1})
			case at == ab && h.Tag == 0:
				return append(list, spec.Hop{Channel: ba}, spec.Hop{Channel: bc})
			}
			return append(list, spec.Hop{Channel: spec.Eject})
		}))})
	for _, length := range []int{2, 3, 4, 5, spec.AnyLength} {
		x := explore(t, trafficOf(t, n, spec.Scenario{Length: length, Shared: true}), checker.Question{Properties: []string{"delivery"}})
		f := x.Findings[0]
		if f.Verdict != spec.Violated || f.Trace() == nil || f.Trace().Fault != counterexamples.Misdelivery {
			t.Errorf("length %d: %v, %s, want a misdelivery", length, f.Verdict, f.Because)
		}
	}
}
