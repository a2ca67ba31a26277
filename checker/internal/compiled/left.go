package compiled

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/seed-105a2da2/unknot/spec/program"
)

// What is left to check of a formula that held before a step.
//
// A formula keeps its value in a step if it does for each move by itself, whatever the rest
// of the state is: a conjunction, disjunction or sum does if its part about each move does. In
// a sum the moves may also cancel out: where a message goes from one FIFO to another, no
// count of messages changes. And a disjunction holds if its part about one move holds in all
// cases after the step.

// left returns what must be checked of a formula that held before a step. For a disjunction of
// which one part, a conjunction, may change: each conjunct of it that may change; otherwise the
// other parts held, and still do. If a variable that stays tells which part of a disjunction
// can hold, that one held.
func (m *moves) left(c *compiler, f formula) formula {
	changes := func(p formula) bool { return m.tells(c, p) }
	if f.shape != all && f.shape != some {
		if changes(f) {
			return f
		}
		return formula{}
	}
	units := m.units(c, f)
	switch f.shape {
	case all:
		units = slices.DeleteFunc(units, func(p formula) bool { return !changes(p) })
		if len(units) == 0 {
			return formula{}
		}
		for i, p := range units {
			if p.shape == some {
				units[i] = m.left(c, p)
			}
		}
	case some:
		i := slices.IndexFunc(units, changes)
		if i < 0 || slices.ContainsFunc(units, func(p formula) bool { return m.certain(c, p) }) {
			return formula{}
		}
		if x, apart := m.distinguishing(units); apart {
			for i, p := range units {
				units[i] = m.leftOf(c, p, x)
			}
		} else if units[i].shape == all && !slices.ContainsFunc(units[i+1:], changes) {
			units[i] = m.left(c, units[i])
		}
	}
	f.parts = c.lent.take(len(f.parts))
	for _, p := range units {
		if p.shape == f.shape {
			f.parts = append(f.parts, p.parts...)
		} else {
			f.parts = append(f.parts, p)
		}
	}
	slices.SortStableFunc(f.parts, func(a, b formula) int {
		return cmp.Compare(truth(a.shape != member), truth(b.shape != member))
	})
	return f
}

// distinguishing returns a variable that stays and tells which part of a disjunction can hold, as no two
// parts hold for the same value of it.
func (m *moves) distinguishing(parts []formula) (x program.Var, ok bool) {
	for _, first := range parts[0].conjuncts() {
		if first.shape != member || m.of[first.x] != stays {
			continue
		}
		seen := uint64(0)
		if !slices.ContainsFunc(parts, func(p formula) bool {
			set := p.of(first.x)
			both := seen & set
			seen |= set
			return set == 0 || both != 0
		}) {
			return first.x, true
		}
	}
	return 0, false
}

// of returns the values of a variable for which a conjunct about it alone holds; 0 if there is no such conjunct.
func (f *formula) of(x program.Var) uint64 {
	for _, p := range f.conjuncts() {
		if p.shape == member && p.x == x {
			return p.set
		}
	}
	return 0
}

// leftOf returns what must be checked of a part of a disjunction that held before a step, where x tells
// the parts apart: that x has the values that the part requires, and what is left of the part.
func (m *moves) leftOf(c *compiler, f formula, x program.Var) formula {
	if f.shape == all {
		parts := []formula{{shape: member, x: x, set: f.of(x)}}
		if rest := m.left(c, f); rest.shape == all {
			parts = append(parts, rest.parts...)
		}
		f.parts = parts
	}
	return f
}

// units divides a conjunction or disjunction into units of the same shape: its members about
// variables that move together are one unit.
func (m *moves) units(c *compiler, f formula) (units []formula) {
	of := map[int]int{} // by move: its unit
	units = c.lent.take(len(f.parts))
	for _, p := range f.parts {
		if p.shape == member && m.of[p.x] != stays {
			if k, known := of[m.of[p.x]]; known {
				units[k].parts = append(units[k].parts, p)
				continue
			}
			of[m.of[p.x]] = len(units)
			p = formula{shape: f.shape, parts: append(c.lent.take(1), p)}
		}
		units = append(units, p)
	}
	return units
}

// gather collects the members among parts that move together with the i-th; false if an
// earlier one does, too.
func (m *moves) gather(parts []formula, i int) bool {
	m.beside = m.beside[:0]
	for k := range parts {
		if p := &parts[k]; p.shape == member && m.of[p.x] == m.of[parts[i].x] {
			if k < i {
				return false
			}
			m.beside = append(m.beside, *p)
		}
	}
	return true
}

// tells reports whether a step may change the value of a formula. Its members about
// variables that move together are taken as a whole.
func (m *moves) tells(c *compiler, f formula) bool {
	switch f.shape {
	case member:
		return m.crosses(&f)
	case equal:
		return m.of[f.x] != stays
	case all, some:
		for i := range f.parts {
			p := &f.parts[i]
			if p.shape != member {
				if m.tells(c, *p) {
					return true
				}
			} else if k := m.of[p.x]; k != stays && m.gather(f.parts, i) {
				crosses := func(p formula) bool { return m.crosses(&p) }
				if !slices.ContainsFunc(m.beside, crosses) {
					continue
				}
				beside := formula{shape: f.shape, parts: m.beside}
				if len(m.beside) == 1 ||
					m.all[k].changes(func(s []uint64) int { return truth(c.evaluate(beside, s)) }) {
					return true
				}
			}
		}
		return false
	case compare:
		var together map[int][]table // by move: those that do not always grow as much
		more := 0                    // how much the sum grows
		for _, t := range f.sum.tables {
			if by, always := m.grows(&t); always {
				more += by
				continue
			}
			if together == nil {
				together = map[int][]table{}
			}
			together[m.of[t.x]] = append(together[m.of[t.x]], t)
		}
		for i, tables := range together {
			by, always := m.all[i].grows(func(s []uint64) (sum int) {
				for k := range tables {
					sum += tables[k].of(s)
				}
				return sum
			})
			if !always {
				return true
			}
			more += by
		}
		return more != 0 || slices.ContainsFunc(f.sum.rest, func(r term) bool {
			if r.cond != nil {
				return m.tells(c, *r.cond)
			}
			return r.value != nil || m.of[r.x] != stays
		})
	}
	return false
}

// crosses reports whether a step may take the variable of a member into its set or out of it.
func (m *moves) crosses(f *formula) bool {
	for v, after := range m.after[f.x] {
		in := -(f.set >> v & 1) // all ones, or zeros
		if after&(f.set^in) != 0 {
			return true
		}
	}
	return false
}

// grows returns by how much a table grows in a step, if that is constant.
func (m *moves) grows(t *table) (by int, always bool) {
	first := true
	for v, after := range m.after[t.x] {
		for ; after != 0; after &= after - 1 {
			more := t.number(uint64(bits.TrailingZeros64(after))) - t.number(uint64(v))
			if first {
				by, first = more, false
			}
			if more != by {
				return 0, false
			}
		}
	}
	return by, true
}

// changes reports whether a function of a move's variables may change.
func (m *move) changes(of func(s []uint64) int) bool {
	return m.any(func(before, after []uint64) bool { return of(before) != of(after) })
}

// certain reports whether a unit of members that move together holds after every step.
func (m *moves) certain(c *compiler, unit formula) bool {
	if unit.shape != some || unit.parts[0].shape != member || m.of[unit.parts[0].x] == stays {
		return false
	}
	return !m.all[m.of[unit.parts[0].x]].any(func(_, after []uint64) bool { return !c.evaluate(unit, after) })
}

// grows returns by how much a function of a move's variables grows, if that is constant.
func (m *move) grows(of func(s []uint64) int) (by int, always bool) {
	first := true
	differs := m.any(func(before, after []uint64) bool {
		more := of(after) - of(before)
		if first {
			by, first = more, false
		}
		return more != by
	})
	return by, !differs
}
