package compiled

import (
	"slices"
	"sync/atomic"

	"github.com/seed-105a2da2/unknot/spec/program"
)

// Obligations are what must be checked to see whether invariants hold.
//
// An invariant is a conjunction. If it holds, a step of a rule that sets no variable of a
// conjunct leaves the conjunct true. So after a step from a state in which all invariants
// hold, only the conjuncts that the rule's assignments touch, in branches too, need checking,
// and of each only what may have become false (left). Some of these certainly hold, given the
// values that variables can have after the rule, and some have the same truth value for all
// values possible before and after it.
type Obligations struct {
	code  *code
	all   []obligation
	after [][]int32 // by kind of step: the code of what it may falsify; of everything after kind 0
	free  []bool    // by kind: whether it can falsify nothing
}

// Owed is the obligations, perhaps not found yet. Finding those of many rules takes a while,
// during which a walk can begin.
type Owed struct {
	found atomic.Pointer[Obligations]
	holds []func(s []uint64) bool // the invariants
}

// Broken is Obligations.Broken. Until the obligations are found it checks all invariants.
func (o *Owed) Broken(s []uint64, kind uint32) (broken uint64) {
	if found := o.found.Load(); found != nil {
		return found.Broken(s, kind)
	}
	for i, holds := range o.holds {
		if !holds(s) {
			broken |= 1 << i
		}
	}
	return broken
}

// Free is Obligations.Free; nil until the obligations are found.
func (o *Owed) Free() []bool {
	if found := o.found.Load(); found != nil {
		return found.free
	}
	return nil
}

type obligation struct {
	invariant int
	entry     int32
}

// Obligations returns those of the invariants with the given names, at most 64.
func (m *Machine) Obligations(names []string) *Obligations {
	p := m.Program()
	c := newCompiler(p, m.Layout().Fields())
	o := &Obligations{code: c.code, after: make([][]int32, 1+len(m.leaves))}
	var held []formula
	readers := make([][]int, len(p.Variables)) // by variable: indices into held, ascending
	for i, name := range names {
		k := slices.IndexFunc(p.Invariants, func(v program.Invariant) bool { return v.Name == name })
		f := c.truth(&p.Invariants[k].Holds)
		for _, f := range f.conjuncts() {
			f.reads(c, func(x program.Var) {
				if r := readers[x]; len(r) == 0 || r[len(r)-1] != len(held) {
					readers[x] = append(r, len(held))
				}
			})
			held = append(held, f)
			o.all = append(o.all, obligation{i, c.entry(f)})
			o.after[0] = append(o.after[0], c.entry(f))
		}
	}
	for i := range m.leaves {
		if kind := kindOf(i); kind != 0 {
			o.after[kind] = c.owed(&m.leaves[i], held, readers)
		}
	}
	for _, codes := range o.after {
		o.free = append(o.free, len(codes) == 0)
	}
	return o
}

// owed returns the code that checks what a step of a leaf may have falsified of what held before.
func (c *compiler) owed(l *leaf, held []formula, readers [][]int) (codes []int32) {
	c.assume(l.guard)
	var met []int
	eachSet(l.effect, func(x program.Var) { met = append(met, readers[x]...) })
	if len(met) == 0 {
		c.forget(0)
		return nil
	}
	moved := c.moves(l, func(x program.Var) bool { return len(readers[x]) > 0 })
	slices.Sort(met)
	for _, k := range slices.Compact(met) {
		f := moved.left(c, held[k])
		g := c.simplify(f)
		if g.shape == always {
			continue
		}
		if 2*c.length(g) < c.length(f) { // else code that many leaves share is better
			f = g
		}
		codes = append(codes, c.entry(f))
	}
	c.forget(0)
	c.states.back()
	c.sides.back()
	c.lent.back()
	return codes
}

// Free reports, by kind of step, whether the step falsifies nothing that held.
func (o *Obligations) Free() []bool { return o.free }

// Broken returns, one bit each, invariants that do not hold in s, which a step of the given kind
// led to. If none was broken where that step began, these are all.
func (o *Obligations) Broken(s []uint64, kind uint32) (broken uint64) {
	for _, at := range o.after[kind] {
		if !o.code.holds(s, at) {
			return o.broken(s)
		}
	}
	return 0
}

func (o *Obligations) broken(s []uint64) (broken uint64) {
	for _, b := range o.all {
		if !o.code.holds(s, b.entry) {
			broken |= 1 << b.invariant
		}
	}
	return broken
}
