package compiled

import (
	"slices"

	"github.com/seed-105a2da2/unknot/spec/program"
)

// summand is a part of a sum that depends on one place of a word.
type summand struct {
	place
	of func(word uint64) int
}

// summand is the table as a part of a sum.
func (t *table) summand() summand {
	return summand{t.place, func(word uint64) int { return t.number(word >> t.shift & t.mask) }}
}

// onlyNonzero returns the onlyNonzero number other than 0 in a table, and the values that have it; 0 unless there
// is exactly one such number.
func (t *table) onlyNonzero() (y int, set uint64) {
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

// of reports whether a number is a table of x, or a constant.
func (n *number) of(x program.Var) bool {
	return len(n.rest) == 0 && (len(n.tables) == 0 || len(n.tables) == 1 && n.tables[0].x == x)
}

// entry returns the value of a number that is a table.
func (n *number) entry(v int) int {
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
