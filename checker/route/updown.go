package route

import (
	"cmp"
	"context"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/bfs"
	"github.com/seed-105a2da2/unknot/spec/topology/updown"
)

// Up*/down*.
//
// A route goes up, then down, in an order of the nodes (package updown). Its next link
// depends on the node alone, so a node from which some path leads down all the way must send
// packets down, as those that reach it may have gone down before. Both parts are found in one
// sweep over the nodes, as links lead one way in the order.

// counted is how many destinations candidates are compared by, spread evenly.
const counted = 64

// updown takes the best order: of those from the given roots, breadth first and depth first;
// or, without roots, from the nodes farthest from a terminal (the spines of a fat tree), from
// each of some nodes, and the order of the numbers. The best leaves the fewest flows without a
// route, and then has the fewest links over all routes; ties go to the first.
func (g *ground) updown(ctx context.Context) (*forwarding, error) {
	g.say("orders of the nodes")
	var best updown.Order
	least := [2]int64{-1}
	try := func(o updown.Order) bool {
		if x := g.cost(o); least[0] < 0 || slices.Compare(x[:], least[:]) < 0 {
			best, least = o, x
		}
		return ctx.Err() == nil
	}
	if len(g.opt.Roots) > 0 {
		try(updown.BreadthFirst(g.t, g.opt.Roots...))
		try(updown.DepthFirst(g.t, g.opt.Roots...))
	} else {
		if len(g.ends) < g.t.Nodes() { // else it is the order of the numbers
			try(updown.BreadthFirst(g.t, g.farthest()...))
		}
		updown.Orders(g.t)(try)
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	g.say("paths up and down")
	s := g.newSweep(best)
	f, err := g.forward(ctx, s.grow)
	if f != nil {
		f.roots = best.Roots
	}
	return f, err
}

// farthest returns the nodes with the most links to the nearest terminal.
func (g *ground) farthest() []spec.NodeID {
	level, met := bfs.Levels(g.t.Nodes(), g.ends, func(v spec.NodeID, visit func(spec.NodeID)) {
		for _, w := range updown.Neighbors(g.t, v) {
			visit(w)
		}
	})
	last := slices.DeleteFunc(met, func(v spec.NodeID) bool { return level[v] < level[met[len(met)-1]] })
	slices.Sort(last)
	return last
}

// cost returns how many flows have no route in an order, and how many links all routes have.
func (g *ground) cost(o updown.Order) [2]int64 {
	s := g.newSweep(o)
	none := make(loads, g.t.Links())
	next := make([]spec.LinkID, g.t.Nodes())
	var x [2]int64
	n := min(counted, len(g.ends))
	for i := range n {
		for v := range next {
			next[v] = -1
		}
		d := i * len(g.ends) / n
		s.grow(d, none, next)
		for _, v := range g.ends {
			switch {
			case v == g.ends[d]:
			case next[v] < 0:
				x[0]++
			default:
				x[1] += int64(s.hops[v])
			}
		}
	}
	return x
}

// sweep grows trees in an order.
type sweep struct {
	g     *ground
	order updown.Order
	nodes []spec.NodeID // in the order
	hops  []int32       // by node: to the destination, -1: no route
	cost  []int64
}

func (g *ground) newSweep(o updown.Order) *sweep {
	s := &sweep{
		g: g, order: o, nodes: make([]spec.NodeID, g.t.Nodes()), hops: make([]int32, g.t.Nodes()),
		cost: make([]int64, g.t.Nodes()),
	}
	for v, place := range o.Place {
		s.nodes[place] = spec.NodeID(v)
	}
	return s
}

func (s *sweep) grow(d int, load loads, next []spec.LinkID) []spec.NodeID {
	for v := range s.hops {
		s.hops[v] = -1
	}
	to := s.g.ends[d]
	s.hops[to], s.cost[to] = 0, 0
	grown := []spec.NodeID{to}
	try := func(v spec.NodeID) {
		if next[v] >= 0 || v == to {
			return
		}
		for _, l := range s.g.t.OutLinks(v) {
			k := s.g.t.Link(l)
			if s.hops[k.To] < 0 || k.To == v {
				continue
			}
			hops, cost := s.hops[k.To]+1, s.cost[k.To]+load[l]
			if s.hops[v] < 0 || cmp.Or(cmp.Compare(hops, s.hops[v]), cmp.Compare(cost, s.cost[v])) < 0 {
				s.hops[v], s.cost[v], next[v] = hops, cost, l
			}
		}
		if next[v] >= 0 {
			grown = append(grown, v)
		}
	}
	for _, v := range slices.Backward(s.nodes[:s.order.Place[to]+1]) {
		try(v) // down: those before it have no route yet
	}
	for _, v := range s.nodes {
		try(v) // up: those behind it have none, or v would have one
	}
	return grown
}
