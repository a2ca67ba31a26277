package program

import (
	"errors"
	"fmt"

	"github.com/seed-105a2da2/unknot/spec/ltl"
)

// ltl returns the formula over propositions, and these: the largest parts without temporal operators, equal
// ones as often as they occur.
func (f *Formula) ltl() (formula *ltl.Formula, atoms []*Expr) {
	var of func(e *Expr) *ltl.Formula
	of = func(e *Expr) *ltl.Formula {
		if !temporal(e) {
			atoms = append(atoms, e)
			return ltl.Proposition(len(atoms) - 1)
		}
		var args []*ltl.Formula
		for i := range e.Args {
			args = append(args, of(&e.Args[i]))
		}
		switch e.Op {
		case Conjunction:
			return ltl.All(args...)
		case Disjunction:
			return ltl.Any(args...)
		case Negation:
			return ltl.Not(args[0])
		case Always:
			return ltl.Always(args[0])
		case Eventually:
			return ltl.Eventually(args[0])
		}
		return ltl.AUntilB(args[0], args[1])
	}
	return of(&f.Holds), atoms
}

// Atoms returns the conditions on states of which the formula is made, in the order of a states.Formula.
func (f *Formula) Atoms() []*Expr {
	_, atoms := f.ltl()
	return atoms
}

// temporal reports whether an expression has a temporal operator in a place where a formula may have one.
func temporal(e *Expr) bool {
	if e.Op.Temporal() {
		return true
	}
	if e.Op != Conjunction && e.Op != Disjunction && e.Op != Negation {
		return false
	}
	for i := range e.Args {
		if temporal(&e.Args[i]) {
			return true
		}
	}
	return false
}

// formula checks a formula.
func (p *Program) formula(f *Formula) error {
	if f.Possible && f.Unfair {
		return errors.New("what is always possible does not depend on fairness")
	}
	var check func(e *Expr) error
	check = func(e *Expr) error {
		if !temporal(e) || f.Possible {
			return p.condition(e)
		}
		if o := &operators[e.Op]; o.args >= 0 && len(e.Args) != o.args {
			return fmt.Errorf("operator %q has %d arguments: want %d", o.name, len(e.Args), o.args)
		}
		for i := range e.Args {
			if err := check(&e.Args[i]); err != nil {
				return err
			}
		}
		return nil
	}
	if err := check(&f.Holds); err != nil {
		return err
	}
	formula, atoms := f.ltl()
	if len(atoms) > ltl.MostAtoms {
		return fmt.Errorf("%d conditions: want at most %d", len(atoms), ltl.MostAtoms)
	}
	_, err := ltl.New(formula)
	return err
}

// errTemporal refuses a temporal operator outside formulas.
var errTemporal = errors.New("until, always and eventually are for formulas: want a condition on a state")
