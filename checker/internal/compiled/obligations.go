package compiled

import (
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/statespace"
	"github.com/seed-105a2da2/unknot/spec/program"
)

// Obligations are what has to be looked at to see whether invariants hold.
//
// An invariant is a conjunction. Where it holds, a step of a rule that sets no variable
// of a conjunct leaves the conjunct true. So where a step leads to from a state in which
// all invariants hold, the conjuncts that the rule's assignments meet decide, those in
// branches included, and of each no more than what may have come to be false (left). Of
// these some are certain by the values that variables can have behind the rule, and some do
// not tell the values that they can have before from those behind it.
type Obligations struct {
	code  *code
	all   []obligation
	after [][]int32 // by kind of step: the code of what it may falsify; of all after kind 0
}

type obligation struct {
	invariant int
	entry     int32
}

// Obligations returns those of the invariants with the given names, 32 at most.
func (m *Machine) Obligations(names []string) *Obligations {
	p := m.Program()
	c := newCompiler(p, m.Layout().Fields())
	o := &Obligations{code: c.code, after: make([][]int32, 1+len(m.leaves))}
	var held []formula
	for i, name := range names {
		k := slices.IndexFunc(p.Invariants, func(v program.Invariant) bool { return v.Name == name })
		f := c.truth(&p.Invariants[k].Holds)
		for _, f := range f.conjuncts() {
			held = append(held, f)
			o.all = append(o.all, obligation{i, c.entry(f)})
			o.after[0] = append(o.after[0], c.entry(f))
		}
	}
	for i := range m.leaves {
		if kind := kindOf(i); kind != 0 {
			o.after[kind] = c.owed(&m.leaves[i], held)
		}
	}
	return o
}

// kindOf returns the kind of the steps of a leaf: 0, for any, if there are too many.
func kindOf(leaf int) uint32 {
	if leaf >= statespace.MostKinds {
		return 0
	}
	return uint32(leaf) + 1
}

// owed returns the code of what a step of a leaf may have falsified of what held before.
func (c *compiler) owed(l *leaf, held []formula) (codes []int32) {
	c.assume(l.guard)
	spans := map[program.Var]uint64{}
	eachSet(l.effect, func(x program.Var) { spans[x] = c.sets[x] })
	c.effect(l.effect)
	for x := range spans {
		spans[x] |= c.sets[x]
	}
	for _, f := range held {
		if f = c.under(left(f, spans)); f.shape != always {
			codes = append(codes, c.entry(f))
		}
	}
	c.forget(0)
	return codes
}

// left is what is to be asked of a formula that held until variables changed, each from one
// value of a set to another. If one part of a disjunction may change, a conjunction, each
// conjunct of it or else the other parts held, and do where the conjunct does not change.
func left(f formula, spans map[program.Var]uint64) formula {
	tells := func(p formula) bool { return p.tells(spans) }
	switch {
	case !tells(f):
		return formula{}
	case f.shape == all:
		var parts []formula
		for _, p := range f.parts {
			if p = left(p, spans); p.shape != always {
				parts = append(parts, p)
			}
		}
		f.parts = parts
	case f.shape == some:
		i := slices.IndexFunc(f.parts, tells)
		if !slices.ContainsFunc(f.parts[i+1:], tells) {
			f.parts = slices.Clone(f.parts)
			f.parts[i] = left(f.parts[i], spans)
		}
	}
	return f
}

func eachSet(list []program.Stmt, f func(x program.Var)) {
	for i := range list {
		if s := &list[i]; s.Assigns() {
			f(s.Var)
		} else {
			eachSet(s.Then, f)
			eachSet(s.Else, f)
		}
	}
}

// tells reports whether some test of a formula may come out otherwise when variables
// change, each from one value of a set to another.
func (f *formula) tells(spans map[program.Var]uint64) bool {
	span, changed := spans[f.x]
	switch f.shape {
	case member:
		return f.set&span != 0 && f.set&span != span
	case equal:
		return changed
	case compare:
		return slices.ContainsFunc(f.sum.tables, func(t table) bool {
			least, most := t.bounds(spans[t.x])
			return least != most
		}) || slices.ContainsFunc(f.sum.rest, func(r term) bool {
			_, changed := spans[r.x]
			return changed && r.cond == nil || r.value != nil || r.cond != nil && r.cond.tells(spans)
		})
	}
	return slices.ContainsFunc(f.parts, func(p formula) bool { return p.tells(spans) })
}

// Broken returns, a bit each, invariants that do not hold in s, to which a step of the
// given kind led. If none is broken where that step began, these are all.
func (o *Obligations) Broken(s []uint64, kind uint32) (broken uint32) {
	for _, at := range o.after[kind] {
		if !o.code.holds(s, at) {
			return o.broken(s)
		}
	}
	return 0
}

func (o *Obligations) broken(s []uint64) (broken uint32) {
	for _, b := range o.all {
		if !o.code.holds(s, b.entry) {
			broken |= 1 << b.invariant
		}
	}
	return broken
}
