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

// Heights returns for every vertex the length of the longest path that starts
// there, or false if the graph has a cycle (a self-loop is one).
func Heights(g *Graph) ([]int32, bool) {
	var c Components
	c.Find(g)
	if c.Count() < g.Len() {
		return nil, false
	}
	height := make([]int32, g.Len())
	for _, v := range c.Members { // each is its own component
		for _, w := range g.Next(v) {
			if w == v {
				return nil, false
			}
			height[v] = max(height[v], height[w]+1)
		}
	}
	return height, true
}

// ShortestCycle returns the vertices of a shortest cycle in order, starting with its
// least vertex, or nil if there is none. Among shortest cycles it takes the one found
// from the least vertex. It searches breadth first from each vertex on a cycle, no
// deeper than the best cycle found, and stops looking for a shorter one after about
// budget steps; exact tells whether it did not have to stop. (A cycle no longer than
// it through a lesser vertex would have been found from there.)
func ShortestCycle(g *Graph, budget int) (cycle []int32, exact bool) {
	var c Components
	c.Find(g)
	from := make([]int32, g.Len())
	mark := make([]int32, g.Len()) // mark[w] == root+1: seen from this root
	var queue []int32
	search := func(root int32) {
		queue = append(queue[:0], root)
		mark[root] = root + 1
		for depth, i := 1, 0; i < len(queue) && (cycle == nil || depth < len(cycle)); depth++ {
			for end := len(queue); i < end; i++ {
				v := queue[i]
				for _, w := range g.Next(v) {
					budget--
					if w == root {
						cycle = backwards(from, root, v)
						return
					}
					if mark[w] != root+1 && c.Of[w] == c.Of[root] {
						mark[w], from[w] = root+1, v
						queue = append(queue, w)
					}
				}
			}
		}
	}
	for root := range int32(g.Len()) {
		if len(c.Component(c.Of[root])) == 1 && !slices.Contains(g.Next(root), root) {
			continue
		}
		if budget < 0 && cycle != nil {
			return cycle, false
		}
		search(root)
	}
	return cycle, true
}

func backwards(from []int32, root, v int32) []int32 {
	var path []int32
	for ; v != root; v = from[v] {
		path = append(path, v)
	}
	path = append(path, root)
	slices.Reverse(path)
	return path
}
