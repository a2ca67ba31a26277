package liveness

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker/internal/walk"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// drawn is a machine of random steps. Its responses are pending in states of even numbers, or below
// a number, and some steps answer one.
type drawn struct {
	layout states.Layout
	at     states.Field
	steps  [][]drawnStep
	below  uint64
	fair   []bool // by action
	strong map[int]bool
}

type drawnStep struct {
	to      uint64
	action  int
	answers int // a response, or neither
}

func drawMachine(t *rapid.T) *drawn {
	n := rapid.Uint64Range(2, 40).Draw(t, "states")
	m := &drawn{below: rapid.Uint64Range(1, n).Draw(t, "below"), strong: map[int]bool{}}
	m.at = m.layout.Field("at", n)
	if rapid.Bool().Draw(t, "wide") { // states of many bits are found otherwise
		m.layout.Field("always 0", 1<<40)
	}
	for a := range 4 {
		fairness := rapid.IntRange(0, 3).Draw(t, "fairness")
		m.fair, m.strong[a] = append(m.fair, fairness > 0), fairness == 3
	}
	for i := range n {
		var steps []drawnStep
		for range rapid.IntRange(0, 3).Draw(t, "steps") {
			to := rapid.Uint64Range(0, n-1).Draw(t, "to")
			if rapid.Bool().Draw(t, "near") {
				to = min(i+rapid.Uint64Range(0, 2).Draw(t, "ahead"), n-1)
			}
			steps = append(steps, drawnStep{to, rapid.IntRange(0, 3).Draw(t, "action"), rapid.IntRange(0, 7).Draw(t, "answers")})
		}
		m.steps = append(m.steps, steps)
	}
	return m
}

func (m *drawn) Name() string                { return "drawn" }
func (m *drawn) Layout() *states.Layout      { return &m.layout }
func (m *drawn) Start(dst []uint64) []uint64 { return m.state(dst, 0) }

func (m *drawn) state(dst []uint64, i uint64) []uint64 {
	dst = append(dst, make([]uint64, m.layout.Words())...)
	m.at.Put(dst[len(dst)-m.layout.Words():], i)
	return dst
}

func (m *drawn) AppendSuccessors(dst, s []uint64) ([]uint64, error) {
	for _, x := range m.steps[m.at.Of(s)] {
		dst = m.state(dst, x.to)
	}
	return dst, nil
}

func (m *drawn) Action(s []uint64, k int) states.Action {
	return states.Action{Number: m.steps[m.at.Of(s)][k].action}
}

func (m *drawn) Claims() states.Claims {
	answered := func(k int) func(s []uint64, i int, after []uint64) bool {
		return func(s []uint64, i int, after []uint64) bool {
			return m.steps[m.at.Of(s)][i].answers == k || !m.pending(k, after)
		}
	}
	return states.Claims{
		Responses: []states.Response{
			{Name: "even", Pending: func(s []uint64) bool { return m.pending(0, s) }, Answered: answered(0)},
			{Name: "below", Pending: func(s []uint64) bool { return m.pending(1, s) }, Answered: answered(1)},
		},
		Fair: func(a int) bool { return m.fair[a] }, Strong: m.strong,
	}
}

func (m *drawn) pending(k int, s []uint64) bool {
	if k == 0 {
		return m.at.Of(s)%2 == 0
	}
	return m.at.Of(s) < m.below
}

// starves says, by the definition, what is wrong with a run that is supposed to keep the k-th
// response pending: by repeating the steps of a loop, or by ending.
func (m *drawn) starves(k int, a *Answer) string {
	at := a.Stem[len(a.Stem)-1]
	if !slices.Equal(a.Stem[0], m.Start(nil)) {
		return "it does not begin at the start"
	}
	for i, s := range a.Stem[1:] {
		if !slices.ContainsFunc(m.steps[m.at.Of(a.Stem[i])], func(x drawnStep) bool { return x.to == m.at.Of(s) }) {
			return "its stem is not a path"
		}
	}
	taken, always, ever := map[int]bool{}, map[int]int{}, map[int]bool{}
	visit := func(s []uint64) {
		here := map[int]bool{}
		for _, x := range m.steps[m.at.Of(s)] {
			here[x.action], ever[x.action] = true, true
		}
		for a := range here {
			always[a]++
		}
	}
	for _, step := range a.Loop {
		x := m.steps[m.at.Of(step.State)][step.K]
		if !slices.Equal(step.State, at) || !m.pending(k, at) || x.answers == k {
			return "its loop breaks off, or answers"
		}
		visit(at)
		taken[x.action], at = true, m.state(nil, x.to)
	}
	if len(a.Loop) == 0 {
		visit(at)
	}
	if !slices.Equal(at, a.Stem[len(a.Stem)-1]) || !m.pending(k, at) {
		return "its loop does not close, or answers"
	}
	for action := range m.fair {
		if m.fair[action] && !taken[action] && (always[action] == max(1, len(a.Loop)) || m.strong[action] && ever[action]) {
			return "it is not fair"
		}
	}
	return ""
}

// TestEarly: what is found among the first states starves by the definition, and the whole graph
// also has such runs, which begin no later; with all states, the same is found as in the graph.
func TestEarly(t *testing.T) {
	found, missed := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		m := drawMachine(t)
		space, r, err := walk.Explore(t.Context(), m, walk.Options{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		defer space.Release()
		whole := Space{Space: space, Steps: r.Transitions, Machine: m, Fast: m, Claims: m.Claims(), Workers: 1}
		one := rapid.Bool().Draw(t, "one")
		some, _, err := early(t.Context(), &whole, rapid.Int64Range(1, r.States).Draw(t, "most"), one, 0)
		if err != nil {
			t.Fatal(err)
		}
		g, err := New(t.Context(), whole)
		if err != nil {
			t.Fatal(err)
		}
		for k, a := range some {
			want, err := g.Decide(t.Context(), k)
			switch {
			case err != nil:
				t.Fatal(err)
			case a == nil && want.Stem != nil:
				missed++
			case a != nil && (want.Stem == nil || len(want.Stem) > len(a.Stem)):
				t.Fatalf("response %d: found after %d states, in the whole graph after %d", k, len(a.Stem), len(want.Stem))
			case a != nil:
				if wrong := m.starves(k, a); wrong != "" {
					t.Fatalf("response %d, %v, %v: %s", k, a.Stem, a.Loop, wrong)
				}
				found++
			}
			if a != nil && one && k+1 < len(some) {
				t.Fatal("it goes on after the first")
			}
		}
	})
	if seedtest.Usual() && min(found, missed) == 0 {
		t.Errorf("%d found, %d missed: want some of each", found, missed)
	}
}
