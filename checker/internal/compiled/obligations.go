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
// branches included. Of these some are certain by the values that variables can have behind
// the rule, and some do not tell the values that they can have before from those behind it.
type Obligations struct {
	code      *code
	conjuncts []conjunct
	after     [][]int32 // by kind of step: the conjuncts that it may falsify; all after kind 0
}

type conjunct struct {
	invariant int
	entry     int32
}

// Obligations returns those of the invariants with the given names, 32 at most.
func (m *Machine) Obligations(names []string) *Obligations {
	p := m.Program()
	c := newCompiler(p, m.Layout().Fields())
	o := &Obligations{code: c.code, after: make([][]int32, 1+len(m.leaves))}
	var formulas []formula
	readers := make([][]int32, len(p.Variables)) // by variable: conjuncts, ascending
	for i, name := range names {
		k := slices.IndexFunc(p.Invariants, func(v program.Invariant) bool { return v.Name == name })
		eachConjunct(&p.Invariants[k].Holds, func(e *program.Expr) {
			f := c.truth(e)
			number := int32(len(formulas))
			formulas = append(formulas, f)
			o.conjuncts = append(o.conjuncts, conjunct{i, c.entry(f)})
			o.after[0] = append(o.after[0], number)
			readBy(readers, e, number)
		})
	}
	for i := range m.leaves {
		if kind := kindOf(i); kind != 0 {
			o.after[kind] = c.meets(&m.leaves[i], readers, formulas)
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

// readBy adds a conjunct to all variables that e reads.
func readBy(readers [][]int32, e *program.Expr, number int32) {
	if e.Op == program.Read {
		if r := readers[e.Value]; len(r) == 0 || r[len(r)-1] != number {
			readers[e.Value] = append(r, number)
		}
	}
	for i := range e.Args {
		readBy(readers, &e.Args[i], number)
	}
}

// meets returns the conjuncts that a step of a leaf may falsify, ascending.
func (c *compiler) meets(l *leaf, readers [][]int32, formulas []formula) (met []int32) {
	c.assume(l.guard)
	spans := map[program.Var]uint64{}
	eachSet(l.effect, func(x program.Var) { spans[x] = c.sets[x] })
	c.statements(nil, l.effect)
	for x := range spans {
		spans[x] |= c.sets[x]
		met = append(met, readers[x]...)
	}
	slices.Sort(met)
	met = slices.DeleteFunc(slices.Compact(met), func(number int32) bool {
		f := formulas[number]
		return c.certain(f) || !f.tells(spans)
	})
	c.forget(0)
	return met
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
			return changed || r.value != nil
		})
	}
	return slices.ContainsFunc(f.parts, func(p formula) bool { return p.tells(spans) })
}

// certain reports whether a formula holds by what is known of the variables.
func (c *compiler) certain(f formula) bool {
	switch f.shape {
	case always:
		return true
	case member:
		return c.sets[f.x]&^f.set == 0
	case all:
		return !slices.ContainsFunc(f.parts, func(p formula) bool { return !c.certain(p) })
	case some:
		return slices.ContainsFunc(f.parts, c.certain)
	}
	return false
}

func eachConjunct(e *program.Expr, f func(*program.Expr)) {
	if e.Op != program.Conjunction {
		f(e)
		return
	}
	for i := range e.Args {
		eachConjunct(&e.Args[i], f)
	}
}

// Broken returns, a bit each, invariants that do not hold in s, to which a step of the
// given kind led. If none is broken where that step began, these are all.
func (o *Obligations) Broken(s []uint64, kind uint32) (broken uint32) {
	for _, k := range o.after[kind] {
		if c := &o.conjuncts[k]; !o.code.holds(s, c.entry) {
			broken |= 1 << c.invariant
		}
	}
	return broken
}
