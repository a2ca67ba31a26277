package repair

import (
	"context"
	"math"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/sat"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/proofs/unsat"
)

// The least set of units is a least hitting set of clauses that are found as they
// are needed (implicit hitting sets: Chandrasekaran, Karp, Moreno-Centeno and Vempala
// 2011). The solver proposes a set with fewer units than the best repair so far; the
// set is a repair, or clauses say why not. When the solver has no proposal left, the best
// repair is a least one; if none was found, none exists. Until then weights of the
// clauses give a lower bound.

// problem says what makes a set of units a repair.
type problem struct {
	namer
	units  []unit
	forced []int32           // units that must stay
	weight int               // of a trial, in hops examined
	visits func(x int32) int // estimates the hops that a condition visits for a literal
	// violations returns a bounded number of clauses against a set; none if the set is a repair or ctx has ended.
	violations func(ctx context.Context, forbidden []bool, most int) [][]sat.Literal
	kind       *soundness // of the clauses that violations has returned; nil: proved
	// separate returns clauses that a fractional solution violates; nil if violations is to find them.
	separate func(ctx context.Context, share []float64) [][]sat.Literal
}

// hittingSet is a search for a least repair.
type hittingSet struct {
	problem
	*sat.Solver
	effort     int64
	clauses    [][]sat.Literal
	best       []bool // the units that the best repair forbids; nil without one
	cost       int
	refuted    bool        // nothing costs less than best, as far as all clauses are met
	before     int         // the bound before the first clause that a repair may not meet
	next       int         // clauses at which to compute the bound again
	relaxation *relaxation // of the first clauses
	relaxedAt  int         // number of clauses at the last search for a better repair
	log        proofLog
}

// newHittingSet stops halfway if ctx ends; every search then stops, too.
func newHittingSet(ctx context.Context, q problem, effort int64) *hittingSet {
	l := &hittingSet{problem: q, Solver: sat.New(), effort: effort}
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

func (l *hittingSet) require(clause []sat.Literal) {
	l.addClause(clause)
	l.Require(clause...)
}

// addClause keeps a condition.
func (l *hittingSet) addClause(clause []sat.Literal) { l.clauses = append(l.clauses, clause) }

// improve improves the best repair until it is a least one, ctx ends or the effort runs
// out. It hands each better one to found.
func (l *hittingSet) improve(ctx context.Context, found func() error) error {
	for _, most := range []int{clausesPerTrial, len(l.units)} {
		for _, c := range l.try(ctx, make([]bool, len(l.units)), most) {
			l.require(c)
		}
		if l.Contradicts() {
			l.refuted = true
			return nil
		}
	}
	none := l.best == nil
	if none = none && l.scheme != Bubble; none {
		l.tryOrders(ctx)
	}
	l.raiseBound(ctx)
	if none && l.best != nil && !l.boundMet(ctx) {
		l.improveOrdering(ctx)
	}
	for {
		if l.best != nil {
			if !l.boundMet(ctx) && l.scheme != Order { // which is thin
				l.thinBest(ctx)
			}
			if err := found(); err != nil {
				return err
			}
			l.Required = nil
			l.AtMost(l.cost - 1)
			l.Required = l.log.condition
		}
		if ctx.Err() != nil || l.boundMet(ctx) || l.effort <= 0 {
			return ctx.Err()
		}
		before := l.Visits
		got, err := l.Solve(ctx, sat.Yes(l.Add()), sat.Limits{Conflicts: math.MaxInt64, Visits: before + l.effort},
			func() [][]sat.Literal { return l.propose(ctx) })
		l.effort -= l.Visits - before
		switch {
		case err != nil:
			return err
		case got == sat.Undecided:
			return nil
		case got == sat.Refuted:
			l.refuted = true
			return nil
		}
	}
}

// clausesPerTrial bounds the clauses of one trial.
const clausesPerTrial = 48

// try adopts a set as the best repair if it is a repair and costs less. Otherwise it returns a bounded
// number of clauses against it.
func (l *hittingSet) try(ctx context.Context, forbidden []bool, most int) [][]sat.Literal {
	l.effort -= int64(l.weight)
	sure := !l.doubtful()
	clauses := l.violations(ctx, forbidden, most)
	if sure && l.doubtful() {
		l.before = l.bound(ctx)
	}
	l.effort -= int64(len(clauses) * len(l.units))
	if len(clauses) == 0 && ctx.Err() == nil && (l.best == nil || count(forbidden) < l.cost) {
		l.best, l.cost = slices.Clone(forbidden), count(forbidden)
	}
	return clauses
}

// thinBest removes units from the best repair one by one while it stays a repair.
func (l *hittingSet) thinBest(ctx context.Context) {
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
func (l *hittingSet) propose(ctx context.Context) [][]sat.Literal {
	if l.effort <= 0 || len(l.clauses) >= l.next && l.boundMet(ctx) {
		return nil
	}
	forbidden := make([]bool, len(l.units))
	for u := range forbidden {
		forbidden[u] = l.IsTrue(int32(u))
	}
	clauses := l.try(ctx, forbidden, clausesPerTrial)
	for _, c := range clauses {
		l.addClause(c)
	}
	return clauses
}

// raiseBound looks for clauses that raise the bound, until it is met or none is found.
func (l *hittingSet) raiseBound(ctx context.Context) {
	const rounds = 60
	rest := l.effort / 4 * 3
	for range rounds {
		if l.best == nil || l.effort < rest || ctx.Err() != nil || l.boundMet(ctx) {
			return
		}
		var more [][]sat.Literal
		if w := l.relaxed(ctx); len(w.weight) < len(l.clauses) {
			return // too little effort is left for the last ones
		}
		if l.separate != nil {
			l.effort -= int64(len(l.units))
			more = l.separate(ctx, l.relaxed(ctx).fraction)
		} else {
			forbidden := make([]bool, len(l.units))
			for u, x := range l.relaxed(ctx).fraction {
				forbidden[u] = x > 0
			}
			more = l.try(ctx, forbidden, clausesPerTrial)
		}
		more = slices.DeleteFunc(more, func(c []sat.Literal) bool { return l.relaxed(ctx).satisfies(c) })
		if len(more) == 0 {
			return
		}
		for _, c := range more {
			l.require(c)
		}
	}
}

// boundMet reports whether the best repair costs no more than the bound.
func (l *hittingSet) boundMet(ctx context.Context) bool {
	l.next = 2*len(l.clauses) + 1
	l.refuted = l.refuted || l.best != nil && l.bound(ctx) == l.cost
	return l.refuted
}

// bound returns a lower bound on the cost of every repair.
func (l *hittingSet) bound(ctx context.Context) int {
	if l.refuted {
		return l.cost
	}
	return l.relaxed(ctx).bound
}

// doubtful reports whether a repair may not meet some clause.
func (l *hittingSet) doubtful() bool { return l.kind != nil && *l.kind == open }

// shown returns the bound of the clauses that every repair meets.
func (l *hittingSet) shown(ctx context.Context) int {
	if l.doubtful() {
		return l.before
	}
	return l.bound(ctx)
}

// relaxed returns the best weights found.
func (l *hittingSet) relaxed(ctx context.Context) *relaxation {
	if l.relaxation == nil || l.relaxedAt != len(l.clauses) {
		l.relaxedAt = len(l.clauses)
		w, cells := relax(ctx, len(l.units), l.clauses, l.effort)
		l.effort -= cells / 8
		if l.relaxation == nil || w.bound >= l.relaxation.bound {
			l.relaxation = w
		}
	}
	return l.relaxation
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
func (l *hittingSet) proof(ctx context.Context) (*evidence.Unsatisfiability, error) {
	if ctx.Err() != nil || l.kind != nil && *l.kind != proved {
		return nil, nil
	}
	bound := unsat.Bound{Of: l.scheme.bound()}
	if l.refuted && l.best == nil {
		return verified(ctx, l.n, bound, l.log.refuted(ctx, l.Solver), l.visits)
	}
	if bound.Most = l.bound(ctx) - 1; bound.Most < 1 {
		return nil, nil
	}
	var steps []unsat.Step
	if w := l.relaxed(ctx); w.bound > bound.Most {
		var sum proofLog
		last := unsat.Step{Clause: true}
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
