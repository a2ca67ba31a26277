package compiled

import (
	"github.com/seed-105a2da2/unknot/checker/internal/statespace"
	"github.com/seed-105a2da2/unknot/spec/program"
)

// Obligations are what has to be looked at to see whether invariants hold.
//
// An invariant is a conjunction. Where it holds, a step of a rule that sets no variable
// of a conjunct leaves the conjunct true. So where a step leads to from a state in which
// all invariants hold, the conjuncts that the rule's assignments meet decide, those in
// branches included.
type Obligations struct {
	conjuncts []conjunct
	after     [][]int32 // by kind of step: the conjuncts that it may falsify; all after kind 0
}

type conjunct struct {
	invariant int
	holds     condition
}

// Obligations returns those of the invariants with the given names, 32 at most.
func (m *Machine) Obligations(names []string) *Obligations {
	p := m.Program()
	c := compiler{p, m.Layout().Fields()}
	o := &Obligations{after: make([][]int32, 1, 1+len(p.Rules))}
	setters := make([][]uint32, len(p.Variables)) // by variable: kinds of steps, in order
	for i := range p.Rules {
		setBy(setters, p.Rules[i].Effect, kindOf(i))
		o.after = append(o.after, nil)
	}
	for i, name := range names {
		for k := range p.Invariants {
			if v := &p.Invariants[k]; v.Name == name {
				eachConjunct(&v.Holds, func(e *program.Expr) {
					number := int32(len(o.conjuncts))
					o.conjuncts = append(o.conjuncts, conjunct{i, c.condition(e)})
					o.after[0] = append(o.after[0], number)
					o.owe(e, setters, number)
				})
			}
		}
	}
	return o
}

// kindOf returns the kind of the steps of a rule: 0, for any, if there are too many.
func kindOf(rule int) uint32 {
	if rule >= statespace.MostKinds {
		return 0
	}
	return uint32(rule) + 1
}

// setBy adds a kind of step to all variables that statements may set.
func setBy(setters [][]uint32, list []program.Stmt, kind uint32) {
	for i := range list {
		if s := &list[i]; s.Assigns() {
			setters[s.Var] = append(setters[s.Var], kind)
		} else {
			setBy(setters, s.Then, kind)
			setBy(setters, s.Else, kind)
		}
	}
}

// owe adds a conjunct to the kinds of steps that set a variable of e.
func (o *Obligations) owe(e *program.Expr, setters [][]uint32, number int32) {
	if e.Op == program.Read {
		for _, kind := range setters[e.Value] {
			if after := o.after[kind]; kind != 0 && (len(after) == 0 || after[len(after)-1] != number) {
				o.after[kind] = append(after, number)
			}
		}
	}
	for i := range e.Args {
		o.owe(&e.Args[i], setters, number)
	}
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
		if c := &o.conjuncts[k]; !c.holds.holds(s) {
			broken |= 1 << c.invariant
		}
	}
	return broken
}
