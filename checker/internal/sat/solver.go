// Package sat decides formulas in conjunctive normal form by backtracking that
// learns a clause from every dead end (conflict-driven clause learning: Marques
// Silva and Sakallah 1996; watched literals and activities after Moskewicz et
// al. 2001; layout after Eén and Sörensson 2003). Three features are its own: at most
// one variable of a group may be true, without a clause for each pair; at most a given
// number of the counted variables may be true; and a model may be refused by a clause
// that was left out at first.
//
// Why a solver of our own: gini (commit 7aed76b of 2021-08-27, MIT) and gophersat (v1.4.0 of
// 2023-11-24, MIT) on the formulas that package worms makes, as one question each, 2026-11-23. Seconds of CPU
// with other work running, and the numbers in the proof; bounds are sequential counters (Sinz 2005) and groups
// pairs for the others, who get the loop formulas that were found here for free. "Bare" is this solver
// on that question, without Beyond, and without asking channel by channel.
//
//	                               unknot          bare            gini    gophersat
//	pigeonhole 8/7                 0.00   109      0.11  73,000    0.06    0.21   132,000
//	pigeonhole 10/9                0.00   155      24    5.4 M     6.2     17     4.6 M
//	pigeonhole 24/23               0.00   701      > 30            > 30    > 30
//	torus 5x5, 2 messages          0.81   402,000  5.2   7.5 M     0.37    3.4    2.0 M
//	torus 6x6, 3 channels          0.24    36,000  0.60  319,000   0.12    3.6    1.8 M
//	torus 8x8 (dor), 2 messages    0.11    11,000  0.61   96,000   0.08    0.61   167,000
//	star 5x5 ch=never, 2 messages  0.21    87,000  1.3   2.4 M     0.17    2.0    1.2 M
//	star 5x5 ch=never, 4 channels  0.24   156,000  0.25   76,000   0.12    0.92   486,000
//
// Gini is up to 14 times as fast as this solver alone, and 1.2 to 2.5 times as fast as unknot but for pigeonholes; it
// writes no proof. Gophersat's (RUP) are 3 to 50 times as long as unknot's and take it 1.5 to 15 times as long (1.5 and
// 4.1 on two questions left out above); its cardinality constraints take 0.5 to 20 times as long, and what it learns from
// them a checker of clauses cannot follow. Neither takes clauses found on the way, nor tells which steps of a proof are
// needed.
package sat

import (
	"context"
	"math"
	"slices"
)

// Literal is variable 2v or its negation 2v+1.
type Literal int32

// Yes is a variable, No its negation.
func Yes(v int32) Literal { return Literal(2 * v) }
func No(v int32) Literal  { return Literal(2*v + 1) }

// Variable is the variable of a literal; Negative tells No from Yes.
func (l Literal) Variable() int32 { return int32(l >> 1) }
func (l Literal) Negative() bool  { return l&1 == 1 }

func (l Literal) not() Literal      { return l ^ 1 }
func (l Literal) value(a int8) int8 { return a * (1 - 2*int8(l&1)) } // of the variable's value a
func (s *Solver) of(l Literal) int8 { return l.value(s.assigned[l.Variable()]) }
func (s *Solver) level() int        { return len(s.decisions) }

// IsTrue returns the value of a variable in a model.
func (s *Solver) IsTrue(v int32) bool { return s.assigned[v] > 0 }

// Variables returns the number of variables.
func (s *Solver) Variables() int { return len(s.assigned) }

// Value is 1 for a literal that is true, -1 for one that is false, 0 for an open one.
func (s *Solver) Value(l Literal) int8 { return s.of(l) }

// Gone reports whether a literal is known to be false in every model.
func (s *Solver) Gone(l Literal) bool { return s.of(l) < 0 && s.levels[l.Variable()] == 0 }

// Contradicts reports whether the formula is known to have no model.
func (s *Solver) Contradicts() bool { return s.refuted }

// clause is a disjunction. The first two literals are watched; a literal that the
// clause has forced is first.
type clause struct {
	literals []Literal
	learned  bool
	node     int32 // in the trace
	spread   int32 // levels of its literals when it was learned: few are better (Audemard and Simon 2009)
}

// reason says why a variable has its value: a clause, another variable of its group
// that is true, or neither for a decision.
type reason struct {
	clause *clause
	other  Literal // true literal of the group, if inGroup
	group  bool
	node   int32 // if neither: the node in the trace of why it has its value permanently
}

type watch struct {
	clause *clause
	other  Literal // some other literal of the clause: if it is true, there is nothing to do
}

// Solver decides one formula, which may grow between searches.
type Solver struct {
	assigned []int8 // by variable: 1 true, -1 false, 0 open
	saved    []int8 // the last value
	levels   []int32
	reasons  []reason
	groupOf  []int32 // -1: none
	groups   [][]int32
	watches  [][]watch // by literal: the clauses to visit when it becomes true, as they watch its negation

	trail     []Literal
	done      int   // trail[:done] is propagated
	decisions []int // where on the trail each level begins

	activity  []float64
	increment float64
	heap      heap
	seen      []bool

	learned []*clause
	most    int  // learned clauses kept
	refuted bool // contradiction without any assumption

	counted []bool  // by variable: those of which at most bound may be true
	counts  []int32 // the counted variables
	count   int     // how many of them are true
	limit   bound
	limits  []bound // all that were ever in force

	Conflicts int64 // dead ends so far
	Visits    int64 // literals propagated so far

	// Beyond is called when unit propagation finds no conflict. It returns a clause that is false
	// now, in a slice that it does not reuse, with the node that Beside made for it; or nil. It may be nil.
	Beyond func() (clause []Literal, node int32)

	// Required is called with each required clause, with a node of its own if there is a trace. It may be nil.
	Required func(clause []Literal, node int32)

	// Log is called with each learned clause and its node; false ends the search. It may be nil.
	Log   func(learned []Literal, node int32) bool
	full  bool   // Log returned false
	trace *trace // may be nil
}

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

// grown is slices.Grow, but touches no page of memory before it is needed, and does not wait for memory once ctx has ended: what is
// used again is cleared, which takes a second for large formulas.
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
