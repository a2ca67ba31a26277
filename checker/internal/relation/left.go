package relation

import (
	"github.com/seed-105a2da2/unknot/spec"
)

// HopsLeft fills in, by site of the table of g, how many hops a packet may still make: without cycles those of the longest
// path, which every hop lowers; with a cycle those of the shortest path out of the network, or graph.Never. Sites with
// the same row have the same future. It reports whether a packet can return to a site. paths is scratch, by vertex. Linear in
// the sites and edges.
func (g *RowGraph) HopsLeft(n *spec.Network, paths, left []int32) (cyclic bool) {
	if cyclic = g.Group != nil; cyclic {
		var out []int32
		for v, r := range g.Rows {
			if n.Arrives(r) {
				out = append(out, int32(v))
			}
		}
		paths, _ = g.Reverse().Distances(paths, out, nil)
	} else {
		for v := range int32(g.Len()) { // successors first
			paths[v] = 0
			for _, w := range g.Next(v) {
				paths[v] = max(paths[v], paths[w]+1)
			}
		}
	}
	for s, v := range g.Vertex {
		left[s] = paths[v]
	}
	return cyclic
}
