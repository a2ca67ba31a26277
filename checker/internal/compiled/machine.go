// Package compiled makes programs of guarded commands step fast.
//
// Expressions are brought into a normal form (formula.go, number.go) and become flat code
// (code.go), which compares many variables of a word at once (fields.go). The variables that
// most guards read decide which rules can step (dispatch.go), and effects are lookups of what
// words become (effect.go). After a step only what it may have falsified of the invariants is
// checked (obligations.go), given what it moves (moves.go).
//
// Package program defines what a program means; its machine takes the same steps by walking the
// syntax tree, and tests compare the two on random programs. No evidence rests on this
// package: what is found with it is replayed and verified with the machine of package
// program.
package compiled

import (
	"math/bits"
	"runtime"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/statespace"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// Machine is the machine of a program with Next and Claims compiled: the same
// states, and the same successors in the same order. It is safe for concurrent use.
type Machine struct {
	*program.Machine
	code   *code
	blocks []block
	leaves []leaf
	rules  []rule // by leaf
	claims states.Claims
}

var _ statespace.Kinds = (*Machine)(nil)

// rule is what the filters leave of a leaf's guard, and its effect.
type rule struct {
	guard   int32
	kind    uint32 // of its steps
	waits   bool   // its effect changes nothing where whether leads to idle
	idle    bool
	whether int32  // code
	stays   bool   // its effect may well change nothing
	looks   []step // the leading steps of its effect, all looks
	effect  []step // the other steps
}

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
	for i, l := range m.leaves {
		c.assume(l.guard)
		r := rule{kind: kindOf(i), stays: !c.changes(l.effect), effect: c.effect(l.effect).steps}
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
	if m.claims.Final != nil {
		m.claims.Final = asked(&p.Final)
	}
	<-filtered
	for i := range guards {
		if m.rules[i].guard = c.entry(guards[i]); m.rules[i].guard == yes {
			m.blocks[i/blockRules].sure |= 1 << (i % blockRules)
		}
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

// Next appends a successor for every rule whose guard holds, in the order of the rules.
// If an assignment is out of range, the uncompiled machine says which.
func (m *Machine) Next(dst, s []uint64) ([]uint64, error) {
	dst, _, _, err := m.steps(dst, nil, s, false, nil)
	return dst, err
}

// Steps is Next, but also appends the kinds of the successors: the leaves that lead to them,
// counted from 1.
func (m *Machine) Steps(dst []uint64, kinds []uint32, s []uint64) ([]uint64, []uint32, error) {
	dst, kinds, _, err := m.steps(dst, kinds, s, true, nil)
	return dst, kinds, err
}

// steps is Steps, or Next if tell is false. With idle it leaves out, and counts, the steps that
// need not be taken.
func (m *Machine) steps(dst []uint64, kinds []uint32, s []uint64, tell bool, idle *idle) ([]uint64, []uint32, int, error) {
	begin, left := len(dst), 0
	for b := range m.blocks {
		rules := m.blocks[b].candidates(s)
		if idle != nil && b < len(idle.asleep) {
			asleep := rules & idle.asleep[b]
			rules ^= asleep
			left += m.possible(s, b, asleep)
		}
		for ; rules != 0; rules &= rules - 1 {
			r := &m.rules[b*blockRules+bits.TrailingZeros64(rules)]
			if r.guard != yes && !m.code.holds(s, r.guard) {
				continue
			}
			at := len(dst)
			if r.waits && m.code.holds(s, r.whether) == r.idle {
				if idle != nil {
					idle.taken[r.kind] = true
					left++
					continue
				}
				if dst = append(dst, s...); tell {
					kinds = append(kinds, r.kind)
				}
				continue
			}
			fails := uint64(0)
			switch len(s) {
			case 1:
				word := s[0]
				for i := range r.looks {
					t := &r.looks[i]
					e := &t.entries[word>>(t.shift&63)&t.mask]
					fails |= e.keep & e.set
					word = word&e.keep | e.set
				}
				dst = append(dst, word)
			case 2:
				two := [2]uint64{s[0], s[1]}
				for i := range r.looks {
					t := &r.looks[i]
					e := &t.entries[two[t.word&1]>>(t.shift&63)&t.mask]
					fails |= e.keep & e.set
					two[t.to&1] = two[t.to&1]&e.keep | e.set
				}
				dst = append(dst, two[0], two[1])
			default:
				if cap(dst)-at < len(s) {
					dst = slices.Grow(dst, blockRules*len(s))
				}
				dst = dst[:at+len(s)]
				next := dst[at:]
				copy(next, s)
				for i := range r.looks {
					t := &r.looks[i]
					e := &t.entries[t.of(next)]
					fails |= e.keep & e.set
					next[t.to] = next[t.to]&e.keep | e.set
				}
			}
			if fails != 0 || len(r.effect) > 0 && !m.code.run(r.effect, dst[at:]) {
				dst, err := m.Machine.Next(dst[:begin], s)
				return dst, kinds, 0, err
			}
			if !tell {
				continue
			}
			kinds = append(kinds, r.kind)
			if idle == nil {
				continue
			}
			idle.taken[r.kind] = true
			if r.stays { // without a branch, which would be unpredictable
				differs, moved := uint64(0), 0
				for i, x := range dst[at:] {
					differs |= x ^ s[i]
				}
				if differs != 0 {
					moved = 1
				}
				dst, kinds = dst[:at+moved*len(s)], kinds[:len(kinds)-1+moved]
				left += 1 - moved
			}
		}
	}
	return dst, kinds, left, nil
}

// Rules appends, for each successor of s in the order of Next, the number of the rule that
// leads to it: RuleOf for all of them, in one pass over the rules.
func (m *Machine) Rules(dst []int32, s []uint64) []int32 {
	for b := range m.blocks {
		for left := m.blocks[b].candidates(s); left != 0; left &= left - 1 {
			k := b*blockRules + bits.TrailingZeros64(left)
			if m.code.holds(s, m.rules[k].guard) {
				dst = append(dst, int32(m.leaves[k].rule))
			}
		}
	}
	return dst
}

// Taken calls f with the rules of the kinds of steps that a walk has taken; ok is false
// if kinds do not identify all rules.
func (m *Machine) Taken(kinds []bool, f func(rule int32)) (ok bool) {
	if len(kinds) == 0 || kinds[0] {
		return false
	}
	for k, taken := range kinds[1:] {
		if taken {
			f(int32(m.leaves[k].rule))
		}
	}
	return true
}

// Claims returns the program's invariants, responses and intended end.
func (m *Machine) Claims() states.Claims { return m.claims }

// RulesOfKinds returns, by kind of step, the number of its rule; nil if there are more
// leaves than kinds.
func (m *Machine) RulesOfKinds() []int32 {
	if len(m.leaves) >= statespace.MostKinds {
		return nil
	}
	rules := make([]int32, 1+len(m.leaves))
	for i, l := range m.leaves {
		rules[kindOf(i)] = int32(l.rule)
	}
	return rules
}
