package compiled

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/seed-105a2da2/unknot/spec/program"
)

// What a step may change.
//
// Steps of an effect that depend on each other change their variables together: that is a move. It
// lists all pairs of values that its variables can have before and after the effect: what the steps
// make of each state of the variables that satisfies those conditions of the guard which read no
// others. The invariant: whenever the effect takes one state to another, the two, restricted to a
// move's variables, are a case of it. How moves relate to each other is ignored.

type moves struct {
	all   []move
	of    []int      // by variable: the number of its move, or stays
	after [][]uint64 // by variable that moves, by its value before: the values it can have after, a bit each

	beside []formula // see gather
}

const stays = -1

// move lists all values that some variables can have before and after a step, in states in which
// all others are 0: a state before, the one after it, and so on. It has no cases for variables
// with too many values for sets.
type move struct {
	words  int // of a state
	states []uint64
}

// any reports whether is holds for some case.
func (m *move) any(is func(before, after []uint64) bool) bool {
	for s := m.states; len(s) > 0; s = s[2*m.words:] {
		if is(s[:m.words], s[m.words:2*m.words]) {
			return true
		}
	}
	return false
}

// mostCases bounds the cases of a move: enough for three places of a FIFO, eight messages, and some conditions.
const mostCases = 1 << 11

// moves returns how the effect of a leaf moves the variables that asked accepts, given the values
// they can have, and leaves the values possible after the step as known.
func (c *compiler) moves(l *leaf, asked func(x program.Var) bool) moves {
	before := slices.Clone(c.sets)
	m := moves{of: slices.Repeat([]int{stays}, len(c.sets)), after: make([][]uint64, len(c.sets))}
	for _, p := range c.mergeSections(c.sections(c.effect(l.effect).steps)) {
		c.moved(&m, p, l.guard, before, asked)
	}
	return m
}

// section is a run of consecutive steps, and the bits of each word that they use.
type section struct {
	steps  []step
	looks  []uint64 // that they look at
	copies []uint64 // the looked-at bits on which what they set depends, if they are not skipped
	set    []uint64
}

// sections divides the steps of an effect into sections: steps skipped together, or single ones.
func (c *compiler) sections(steps []step) (all []section) {
	for len(steps) > 0 {
		n := 1
		if steps[0].kind == skip {
			n += steps[0].past
			if last := &steps[n-1]; last.kind == skipAlways {
				n += last.past
			}
		}
		p := section{
			steps: steps[:n], looks: make([]uint64, c.words), copies: make([]uint64, c.words),
			set: make([]uint64, c.words),
		}
		for i := range p.steps {
			p.touches(c, &p.steps[i])
		}
		all, steps = append(all, p), steps[n:]
	}
	return all
}

// touches adds the bits that a step uses.
func (p *section) touches(c *compiler, t *step) {
	read := func(x program.Var) {
		at := c.place(x)
		p.looks[at.word] |= at.mask << at.shift
		if t.kind == assign {
			p.copies[at.word] |= at.mask << at.shift
		}
	}
	switch t.kind {
	case look:
		p.looks[t.word] |= t.mask << t.shift
		p.copies[t.word] |= t.mask << t.shift
		p.set[t.to] |= t.writes(t.to)
	case assign:
		f := formula{shape: compare, sum: t.value}
		f.reads(c, read)
		p.set[t.word] |= ^t.keep
	case skip:
		t.asks.reads(c, read)
	}
}

// mergeSections merges sections where a later one looks at what an earlier one has set, or sets what
// that has set or copied. What an earlier one only tested was unchanged for it.
func (c *compiler) mergeSections(sections []section) (all []section) {
	var groups [][]int // of sections, ascending
	for i := range sections {
		group := []int{i}
		apart := groups[:0]
		for _, g := range groups {
			if slices.ContainsFunc(group, func(p int) bool {
				return slices.ContainsFunc(g, func(q int) bool {
					return sections[max(p, q)].meets(&sections[min(p, q)])
				})
			}) {
				group = append(group, g...)
			} else {
				apart = append(apart, g)
			}
		}
		slices.Sort(group)
		groups = append(apart, group)
	}
	for _, group := range groups {
		both := section{looks: make([]uint64, c.words), set: make([]uint64, c.words)}
		for _, i := range group {
			p := &sections[i]
			both.steps = append(both.steps, p.steps...)
			for k := range p.looks {
				both.looks[k], both.set[k] = both.looks[k]|p.looks[k], both.set[k]|p.set[k]
			}
		}
		all = append(all, both)
	}
	return all
}

// meets reports whether a section must be merged with an earlier one.
func (p *section) meets(q *section) bool {
	for k := range p.set {
		if p.set[k]&(q.set[k]|q.copies[k]) != 0 || p.looks[k]&q.set[k] != 0 {
			return true
		}
	}
	return false
}

// moved adds the move of a section. If there would be too many cases, every variable that it sets
// may become anything.
func (c *compiler) moved(m *moves, p section, guard formula, before []uint64, asked func(x program.Var) bool) {
	var looks, set []program.Var
	matters := false
	for x := range before {
		at := c.place(program.Var(x))
		field := at.mask << at.shift
		if p.set[at.word]&field != 0 {
			set = append(set, program.Var(x))
			matters = matters || asked(program.Var(x))
		} else if p.looks[at.word]&field != 0 {
			looks = append(looks, program.Var(x))
		}
	}
	if !matters {
		return
	}
	mv, ok := c.cases(p.steps, append(looks, set...), guard, before)
	if ok {
		for _, x := range set {
			after := uint64(0)
			for _, set := range m.note(c, x, mv) {
				after |= set
			}
			if after &= c.sets[x]; after != 0 { // else there is no such step
				c.learn(x, after)
			}
		}
		m.all = append(m.all, mv)
		return
	}
	for _, x := range set {
		at, mv := c.place(x), move{words: c.words}
		first := c.alone(at, uint64(bits.TrailingZeros64(before[x])))
		for values := before[x] | c.sets[x]; values != 0; values &= values - 1 {
			mv.states = append(append(mv.states, first...), c.alone(at, uint64(bits.TrailingZeros64(values)))...)
		}
		m.note(c, x, mv)
		m.all = append(m.all, mv)
	}
}

// note notes that a variable moves in the move to be appended, and returns its values after by those before.
func (m *moves) note(c *compiler, x program.Var, mv move) []uint64 {
	m.of[x] = len(m.all)
	if c.full(x) == 0 { // and no cases
		return nil
	}
	at := c.place(x)
	after := c.sides.take(int(at.mask) + 1)[:at.mask+1]
	clear(after)
	for s := mv.states; len(s) > 0; s = s[2*mv.words:] {
		after[at.of(s)] |= 1 << at.of(s[mv.words:])
	}
	m.after[x] = after
	return after
}

// cases runs steps from all states of some variables that the guard admits; ok is false if there
// are too many.
func (c *compiler) cases(steps []step, vars []program.Var, guard formula, before []uint64) (mv move, ok bool) {
	asked := slices.DeleteFunc(slices.Clone(guard.conjuncts()), func(f formula) bool {
		// members are known from before; opaque code belongs to another compiler, which may be running
		out := f.shape == member || f.opaque()
		f.reads(c, func(x program.Var) { out = out || !slices.Contains(vars, x) })
		return out
	})
	var first []program.Var // variables that the guard tests together, so that fewer states are made
	for _, f := range asked {
		f.reads(c, func(x program.Var) { first = append(first, x) })
	}
	slices.SortStableFunc(vars, func(a, b program.Var) int {
		return cmp.Compare(truth(!slices.Contains(first, a)), truth(!slices.Contains(first, b)))
	})
	pair := 2 * c.words // a state before, and room for the one after
	states := append(c.made[:0], make([]uint64, pair)...)
	for i, x := range vars {
		at := c.place(x)
		n, all := bits.OnesCount64(before[x]), len(states)
		if n == 0 || n*all > mostCases*pair {
			return mv, false
		}
		states = slices.Grow(states, (n-1)*all)
		for values := before[x]; values != 0; values &= values - 1 {
			value, more := uint64(bits.TrailingZeros64(values))<<at.shift, values&(values-1) != 0
			for i := 0; i < all; i += pair {
				to := states[i:]
				if more { // the last value overwrites the state that the others were copied from
					states = append(states, states[i:i+pair]...)
					to = states[len(states)-pair:]
				}
				to[at.word] |= value
			}
		}
		for _, f := range asked { // those whose last variable this is
			last, known := false, true
			f.reads(c, func(y program.Var) { last, known = last || y == x, known && slices.Contains(vars[:i+1], y) })
			if !last || !known {
				continue
			}
			kept := states[:0]
			for i := 0; i < len(states); i += pair {
				if c.evaluate(f, states[i:i+c.words]) {
					kept = append(kept, states[i:i+pair]...)
				}
			}
			states = kept
		}
	}
	c.made, mv = states, move{c.words, c.states.take(len(states))}
	for ; len(states) > 0; states = states[pair:] {
		if copy(states[c.words:], states[:c.words]); c.code.run(steps, states[c.words:pair]) {
			mv.states = append(mv.states, states[:pair]...)
		}
	}
	return mv, true
}

// alone is the state in which one variable has a value and all others are 0.
func (c *compiler) alone(at place, value uint64) []uint64 {
	s := make([]uint64, c.words)
	s[at.word] = value << at.shift
	return s
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
