package program

import "github.com/seed-105a2da2/unknot/spec/states"

// Plain is a program as a machine that takes every step by the plain reading
// (plain.go), for those who check evidence: nothing has to be believed about the
// compiler. It is slower than [Machine] by an order of magnitude; states,
// successors and their order are the same.
type Plain struct {
	p      *Program
	layout states.Layout
	start  []uint64
	action []int // by rule, see Program.actions
}

var (
	_ states.Machine = (*Plain)(nil)
	_ states.Claimer = (*Plain)(nil)
)

// Plain checks the program and makes it a machine. The program must not change
// afterwards.
func (p *Program) Plain() (*Plain, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	m := &Plain{p: p, action: p.actions()}
	for i, v := range p.Variables {
		m.layout.Field(v.Name, uint64(v.Values))
		if v.Names != nil {
			m.layout.Shown(i, func(value uint64) string { return v.Names[value] })
		}
	}
	m.start = m.packed(nil, p.Start())
	return m, nil
}

// Program returns what the machine was made from. It must not be changed.
func (m *Plain) Program() *Program { return m.p }

// Name returns the name of the program.
func (m *Plain) Name() string { return m.p.Name }

// Layout says how states are packed: field i is variable i.
func (m *Plain) Layout() *states.Layout { return &m.layout }

// Start appends the initial state.
func (m *Plain) Start(dst []uint64) []uint64 { return append(dst, m.start...) }

// Next appends a successor for every rule whose guard holds, see [Machine.Next].
func (m *Plain) Next(dst, s []uint64) ([]uint64, error) {
	steps, err := m.p.Steps(m.values(s))
	if err != nil {
		return dst, err
	}
	for _, t := range steps {
		dst = m.packed(dst, t.After)
	}
	return dst, nil
}

// Action says which rule leads to the i-th successor of s, see [Machine.Action].
func (m *Plain) Action(s []uint64, i int) states.Action {
	values := m.values(s)
	for k, r := range m.p.Rules {
		if !m.p.Holds(r.Guard, values) {
			continue
		}
		if i == 0 {
			return states.Action{Number: m.action[k], Name: r.Name}
		}
		i--
	}
	return states.Action{Number: -1}
}

// Claims returns the program's invariants, responses and intended end.
func (m *Plain) Claims() states.Claims {
	holds := func(e Expr) func([]uint64) bool {
		return func(s []uint64) bool { return m.p.Holds(e, m.values(s)) }
	}
	var out states.Claims
	for _, v := range m.p.Invariants {
		out.Invariants = append(out.Invariants, states.Invariant{Name: v.Name, Holds: holds(v.Holds)})
	}
	for _, r := range m.p.Responses {
		out.Responses = append(out.Responses, states.Response{Name: r.Name, Pending: holds(r.Pending)})
	}
	if m.p.Final.Op != 0 {
		out.Final = holds(m.p.Final)
	}
	out.Fair = m.p.fair
	return out
}

func (m *Plain) values(s []uint64) []int {
	fields := m.layout.Fields()
	values := make([]int, len(fields))
	for i, f := range fields {
		values[i] = int(f.Of(s))
	}
	return values
}

// packed appends the state with the given values.
func (m *Plain) packed(dst []uint64, values []int) []uint64 {
	at := len(dst)
	dst = append(dst, make([]uint64, m.layout.Words())...)
	for i, f := range m.layout.Fields() {
		f.Put(dst[at:], uint64(values[i]))
	}
	return dst
}
