package checker_test

import (
	"context"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/counterexamples/runs"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/proofs/machines"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/ltl"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// alwaysPossible decides AG EF of a drawn graph by a table of which value leads to which (Warshall 1962).
func alwaysPossible(p *program.Program, holds *program.Expr) bool {
	n := p.Variables[0].Values
	leads := make([][]bool, n)
	for x := range n {
		leads[x] = make([]bool, n)
		leads[x][x] = true
		for i := range p.Rules {
			if p.Rules[i].Guard.Holds([]int{x}) {
				leads[x][p.Rules[i].Effect[0].Value.Value] = true
			}
		}
	}
	for k := range n {
		for i := range n {
			for j := range n {
				leads[i][j] = leads[i][j] || leads[i][k] && leads[k][j]
			}
		}
	}
	for x := range n {
		possible := false
		for y := range n {
			possible = possible || leads[x][y] && holds.Holds([]int{y})
		}
		if leads[p.Variables[0].Initial][x] && !possible {
			return false
		}
	}
	return true
}

// TestAlwaysPossible compares verdicts with a table of drawn graphs. Explore has replayed the runs and verified the
// rankings; what is edited, or given to another condition, is accepted only if it is true of that.
func TestAlwaysPossible(t *testing.T) {
	count := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		for range 20 {
			p := drawnGraph(t)
			n := p.Variables[0].Values
			p.Formulas = []program.Formula{{Name: "possible", Holds: drawnFormula(t, n, 0), Possible: true}}
			m, err := p.Machine()
			if err != nil {
				t.Fatal(err)
			}
			want := alwaysPossible(p, &p.Formulas[0].Holds)
			f := finding(t, explore(t, m, checker.Question{Explore: checker.Whole, Liveness: true, Workers: 1}), "possible")
			if f.Verdict != map[bool]spec.Verdict{true: spec.Holds, false: spec.Violated}[want] {
				t.Fatalf("%s: %s; by the table %v", f.Verdict, f.Because, want)
			}
			other := *p
			other.Formulas = slices.Clone(p.Formulas)
			if rapid.Bool().Draw(t, "another condition") {
				other.Formulas[0].Holds = drawnFormula(t, n, 0)
			}
			if m, err = other.Machine(); err != nil {
				t.Fatal(err)
			}
			count[f.Verdict.String()]++
			if forgePossible(t, f.Evidence, m) {
				count["accepted"]++
				if is := alwaysPossible(&other, &other.Formulas[0].Holds); is != want {
					t.Fatalf("evidence for %v is accepted of another condition, of which it is %v", want, is)
				}
			} else {
				count["refused"]++
			}
		}
	})
	t.Log(count)
	for _, what := range []string{"holds", "violated", "accepted", "refused"} {
		if seedtest.Usual() && count[what] == 0 {
			t.Errorf("no case of %q was drawn", what)
		}
	}
}

// forgePossible edits evidence, and reports whether it is accepted of a machine.
func forgePossible(t *rapid.T, e evidence.Evidence, m *program.Machine) bool {
	switch e := e.(type) {
	case evidence.Run:
		r := *e.Run
		r.Steps = r.Steps[:rapid.IntRange(0, len(r.Steps)).Draw(t, "steps")]
		r.Back = len(r.Steps)
		return evidence.Run{Machine: m, Run: &r}.Verify(context.Background(), evidence.Options{}) == nil
	case evidence.FormulaRanking:
		r := *e.FormulaRanking
		r.Pairs = slices.Clone(r.Pairs)
		i := rapid.IntRange(0, len(r.Pairs)-1).Draw(t, "pair")
		r.Pairs[i].Levels = slices.Clone(r.Pairs[i].Levels)
		switch rapid.IntRange(0, 4).Draw(t, "edit") {
		case 0:
			r.Pairs[i].Levels[0].Rank += rapid.IntRange(-1, 1).Draw(t, "rank")
		case 1:
			r.Pairs = slices.Delete(r.Pairs, i, i+1)
		}
		return evidence.FormulaRanking{Machine: m, FormulaRanking: &r}.Verify(context.Background(), evidence.Options{}) == nil
	}
	t.Fatalf("no evidence, but %T", e)
	return false
}

// TestForgedPossible: a token goes round among 3 until it is lost. Each edit makes the evidence about it wrong in one way.
func TestForgedPossible(t *testing.T) {
	p := program.New("lost token")
	x := p.Var("x", 4)
	for i := range 3 {
		p.Rule("pass", program.Eq(x, i), program.Set(x, (i+1)%3))
	}
	p.Rule("lose", program.Eq(x, 2), program.Set(x, 3))
	p.Formulas = []program.Formula{
		{Name: "0 has it", Holds: program.Eq(x, 0), Possible: true},
		{Name: "lost", Holds: program.Eq(x, 3), Possible: true},
	}
	m, err := p.Machine()
	if err != nil {
		t.Fatal(err)
	}
	found := explore(t, m, checker.Question{Explore: checker.Whole, Liveness: true})
	run, ranking := finding(t, found, "0 has it").Evidence.(evidence.Run), finding(t, found, "lost").Evidence.(evidence.FormulaRanking)
	if len(run.Steps) != 3 || len(ranking.Pairs) != 4 {
		t.Fatalf("%d steps, %d states: want 3 and 4", len(run.Steps), len(ranking.Pairs))
	}
	verifies := func(edit func(r *runs.Run, f *machines.FormulaRanking)) (bool, bool) {
		r, f := *run.Run, *ranking.FormulaRanking
		r.Steps, f.Pairs = slices.Clone(r.Steps), slices.Clone(f.Pairs)
		for i := range f.Pairs {
			f.Pairs[i].Levels = slices.Clone(f.Pairs[i].Levels)
		}
		edit(&r, &f)
		return evidence.Run{Machine: m, Run: &r}.Verify(t.Context(), evidence.Options{}) == nil,
			evidence.FormulaRanking{Machine: m, FormulaRanking: &f}.Verify(t.Context(), evidence.Options{}) == nil
	}
	if a, b := verifies(func(*runs.Run, *machines.FormulaRanking) {}); !a || !b {
		t.Fatal("what is not edited is refused")
	}
	for name, edit := range map[string]func(r *runs.Run, f *machines.FormulaRanking){
		"a step less, ranks equal": func(r *runs.Run, f *machines.FormulaRanking) {
			r.Steps, r.Back = r.Steps[:2], 2
			for i := range f.Pairs {
				f.Pairs[i].Levels[0].Rank = 1
			}
		},
		"a loop, something helps": func(r *runs.Run, f *machines.FormulaRanking) {
			r.Back, f.Pairs[0].Levels[0].Helpful = 2, 0
		},
		"of what holds, with an obligation": func(r *runs.Run, f *machines.FormulaRanking) {
			r.Property = "lost"
			f.Pairs = append(f.Pairs, machines.Pair{State: f.Pairs[0].State, Left: ltl.Obligations(1), Levels: f.Pairs[0].Levels})
		},
		"of what does not hold, two levels": func(r *runs.Run, f *machines.FormulaRanking) {
			r.Steps = append(r.Steps, r.Steps[0])
			f.Pairs[1].Levels = append(f.Pairs[1].Levels, f.Pairs[1].Levels[0])
		},
		"before the first step, a state missing": func(r *runs.Run, f *machines.FormulaRanking) {
			r.Steps, r.Back, f.Pairs = nil, 0, f.Pairs[:3]
		},
	} {
		if a, b := verifies(edit); a || b {
			t.Errorf("%s: the run is accepted %v, the ranking %v", name, a, b)
		}
	}
}
