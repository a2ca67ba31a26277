// Package renaming makes renamings, the symmetries of programs, for code that writes
// programs; checking evidence does not need it.
package renaming

import "github.com/seed-105a2da2/unknot/spec/program"

// Identity returns the renaming that changes nothing, as a start.
func Identity(p *program.Program) program.Renaming {
	r := program.Renaming{Vars: make([]program.Var, len(p.Variables)), Values: map[program.Var][]int{}}
	for i := range r.Vars {
		r.Vars[i] = program.Var(i)
	}
	return r
}
