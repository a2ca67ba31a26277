// Package rewriting, internal to unknot, holds what code that rewrites programs has in common: which variables
// statements read and assign, and renamings, the symmetries of programs. Checking evidence needs none of it, so
// it is not in package program.
package rewriting

import "github.com/seed-105a2da2/unknot/spec/program"

// Identity returns the renaming that changes nothing, as a start.
func Identity(p *program.Program) program.Renaming {
	r := program.Renaming{Vars: make([]program.Var, len(p.Variables)), Values: map[program.Var][]int{}}
	for i := range r.Vars {
		r.Vars[i] = program.Var(i)
	}
	return r
}

// Uses are the variables that statements read, in conditions and values, and assign.
type Uses struct{ Reads, Sets map[program.Var]bool }

// UsesOf returns the uses of statements.
func UsesOf(list []program.Stmt) Uses {
	u := Uses{map[program.Var]bool{}, map[program.Var]bool{}}
	u.statements(list)
	return u
}

func (u Uses) statements(list []program.Stmt) {
	for i := range list {
		s := &list[i]
		if s.Assigns() {
			u.Sets[s.Var] = true
			Reads(u.Reads, &s.Value)
			continue
		}
		Reads(u.Reads, &s.Cond)
		u.statements(s.Then)
		u.statements(s.Else)
	}
}

// Reads adds the variables that an expression reads.
func Reads(into map[program.Var]bool, e *program.Expr) {
	if e.Op == program.Read {
		into[program.Var(e.Value)] = true
	}
	for i := range e.Args {
		Reads(into, &e.Args[i])
	}
}
