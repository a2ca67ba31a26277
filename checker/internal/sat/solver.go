// Package sat decides formulas in conjunctive normal form by backtracking that
// learns a clause from every dead end (conflict-driven clause learning: Marques
// Silva and Sakallah 1996; watched literals and activities after Moskewicz et
// al. 2001; layout after Eén and Sörensson 2003). Three things are its own: at
// most one variable of a group may be true, without a clause for each pair; at
// most a given number of the counted variables may be true; and a model may be refused
// by a clause that was left out at first.
package sat

import (
	"math"
	"slices"
)

// Literal is variable 2v or its negation 2v+1.
type Literal int32

// Yes is a variable, No its negation.
func Yes(v int32) Literal { return Literal(2 * v) }
func No(v int32) Literal  { return Literal(2*v + 1) }

// Variable is what a literal is about; Negative tells No from Yes.
func (l Literal) Variable() int32 { return int32(l >> 1) }
func (l Literal) Negative() bool  { return l&1 == 1 }

func (l Literal) not() Literal      { return l ^ 1 }
func (l Literal) value(a int8) int8 { return a * (1 - 2*int8(l&1)) } // of the variable's value a
func (s *Solver) of(l Literal) int8 { return l.value(s.assigned[l.Variable()]) }
func (s *Solver) level() int        { return len(s.decisions) }

// IsTrue tells the value of a variable in a model.
func (s *Solver) IsTrue(v int32) bool { return s.assigned[v] > 0 }

// Variables returns how many there are.
func (s *Solver) Variables() int { return len(s.assigned) }

// Value is 1 for a literal that is true, -1 for one that is false, 0 for an open one.
func (s *Solver) Value(l Literal) int8 { return s.of(l) }

// Gone reports whether a literal is false in every model, as far as is known.
func (s *Solver) Gone(l Literal) bool { return s.of(l) < 0 && s.levels[l.Variable()] == 0 }

// Bound returns how many counted variables may be true now, and the literal that says so.
func (s *Solver) Bound() (most int, by Literal) {
	if s.limit.by < 0 || s.assigned[s.limit.by] <= 0 {
		return math.MaxInt, 0
	}
	return s.limit.most, Yes(s.limit.by)
}

// Contradicts reports whether the formula is known to have no model.
func (s *Solver) Contradicts() bool { return s.refuted }

// Count makes Within count a variable; it must be open.
func (s *Solver) Count(v int32) { s.counted[v], s.counts = true, append(s.counts, v) }

// clause is a disjunction. The first two literals are watched; that which the
// clause has forced stands first.
type clause struct {
	literals []Literal
	learned  bool
	node     int32 // in the trace
	spread   int32 // levels of its literals when it was learned: few are better (Audemard and Simon 2009)
}

// reason says why a variable has its value: a clause, or another variable of
// its group that is true, or neither for a decision.
type reason struct {
	clause *clause
	other  Literal // true literal of the group, if inGroup
	group  bool
	node   int32 // if neither: in the trace, why it has its value for good
}

type watch struct {
	clause *clause
	other  Literal // some other literal of the clause: true means nothing is to do
}

// Solver decides one formula, which may grow between searches.
type Solver struct {
	assigned []int8 // by variable: 1 true, -1 false, 0 open
	saved    []int8 // the value that it had last
	levels   []int32
	reasons  []reason
	groupOf  []int32 // -1: none
	groups   [][]int32
	watches  [][]watch // by literal: the clauses to visit when it becomes true, for they watch its negation

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
	counts  []int32 // these variables
	count   int     // how many of them are true
	limit   bound
	limits  []bound // that were ever in force

	Conflicts int64 // dead ends so far
	Visits    int64 // literals propagated so far

	// Beyond is called where unit propagation sees nothing wrong. It returns a clause that is false
	// now, in a list that it does not use again, with the node that Beside made for it; or nil. It may be nil.
	Beyond func() (clause []Literal, node int32)

	// Log takes each clause that is learned, with its node; false ends the search. It may be nil.
	Log   func(learned []Literal, node int32) bool
	full  bool   // the log
	trace *trace // may be nil
}

// New returns a solver without variables.
func New() *Solver {
	return &Solver{increment: 1, most: 4000, limit: bound{math.MaxInt, -1}}
}

// bound is one on the counted variables that are true, with the variable that says so.
type bound struct {
	most int
	by   int32
}

// Add makes a variable.
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

// AtMostOne lets at most one of the variables be true; each may be in one group.
func (s *Solver) AtMostOne(variables []int32) {
	if len(variables) < 2 {
		return
	}
	for _, v := range variables {
		s.groupOf[v] = int32(len(s.groups))
	}
	s.groups = append(s.groups, slices.Clone(variables))
}

// AtMost lets at most so many of the counted variables be true, for good. It takes all decisions back.
func (s *Solver) AtMost(most int) { s.Require(s.Within(most)) }

// Within makes searches look for models in which at most so many of the counted
// variables are true, until it is called again. The bound may rise and fall: what is learned within
// it has its literal, which is returned, negated. It takes all decisions back.
func (s *Solver) Within(most int) Literal {
	s.BackTo(0)
	s.done = 0 // what is true already may fill the bound
	for _, b := range s.limits {
		if s.assigned[b.by] > 0 { // for good
			most = min(most, b.most)
		}
	}
	s.limit = bound{most, -1}
	for _, b := range s.limits {
		s.saved[b.by] = -1 // a search is not to try one that was in force
		if b.most == most {
			s.limit = b
		}
	}
	if s.limit.by < 0 {
		s.limit.by = s.Add()
		for _, b := range s.limits { // each implies the higher ones
			if b.most < most {
				s.Require(No(b.by), Yes(s.limit.by))
			} else {
				s.Require(No(s.limit.by), Yes(b.by))
			}
		}
		s.limits = append(s.limits, s.limit)
	}
	return Yes(s.limit.by)
}

// fill draws the conclusions of a full count: no other counted variable is true.
// It returns a false clause if too many are.
func (s *Solver) fill() []Literal {
	if s.count < s.limit.most || s.assigned[s.limit.by] <= 0 {
		return nil
	}
	full := []Literal{No(s.limit.by)}
	for _, v := range s.counts {
		if s.assigned[v] > 0 {
			full = append(full, No(v))
		}
	}
	if s.count > s.limit.most {
		return full
	}
	why := reason{clause: &clause{literals: full}}
	for _, v := range s.counts {
		if s.assigned[v] == 0 {
			s.assign(No(v), why)
		}
	}
	return nil
}

// Require adds a clause. It takes all decisions back.
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
	switch node := s.node(false); len(open) { // node is of the literals left out
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

func (s *Solver) assign(l Literal, why reason) {
	v := l.Variable()
	s.assigned[v] = 1
	if l.Negative() {
		s.assigned[v] = -1
	} else if s.counted[v] {
		s.count++
	}
	s.levels[v] = int32(s.level())
	s.reasons[v] = why
	s.trail = append(s.trail, l)
	if s.trace != nil && s.level() == 0 {
		s.settle(v, why)
	}
}

// propagate draws all conclusions and returns a clause that has become false,
// or nil. The clause may be made up for a group.
func (s *Solver) propagate() []Literal {
	for s.done < len(s.trail) {
		l := s.trail[s.done]
		s.done++
		s.Visits++
		if g := s.groupOf[l.Variable()]; g >= 0 && !l.Negative() {
			for _, v := range s.groups[g] {
				switch {
				case v == l.Variable() || s.assigned[v] < 0:
				case s.assigned[v] > 0:
					return s.wrong(&clause{literals: []Literal{No(v), l.not()}})
				default:
					s.assign(No(v), reason{other: l, group: true})
				}
			}
		}
		if !l.Negative() && (s.counted[l.Variable()] || l.Variable() == s.limit.by) {
			if full := s.fill(); full != nil {
				return s.wrong(&clause{literals: full})
			}
		}
		if c := s.propagateClauses(l); c != nil {
			return s.wrong(c)
		}
	}
	return nil
}

// wrong returns the literals of a clause that is false.
func (s *Solver) wrong(c *clause) []Literal {
	if s.trace != nil {
		s.trace.conflict = c.node
	}
	return c.literals
}

// propagateClauses visits the clauses that watch the negation of l, which is
// true now.
func (s *Solver) propagateClauses(l Literal) *clause {
	list := s.watches[l]
	keep := list[:0]
	for i, w := range list {
		if s.of(w.other) > 0 {
			keep = append(keep, w)
			continue
		}
		c := w.clause
		ls := c.literals
		if ls[0] == l.not() {
			ls[0], ls[1] = ls[1], ls[0]
		}
		if s.of(ls[0]) > 0 {
			keep = append(keep, watch{c, ls[0]})
			continue
		}
		if s.rewatch(c) {
			continue
		}
		keep = append(keep, watch{c, ls[0]})
		if s.of(ls[0]) < 0 {
			keep = append(keep, list[i+1:]...)
			s.watches[l] = keep
			return c
		}
		s.assign(ls[0], reason{clause: c})
	}
	s.watches[l] = keep
	return nil
}

// rewatch finds a literal that is not false to be watched in second place.
func (s *Solver) rewatch(c *clause) bool {
	ls := c.literals
	for k := 2; k < len(ls); k++ {
		if s.of(ls[k]) >= 0 {
			ls[1], ls[k] = ls[k], ls[1]
			s.watches[ls[1].not()] = append(s.watches[ls[1].not()], watch{c, ls[0]})
			return true
		}
	}
	return false
}

// BackTo takes back all levels above the given one.
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

// heap holds the open variables, the most active on top.
type heap struct {
	items []int32
	at    []int32 // by variable: place in items + 1, or 0
}

func (h *heap) before(s *Solver, a, b int32) bool {
	if s.activity[a] != s.activity[b] {
		return s.activity[a] > s.activity[b]
	}
	return a < b
}

func (h *heap) push(s *Solver, v int32) {
	for len(h.at) <= int(v) {
		h.at = append(h.at, 0)
	}
	if h.at[v] != 0 {
		return
	}
	h.items = append(h.items, v)
	h.at[v] = int32(len(h.items))
	h.up(s, len(h.items)-1)
}

func (h *heap) pop(s *Solver) int32 {
	top := h.items[0]
	h.at[top] = 0
	last := h.items[len(h.items)-1]
	h.items = h.items[:len(h.items)-1]
	if len(h.items) > 0 {
		h.items[0] = last
		h.at[last] = 1
		h.down(s, 0)
	}
	return top
}

// raised restores the order after v has become more active.
func (h *heap) raised(s *Solver, v int32) {
	if at := h.at[v]; at != 0 {
		h.up(s, int(at)-1)
	}
}

func (h *heap) up(s *Solver, i int) {
	v := h.items[i]
	for i > 0 {
		p := (i - 1) / 2
		if !h.before(s, v, h.items[p]) {
			break
		}
		h.items[i] = h.items[p]
		h.at[h.items[i]] = int32(i) + 1
		i = p
	}
	h.items[i] = v
	h.at[v] = int32(i) + 1
}

func (h *heap) down(s *Solver, i int) {
	v := h.items[i]
	for {
		c := 2*i + 1
		if c >= len(h.items) {
			break
		}
		if c+1 < len(h.items) && h.before(s, h.items[c+1], h.items[c]) {
			c++
		}
		if !h.before(s, h.items[c], v) {
			break
		}
		h.items[i] = h.items[c]
		h.at[h.items[i]] = int32(i) + 1
		i = c
	}
	h.items[i] = v
	h.at[v] = int32(i) + 1
}
