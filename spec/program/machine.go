package program

import (
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/spec/states"
)

// Machine is a compiled program: a states.Machine and states.Claimer, immutable and
// safe for concurrent use. Field i of its layout is variable i.
type Machine struct {
	p      *Program
	layout states.Layout
	start  []uint64
	rules  []rule
	action []int // by rule, see Program.actions
	claims states.Claims
}

var (
	_ states.Machine = (*Machine)(nil)
	_ states.Claimer = (*Machine)(nil)
)

type rule struct {
	guard  condition
	effect []effect
}

// Machine checks the program and compiles it. The program must not change
// afterwards.
func (p *Program) Machine() (*Machine, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	if err := p.checkRenamings(); err != nil {
		return nil, fmt.Errorf("%s: %w", p.Name, err)
	}
	m := &Machine{p: p, action: p.actions()}
	c := compiler{p: p}
	for i, v := range p.Variables {
		c.fields = append(c.fields, m.layout.Field(v.Name, uint64(v.Values)))
		if v.Names != nil {
			m.layout.Shown(i, func(value uint64) string { return v.Names[value] })
		}
	}
	m.start = make([]uint64, m.layout.Words())
	for i, v := range p.Variables {
		c.fields[i].Put(m.start, uint64(v.Initial))
	}
	for i := range p.Rules {
		r := &p.Rules[i]
		m.rules = append(m.rules, rule{c.condition(&r.Guard), c.statements(r.Effect)})
	}
	m.claims = c.claims()
	return m, nil
}

func (c *compiler) claims() states.Claims {
	var out states.Claims
	for i := range c.p.Invariants {
		v := &c.p.Invariants[i]
		out.Invariants = append(out.Invariants, states.Invariant{Name: v.Name, Holds: c.truth(&v.Holds)})
	}
	for i := range c.p.Responses {
		r := &c.p.Responses[i]
		out.Responses = append(out.Responses, states.Response{Name: r.Name, Pending: c.truth(&r.Pending)})
	}
	if c.p.Final.Op != 0 {
		out.Final = c.truth(&c.p.Final)
	}
	if slices.ContainsFunc(c.p.Rules, func(r Rule) bool { return r.Unfair }) {
		out.Fair = c.p.fair
	}
	return out
}

// actions returns the number of each rule's action: that of the first rule of its name.
func (p *Program) actions() []int {
	number := map[string]int{}
	actions := make([]int, len(p.Rules))
	for i, r := range p.Rules {
		if _, known := number[r.Name]; !known {
			number[r.Name] = i
		}
		actions[i] = number[r.Name]
	}
	return actions
}

// fair reports whether an action is fair; its rules agree, see Check.
func (p *Program) fair(action int) bool { return !p.Rules[action].Unfair }

// Program returns what the machine was compiled from. It must not be changed.
func (m *Machine) Program() *Program { return m.p }

// Name returns the name of the program.
func (m *Machine) Name() string { return m.p.Name }

// Layout says how states are packed: field i is variable i.
func (m *Machine) Layout() *states.Layout { return &m.layout }

// Start appends the initial state.
func (m *Machine) Start(dst []uint64) []uint64 { return append(dst, m.start...) }

// Next appends a successor for every rule whose guard holds, in the order of
// the rules. The error is an assignment out of range: it names the rule, the
// variable and the value.
func (m *Machine) Next(dst, s []uint64) ([]uint64, error) {
	for i := range m.rules {
		r := &m.rules[i]
		if !r.guard.holds(s) {
			continue
		}
		at := len(dst)
		dst = append(dst, s...)
		if f := run(r.effect, dst[at:]); f != nil {
			return dst[:at], m.p.wrong("rule %q: %w", m.p.Rules[i].Name, m.p.inRange(f.x, f.value))
		}
	}
	return dst, nil
}

// Action returns the action of the rule that leads to the i-th successor of s:
// its name, and the number of the first rule of that name.
func (m *Machine) Action(s []uint64, i int) states.Action {
	k := m.RuleOf(s, i)
	if k < 0 {
		return states.Action{Number: -1}
	}
	return states.Action{Number: m.action[k], Name: m.p.Rules[k].Name}
}

// RuleOf returns the number of the rule that leads to the i-th successor of s,
// or -1 if s has fewer.
func (m *Machine) RuleOf(s []uint64, i int) int {
	for k := range m.rules {
		if !m.rules[k].guard.holds(s) {
			continue
		}
		if i == 0 {
			return k
		}
		i--
	}
	return -1
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

// Values returns the values of the variables in s.
func (m *Machine) Values(s []uint64) []int {
	fields := m.layout.Fields()
	values := make([]int, len(fields))
	for i, f := range fields {
		values[i] = int(f.Of(s))
	}
	return values
}
