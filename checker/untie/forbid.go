package untie

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/explain"
	"github.com/seed-105a2da2/unknot/checker/internal/sat"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
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

// forced returns units that some flow cannot avoid: those of sites with a single hop,
// from its source on. Fewer if ctx ends.
func (w *paths) forced(ctx context.Context) []int32 {
	must := make([]bool, len(w.units))
	for i := range w.tables {
		if ctx.Err() != nil {
			break
		}
		t := &w.tables[i]
		walked := make([]bool, t.vertices())
		for v := range int32(len(t.Sources)) {
			for v != arrived && !walked[v] && t.isLive(v) {
				walked[v] = true
				only := int32(-1)
				several := false
				for e := t.first[v]; e < t.first[v+1]; e++ {
					if t.live[e] {
						several = several || only >= 0
						only = e
					}
				}
				if several {
					break
				}
				if u := t.unit[only]; u != free {
					must[u] = true
				}
				v = t.to[only]
			}
		}
	}
	var units []int32
	for u, is := range must {
		if is {
			units = append(units, int32(u))
		}
	}
	return units
}

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

// atOnce bounds the clauses of one trial.
const atOnce = 48

// search improves the best repair until it is a least one, ctx ends or the effort runs
// out. It hands each better one to found.
func (l *least) search(ctx context.Context, found func() error) error {
	for _, most := range []int{atOnce, len(l.units)} {
		for _, c := range l.try(ctx, make([]bool, len(l.units)), most) {
			l.require(c)
		}
		if l.Contradicts() {
			l.refuted = true
			return nil
		}
	}
	none := l.best == nil
	if none {
		l.orders(ctx)
	}
	l.tighten(ctx)
	if none && l.best != nil && !l.met(ctx) {
		l.rearrange(ctx)
	}
	for {
		if l.best != nil {
			if !l.met(ctx) && l.scheme != Order { // which is thin
				l.thin(ctx)
			}
			if err := found(); err != nil {
				return err
			}
			l.Required = nil
			l.AtMost(l.cost - 1)
			l.Required = l.log.condition
		}
		if ctx.Err() != nil || l.met(ctx) || l.effort <= 0 {
			return ctx.Err()
		}
		before := l.Visits
		got, err := l.Solve(ctx, sat.Yes(l.Add()), sat.Limits{Conflicts: math.MaxInt64, Visits: before + l.effort}, func() [][]sat.Literal { return l.propose(ctx) })
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

// forbidding looks for the fewest turns or hops that must go from the tables as they are.
func (u *untying) forbidding(ctx context.Context) (Proposal, error) {
	j := newJudge(ctx, u.n, u.scheme)
	if j == nil {
		return Proposal{}, ctx.Err()
	}
	l := newLeast(ctx, question{namer: j.namer, units: j.units, forced: j.forced(ctx), weight: j.hops, visits: j.visits(ctx), refuse: j.refuse}, u.opt.Effort)
	return u.forbid(ctx, l, func() (routing.Definition, []string) {
		j.paths.forbid(ctx, l.best)
		return j.definition(), j.follows(ctx, l.best)
	})
}

// forbid searches for the fewest units that must go. network makes a network of the best
// repair, and says what follows from it. If ctx ends, forbid returns what it has found
// with the error.
func (u *untying) forbid(ctx context.Context, l *least, network func() (routing.Definition, []string)) (Proposal, error) {
	what := u.scheme.unit()
	p := Proposal{Unit: what}
	err := l.search(ctx, func() error {
		if p.Network != nil && p.Cost == l.cost {
			return nil
		}
		def, follows := network()
		better, err := u.certified(ctx, p, def)
		if err != nil || better.Network == nil && p.Network != nil {
			return err
		}
		if p = better; p.Network != nil {
			p.Cost, p.Patch = l.cost, append(l.forbids(l.units, l.best), follows...)
		}
		return nil
	})
	p.AtLeast = l.bound(ctx)
	proof, fault := l.proof(ctx)
	if p.Least = proof; fault != nil && err == nil {
		err = fault
	}
	switch {
	case p.Network != nil:
		p.Because = leastOf(p, "forbidden")
	case l.refuted && l.best == nil:
		p.Verdict = spec.Violated
		if p.Because = l.reason(what); p.Least == nil {
			p.Because += unchecked
		}
	case p.Because == "":
		p.Because = fmt.Sprintf("no set of %ss was found; at least %d must go", what, p.AtLeast)
	}
	return p, err
}

const unchecked = " (not machine-checked)"

// leastOf says what is known about the least number.
func leastOf(p Proposal, done string) string {
	checked := ""
	if p.Least == nil && p.AtLeast > 1 {
		checked = unchecked
	}
	if p.Cost == p.AtLeast {
		return fmt.Sprintf("%s %s, and no fewer will do%s", explain.Plural(p.Cost, p.Unit), done, checked)
	}
	return fmt.Sprintf("%s %s; whether fewer suffice is open: at least %d are needed%s", explain.Plural(p.Cost, p.Unit), done, p.AtLeast, checked)
}

// reason says why no repair exists: the clause with the fewest units among those whose units
// flows cannot avoid, if any.
func (l *least) reason(what string) string {
	stays := map[int32]bool{}
	for _, c := range l.clauses {
		if len(c) == 1 && c[0].Negative() {
			stays[c[0].Variable()] = true
		}
	}
	var best []sat.Literal
	for _, c := range l.clauses {
		refuted := !slices.ContainsFunc(c, func(x sat.Literal) bool { return x.Negative() || !stays[x.Variable()] })
		if refuted && (best == nil || len(c) < len(best)) {
			best = c
		}
	}
	if best == nil {
		return fmt.Sprintf("%s that every repair meets contradict each other", explain.Plural(len(l.clauses), "condition"))
	}
	const most = 4
	text := ""
	for i, x := range best {
		if i == most {
			text += fmt.Sprintf(" and %d more", len(best)-most)
			break
		}
		text += []string{" ", "; "}[min(i, 1)] + l.words(l.units[x.Variable()])
	}
	return fmt.Sprintf("each of %s is unavoidable for some flow, and while all stay, so does the fault:%s", explain.Plural(len(best), what), text)
}
