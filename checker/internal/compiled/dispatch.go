package compiled

import (
	"math/bits"
	"slices"

	"github.com/seed-105a2da2/unknot/spec/program"
)

// Which rules can step, found by the variables that most guards ask for.
//
// A rule whose effect is a tree of choices is as many rules as the tree has leaves, of which
// one can step at a time; for the first two variables that it asks for, so that there are
// not too many.
//
// A filter is a table by the value of one variable: a bit for each of 64 rules whose guard
// lets the value pass. A block of rules has the filters that are expected to leave out a
// guard each; what is left of a guard is asked of the rules that pass them all.

const blockRules = 64

// leaf is a rule, or what it is in some branch of its effect.
type leaf struct {
	rule   int
	guard  formula
	effect []program.Stmt
}

// split appends the leaves of a leaf that is a tree of choices. Its variables so far are on.
func (c *compiler) split(leaves []leaf, l leaf, on []program.Var) []leaf {
	if len(l.effect) != 1 || l.effect[0].Assigns() {
		return append(leaves, l)
	}
	s := &l.effect[0]
	c.assume(l.guard)
	cond := c.truth(&s.Cond)
	c.forget(0)
	again := slices.Contains(on, cond.x)
	if cond.shape > member || cond.shape == member && !again && len(on) == 2 {
		return append(leaves, l)
	}
	if cond.shape == member && !again {
		on = append(slices.Clone(on), cond.x)
	}
	for i, branch := range [][]program.Stmt{s.Then, s.Else} {
		taken := cond
		if i == 1 {
			taken = c.not(cond)
		}
		guard := c.conjunction(2, func(k int) formula { return []formula{l.guard, taken}[k] })
		if guard.shape != never {
			leaves = c.split(leaves, leaf{l.rule, guard, branch}, on)
		}
	}
	return leaves
}

type block struct {
	rules   uint64 // those that can step at all
	filters []filter
}

type filter struct {
	place
	rows []uint64 // by value
}

// candidates returns the rules of a block whose guards the filters let pass.
func (b *block) candidates(s []uint64) uint64 {
	rules := b.rules
	for i := range b.filters {
		f := &b.filters[i]
		rules &= f.rows[f.of(s)]
	}
	return rules
}

// block makes the filters of up to 64 rules and leaves in their guards what the filters do
// not ask.
func (c *compiler) block(guards []formula) block {
	var b block
	passes := make([]float64, len(guards)) // the part of the states in which a rule passes, if values were even
	for i, g := range guards {
		if passes[i] = 1; g.shape != never {
			b.rules |= 1 << i
		}
	}
	gains := map[int]float64{}
	for {
		clear(gains)
		best := -1
		for i := range guards {
			for _, m := range guards[i].members() {
				x := int(m.x)
				gains[x] += passes[i] * (1 - c.part(m))
				if best < 0 || gains[x] > gains[best] || gains[x] == gains[best] && x < best {
					best = x
				}
			}
		}
		if best < 0 || gains[best] < 1 {
			return b
		}
		b.filters = append(b.filters, c.filter(guards, passes, best))
	}
}

// part is which part of a variable's values a member lets pass.
func (c *compiler) part(m formula) float64 {
	return float64(bits.OnesCount64(m.set)) / float64(c.p.Variables[m.x].Values)
}

// filter makes the filter of a variable and takes what it asks out of the guards.
func (c *compiler) filter(guards []formula, passes []float64, x int) filter {
	f := filter{}
	for i := range guards {
		for k, m := range guards[i].members() {
			if int(m.x) != x {
				continue
			}
			if f.rows == nil {
				f.place = c.place(m.x)
				f.rows = make([]uint64, f.mask+1)
				for v := range f.rows {
					f.rows[v] = ^uint64(0)
				}
			}
			for v := range f.rows {
				if m.set>>v&1 == 0 {
					f.rows[v] &^= 1 << i
				}
			}
			passes[i] *= c.part(m)
			guards[i] = guards[i].without(k)
			break
		}
	}
	return f
}

// members are the parts of a conjunction that ask for the value of a variable.
func (f *formula) members() []formula {
	switch f.shape {
	case member:
		return []formula{*f}
	case all:
		n := 0
		for n < len(f.parts) && f.parts[n].shape == member {
			n++
		}
		return f.parts[:n]
	}
	return nil
}

// without is a conjunction less its k-th part.
func (f formula) without(k int) formula {
	if f.shape == member {
		return formula{}
	}
	parts := append(append([]formula(nil), f.parts[:k]...), f.parts[k+1:]...)
	return formula{shape: all, parts: parts}
}
