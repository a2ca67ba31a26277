package checker_test

import (
	"errors"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// TestNeverExplores: what only exploring answers is refused where nothing is to be explored.
func TestNeverExplores(t *testing.T) {
	n := ringOf(t, nil)
	for field, q := range map[string]checker.Question{
		"Liveness": {Liveness: true}, "Compact": {Compact: true}, "Symmetry": {Symmetry: true}, "PartialOrder": {PartialOrder: true},
		"Slice": {Slice: true}, "Coverage": {Coverage: true}, "Disk": {Disk: "d"}, "Save": {Save: "s"}, "Resume": {Resume: "s"},
		"Smallest": {Smallest: checker.FewestMoves}, "Properties": {Properties: []string{"starvation-freedom"}},
	} {
		q.Explore = checker.Never
		var refused *checker.QuestionError
		if _, err := checker.Check(t.Context(), n, q); !errors.As(err, &refused) || refused.Field != field || refused.Other != "Explore" {
			t.Errorf("%s: %v, want that it excludes Explore", field, err)
		}
	}
}

// TestStaticFirst: in no scenario are states explored for what the static decision covers, unless an option says so; then,
// too, a budget of one state takes no static verdict away. That what it covers has no deadlock there is tested against an
// oracle (TestAgainstOracle).
func TestStaticFirst(t *testing.T) {
	rapidChecks(t, 300)
	seen := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		def := netgen.Definition(t, netgen.Options{Nodes: 4, Channels: 6, Tags: 2, Buffer: 2, Dims: 2, Ring: true,
			Sparse: true, MayFail: rapid.Bool().Draw(t, "may fail")})
		def.Switching = rapid.SampledFrom([]spec.Switching{spec.StoreAndForward, spec.VirtualCutThrough, spec.Wormhole}).Draw(t, "switching")
		n := networkOf(t, def)
		if n.FlowCount() == 0 {
			return
		}
		sc := netgen.Scenario(t, n)
		explored := rapid.SampledFrom([]checker.Exploration{checker.Auto, checker.Never, checker.Always}).Draw(t, "explored")
		static, err := checker.Check(t.Context(), n, checker.Question{Workers: 1, Explore: checker.Never})
		if err != nil {
			t.Fatal(err)
		}
		r, err := checker.Check(t.Context(), n, checker.Question{Scenario: sc, Explore: explored, Workers: 1, MaxStates: 1})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Findings) != 3 {
			t.Fatalf("%d findings, want one for each property", len(r.Findings))
		}
		for _, f := range static.Findings {
			covered := checker.Covers(&f, sc) || f.Property != "deadlock-freedom" && f.Verdict == spec.Holds
			if got := finding(t, r, f.Property); covered && (got.Verdict != spec.Holds || got.Method != checker.Static || got.Evidence == nil) {
				t.Errorf("%s, %s: %s (%s, %s), but %s without the scenario, which takes nothing away", sc, f.Property,
					got.Verdict, got.Method, got.Because, f.Verdict)
			}
		}
		f, d := static.Of("deadlock-freedom"), static.Of("delivery")
		if f.Verdict == spec.Violated && len(sc.Once) == 0 { // the same moves, if they lead to a deadlock in the scenario, too, and are not too many
			x := *f.Trace()
			x.Scenario = trafficOf(t, n, sc).Scenario().Steps()
			injected := 0
			for _, m := range x.Moves {
				if m.From.IsInjection() && m.Kind == spec.Advance {
					injected++
				}
			}
			if counterexamples.Replay(t.Context(), n, &x) == nil && (sc.Packets == 0 || injected <= sc.Packets) {
				if got := finding(t, r, "deadlock-freedom"); got.Verdict != spec.Violated {
					t.Errorf("%s: %s (%s), but a trace is known", sc, got.Verdict, got.Because)
				}
				count(seen, !sc.Equal(spec.Scenario{}), "violated")
			}
		}
		if nothing := checker.Covers(f, sc) && d.Verdict == spec.Holds; nothing && explored != checker.Always && r.Space != nil {
			t.Errorf("%s: %d states were explored, but nothing is open", sc, r.Expanded)
		} else if explored == checker.Always && r.Space == nil {
			t.Errorf("%s: nothing was explored", sc)
		} else {
			count(seen, nothing && explored != checker.Always, "nothing open")
			count(seen, nothing && sc.Bubble > 1, "a bubble")
		}
		if explored == checker.Never && r.Space != nil {
			t.Errorf("%s: %d states were explored, never was asked for", sc, r.Expanded)
		}
		count(seen, explored == checker.Auto && r.Space != nil, "open")
	})
	for _, what := range []string{"nothing open", "a bubble", "open", "violated"} {
		if seedtest.Usual() && seen[what] == 0 {
			t.Errorf("the random networks test nothing: %v", seen)
		}
	}
	t.Log(seen)
}

// TestStaticDecisionOfABubble: a mesh under XY is acyclic, so a bubble changes nothing, and a bubble of 1 is none; the state
// space of either is far beyond any budget. A ring with one VC is not acyclic, but keeps its bubble, however long it is.
func TestStaticDecisionOfABubble(t *testing.T) {
	define := func(model string, set map[string]string) routing.Definition {
		e, _ := models.Find(model)
		def, err := e.Define(set)
		if err != nil {
			t.Fatal(err)
		}
		def.Switching, def.Buffer = spec.VirtualCutThrough, 2
		return def
	}
	for _, c := range []struct {
		def      routing.Definition
		bubble   int
		explored bool
	}{
		{define("mesh", map[string]string{"k": "8"}), 2, false},
		{define("mesh", map[string]string{"k": "8"}), 1, false},
		{define("ring", map[string]string{"n": "4"}), 2, false},
		{define("ring", map[string]string{"n": "100"}), 2, false},
	} {
		n := networkOf(t, c.def)
		r, err := checker.Check(t.Context(), n, checker.Question{Scenario: spec.Scenario{Bubble: c.bubble}})
		if err != nil {
			t.Fatal(err)
		}
		if r.Verdict() != spec.Holds || (r.Space != nil) != c.explored {
			t.Errorf("%s with a bubble of %d: %s, explored: %t, want holds and %t", n.Name(), c.bubble, r.Verdict(), r.Space != nil, c.explored)
		}
	}
}

// TestFlitsAreExplored: whether packets of several flits deadlock in a network of at most six channels is never unknown,
// since all its states are within the bound: what the static decision leaves open, exploring decides.
func TestFlitsAreExplored(t *testing.T) {
	rapidChecks(t, 400)
	open := 0
	rapid.Check(t, func(t *rapid.T) {
		def := netgen.Definition(t, netgen.Options{Nodes: 4, Channels: 6, Tags: 2, Buffer: 2, Ring: true, Sparse: true})
		def.Switching = spec.Wormhole
		n := networkOf(t, def)
		if n.FlowCount() == 0 {
			return
		}
		q := checker.Question{
			Properties: []string{"deadlock-freedom"}, Workers: 1,
			Scenario: spec.Scenario{Length: rapid.SampledFrom([]int{2, 3, spec.AnyLength}).Draw(t, "length")},
		}
		for _, q.Explore = range []checker.Exploration{checker.Never, checker.Auto} {
			r, err := checker.Check(t.Context(), n, q)
			if err != nil {
				t.Fatal(err)
			}
			switch f := r.Findings[0]; {
			case f.Verdict != spec.Unknown:
			case q.Explore == checker.Never:
				open++
			default:
				t.Errorf("%s: unknown: %s", q.Scenario, f.Because)
			}
		}
	})
	if seedtest.Usual() && open < 2 {
		t.Errorf("the static decision left %d networks open, which shows nothing: want at least 2", open)
	}
}
