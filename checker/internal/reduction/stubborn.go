package reduction

import (
	"context"
	"fmt"
	"sync"

	"github.com/seed-105a2da2/unknot/checker/internal/compiled"
	"github.com/seed-105a2da2/unknot/checker/internal/walk"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// Stubborn is the machine of a program that takes only the steps of a stubborn set, which
// depends on the state alone. It is safe for concurrent use.
type Stubborn struct {
	*compiled.Machine
	rules    *rules
	fields   []states.Field
	ruleOf   []int32 // by kind of step
	goals    []formula
	deadlock bool
	scratch  sync.Pool
}

var _ walk.Kinds = (*Stubborn)(nil)

const mostRules = 1 << 13 // 4 bytes for each pair that does not accord

// New returns the reduced machine of a program. The error says that the program is too
// large, or is that of the context: with n rules, up to n² pairs are compared, and it is heeded before each rule.
func New(ctx context.Context, c *compiled.Machine, asked Asked) (*Stubborn, error) {
	p := c.Program()
	m := &Stubborn{Machine: c, fields: c.Layout().Fields(), ruleOf: c.RulesOfKinds(), deadlock: asked.Deadlock}
	if len(p.Rules) > mostRules || m.ruleOf == nil {
		return nil, fmt.Errorf("partial-order reduction takes at most %d rules: %s has %d",
			mostRules, p.Name, len(p.Rules))
	}
	m.rules = rulesOf(p)
	for _, v := range asked.invariants(p) {
		m.goals = append(m.goals, m.rules.atoms.of(&v.Holds, true))
	}
	for i := range m.rules.all {
		if x := &m.rules.all[i]; m.rules.fails(x) {
			m.goals = append(m.goals, formula{shape: all, parts: []formula{x.guard, m.rules.atoms.fails(x.effect)}})
		}
	}
	if err := m.rules.clashes(ctx); err != nil {
		return nil, err
	}
	if err := m.rules.makers(ctx); err != nil {
		return nil, err
	}
	m.scratch.New = func() any { return m.newSearch() }
	return m, nil
}

// AppendSuccessors appends the successors by the rules of a stubborn set, in the order of the rules.
func (m *Stubborn) AppendSuccessors(dst, s []uint64) ([]uint64, error) {
	x := m.scratch.Get().(*search)
	defer m.scratch.Put(x)
	var err error
	dst, x.kinds, err = m.steps(x, dst, x.kinds[:0], s)
	return dst, err
}

// Steps does what AppendSuccessors does, and appends the kinds of the successors.
func (m *Stubborn) Steps(dst []uint64, kinds []uint32, s []uint64) ([]uint64, []uint32, error) {
	x := m.scratch.Get().(*search)
	defer m.scratch.Put(x)
	return m.steps(x, dst, kinds, s)
}

func (m *Stubborn) steps(x *search, dst []uint64, kinds []uint32, s []uint64) ([]uint64, []uint32, error) {
	from, begin := len(dst), len(kinds)
	dst, kinds, err := m.Machine.Steps(dst, kinds, s)
	if err != nil || len(kinds)-begin < 2 {
		return dst, kinds, err
	}
	x.look(s, kinds[begin:])
	kept, n := from, begin
	for i, kind := range kinds[begin:] {
		if x.takes(m.ruleOf[kind]) {
			copy(dst[kept:], dst[from+i*len(s):][:len(s)])
			kinds[n] = kind
			kept, n = kept+len(s), n+1
		}
	}
	return dst[:kept], kinds[:n], nil
}

// search finds the stubborn set of a state.
type search struct {
	m             *Stubborn
	kinds         []uint32
	values, after []int
	can           []int32 // rules that can step
	steps         []bool  // by rule: whether it can step
	in            []bool  // by rule: whether it is in the set
	set           []int32 // the rules of the set, in the order in which they were added
	open          int     // index in set of the first rule not looked at
	active        int     // how many rules of the set can step
}

func (m *Stubborn) newSearch() *search {
	n, v := len(m.rules.all), len(m.fields)
	return &search{m: m, values: make([]int, v), after: make([]int, v), steps: make([]bool, n), in: make([]bool, n)}
}

// mostSeeds bounds how many rules are tried as the first of a set.
const mostSeeds = 16

// look finds the set for a state, given the kinds of its possible steps.
func (x *search) look(s []uint64, kinds []uint32) {
	for _, k := range x.can {
		x.steps[k] = false
	}
	x.keep(0)
	x.can = x.can[:0]
	for i := range x.m.fields {
		x.values[i] = int(x.m.fields[i].Of(s))
	}
	r := x.m.rules
	for _, kind := range kinds {
		of := x.m.ruleOf[kind]
		from, to := r.first[of], r.first[of+1]
		for k := from; k < to; k++ {
			if from+1 == to || r.atoms.holds(r.all[k].guard, x.values) {
				x.can = append(x.can, k)
				x.steps[k] = true
			}
		}
	}
	for _, g := range x.m.goals {
		if !x.holds(g) {
			x.attract(g)
		}
	}
	x.close(len(x.can))
	if x.active > 0 || !x.m.deadlock {
		return
	}
	goals, best, least := len(x.set), int32(-1), len(x.can)+1
	for _, k := range x.can[:min(len(x.can), mostSeeds)] {
		x.add(k)
		x.close(least - 1)
		if x.active < least {
			best, least = k, x.active
		}
		x.keep(goals)
		if least == 1 {
			break
		}
	}
	x.add(best)
	x.close(least)
}

// takes reports whether a case of a rule that can step is in the set. of is the rule's number in the program.
func (x *search) takes(of int32) bool {
	for k := x.m.rules.first[of]; k < x.m.rules.first[of+1]; k++ {
		if x.in[k] && x.steps[k] {
			return true
		}
	}
	return false
}

// keep removes all but the first n rules from the set.
func (x *search) keep(n int) {
	for _, k := range x.set[n:] {
		x.in[k] = false
	}
	x.set, x.open, x.active = x.set[:n], n, 0
}

func (x *search) add(k int32) {
	if !x.in[k] {
		x.in[k] = true
		x.set = append(x.set, k)
		if x.steps[k] {
			x.active++
		}
	}
}

// close adds what the rules of the set require, until more than most of them can step.
func (x *search) close(most int) {
	for ; x.open < len(x.set) && x.active <= most && x.active < len(x.can); x.open++ {
		k := x.set[x.open]
		r := &x.m.rules.all[k]
		if !x.steps[k] {
			x.attract(r.guard)
			continue
		}
		for _, other := range r.clash {
			x.add(other)
		}
	}
}

// attract adds rules without which a formula that does not hold stays false.
func (x *search) attract(f formula) {
	switch f.shape {
	case single:
		for _, k := range x.m.rules.atoms.all[f.atom].makers {
			x.add(k)
		}
	case some:
		for _, p := range f.parts {
			x.attract(p)
		}
	case all:
		best, least := -1, 0
		for i, p := range f.parts {
			if x.holds(p) {
				continue
			}
			if cost := x.cost(p); best < 0 || cost < least {
				best, least = i, cost
			}
			if least == 0 {
				break
			}
		}
		x.attract(f.parts[best])
	}
}

// cost is how much attracting a formula, which does not hold, would add to the set.
func (x *search) cost(f formula) (sum int) {
	const active = 8 // how much dearer a rule is that can step
	switch f.shape {
	case single:
		for _, k := range x.m.rules.atoms.all[f.atom].makers {
			switch {
			case x.in[k]:
			case x.steps[k]:
				sum += active
			default:
				sum++
			}
		}
	case some:
		for _, p := range f.parts {
			sum += x.cost(p)
		}
	case all:
		least := -1
		for _, p := range f.parts {
			if x.holds(p) {
				continue
			}
			if c := x.cost(p); least < 0 || c < least {
				least = c
			}
		}
		sum = max(least, 0)
	}
	return sum
}

func (x *search) holds(f formula) bool {
	switch f.shape {
	case single:
		return x.m.rules.atoms.all[f.atom].holds(x.m.rules.p, x.values, x.after)
	case all:
		for i := range f.parts {
			if !x.holds(f.parts[i]) {
				return false
			}
		}
		return true
	}
	for i := range f.parts {
		if x.holds(f.parts[i]) {
			return true
		}
	}
	return false
}
