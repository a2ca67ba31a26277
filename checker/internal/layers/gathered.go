package layers

import (
	"container/heap"
	"context"
	"math/rand/v2"

	"github.com/seed-105a2da2/unknot/checker/internal/graph"
)

// Gathered fills one layer after the other. It starts with any path and then always takes the one that adds the
// fewest edges to the layer, as long as it closes no cycle: so paths that run side by side come together. It tries
// other random starts until it has looked at effort edges, and keeps the sharing with the fewest layers: nil if
// none has at most most, or if ctx ends first. It holds four bytes for each edge of each path, twice.
func Gathered(ctx context.Context, p Paths, most int, effort int64) *Sharing {
	g := &gathering{
		edges: make([][]uint32, p.Count), users: make([][]int32, len(p.Graph.To)),
		none: graph.NewAcyclic(p.Graph, graph.Effort), effort: effort,
	}
	for path := range p.Count {
		if ctx.Err() != nil {
			return nil
		}
		p.Edges(path, func(e uint32) {
			g.edges[path] = append(g.edges[path], e)
			g.users[e] = append(g.users[e], int32(path))
		})
	}
	var best *Sharing
	random := rand.New(rand.NewPCG(uint64(p.Count), uint64(len(p.Graph.To))))
	begin := func(int) int { return 0 }
	for first := true; (first || g.effort > 0 && most > 1) && ctx.Err() == nil; first = false {
		if s := g.all(ctx, begin, most); s != nil {
			best, most = s, s.Count-1
		}
		begin = random.IntN
	}
	return best
}

// gathering is a search for layers.
type gathering struct {
	edges  [][]uint32 // by path
	users  [][]int32  // by edge: its paths
	none   *graph.Acyclic
	effort int64
}

const unplaced = 255

// all puts all paths on layers; nil if most layers are not enough or ctx has ended.
func (g *gathering) all(ctx context.Context, begin func(n int) int, most int) *Sharing {
	s := &Sharing{Of: make([]uint8, len(g.edges))}
	var left []int32
	for i := range s.Of {
		s.Of[i] = unplaced
		left = append(left, int32(i))
	}
	for len(left) > 0 {
		if s.Count == most || ctx.Err() != nil {
			return nil
		}
		g.layer(ctx, s, left, left[begin(len(left))])
		s.Count++
		rest := left[:0]
		for _, path := range left {
			if s.Of[path] == unplaced {
				rest = append(rest, path)
			}
		}
		left = rest
	}
	s.Count = max(1, s.Count)
	return s
}

type queue []uint64

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return q[i] < q[j] }
func (q queue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)        { *q = append(*q, x.(uint64)) }
func (q *queue) Pop() any {
	last := len(*q) - 1
	x := (*q)[last]
	*q = (*q)[:last]
	return x
}

// layer fills one more layer with some of the remaining paths.
func (g *gathering) layer(ctx context.Context, s *Sharing, left []int32, next int32) {
	a := g.none.None()
	more := make([]int, len(g.edges)) // by path: edges not yet in the layer; -1: it closes a cycle
	q := &queue{}
	for _, path := range left {
		more[path] = len(g.edges[path])
		*q = append(*q, uint64(more[path])<<32|uint64(path))
	}
	heap.Init(q)
	for ctx.Err() == nil {
		if s.Of[next] == unplaced && more[next] >= 0 {
			if g.add(a, next, func(user int32) {
				if s.Of[user] == unplaced && more[user] >= 0 {
					more[user]--
					if user != next {
						heap.Push(q, uint64(more[user])<<32|uint64(user))
					}
				}
			}) {
				s.Of[next] = uint8(s.Count)
			} else {
				more[next] = -1
			}
		}
		if q.Len() == 0 {
			return
		}
		next = int32(heap.Pop(q).(uint64))
	}
}

// add adds a path, unless it closes a cycle, and calls f for each user of each edge that is new.
func (g *gathering) add(a *graph.Acyclic, path int32, f func(user int32)) bool {
	var added []uint32
	g.effort -= int64(len(g.edges[path]))
	for _, e := range g.edges[path] {
		switch {
		case a.Has(e):
		case !a.Add(e):
			for _, e := range added {
				a.Remove(e)
			}
			return false
		default:
			added = append(added, e)
		}
	}
	for _, e := range added {
		g.effort -= int64(len(g.users[e]))
		for _, user := range g.users[e] {
			f(user)
		}
	}
	return true
}
