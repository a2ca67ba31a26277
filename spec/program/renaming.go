package program

import (
	"fmt"

	"github.com/seed-105a2da2/unknot/spec/states"
)

// Renaming is a symmetry of a program with like parts, such as processes: where
// every variable goes, and what becomes of values that name a part. It is not
// believed: whoever explores modulo symmetries has it confirmed on the program
// ([Program.Confirm]) or checks it in every state (see states.Symmetric).
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
					p.Renamings = append(p.Renamings, renaming(append([]int(nil), perm...)))
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

func (p *Program) checkRenamings() error {
	for k, r := range p.Renamings {
		if err := p.checkRenaming(r); err != nil {
			return fmt.Errorf("renaming %d %w", k, err)
		}
	}
	return nil
}

// checkRenaming refuses what is no permutation of the variables, or does not
// keep to their ranges.
func (p *Program) checkRenaming(r Renaming) error {
	if len(r.Vars) != len(p.Variables) {
		return fmt.Errorf("has %d variables, not %d", len(r.Vars), len(p.Variables))
	}
	taken := make([]bool, len(r.Vars))
	for i, to := range r.Vars {
		v := p.Variables[i]
		if to < 0 || int(to) >= len(taken) || taken[to] || p.Variables[to].Values != v.Values {
			return fmt.Errorf("takes %s to a variable that is none, is taken, or has other values", v.Name)
		}
		taken[to] = true
		values, ok := r.Values[Var(i)]
		if !ok {
			continue
		}
		if len(values) != v.Values {
			return fmt.Errorf("does not permute the values of %s", v.Name)
		}
		seen := make([]bool, v.Values)
		for _, w := range values {
			if w < 0 || w >= len(seen) || seen[w] {
				return fmt.Errorf("does not permute the values of %s", v.Name)
			}
			seen[w] = true
		}
	}
	return nil
}

// Symmetries returns the program's renamings as functions of packed states.
// They run for every state and its successors, so each is a list of moves of bits.
func (m *Machine) Symmetries() []states.Symmetry {
	fields := m.layout.Fields()
	words := m.layout.Words()
	var all []states.Symmetry
	for _, r := range m.p.Renamings {
		moves := make([]move, len(fields))
		for i, f := range fields {
			moves[i].word, moves[i].shift, moves[i].mask = f.Place()
			moves[i].toWord, moves[i].toShift, _ = fields[r.Vars[i]].Place()
			for _, v := range r.Values[Var(i)] {
				moves[i].values = append(moves[i].values, uint64(v))
			}
		}
		all = append(all, func(dst, s []uint64) []uint64 {
			at := len(dst)
			for range words {
				dst = append(dst, 0)
			}
			image := dst[at:]
			for i := range moves {
				k := &moves[i]
				v := s[k.word] >> k.shift & k.mask
				if k.values != nil {
					v = k.values[v]
				}
				image[k.toWord] |= v << k.toShift
			}
			return dst
		})
	}
	return all
}

// move takes the value of one variable to the place of another.
type move struct {
	word, toWord   int
	shift, toShift uint
	mask           uint64
	values         []uint64 // what becomes of each; nil: what it is
}
