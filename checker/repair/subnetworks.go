package repair

import (
	"context"
	"math"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/support/bfs"
)

// Bounds from parts.
//
// What the flows among some nodes need, all flows need. So parts that are small enough to be decided bound the copies
// of a network that is too large, each part twice as large as the one before: for datelines the nodes around one in the
// middle; for layers nodes far apart, whose flows cross each other on long paths.

const (
	leastNodes      = 32      // nodes
	mostMiddleSteps = 1 << 26 // to find the middle
	leastScattered  = 16      // nodes, for those far apart
	mostScattered   = 64
)

// datelineParts returns, from small to large, the datelines of the flows among some nodes.
func (u *search) datelineParts(ctx context.Context, whole *datelines) (parts []*datelines, err error) {
	t := u.n.Topology()
	nodes := centralNodes(t)
	def := routing.FromNetwork(u.n)
	flows := def.Flows
	number := map[[2]spec.ChannelID]int32{}
	for k, turn := range whole.g.turns {
		number[turn] = whole.unit[k]
	}
	for size := leastNodes; size < len(nodes); size *= 2 {
		in := make([]bool, t.Nodes())
		for _, v := range nodes[:size] {
			in[v] = true
		}
		def.Flows = func(src, dst spec.NodeID, c spec.Class) bool { return in[src] && in[dst] && flows(src, dst, c) }
		n, err := routing.Compile(ctx, def, routing.CompileOptions{Workers: u.opt.Workers})
		if err != nil {
			return nil, err
		}
		if n.FlowCount() == 0 {
			continue
		}
		j := newConditions(ctx, n, Turns)
		if j == nil {
			return nil, ctx.Err()
		}
		d := newDatelines(ctx, j)
		if ctx.Err() != nil { // not all turns
			return nil, ctx.Err()
		}
		d.whole = whole.conditions
		for k, turn := range d.g.turns {
			d.unit[k] = number[turn]
		}
		parts = append(parts, d)
	}
	return parts, nil
}

// breadthFirst returns the nodes that can be reached from one, nearest first, and the distance of the last one.
func breadthFirst(t *spec.Topology, from spec.NodeID) (nodes []spec.NodeID, far int) {
	hops, nodes := bfs.Levels(t.Nodes(), []spec.NodeID{from}, func(v spec.NodeID, visit func(spec.NodeID)) {
		for _, l := range t.OutLinks(v) {
			visit(t.Link(l).To)
		}
	})
	return nodes, int(hops[nodes[len(nodes)-1]])
}

// centralNodes returns the nodes around the one from which most can be reached; of several, the one whose
// farthest node is nearest.
func centralNodes(t *spec.Topology) (best []spec.NodeID) {
	least := 0
	for v := spec.NodeID(0); int(v) < t.Nodes(); v += spec.NodeID(1 + t.Nodes()*t.Links()/mostMiddleSteps) {
		if nodes, far := breadthFirst(t, v); len(nodes) > len(best) || len(nodes) == len(best) && far < least {
			best, least = nodes, far
		}
	}
	return best
}

// farthestFirst returns some nodes: the first one, and then each time one as far as possible from all before it
// (Gonzalez 1985).
func farthestFirst(t *spec.Topology, some int) (nodes []spec.NodeID) {
	far := slices.Repeat([]int{math.MaxInt}, t.Nodes()) // by node: hops from the nearest of those
	for next := 0; len(nodes) < min(some, t.Nodes()); {
		nodes = append(nodes, spec.NodeID(next))
		for hops, front := 0, nodes[len(nodes)-1:]; len(front) > 0; hops++ {
			var after []spec.NodeID
			for _, v := range front {
				if far[v] <= hops {
					continue
				}
				far[v] = hops
				for _, l := range t.OutLinks(v) {
					after = append(after, t.Link(l).To)
				}
			}
			front = after
		}
		next = slices.Index(far, slices.Max(far))
	}
	return nodes
}
