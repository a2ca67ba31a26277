// Package reduction explores less of a program than all of its states: it leaves out
// variables that the checked properties do not depend on (slice.go), and orders of steps that
// make no difference to those properties (stubborn.go).
//
// # Stubborn sets
//
// From each state only the steps of a set T of rules are taken (Valmari 1990, Godefroid
// 1996). A goal is a set of states that is looked for: those that violate an invariant, or
// where an assignment leaves its range. A rule can step if its guard holds and all of its
// assignments are in range. T is closed in three ways:
//
//  1. With a rule that can step, all that do not accord with it: two rules accord if in
//     every state in which both can step, each can still step after the other, and both
//     orders end in the same state (accord.go).
//  2. With a rule that cannot step, all rules that can make one false part of its guard
//     true, a conjunct say: without one of them it never can (enable.go).
//  3. The same for each goal that the state is not in.
//
// And if deadlock is checked, some rule of T can step, if any can.
//
// Theorem: as many steps lead to the nearest state of each goal, and to each deadlock, in the
// reduced state graph as in the full one, up to the first state in which an assignment
// leaves its range: nothing is explored beyond it.
//
// Proof: let a run of n > 0 steps lead from a state s of the reduced graph to a goal, which
// s is not in; let n be the least. Some step of the run is of a rule in T, by (3). The first
// such rule, t, can step in s: else by (2) a rule of T came before it. In s and after each
// of the steps before it, t can step, and the rule of the next one can, too: it is not in T
// and so accords with t, by (1). So t can be moved to the front, from place to place: after
// t the others lead to the same state. The state after t is in the reduced graph, and n-1
// steps from the goal. For a deadlock: a rule of T that can step in s could do so after a
// run without rules of T, by (1), which then does not end in a deadlock. The rest of the
// proof is the same. QED.
//
// So the ignoring problem does not arise: no rule is postponed forever, and cycles need no
// proviso. A run that is found is one of the program, and a shortest one. Infinite runs, and
// so responses, are not preserved.
package reduction

import (
	"slices"

	"github.com/seed-105a2da2/unknot/spec/program"
)

// Asked is what a reduction preserves, besides the first value out of range.
type Asked struct {
	Deadlock   bool
	Invariants []string // by name
}

// invariants returns the invariants to be preserved.
func (a Asked) invariants(p *program.Program) (all []program.Invariant) {
	for _, v := range p.Invariants {
		if slices.Contains(a.Invariants, v.Name) {
			all = append(all, v)
		}
	}
	return all
}
