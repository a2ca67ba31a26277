// Package graph holds directed graphs in compressed sparse rows and the few
// algorithms that the checker needs of them. All are iterative: a path of a
// million vertices must not exhaust a stack.
package graph

// Graph is a directed graph: the successors of vertex v, 0 <= v < Len(), are
// To[First[v]:First[v+1]].
type Graph struct {
	First []int32 // one more than there are vertices
	To    []int32
}

// Len returns the number of vertices.
func (g *Graph) Len() int { return len(g.First) - 1 }

// Next returns the successors of v.
func (g *Graph) Next(v int32) []int32 { return g.To[g.First[v]:g.First[v+1]] }

// Reverse returns the graph with every edge turned round; predecessors come in
// ascending order.
func (g *Graph) Reverse() *Graph {
	n := g.Len()
	r := &Graph{First: make([]int32, n+1), To: make([]int32, len(g.To))}
	for _, w := range g.To {
		r.First[w+1]++
	}
	for v := range n {
		r.First[v+1] += r.First[v]
	}
	fill := make([]int32, n)
	for v := range int32(n) {
		for _, w := range g.Next(v) {
			r.To[r.First[w]+fill[w]] = v
			fill[w]++
		}
	}
	return r
}

// Components is scratch memory for strongly connected components.
type Components struct {
	Of    []int32 // by vertex: its component
	Count int     // components are 0..Count-1; an edge never leads to a higher number

	found, low []int32 // order of discovery; the lowest one on the stack within reach
	next       []int32 // by vertex: the next edge to look at
	stack      []int32 // vertices whose component is still open
	path       []int32 // the depth-first path
	clock      int32
}

const unseen = -1

// Find computes the components of g (Tarjan, 1972) and numbers them so that
// every edge stays in its component or leads to a lower one: component 0 is a
// sink. Linear time.
func (c *Components) Find(g *Graph) {
	n := g.Len()
	c.Of, c.found, c.low, c.next = resize(c.Of, n), resize(c.found, n), resize(c.low, n), resize(c.next, n)
	for v := range n {
		c.Of[v], c.found[v] = unseen, unseen
	}
	c.Count, c.clock = 0, 0
	c.stack, c.path = c.stack[:0], c.path[:0]
	for root := range int32(n) {
		if c.found[root] == unseen {
			c.search(g, root)
		}
	}
}

func (c *Components) search(g *Graph, root int32) {
	c.enter(g, root)
	for len(c.path) > 0 {
		v := c.path[len(c.path)-1]
		if i := c.next[v]; i < g.First[v+1] {
			c.next[v]++
			w := g.To[i]
			if c.found[w] == unseen {
				c.enter(g, w)
			} else if c.Of[w] == unseen {
				c.low[v] = min(c.low[v], c.found[w])
			}
			continue
		}
		c.path = c.path[:len(c.path)-1]
		if len(c.path) > 0 {
			u := c.path[len(c.path)-1]
			c.low[u] = min(c.low[u], c.low[v])
		}
		if c.low[v] == c.found[v] {
			c.pop(v)
		}
	}
}

func (c *Components) enter(g *Graph, v int32) {
	c.found[v], c.low[v] = c.clock, c.clock
	c.clock++
	c.next[v] = g.First[v]
	c.stack = append(c.stack, v)
	c.path = append(c.path, v)
}

// pop closes the component of which v is the first vertex found.
func (c *Components) pop(v int32) {
	for {
		w := c.stack[len(c.stack)-1]
		c.stack = c.stack[:len(c.stack)-1]
		c.Of[w] = int32(c.Count)
		if w == v {
			break
		}
	}
	c.Count++
}

func resize(s []int32, n int) []int32 {
	if cap(s) < n {
		return make([]int32, n)
	}
	return s[:n]
}

// Heights returns for every vertex the length of the longest path that starts
// there, or false if the graph has a cycle (a self-loop is one).
func Heights(g *Graph) ([]int32, bool) {
	var c Components
	c.Find(g)
	if c.Count < g.Len() {
		return nil, false
	}
	order := make([]int32, g.Len()) // order[i] is the vertex of component i
	for v, i := range c.Of {
		order[i] = int32(v)
	}
	height := make([]int32, g.Len())
	for _, v := range order {
		for _, w := range g.Next(v) {
			if w == v {
				return nil, false
			}
			height[v] = max(height[v], height[w]+1)
		}
	}
	return height, true
}

// ShortestCycle returns the vertices of a shortest cycle in order, starting
// with its least vertex, or nil if there is none. Among shortest cycles it
// takes the one found from the least vertex. It searches breadth first from
// each vertex that lies on a cycle, no deeper than the best cycle found, and
// stops looking for a shorter one after about budget steps; exact tells
// whether it did not have to.
func ShortestCycle(g *Graph, budget int) (cycle []int32, exact bool) {
	var c Components
	c.Find(g)
	size := make([]int32, c.Count)
	for _, i := range c.Of {
		size[i]++
	}
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
		if size[c.Of[root]] == 1 {
			continue
		}
		if budget < 0 && cycle != nil {
			return startAtLeast(cycle), false
		}
		search(root)
	}
	if cycle == nil {
		return nil, true
	}
	return startAtLeast(cycle), true
}

func backwards(from []int32, root, v int32) []int32 {
	var path []int32
	for ; v != root; v = from[v] {
		path = append(path, v)
	}
	path = append(path, root)
	for i, j := 0, len(path)-1; i < j; i, j = i+1, j-1 {
		path[i], path[j] = path[j], path[i]
	}
	return path
}

func startAtLeast(cycle []int32) []int32 {
	least := 0
	for i, v := range cycle {
		if v < cycle[least] {
			least = i
		}
	}
	return append(append([]int32{}, cycle[least:]...), cycle[:least]...)
}
