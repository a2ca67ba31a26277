package repair

import (
	"context"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/sat"
	"github.com/seed-105a2da2/unknot/spec"
)

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
