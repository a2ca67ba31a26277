package checker_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/write"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// arrows is a machine given by a list of steps: state 0 is the initial one.
type arrows struct {
	layout  states.Layout
	field   states.Field
	steps   [][]arrow // by state
	pending []bool    // by state
	unfair  string    // actions that are not fair
	answers bool      // some steps answer, whatever they lead to
}

type arrow struct {
	to      int
	action  string
	answers bool
}

func (a *arrows) Name() string                { return "arrows" }
func (a *arrows) Layout() *states.Layout      { return &a.layout }
func (a *arrows) Start(dst []uint64) []uint64 { return append(dst, 0) }

func (a *arrows) Next(dst, s []uint64) ([]uint64, error) {
	for _, x := range a.steps[a.field.Of(s)] {
		dst = append(dst, uint64(x.to))
	}
	return dst, nil
}

func (a *arrows) Action(s []uint64, i int) states.Action {
	action := a.steps[a.field.Of(s)][i].action
	number := 0 // of "a" its letter
	for _, b := range []byte(action) {
		number = (number<<7 | int(b)) & (1<<62 - 1)
	}
	return states.Action{Number: number, Name: action}
}

func (a *arrows) Claims() states.Claims {
	r := states.Response{Name: "answered", Pending: func(s []uint64) bool { return a.pending[a.field.Of(s)] }}
	if a.answers {
		r.Answered = func(s []uint64, i int, after []uint64) bool {
			return a.steps[a.field.Of(s)][i].answers || !a.pending[a.field.Of(after)]
		}
	}
	return states.Claims{
		Responses: []states.Response{r},
		Final:     func([]uint64) bool { return true },
		Fair:      func(action int) bool { return action > 127 || !strings.ContainsRune(a.unfair, rune(action)) },
	}
}

// arrowNames are those of actions. Of the last one the number has the same 32 lowest bits
// as that of the first.
var arrowNames = []string{"a", "b", "c", "d", "\x10\x00\x00\x00a"}

func drawArrows(t *rapid.T) *arrows {
	n := rapid.IntRange(1, 9).Draw(t, "states")
	a := &arrows{answers: rapid.Bool().Draw(t, "steps answer"), unfair: rapid.SampledFrom([]string{"", "a", "ab", "abcd"}).Draw(t, "unfair")}
	a.field = a.layout.Field("at", uint64(n))
	if rapid.Bool().Draw(t, "wide") { // states of many bits are found otherwise
		a.layout.Field("always 0", 1<<40)
	}
	for i := range n {
		// Mostly pending, so that parts are large.
		a.pending = append(a.pending, rapid.IntRange(0, 5).Draw(t, fmt.Sprint("pending ", i)) > 0)
		var steps []arrow
		for range rapid.IntRange(0, 4).Draw(t, fmt.Sprint("steps of ", i)) {
			steps = append(steps, arrow{rapid.IntRange(0, n-1).Draw(t, "to"), rapid.SampledFrom(arrowNames).Draw(t, "action"), rapid.IntRange(0, 4).Draw(t, "answers") == 0})
		}
		a.steps = append(a.steps, steps)
	}
	return a
}

// starves decides from the definition and nothing else: for every set of states,
// whether a run can go round all of it, without an answer, so that every fair
// action is taken within it or impossible in some state of it. Going round a set
// means that each of its states is reached from each by steps within. It returns
// the least number of steps after which such a run, or one that may end, begins;
// -1 if there is none.
func (a *arrows) starves() int {
	n := len(a.steps)
	depth := slices.Repeat([]int{-1}, n)
	depth[0] = 0
	queue := []int{0}
	for k := 0; k < len(queue); k++ {
		for _, x := range a.steps[queue[k]] {
			if depth[x.to] < 0 {
				depth[x.to] = depth[queue[k]] + 1
				queue = append(queue, x.to)
			}
		}
	}
	least := -1
	begins := func(i int) {
		if depth[i] >= 0 && (least < 0 || depth[i] < least) {
			least = depth[i]
		}
	}
	for i := range n {
		rests := a.pending[i]
		for _, x := range a.steps[i] {
			rests = rests && strings.Contains(a.unfair, x.action)
		}
		if rests {
			begins(i)
		}
	}
	for set := 1; set < 1<<n; set++ {
		if a.fairlyRound(set) {
			for i := range n {
				if set>>i&1 == 1 {
					begins(i)
				}
			}
		}
	}
	return least
}

func (a *arrows) fairlyRound(set int) bool {
	n := len(a.steps)
	in := func(i int) bool { return set>>i&1 == 1 }
	taken := map[string]bool{}
	var reach [9][9]bool
	for i := range n {
		if in(i) && !a.pending[i] {
			return false
		}
		for _, x := range a.steps[i] {
			if in(i) && in(x.to) && !(a.answers && x.answers) {
				reach[i][x.to] = true
				taken[x.action] = true
			}
		}
	}
	for k := range n { // Warshall 1962
		for i := range n {
			for j := range n {
				reach[i][j] = reach[i][j] || reach[i][k] && reach[k][j]
			}
		}
	}
	for i := range n {
		for j := range n {
			if in(i) && in(j) && !reach[i][j] {
				return false
			}
		}
	}
	for _, action := range arrowNames {
		throughout := true
		for i := range n {
			can := slices.ContainsFunc(a.steps[i], func(x arrow) bool { return x.action == action })
			throughout = throughout && (!in(i) || can)
		}
		if throughout && !taken[action] && !strings.Contains(a.unfair, action) {
			return false
		}
	}
	return true
}

// thrice makes a machine's one response three.
type thrice struct{ *arrows }

func (x thrice) Claims() states.Claims {
	c := x.arrows.Claims()
	c.Responses = slices.Repeat(c.Responses, 3)
	for i := range c.Responses[1:] {
		c.Responses[1+i].Name += fmt.Sprint(" ", i)
	}
	return c
}

// TestLivenessAgainstSets compares the verdict, and where the first fair loop or
// rest begins, with what the definition says of every set of states. Runs and
// rankings have been replayed and verified by Explore. The graph, its actions
// included, does not depend on the number of workers, so neither do they.
func TestLivenessAgainstSets(t *testing.T) {
	loops, rests, holds := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		a := drawArrows(t)
		f := finding(t, explore(t, a, checker.ExploreOptions{Whole: true, Liveness: true, Workers: 1}), "answered")
		want := a.starves()
		switch {
		case want < 0 && f.Verdict == spec.Holds:
			if holds++; f.Evidence == nil {
				t.Fatal("holds without a ranking")
			}
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
		// Without rankings, what comes after a response that holds is asked of fewer states.
		for _, g := range explore(t, thrice{a}, checker.ExploreOptions{Whole: true, Liveness: true, Workers: 1, Closed: -1}).Findings {
			if strings.HasPrefix(g.Property, "answered") && (g.Verdict != f.Verdict || g.Vacuous != f.Vacuous || f.Run() != nil && g.Run().Back != want) {
				t.Fatalf("%s: %s: %s; by itself %s", g.Property, g.Verdict, g.Because, f.Verdict)
			}
		}
		again := finding(t, explore(t, a, checker.ExploreOptions{Whole: true, Liveness: true, Workers: 3}), "answered")
		var one, three bytes.Buffer
		if err := errors.Join(write.Evidence(&one, f.Evidence), write.Evidence(&three, again.Evidence)); err != nil || one.String() != three.String() {
			t.Fatalf("three workers find\n%s\none finds\n%s%v", &three, &one, err)
		}
	})
	if loops == 0 || rests == 0 || holds == 0 {
		t.Errorf("the machines drawn are no test: %d loops, %d rests, %d that hold", loops, rests, holds)
	}
}

// loop is a ring of so many states, each with an action of its own, and a way
// out of each under the one name "out": state n, which is not pending.
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

// TestManyActions: actions beyond 65,536 need more than 16 bits. Of the ring's
// 70,000 + 1 actions "out" is possible all the way round and never taken, so the
// ring is left. If it is called otherwise in one state, number 69,000, no action
// is, and the ring can be gone round forever: 70,000 steps.
func TestManyActions(t *testing.T) {
	const n = 70_000
	a := loop(n)
	explored := func() checker.Finding {
		return finding(t, explore(t, a, checker.ExploreOptions{Whole: true, Liveness: true, Workers: 2}), "answered")
	}
	if f := explored(); f.Verdict != spec.Holds {
		t.Errorf("out is possible all the way: %s: %s", f.Verdict, f.Because)
	}
	// Were actions kept in 16 bits only, this one would be that of some state.
	a.steps[69_000][1].action = "elsewhere"
	if f := explored(); f.Verdict != spec.Violated || len(f.Run().Steps) != n {
		t.Errorf("out is not possible in one state: %s: %s", f.Verdict, f.Because)
	}
}

// TestLivenessBudgets: with a budget for the states that leaves no room for the
// graph, or when the time is up, responses are unknown and the rest is decided.
func TestLivenessBudgets(t *testing.T) {
	a := loop(50_000)
	// Peak is what would just do. The graph's arrays alone are larger than the
	// space of so few words a state (45 bytes a state and 7 a step).
	alone := explore(t, a, checker.ExploreOptions{Whole: true, Workers: 1, Closed: -1}).Peak
	most := explore(t, a, checker.ExploreOptions{Whole: true, Workers: 1, Closed: -1, Liveness: true}).Peak
	if most <= alone {
		t.Fatalf("%d bytes with the graph, %d without", most, alone)
	}
	x := explore(t, a, checker.ExploreOptions{Whole: true, Liveness: true, Workers: 1, Closed: -1, Memory: most - 1})
	if f := finding(t, x, "answered"); f.Verdict != spec.Unknown || !strings.Contains(f.Because, "more than the memory budget") {
		t.Errorf("without room: %s: %s", f.Verdict, f.Because)
	}
	if f := finding(t, x, "deadlock"); f.Verdict != spec.Holds {
		t.Errorf("deadlock needs no graph: %s: %s", f.Verdict, f.Because)
	}
	x = explore(t, a, checker.ExploreOptions{Whole: true, Liveness: true, Workers: 1, Closed: -1, Memory: most})
	if f := finding(t, x, "answered"); f.Verdict != spec.Holds {
		t.Errorf("with room: %s: %s", f.Verdict, f.Because)
	}

	// The context ends as soon as the response is asked about.
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	x, err := checker.Explore(ctx, &cancelling{a, cancel}, checker.ExploreOptions{Whole: true, Liveness: true, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	if f := finding(t, x, "answered"); f.Verdict != spec.Unknown || f.Because != "interrupted while searching for fair cycles" {
		t.Errorf("interrupted: %s: %s", f.Verdict, f.Because)
	}
	if f := finding(t, x, "deadlock"); f.Verdict != spec.Holds {
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
