package program

import (
	"slices"
)

// Renaming is a symmetry of a program with like parts, such as processes: where
// every variable goes, and what becomes of values that name a part. It is a hint:
// whoever explores modulo symmetries verifies it on the program or in every state.
type Renaming struct {
	Vars   []Var         // by variable
	Values map[Var][]int // by variable, where it differs: what each of its values becomes
}

// Alike says that the parts 0..n-1 of the program are alike: for every
// permutation but the identity, renaming gives what part i becoming part perm[i]
// does to the variables. There are n! of them.
func (p *Program) Alike(n int, renaming func(perm []int) Renaming) {
	perm := make([]int, n)
	for i := range perm {
		perm[i] = i
	}
	var permute func(k int)
	permute = func(k int) {
		if k == n {
			for i, x := range perm {
				if i != x {
					p.Renamings = append(p.Renamings, renaming(slices.Clone(perm)))
					break
				}
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
func (p *Program) Identity() Renaming {
	r := Renaming{Vars: make([]Var, len(p.Variables)), Values: map[Var][]int{}}
	for i := range r.Vars {
		r.Vars[i] = Var(i)
	}
	return r
}

// Move makes the variables of part i those of part perm[i].
func (r *Renaming) Move(vars []Var, perm []int) {
	for i, x := range perm {
		r.Vars[vars[i]] = vars[x]
	}
}
