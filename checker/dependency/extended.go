package dependency

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/relation"
	"github.com/seed-105a2da2/unknot/proofs"
	"github.com/seed-105a2da2/unknot/spec"
)

// Extended returns the extended channel dependency graph (Duato 1993, 1995) of
// the escape that an ExtendedEscape certificate describes: at each site the
// escape permits the hops into channels of lower rank than Held. An edge c -> d
// says that a packet may occupy c while its head asks for d by the escape.
// Edges come in order, each once, with the plainest kind and the first site
// that makes it.
//
// It follows each site's future, which is quadratic in the sites of a table;
// mostSites is the largest number of sites for which that is tried.
func Extended(ctx context.Context, n *spec.Network, c *proofs.Certificate, mostSites int) ([]Dependency, error) {
	if c == nil || c.Kind != proofs.ExtendedEscape {
		return nil, fmt.Errorf("the extended dependency graph needs a certificate of kind %s", proofs.ExtendedEscape)
	}
	if len(c.Held) != n.SiteCount() {
		return nil, errors.New("the extended dependency graph needs a certificate that lists what is held")
	}
	if n.SiteCount() > mostSites {
		return nil, &spec.BoundError{What: "sites for an extended dependency graph", Limit: mostSites}
	}
	x := &extension{n: n, c: c, w: relation.NewWalk(n), best: map[Edge]Dependency{}}
	for i := range n.Tables() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		x.table(n.Table(i))
	}
	out := slices.SortedFunc(maps.Values(x.best), func(a, b Dependency) int { return compareEdges(a.Edge, b.Edge) })
	for i := range out {
		out[i].Why = n.Reason(out[i].At, out[i].Hop)
		out[i].Committed = n.CommitmentText(out[i].At)
	}
	return out, nil
}

type extension struct {
	n    *spec.Network
	c    *proofs.Certificate
	w    *relation.Walk
	best map[Edge]Dependency
}

// table adds the dependencies of one table: a packet asks for what the escape permits where it is, and wherever it can
// get to.
func (x *extension) table(t *spec.Table) {
	x.w.Load(t)
	entered := x.w.Entered() // by escape: nothing is held yet, so it permits every first hop
	permits := func(s int, h spec.Hop) bool { return x.c.Rank[h.Channel] < x.c.Held[t.First+s] }
	for s, r := range t.Rows {
		for h, to := range x.w.SitesAfter(r) {
			entered[to] = entered[to] || permits(s, h)
		}
	}
	for start := range t.Len() {
		for s := range x.w.FromSite(start) {
			for h := range x.w.SitesAfter(t.Rows[s]) {
				if permits(s, h) {
					x.add(t, start, s, h, entered[start])
				}
			}
		}
	}
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
