package dependency

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/seed-105a2da2/unknot/proofs"
	"github.com/seed-105a2da2/unknot/spec"
)

// Extended returns the extended channel dependency graph (Duato 1993, 1995) of
// the escape that an ExtendedEscape certificate describes: at each site the
// escape permits the hops into channels of lower rank than Held. An edge c -> d
// says that a message may occupy c while its head asks for d by the escape.
// Edges come in order, each once, with the plainest kind and the first site
// that makes it.
//
// It follows each site's future, which is quadratic in the sites of a table;
// mostSites is the largest number of sites for which that is tried.
func Extended(ctx context.Context, n *spec.Network, c *proofs.Certificate, mostSites int) ([]Dependency, error) {
	if c == nil || c.Kind != proofs.ExtendedEscape {
		return nil, fmt.Errorf("the extended dependency graph needs a certificate of kind %s", proofs.ExtendedEscape)
	}
	if n.SiteCount() > mostSites {
		return nil, &spec.BoundError{What: "sites for an extended dependency graph", Limit: mostSites}
	}
	x := &extension{n: n, c: c, index: n.NewIndex(), best: map[Edge]Dependency{}}
	for i := range n.Tables() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		x.table(n.Table(i))
	}
	out := slices.SortedFunc(maps.Values(x.best), func(a, b Dependency) int { return compareEdges(a.Edge, b.Edge) })
	for i := range out {
		out[i].Why = n.Reason(out[i].At, out[i].Hop)
	}
	return out, nil
}

type extension struct {
	n     *spec.Network
	c     *proofs.Certificate
	index *spec.Index
	best  map[Edge]Dependency
}

func (x *extension) table(t *spec.Table) {
	x.index.Load(t)
	escape := x.enteredByEscape(t)
	seen := make([]int, t.Len())
	var queue []int
	for start := range t.Len() {
		queue = append(queue[:0], start)
		seen[start] = start + 1
		for i := 0; i < len(queue); i++ {
			s := queue[i]
			for _, h := range x.n.Row(t.Rows[s]) {
				to := x.index.Site(h)
				if to < 0 {
					continue
				}
				if x.c.Rank[h.Channel] < x.c.Held[t.First+s] {
					x.add(t, start, s, h, escape[start])
				}
				if seen[to] != start+1 {
					seen[to] = start + 1
					queue = append(queue, to)
				}
			}
		}
	}
}

// enteredByEscape reports which sites some packet enters by a hop of the escape.
func (x *extension) enteredByEscape(t *spec.Table) []bool {
	in := make([]bool, t.Len())
	for _, src := range t.Sources {
		for _, h := range x.n.Row(src.Row) {
			if to := x.index.Site(h); to >= 0 {
				in[to] = true // nothing is held yet: every first hop is permitted by the escape
			}
		}
	}
	for s, r := range t.Rows {
		for _, h := range x.n.Row(r) {
			if to := x.index.Site(h); to >= 0 && x.c.Rank[h.Channel] < x.c.Held[t.First+s] {
				in[to] = true
			}
		}
	}
	return in
}

func (x *extension) add(t *spec.Table, start, s int, h spec.Hop, escape bool) {
	d := Dependency{Edge: Edge{t.Channels[start], h.Channel}, Held: t.Site(start), At: t.Site(s), Hop: h}
	switch {
	case start == s && escape:
		d.Kind = Direct
	case escape:
		d.Kind = Indirect
	case start == s:
		d.Kind = DirectCross
	default:
		d.Kind = IndirectCross
	}
	if old, ok := x.best[d.Edge]; !ok || d.Kind < old.Kind {
		x.best[d.Edge] = d
	}
}
