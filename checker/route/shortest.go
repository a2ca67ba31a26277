package route

import (
	"context"

	"github.com/seed-105a2da2/unknot/spec"
)

// shortest grows trees breadth first: a node takes the link with the least sum of loads on its
// path, the first one found of several; without loads, all are equal.
func (g *ground) shortest(ctx context.Context, even bool) (*forwarding, error) {
	g.say("shortest paths")
	none := make(loads, g.t.Links())
	cost := make([]int64, g.t.Nodes())
	return g.forward(ctx, func(d int, load loads, next []spec.LinkID) []spec.NodeID {
		if !even {
			load = none
		}
		to := g.ends[d]
		hops := make([]int32, g.t.Nodes()) // from 1, at the destination
		hops[to], cost[to] = 1, 0
		return grow(g.t, []spec.NodeID{to}, load, hops, cost, next, func(spec.LinkID) bool { return true })
	})
}

// grow continues a tree breadth first, backwards along some links, and returns its nodes in the order it meets them.
func grow(t *spec.Topology, grown []spec.NodeID, load loads, hops []int32, cost []int64, next []spec.LinkID, along func(spec.LinkID) bool) []spec.NodeID {
	for i := 0; i < len(grown); i++ {
		u := grown[i]
		for _, l := range t.InLinks(u) {
			switch v, c := t.Link(l).From, cost[u]+load[l]; {
			case !along(l):
			case hops[v] == 0:
				hops[v], cost[v], next[v] = hops[u]+1, c, l
				grown = append(grown, v)
			case hops[v] == hops[u]+1 && c < cost[v]:
				cost[v], next[v] = c, l
			}
		}
	}
	return grown
}
