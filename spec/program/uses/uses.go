// Package uses finds what statements of a program read and assign, for code that
// reorders or merges them; checking evidence does not need it.
package uses

import "github.com/seed-105a2da2/unknot/spec/program"

// Uses are the variables that statements read, in conditions and values, and assign.
type Uses struct{ Reads, Sets map[program.Var]bool }

// Of returns the uses of statements.
func Of(list []program.Stmt) Uses {
	u := Uses{map[program.Var]bool{}, map[program.Var]bool{}}
	u.statements(list)
	return u
}

func (u Uses) statements(list []program.Stmt) {
	for i := range list {
		s := &list[i]
		if s.Assigns() {
			u.Sets[s.Var] = true
			Read(u.Reads, &s.Value)
			continue
		}
		Read(u.Reads, &s.Cond)
		u.statements(s.Then)
		u.statements(s.Else)
	}
}

// Read adds the variables that an expression reads.
func Read(into map[program.Var]bool, e *program.Expr) {
	if e.Op == program.Read {
		into[program.Var(e.Value)] = true
	}
	for i := range e.Args {
		Read(into, &e.Args[i])
	}
}
