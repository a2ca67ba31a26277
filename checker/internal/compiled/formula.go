package compiled

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"

	"github.com/seed-105a2da2/unknot/spec/program"
)

// not returns the negation.
func (c *compiler) not(f formula) formula {
	switch f.shape {
	case always:
		f.shape = never
	case never:
		f.shape = always
	case member:
		f.set = c.full(f.x) &^ f.set
	case compare, equal:
		f.negated = !f.negated
	default:
		f.shape = all + some - f.shape
		parts := make([]formula, len(f.parts))
		for i := range f.parts {
			parts[i] = c.not(f.parts[i])
		}
		f.parts = parts
	}
	return f
}

// membership is the formula that a variable's value is membership a set.
func (c *compiler) membership(x program.Var, set uint64) formula {
	switch set &= c.sets[x]; set {
	case c.sets[x]:
		return formula{}
	case 0:
		return formula{shape: never}
	}
	return formula{shape: member, x: x, set: set}
}

// conjunction is the formula that all of some parts hold.
func (c *compiler) conjunction(parts int, part func(i int) formula) formula {
	return c.junction(all, parts, part)
}

// junction is the formula that all parts hold, or that some part holds: the negation of all
// failing. Each part is made knowing that those before it hold, or fail.
func (c *compiler) junction(shape shape, parts int, part func(i int) formula) formula {
	mark := len(c.trail)
	idle, ends := always, never // what changes nothing, and what decides
	if shape == some {
		idle, ends = never, always
	}
	values := func(x program.Var, set uint64) uint64 { // complemented for a disjunction
		if shape == some {
			return c.full(x) &^ set
		}
		return set
	}
	var others []formula
	var join func(f formula) bool
	join = func(f formula) bool {
		switch f.shape {
		case idle:
		case ends:
			return false
		case member:
			c.learn(f.x, c.sets[f.x]&values(f.x, f.set))
			return c.sets[f.x] != 0
		case shape:
			for _, p := range f.parts {
				if !join(p) {
					return false
				}
			}
		default:
			others = append(others, f)
		}
		return true
	}
	for i := range parts {
		if !join(part(i)) {
			c.forget(mark)
			return formula{shape: ends}
		}
	}
	f := formula{shape: shape, parts: make([]formula, 0, len(c.trail)-mark+len(others))}
	for _, l := range c.trail[mark:] {
		if !slices.ContainsFunc(f.parts, func(m formula) bool { return m.x == l.x }) {
			f.parts = append(f.parts, formula{shape: member, x: l.x, set: values(l.x, c.sets[l.x])})
		}
	}
	c.forget(mark)
	f.parts = append(f.parts, others...)
	switch len(f.parts) {
	case 0:
		return formula{shape: idle}
	case 1:
		return f.parts[0]
	}
	return f
}

// comparison is the formula that a sum with constant 0 is equal to a bound, or less.
func (c *compiler) comparison(n *number, less bool, bound int) formula {
	least, most, ok := c.bounds(n)
	if !ok {
		if r := &n.rest[0]; !less && len(n.rest) == 1 && len(n.tables) == 0 && r.value == nil &&
			r.factor*r.factor == 1 {
			if v := r.factor * bound; v >= 0 && v < c.p.Variables[r.x].Values {
				return formula{shape: equal, x: r.x, bound: v}
			}
			return formula{shape: never}
		}
		return formula{shape: compare, sum: n, less: less, bound: bound}
	}
	extreme := func(low bool) formula {
		return c.conjunction(len(n.tables)+len(n.rest), func(i int) formula {
			if i >= len(n.tables) {
				r := &n.rest[i-len(n.tables)]
				if r.factor > 0 == low {
					return c.not(*r.cond)
				}
				return *r.cond
			}
			t := &n.tables[i]
			y, high := t.bounds(c.sets[t.x])
			if !low {
				y = high
			}
			return c.membership(t.x, t.where(y))
		})
	}
	switch {
	case less && most < bound || !less && least == bound && most == bound:
		return formula{}
	case less && least >= bound || !less && (bound < least || most < bound):
		return formula{shape: never}
	case len(n.tables) == 1 && len(n.rest) == 0 && !less:
		return c.membership(n.tables[0].x, n.tables[0].where(bound))
	case len(n.tables) == 1 && len(n.rest) == 0:
		t := &n.tables[0]
		set := uint64(0)
		for v, y := range t.values {
			if y < bound {
				set |= 1 << v
			}
		}
		return c.membership(t.x, set)
	case less && (bound == least+1 || len(n.tables) == 0 && len(n.rest) == 1), !less && bound == least:
		return extreme(true)
	case !less && bound == most:
		return extreme(false)
	case less && bound == most:
		return c.not(extreme(false))
	}
	return formula{shape: compare, sum: n, less: less, bound: bound}
}

// conjuncts are the formulas whose conjunction f is.
func (f *formula) conjuncts() []formula {
	switch f.shape {
	case always:
		return nil
	case all:
		return f.parts
	}
	return []formula{*f}
}

// span returns the place of all variables that a formula reads; ok if it is one place no
// larger than tables can be.
func (c *compiler) span(f formula) (at place, ok bool) {
	switch f.shape {
	case member:
		at = c.place(f.x)
		return at, bits.Len64(at.mask) <= sideBits
	case all, some:
		if at, ok = c.span(f.parts[0]); !ok {
			return at, false
		}
		for _, p := range f.parts[1:] {
			other, small := c.span(p)
			if at, ok = at.join(other); !small || !ok {
				return at, false
			}
		}
		return at, true
	case compare:
		if len(f.sum.rest) > 0 {
			return at, false
		}
		at = f.sum.tables[0].place
		for _, t := range f.sum.tables[1:] {
			if at, ok = at.join(t.place); !ok {
				return at, false
			}
		}
		return at, true
	}
	return at, false
}

// reads calls what with the variables that a formula reads, or with all of them if it does
// not know.
func (f *formula) reads(c *compiler, what func(x program.Var)) {
	switch f.shape {
	case member, equal:
		what(f.x)
	case compare:
		for _, t := range f.sum.tables {
			what(t.x)
		}
		for _, r := range f.sum.rest {
			switch {
			case r.cond != nil:
				r.cond.reads(c, what)
			case r.value == nil:
				what(r.x)
			default:
				for x := range c.sets {
					what(program.Var(x))
				}
			}
		}
	}
	for i := range f.parts {
		f.parts[i].reads(c, what)
	}
}

// opaque reports whether a formula reads a number that only code can compute.
func (f *formula) opaque() bool {
	return f.sum != nil &&
		slices.ContainsFunc(f.sum.rest, func(r term) bool {
			return r.value != nil || r.cond != nil && r.cond.opaque()
		}) ||
		slices.ContainsFunc(f.parts, func(p formula) bool { return p.opaque() })
}

// evaluate returns the truth of a formula that is not opaque, in a state of which only the variables that it reads
// matter.
func (c *compiler) evaluate(f formula, s []uint64) bool {
	switch f.shape {
	case member:
		at := c.place(f.x)
		return f.set>>at.of(s)&1 != 0
	case equal:
		at := c.place(f.x)
		return (at.of(s) == uint64(f.bound)) != f.negated
	case compare:
		sum := f.sum.constant
		for i := range f.sum.tables {
			sum += f.sum.tables[i].of(s)
		}
		for i := range f.sum.rest {
			switch r := &f.sum.rest[i]; {
			case r.cond == nil:
				sum += r.factor * int(r.of(s))
			case c.evaluate(*r.cond, s):
				sum += r.factor
			}
		}
		return (f.less && sum < f.bound || !f.less && sum == f.bound) != f.negated
	}
	for _, p := range f.parts {
		if c.evaluate(p, s) != (f.shape == all) {
			return f.shape != all
		}
	}
	return f.shape == all
}

// oneWord is a state of which only one word matters.
func (c *compiler) oneWord(word int, bits uint64) []uint64 {
	c.one[word] = bits
	return c.one
}

// odds is the fraction of states in which a formula would hold if variables were uniform and
// independent.
func (c *compiler) odds(f formula) float64 {
	odds := 1.0
	switch f.shape {
	case member:
		return float64(bits.OnesCount64(f.set)) / float64(c.p.Variables[f.x].Values)
	case all:
		for _, p := range f.parts {
			odds *= c.odds(p)
		}
	case some:
		return 1 - c.odds(c.not(f))
	case never:
		return 0
	case compare, equal:
		return 0.5
	}
	return odds
}

// key appends an encoding that identifies a formula.
func (f *formula) key(b []byte) []byte {
	b = append(b, byte(f.shape), byte(truth(f.less)), byte(truth(f.negated)))
	b = binary.AppendVarint(binary.AppendUvarint(binary.AppendUvarint(b, uint64(f.x)), f.set), int64(f.bound))
	if f.sum != nil {
		for _, t := range f.sum.tables {
			b = binary.AppendUvarint(append(b, 't'), uint64(t.x))
			for _, v := range t.values {
				b = binary.AppendVarint(b, int64(v))
			}
		}
		for _, r := range f.sum.rest {
			b = binary.AppendUvarint(binary.AppendVarint(append(b, 'r'), int64(r.factor)), uint64(r.x))
			if r.cond != nil {
				b = r.cond.key(b)
			} else if r.value != nil {
				b = fmt.Appendf(b, "%p", f.sum)
			}
		}
	}
	for i := range f.parts {
		b = f.parts[i].key(b)
	}
	return append(b, ')')
}

// assume learns about variables from the fact that a formula holds.
func (c *compiler) assume(f formula) {
	switch f.shape {
	case member:
		c.learn(f.x, c.sets[f.x]&f.set)
	case all:
		for _, p := range f.parts {
			c.assume(p)
		}
	}
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}
