// Package sat decides formulas in conjunctive normal form by backtracking that
// learns a clause from every dead end (conflict-driven clause learning: Marques
// Silva and Sakallah 1996; watched literals and activities after Moskewicz et
// al. 2001; layout after Eén and Sörensson 2003). Three features are its own: at most
// one variable of a group may be true, without a clause for each pair; at most a given
// number of the counted variables may be true; and a model may be refused by a clause
// that was left out at first.
//
// Why a solver of our own: gini (commit 7aed76b of 2021-08-27, MIT) and gophersat (v1.4.0 of
// 2023-11-24, MIT) on the formulas that package wormhole makes, as one question each, 2026-11-23. Seconds of CPU
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
// Gini is up to 14 times as fast as this solver alone, and 1.2 to 2.5 times as fast as unknot except on pigeonholes;
// it writes no proof. Gophersat's (RUP) are 3 to 50 times as long as unknot's and take it 1.5 to 15 times as long
// (1.5 and 4.1 on two questions left out above); its cardinality constraints take 0.5 to 20 times as long, and a
// checker of clauses cannot follow what it learns from them. Neither takes clauses found on the way, nor tells which
// steps of a proof are needed.
package sat

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
	// now, in a slice that it does not reuse, with the node that SettledNode made for it; or nil. It may be nil.
	Beyond func() (clause []Literal, node int32)

	// Required is called with each required clause, with its own node if there is a trace. It may be nil.
	Required func(clause []Literal, node int32)

	// Log is called with each learned clause and its node; false ends the search. It may be nil.
	Log   func(learned []Literal, node int32) bool
	full  bool   // Log returned false
	trace *trace // may be nil
}

// bound limits how many counted variables may be true; its variable says that it is in force.
type bound struct {
	most int
	by   int32
}

// trace records what each learned clause follows from, so that a proof can leave out the others
// (after Goldberg and Novikov 2003, and Wetzler, Heule and Hunt 2014). Its nodes are these clauses and
// settled values, numbered so that each follows from lower ones; node 0 is everything given.
type trace struct {
	first    []int32 // by node: it follows from from[first[node]:first[node+1]]
	from     []int32
	settled  []int32 // by variable: the node of its value, if settled
	conflict int32   // node of the clause that is false now
	answers  []int32 // nodes of what refuted the searches since the last call of Trace
	marks    []int32 // collected for the next node
	full     bool    // nothing more is recorded: all is needed
}

// heap holds the open variables, the most active on top.
type heap struct {
	items []int32
	at    []int32 // by variable: place in items + 1, or 0
}
