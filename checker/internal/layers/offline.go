package layers

import (
	"context"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/graph"
	"github.com/seed-105a2da2/unknot/spec/support/deadline"
)

// Offline puts all paths on the first layer. While the layer has a cycle, the paths through
// the edge of it that the fewest share move to the next layer, which is then treated the same way
// (DFSSSP: Domke, Hoefler and Nagel 2011). One depth-first search finds the cycles: it
// backs out of what moves away and continues from there. It returns nil if it takes more than
// most layers. It holds four bytes for each edge of each path, twice.
func Offline(ctx context.Context, p Paths, most int) *Sharing {
	s := &Sharing{Of: make([]uint8, p.Count), Count: 1}
	for b := newBreaking(ctx, p, s); ; s.Count++ {
		if !b.all(ctx) || b.moved && s.Count == most {
			return nil
		}
		if !b.moved {
			return s
		}
		b.next()
	}
}

// breaking is the search for cycles of the last layer.
type breaking struct {
	g     *graph.Graph
	s     *Sharing
	layer uint8
	edges []uint32 // those of path i are edges[of[i]:of[i+1]]
	of    []uint32
	first []uint32 // by edge: its paths, in this layer at first, are users[first[e]:first[e+1]]
	users []int32
	alive []int32 // by edge: paths that have not moved away
	moved bool
	at    []int32 // by vertex: its place on the search path + 1; 0: not seen, done: no cycle through it
	path  []step
}

const done = -1

// step is a vertex on the search path, the edge to it, and the next edge to look at.
type step struct {
	vertex int32
	by     uint32
	next   uint32
}

// newBreaking collects the paths of the first layer, which are all; only some if ctx ends.
func newBreaking(ctx context.Context, p Paths, s *Sharing) *breaking {
	b := &breaking{
		g: p.Graph, s: s, of: make([]uint32, 1, p.Count+1), first: make([]uint32, len(p.Graph.To)+1),
		alive: make([]int32, len(p.Graph.To)), at: make([]int32, p.Graph.Len()),
	}
	for path := 0; path < p.Count && !deadline.Passed(ctx, path); path++ {
		p.Edges(path, func(e uint32) { b.alive[e]++ })
	}
	for e, n := range b.alive {
		b.first[e+1] = b.first[e] + uint32(n)
	}
	b.edges, b.users = make([]uint32, 0, b.first[len(b.alive)]), make([]int32, b.first[len(b.alive)])
	for path := 0; path < p.Count && !deadline.Passed(ctx, path); path++ {
		p.Edges(path, func(e uint32) { b.edges = append(b.edges, e) })
		b.of = append(b.of, uint32(len(b.edges)))
	}
	next := slices.Clone(b.first)
	for path := range int32(len(b.of) - 1) {
		for _, e := range b.edgesOf(path) {
			b.users[next[e]] = path
			next[e]++
		}
	}
	return b
}

func (b *breaking) edgesOf(path int32) []uint32 { return b.edges[b.of[path]:b.of[path+1]] }

// next begins the next layer with the paths that moved there. The users of an edge are some of those it had: to collect
// them again, path by path, takes ten times as long.
func (b *breaking) next() {
	b.layer++
	kept := uint32(0)
	for e := range b.alive {
		had := b.users[b.first[e]:b.first[e+1]]
		b.first[e] = kept
		for _, path := range had {
			if b.s.Of[path] == b.layer {
				b.users[kept] = path
				kept++
			}
		}
		b.alive[e] = int32(kept - b.first[e])
	}
	b.first[len(b.alive)] = kept
	clear(b.at)
	b.moved = false
}

// all breaks all cycles, unless the context ends.
func (b *breaking) all(ctx context.Context) bool {
	g := b.g
	for root := range int32(g.Len()) {
		if ctx.Err() != nil {
			return false
		}
		if b.at[root] == 0 {
			b.visit(root, 0)
		}
		for len(b.path) > 0 {
			top := &b.path[len(b.path)-1]
			if top.next == g.First[top.vertex+1] {
				b.at[top.vertex] = done
				b.path = b.path[:len(b.path)-1]
				continue
			}
			e := top.next
			top.next++
			switch w := g.To[e]; {
			case b.alive[e] == 0 || b.at[w] == done:
			case b.at[w] == 0:
				b.visit(w, e)
			case ctx.Err() != nil:
				return false
			default:
				b.breakAt(int(b.at[w])-1, e)
			}
		}
	}
	return true
}

func (b *breaking) visit(v int32, by uint32) {
	b.path = append(b.path, step{v, by, b.g.First[v]})
	b.at[v] = int32(len(b.path))
}

// breakAt moves paths away from the weakest edge of a cycle: the edges of the search path
// after its vertex number i, and the closing edge.
func (b *breaking) breakAt(i int, closing uint32) {
	weakest := closing
	for _, s := range b.path[i+1:] {
		if b.alive[s.by] < b.alive[weakest] {
			weakest = s.by
		}
	}
	b.moved = true
	for _, path := range b.users[b.first[weakest]:b.first[weakest+1]] {
		if b.s.Of[path] == b.layer {
			b.s.Of[path]++
			for _, e := range b.edgesOf(path) {
				b.alive[e]--
			}
		}
	}
	for i := range b.path {
		if i > 0 && b.alive[b.path[i].by] == 0 {
			for _, s := range b.path[i:] {
				b.at[s.vertex] = 0
			}
			b.path = b.path[:i]
			break
		}
	}
}
