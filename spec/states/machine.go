// Package states says what a machine is: a finite transition system whose states
// are packed into words ([Machine], [Layout]), and what is claimed about it
// ([Claims]). [Traffic] is the machine of a network. Certificates and traces of a
// network do not need it.
package states

import (
	"slices"

	"github.com/seed-105a2da2/unknot/spec/ltl"
)

// InRange is the property of a machine that every possible step is defined
// ([Machine.AppendSuccessors]). It is reported only if it is violated.
const InRange = "values stay in range"

// Machine is a finite transition system: a protocol, or a network under a
// [spec.Scenario] (see [Traffic]). A state is a flat run of
// Layout().Words() words, equal states are equal word by word. All methods are
// safe for concurrent use and pure: the same answer for the same question.
type Machine interface {
	// Name identifies the machine, parameters included: traces and checkpoints
	// carry it.
	Name() string
	// Layout says how states are packed.
	Layout() *Layout
	// Start appends the initial states.
	Start(dst []uint64) []uint64
	// AppendSuccessors appends the successors of s, one for every step that is possible, in
	// an order that depends on s alone. An error says that a step is possible but
	// not defined, as a value would leave its range: the property [InRange] is
	// violated there.
	AppendSuccessors(dst, s []uint64) ([]uint64, error)
	// Action says what the step to the i-th successor that AppendSuccessors appends does.
	Action(s []uint64, i int) Action
}

// Action is what a step does: steps of the same number are one action as far as
// fairness goes. The name is for display; different actions may have the same name.
type Action struct {
	Number int // at least 0
	Name   string
}

// Invariant is a property that every reachable state must have. A nil Applies
// means that it always applies; one that never applies is reported as vacuous. With a
// Cover it stands for the opposite of the property of that name, which holds if some
// reachable state violates the invariant.
type Invariant struct {
	Name    string
	Cover   string
	Holds   func(s []uint64) bool
	Applies func(s []uint64) bool
}

// Broken reports whether the invariant applies to s and does not hold.
func (v Invariant) Broken(s []uint64) bool { return (v.Applies == nil || v.Applies(s)) && !v.Holds(s) }

// Response is a liveness property: what is pending is eventually answered,
// provided that no fair action is put off forever while it stays possible
// (weak fairness), and no strongly fair one while it becomes possible again and
// again. A step from s to after answers if Answered reports so; if Answered is
// nil, a step answers if the response is not pending after it.
type Response struct {
	Name     string
	Pending  func(s []uint64) bool
	Answered func(s []uint64, i int, after []uint64) bool
}

// Formula is a temporal property: every fair run satisfies it. A run is fair if no fair action is put off
// forever, as for a [Response]; it may end where no fair action is possible, and then stays in its last state. If
// Unfair, the property is about all runs, which end only where no step is possible. If Possible, it is about
// states instead: from every reachable state steps lead to one in which the first proposition is true (AG EF of
// computation tree logic), and Formula is not asked.
type Formula struct {
	Name     string
	Formula  *ltl.Formula
	Atoms    []func(s []uint64) bool // its propositions, at most [ltl.MostAtoms]
	Unfair   bool
	Possible bool
}

// Letter says which propositions are true in a state.
func (f *Formula) Letter(s []uint64) (l ltl.Letter) {
	for i, atom := range f.Atoms {
		if atom(s) {
			l |= 1 << i
		}
	}
	return l
}

// Claims are the properties of a machine that are to be decided.
type Claims struct {
	Invariants []Invariant
	Responses  []Response
	Formulas   []Formula
	// Final reports an intended end: a state without successors that is not a
	// deadlock. Nil means that there is none.
	Final func(s []uint64) bool
	// Fair reports whether the action with a number is eventually taken if it
	// stays possible. Nil means that every action is. Injecting a packet is not fair, say.
	Fair func(action int) bool
	// Strong has the numbers of the strongly fair actions, which are Fair, too: each
	// is taken eventually if it becomes possible again and again.
	Strong map[int]bool
}

// MayRest reports whether the run of a formula may stay forever in a state in which the actions with these numbers are
// possible.
func (c *Claims) MayRest(f *Formula, possible []int) bool {
	if f.Unfair {
		return len(possible) == 0
	}
	return !slices.ContainsFunc(possible, c.IsFair)
}

// IsFair reports whether an action is at least weakly fair.
func (c *Claims) IsFair(action int) bool { return c.Fair == nil || c.Fair(action) }

// Claimer is implemented by machines that say what is to be decided about them.
type Claimer interface {
	Claims() Claims
}

// ClaimsOf returns what a machine claims; nothing if it is not a Claimer.
func ClaimsOf(m Machine) Claims {
	if c, ok := m.(Claimer); ok {
		return c.Claims()
	}
	return Claims{}
}
