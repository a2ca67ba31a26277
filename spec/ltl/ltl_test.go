package ltl_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/spec/ltl"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

func TestMain(m *testing.M) { seedtest.Main(m) }

const atoms = 3

// drawn draws a formula of some depth.
func drawn(t *rapid.T, depth int) *ltl.Formula {
	if depth == 0 || rapid.IntRange(0, 3).Draw(t, "leaf") == 0 {
		f := ltl.Proposition(rapid.IntRange(0, atoms-1).Draw(t, "atom"))
		if rapid.Bool().Draw(t, "negated") {
			f = ltl.Not(f)
		}
		return f
	}
	a, b := drawn(t, depth-1), drawn(t, depth-1)
	switch rapid.IntRange(0, 6).Draw(t, "operator") {
	case 0:
		return ltl.All(a, b)
	case 1:
		return ltl.Any(a, b)
	case 2:
		return ltl.Eventually(a)
	case 3:
		return ltl.Always(a)
	case 4:
		return ltl.Not(ltl.AUntilB(a, b))
	}
	return ltl.AUntilB(a, b)
}

func drawnLasso(t *rapid.T) (letters []ltl.Letter, back int) {
	letter := rapid.Custom(func(t *rapid.T) ltl.Letter {
		return ltl.Letter(rapid.Uint64Range(0, 1<<atoms-1).Draw(t, "letter"))
	})
	letters = rapid.SliceOfN(letter, 1, 5).Draw(t, "letters")
	return letters, rapid.IntRange(0, len(letters)-1).Draw(t, "back")
}

// satisfied is the definition with quantifiers: a U b at i says that for some j >= i, b at j, and a from i to before j.
// Beyond twice the length of the lasso, every place looks like an earlier one.
func satisfied(f *ltl.Formula, letters []ltl.Letter, back, i int) bool {
	at := func(i int) int {
		for i >= len(letters) {
			i -= len(letters) - back
		}
		return i
	}
	arg := func(k, i int) bool { return satisfied(f.Args[k], letters, back, at(i)) }
	switch f.Op {
	case ltl.Atom:
		return letters[i]>>f.Number&1 == 1
	case ltl.NotAtom:
		return letters[i]>>f.Number&1 == 0
	case ltl.And:
		for k := range f.Args {
			if !arg(k, i) {
				return false
			}
		}
		return true
	case ltl.Or:
		return slices.ContainsFunc(f.Args, func(g *ltl.Formula) bool { return satisfied(g, letters, back, i) })
	case ltl.Until:
		for j := i; j < i+2*len(letters); j++ {
			if arg(1, j) {
				return true
			}
			if !arg(0, j) {
				return false
			}
		}
		return false
	}
	// a V b: for all j >= i, b at j, unless a was true before j.
	for j := i; j < i+2*len(letters); j++ {
		if !arg(1, j) {
			return false
		}
		if arg(0, j) {
			return true
		}
	}
	return true
}

// accepts searches a run of the automaton on the lasso that is accepted: pairs of a place and obligations, of which
// some lead to each other, and for each until one lacks it.
func accepts(a *ltl.Automaton, letters []ltl.Letter, back int) bool {
	type pair struct {
		at   int
		left ltl.Obligations
	}
	all, number, next := []pair{{0, a.Start()}}, map[pair]int{{0, a.Start()}: 0}, [][]int{}
	for k := 0; k < len(all); k++ {
		after := all[k].at + 1
		if after == len(letters) {
			after = back
		}
		next = append(next, nil)
		for _, left := range a.Moves(all[k].left, letters[all[k].at]) {
			p := pair{after, left}
			i, known := number[p]
			if !known {
				i = len(all)
				number[p], all = i, append(all, p)
			}
			next[k] = append(next[k], i)
		}
	}
	reach := make([][]bool, len(all))
	for i := range all {
		reach[i] = make([]bool, len(all))
		for stack := slices.Clone(next[i]); len(stack) > 0; {
			j := stack[len(stack)-1]
			if stack = stack[:len(stack)-1]; !reach[i][j] {
				reach[i][j] = true
				stack = append(stack, next[j]...)
			}
		}
	}
	for i := range all {
		fair := reach[i][i]
		for _, u := range a.Untils() {
			lacks := false
			for j := range all {
				lacks = lacks || reach[i][j] && reach[j][i] && !all[j].left.Has(u)
			}
			fair = fair && lacks
		}
		if fair {
			return true
		}
	}
	return false
}

// TestAutomaton: on drawn formulas and sequences the automaton accepts exactly what Holds says is satisfied, and that is
// what the definition says.
func TestAutomaton(t *testing.T) {
	yes, no := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		f := drawn(rt, 3)
		a, err := ltl.New(f)
		if err != nil {
			rt.Fatal(err)
		}
		for range 8 {
			letters, back := drawnLasso(rt)
			want := satisfied(f, letters, back, 0)
			if got := f.Holds(letters, back); got != want {
				rt.Fatalf("%v on %v, back to %d: holds %v, by the definition %v", f, letters, back, got, want)
			}
			if ltl.Not(f).Holds(letters, back) == want {
				rt.Fatalf("%v and its negation agree on %v, back to %d", f, letters, back)
			}
			if got := accepts(a, letters, back); got != want {
				rt.Fatalf("%v on %v, back to %d: accepted %v, by the definition %v", f, letters, back, got, want)
			}
			if want {
				yes++
			} else {
				no++
			}
		}
	})
	if seedtest.Usual() && (yes < 100 || no < 100) {
		t.Errorf("%d sequences satisfy their formula, %d do not: want 100 of each", yes, no)
	}
}

// TestStuttering: a formula cannot tell a sequence from one with a state repeated.
func TestStuttering(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		f := drawn(rt, 3)
		letters, back := drawnLasso(rt)
		i := rapid.IntRange(0, len(letters)-1).Draw(rt, "repeated")
		longer, to := slices.Insert(slices.Clone(letters), i, letters[i]), back
		if i < back {
			to++
		}
		if f.Holds(letters, back) != f.Holds(longer, to) {
			rt.Fatalf("%v tells %v, back to %d, from %v, back to %d", f, letters, back, longer, to)
		}
	})
}

// TestAutomata: known formulas have automata of known size, and forged obligations have no move.
func TestAutomata(t *testing.T) {
	p, q := ltl.Proposition(0), ltl.Proposition(1)
	for _, tt := range []struct {
		f      *ltl.Formula
		states int // the textbook's count (Baier and Katoen 2008, 4.3), with the initial obligations
	}{
		{ltl.Eventually(p), 2},
		{ltl.Always(p), 1},
		{ltl.Always(ltl.Eventually(p)), 2},
		{ltl.Eventually(ltl.Always(p)), 2},
		{ltl.Always(ltl.Any(ltl.Not(p), ltl.Eventually(q))), 2},
	} {
		a, err := ltl.New(tt.f)
		if err != nil {
			t.Fatal(err)
		}
		met := map[ltl.Obligations]bool{a.Start(): true}
		for work := []ltl.Obligations{a.Start()}; len(work) > 0; work = work[1:] {
			for l := range ltl.Letter(4) {
				for _, to := range a.Moves(work[0], l) {
					if !met[to] {
						met[to] = true
						work = append(work, to)
					}
				}
			}
		}
		if len(met) != tt.states {
			t.Errorf("%v: %d states, want %d", tt.f, len(met), tt.states)
		}
		if moves := a.Moves(1<<40, 0); moves != nil {
			t.Errorf("%v: obligations of another automaton have moves %v", tt.f, moves)
		}
	}
	var parts []*ltl.Formula
	for i := range ltl.MostObligations + 1 {
		parts = append(parts, ltl.Eventually(ltl.Proposition(i)))
	}
	if _, err := ltl.New(ltl.All(parts...)); err == nil {
		t.Error("a formula with too many operators has an automaton")
	}
	if _, err := ltl.New(ltl.All(parts[1:]...)); err != nil {
		t.Errorf("a formula with as many operators as there may be: %v", err)
	}
	for i := range parts { // one operator, many times
		parts[i] = ltl.Any(ltl.Eventually(ltl.Proposition(0)), ltl.Proposition(i))
	}
	if _, err := ltl.New(ltl.All(parts...)); err != nil {
		t.Errorf("equal operators count once: %v", err)
	}
}
