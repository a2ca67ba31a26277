package compiled

import (
	"slices"

	"github.com/seed-105a2da2/unknot/spec/program"
)

// number is a sum: of a constant, a table for each of some variables, and other
// terms.
type number struct {
	constant int
	tables   []table
	rest     []term
	counts   []count  // of the tables, those that test fields in one word
	lookups  []lookup // the other tables, as lookups
	masked   []masks  // conditions decided by bits of a word
	others   []term   // the remaining terms
	code     *code    // of their conditions
}

// lookup is a table indexed by the values of adjacent variables.
type lookup struct {
	place
	values []int
}

// masks is a number added if bits of a word are as wanted.
type masks struct {
	factor     int
	word       int32
	mask, want uint64
}

// count is a multiple of how many fields match.
type count struct {
	factor int
	word   int32
	fields
}

type table struct {
	place
	x      program.Var
	values []int // by value of x
}

// term is a multiple of a function of the state, of a variable that is not tabulated, or of 1
// if a condition holds.
type term struct {
	factor int
	value  func(s []uint64) int
	cond   *formula
	entry  int32 // of the condition
	place
	x program.Var
}

// value returns the number in a state.
func (n *number) value(s []uint64) int {
	v := n.constant
	for i := range n.counts {
		t := &n.counts[i]
		v += t.factor * t.count(s[t.word])
	}
	for i := range n.lookups {
		t := &n.lookups[i]
		v += t.values[t.of(s)]
	}
	for i := range n.masked { // whether they hold is unpredictable
		t, so := &n.masked[i], 0
		if s[t.word]&t.mask == t.want {
			so = 1
		}
		v += t.factor * so
	}
	for i := range n.others {
		switch r := &n.others[i]; {
		case r.value != nil:
			v += r.factor * r.value(s)
		case r.cond == nil:
			v += r.factor * int(r.of(s))
		case n.code.holds(s, r.entry):
			v += r.factor
		}
	}
	return v
}

// summand is a part of a sum that depends on one place of a word.
type summand struct {
	place
	of func(word uint64) int
}

// ready makes the lookups of a number and the code of its other conditions.
func (c *compiler) ready(n *number) {
	n.counts, n.lookups, n.masked, n.others, n.code = nil, nil, nil, nil, c.code
	var parts []summand
	var own [1 << sideBits]int
	var tests []numbered
	for i := range n.tables {
		t := &n.tables[i]
		if y, set := t.only(); set != 0 {
			if f := c.byBits(formula{shape: member, x: t.x, set: set}); f.kind == masked {
				tests = append(tests, numbered{f, y, i})
				continue
			}
		}
		parts = append(parts, t.summand())
	}
	tests = eachFields(tests, func(y int, word int32, of fields) { n.counts = append(n.counts, count{y, word, of}) })
	for _, f := range tests {
		parts = append(parts, n.tables[f.index].summand())
	}
	for _, r := range n.rest {
		if r.cond != nil {
			if at, ok := c.span(*r.cond); ok {
				parts = append(parts, summand{at, func(word uint64) int { return r.factor * truth(c.evaluate(*r.cond, c.with(at.word, word))) }})
				continue
			}
			if t, ok := c.bitsOf(r.cond.conjuncts()); ok {
				n.masked = append(n.masked, masks{r.factor, t.word, t.mask, t.want})
				continue
			}
			r.entry = c.entry(*r.cond)
		}
		n.others = append(n.others, r)
	}
	sideBySide(parts, func(p *summand) place { return p.place }, func(group []summand, at place) {
		l := lookup{at, make([]int, at.mask+1)}
		for _, p := range group {
			own := own[:p.mask+1] // of what lies there alone
			for v := range own {
				own[v] = p.of(uint64(v) << p.shift)
			}
			for v := range l.values {
				l.values[v] += own[uint64(v)>>(p.shift-at.shift)&p.mask]
			}
		}
		n.lookups = append(n.lookups, l)
	})
}

// summand is the table as a part of a sum.
func (t *table) summand() summand {
	return summand{t.place, func(word uint64) int { return t.at(word >> t.shift & t.mask) }}
}

// at is the table's number for a value; 0 if it has none.
func (t *table) at(v uint64) int {
	if v < uint64(len(t.values)) {
		return t.values[v]
	}
	return 0
}

// of is the table's number in a state.
func (t *table) of(s []uint64) int { return t.at(t.place.of(s)) }

// only returns the only number other than 0 in a table, and the values that have it; 0 unless there
// is exactly one such number.
func (t *table) only() (y int, set uint64) {
	for v, z := range t.values {
		switch {
		case z == 0:
		case set != 0 && z != y:
			return 0, 0
		default:
			y, set = z, set|1<<v
		}
	}
	return y, set
}

// where is the set of values for which a table has y.
func (t *table) where(y int) (set uint64) {
	for v, z := range t.values {
		if z == y {
			set |= 1 << v
		}
	}
	return set
}

// bounds returns the least and largest number of a table for the values in a set.
func (t *table) bounds(set uint64) (least, most int) {
	first := true
	for v, y := range t.values {
		if set>>v&1 != 0 {
			if first {
				least, most, first = y, y, false
			}
			least, most = min(least, y), max(most, y)
		}
	}
	return least, most
}

// bounds returns the least and largest value of a sum without its constant; ok is false if the
// bounds of a term are not known.
func (c *compiler) bounds(n *number) (least, most int, ok bool) {
	for i := range n.tables {
		a, b := n.tables[i].bounds(c.sets[n.tables[i].x])
		least, most = least+a, most+b
	}
	for _, r := range n.rest {
		if r.cond == nil {
			return least, most, false
		}
		least, most = least+min(r.factor, 0), most+max(r.factor, 0)
	}
	return least, most, true
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

// of reports whether a number is a table of x, or a constant.
func (n *number) of(x program.Var) bool {
	return len(n.rest) == 0 && (len(n.tables) == 0 || len(n.tables) == 1 && n.tables[0].x == x)
}

// at returns the value of a number that is a table.
func (n *number) at(v int) int {
	if len(n.tables) == 0 {
		return n.constant
	}
	return n.constant + n.tables[0].values[v]
}

// merge adds a multiple of one sum to another.
func (c *compiler) merge(n, o *number, factor int) {
	n.constant += factor * o.constant
	for i := range o.tables {
		t := &o.tables[i]
		c.tabulate(n, t.x, func(v int) int { return factor * t.values[v] })
	}
	for _, r := range o.rest {
		r.factor *= factor
		n.rest = append(n.rest, r)
	}
}

// tabulate adds a function of a variable to a sum.
func (c *compiler) tabulate(n *number, x program.Var, f func(v int) int) {
	i := slices.IndexFunc(n.tables, func(t table) bool { return t.x == x })
	if i < 0 {
		i = len(n.tables)
		n.tables = append(n.tables, table{c.place(x), x, make([]int, c.p.Variables[x].Values)})
	}
	t := &n.tables[i]
	for v := range t.values {
		if c.sets[x]>>v&1 != 0 {
			t.values[v] += f(v)
		}
	}
	if least, most := t.bounds(c.sets[x]); least == most {
		n.constant += least
		n.tables = slices.Delete(n.tables, i, i+1)
	}
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
		c.tabulate(n, a.tables[0].x, func(v int) int { return factor * a.at(v) * b.at(v) })
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
				return factor * a.at(v)
			}
			return factor * b.at(v)
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
