package sat

import (
	"context"
	"slices"

	"github.com/seed-105a2da2/unknot/spec/support/bfs"
	"github.com/seed-105a2da2/unknot/spec/support/deadline"
)

// mostTraced bounds the memory of a trace: 256 MB.
const mostTraced = 1 << 26

// Trace starts to record what searches follow from, for Needed. What was required before the first
// call counts as given.
func (s *Solver) Trace() {
	if s.trace == nil {
		s.trace = &trace{first: []int32{0, 0}}
	}
	if !s.refuted { // an unsatisfiability proof answers all later searches, too
		s.trace.answers = nil
	}
}

// Needed tells, by node, which clauses are needed to show that the searches since the last call of Trace found
// nothing; nil if all may be needed, or ctx has ended.
func (s *Solver) Needed(ctx context.Context) []bool {
	t := s.trace
	if t.full {
		return nil
	}
	needed := make([]bool, len(t.first)-1)
	for _, node := range t.answers {
		needed[node] = true
	}
	for node := len(needed) - 1; node > 0; node-- {
		if deadline.Passed(ctx, node) {
			return nil
		}
		for _, from := range t.from[t.first[node]:t.first[node+1]] {
			needed[from] = needed[from] || needed[node]
		}
	}
	return needed
}

// mark collects a node for the next one.
func (s *Solver) mark(node int32) {
	if s.trace != nil && node != 0 && !s.trace.full {
		s.trace.marks = append(s.trace.marks, node)
	}
}

// markSettled collects the nodes of literals whose values are settled.
func (s *Solver) markSettled(literals ...Literal) {
	if s.trace == nil {
		return
	}
	for _, l := range literals {
		if v := int(l.Variable()); s.assigned[v] != 0 && s.levels[v] == 0 && v < len(s.trace.settled) {
			s.mark(s.trace.settled[v])
		}
	}
}

// markCause collects the clause that forced l.
func (s *Solver) markCause(l Literal) {
	if why := s.reasons[l.Variable()]; !why.group && why.clause != nil {
		s.mark(why.clause.node)
	}
}

// eachCause calls f with the false literals that forced l.
func (s *Solver) eachCause(l Literal, f func(Literal)) {
	why := s.reasons[l.Variable()]
	if why.group {
		f(why.other.not())
		return
	}
	if why.clause == nil {
		return
	}
	for _, m := range why.clause.literals {
		if m != l {
			f(m)
		}
	}
}

// node makes a node of what was collected: a new one if own, for a clause that a proof names, or if there are
// several; otherwise the single node that it follows from.
func (s *Solver) node(own bool) int32 {
	t := s.trace
	if t == nil || t.full {
		return 0
	}
	slices.Sort(t.marks)
	from := slices.Compact(t.marks)
	t.marks = t.marks[:0]
	if !own && len(from) <= 1 {
		return append(from, 0)[0]
	}
	t.from = append(t.from, from...)
	t.first = append(t.first, int32(len(t.from)))
	t.full = len(t.from) > mostTraced
	return int32(len(t.first) - 2)
}

// SettledNode makes a node for a clause that Beyond returns, which is based on literals that are gone.
func (s *Solver) SettledNode(gone []Literal) int32 {
	s.markSettled(gone...)
	return s.node(true)
}

// settle records why a variable has its value permanently.
func (s *Solver) settle(v int32, why reason) {
	t := s.trace
	for len(t.settled) <= int(v) {
		t.settled = append(t.settled, 0)
	}
	s.mark(why.node)
	if why.group {
		s.markSettled(why.other)
	} else if why.clause != nil {
		s.mark(why.clause.node)
		for _, l := range why.clause.literals {
			if l.Variable() != v {
				s.markSettled(l)
			}
		}
	}
	t.settled[v] = s.node(false)
}

// contradict records that the formula has no model, since the literals of a clause are all false permanently.
func (s *Solver) contradict(literals []Literal) {
	s.refuted = true
	if s.trace != nil {
		s.mark(s.trace.conflict)
		s.markSettled(literals...)
		s.trace.answers = append(s.trace.answers, s.node(false))
	}
}

// answer records why a literal is false that a search assumed to be true.
func (s *Solver) answer(assumed Literal) {
	if s.trace == nil {
		return
	}
	bfs.Reach([]Literal{assumed.not()}, func(l Literal, visit func(Literal)) {
		if s.levels[l.Variable()] == 0 {
			s.markSettled(l)
			return
		}
		s.markCause(l)
		s.eachCause(l, func(cause Literal) { visit(cause.not()) })
	})
	s.trace.answers = append(s.trace.answers, s.node(false))
}
