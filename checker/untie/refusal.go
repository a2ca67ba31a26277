package untie

import (
	"context"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/graph"
	"github.com/seed-105a2da2/unknot/checker/internal/sat"
	"github.com/seed-105a2da2/unknot/spec"
)

// Why a set of forbidden units is not a repair, as clauses that every repair satisfies
// and this set does not. Each unit is a variable, true if the unit is forbidden.
//
//   - A flow has no path left. One of the forbidden units at the border of what its
//     packets reach must stay.
//   - A packet can circle forever. Of the units on the cycle, and on a path to it and from
//     it, one must go: while they all stay, so does the cycle.
//   - Channels are stuck: each has a site, and a path of live edges from there to a head
//     all of whose live hops lead into these channels. While the units on paths through
//     these sites stay, the sites stay, and can only lose hops; so one of those units
//     must go, or a forbidden unit that removes another hop of a head must stay.
//
// Freedom from deadlock is not monotone, as forbidding a hop may remove an escape:
// hence the last part of the last clause.

// judge is a search's view of the paths of a network.
type judge struct {
	*paths
	whole [][]int32 // by table: left, while nothing is forbidden
	sites [][]place // by channel
}

type place struct{ table, vertex int32 }

// newJudge returns nil if ctx has ended.
func newJudge(ctx context.Context, n *spec.Network, s Scheme) *judge {
	w := newPaths(ctx, n, s)
	if w == nil {
		return nil
	}
	j := &judge{paths: w, sites: make([][]place, n.Topology().Channels())}
	j.forbid(ctx, make([]bool, len(j.units)))
	for i := range j.tables {
		if ctx.Err() != nil {
			return nil
		}
		t := &j.tables[i]
		j.whole = append(j.whole, slices.Clone(t.left))
		for s, c := range t.Channels {
			j.sites[c] = append(j.sites[c], place{int32(i), int32(len(t.Sources) + s)})
		}
	}
	return j
}

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

// border adds to a clause that one of the forbidden units that keep the packets of a
// vertex from arriving must stay.
func (j *judge) border(i int, v int32, forbidden []bool, clause []sat.Literal) []sat.Literal {
	t := &j.tables[i]
	if j.whole[i][v] == never {
		return clause
	}
	seen := map[int32]bool{v: true}
	queue := []int32{v}
	var blocked []int32
	for k := 0; k < len(queue); k++ {
		for e := t.first[queue[k]]; e < t.first[queue[k]+1]; e++ {
			switch to := t.to[e]; {
			case to >= 0 && (seen[to] || j.whole[i][to] == never):
			case t.unit[e] != free && forbidden[t.unit[e]]:
				blocked = append(blocked, e)
			default: // not arrived: v would have a path
				seen[to] = true
				queue = append(queue, to)
			}
		}
	}
	for _, e := range blocked {
		if !seen[t.to[e]] {
			clause = append(clause, sat.No(t.unit[e]))
		}
	}
	return tidy(clause)
}

func tidy(clause []sat.Literal) []sat.Literal {
	slices.Sort(clause)
	return slices.Compact(clause)
}

// through adds the units on a path from a source through a vertex to arrived.
func (t *table) through(v int32, clause []sat.Literal) []sat.Literal {
	add := func(e int32) {
		if t.unit[e] != free {
			clause = append(clause, sat.Yes(t.unit[e]))
		}
	}
	for u := v; t.by[u] != atSource; u = t.from[t.by[u]] {
		add(t.by[u])
	}
	for u := v; ; {
		e := t.first[u]
		for ; !t.live[e] || t.to[e] != arrived && t.left[t.to[e]] >= t.left[u]; e++ {
		}
		add(e)
		if u = t.to[e]; u == arrived {
			return clause
		}
	}
}

// round returns a clause against a cycle of live edges of a table that has no used
// unit, and marks its units as used; nil if there is none.
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

// waits reports whether the packet of a vertex has to wait for channels.
func (t *table) waits(v int32) bool {
	if !t.isLive(v) {
		return false
	}
	for e := t.first[v]; e < t.first[v+1]; e++ {
		if t.live[e] && t.to[e] == arrived {
			return false
		}
	}
	return true
}

// eachNext calls f for the live edges of a vertex that lead to sites.
func (t *table) eachNext(v int32, f func(e, to int32)) {
	for e := t.first[v]; e < t.first[v+1]; e++ {
		if t.live[e] && t.to[e] >= 0 {
			f(e, t.to[e])
		}
	}
}
