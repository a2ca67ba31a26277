package repair

import (
	"context"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/sat"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/proofs/refutation"
)

// The least set of units is a least hitting set of clauses that are found as they
// are needed (implicit hitting sets: Chandrasekaran, Karp, Moreno-Centeno and Vempala
// 2011). The solver proposes a set with fewer units than the best repair so far; the
// set is a repair, or clauses say why not. When the solver has no proposal left, the best
// repair is a least one; if none was found, none exists. Until then weights of the
// clauses give a lower bound.

// question says what makes a set of units a repair.
type question struct {
	namer
	units  []unit
	forced []int32           // units that must stay
	weight int               // of a trial, in hops examined
	visits func(x int32) int // estimates the hops that a condition visits for a literal
	// refuse returns a bounded number of clauses against a set; none if the set is a repair or ctx has ended.
	refuse func(ctx context.Context, forbidden []bool, most int) [][]sat.Literal
	// separate returns clauses that a fractional solution violates; nil if refuse is to find them.
	separate func(ctx context.Context, share []float64) [][]sat.Literal
}

// least is a search for a least repair.
type least struct {
	question
	*sat.Solver
	effort  int64
	clauses [][]sat.Literal
	best    []bool // the units that the best repair forbids; nil without one
	cost    int
	refuted bool      // nothing costs less than best
	next    int       // clauses at which to compute the bound again
	weighed *weighing // of the first clauses
	asked   int       // number of clauses at the last search for a better repair
	log     log
}

// newLeast stops halfway if ctx ends; every search then stops, too.
func newLeast(ctx context.Context, q question, effort int64) *least {
	l := &least{question: q, Solver: sat.New(), effort: effort}
	l.Grow(ctx, len(q.units))
	for range q.units {
		if ctx.Err() != nil {
			return l
		}
		l.Count(l.Add())
	}
	l.Log, l.Required = l.log.learned, l.log.condition
	l.Trace()
	for _, u := range q.forced {
		if ctx.Err() != nil {
			return l
		}
		l.require([]sat.Literal{sat.No(u)})
	}
	return l
}

func (l *least) require(clause []sat.Literal) {
	l.note(clause)
	l.Require(clause...)
}

// note keeps a condition.
func (l *least) note(clause []sat.Literal) { l.clauses = append(l.clauses, clause) }

// atOnce bounds the clauses of one trial.
const atOnce = 48

// try adopts a set as the best repair if it is a repair and costs less. Otherwise it returns a bounded
// number of clauses against it.
func (l *least) try(ctx context.Context, forbidden []bool, most int) [][]sat.Literal {
	l.effort -= int64(l.weight)
	clauses := l.refuse(ctx, forbidden, most)
	l.effort -= int64(len(clauses) * len(l.units))
	if len(clauses) == 0 && ctx.Err() == nil && (l.best == nil || count(forbidden) < l.cost) {
		l.best, l.cost = slices.Clone(forbidden), count(forbidden)
	}
	return clauses
}

// thin removes units from the best repair one by one while it stays a repair.
func (l *least) thin(ctx context.Context) {
	for u := range l.best {
		if !l.best[u] {
			continue
		}
		if l.effort <= 0 || ctx.Err() != nil {
			return
		}
		fewer := slices.Clone(l.best)
		fewer[u] = false
		l.try(ctx, fewer, 1)
	}
}

// propose tries a model of the solver, and ends the search if no model is left.
func (l *least) propose(ctx context.Context) [][]sat.Literal {
	if l.effort <= 0 || len(l.clauses) >= l.next && l.met(ctx) {
		return nil
	}
	forbidden := make([]bool, len(l.units))
	for u := range forbidden {
		forbidden[u] = l.IsTrue(int32(u))
	}
	clauses := l.try(ctx, forbidden, atOnce)
	for _, c := range clauses {
		l.note(c)
	}
	return clauses
}

// tighten looks for clauses that raise the bound, until it is met or none is found.
func (l *least) tighten(ctx context.Context) {
	const rounds = 60
	rest := l.effort / 4 * 3
	for range rounds {
		if l.best == nil || l.effort < rest || ctx.Err() != nil || l.met(ctx) {
			return
		}
		var more [][]sat.Literal
		if w := l.weights(ctx); len(w.weight) < len(l.clauses) {
			return // too little effort is left for the last ones
		}
		if l.separate != nil {
			l.effort -= int64(len(l.units))
			more = l.separate(ctx, l.weights(ctx).share)
		} else {
			forbidden := make([]bool, len(l.units))
			for u, x := range l.weights(ctx).share {
				forbidden[u] = x > 0
			}
			more = l.try(ctx, forbidden, atOnce)
		}
		more = slices.DeleteFunc(more, func(c []sat.Literal) bool { return l.weights(ctx).meets(c) })
		if len(more) == 0 {
			return
		}
		for _, c := range more {
			l.require(c)
		}
	}
}

// met reports whether the best repair costs no more than the bound.
func (l *least) met(ctx context.Context) bool {
	l.next = 2*len(l.clauses) + 1
	l.refuted = l.refuted || l.best != nil && l.bound(ctx) == l.cost
	return l.refuted
}

// bound returns a lower bound on the cost of every repair.
func (l *least) bound(ctx context.Context) int {
	if l.refuted {
		return l.cost
	}
	return l.weights(ctx).bound
}

// weights returns the best weights found.
func (l *least) weights(ctx context.Context) *weighing {
	if l.weighed == nil || l.asked != len(l.clauses) {
		l.asked = len(l.clauses)
		w, cells := weigh(ctx, len(l.units), l.clauses, l.effort)
		l.effort -= cells / 8
		if l.weighed == nil || w.bound >= l.weighed.bound {
			l.weighed = w
		}
	}
	return l.weighed
}

func count(set []bool) int {
	n := 0
	for _, in := range set {
		if in {
			n++
		}
	}
	return n
}

// proof shows that no repair costs less than the bound, or that none exists. It is nil if that
// takes no proof or too long a proof, or ctx has ended.
func (l *least) proof(ctx context.Context) (*evidence.Refutation, error) {
	if ctx.Err() != nil {
		return nil, nil
	}
	bound := refutation.Bound{Of: l.scheme.bound()}
	if l.refuted && l.best == nil {
		return verified(ctx, l.n, bound, l.log.refuted(ctx, l.Solver), l.visits)
	}
	if bound.Most = l.bound(ctx) - 1; bound.Most < 1 {
		return nil, nil
	}
	var steps []refutation.Step
	if w := l.weights(ctx); w.bound > bound.Most {
		var sum log
		last := refutation.Step{Clause: true}
		for i, times := range w.times {
			if times > 0 {
				sum.condition(l.clauses[i], 0)
				last.Sum = append(last.Sum, slices.Repeat([][]int32{sum.steps[len(sum.steps)-1].List}, times)...)
			}
		}
		steps = append(sum.steps, last)
	} else {
		steps = l.log.refuted(ctx, l.Solver)
	}
	return verified(ctx, l.n, bound, steps, l.visits)
}
