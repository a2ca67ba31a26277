package untie

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/seed-105a2da2/unknot/checker/explain"
	"github.com/seed-105a2da2/unknot/checker/internal/sat"
	"github.com/seed-105a2da2/unknot/spec"
)

// The least set of units is a least hitting set of clauses that are found as they
// are needed (implicit hitting sets: Chandrasekaran, Karp, Moreno-Centeno and Vempala
// 2011). The solver proposes a set with fewer units than the best repair so far; the
// set is a repair, or clauses say why not. When the solver has no proposal left, the
// best repair is a least one, and without a repair there is none. Until then clauses
// without a unit in common bound it below.

// least is a search for a least repair.
type least struct {
	*judge
	*sat.Solver
	effort  int64
	clauses [][]sat.Literal
	best    []bool // the units that the best repair forbids; nil without one
	cost    int
	refuted bool // nothing costs less than best
}

func newLeast(j *judge, effort int64) *least {
	l := &least{judge: j, Solver: sat.New(), effort: effort}
	for range j.units {
		l.Count(l.Add())
	}
	for _, u := range j.forced() {
		l.require([]sat.Literal{sat.No(u)})
	}
	return l
}

func (l *least) require(clause []sat.Literal) {
	l.clauses = append(l.clauses, clause)
	l.Require(clause...)
}

// forced returns units that some flow has no way around: those of sites with a single hop,
// from its source on.
func (w *ways) forced() []int32 {
	must := make([]bool, len(w.units))
	for i := range w.tables {
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

// try takes a set that is a repair for the best one, if it is. It returns the clauses
// against it otherwise.
func (l *least) try(forbidden []bool) [][]sat.Literal {
	l.effort -= int64(l.hops)
	clauses := l.refuse(forbidden)
	l.effort -= int64(len(clauses) * l.hops)
	if len(clauses) == 0 && (l.best == nil || count(forbidden) < l.cost) {
		l.best, l.cost = slices.Clone(forbidden), count(forbidden)
	}
	return clauses
}

// thin leaves units out of the best repair one by one while it stays one.
func (l *least) thin() {
	for u := range l.best {
		if l.best[u] && l.effort > 0 {
			fewer := slices.Clone(l.best)
			fewer[u] = false
			l.try(fewer)
		}
	}
}

// search improves the best repair until it is a least one, ctx ends or the effort is
// used up.
func (l *least) search(ctx context.Context) {
	for l.effort > 0 && ctx.Err() == nil {
		if l.best != nil {
			if l.thin(); l.bound() == l.cost {
				l.refuted = true
				return
			}
			l.BackTo(0)
			l.AtMost(l.cost - 1)
		}
		lim := sat.Limits{Conflicts: math.MaxInt64, Visits: l.Visits + l.effort}
		got, err := l.Solve(ctx, sat.Yes(l.Add()), lim, func() [][]sat.Literal {
			forbidden := make([]bool, len(l.units))
			for u := range forbidden {
				forbidden[u] = l.IsTrue(int32(u))
			}
			if l.effort <= 0 {
				return [][]sat.Literal{} // ends as satisfied, and is not tried
			}
			clauses := l.try(forbidden)
			l.clauses = append(l.clauses, clauses...)
			return clauses
		})
		if err != nil || got == sat.Undecided {
			return
		}
		if got == sat.Refuted {
			l.refuted = true
			return
		}
	}
}

// bound returns how many clauses have no unit in common, of those that ask for units to go
// when all that must stay does: no repair has fewer units.
func (l *least) bound() int {
	if l.refuted {
		return l.cost
	}
	stays := make([]bool, len(l.units))
	for _, c := range l.clauses {
		if len(c) == 1 && c[0].Negative() {
			stays[c[0].Variable()] = true
		}
	}
	var open [][]int32
	for _, c := range l.clauses {
		var units []int32
		for _, x := range c {
			if x.Negative() {
				units = nil
				break
			}
			if !stays[x.Variable()] {
				units = append(units, x.Variable())
			}
		}
		if len(units) > 0 {
			open = append(open, units)
		}
	}
	slices.SortStableFunc(open, func(a, b []int32) int { return cmp.Compare(len(a), len(b)) })
	apart, used := 0, make([]bool, len(l.units))
	for _, units := range open {
		if !slices.ContainsFunc(units, func(u int32) bool { return used[u] }) {
			apart++
			for _, u := range units {
				used[u] = true
			}
		}
	}
	return apart
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

// forbid searches for the fewest units of n that must go.
func (u *untying) forbid(ctx context.Context, s Scheme) (Proposal, error) {
	what := strings.TrimSuffix(string(s), "s")
	p := Proposal{Scheme: s, Unit: what}
	l := newLeast(newJudge(u.n, s), u.opt.Effort)
	l.orders(ctx)
	l.search(ctx)
	p.AtLeast = l.bound()
	switch {
	case l.best != nil:
	case l.refuted:
		p.Verdict = spec.Violated
		p.Because = "no flow may be cut off, and then " + l.reason(what)
		return p, nil
	default:
		p.Because = fmt.Sprintf("no set of %ss was found in %d trials", what, len(l.clauses))
		return p, nil
	}
	l.ways.forbid(l.best)
	p.Cost = l.cost
	p.Patch = l.patch(l.best)
	p.Because = leastOf(p.Cost, p.AtLeast, what, "forbidden")
	return u.certified(ctx, p, l.definition(nil))
}

// leastOf says what is known of the least number of things.
func leastOf(cost, atLeast int, what, done string) string {
	if cost == atLeast {
		return fmt.Sprintf("%s %s, and no fewer will do", explain.Plural(cost, what), done)
	}
	return fmt.Sprintf("%s %s; whether fewer will do is open, at least %d must", explain.Plural(cost, what), done, atLeast)
}

// reason says why there is no repair: the clause with the fewest units, each of which some flow
// needs, if there is one.
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
		return fmt.Sprintf("%s about %ss contradict each other", explain.Plural(len(l.clauses), "condition"), what)
	}
	const most = 4
	text := ""
	for i, x := range best {
		if i == most {
			text += fmt.Sprintf(" and %d more", len(best)-most)
			break
		}
		text += []string{" ", "; "}[min(i, 1)] + l.words(x.Variable())
	}
	return fmt.Sprintf("%s stay that together are at fault:%s", explain.Plural(len(best), what), text)
}

