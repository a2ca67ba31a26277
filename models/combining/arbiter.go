package combining

import (
	"github.com/seed-105a2da2/unknot/models/parts"
	"github.com/seed-105a2da2/unknot/spec/program"
)

// A link takes one message at a time, and sources contend for it: the links that
// lead to the same switch, the entries of its wait buffer, the parts of a
// cluster. Without a rule about turns (Any) each step is possible for itself, and
// weak fairness promises nothing to a source whose step is possible only now and
// then, because others fill the link again and again. A fair arbiter promises
// that whoever goes on wanting the link gets it, if it has room again and again.
// All wait for room in the same link, so that nobody is passed over while others
// have room, which is what makes round-robin starve in the router of package rwc1.

// Arbiter is how those who want to send into one link take turns.
type Arbiter = parts.Discipline

// The arbiters of a link.
const (
	Any        = parts.Any
	Batch      = parts.Batch
	RoundRobin = parts.RoundRobin
)

// ArbiterNames are the values of Arbiter for people, in their order.
var ArbiterNames = []string{"any", "batch", "round-robin"}

// source is one of those who want to send into a link.
type source struct {
	key    subject
	wants  []program.Expr // it does if any of these holds, whether there is room or not
	unfair bool           // it need never act, and has no turn
	place  int            // among those that have turns, or parts.NoTurn
}

// want holds if the source has something to send.
func (s *source) want() program.Expr { return program.Or(s.wants...) }

// arbiter is the arbiter of one link.
type arbiter struct {
	kind    Arbiter
	sources []*source
	memory  *parts.Arbiter // nil if there is nothing to decide
}

// source returns the source with a key, a new one if there is none.
func (a *arbiter) source(key subject, unfair bool) *source {
	for _, s := range a.sources {
		if s.key == key {
			return s
		}
	}
	s := &source{key: key, unfair: unfair, place: parts.NoTurn}
	a.sources = append(a.sources, s)
	return s
}

// fair lists the sources that have turns.
func (a *arbiter) fair() (all []*source) {
	for _, s := range a.sources {
		if !s.unfair {
			all = append(all, s)
		}
	}
	return all
}

// wants says of each source that has turns whether it wants the link.
func (a *arbiter) wants() (all []program.Expr) {
	for _, s := range a.fair() {
		all = append(all, s.want())
	}
	return all
}

// remember adds the arbiter's memory: mark makes the variable of a source's mark,
// index one for the last winner, with a number of values.
func (a *arbiter) remember(mark func(s *source) program.Var, index func(values int) program.Var) {
	fair := a.fair()
	if a.kind == Any || len(a.sources) < 2 || len(fair) == 0 {
		return
	}
	for i, s := range fair {
		s.place = i
	}
	a.memory = parts.NewArbiter(a.kind, len(fair), func(i, _, values int) program.Var {
		if i < 0 {
			return index(values)
		}
		return mark(fair[i])
	})
}

// turn holds if a source that wants the link may have it.
func (a *arbiter) turn(s *source) program.Expr {
	if a.memory == nil {
		return program.And()
	}
	return a.memory.Turn(s.place, a.wants())
}

// wins lists what the arbiter notes when a source gets the link, before anything
// else changes.
func (a *arbiter) wins(s *source) []program.Stmt {
	if a.memory == nil {
		return nil
	}
	return a.memory.Wins(s.place, a.wants())
}
