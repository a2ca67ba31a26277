package route

import (
	"cmp"
	"container/heap"
	"context"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
)

// shortest grows trees breadth first: a node takes the link with the least sum of loads on its
// path, the first one found of several; without loads, all are equal.
func (g *ground) shortest(ctx context.Context, even bool) (*forwarding, error) {
	g.say("shortest paths")
	none := make(loads, g.t.Links())
	cost := make([]int64, g.t.Nodes())
	return g.forward(ctx, func(d int, load loads, next []spec.LinkID) []spec.NodeID {
		if !even {
			load = none
		}
		to := g.ends[d]
		if g.opt.Weights != nil {
			return g.lightest(to, load, next)
		}
		hops := make([]int32, g.t.Nodes()) // from 1, at the destination
		hops[to], cost[to] = 1, 0
		return grow(g.t, []spec.NodeID{to}, load, hops, cost, next, func(spec.LinkID) bool { return true })
	})
}

// grow continues a tree breadth first, backwards along some links, and returns its nodes in the order it meets them.
func grow(
	t *spec.Topology, grown []spec.NodeID, load loads, hops []int32, cost []int64, next []spec.LinkID,
	along func(spec.LinkID) bool,
) []spec.NodeID {
	for i := 0; i < len(grown); i++ {
		u := grown[i]
		for _, l := range t.InLinks(u) {
			switch v, c := t.Link(l).From, cost[u]+load[l]; {
			case !along(l):
			case hops[v] == 0:
				hops[v], cost[v], next[v] = hops[u]+1, c, l
				grown = append(grown, v)
			case hops[v] == hops[u]+1 && c < cost[v]:
				cost[v], next[v] = c, l
			}
		}
	}
	return grown
}

// tied counts the flows that have several paths which are as good to [Engine.Weighs]: somewhere on the path that was
// taken, two links lead on along such paths. Linear in nodes and links for each destination.
func (g *ground) tied(f *forwarding) (n int) {
	weight := func(l spec.LinkID) int64 {
		if g.opt.Weights == nil {
			return 1
		}
		return int64(g.opt.Weights[l])
	}
	head := func(l spec.LinkID) spec.NodeID { return g.t.Link(l).To }
	sum, tie := make([]int64, g.t.Nodes()), make([]bool, g.t.Nodes())
	known := make([]int, g.t.Nodes()) // the last destination, from 1, to which the sum is known
	var order []spec.NodeID           // each behind the node that its link leads to
	for d, to := range g.ends {
		next := f.tree(d)
		sum[to], tie[to], known[to], order = 0, false, d+1, order[:0]
		for v := range next {
			first := len(order)
			for at := spec.NodeID(v); known[at] <= d && next[at] >= 0; at = head(next[at]) {
				known[at], order = d+1, append(order, at)
			}
			slices.Reverse(order[first:])
			for _, at := range order[first:] {
				sum[at] = sum[head(next[at])] + weight(next[at])
			}
		}
		for _, v := range order {
			taken := next[v]
			tie[v] = tie[head(taken)]
			for _, l := range g.t.OutLinks(v) {
				other := l != taken && known[head(l)] > d && weight(l) == weight(taken)
				tie[v] = tie[v] || other && sum[head(l)]+weight(l) == sum[v]
			}
			if tie[v] && g.terminal[v] {
				n++
			}
		}
	}
	return n
}

// lightest grows the tree of paths with the least sums of weights (Dijkstra 1959), see [Engine.Weighs].
func (g *ground) lightest(to spec.NodeID, load loads, next []spec.LinkID) (grown []spec.NodeID) {
	const never = -1
	sum, cost := slices.Repeat([]int64{never}, g.t.Nodes()), make([]int64, g.t.Nodes())
	done := make([]bool, g.t.Nodes())
	sum[to] = 0
	for q := (nearest{{0, to}}); len(q) > 0; {
		u := heap.Pop(&q).(reached).node
		if done[u] {
			continue
		}
		done[u], grown = true, append(grown, u)
		for _, l := range g.t.InLinks(u) {
			v, w := g.t.Link(l).From, int64(g.opt.Weights[l])
			s, c := sum[u]+w, cost[u]+load[l]
			better := sum[v] == never || s < sum[v]
			if better {
				heap.Push(&q, reached{s, v})
			} else if s == sum[v] && v != to {
				was := next[v]
				better = cmp.Or(cmp.Compare(w, int64(g.opt.Weights[was])), cmp.Compare(c, cost[v])) < 0
			}
			if better {
				sum[v], cost[v], next[v] = s, c, l
			}
		}
	}
	return grown
}

// nearest is a heap of nodes by the sum of the weights on a path.
type nearest []reached

type reached struct {
	sum  int64
	node spec.NodeID
}

func (q nearest) Len() int { return len(q) }
func (q nearest) Less(i, k int) bool {
	return cmp.Or(cmp.Compare(q[i].sum, q[k].sum), cmp.Compare(q[i].node, q[k].node)) < 0
}
func (q nearest) Swap(i, k int) { q[i], q[k] = q[k], q[i] }
func (q *nearest) Push(x any)   { *q = append(*q, x.(reached)) }
func (q *nearest) Pop() any {
	last := len(*q) - 1
	x := (*q)[last]
	*q = (*q)[:last]
	return x
}
