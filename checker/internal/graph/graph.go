// Package graph holds directed graphs as compressed sparse rows, and the few
// algorithms that the checker needs. All are iterative: a path of a million
// vertices must not exhaust a stack.
package graph

import "slices"

// Graph is a directed graph: the successors of vertex v, 0 <= v < Len(), are
// To[First[v]:First[v+1]]. An edge is a number in To.
type Graph struct {
	First []uint32 // one more entry than there are vertices
	To    []int32
}

// Len returns the number of vertices.
func (g *Graph) Len() int { return len(g.First) - 1 }

// Successors returns the successors of v.
func (g *Graph) Successors(v int32) []int32 { return g.To[g.First[v]:g.First[v+1]] }

// Edges returns the edges from v: those from first on and before end.
func (g *Graph) Edges(v int32) (first, end int32) { return int32(g.First[v]), int32(g.First[v+1]) }

// Collect returns the graph of n vertices with the edges that each enumerates, which
// must be the same when it is called twice; the edges of a vertex keep their order. Edges may
// lead to any numbers, so Collect also makes lists of things other than vertices.
func Collect(n int, each func(add func(from, to int32))) *Graph {
	g := &Graph{First: make([]uint32, n+1)}
	each(func(from, _ int32) { g.First[from+1]++ })
	for v := range n {
		g.First[v+1] += g.First[v]
	}
	g.To = make([]int32, g.First[n])
	at := slices.Clone(g.First)
	each(func(from, to int32) {
		g.To[at[from]] = to
		at[from]++
	})
	return g
}

// Reverse returns the graph with every edge reversed; predecessors come in
// ascending order.
func (g *Graph) Reverse() *Graph {
	return Collect(g.Len(), func(add func(from, to int32)) {
		for v := range int32(g.Len()) {
			for _, w := range g.Successors(v) {
				add(w, v)
			}
		}
	})
}

// Never is the distance of what cannot be reached.
const Never = int32(1<<31 - 1)

// Distances returns, by vertex, the fewest edges on a path from one of the given vertices, or Never, and the vertices
// met, nearest first. Paths lead through vertices that has accepts; nil accepts all. The result uses the memory of
// distances.
func (g *Graph) Distances(distances, from []int32, has func(v int32) bool) (by, met []int32) {
	by = resize(distances, g.Len())
	for v := range by {
		by[v] = Never
	}
	met = slices.Clone(from)
	for _, v := range met {
		by[v] = 0
	}
	for i := 0; i < len(met); i++ {
		for _, w := range g.Successors(met[i]) {
			if by[w] == Never && (has == nil || has(w)) {
				by[w] = by[met[i]] + 1
				met = append(met, w)
			}
		}
	}
	return by, met
}
