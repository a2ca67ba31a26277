package compiled

import (
	"runtime"
	"slices"

	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// New compiles the machine of a program, in time linear in the program's size except for
// sums of many variables.
func New(m *program.Machine) *Machine {
	out, c := begin(m)
	out.compile(c, func() {})
	return out
}

// Judged is New and, concurrently and continuing after it returns, [Machine.Obligations].
func Judged(m *program.Machine, names []string) (*Machine, *Owed) {
	out, c := begin(m)
	o := &Owed{}
	out.compile(c, func() { o.found.Store(out.Obligations(names)) })
	for _, name := range names {
		k := slices.IndexFunc(out.claims.Invariants, func(v states.Invariant) bool { return v.Name == name })
		o.holds = append(o.holds, out.claims.Invariants[k].Holds)
	}
	return out, o
}

// begin finds the leaves, from which everything else is made.
func begin(m *program.Machine) (*Machine, *compiler) {
	p := m.Program()
	c := newCompiler(p, m.Layout().Fields())
	out := &Machine{Machine: m, code: c.code, claims: m.Claims()}
	for i := range p.Rules {
		r := &p.Rules[i]
		out.leaves = c.split(out.leaves, leaf{i, c.truth(&r.Guard), joined(r.Effect)}, nil)
	}
	return out, c
}

// compile makes code of the leaves and of the claims. If there are cores, it runs also concurrently;
// also may still be running when compile returns.
func (m *Machine) compile(c *compiler, also func()) {
	p := m.Program()
	guards := make([]formula, len(m.leaves))
	for i, l := range m.leaves {
		guards[i] = l.guard
	}
	filtered := make(chan struct{})
	filter := func() {
		c := newCompiler(p, m.Layout().Fields()) // one that assumes nothing
		for from := 0; from < len(guards); from += blockRules {
			m.blocks = append(m.blocks, c.block(guards[from:min(from+blockRules, len(guards))]))
		}
		close(filtered)
		also()
	}
	if runtime.GOMAXPROCS(0) > 1 {
		go filter()
	} else {
		filter()
	}
	tables := tables{}
	for i, l := range m.leaves {
		c.assume(l.guard)
		r := rule{kind: kindOf(i), stays: !c.changes(l.effect), effect: tables.share(c.effect(l.effect).steps)}
		r.wait()
		for len(r.effect) > 0 && r.effect[0].kind == look {
			r.looks, r.effect = append(r.looks, r.effect[0]), r.effect[1:]
		}
		m.rules = append(m.rules, r)
		c.forget(0)
	}
	asked := func(e *program.Expr) func([]uint64) bool {
		at := c.entry(c.truth(e))
		return func(s []uint64) bool { return m.code.holds(s, at) }
	}
	m.claims.Invariants = slices.Clone(m.claims.Invariants)
	for i := range p.Invariants {
		m.claims.Invariants[i].Holds = asked(&p.Invariants[i].Holds)
	}
	m.claims.Responses = slices.Clone(m.claims.Responses)
	for i := range p.Responses {
		m.claims.Responses[i].Pending = asked(&p.Responses[i].Pending)
	}
	m.claims.Formulas = slices.Clone(m.claims.Formulas)
	for i := range p.Formulas {
		f := &m.claims.Formulas[i]
		f.Atoms = slices.Clone(f.Atoms)
		for k, e := range p.Formulas[i].Atoms() {
			f.Atoms[k] = asked(e)
		}
	}
	if m.claims.Final != nil {
		m.claims.Final = asked(&p.Final)
	}
	<-filtered
	for i := range guards {
		m.rules[i].guard = c.entry(guards[i])
	}
}

// wait separates from the effect the states in which it changes nothing, such as where a process waits.
func (r *rule) wait() {
	switch t := r.effect; {
	case len(t) == 0 || t[0].kind != skip:
	case t[0].past == len(t)-1:
		r.waits, r.whether, r.idle, r.effect = true, t[0].cond, false, t[1:]
	case t[0].past == 1 && t[1].kind == skipAlways && t[1].past == len(t)-2:
		r.waits, r.whether, r.idle, r.effect = true, t[0].cond, true, t[2:]
	}
}
