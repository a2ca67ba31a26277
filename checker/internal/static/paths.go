package static

import (
	"github.com/seed-105a2da2/unknot/checker/internal/relation"
	"github.com/seed-105a2da2/unknot/spec"
)

// never is the number of hops where no path leads out of the network.
const never = int32(1<<31 - 1)

// hopsLeft fills in survey.left for one table with row graph g: sites with the same row have the
// same future. It reports whether a packet of the table can return to a site. paths is scratch,
// by vertex. It is linear in the sites and edges.
func hopsLeft(n *spec.Network, g *relation.RowGraph, paths, left []int32) (cyclic bool) {
	if cyclic = g.Group != nil; cyclic {
		shortestPaths(n, g, paths)
	} else {
		longestPaths(g, paths)
	}
	for s, v := range g.Vertex {
		left[s] = paths[v]
	}
	return cyclic
}

// longestPaths fills in the number of hops of the longest path from each vertex of a graph without cycles.
func longestPaths(g *relation.RowGraph, left []int32) {
	for v := range int32(g.Len()) { // successors first
		most := int32(0)
		for _, w := range g.Next(v) {
			most = max(most, left[w]+1)
		}
		left[v] = most
	}
}

// shortestPaths fills in the number of hops of the shortest path from each vertex
// to one that permits Eject, or never.
func shortestPaths(n *spec.Network, g *relation.RowGraph, left []int32) {
	var queue []int32
	for v := range int32(g.Len()) {
		left[v] = never
		if n.Arrives(g.Rows[v]) {
			left[v] = 0
			queue = append(queue, v)
		}
	}
	before := g.Reverse()
	for i := 0; i < len(queue); i++ {
		for _, u := range before.Next(queue[i]) {
			if left[u] == never {
				left[u] = left[queue[i]] + 1
				queue = append(queue, u)
			}
		}
	}
}
