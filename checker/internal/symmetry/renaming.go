// Package symmetry turns a machine into one that keeps one state of every orbit: the
// whole packets of a network modulo its automorphisms, a program modulo its renamings,
// and any machine modulo the symmetries that it names. Every symmetry is verified before
// use.
package symmetry

import (
	"fmt"

	"github.com/seed-105a2da2/unknot/checker/internal/orbit"
	"github.com/seed-105a2da2/unknot/spec/program"
)

// Fieldwise returns the renamings of a program as renamings of its machine's fields. The
// error names one that is not a permutation of the variables, or does not respect their
// ranges.
func Fieldwise(p *program.Program) ([]orbit.Renaming, error) { return fieldwise(p, p.Renamings) }

func fieldwise(p *program.Program, renamings []program.Renaming) (all []orbit.Renaming, err error) {
	for k, r := range renamings {
		if err := check(p, r); err != nil {
			return nil, fmt.Errorf("renaming %d %w", k, err)
		}
		out := orbit.Renaming{To: make([]int, len(r.Vars)), Values: make([][]uint64, len(r.Vars))}
		for i, to := range r.Vars {
			out.To[i] = int(to)
			for _, v := range r.Values[program.Var(i)] {
				out.Values[i] = append(out.Values[i], uint64(v))
			}
		}
		all = append(all, out)
	}
	return all, nil
}

// check refuses what is not a permutation of the variables, or does not respect their
// ranges.
func check(p *program.Program, r program.Renaming) error {
	if len(r.Vars) != len(p.Variables) {
		return fmt.Errorf("has %d variables, not %d", len(r.Vars), len(p.Variables))
	}
	taken := make([]bool, len(r.Vars))
	for i, to := range r.Vars {
		v := p.Variables[i]
		if to < 0 || int(to) >= len(taken) || taken[to] || p.Variables[to].Values != v.Values {
			return fmt.Errorf("maps %s to a variable that does not exist, is already mapped to, or has other values",
				v.Name)
		}
		taken[to] = true
		values, ok := r.Values[program.Var(i)]
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
