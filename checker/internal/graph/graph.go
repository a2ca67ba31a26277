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

// Next returns the successors of v.
func (g *Graph) Next(v int32) []int32 { return g.To[g.First[v]:g.First[v+1]] }

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
			for _, w := range g.Next(v) {
				add(w, v)
			}
		}
	})
}
