package compiled

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/seed-105a2da2/unknot/spec/program"
)

// What a step may change of the truth of a formula.
//
// A step moves what lies at some places: each place has all pairs of what can be there before
// and behind the step. A formula is the same behind the step if it is for each move by
// itself, whatever the rest of the state is: so says each conjunction, disjunction or sum of
// what it asks at one place. That a FIFO moves up changes no count of messages but that of
// the one that leaves.

type moves struct {
	all []move
	of  []int // by variable: the number of its move, or stays

	beside []formula // see gather
}

const stays = -1

// move is all that a place can have before and behind a step. It has no cases of a variable
// with too many values for a set.
type move struct{ cases []shift }

// shift is what a word has at a place, before and behind a step.
type shift [2]uint64

// moves returns what an effect moves, from the values that variables can have, and makes
// those behind it known.
func (c *compiler) moves(effect []program.Stmt) moves {
	before := slices.Clone(c.sets)
	steps := c.effect(effect).steps
	m := moves{of: slices.Repeat([]int{stays}, len(c.sets))}
	for i := range steps {
		if alone(steps, i) {
			c.moved(&m, steps, i, before)
		}
	}
	eachSet(effect, func(x program.Var) {
		if m.of[x] != stays {
			return
		}
		m.of[x] = len(m.all)
		mv, at := move{}, c.place(x)
		first := uint64(bits.TrailingZeros64(before[x])) << at.shift
		for set := before[x] | c.sets[x]; set != 0; set &= set - 1 {
			mv.cases = append(mv.cases, shift{first, uint64(bits.TrailingZeros64(set)) << at.shift})
		}
		m.all = append(m.all, mv)
	})
	return m
}

// alone reports whether a step of an effect is a look, in the word that it changes, at a
// place that no other step changes. If it is skipped at times, nothing moves.
func alone(steps []step, i int) bool {
	t := &steps[i]
	if t.kind != look || t.to != t.word {
		return false
	}
	for k := range steps {
		if u := &steps[k]; k != i && u.writes(t.word)&(t.mask<<t.shift) != 0 {
			return false
		}
	}
	return true
}

// mostCases bounds the cases of a move.
const mostCases = 1 << 10

// moved adds the move of a look that is alone: of what lies at its place, and of what else
// it alone changes, as far as that is not too much.
func (c *compiler) moved(m *moves, steps []step, i int, before []uint64) {
	t, own, others := &steps[i], steps[i].writes(steps[i].to), uint64(0) // what it changes, and what other steps do
	for k := range steps {
		if k != i {
			others |= steps[k].writes(t.word)
		}
	}
	words := []uint64{0} // all that can be there before
	var vars []program.Var
	whole := uint64(0)
	for x, set := range before {
		at := c.place(program.Var(x))
		field := at.mask << at.shift
		seen := field&(t.mask<<t.shift) != 0
		if at.word != t.word || !seen && field&own == 0 {
			continue
		}
		if fits := set != 0 && len(words)*bits.OnesCount64(set) <= mostCases; seen && !fits {
			return
		} else if !fits || field&others != 0 {
			continue
		}
		more := make([]uint64, 0, len(words)*bits.OnesCount64(set))
		for ; set != 0; set &= set - 1 {
			for _, word := range words {
				more = append(more, word|uint64(bits.TrailingZeros64(set))<<at.shift)
			}
		}
		words, vars, whole = more, append(vars, program.Var(x)), whole|field
	}
	mv := move{make([]shift, 0, len(words))}
	for _, word := range words {
		if e := t.entries[word>>t.shift&t.mask]; !e.fails() {
			mv.cases = append(mv.cases, shift{word, (word&e.keep | e.set) & whole})
		}
	}
	for _, x := range vars {
		m.of[x] = len(m.all)
	}
	m.all = append(m.all, mv)
}

// left is what is to be asked of a formula that held before a step. If one part of a
// disjunction may change, a conjunction, each conjunct of it or else the other parts held,
// and do where the conjunct does not change. If a variable that stays tells which part of
// a disjunction can hold, that one held.
func (m *moves) left(c *compiler, f formula) formula {
	changes := func(p formula) bool { return m.tells(c, p) }
	if f.shape != all && f.shape != some {
		if changes(f) {
			return f
		}
		return formula{}
	}
	units := m.units(f)
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
		if i < 0 {
			return formula{}
		}
		if x, apart := m.apart(units); apart {
			for i, p := range units {
				units[i] = m.told(c, p, x)
			}
		} else if units[i].shape == all && !slices.ContainsFunc(units[i+1:], changes) {
			units[i] = m.left(c, units[i])
		}
	}
	f.parts = make([]formula, 0, len(f.parts))
	for _, p := range units {
		if p.shape == f.shape {
			f.parts = append(f.parts, p.parts...)
		} else {
			f.parts = append(f.parts, p)
		}
	}
	slices.SortStableFunc(f.parts, func(a, b formula) int { return cmp.Compare(truth(a.shape != member), truth(b.shape != member)) })
	return f
}

// apart returns a variable that stays and tells which part of a disjunction can hold, as each asks
// for other values of it.
func (m *moves) apart(parts []formula) (x program.Var, ok bool) {
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

// of returns the values of a variable that a conjunct asks for, 0 if none does.
func (f *formula) of(x program.Var) uint64 {
	for _, p := range f.conjuncts() {
		if p.shape == member && p.x == x {
			return p.set
		}
	}
	return 0
}

// told is what is to be asked of a part of a disjunction that held before a step if a variable
// has the values that it asks for: whether it has, and what is left of the part.
func (m *moves) told(c *compiler, f formula, x program.Var) formula {
	if f.shape == all {
		parts := []formula{{shape: member, x: x, set: f.of(x)}}
		if rest := m.left(c, f); rest.shape == all {
			parts = append(parts, rest.parts...)
		}
		f.parts = parts
	}
	return f
}

// units divides a conjunction or disjunction: what it asks of variables that move together
// is one, of the same shape.
func (m *moves) units(f formula) (units []formula) {
	of := map[int]int{} // by move: its unit
	units = make([]formula, 0, len(f.parts))
	for _, p := range f.parts {
		if p.shape == member && m.of[p.x] != stays {
			if k, known := of[m.of[p.x]]; known {
				units[k].parts = append(units[k].parts, p)
				continue
			}
			of[m.of[p.x]] = len(units)
			p = formula{shape: f.shape, parts: []formula{p}}
		}
		units = append(units, p)
	}
	return units
}

// gather puts beside each other the members among parts that move together with the i-th,
// unless one before it does.
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

// tells reports whether a step may change the value of a formula. What one asks of
// variables that move together is asked as a whole.
func (m *moves) tells(c *compiler, f formula) bool {
	switch f.shape {
	case member:
		if m.of[f.x] == stays {
			return false
		}
		at := c.place(f.x)
		for _, s := range m.all[m.of[f.x]].cases {
			if f.set>>(s[0]>>at.shift&at.mask)&1 != f.set>>(s[1]>>at.shift&at.mask)&1 {
				return true
			}
		}
		return false
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
				beside := formula{shape: f.shape, parts: m.beside}
				if m.all[k].changes(func(word uint64) int { return truth(c.told(beside, word)) }) {
					return true
				}
			}
		}
		return false
	case compare:
		together := map[int][]table{} // by move
		for _, t := range f.sum.tables {
			if i := m.of[t.x]; i != stays {
				together[i] = append(together[i], t)
			}
		}
		for i, tables := range together {
			if m.all[i].changes(func(word uint64) (sum int) {
				for k := range tables {
					t := &tables[k]
					if v := word >> t.shift & t.mask; v < uint64(len(t.values)) {
						sum += t.values[v]
					}
				}
				return sum
			}) {
				return true
			}
		}
		return slices.ContainsFunc(f.sum.rest, func(r term) bool {
			if r.cond != nil {
				return m.tells(c, *r.cond)
			}
			return r.value != nil || m.of[r.x] != stays
		})
	}
	return false
}

// changes reports whether a function of what lies at a move's place may change.
func (m *move) changes(of func(word uint64) int) bool {
	return slices.ContainsFunc(m.cases, func(s shift) bool { return of(s[0]) != of(s[1]) })
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}

func eachSet(list []program.Stmt, f func(x program.Var)) {
	for i := range list {
		if s := &list[i]; s.Assigns() {
			f(s.Var)
		} else {
			eachSet(s.Then, f)
			eachSet(s.Else, f)
		}
	}
}
