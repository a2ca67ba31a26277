package checker_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/write"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/proofs/machines"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// thrice repeats a machine's one response three times.
type thrice struct{ *arrows }

func (x thrice) Claims() states.Claims {
	c := x.arrows.Claims()
	c.Responses = slices.Repeat(c.Responses, 3)
	for i := range c.Responses[1:] {
		c.Responses[1+i].Name += fmt.Sprint(" ", i)
	}
	return c
}

// TestLivenessAgainstSets compares the verdict, and where the first fair loop or rest begins, with
// what the definition says about every set of states. Explore has replayed the runs and verified
// the rankings. The graph, including its actions, does not depend on the number of workers, so
// neither do they.
func TestLivenessAgainstSets(t *testing.T) {
	loops, rests, holds, deep := 0, 0, 0, [5]int{}
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.SampledFrom([]func(*rapid.T) *arrows{drawArrows, drawLeaving}).Draw(t, "sort")(t)
		f := finding(t, explore(t, a, checker.Question{Explore: checker.Whole, Liveness: true, Workers: 1}), "answered")
		want := a.starves()
		switch {
		case want < 0 && f.Verdict == spec.Holds:
			holds++
			r, ok := f.Evidence.(evidence.Ranking)
			if !ok {
				t.Fatal("holds without a ranking")
			}
			deep[len(slices.MaxFunc(r.Levels, func(a, b []machines.Level) int { return cmp.Compare(len(a), len(b)) }))]++
		case want >= 0 && f.Verdict == spec.Violated:
			if f.Run().Back != want {
				t.Fatalf("what never ends begins after %d steps, want %d", f.Run().Back, want)
			}
			if len(f.Run().Steps) > f.Run().Back {
				loops++
			} else {
				rests++
			}
		default:
			t.Fatalf("%s: %s; the definition says %d", f.Verdict, f.Because, want)
		}
		// Without rankings, a response after one that holds is checked in fewer states.
		for _, g := range explore(t, thrice{a}, checker.Question{Explore: checker.Whole, Liveness: true, Workers: 1, Closed: -1}).Findings {
			if strings.HasPrefix(g.Property, "answered") && (g.Verdict != f.Verdict || g.Vacuous != f.Vacuous || f.Run() != nil && g.Run().Back != want) {
				t.Fatalf("%s: %s: %s; by itself %s", g.Property, g.Verdict, g.Because, f.Verdict)
			}
		}
		again := finding(t, explore(t, a, checker.Question{Explore: checker.Whole, Liveness: true, Workers: 3}), "answered")
		var one, three bytes.Buffer
		if err := errors.Join(write.Evidence(&one, f.Evidence), write.Evidence(&three, again.Evidence)); err != nil || one.String() != three.String() {
			t.Fatalf("three workers find\n%s\none finds\n%s%v", &three, &one, err)
		}
	})
	t.Logf("%d loops, %d rests, %d that hold, by levels %d", loops, rests, holds, deep)
	if seedtest.Usual() && (loops == 0 || rests == 0 || deep[1] == 0 || deep[2] == 0) {
		t.Error("the machines drawn test nothing")
	}
}

// TestEvidenceAfterEdits: evidence for one machine is checked against another that differs in a
// step, in an action's name or in how fair an action is. If it is accepted nevertheless it is true:
// the definition, which knows nothing of evidence, says the same of the other machine.
func TestEvidenceAfterEdits(t *testing.T) {
	accepted, refused := map[spec.Verdict]int{}, map[spec.Verdict]int{}
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.SampledFrom([]func(*rapid.T) *arrows{drawArrows, drawLeaving, drawLeaving}).Draw(t, "sort")(t)
		f := finding(t, explore(t, a, checker.Question{Explore: checker.Whole, Liveness: true, Workers: 1}), "answered")
		for range 1 + rapid.IntRange(0, 1).Draw(t, "edits") {
			a.edit(t)
		}
		if e, ok := f.Evidence.(evidence.Ranking); ok && rapid.Bool().Draw(t, "the ranking, too") {
			levels := e.Levels[rapid.IntRange(0, len(e.Levels)-1).Draw(t, "state")]
			l := &levels[rapid.IntRange(0, len(levels)-1).Draw(t, "level")]
			if rapid.Bool().Draw(t, "its rank") {
				l.Rank += rapid.IntRange(-1, 1).Draw(t, "rank")
			} else {
				l.Helpful = rapid.SampledFrom([]int{machines.NoAction, 'a', 'b', 'c', 'd'}).Draw(t, "helpful")
			}
		}
		if f.Evidence.Verify(context.Background(), evidence.Options{}) != nil {
			refused[f.Verdict]++
			return
		}
		accepted[f.Verdict]++
		if begins := a.starves(); (begins < 0) != (f.Verdict == spec.Holds) {
			t.Fatalf("%s was accepted of %+v, strongly fair %q, unfair %q; the definition says %d", f.Verdict, a.steps, a.strong, a.unfair, begins)
		}
	})
	t.Logf("accepted %v, refused %v", accepted, refused)
	for _, n := range []int{accepted[spec.Holds], accepted[spec.Violated], refused[spec.Holds], refused[spec.Violated]} {
		if seedtest.Usual() && n == 0 {
			t.Error("the machines drawn test nothing")
		}
	}
}

// TestStrongFairness: runs go around 0, 1 and 2 in all ways, and leave from 0 by "b", from 1 by
// "c", from 2 by "d". If two of these are strongly fair, and so after some time never possible
// again, one state remains, which is left since the third stays possible there. If the two are only
// weakly fair, a run to and fro between their states is fair.
func TestStrongFairness(t *testing.T) {
	for strong, want := range map[string]bool{"bc": true, "bcd": true, "bd": true, "cd": true, "b": false, "c": false, "d": false, "": false} {
		a := &arrows{strong: strong}
		a.field = a.layout.Field("at", 4)
		for i := range 3 {
			var steps []arrow
			for to := range 3 {
				steps = append(steps, arrow{to: to, action: "a"})
			}
			a.steps, a.pending = append(a.steps, append(steps, arrow{to: 3, action: string(rune('b' + i))})), append(a.pending, true)
		}
		a.steps, a.pending = append(a.steps, nil), append(a.pending, false)
		f := finding(t, explore(t, a, checker.Question{Explore: checker.Whole, Liveness: true}), "answered")
		if (f.Verdict == spec.Holds) != want {
			t.Errorf("strongly fair %q: %s: %s", strong, f.Verdict, f.Because)
		}
		r, ok := f.Evidence.(evidence.Ranking)
		if !ok {
			continue
		}
		// Two divisions; the last level of a state has what is possible there.
		var depth []int
		for i, s := range r.States {
			if levels := r.Levels[i]; s[0] < 3 {
				depth = append(depth, len(levels))
				if last := levels[len(levels)-1].Helpful; last != 'b'+int(s[0]) {
					t.Errorf("strongly fair %q: in %d action %d helps", strong, s[0], last)
				}
			}
		}
		if slices.Sort(depth); !slices.Equal(depth, []int{1, 2, 3}) {
			t.Errorf("strongly fair %q: levels %v", strong, r.Levels)
		}
	}
}

// loop is a ring of n states, each with an action of its own, and a way out of each under the
// one name "out": to state n, which is not pending.
func loop(n int) *arrows {
	a := &arrows{}
	a.field = a.layout.Field("at", uint64(n+1))
	for i := range n {
		a.steps = append(a.steps, []arrow{{to: (i + 1) % n, action: fmt.Sprint("on ", i)}, {to: n, action: "out"}})
		a.pending = append(a.pending, true)
	}
	a.steps, a.pending = append(a.steps, nil), append(a.pending, false)
	return a
}

// TestManyActions: more than 65,536 actions need more than 16 bits. Of the ring's 70,000 + 1
// actions "out" is possible all the way around and never taken, so the ring is left. If it has
// another name in one state, number 69,000, no action is possible all the way around, and a run can
// go around forever: 70,000 steps.
func TestManyActions(t *testing.T) {
	seedtest.InFull(t)
	if testing.Short() {
		t.Skip("-short: 70,000 states in one line take a minute under the race detector")
	}
	const n = 70_000
	a := loop(n)
	explored := func() checker.Finding {
		return finding(t, explore(t, a, checker.Question{Explore: checker.Whole, Liveness: true, Workers: 2}), "answered")
	}
	if f := explored(); f.Verdict != spec.Holds {
		t.Errorf("out is possible all the way: %s: %s", f.Verdict, f.Because)
	}
	// If actions were kept in 16 bits only, this one would be that of some state.
	a.steps[69_000][1].action = "elsewhere"
	if f := explored(); f.Verdict != spec.Violated || len(f.Run().Steps) != n {
		t.Errorf("out is not possible in one state: %s: %s", f.Verdict, f.Because)
	}
}

// TestLivenessBudgets: if the memory budget leaves no room for the graph, or when the time is up,
// responses are unknown and the rest is decided.
func TestLivenessBudgets(t *testing.T) {
	seedtest.InFull(t)
	if testing.Short() {
		t.Skip("-short: 50,000 states in one line take a minute under the race detector")
	}
	a := loop(50_000)
	// Peak is just enough, where there is a budget: without one, memory is taken in huge pages. The graph's arrays
	// alone are larger than the space of so few words a state (45 bytes a state and 7 a step).
	const enough = 1 << 29
	alone := explore(t, a, checker.Question{Explore: checker.Whole, Workers: 1, Closed: -1, Memory: enough}).Peak
	most := explore(t, a, checker.Question{Explore: checker.Whole, Workers: 1, Closed: -1, Liveness: true, Memory: enough}).Peak
	if most <= alone {
		t.Fatalf("%d bytes with the graph, %d without", most, alone)
	}
	x := explore(t, a, checker.Question{Explore: checker.Whole, Liveness: true, Workers: 1, Closed: -1, Memory: most - 1})
	if f := finding(t, x, "answered"); f.Verdict != spec.Unknown || !strings.Contains(f.Because.String(), "more than the memory budget") {
		t.Errorf("without room: %s: %s", f.Verdict, f.Because)
	}
	if f := finding(t, x, "deadlock-freedom"); f.Verdict != spec.Holds {
		t.Errorf("deadlock needs no graph: %s: %s", f.Verdict, f.Because)
	}
	x = explore(t, a, checker.Question{Explore: checker.Whole, Liveness: true, Workers: 1, Closed: -1, Memory: most})
	if f := finding(t, x, "answered"); f.Verdict != spec.Holds {
		t.Errorf("with room: %s: %s", f.Verdict, f.Because)
	}

	// The context ends as soon as the response is checked.
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	x, err := checker.Explore(ctx, &cancelling{a, cancel}, checker.Question{Explore: checker.Whole, Liveness: true, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	if f := finding(t, x, "answered"); f.Verdict != spec.Unknown || f.Because.String() != "interrupted while searching for fair cycles" {
		t.Errorf("interrupted: %s: %s", f.Verdict, f.Because)
	}
	if f := finding(t, x, "deadlock-freedom"); f.Verdict != spec.Holds {
		t.Errorf("deadlock was decided before: %s: %s", f.Verdict, f.Because)
	}
}

type cancelling struct {
	*arrows
	cancel func()
}

func (c *cancelling) Claims() states.Claims {
	claims := c.arrows.Claims()
	pending := claims.Responses[0].Pending
	claims.Responses[0].Pending = func(s []uint64) bool {
		c.cancel()
		return pending(s)
	}
	return claims
}

// TestRankingsInTime: whenever the time ends, "no packet starves" comes with verified rankings, or the verdict is unknown.
func TestRankingsInTime(t *testing.T) {
	m, err := states.NewTraffic(ringOf(t, map[string]string{"n": "3", "variant": "dateline"}), spec.Scenario{Packets: 1})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[spec.Verdict]int{}
	for n := int64(1); seen[spec.Holds] == 0; n++ {
		ctx := newFuse(t, n)
		x, err := checker.Explore(ctx, m, checker.Question{Liveness: true, Properties: []string{"starvation-freedom"}, Workers: 1})
		if err != nil {
			continue
		}
		f := x.Of("starvation-freedom")
		if seen[f.Verdict]++; f.Verdict == spec.Holds && ctx.looks.Load() >= n {
			t.Fatalf("at look %d it holds, with %T", n, f.Evidence)
		}
	}
	if seen[spec.Unknown] == 0 {
		t.Error("it is never unknown")
	}
}

// TestStarvesLate: a packet on a line waits for its last link for ever, beside a node that sends into it; that takes five
// steps, as far as few states are. Many more are those of a link of its own, which is filled in one step with one of 160
// tags. So it is not found among the first states, a sixteenth of 64 times 161.
func TestStarvesLate(t *testing.T) {
	const last, alone, tags = 6, 7, 160
	topo := spec.NewTopology()
	for i := range 9 {
		topo.AddNode("n" + strconv.Itoa(i))
	}
	for _, from := range []spec.NodeID{0, 1, 2, 3, 4, 5, alone} {
		topo.AddLink(spec.Link{From: from, To: from + 1, VCs: 1})
	}
	n := routingtest.Compile(t, routing.Definition{
		Topology: topo, Tags: tags, Switching: spec.StoreAndForward,
		Flows: func(src, dst spec.NodeID, _ spec.Class) bool {
			return dst == last && (src == 0 || src == last-1) || src == alone && dst == alone+1
		},
		Routing: routing.Named("line", routing.Func(func(hops []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
			switch head := topo.Head(at); {
			case head == h.Dest:
				return append(hops, spec.Hop{Channel: spec.Eject})
			case head == alone:
				for tag := range spec.Tag(tags) {
					hops = append(hops, spec.Hop{Channel: last, Tag: tag})
				}
				return hops
			default:
				return append(hops, spec.Hop{Channel: spec.ChannelID(head)})
			}
		})),
	})
	m, err := states.NewTraffic(n, spec.Scenario{})
	if err != nil {
		t.Fatal(err)
	}
	x, err := checker.Explore(t.Context(), m, checker.Question{Explore: checker.Whole, Liveness: true})
	if err != nil {
		t.Fatal(err)
	}
	if f := x.Of("starvation-freedom"); f.Verdict != spec.Violated || x.States != 64*(1+tags) {
		t.Errorf("%s in %d states, want violated in %d", f.Verdict, x.States, 64*(1+tags))
	}
}
