package compiled

import (
	"slices"

	"github.com/seed-105a2da2/unknot/spec/program"
)

// Normal forms of expressions.
//
// What depends on one variable of at most 64 values is tabulated: a truth value is the set
// of values for which it holds, a bit each; a number is a sum of tables. Conjunctions intersect
// the sets of a variable, negation goes inwards, and a sum that is compared with its least or
// largest value is a conjunction over its variables. The compiler tracks which values each
// variable can have where an expression is evaluated, from the guard, from the conditions
// around it and from earlier assignments. The invariant is that a formula need only be right
// for those values, and is evaluated nowhere else.

// truth brings a truth value into normal form.
func (c *compiler) truth(e *program.Expr) formula {
	switch e.Op {
	case program.Conjunction:
		return c.conjunction(len(e.Args), func(i int) formula { return c.truth(&e.Args[i]) })
	case program.Disjunction:
		return c.junction(some, len(e.Args), func(i int) formula { return c.truth(&e.Args[i]) })
	case program.Negation:
		return c.not(c.truth(&e.Args[0]))
	}
	n := &number{}
	c.add(n, &e.Args[0], 1)
	c.add(n, &e.Args[1], -1)
	bound := -n.constant
	n.constant = 0
	switch e.Op {
	case program.Equal:
		return c.comparison(n, false, bound)
	case program.NotEqual:
		return c.not(c.comparison(n, false, bound))
	case program.Less:
		return c.comparison(n, true, bound)
	default:
		return c.comparison(n, true, bound+1)
	}
}

// add adds a multiple of an expression to a sum.
func (c *compiler) add(n *number, e *program.Expr, factor int) {
	switch e.Op {
	case program.Constant:
		n.constant += factor * e.Value
	case program.Read:
		x := program.Var(e.Value)
		if c.full(x) != 0 {
			c.tabulate(n, x, func(v int) int { return factor * v })
			return
		}
		n.rest = append(n.rest, term{factor: factor, place: c.place(x), x: x})
	case program.Plus, program.Minus:
		c.add(n, &e.Args[0], factor)
		if e.Op == program.Minus {
			factor = -factor
		}
		c.add(n, &e.Args[1], factor)
	case program.Times:
		c.multiply(n, c.number(&e.Args[0]), c.number(&e.Args[1]), factor)
	default:
		c.choose(n, e, factor)
	}
}

// number brings a number into normal form.
func (c *compiler) number(e *program.Expr) *number {
	n := &number{}
	c.add(n, e, 1)
	return n
}

func (c *compiler) multiply(n, a, b *number, factor int) {
	if len(b.tables)+len(b.rest) == 0 {
		a, b = b, a
	}
	if len(a.tables)+len(a.rest) == 0 {
		if k := factor * a.constant; k != 0 {
			c.merge(n, b, k)
		}
		return
	}
	if len(a.tables) == 1 && a.of(a.tables[0].x) && b.of(a.tables[0].x) {
		c.tabulate(n, a.tables[0].x, func(v int) int { return factor * a.entry(v) * b.entry(v) })
		return
	}
	c.ready(a)
	c.ready(b)
	n.rest = append(n.rest, term{factor: factor, value: func(s []uint64) int { return a.value(s) * b.value(s) }})
}

// choose adds a multiple of one of two numbers.
func (c *compiler) choose(n *number, e *program.Expr, factor int) {
	cond := c.truth(&e.Args[0])
	if cond.shape <= never {
		c.add(n, &e.Args[1+int(cond.shape)], factor)
		return
	}
	mark := len(c.trail)
	c.assume(cond)
	a := c.number(&e.Args[1])
	c.forget(mark)
	c.assume(c.not(cond))
	b := c.number(&e.Args[2])
	c.forget(mark)
	if cond.shape == member && a.of(cond.x) && b.of(cond.x) {
		c.tabulate(n, cond.x, func(v int) int {
			if cond.set>>v&1 != 0 {
				return factor * a.entry(v)
			}
			return factor * b.entry(v)
		})
		return
	}
	if len(a.tables)+len(a.rest)+len(b.tables)+len(b.rest) == 0 {
		n.constant += factor * b.constant
		if factor *= a.constant - b.constant; factor != 0 {
			n.rest = append(n.rest, term{factor: factor, cond: &cond})
		}
		return
	}
	c.ready(a)
	c.ready(b)
	at, code := c.entry(cond), c.code
	n.rest = append(n.rest, term{factor: factor, value: func(s []uint64) int {
		if code.holds(s, at) {
			return a.value(s)
		}
		return b.value(s)
	}})
}

// simplify remakes a formula with what is known of the variables.
func (c *compiler) simplify(f formula) formula {
	switch f.shape {
	case member:
		return c.membership(f.x, f.set)
	case compare:
		if !slices.ContainsFunc(f.sum.tables, func(t table) bool { return c.sets[t.x] != c.full(t.x) }) {
			return f
		}
		n := &number{}
		c.merge(n, f.sum, 1)
		bound := f.bound - n.constant
		n.constant = 0
		if g := c.comparison(n, f.less, bound); f.negated {
			return c.not(g)
		} else {
			return g
		}
	case all:
		return c.conjunction(len(f.parts), func(i int) formula { return c.simplify(f.parts[i]) })
	case some:
		return c.junction(some, len(f.parts), func(i int) formula { return c.simplify(f.parts[i]) })
	}
	return f
}
