// Package renaming begins the symmetries of programs, for those who write programs:
// whoever checks evidence needs none.
package renaming

import "github.com/seed-105a2da2/unknot/spec/program"

// Identity returns the renaming that changes nothing, to be changed.
func Identity(p *program.Program) program.Renaming {
	r := program.Renaming{Vars: make([]program.Var, len(p.Variables)), Values: map[program.Var][]int{}}
	for i := range r.Vars {
		r.Vars[i] = program.Var(i)
	}
	return r
}
