package route

import (
	"context"

	"github.com/seed-105a2da2/unknot/spec"
)

// shortest grows trees breadth first: a node takes the link by which the sum of the loads on
// its way is least, the first one found of equals; without loads, all are equal.
func (g *ground) shortest(ctx context.Context, even bool) (*forwarding, error) {
	g.say("shortest ways")
	none := make(loads, g.t.Links())
	cost := make([]int64, g.t.Nodes())
	return g.forward(ctx, func(d int, load loads, next []spec.LinkID) []spec.NodeID {
		if !even {
			load = none
		}
		to := g.ends[d]
		hops := make([]int32, g.t.Nodes()) // from 1, the destination's
		hops[to], cost[to] = 1, 0
		grown := []spec.NodeID{to}
		for i := 0; i < len(grown); i++ {
			u := grown[i]
			for _, l := range g.t.In(u) {
				switch v, c := g.t.Link(l).From, cost[u]+load[l]; {
				case hops[v] == 0:
					hops[v], cost[v], next[v] = hops[u]+1, c, l
					grown = append(grown, v)
				case hops[v] == hops[u]+1 && c < cost[v]:
					cost[v], next[v] = c, l
				}
			}
		}
		return grown
	})
}
