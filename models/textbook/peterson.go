package textbook

import (
	"fmt"

	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/program/renaming"
)

// The labels of a process, in the order of the values of its variable.
const (
	outside = iota
	claim
	yield
	wait
	critical
)

// Peterson is Peterson's mutual exclusion of n processes, 2 to 8 (Peterson,
// Myths about the mutual exclusion problem, 1981), step by step as n_peterson.m
// that comes with Murphi has it. A process climbs the stages 1 to n-1; at each it claims
// the stage, yields the turn there, and waits until all others are at lower
// stages or another one has yielded later:
//
//	outside   stage := 1
//	claim     claimed[i] := stage
//	yield     turn[stage] := i
//	wait      claimed[k] < stage for all k other than i, or turn[stage] ≠ i?
//	          then stage := stage+1, to claim; from stage n on, to critical
//	critical  claimed[i] := 1, to outside
//
// Two peculiarities of that file are kept, for the counts to be comparable:
// claimed[i] starts with 0 but goes back to 1, and a process that waits in vain takes a step
// that changes nothing. turn[j] has one value more, for what Murphi calls
// undefined.
//
// The invariant "mutual exclusion": no two processes are at critical. The claim
// is that it holds.
func Peterson(n int) (*program.Program, error) {
	if n < 2 || n > 8 {
		return nil, fmt.Errorf("mutual exclusion of %d processes: want 2 to 8", n)
	}
	p := program.New(fmt.Sprintf("Peterson's mutual exclusion of %d", n))
	at, claimed, stage := make([]program.Var, n), make([]program.Var, n), make([]program.Var, n)
	for i := range n {
		at[i] = p.Enum(fmt.Sprintf("at %d", i), "outside", "claim", "yield", "wait", "critical")
		claimed[i] = p.Var(fmt.Sprintf("claimed %d", i), n)
		stage[i] = p.Var(fmt.Sprintf("stage %d", i), n+1)
	}
	turn := make([]program.Var, n) // by stage; turn[0] is not used
	for j := 1; j < n; j++ {
		turn[j] = p.Var(fmt.Sprintf("turn %d", j), n+1)
		p.Init(turn[j], n)
	}
	for i := range n {
		name := func(what string) string { return fmt.Sprintf("%d: %s", i, what) }
		p.Rule(name("enter"), program.Eq(at[i], outside), program.Set(stage[i], 1), program.Set(at[i], claim))
		p.Rule(name("claim"), program.Eq(at[i], claim), program.Set(claimed[i], stage[i]), program.Set(at[i], yield))
		for j := 1; j < n; j++ {
			p.Rule(name("yield"), program.And(program.Eq(at[i], yield), program.Eq(stage[i], j)),
				program.Set(turn[j], i), program.Set(at[i], wait))
		}
		for j := 1; j < n; j++ {
			var lower []program.Expr
			for k := range n {
				if k != i {
					lower = append(lower, program.Lt(claimed[k], j))
				}
			}
			p.Rule(name("wait"), program.And(program.Eq(at[i], wait), program.Eq(stage[i], j)),
				program.If(program.Or(program.And(lower...), program.Ne(turn[j], i)),
					program.Set(stage[i], program.Add(stage[i], 1)),
					program.If(program.Lt(stage[i], n), program.Set(at[i], claim)).Otherwise(program.Set(at[i], critical))))
		}
		p.Rule(name("leave"), program.Eq(at[i], critical), program.Set(claimed[i], 1), program.Set(at[i], outside))
	}
	var exclusive []program.Expr
	for i := range n {
		for k := range i {
			exclusive = append(exclusive, program.Not(program.And(program.Eq(at[i], critical), program.Eq(at[k], critical))))
		}
	}
	p.Invariant("mutual exclusion", program.And(exclusive...))
	renaming.Alike(p, n, func(perm []int) program.Renaming {
		r := renaming.Identity(p)
		renaming.Move(&r, at, perm)
		renaming.Move(&r, claimed, perm)
		renaming.Move(&r, stage, perm)
		for _, x := range turn[1:] {
			r.Values[x] = append(append([]int(nil), perm...), n) // n: nobody yet
		}
		return r
	})
	return p, nil
}
