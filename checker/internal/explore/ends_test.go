package explore_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker/internal/explore"
	"github.com/seed-105a2da2/unknot/checker/internal/liveness"
	"github.com/seed-105a2da2/unknot/checker/internal/walk"
	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/models/ring"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// TestEnds: if every fair run that keeps a packet waiting is said to end, deciding without the state graph gives the same
// as deciding on it; and if traffic is bounded, unless messages have any length, no state recurs, by the reference
// step. Mutants: unbounded injections end; so does routing in circles; a state with a fair action is one of rest;
// channels may be entered from anywhere, or also by injections; so may bounded sinks; there may be dead ends.
func TestEnds(t *testing.T) {
	said, unbounded, anyLength, held, starved, vacuous := 0, 0, 0, 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		switching := rapid.SampledFrom([]spec.Switching{spec.StoreAndForward, spec.Wormhole}).Draw(t, "switching")
		n := netgen.Network(t, netgen.Options{Nodes: 3, Channels: 5, Tags: 2, Sparse: true, MayFail: rapid.Bool().Draw(t, "may fail")}, switching)
		if n.Tables() == 0 {
			return // nobody sends
		}
		ref, err := states.NewTraffic(n, netgen.Scenario(t, n))
		if err != nil {
			t.Skip(err.Error())
		}
		ends := explore.Ends(ref)
		if !ends {
			return
		}
		w, err := explore.Traffic(t.Context(), ref, explore.Reductions{})
		if err != nil {
			t.Fatal(err)
		}
		space, r, err := walk.Explore(t.Context(), w.Machine, walk.Options{Workers: 2, MaxStates: 2000})
		if err != nil {
			t.Fatal(err)
		}
		defer space.Release()
		if r.Reason != walk.Complete {
			return
		}
		switch sc := ref.Scenario(); {
		case !sc.Bounded():
			unbounded++
		case sc.Length == spec.AnyLength:
			anyLength++
		default:
			said++
			if at := comesAgain(t, ref); at != nil {
				t.Fatalf("under %s every run is said to end, but %s comes again", sc, ref.Layout().Text(at))
			}
		}
		whole := liveness.Space{Space: space, Steps: r.Transitions, Machine: ref, Fast: w.Machine, Claims: w.Claims,
			Labels: w.Labels, AnswersOf: w.AnswersOf, Workers: rapid.IntRange(1, 2).Draw(t, "workers")}
		if w.Fair != nil {
			whole.Fair, whole.Answers = w.Fair(), w.Answers()
		}
		if rapid.IntRange(0, 3).Draw(t, "without labels") == 0 {
			whole.Labels, whole.Fair, whole.Answers, whole.AnswersOf = nil, nil, nil, nil
		}
		g, err := liveness.New(t.Context(), whole)
		if err != nil {
			t.Fatal(err)
		}
		never, holds, err := liveness.DecideEnding(t.Context(), &whole)
		if err != nil {
			t.Fatal(err)
		}
		violated := false
		for k, v := range w.Claims.Responses {
			a, err := g.Decide(t.Context(), k)
			if err != nil {
				t.Fatal(err)
			}
			violated = violated || a.Stem != nil
			if holds && never[k] != a.Vacuous {
				t.Fatalf("under %s: %q is never pending: %t, want %t", ref.Scenario(), v.Name, never[k], a.Vacuous)
			}
			if a.Vacuous {
				vacuous++
			}
		}
		if holds == violated {
			t.Fatalf("under %s: all responses hold: %t; on the graph: %t", ref.Scenario(), holds, !violated)
		}
		if holds {
			held++
		} else {
			starved++
		}
	})
	t.Logf("%d said to end, %d of any length, %d without a bound; %d held, %d starved, %d responses were vacuous", said,
		anyLength, unbounded, held, starved, vacuous)
	if seedtest.Usual() && (min(said, unbounded) < 10 || min(anyLength, held, starved, vacuous) == 0) {
		t.Errorf("%d said to end, %d of any length, %d without a bound; %d held, %d starved, %d responses were vacuous",
			said, anyLength, unbounded, held, starved, vacuous)
	}
}

// comesAgain returns a state on a cycle of a machine's reachable states, or nil.
func comesAgain(t *rapid.T, m states.Machine) []uint64 {
	const open, done = 1, 2
	words := m.Layout().Words()
	mark := map[string]int{}
	var visit func(s []uint64) []uint64
	visit = func(s []uint64) []uint64 {
		key := m.Layout().Text(s)
		if mark[key] == open {
			return s
		}
		if mark[key] == done {
			return nil
		}
		mark[key] = open
		next, err := m.AppendSuccessors(nil, s)
		if err != nil {
			t.Fatal(err)
		}
		for after := range slices.Chunk(next, words) {
			if at := visit(after); at != nil {
				return at
			}
		}
		mark[key] = done
		return nil
	}
	for s := range slices.Chunk(m.Start(nil), words) {
		if at := visit(s); at != nil {
			return at
		}
	}
	return nil
}

// TestEndsOfRings: fair runs of bounded traffic on a ring end. With unbounded traffic, those that keep a packet waiting end
// if only one node sends, and not into full sinks of nodes that others reach, too.
func TestEndsOfRings(t *testing.T) {
	once := []spec.Flow{{Source: 0, Target: spec.Target{Dest: 2}}}
	for _, x := range []struct {
		senders spec.NodeID
		variant ring.Variant
		sc      spec.Scenario
		ends    bool
	}{
		{4, ring.OneWay, spec.Scenario{}, false},
		{4, ring.OneWay, spec.Scenario{Length: 2}, false},
		{4, ring.OneWay, spec.Scenario{Packets: 3}, true},
		{4, ring.OneWay, spec.Scenario{Length: 2, Packets: 3}, true},
		{4, ring.OneWay, spec.Scenario{Length: 1, Once: once}, true},
		{4, ring.OneWay, spec.Scenario{Length: spec.AnyLength, Packets: 3}, true},
		{4, ring.OneWay, spec.Scenario{Length: spec.AnyLength, Once: once}, true},
		{1, ring.OneWay, spec.Scenario{}, true},
		{1, ring.OneWay, spec.Scenario{Length: 2, Sink: 1}, true},
		{1, ring.OneWay, spec.Scenario{Length: spec.AnyLength, Elastic: true, Shared: true}, true},
		{2, ring.OneWay, spec.Scenario{}, false},
		{1, ring.TwoWay, spec.Scenario{}, true},
		{1, ring.TwoWay, spec.Scenario{Sink: 1}, true},
		{2, ring.TwoWay, spec.Scenario{}, false},
	} {
		def, err := ring.New(ring.Options{Nodes: 4, Variant: x.variant})
		if err != nil {
			t.Fatal(err)
		}
		def.Switching = spec.Wormhole
		def.Flows = func(src, dst spec.NodeID, _ spec.Class) bool { return src < x.senders && src != dst }
		n := routingtest.Compile(t, def)
		m, err := states.NewTraffic(n, x.sc)
		if err != nil {
			t.Fatal(err)
		}
		if got := explore.Ends(m); got != x.ends {
			t.Errorf("%d senders, variant %d, under %s: ends is %t, want %t", x.senders, x.variant, x.sc, got, x.ends)
		}
	}
}
