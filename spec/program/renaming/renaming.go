// Package renaming makes the symmetries of programs with like parts, for those who
// write programs: whoever checks evidence needs none.
package renaming

import (
	"slices"

	"github.com/seed-105a2da2/unknot/spec/program"
)

// Alike says that the parts 0..n-1 of the program are alike: for every
// permutation but the identity, renaming gives what part i becoming part perm[i]
// does to the variables. There are n! of them.
func Alike(p *program.Program, n int, renaming func(perm []int) program.Renaming) {
	perm := make([]int, n)
	for i := range perm {
		perm[i] = i
	}
	var permute func(k int)
	permute = func(k int) {
		if k == n {
			if !slices.IsSorted(perm) {
				p.Renamings = append(p.Renamings, renaming(slices.Clone(perm)))
			}
			return
		}
		for i := k; i < n; i++ {
			perm[k], perm[i] = perm[i], perm[k]
			permute(k + 1)
			perm[k], perm[i] = perm[i], perm[k]
		}
	}
	permute(0)
}

// Identity returns the renaming that changes nothing, to be changed.
func Identity(p *program.Program) program.Renaming {
	r := program.Renaming{Vars: make([]program.Var, len(p.Variables)), Values: map[program.Var][]int{}}
	for i := range r.Vars {
		r.Vars[i] = program.Var(i)
	}
	return r
}

// Move makes the variables of part i those of part perm[i].
func Move(r *program.Renaming, vars []program.Var, perm []int) {
	for i, x := range perm {
		r.Vars[vars[i]] = vars[x]
	}
}
