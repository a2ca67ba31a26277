package liveness

import (
	"context"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker/internal/graph"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// helpfulPlain is helpful, by its definition.
func (g *Graph) helpfulPlain(part []int32) (action int32, _ end) {
	taken, stays, possible := map[int32]bool{}, false, map[int32]int{}
	for _, i := range part {
		here := map[int32]bool{}
		for e := g.First[i]; e < g.First[i+1]; e++ {
			here[g.action(e)] = true
			if slices.Contains(part, g.To[e]) && !g.answers[g.letter(e)] {
				stays, taken[g.action(e)] = true, true
			}
		}
		for a := range here {
			possible[a]++
		}
	}
	if !stays {
		return -1, leaves
	}
	for a := range int32(len(g.fair)) {
		if g.fair[a] && possible[a] == len(part) && !taken[a] {
			return a, leaves
		}
	}
	for a := range int32(len(g.fair)) {
		if g.strong[a] && possible[a] > 0 && !taken[a] {
			return a, divided
		}
	}
	return -1, goesRound
}

// drawGraph draws a graph whose letters are pairs of an action and whether it answers.
func drawGraph(t *rapid.T) *Graph {
	n, actions := rapid.IntRange(1, 9).Draw(t, "states"), rapid.IntRange(1, 6).Draw(t, "actions")
	g := &Graph{Graph: graph.Graph{First: []uint32{0}}, Components: graph.Components{Of: make([]int32, n)}, seen: newMarks(actions), taken: newMarks(actions)}
	for a := range actions {
		kind := rapid.IntRange(0, 3).Draw(t, "fairness")
		g.fair, g.strong = append(g.fair, kind > 0), append(g.strong, kind > 2)
		g.letters = append(g.letters, letter{action: a}, letter{action: a})
		g.actions, g.answers = append(g.actions, int32(a), int32(a)), append(g.answers, false, true)
	}
	g.anyStrong, g.answer = slices.Contains(g.strong, true), true
	g.round = []uint64{1<<n - 1}
	for i := range n {
		if g.Of[i] = graph.Inside; rapid.IntRange(0, 7).Draw(t, "open") == 0 {
			g.Of[i] = graph.Outside
		}
		// Steps by the previous state's action are common, so that some are possible throughout.
		for range rapid.IntRange(0, 5).Draw(t, "steps") {
			a := rapid.IntRange(0, min(actions, 2)-1).Draw(t, "usual")
			if rapid.IntRange(0, 2).Draw(t, "any") == 0 {
				a = rapid.IntRange(0, actions-1).Draw(t, "action")
			}
			answers := 0
			if rapid.IntRange(0, 5).Draw(t, "answers") == 0 {
				answers = 1
			}
			g.To = append(g.To, int32(rapid.IntRange(0, n-1).Draw(t, "to")))
			g.low = append(g.low, uint16(2*a+answers))
		}
		g.First = append(g.First, uint32(len(g.To)))
	}
	return g
}

// Mutants: an action that is taken stays helpful; the first state's alone are; an unfair one is.
func TestHelpful(t *testing.T) {
	met := map[end]int{}
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t)
		if err := g.FindWithin(t.Context(), &g.Graph, g.unanswered, nil); err != nil {
			t.Fatal(err)
		}
		for p := range int32(g.Count()) {
			part := g.Component(p)
			action, end := g.helpful(context.Background(), part)
			wantAction, wantEnd := g.helpfulPlain(part)
			if action != wantAction || end != wantEnd {
				t.Fatalf("part %v: action %d, %v; want %d, %v", part, action, end, wantAction, wantEnd)
			}
			if action >= 0 || end != leaves {
				met[end]++
			}
		}
	})
	if seedtest.Usual() && len(met) < 3 {
		t.Errorf("ends that were met: %v", met)
	}
}
