package reduction

import (
	"slices"

	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// Slicing (Weiser 1981; of models, cone of influence: Clarke, Grumberg and Peled 1999, 13.1).
//
// A slice keeps the variables that the checked invariants read, and those that an assignment
// may take out of their range. If deadlock is checked, it keeps everything that guards and the
// intended end read. With a variable it keeps everything on which its assignments depend:
// guards of their rules, conditions around them, and values. A rule that sets no kept
// variable is left out, unless deadlock is checked.
//
// Soundness: the guards of kept rules, and the values they give to kept variables, read kept
// variables alone. So on the kept variables, a step of the program is a step of the slice by
// the same rule, or no change if the rule is left out; and a step of the slice can be taken by
// its rule in each state of the program that looks the same to it. Kept variables decide what
// is violated and where a value leaves its range; and, if deadlock is checked, which rules can
// step. A rule that is left out changes none of this.

// Slice is the part of a program that the checked properties depend on.
type Slice struct {
	Program *program.Program
	Left    []string // names of the variables left out
	Rules   int      // number of the rules left out

	from, to []states.Field // of the kept variables, in the program and in the slice
	words    int
}

// SliceOf returns the slice of a program. Its variables, rules and invariants are in the
// program's order.
func SliceOf(m *program.Machine, asked Asked) (*Slice, error) {
	p := m.Program()
	kept := dependencies(p, asked)
	s := &Slice{Program: &program.Program{Name: p.Name}}
	number := make([]program.Var, len(p.Variables))
	for x, v := range p.Variables {
		if !kept[x] {
			s.Left = append(s.Left, v.Name)
			continue
		}
		number[x] = program.Var(len(s.Program.Variables))
		s.Program.Variables = append(s.Program.Variables, v)
		s.from = append(s.from, m.Layout().Fields()[x])
	}
	for _, start := range p.Starts {
		var values []int
		for x, value := range start {
			if kept[x] {
				values = append(values, value)
			}
		}
		s.Program.Starts = append(s.Program.Starts, values)
	}
	for _, r := range p.Rules {
		r.Effect = renumbered(r.Effect, kept, number)
		if len(r.Effect) == 0 && !asked.Deadlock {
			s.Rules++
			continue
		}
		r.Guard = renamed(r.Guard, number)
		s.Program.Rules = append(s.Program.Rules, r)
	}
	for _, v := range asked.invariants(p) {
		v.Holds = renamed(v.Holds, number)
		s.Program.Invariants = append(s.Program.Invariants, v)
	}
	if asked.Deadlock && p.Final.Op != 0 {
		s.Program.Final = renamed(p.Final, number)
	}
	sliced, err := s.Program.Machine()
	if err != nil {
		return nil, err
	}
	s.to, s.words = sliced.Layout().Fields(), sliced.Layout().Words()
	return s, nil
}

// Project appends the state of the slice that a state of the program projects to.
func (s *Slice) Project(dst, state []uint64) []uint64 {
	at := len(dst)
	dst = append(dst, make([]uint64, s.words)...)
	for i := range s.to {
		s.to[i].Put(dst[at:], s.from[i].Of(state))
	}
	return dst
}

// dependencies tells, by variable, whether it is kept. At least one is.
func dependencies(p *program.Program, asked Asked) []bool {
	kept := make([]bool, len(p.Variables))
	var open []program.Var
	need := func(all ...program.Var) {
		for _, x := range all {
			if !kept[x] {
				kept[x] = true
				open = append(open, x)
			}
		}
	}
	for _, v := range asked.invariants(p) {
		need(readBy(nil, &v.Holds)...)
	}
	if asked.Deadlock {
		need(readBy(nil, &p.Final)...)
	}
	writers := make([][]*program.Rule, len(p.Variables))
	for i := range p.Rules {
		x := &p.Rules[i]
		if asked.Deadlock {
			need(readBy(nil, &x.Guard)...)
		}
		for _, v := range writtenBy(x.Effect) {
			writers[v] = append(writers[v], x)
		}
	}
	r := rulesOf(p)
	for i := range r.all {
		for _, v := range r.all[i].writes {
			if !kept[v] && r.mayFail(&r.all[i], v) {
				need(v)
			}
		}
	}
	if len(kept) > 0 && !slices.Contains(kept, true) {
		need(0)
	}
	for len(open) > 0 {
		v := open[len(open)-1]
		open = open[:len(open)-1]
		for _, x := range writers[v] {
			need(readBy(nil, &x.Guard)...)
			need(dependsOn(x.Effect, vars{v})...)
		}
	}
	return kept
}

// renumbered returns what an effect does to kept variables.
func renumbered(effect []program.Stmt, kept []bool, number []program.Var) (rest []program.Stmt) {
	for _, s := range effect {
		if s.Assigns() {
			if kept[s.Var] {
				rest = append(rest, program.Stmt{Var: number[s.Var], Value: renamed(s.Value, number)})
			}
			continue
		}
		then, otherwise := renumbered(s.Then, kept, number), renumbered(s.Else, kept, number)
		if len(then)+len(otherwise) > 0 {
			rest = append(rest, program.Stmt{Cond: renamed(s.Cond, number), Then: then, Else: otherwise})
		}
	}
	return rest
}

// renamed returns an expression over the variables of the slice.
func renamed(e program.Expr, number []program.Var) program.Expr {
	if e.Op == program.Read {
		e.Value = int(number[e.Value])
		return e
	}
	e.Args = slices.Clone(e.Args)
	for i := range e.Args {
		e.Args[i] = renamed(e.Args[i], number)
	}
	return e
}
