// Package textbook models protocols that every checker is tried on, with counts
// that other checkers have published. They tell whether machines, and what is
// written of them for other engines, mean what they should.
package textbook

import (
	"fmt"

	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/program/renaming"
)

// The states of a resource manager, in the order of the values of its variable.
const (
	working = iota
	prepared
	committed
	aborted
)

// mostPermuted bounds the resource managers that are said to be alike: there are
// n! permutations of n.
const mostPermuted = 6

// TwoPhase is two-phase commit (Gray 1978) as Lamport writes it in TLA+ (Gray
// and Lamport, Consensus on transaction commit, 2006; TwoPhase.tla of the TLA+
// examples): a transaction manager collects "prepared" messages of the resource
// managers, 1 to 16 of them, and then sends "commit", or "abort" at any time
// before; each resource manager may abort as long as it has not prepared. A
// message that was sent stays and can be received again and again.
//
// The invariant "consistent" (TCConsistent there): no manager has committed while another
// has aborted. The claim is that it holds. A run that has been decided only
// repeats receptions, so there is no state without steps.
func TwoPhase(managers int) (*program.Program, error) {
	if managers < 1 || managers > 16 {
		return nil, fmt.Errorf("two-phase commit of %d resource managers: want 1 to 16", managers)
	}
	p := program.New(fmt.Sprintf("two-phase commit of %d", managers))
	rm := make([]program.Var, managers)       // what each manager does
	sent := make([]program.Var, managers)     // its message "prepared"
	received := make([]program.Var, managers) // the transaction manager knows of it
	for i := range rm {
		rm[i] = p.Enum(fmt.Sprintf("manager %d", i), "working", "prepared", "committed", "aborted")
		sent[i] = p.Enum(fmt.Sprintf("prepared %d", i), "", "sent")
		received[i] = p.Enum(fmt.Sprintf("received %d", i), "no", "yes")
	}
	decision := p.Enum("decision", "none", "commit", "abort")
	commit, abort := p.Enum("commit", "", "sent"), p.Enum("abort", "", "sent")

	var all []program.Expr
	for i := range received {
		all = append(all, program.Eq(received[i], 1))
	}
	undecided := program.Eq(decision, 0)
	p.Rule("decide to commit", program.And(append(all, undecided)...), program.Set(decision, 1), program.Set(commit, 1))
	p.Rule("decide to abort", undecided, program.Set(decision, 2), program.Set(abort, 1))
	for i := range rm {
		rule := func(what string, guard program.Expr, effect ...program.Stmt) {
			p.Rule(fmt.Sprintf("%s %d", what, i), guard, effect...)
		}
		rule("receive prepared of", program.And(undecided, program.Eq(sent[i], 1)), program.Set(received[i], 1))
		rule("prepare", program.Eq(rm[i], working), program.Set(rm[i], prepared), program.Set(sent[i], 1))
		rule("choose to abort", program.Eq(rm[i], working), program.Set(rm[i], aborted))
		rule("receive commit at", program.Eq(commit, 1), program.Set(rm[i], committed))
		rule("receive abort at", program.Eq(abort, 1), program.Set(rm[i], aborted))
	}
	var anyCommitted, anyAborted []program.Expr
	for i := range rm {
		anyCommitted = append(anyCommitted, program.Eq(rm[i], committed))
		anyAborted = append(anyAborted, program.Eq(rm[i], aborted))
	}
	renaming.Alike(p, min(managers, mostPermuted), func(perm []int) program.Renaming {
		r := renaming.Identity(p)
		renaming.Move(&r, rm, perm)
		renaming.Move(&r, sent, perm)
		renaming.Move(&r, received, perm)
		return r
	})
	p.Invariant("consistent", program.Not(program.And(program.Or(anyCommitted...), program.Or(anyAborted...))))
	return p, nil
}
