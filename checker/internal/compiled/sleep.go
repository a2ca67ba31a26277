package compiled

import (
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/walk"
	"github.com/seed-105a2da2/unknot/spec/program"
)

// Which steps need not be taken (see walk.Sleep): those that lead back to where they
// began, and those that commute, given what they look at and set.

// mostSleepers bounds the leaves whose steps may sleep, one bit of a sleep set each: every
// state found but not yet expanded keeps a sleep set.
const mostSleepers = 4 * blockRules

// Sleep returns which steps sleep after others: those whose leaf sets nothing that the other's
// leaf looks at or sets, and looks at nothing that it sets. Only leaves that can step sleep: one
// that could still can after such another. The notes are what sleeps, and what can step.
func (m *Machine) Sleep() *walk.Sleep {
	words := min(len(m.blocks), mostSleepers/blockRules)
	if len(m.leaves) < 2 || kindOf(len(m.leaves)-1) == 0 {
		return nil
	}
	apart := m.independence(words)
	return &walk.Sleep{
		Words: words,
		Notes: 2 * words,
		Kinds: 1 + len(m.leaves),
		Steps: func(
			dst []uint64, kinds []uint32, taken []bool, notes, s, asleep []uint64,
		) ([]uint64, []uint32, int, error) {
			copy(notes, asleep)
			return m.steps(dst, kinds, s, true, &idle{asleep, notes[words:], taken})
		},
		After: func(dst, notes []uint64, kind uint32) {
			asleep, able := notes[:words], notes[words:]
			leaf := int(kind - 1)
			apart := apart[leaf*words:][:words]
			for b := range dst {
				before := uint64(0)
				switch n := leaf - b*blockRules; {
				case n >= blockRules:
					before = ^uint64(0)
				case n > 0:
					before = 1<<n - 1
				}
				dst[b] = (asleep[b] | able[b]&before) & apart[b]
			}
		},
	}
}

// changes reports whether an effect mostly leads to another state: whether it sets a variable
// to a value that it does not have before.
func (c *compiler) changes(effect []program.Stmt) bool {
	return slices.ContainsFunc(effect, func(s program.Stmt) bool {
		return s.Assigns() && s.Value.Op == program.Constant && c.sets[s.Var] != 0 &&
			c.sets[s.Var]>>s.Value.Value&1 == 0
	})
}

// independence returns, for each leaf, the leaves that commute with it: a bit each, in a fixed number of words.
func (m *Machine) independence(words int) []uint64 {
	vars, n := len(m.Program().Variables), len(m.leaves)
	looks, sets := make([]uint64, vars*words), make([]uint64, vars*words) // by variable: leaves, by bit
	look := make([][]program.Var, n)                                      // by leaf
	note := func(leaf int, bits []uint64) func(x program.Var) {
		return func(x program.Var) {
			if leaf < words*blockRules {
				bits[int(x)*words+leaf/blockRules] |= 1 << (leaf % blockRules)
			}
		}
	}
	c := newCompiler(m.Program(), m.Layout().Fields())
	for i := range m.leaves {
		l := &m.leaves[i]
		l.guard.reads(c, func(x program.Var) { look[i] = append(look[i], x) })
		eachRead(l.effect, func(x program.Var) { look[i] = append(look[i], x) })
		for _, x := range look[i] {
			note(i, looks)(x)
		}
		eachSet(l.effect, note(i, sets))
	}
	apart := make([]uint64, n*words)
	for i := range m.leaves {
		out := apart[i*words:][:words]
		for b := range out {
			out[b] = ^uint64(0)
		}
		without := func(bits []uint64, x program.Var) {
			for b := range out {
				out[b] &^= bits[int(x)*words+b]
			}
		}
		for _, x := range look[i] {
			without(sets, x)
		}
		eachSet(m.leaves[i].effect, func(x program.Var) {
			without(sets, x)
			without(looks, x)
		})
	}
	return apart
}

// eachRead calls f with each variable that an effect may look at.
func eachRead(list []program.Stmt, f func(x program.Var)) {
	for i := range list {
		if s := &list[i]; s.Assigns() {
			eachOf(&s.Value, f)
		} else {
			eachOf(&s.Cond, f)
			eachRead(s.Then, f)
			eachRead(s.Else, f)
		}
	}
}

func eachOf(e *program.Expr, f func(x program.Var)) {
	if e.Op == program.Read {
		f(program.Var(e.Value))
	}
	for i := range e.Args {
		eachOf(&e.Args[i], f)
	}
}
