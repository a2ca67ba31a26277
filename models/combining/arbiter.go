package combining

import "github.com/seed-105a2da2/unknot/spec/program"

// Design of arbiters.
//
// A link takes one message at a time, and sources contend for it: the links that
// lead to the same switch, the entries of its wait buffer, the parts of a
// cluster. Without a rule about turns (Any) each step is possible for itself, and
// weak fairness promises nothing to a source whose step is possible only now and
// then, because others fill the link again and again. A fair arbiter promises
// that whoever goes on wanting the link gets it, if it has room again and again.
//
// Invariant of Batch: a source with a mark wants the link. Marks are set only
// when there are none, for all who are waiting when one of them is served. So a
// source is passed over by what is left of a batch, once each, by one that is
// served out of turn, and by those who get their marks together with it, once
// each: 2n-2 times among n. All marks are gone when nobody waits, which keeps
// states few: round-robin remembers the last winner forever.
//
// Sources that need never act (a writer that may or may not begin) have no turn
// of their own: they get the link while nobody's turn it is, else they would hold
// up all others.

// Arbiter is how those who want to send into one link take turns.
type Arbiter uint8

const (
	// Any is no arbiter: any of them, as often as it comes to it.
	Any Arbiter = iota
	// Batch serves those who were waiting when one was served out of turn, each
	// once, before anybody else (the batching or assured-access protocols of buses,
	// such as Fastbus and NuBus; Vernon and Manber, "Distributed Round-Robin and
	// First-Come First-Serve Protocols", ISCA 1988).
	Batch
	// RoundRobin is round-robin: the first after the last winner, in a fixed order,
	// among those who wait. All wait for room in the same link, so that nobody is
	// passed over while others have room, which is what makes it starve in
	// the router of package rwc1.
	RoundRobin
)

// ArbiterNames are the values of Arbiter for people, in their order.
var ArbiterNames = []string{"any", "batch", "round-robin"}

// source is one of those who want to send into a link.
type source struct {
	key    subject
	wants  []program.Expr // it does if any of these holds, whether there is room or not
	unfair bool
	mark   program.Var // Batch: it is its turn
	place  int         // RoundRobin: its place in the order
}

// want holds if the source has something to send.
func (s *source) want() program.Expr { return program.Or(s.wants...) }

// arbiter is the arbiter of one link.
type arbiter struct {
	kind    Arbiter
	sources []*source
	last    program.Var // RoundRobin
}

// source returns the source with a key, a new one if there is none.
func (a *arbiter) source(key subject, unfair bool) *source {
	for _, s := range a.sources {
		if s.key == key {
			return s
		}
	}
	s := &source{key: key, unfair: unfair}
	a.sources = append(a.sources, s)
	return s
}

// idle reports whether there is nothing to decide.
func (a *arbiter) idle() bool { return a.kind == Any || len(a.sources) < 2 || len(a.fair()) == 0 }

// fair lists the sources that have turns.
func (a *arbiter) fair() (all []*source) {
	for _, s := range a.sources {
		if !s.unfair {
			all = append(all, s)
		}
	}
	return all
}

// remember adds the arbiter's memory: mark makes the variable of a source's mark,
// index one for the last winner, with a number of values.
func (a *arbiter) remember(mark func(s *source) program.Var, index func(values int) program.Var) {
	if a.idle() {
		return
	}
	fair := a.fair()
	if a.kind == RoundRobin {
		a.last = index(len(fair))
	}
	for i, s := range fair {
		s.place = i
		if a.kind == Batch {
			s.mark = mark(s)
		}
	}
}

// turn holds if a source that wants the link may have it.
func (a *arbiter) turn(s *source) program.Expr {
	if a.idle() {
		return program.And()
	}
	var first []program.Expr // nobody comes before it
	fair := a.fair()
	switch {
	case s.unfair && a.kind == RoundRobin:
		for _, x := range fair {
			first = append(first, program.Not(x.want()))
		}
		return program.And(first...)
	case a.kind == RoundRobin:
		var any []program.Expr
		for last := range fair {
			between := []program.Expr{program.Eq(a.last, last)}
			for i := (last + 1) % len(fair); i != s.place; i = (i + 1) % len(fair) {
				between = append(between, program.Not(fair[i].want()))
			}
			any = append(any, program.And(between...))
		}
		return program.Or(any...)
	}
	for _, x := range fair {
		if x != s {
			first = append(first, program.Not(program.And(program.Eq(x.mark, 1), x.want())))
		}
	}
	if s.unfair {
		return program.And(first...)
	}
	return program.Or(program.Eq(s.mark, 1), program.And(first...))
}

// wins lists what the arbiter notes when a source gets the link, before anything
// else changes.
func (a *arbiter) wins(s *source) []program.Stmt {
	switch {
	case a.idle() || s.unfair && a.kind == RoundRobin:
		return nil
	case a.kind == RoundRobin:
		return []program.Stmt{program.Set(a.last, s.place)}
	}
	var batch []program.Stmt
	for _, x := range a.fair() {
		if x != s {
			batch = append(batch, program.If(x.want(), program.Set(x.mark, 1)))
		}
	}
	if s.unfair {
		return batch
	}
	return []program.Stmt{program.If(program.Eq(s.mark, 1), program.Set(s.mark, 0)).Otherwise(batch...)}
}
