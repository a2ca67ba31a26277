package export

import (
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/spec/program"
)

// chosenFirst returns a program with one initial state for a language that has no more: there a first step chooses one of
// the initial states, and nothing else is possible before it. So it has one state more, and a step more for each initial
// state. Before that step the variables have the values of the first one, and every invariant counts as true.
func chosenFirst(p *program.Program) *program.Program {
	if len(p.Starts) == 0 {
		return p
	}
	one := *p
	name := "begun"
	for slices.ContainsFunc(p.Variables, func(v program.Variable) bool { return v.Name == name }) {
		name += "'"
	}
	one.Starts, one.Rules, one.Renamings, one.Generators = nil, nil, nil, nil
	one.Variables = append(slices.Clip(p.Variables), program.Variable{Name: name, Values: 2})
	begun := program.Var(len(p.Variables))
	action := "begin"
	for slices.ContainsFunc(p.Rules, func(r program.Rule) bool { return r.Name == action }) {
		action += "'"
	}
	for _, values := range p.Initials() {
		effect := []program.Stmt{program.Set(begun, 1)}
		for x, value := range values {
			if value != p.Variables[x].Initial {
				effect = append(effect, program.Set(program.Var(x), value))
			}
		}
		one.Rules = append(one.Rules, program.Rule{Name: action, Guard: program.Eq(begun, 0), Effect: effect})
	}
	for _, r := range p.Rules {
		r.Guard = program.And(program.Eq(begun, 1), r.Guard)
		one.Rules = append(one.Rules, r)
	}
	one.Formulas = nil
	for _, f := range p.Formulas { // they are about what comes after the first step
		later := program.And(program.Eq(begun, 1), f.Holds)
		if f.Possible {
			f.Holds = later
			one.Formulas = append(one.Formulas, f)
			continue
		}
		f.Holds = program.Expr{Op: program.Until, Args: []program.Expr{program.Eq(begun, 0), later}}
		one.Formulas = append(one.Formulas, f)
	}
	one.Invariants = nil
	for _, v := range p.Invariants {
		v.Holds = program.Or(program.Eq(begun, 0), v.Holds)
		one.Invariants = append(one.Invariants, v)
	}
	return &one
}

// noteChosenFirst says in a comment what chosenFirst adds.
func (w *page) noteChosenFirst(p *program.Program, begin, end string) {
	if n := len(p.Starts) + 1; n > 1 {
		w.lines(begin + fmt.Sprintf("a first step chooses one of %d initial states: one state and %d steps more", n, n) + end)
	}
}
