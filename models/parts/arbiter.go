package parts

import "github.com/seed-105a2da2/unknot/spec/program"

// Discipline is how those who want one link or port take turns.
type Discipline uint8

const (
	// Any is no arbiter: any of them, as often as it comes to it.
	Any Discipline = iota
	// Batch serves those who were waiting when one was served out of turn, each
	// once, before anybody else (the batching or assured-access protocols of buses,
	// such as Fastbus and NuBus; Vernon and Manber, "Distributed Round-Robin and
	// First-Come First-Serve Protocols", ISCA 1988).
	Batch
	// RoundRobin serves the first after the last winner, in a fixed cyclic order.
	RoundRobin
	// Queue keeps all in a list: the winner goes to its end, the others keep their order.
	Queue
	// Fixed serves the lowest number.
	Fixed
)

// Arbiter is the memory of an arbiter of requesters 0..n-1, as variables of a program.
//
// Batch: a requester with a mark wants its turn. Marks are set only when there are
// none, for all who want when one of them is served. So a requester is passed over
// by what is left of a batch, once each, by one that is served out of turn, and by
// those who get their marks together with it, once each: 2n-2 times among n. All
// marks are gone when nobody wants, which keeps states few: round-robin remembers
// the last winner forever.
//
// Queue is kept as a matrix: before[i][k], for i < k, is 1 while k comes before i.
// It starts in number order, as does RoundRobin if last starts with n-1.
type Arbiter struct {
	discipline Discipline
	n          int
	last       program.Var     // RoundRobin: the last winner
	marks      []program.Var   // Batch
	before     [][]program.Var // Queue
}

// NewArbiter returns an arbiter. variable makes its variables, all 0 at first but
// for last: (-1, -1) the last winner, with n values; (i, -1) the mark of i; (i, k)
// whether k comes before i.
func NewArbiter(d Discipline, n int, variable func(i, k, values int) program.Var) *Arbiter {
	a := &Arbiter{discipline: d, n: n}
	if d == RoundRobin {
		a.last = variable(-1, -1, n)
	}
	for i := range n {
		switch d {
		case Batch:
			a.marks = append(a.marks, variable(i, -1, 2))
		case Queue:
			a.before = append(a.before, make([]program.Var, n))
			for k := i + 1; k < n; k++ {
				a.before[i][k] = variable(i, k, 2)
			}
		}
	}
	return a
}

// NoTurn is a requester without turns: it need never act, so it is served while it
// is nobody's turn, else it would hold up all others.
const NoTurn = -1

// Turn holds if requester c comes before all others who want. Whether c itself wants
// is not asked.
func (a *Arbiter) Turn(c int, wants []program.Expr) program.Expr {
	var rivals, cases []program.Expr
	switch {
	case a.discipline == RoundRobin && c != NoTurn:
		for last := range a.n {
			between := []program.Expr{program.Eq(a.last, last)}
			for i := (last + 1) % a.n; i != c; i = (i + 1) % a.n {
				between = append(between, program.Not(wants[i]))
			}
			cases = append(cases, program.And(between...))
		}
		return program.Or(cases...)
	case a.discipline == Any:
		return program.And()
	}
	for i := range a.n {
		switch {
		case i == c || a.discipline == Fixed && i > c:
		case a.discipline == Batch:
			rivals = append(rivals, program.Not(program.And(program.Eq(a.marks[i], 1), wants[i])))
		case a.discipline == Queue:
			x, ahead := a.order(i, c)
			rivals = append(rivals, program.Or(program.Not(wants[i]), program.Eq(x, 1-ahead)))
		default:
			rivals = append(rivals, program.Not(wants[i]))
		}
	}
	if a.discipline == Batch && c != NoTurn {
		return program.Or(program.Eq(a.marks[c], 1), program.And(rivals...))
	}
	return program.And(rivals...)
}

// Wins lists what the arbiter notes when c is served, before anything else changes.
func (a *Arbiter) Wins(c int, wants []program.Expr) []program.Stmt {
	var notes []program.Stmt
	switch a.discipline {
	case RoundRobin:
		if c != NoTurn {
			notes = append(notes, program.Set(a.last, c))
		}
	case Batch:
		for i, mark := range a.marks {
			if i != c {
				notes = append(notes, program.If(wants[i], program.Set(mark, 1)))
			}
		}
		if c != NoTurn {
			return []program.Stmt{program.If(program.Eq(a.marks[c], 1), program.Set(a.marks[c], 0)).Otherwise(notes...)}
		}
	case Queue:
		for i := range a.n {
			if i != c {
				x, ahead := a.order(i, c)
				notes = append(notes, program.Set(x, ahead))
			}
		}
	}
	return notes
}

// order is the variable that says which of i and c comes first, and its value when
// i does.
func (a *Arbiter) order(i, c int) (x program.Var, ahead int) {
	if i < c {
		return a.before[i][c], 0
	}
	return a.before[c][i], 1
}
