package graph

import "slices"

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
		for _, w := range g.Successors(v) {
			if w == v {
				return nil, false
			}
			height[v] = max(height[v], height[w]+1)
		}
	}
	return height, true
}

// ShortestCycle returns the vertices of a shortest cycle in order, starting with its
// least vertex, or nil. Among shortest cycles it takes the one found
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
				for _, w := range g.Successors(v) {
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
		if len(c.Component(c.Of[root])) == 1 && !slices.Contains(g.Successors(root), root) {
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
