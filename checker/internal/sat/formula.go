package sat

import (
	"context"
	"math"
	"slices"
)

// New returns a solver without variables.
func New() *Solver {
	return &Solver{increment: 1, most: 4000, limit: bound{math.MaxInt, -1}}
}

// Grow makes room for n more variables, unless ctx ends.
func (s *Solver) Grow(ctx context.Context, n int) {
	for _, grow := range []func(){
		func() {
			s.assigned, s.saved, s.levels = grown(ctx, s.assigned, n), grown(ctx, s.saved, n), grown(ctx, s.levels, n)
		},
		func() { s.reasons = grown(ctx, s.reasons, n) },
		func() {
			s.groupOf, s.counted, s.seen = grown(ctx, s.groupOf, n), grown(ctx, s.counted, n), grown(ctx, s.seen, n)
		},
		func() { s.watches = grown(ctx, s.watches, 2*n) },
		func() { s.activity, s.counts = grown(ctx, s.activity, n), grown(ctx, s.counts, n) },
		func() { s.heap.items, s.heap.at = grown(ctx, s.heap.items, n), grown(ctx, s.heap.at, n) },
	} {
		if ctx.Err() != nil {
			return
		}
		grow()
	}
}

// grown is slices.Grow, but touches no page of memory before it is needed, and does not wait for memory once ctx has
// ended: what is used again is cleared, which takes a second for large formulas.
func grown[T any](ctx context.Context, s []T, n int) []T {
	room, size := make(chan []T, 1), len(s)+n
	go func() { room <- make([]T, 0, size) }()
	select {
	case larger := <-room:
		return append(larger, s...)
	case <-ctx.Done():
		return s
	}
}

// Add adds a variable.
func (s *Solver) Add() int32 {
	v := int32(len(s.assigned))
	s.assigned = append(s.assigned, 0)
	s.saved = append(s.saved, -1)
	s.levels = append(s.levels, 0)
	s.reasons = append(s.reasons, reason{})
	s.groupOf = append(s.groupOf, -1)
	s.counted = append(s.counted, false)
	s.watches = append(s.watches, nil, nil)
	s.activity = append(s.activity, 0)
	s.seen = append(s.seen, false)
	s.heap.push(s, v)
	return v
}

// AtMostOne lets at most one of the variables be true; a variable may be in one group only.
func (s *Solver) AtMostOne(variables []int32) {
	if len(variables) < 2 {
		return
	}
	for _, v := range variables {
		s.groupOf[v] = int32(len(s.groups))
	}
	s.groups = append(s.groups, slices.Clone(variables))
}

// Require adds a clause. It undoes all decisions.
func (s *Solver) Require(literals ...Literal) {
	s.BackTo(0)
	if s.refuted {
		return
	}
	var open []Literal
	for _, l := range literals {
		switch s.of(l) {
		case 1:
			return
		case 0:
			if slices.Contains(open, l.not()) {
				return
			}
			if !slices.Contains(open, l) {
				open = append(open, l)
			}
		}
	}
	s.markSettled(literals...)
	node := s.node(s.Required != nil) // also from the literals left out
	if s.Required != nil {
		s.Required(literals, node)
	}
	switch len(open) {
	case 0:
		s.wrong(&clause{node: node})
		s.contradict(nil)
	case 1:
		s.assign(open[0], reason{node: node})
		if conflict := s.propagate(); conflict != nil {
			s.contradict(conflict)
		}
	default:
		s.watch(&clause{literals: open, node: node})
	}
}

func (s *Solver) watch(c *clause) {
	for i := range 2 {
		l := c.literals[i]
		s.watches[l.not()] = append(s.watches[l.not()], watch{c, c.literals[1-i]})
	}
}

// BackTo undoes all levels above the given one.
func (s *Solver) BackTo(level int) {
	if s.level() <= level {
		return
	}
	from := s.decisions[level]
	for _, l := range s.trail[from:] {
		v := l.Variable()
		s.saved[v] = s.assigned[v]
		if s.counted[v] && !l.Negative() {
			s.count--
		}
		s.assigned[v] = 0
		s.reasons[v] = reason{}
		s.heap.push(s, v)
	}
	s.trail = s.trail[:from]
	s.decisions = s.decisions[:level]
	s.done = from
}

func (s *Solver) decide(l Literal) {
	s.decisions = append(s.decisions, len(s.trail))
	s.assign(l, reason{})
}
