package reduction

import (
	"cmp"
	"slices"

	"github.com/seed-105a2da2/unknot/spec/program"
)

// Questions about the values of a few variables, answered by trying them.

const (
	mostTried    = 1 << 12 // values of variables, for one question
	mostInAll    = 1 << 21 // for all questions about a program
	mostOfOneVar = 1 << 10
)

// trial tries values. It gives up on what takes too long, always at the same point.
type trial struct {
	atoms  *atoms
	left   int   // values that may be tried, in all
	tried  int   // for the current question
	values []int // by variable
	after  [2][]int
}

func newTrial(a *atoms) *trial {
	n := len(a.p.Variables)
	return &trial{atoms: a, left: mostInAll, values: make([]int, n), after: [2][]int{make([]int, n), make([]int, n)}}
}

// satisfiable reports whether found holds for satisfiable values of the variables within their domains that
// meet the conditions which read no other variables. If there are too many values to try, the
// answer is yes.
func (t *trial) satisfiable(of vars, d domains, conditions []formula, found func() bool) bool {
	order := slices.Clone(of)
	for _, x := range order {
		if _, listed := d[x]; !listed && t.atoms.p.Variables[x].Values > mostOfOneVar {
			return true
		}
	}
	slices.SortStableFunc(order, func(x, y program.Var) int {
		return cmp.Compare(t.atoms.size(d, x), t.atoms.size(d, y))
	})
	at := make(map[program.Var]int, len(order))
	for i, x := range order {
		at[x] = i
	}
	due := make([][]formula, len(order)+1) // by place: the conditions that can be evaluated there
	for _, f := range conditions {
		last, inside := 0, true
		t.atoms.reads(f, func(x program.Var) {
			i, is := at[x]
			last, inside = max(last, i+1), inside && is
		})
		if inside {
			due[last] = append(due[last], f)
		}
	}
	t.tried = 0
	return t.tryFrom(order, 0, d, due, found)
}

func (t *trial) tryFrom(order []program.Var, i int, d domains, due [][]formula, found func() bool) bool {
	for _, f := range due[i] {
		if !t.atoms.holds(f, t.values) {
			return false
		}
	}
	if i == len(order) {
		return found()
	}
	x := order[i]
	within, listed := d[x]
	for v := range t.atoms.p.Variables[x].Values {
		if listed && within>>uint(v)&1 == 0 {
			continue
		}
		t.tried++
		t.left--
		if t.tried > mostTried || t.left < 0 {
			return true
		}
		if t.values[x] = v; t.tryFrom(order, i+1, d, due, found) {
			return true
		}
	}
	return false
}

// reads calls each with the variables that a formula reads.
func (a *atoms) reads(f formula, each func(x program.Var)) {
	if f.shape == single {
		for _, x := range a.all[f.atom].reads {
			each(x)
		}
	}
	for _, p := range f.parts {
		a.reads(p, each)
	}
}

// conjuncts returns the formulas whose conjunction f is.
func (f formula) conjuncts() []formula {
	if f.shape == all {
		return f.parts
	}
	return []formula{f}
}
