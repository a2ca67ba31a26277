package explore_test

import (
	"context"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker/internal/explore"
	"github.com/seed-105a2da2/unknot/checker/internal/liveness"
	"github.com/seed-105a2da2/unknot/checker/internal/statespace"
	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/models/ring"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/fixedseed"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// TestEnds: where every run is said to end no state comes again, by the reference step; and what
// is decided without the state graph is what is decided on it. Mutants: injections without a
// bound end; so does a routing that goes round; a state with a fair action is one of rest.
func TestEnds(t *testing.T) {
	said, held, starved, vacuous := 0, 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		switching := rapid.SampledFrom([]spec.Switching{spec.StoreAndForward, spec.Wormhole}).Draw(t, "switching")
		ref := netgen.Traffic(t, netgen.Options{Nodes: 3, Channels: 5, Tags: 2, MayFail: rapid.Bool().Draw(t, "may fail")}, switching)
		ends := explore.Ends(ref)
		if !ends {
			return
		}
		w, err := explore.Traffic(t.Context(), ref, false, false)
		if err != nil {
			t.Fatal(err)
		}
		space, r, err := statespace.Explore(t.Context(), w.Machine, statespace.Options{Workers: 2, MaxStates: 2000})
		if err != nil {
			t.Fatal(err)
		}
		defer space.Release()
		if r.Reason != statespace.Complete {
			return
		}
		said++
		if at := comesAgain(t, ref); at != nil {
			t.Fatalf("under %s every run is said to end, but %s comes again", ref.Scenario(), ref.Layout().Text(at))
		}
		whole := liveness.Space{Space: space, Steps: r.Transitions, Machine: ref, Fast: w.Machine, Claims: w.Claims, Labels: w.Labels, AnswersOf: w.AnswersOf, Workers: rapid.IntRange(1, 2).Draw(t, "workers")}
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
	if fixedseed.Usual() && (said < 10 || held == 0 || starved == 0 || vacuous == 0) {
		t.Errorf("%d said to end, %d held, %d starved, %d responses were vacuous", said, held, starved, vacuous)
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
		next, err := m.Next(nil, s)
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

// TestEndsOfRings: bounded traffic of a ring ends, unless messages have no end; without a bound
// none does.
func TestEndsOfRings(t *testing.T) {
	def, err := ring.New(ring.Options{Nodes: 4})
	if err != nil {
		t.Fatal(err)
	}
	def.Switching = spec.Wormhole
	n, err := routing.Compile(context.Background(), def, routing.CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	once := []spec.Flow{{Source: 0, Target: spec.Target{Dest: 2}}}
	for _, x := range []struct {
		sc   spec.Scenario
		ends bool
	}{
		{spec.Scenario{}, false},
		{spec.Scenario{Length: 2}, false},
		{spec.Scenario{Packets: 3}, true},
		{spec.Scenario{Length: 2, Packets: 3}, true},
		{spec.Scenario{Length: 1, Once: once}, true},
		{spec.Scenario{Length: spec.AnyLength, Packets: 3}, false},
		{spec.Scenario{Length: spec.AnyLength, Once: once}, false},
	} {
		m, err := states.NewTraffic(n, x.sc)
		if err != nil {
			t.Fatal(err)
		}
		if got := explore.Ends(m); got != x.ends {
			t.Errorf("under %s: ends is %t, want %t", x.sc, got, x.ends)
		}
	}
}
