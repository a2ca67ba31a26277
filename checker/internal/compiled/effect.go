package compiled

import "github.com/seed-105a2da2/unknot/spec/program"

// step is a part of an effect: it sets bits of a word to what is known beforehand, or
// a variable to a number, or skips some steps unless a condition holds.
type step struct {
	kind      stepKind
	place            // assign
	keep, set uint64 // put: what to keep of the word, and to set in it
	value     *number
	values    int   // assign: how many the variable has; 0: the number is one of them
	cond      int32 // skip: code
	past      int   // skip: how many steps
}

type stepKind uint8

const (
	put stepKind = iota
	assign
	skip
	skipAlways
)

// run runs an effect. It reports whether all assignments stay in range; if not, s is of no
// use any more.
func (c *code) run(steps []step, s []uint64) bool {
	for i := 0; i < len(steps); i++ {
		t := &steps[i]
		switch t.kind {
		case put:
			s[t.word] = s[t.word]&t.keep | t.set
		case assign:
			v := t.value.value(s)
			if t.values != 0 && (v < 0 || v >= t.values) {
				return false
			}
			s[t.word] = s[t.word]&t.keep | uint64(v)<<(t.shift&63)
		case skip:
			if !c.holds(s, t.cond) {
				i += t.past
			}
		default:
			i += t.past
		}
	}
	return true
}

// statements compiles a sequence.
func (c *compiler) statements(steps []step, list []program.Stmt) []step {
	from := len(steps) // steps before are left as they are: one may be skipped to here
	for i := range list {
		if s := &list[i]; s.Assigns() {
			steps = c.assignment(steps, from, s)
		} else {
			steps = c.choice(steps, s)
			from = len(steps)
		}
	}
	return steps
}

// choice compiles a choice: a skip, then one branch, a skip, and the other.
func (c *compiler) choice(steps []step, s *program.Stmt) []step {
	cond := c.truth(&s.Cond)
	switch cond.shape {
	case always:
		return c.statements(steps, s.Then)
	case never:
		return c.statements(steps, s.Else)
	}
	mark := len(c.trail)
	at := len(steps)
	steps = append(steps, step{kind: skip, cond: c.entry(cond)})
	c.assume(cond)
	steps = c.statements(steps, s.Then)
	then := c.forget(mark)
	between := len(steps)
	steps = append(steps, step{kind: skipAlways})
	c.assume(c.not(cond))
	steps = c.statements(steps, s.Else)
	otherwise := c.forget(mark)
	steps[at].past = between - at
	steps[between].past = len(steps) - 1 - between
	for x, set := range then {
		if other, also := otherwise[x]; also {
			c.learn(x, set|other)
		} else {
			c.learn(x, set|c.sets[x])
		}
	}
	for x, set := range otherwise {
		if _, also := then[x]; !also {
			c.learn(x, set|c.sets[x])
		}
	}
	return steps
}

// assignment compiles an assignment. One of a value that is known joins one before of the
// same word, unless that stands before from.
func (c *compiler) assignment(steps []step, from int, s *program.Stmt) []step {
	x, values := s.Var, c.p.Variables[s.Var].Values
	at := c.place(x)
	keep := ^(at.mask << at.shift)
	n := c.number(&s.Value)
	if v := n.constant; len(n.tables)+len(n.rest) == 0 && v >= 0 && v < values {
		if c.full(x) != 0 {
			c.learn(x, 1<<v)
		}
		bits := uint64(v) << at.shift
		for i := len(steps) - 1; i >= from && steps[i].kind == put; i-- {
			if p := &steps[i]; p.word == at.word {
				p.keep, p.set = p.keep&keep, p.set&keep|bits
				return steps
			}
		}
		return append(steps, step{kind: put, place: at, keep: keep, set: bits})
	}
	c.ready(n)
	out := step{kind: assign, place: at, keep: keep, value: n, values: values}
	least, most := c.bounds(n)
	if least, most = least+n.constant, most+n.constant; len(n.rest) > 0 {
		least, most = 0, values-1
	} else if least >= 0 && most < values {
		out.values = 0
	}
	if c.full(x) != 0 {
		set := uint64(0)
		for v := max(least, 0); v <= min(most, values-1); v++ {
			set |= 1 << v
		}
		if len(n.rest) == 0 && len(n.tables) == 1 {
			image := uint64(0)
			for v, y := range n.tables[0].values {
				if y += n.constant; c.sets[n.tables[0].x]>>v&1 != 0 && y >= 0 && y < values {
					image |= 1 << y
				}
			}
			set = image
		}
		c.learn(x, set)
	}
	return append(steps, out)
}
