package program

import "github.com/seed-105a2da2/unknot/spec/states"

// Machine is a program as a machine that takes every step by the plain meaning
// (plain.go): a states.Machine and states.Claimer, immutable and safe for concurrent use.
// Field i of its layout is variable i. The checker explores a compiled form of it, and
// replays and verifies what it finds with this one.
type Machine struct {
	p      *Program
	layout states.Layout
	action []int // by rule: the number of the first rule of its name
}

var _ states.Claimer = (*Machine)(nil)

// Machine checks the program and returns its machine. The program must not change
// afterwards.
func (p *Program) Machine() (*Machine, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	m := &Machine{p: p, action: make([]int, len(p.Rules))}
	for _, v := range p.Variables {
		var show func(value uint64) string
		if v.Names != nil {
			show = func(value uint64) string { return v.Names[value] }
		}
		m.layout.Queue(v.Name, 1, uint64(v.Values), show)
	}
	first := map[string]int{}
	for i, r := range p.Rules {
		if _, known := first[r.Name]; !known {
			first[r.Name] = i
		}
		m.action[i] = first[r.Name]
	}
	return m, nil
}

// Program returns what the machine was made from. It must not be changed.
func (m *Machine) Program() *Program { return m.p }

// Name returns the name of the program.
func (m *Machine) Name() string { return m.p.Name }

// Layout says how states are packed: field i is variable i.
func (m *Machine) Layout() *states.Layout { return &m.layout }

// Start appends the initial states.
func (m *Machine) Start(dst []uint64) []uint64 {
	zero, before := make([]uint64, m.layout.Words()), make([]int, len(m.p.Variables))
	for _, values := range m.p.Initials() {
		dst = m.changed(dst, zero, before, values)
	}
	return dst
}

// AppendSuccessors appends a successor for every rule whose guard holds, in the order of the
// rules. The error is an assignment out of range: it names the rule, the variable
// and the value.
func (m *Machine) AppendSuccessors(dst, s []uint64) ([]uint64, error) {
	values, next := m.Values(s), dst
	err := m.p.Each(values, func(_ int, after []int) { next = m.changed(next, s, values, after) })
	if err != nil {
		return dst, err
	}
	return next, nil
}

// Action returns the action of the rule that leads to the i-th successor of s: its
// name, and the number of the first rule of that name.
func (m *Machine) Action(s []uint64, i int) states.Action {
	k := m.RuleOf(s, i)
	return states.Action{Number: m.action[k], Name: m.p.Rules[k].Name}
}

// RuleOf returns the number of the rule that leads to the i-th successor of s, or -1
// if s has fewer.
func (m *Machine) RuleOf(s []uint64, i int) int {
	values := m.Values(s)
	for k := range m.p.Rules {
		if m.p.Rules[k].Guard.Holds(values) {
			if i--; i < 0 {
				return k
			}
		}
	}
	return -1
}

// Claims returns the program's invariants, responses and intended end.
func (m *Machine) Claims() states.Claims {
	holds := func(e Expr) func([]uint64) bool {
		return func(s []uint64) bool { return e.Holds(m.Values(s)) }
	}
	var out states.Claims
	for _, v := range m.p.Invariants {
		out.Invariants = append(out.Invariants, states.Invariant{Name: v.Name, Cover: v.Cover, Holds: holds(v.Holds)})
	}
	for _, r := range m.p.Responses {
		out.Responses = append(out.Responses, states.Response{Name: r.Name, Pending: holds(r.Pending)})
	}
	for i := range m.p.Formulas {
		f := &m.p.Formulas[i]
		formula, atoms := f.ltl()
		claim := states.Formula{Name: f.Name, Unfair: f.Unfair, Possible: f.Possible, Formula: formula}
		for _, e := range atoms {
			claim.Atoms = append(claim.Atoms, holds(*e))
		}
		out.Formulas = append(out.Formulas, claim)
	}
	if m.p.Final.Op != 0 {
		out.Final = holds(m.p.Final)
	}
	// The rules of an action agree, see Check.
	out.Fair, out.Strong = func(action int) bool { return !m.p.Rules[action].Unfair }, map[int]bool{}
	for i, r := range m.p.Rules {
		out.Strong[m.action[i]] = r.Strong
	}
	return out
}

// Values returns the values of the variables in s.
func (m *Machine) Values(s []uint64) []int {
	fields := m.layout.Fields()
	values := make([]int, len(fields))
	for i := range fields {
		values[i] = int(fields[i].Of(s))
	}
	return values
}

// changed appends s with the values that differ in after.
func (m *Machine) changed(dst, s []uint64, before, after []int) []uint64 {
	dst = append(dst, s...)
	fields := m.layout.Fields()
	for i := range fields {
		if after[i] != before[i] {
			fields[i].Put(dst[len(dst)-len(s):], uint64(after[i]))
		}
	}
	return dst
}
