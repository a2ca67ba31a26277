package graph

import (
	"context"
	"slices"

	"github.com/seed-105a2da2/unknot/spec/support/deadline"
)

// Components holds strongly connected components, and reusable memory to find them.
//
// One array holds both the vertices of finished components, from its beginning, and
// the stack of the search, which grows down from its end: no vertex is in both, so
// they never meet. While a vertex is on the stack, Of holds its order of discovery. Its
// least order is needed only while it is on the path.
type Components struct {
	// Of is the component of each vertex. Components are numbered so that an edge
	// stays in its component or leads to a lower one: component 0 is a sink.
	Of      []int32
	Members []int32 // vertices, by component
	Bounds  []int32 // component i is Members[Bounds[i]:Bounds[i+1]]

	path    []frame // depth first, without the current vertex
	touched int32
}

// frame is a vertex on the path, the least order known to be reachable from it,
// and its next edge.
type frame struct {
	vertex int32
	least  int32
	edge   uint32
}

const (
	// Inside and Outside mark vertices in Of for FindWithin.
	Inside  = -1
	Outside = -2

	onStack = -3 // minus the order of discovery
)

// Count returns the number of components.
func (c *Components) Count() int { return len(c.Bounds) - 1 }

// Component returns the vertices of a component.
func (c *Components) Component(i int32) []int32 { return c.Members[c.Bounds[i]:c.Bounds[i+1]] }

// Find computes the components of g (Tarjan 1972). Linear time.
func (c *Components) Find(g *Graph) {
	c.Of = resize(c.Of, g.Len())
	for v := range c.Of {
		c.Of[v] = Inside
	}
	c.FindWithin(context.Background(), g, nil, nil) // a context that never ends
}

// FindWithin computes the components of a part of g: of the vertices marked Inside in Of,
// the others being Outside, and of the edges that keeps accepts; nil accepts all. done, which
// may be nil, is called with each component as soon as it is complete, while its edges are
// still in the cache. The error is that ctx has ended.
func (c *Components) FindWithin(ctx context.Context, g *Graph, keeps func(e uint32) bool, done func(i int32)) error {
	n := g.Len()
	c.Members, c.Bounds = resize(c.Members, n), append(c.Bounds[:0], 0)
	return c.find(ctx, g, keeps, done, n, func(k int) int32 { return int32(k) }, 0, n)
}

// Split divides a component. Those of its vertices that stays accepts remain, first among
// its members; the others are divided into components as by FindWithin, numbered from the
// returned number on, which also count as its members. The number before that belongs to
// none.
func (c *Components) Split(
	ctx context.Context, g *Graph, keeps func(e uint32) bool, i int32, stays func(v int32) bool,
) (first int32, err error) {
	members := c.Component(i)
	all, n := slices.Clone(members), 0
	for _, v := range all {
		if !stays(v) {
			c.Of[v] = Inside
			continue
		}
		members[n] = v
		n++
	}
	from, to := int(c.Bounds[i])+n, int(c.Bounds[i+1])
	c.Bounds = append(c.Bounds, int32(from))
	return int32(c.Count()), c.find(ctx, g, keeps, nil, len(all), func(k int) int32 { return all[k] }, from, to)
}

// find finds the components of the vertices among the first roots that are Inside; Members must
// have room for them from at to top.
func (c *Components) find(
	ctx context.Context, g *Graph, keeps func(e uint32) bool, done func(i int32), roots int, root func(k int) int32,
	at, top int,
) error {
	c.path = c.path[:0]
	of, seen, touched := c.Of, int32(0), int32(0)
	visit := func(v int32) (least int32, edge, end uint32) {
		edge, end = g.First[v], g.First[v+1]
		for _, w := range g.To[edge:end] { // their cache misses overlap
			touched ^= of[w]
		}
		least = seen
		of[v] = onStack - seen
		seen++
		top--
		c.Members[top] = v
		return least, edge, end
	}
	for k := range roots {
		if deadline.Passed(ctx, k) {
			return ctx.Err()
		}
		v := root(k)
		if of[v] != Inside {
			continue
		}
		least, edge, end := visit(v)
		for {
			next := int32(-1)
			for ; edge < end; edge++ {
				w := g.To[edge]
				o := of[w]
				if o >= 0 || o == Outside || keeps != nil && !keeps(edge) {
					continue
				}
				if o == Inside {
					next = w
					edge++
					break
				}
				least = min(least, onStack-o)
			}
			if next >= 0 {
				c.path = append(c.path, frame{v, least, edge})
				v = next
				if least, edge, end = visit(v); deadline.Passed(ctx, int(seen)) {
					return ctx.Err()
				}
				continue
			}
			if least == onStack-of[v] {
				i := int32(c.Count())
				for w := int32(-1); w != v; top++ {
					w = c.Members[top]
					of[w] = i
					c.Members[at] = w
					at++
				}
				if c.Bounds = append(c.Bounds, int32(at)); done != nil {
					done(i)
				}
			}
			if len(c.path) == 0 {
				break
			}
			up := c.path[len(c.path)-1]
			c.path = c.path[:len(c.path)-1]
			v, least, edge, end = up.vertex, min(up.least, least), up.edge, g.First[up.vertex+1]
		}
	}
	c.touched = touched // used, so that the compiler keeps the reads
	return nil
}

func resize(s []int32, n int) []int32 { return slices.Grow(s[:0], n)[:n] }
