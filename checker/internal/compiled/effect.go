package compiled

import (
	"math/bits"
	"slices"

	"github.com/seed-105a2da2/unknot/spec/program"
)

// Effects.
//
// What an effect makes of one word, given what lies at one place, is one table lookup: a
// constant, a variable that becomes a function of others, a FIFO that moves up, and a
// choice between such. Consecutive lookups are merged where possible, as if the second had
// waited for the first. The invariant: a list of steps does what the statements do, from
// every state in which each variable has a value that the compiler considers possible
// there.

// step is a part of an effect.
type step struct {
	kind    stepKind
	place            // look: the place looked up; assign: the variable
	to      int      // look: the word that changes
	entries []entry  // look: the change, by what lies at place
	keep    uint64   // assign: of the word
	value   *number  // assign
	values  int      // assign: how many values the variable has; 0: the number is always one of them
	cond    int32    // skip unless it holds: code
	asks    *formula // skip: what the code asks
	past    int      // skip, skipAlways: how many steps
}

type stepKind uint8

const (
	look stepKind = iota
	assign
	skip
	skipAlways
)

// entry is what to keep of a word and what to set in it. If out of range it sets bits that
// it keeps.
type entry struct{ keep, set uint64 }

var (
	same       = entry{keep: ^uint64(0)}
	outOfRange = entry{1, 1}
)

func (e entry) fails() bool { return e.keep&e.set != 0 }

// compose is entry e followed by f.
func (e entry) compose(f entry) entry {
	if e.fails() || f.fails() {
		return outOfRange
	}
	return entry{e.keep & f.keep, e.set&f.keep | f.set}
}

// run runs an effect. It reports whether all assignments stay in range; if not, s is no
// longer valid.
func (c *code) run(steps []step, s []uint64) bool {
	for i := 0; i < len(steps); i++ {
		t := &steps[i]
		switch t.kind {
		case look:
			e := &t.entries[t.of(s)]
			if e.fails() {
				return false
			}
			s[t.to] = s[t.to]&e.keep | e.set
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

// effect is what a look does given the value at a place around its own.
func (t *step) effect(around place, v uint64) entry {
	return t.entries[v<<around.shift>>t.shift&t.mask]
}

// meet returns the place that two looks depend on together; fits says that one look can cover it.
func (c *compiler) meet(t, u place) (at place, fits bool) {
	switch {
	case t.mask == 0:
		return u, true
	case u.mask == 0:
		return t, true
	}
	at, fits = t.join(u)
	return at, fits && bits.Len64(at.mask) <= c.lookBits
}

// tabled is a look that depends on what lies at a place.
func tabled(at place, to int, of func(v uint64) entry) step {
	t := step{kind: look, place: at, to: to, entries: make([]entry, at.mask+1)}
	for v := range t.entries {
		t.entries[v] = of(uint64(v))
	}
	return t
}

// tables are those of looks, by their hash. FIFOs of records that move up are thousands of looks, and nearly all do the
// same to another word: in a model of 2,436 bits (models/examples/coherence/bridge.star) they took 148 MB.
type tables map[uint64][][]entry

// share replaces tables of looks by equal ones met before.
func (t tables) share(steps []step) []step {
	for i := range steps {
		if s := &steps[i]; s.kind == look {
			s.entries = t.known(s.entries)
		}
	}
	return steps
}

// known returns the first table met that is equal to this one.
func (t tables) known(table []entry) []entry {
	const prime = 1<<40 + 0x1b3 // of FNV-1a (Fowler, Noll and Vo)
	hash := uint64(len(table))
	for _, e := range table {
		hash = bits.RotateLeft64((hash^e.keep)*prime, 29) ^ e.set
	}
	for _, other := range t[hash] {
		if slices.Equal(table, other) {
			return other
		}
	}
	t[hash] = append(t[hash], table)
	return table
}

// follow merges two consecutive looks into one, if possible.
func (c *compiler) follow(t, u *step) (both step, ok bool) {
	at, fits := c.meet(t.place, u.place)
	if !fits || t.to != u.to {
		return both, false
	}
	return tabled(at, t.to, func(v uint64) entry {
		e, word := t.effect(at, v), v<<at.shift
		if u.word == t.to {
			word = word&e.keep | e.set
		}
		return e.compose(u.entries[word>>u.shift&u.mask])
	}), true
}

// writes returns the bits of a word that a step may change, unless something is out of range.
func (t *step) writes(word int) (bits uint64) {
	switch {
	case t.kind == look && t.to == word:
		for _, e := range t.entries {
			if !e.fails() {
				bits |= ^e.keep
			}
		}
	case t.kind == assign && t.word == word:
		bits = ^t.keep
	}
	return bits
}

// dependsOn reports whether what a look does may depend on what an earlier one did.
func (t *step) dependsOn(u *step) bool { return u.writes(t.word)&(t.mask<<t.shift) != 0 }

// effect is a list of steps. Those from joins on may be merged with later looks; earlier ones
// may not, as a skip may end there.
type effect struct {
	steps []step
	joins int
}

// look appends a look, or merges it into an earlier one.
func (f *effect) look(c *compiler, t step) {
	for i := len(f.steps) - 1; i >= f.joins && f.steps[i].kind == look; i-- {
		u := &f.steps[i]
		if both, ok := c.follow(u, &t); ok {
			f.steps[i] = both
			return
		}
		if t.to == u.to || t.dependsOn(u) || u.dependsOn(&t) {
			break
		}
	}
	f.steps = append(f.steps, t)
}

// effect compiles a sequence of statements.
func (c *compiler) effect(list []program.Stmt) effect {
	var f effect
	c.statements(&f, list)
	return f
}

func (c *compiler) statements(f *effect, list []program.Stmt) {
	for i := range list {
		if s := &list[i]; s.Assigns() {
			c.assignment(f, s)
		} else {
			c.choice(f, s)
		}
	}
}

// choice compiles a choice: as looks, or as a skip, one branch, a skip, and the other branch.
func (c *compiler) choice(f *effect, s *program.Stmt) {
	cond := c.truth(&s.Cond)
	switch cond.shape {
	case always:
		c.statements(f, s.Then)
		return
	case never:
		c.statements(f, s.Else)
		return
	}
	mark := len(c.trail)
	c.assume(cond)
	yes := c.effect(s.Then)
	then := c.takeSince(mark)
	c.assume(c.not(cond))
	no := c.effect(s.Else)
	otherwise := c.takeSince(mark)
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
	if looks, ok := c.either(cond, yes.steps, no.steps); ok {
		for _, t := range looks {
			f.look(c, t)
		}
		return
	}
	if len(no.steps) > 0 {
		yes.steps = append(yes.steps, step{kind: skipAlways, past: len(no.steps)})
	}
	f.steps = append(f.steps, step{kind: skip, cond: c.entry(cond), asks: &cond, past: len(yes.steps)})
	f.steps = append(append(f.steps, yes.steps...), no.steps...)
	f.joins = len(f.steps)
}

// either turns a choice between looks into looks, if possible: one for each word, all at places
// in one word, which changes last. None may depend on an earlier one.
func (c *compiler) either(cond formula, yes, no []step) (looks []step, ok bool) {
	at, ok := c.span(cond)
	if !ok {
		return nil, false
	}
	var words []int
	for _, list := range [][]step{yes, no} {
		for i, t := range list {
			if t.kind != look ||
				slices.ContainsFunc(list[:i], func(u step) bool {
					return u.kind != look || u.to == t.to || t.dependsOn(&u)
				}) {
				return nil, false
			}
			if !slices.Contains(words, t.to) {
				words = append(words, t.to)
			}
		}
	}
	if i := slices.Index(words, at.word); i >= 0 {
		words = append(slices.Delete(words, i, i+1), at.word)
	}
	for _, to := range words {
		var sides [2]step
		around, fits := at, true
		for k, list := range [][]step{yes, no} {
			sides[k] = step{to: to, entries: []entry{same}}
			if i := slices.IndexFunc(list, func(t step) bool { return t.to == to }); i >= 0 {
				sides[k] = list[i]
			}
			if around, fits = c.meet(around, sides[k].place); !fits {
				return nil, false
			}
		}
		t := tabled(around, to, func(v uint64) entry {
			if c.evaluate(cond, c.oneWord(around.word, v<<around.shift)) {
				return sides[0].effect(around, v)
			}
			return sides[1].effect(around, v)
		})
		looks = append(looks, t)
	}
	return looks, true
}

// assignment compiles an assignment.
func (c *compiler) assignment(f *effect, s *program.Stmt) {
	x, values := s.Var, c.p.Variables[s.Var].Values
	to := c.place(x)
	keep := ^(to.mask << to.shift)
	n := c.number(&s.Value)
	c.ready(n)
	least, most, bounded := c.bounds(n)
	if least, most = least+n.constant, most+n.constant; !bounded {
		least, most = 0, values-1
	}
	if c.full(x) != 0 {
		set := uint64(0)
		for v := max(least, 0); v <= min(most, values-1); v++ {
			set |= 1 << v
		}
		if len(n.rest) == 0 && len(n.tables) == 1 {
			set = 0
			for v, y := range n.tables[0].values {
				if y += n.constant; c.sets[n.tables[0].x]>>v&1 != 0 && y >= 0 && y < values {
					set |= 1 << y
				}
			}
		}
		c.learn(x, set)
	}
	var lookups lookup
	switch len(n.lookups) {
	case 0: // a constant
		lookups = lookup{place{word: to.word}, []int{0}}
	case 1:
		lookups = n.lookups[0]
	}
	if len(n.counts)+len(n.masked)+len(n.others) == 0 && bits.Len64(lookups.mask) <= c.lookBits &&
		lookups.values != nil {
		f.look(c, tabled(lookups.place, to.word, func(v uint64) entry {
			if y := n.constant + lookups.values[v]; y >= 0 && y < values {
				return entry{keep, uint64(y) << to.shift}
			}
			return outOfRange
		}))
		return
	}
	out := step{kind: assign, place: to, keep: keep, value: n, values: values}
	if least >= 0 && most < values && bounded {
		out.values = 0
	}
	f.steps = append(f.steps, out)
}

// joined merges a choice with the choice that is its branch, where the two have a branch
// in common. The list is the same where nothing is merged: effects of models with thousands of rules take 20 MB and more.
func joined(list []program.Stmt) []program.Stmt {
	out := list
	for i := range list {
		s, merged := joinedChoice(list[i])
		if !merged {
			continue
		}
		if &out[0] == &list[0] {
			out = slices.Clone(list)
		}
		out[i] = s
	}
	return out
}

// joinedChoice reports whether a statement is a choice in which something was merged.
func joinedChoice(s program.Stmt) (_ program.Stmt, merged bool) {
	if s.Assigns() {
		return s, false
	}
	for _, branch := range []*[]program.Stmt{&s.Then, &s.Else} {
		if of := joined(*branch); len(of) > 0 && &of[0] != &(*branch)[0] {
			*branch, merged = of, true
		}
	}
	for {
		t, u := only(s.Then), only(s.Else)
		switch {
		case t != nil && alike(t.Else, s.Else):
			s.Cond, s.Then = program.And(s.Cond, t.Cond), t.Then
		case t != nil && alike(t.Then, s.Else):
			s.Cond, s.Then = program.And(s.Cond, program.Not(t.Cond)), t.Else
		case u != nil && alike(u.Then, s.Then):
			s.Cond, s.Else = program.Or(s.Cond, u.Cond), u.Else
		case u != nil && alike(u.Else, s.Then):
			s.Cond, s.Else = program.Or(s.Cond, program.Not(u.Cond)), u.Then
		default:
			return s, merged
		}
		merged = true
	}
}

// only returns the choice that a list consists of, or nil.
func only(list []program.Stmt) *program.Stmt {
	if len(list) != 1 || list[0].Assigns() {
		return nil
	}
	return &list[0]
}

// alike reports whether two lists are textually equal.
func alike(a, b []program.Stmt) bool {
	return slices.EqualFunc(a, b, func(s, t program.Stmt) bool {
		return s.Var == t.Var && equals(s.Cond, t.Cond) && equals(s.Value, t.Value) && alike(s.Then, t.Then) &&
			alike(s.Else, t.Else)
	})
}

func equals(a, b program.Expr) bool {
	return a.Op == b.Op && a.Value == b.Value && slices.EqualFunc(a.Args, b.Args, equals)
}
