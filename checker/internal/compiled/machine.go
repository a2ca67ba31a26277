// Package compiled makes programs of guarded commands step fast.
//
// A guard becomes tests of masked words, an effect a list of closures over packed
// fields; see compile.go. What a program means is said by package program, whose
// machine takes the same steps by walking its syntax tree; a test compares the two on
// random programs. No evidence rests on this package: what is found with it is
// replayed and verified with the machine of package program.
package compiled

import (
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/statespace"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// Machine is the machine of a program with Next and Claims compiled: the same
// states, and the same successors in the same order. It is safe for concurrent use.
type Machine struct {
	*program.Machine
	rules  []rule
	claims states.Claims
}

var _ statespace.Kinds = (*Machine)(nil)

type rule struct {
	guard  condition
	effect []effect
}

// New compiles the machine of a program, in time linear in the program's size.
func New(m *program.Machine) *Machine {
	p := m.Program()
	out := &Machine{Machine: m, claims: m.Claims()}
	c := compiler{p, m.Layout().Fields()}
	for i := range p.Rules {
		r := &p.Rules[i]
		out.rules = append(out.rules, rule{c.condition(&r.Guard), c.statements(r.Effect)})
	}
	out.claims.Invariants = slices.Clone(out.claims.Invariants)
	for i := range p.Invariants {
		out.claims.Invariants[i].Holds = c.truth(&p.Invariants[i].Holds)
	}
	out.claims.Responses = slices.Clone(out.claims.Responses)
	for i := range p.Responses {
		out.claims.Responses[i].Pending = c.truth(&p.Responses[i].Pending)
	}
	if out.claims.Final != nil {
		out.claims.Final = c.truth(&p.Final)
	}
	return out
}

// Next appends a successor for every rule whose guard holds, in the order of the
// rules. Which assignment is out of range the machine that was compiled says.
func (m *Machine) Next(dst, s []uint64) ([]uint64, error) {
	dst, _, err := m.steps(dst, nil, s, false)
	return dst, err
}

// Steps is Next, and appends the kinds of the successors: which rules lead to them,
// counted from 1.
func (m *Machine) Steps(dst []uint64, kinds []uint32, s []uint64) ([]uint64, []uint32, error) {
	return m.steps(dst, kinds, s, true)
}

func (m *Machine) steps(dst []uint64, kinds []uint32, s []uint64, tell bool) ([]uint64, []uint32, error) {
	begin := len(dst)
	for i := range m.rules {
		r := &m.rules[i]
		if !r.guard.holds(s) {
			continue
		}
		at := len(dst)
		dst = append(dst, s...)
		if !run(r.effect, dst[at:]) {
			dst, err := m.Machine.Next(dst[:begin], s)
			return dst, kinds, err
		}
		if tell {
			kinds = append(kinds, kindOf(i))
		}
	}
	return dst, kinds, nil
}

// Rules appends, for each successor of s in the order of Next, the number of the
// rule that leads to it: RuleOf of all of them, in one pass over the rules.
func (m *Machine) Rules(dst []int32, s []uint64) []int32 {
	for k := range m.rules {
		if m.rules[k].guard.holds(s) {
			dst = append(dst, int32(k))
		}
	}
	return dst
}

// Claims returns the program's invariants, responses and intended end.
func (m *Machine) Claims() states.Claims { return m.claims }
