package repair

import (
	"context"

	"github.com/seed-105a2da2/unknot/checker/internal/graph"
	"github.com/seed-105a2da2/unknot/checker/internal/sat"
)

// Why a set of forbidden units is not a repair, as clauses that every repair satisfies
// and this set does not. Each unit is a variable, true if the unit is forbidden.
//
//   - A flow has no path left. One of the forbidden units at the border of what its
//     packets reach must stay.
//   - A packet can circle forever. Of the units on the cycle, and on a path to it and from
//     it, one must go: while they all stay, the cycle stays.
//   - Channels are stuck: each has a site, and a path of live edges from there to a head
//     all of whose live hops lead into these channels. While the units on paths through
//     these sites stay, the sites stay, and can only lose hops; so one of those units
//     must go, or a forbidden unit that removes another hop of a head must stay.
//
// Deadlock freedom is not monotone, as forbidding a hop may remove an escape. The last
// part of the last clause covers this.

// refuse returns a bounded number of clauses against the forbidden units, none if they are
// a repair. Two clauses of one kind share no unit that must go. Linear in the edges for
// each clause. If ctx ends, it returns fewer.
func (j *judge) refuse(ctx context.Context, forbidden []bool, most int) [][]sat.Literal {
	j.paths.forbid(ctx, forbidden)
	var clauses [][]sat.Literal
	for i := range j.tables {
		for v := range j.tables[i].Sources {
			if j.tables[i].left[v] < never {
				continue
			}
			if len(clauses) == most || ctx.Err() != nil {
				return clauses
			}
			clauses = append(clauses, j.border(i, int32(v), forbidden, nil))
		}
	}
	if len(clauses) > 0 {
		return clauses
	}
	used := make([]bool, len(j.units))
	for i := range j.tables {
		for {
			if len(clauses) == most || ctx.Err() != nil {
				return clauses
			}
			c := j.round(&j.tables[i], used)
			if c == nil {
				break
			}
			clauses = append(clauses, c)
		}
	}
	if len(clauses) > 0 {
		return clauses
	}
	return j.stuck(ctx, forbidden, used, most)
}

// round returns a clause against a cycle of live edges of a table that has no used
// unit, and marks its units as used. It returns nil without such a cycle.
func (j *judge) round(t *table, used []bool) []sat.Literal {
	g := graph.Collect(t.vertices(), func(add func(from, to int32)) {
		for e, live := range t.live {
			if live && t.to[e] >= 0 && (t.unit[e] == free || !used[t.unit[e]]) {
				add(t.from[e], t.to[e])
			}
		}
	})
	if _, acyclic := graph.Heights(g); acyclic {
		return nil
	}
	cycle, _ := graph.ShortestCycle(g, 1<<20)
	var clause []sat.Literal
	for k, v := range cycle {
		for e := t.first[v]; e < t.first[v+1]; e++ {
			if t.live[e] && t.to[e] == cycle[(k+1)%len(cycle)] {
				clause = append(clause, sat.Yes(t.unit[e])) // between sites
				used[t.unit[e]] = true
				break
			}
		}
	}
	return tidy(t.through(cycle[0], clause))
}
