package layers

import (
	"context"
	"slices"
)

// Offline puts all paths on the first layer. While the layer has a cycle, the paths through
// the edge of it that the fewest share move to the next layer, which is then treated the same way
// (DFSSSP: Domke, Hoefler and Nagel 2011). One depth-first search finds the cycles: it
// backs out of what moves away and continues from there. It returns nil if it takes more than
// most layers. It holds four bytes for each edge of each path.
func Offline(ctx context.Context, p Paths, most int) *Sharing {
	s := &Sharing{Of: make([]uint8, p.Count), Count: 1}
	for ; ; s.Count++ {
		b := newBreaking(ctx, p, s)
		if !b.all(ctx) || b.moved && s.Count == most {
			return nil
		}
		if !b.moved {
			return s
		}
	}
}

// breaking is the search for cycles of the last layer.
type breaking struct {
	p     Paths
	s     *Sharing
	layer uint8
	first []uint32 // by edge: its paths are users[first[e]:first[e+1]]
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

// newBreaking collects the paths of the last layer; only some if ctx ends.
func newBreaking(ctx context.Context, p Paths, s *Sharing) *breaking {
	b := &breaking{
		p: p, s: s, layer: uint8(s.Count - 1), first: make([]uint32, len(p.Graph.To)+1),
		alive: make([]int32, len(p.Graph.To)), at: make([]int32, p.Graph.Len()),
	}
	each := func(f func(path int32, e uint32)) {
		for path, layer := range s.Of {
			if layer != b.layer {
				continue
			}
			if ctx.Err() != nil {
				return
			}
			p.Edges(path, func(e uint32) { f(int32(path), e) })
		}
	}
	each(func(_ int32, e uint32) { b.alive[e]++ })
	for e, n := range b.alive {
		b.first[e+1] = b.first[e] + uint32(n)
	}
	b.users = make([]int32, b.first[len(b.alive)])
	next := slices.Clone(b.first)
	each(func(path int32, e uint32) {
		b.users[next[e]] = path
		next[e]++
	})
	return b
}

// all breaks all cycles, unless the context ends.
func (b *breaking) all(ctx context.Context) bool {
	g := b.p.Graph
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
	b.path = append(b.path, step{v, by, b.p.Graph.First[v]})
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
			b.p.Edges(int(path), func(e uint32) { b.alive[e]-- })
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
