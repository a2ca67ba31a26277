package route

import (
	"context"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/graph"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/bfs"
	"github.com/seed-105a2da2/unknot/spec/topology/updown"
)

// Nue.
//
// All packets to a destination take one VC. Its dependency graph holds the turns of all
// trees grown on it so far, and never has a cycle: a tree takes a turn only if it closes
// none. The first turns added are those of an escape: paths up one tree of links and down
// another that join all terminals; each VC has another root. Where a tree cannot grow, the
// nodes on the escape's paths from the terminals that it did not reach are given those paths,
// and the rest is regrown around them: in the end, if need be, the tree is the escape's. A
// destination takes the first VC on which its routes are shortest paths, or otherwise the one
// with the shortest routes.
//
// If the escape itself would have a cycle (where links lead one way), there is no escape, and
// nodes that the tree cannot reach are left without a route.

// nue is what has been grown so far.
type nue struct {
	*ground
	turns   *turns
	none    *graph.Acyclic
	parts   *graph.Components // strongly connected
	centers [][]spec.NodeID   // by part with terminals: roots, the best first
	vcs     []*lane
	load    loads
	grown   [][]spec.NodeID // by destination; see charge

	// For the tree being grown:
	*lane
	hops  []int32 // by node: to the destination; -1: no route yet
	cost  []int64
	fixed []bool          // by node: whether it takes the escape
	wait  [][]spec.NodeID // by hops: nodes whose incoming links are still to be looked at
	order []spec.NodeID   // see charge
	near  []uint64
}

// lane is one VC of all links.
type lane struct {
	roots  []spec.NodeID
	escape *updown.Trees // may be nil
	part   *graph.Acyclic
	never  []bool // by turn: whether it closes a cycle

	// Of the last tree:
	added   []taken
	refused []uint32
}

// taken is a turn that a node of a tree takes.
type taken struct {
	turn uint32
	node spec.NodeID
}

func (g *ground) nue(ctx context.Context) (*forwarding, error) {
	x, err := g.turns()
	if err != nil {
		return nil, err
	}
	n := g.t.Nodes()
	y := &nue{ground: g, turns: x, none: graph.NewAcyclic(x.Graph, graph.Effort), load: make(loads, g.t.Links()),
		grown: make([][]spec.NodeID, len(g.ends)), hops: make([]int32, n), cost: make([]int64, n),
		fixed: make([]bool, n)}
	y.candidates()
	y.open()
	f := g.newForwarding()
	f.vcs = 0
	g.say("trees in the complete dependency graph")
	of := make([]int, len(g.ends)) // by destination: its VC
	for round := range rounds {
		for d, to := range g.ends {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			far := distances(g.t, to)
			if next := f.tree(d); round == 0 {
				of[d] = y.place(d, next, far)
			} else {
				y.regrow(y.vcs[of[d]], d, next, far)
			}
		}
	}
	now := make([]int, len(y.vcs)) // by VC; -1: no destination takes it
	for vc, l := range y.vcs {
		if now[vc] = -1; slices.Contains(of, vc) {
			now[vc] = f.vcs
			f.vcs++
			f.roots = append(f.roots, l.roots...)
		}
	}
	f.vcs = max(1, f.vcs)
	f.start = func(d int, _ spec.NodeID, _ spec.LinkID) int { return now[of[d]] }
	return f, nil
}

// place grows the first tree of a destination, and returns its VC.
func (y *nue) place(d int, next []spec.LinkID, far []int32) int {
	most := max(1, y.opt.VCs)
	if y.opt.VCs == 0 && y.vcs[0].escape == nil {
		most = MostVCs
	}
	shortest := y.length(far)
	best, least := -1, [2]int64{}
	for vc := 0; vc < most && (best < 0 || least != shortest); vc++ {
		fresh := vc == len(y.vcs)
		if fresh {
			y.open()
		}
		y.grow(y.vcs[vc], d, next, far)
		y.undo()
		if cost := y.length(y.hops); best < 0 || slices.Compare(cost[:], least[:]) < 0 {
			best, least = vc, cost
		}
		if fresh && y.escape == nil {
			break // another VC would give the same
		}
	}
	y.grow(y.vcs[best], d, next, far)
	y.keep(d, next)
	return best
}

// regrow regrows a tree against the loads of all others. What the old tree took of the VC
// stays taken; the old one is kept if the new one is longer.
func (y *nue) regrow(l *lane, d int, next []spec.LinkID, far []int32) {
	y.charge(y.load, next, y.grown[d], -1)
	old, before := slices.Clone(next), y.grown[d]
	hops := slices.Repeat([]int32{-1}, len(y.hops))
	for _, v := range before {
		hops[v] = 0
		if next[v] >= 0 {
			hops[v] = hops[y.t.Link(next[v]).To] + 1
		}
	}
	was := y.length(hops)
	y.grow(l, d, next, far)
	if now := y.length(y.hops); slices.Compare(now[:], was[:]) > 0 {
		y.undo()
		copy(next, old)
		y.order = before
	}
	y.keep(d, next)
}

// length returns how many terminals have no route, and the number of links of all routes.
func (y *nue) length(hops []int32) (x [2]int64) {
	for _, v := range y.ends {
		if hops[v] < 0 || hops[v] == bfs.Never {
			x[0]++
		} else {
			x[1] += int64(hops[v])
		}
	}
	return x
}

// undo removes the turns of the last tree.
func (y *nue) undo() {
	for _, x := range y.added {
		y.part.Remove(x.turn)
	}
	y.forget()
}

// forget forgets what was refused for the last tree, unless there is an escape: with one,
// routes are found anyway, and searching again costs more than it gains.
func (y *nue) forget() {
	if y.escape == nil {
		for _, e := range y.refused {
			y.never[e] = false
		}
	}
	y.added, y.refused = y.added[:0], y.refused[:0]
}

// keep keeps the last tree, except turns that no flow takes.
func (y *nue) keep(d int, next []spec.LinkID) {
	y.grown[d] = slices.Clone(y.order)
	flows := y.charge(y.load, next, y.order, 1)
	idle := false
	for _, x := range y.added {
		if flows[x.node] == 0 {
			y.part.Remove(x.turn)
			idle = true
		}
	}
	if idle {
		y.forget()
	}
	y.added, y.refused = y.added[:0], y.refused[:0]
}

// grow grows the tree of a destination on a VC.
func (y *nue) grow(l *lane, d int, next []spec.LinkID, far []int32) {
	y.lane = l
	clear(y.fixed)
	for {
		y.growTree(y.ends[d], next)
		if y.escape == nil || !y.fix(y.ends[d], far) {
			return
		}
		y.undo()
	}
}

// fix fixes the escape's paths for terminals that have no route although links lead to the
// destination, and reports whether there were any.
func (y *nue) fix(to spec.NodeID, far []int32) bool {
	fixed := false
	for _, v := range y.ends {
		if y.hops[v] >= 0 || far[v] == bfs.Never || y.parts.Of[v] != y.parts.Of[to] {
			continue
		}
		for v != to && !y.fixed[v] {
			l, _ := y.escape.LinkToward(v, to)
			y.fixed[v], fixed = true, true
			v = y.t.Link(l).To
		}
	}
	return fixed
}

// growTree grows a tree growTree the fixed nodes: nodes with fewer links to the destination
// first, then those with less load.
func (y *nue) growTree(to spec.NodeID, next []spec.LinkID) {
	for v := range next {
		next[v], y.hops[v] = -1, -1
	}
	for h := range y.wait {
		y.wait[h] = y.wait[h][:0]
	}
	y.order = y.order[:0]
	y.hops[to], y.cost[to] = 0, 0
	y.expect(to)
	for v, fixed := range y.fixed {
		if fixed {
			y.follow(spec.NodeID(v), to, next)
		}
	}
	for h := 0; h < len(y.wait); h++ {
		y.order = append(y.order, y.wait[h]...)
		for _, x := range y.nearest(h) {
			l := spec.LinkID(x & (1<<linkBits - 1))
			k := y.t.Link(l)
			if y.hops[k.From] < 0 && (k.To == to || y.take(y.turns.of(l, next[k.To]), k.From)) {
				y.settle(k.From, l, next)
			}
		}
	}
}

// follow adds a fixed node after those on its path.
func (y *nue) follow(v, to spec.NodeID, next []spec.LinkID) {
	var path []spec.LinkID
	for y.hops[v] < 0 {
		l, _ := y.escape.LinkToward(v, to)
		path = append(path, l)
		v = y.t.Link(l).To
	}
	for _, l := range slices.Backward(path) {
		y.settle(y.t.Link(l).From, l, next)
	}
}

func (y *nue) settle(v spec.NodeID, l spec.LinkID, next []spec.LinkID) {
	u := y.t.Link(l).To
	next[v], y.hops[v], y.cost[v] = l, y.hops[u]+1, y.cost[u]+y.load[l]
	y.expect(v)
}

func (y *nue) expect(v spec.NodeID) {
	for len(y.wait) <= int(y.hops[v]) {
		y.wait = append(y.wait, nil)
	}
	y.wait[y.hops[v]] = append(y.wait[y.hops[v]], v)
}

const linkBits = 24 // a topology has no more links

// nearest returns the links that lead to nodes at a given distance from the destination, those with
// the least load first: the loads on their paths and, in the lowest bits, their numbers.
func (y *nue) nearest(h int) []uint64 {
	y.near = y.near[:0]
	for _, u := range y.wait[h] {
		for _, l := range y.t.InLinks(u) {
			if y.hops[y.t.Link(l).From] < 0 {
				y.near = append(y.near, uint64(y.cost[u]+y.load[l])<<linkBits|uint64(l))
			}
		}
	}
	slices.Sort(y.near)
	return y.near
}

// take adds a turn that a node takes, unless it closes a cycle.
func (y *nue) take(turn uint32, v spec.NodeID) bool {
	switch {
	case y.part.Has(turn):
		return true
	case y.never[turn]:
		return false
	case !y.part.Add(turn):
		y.never[turn] = true
		y.refused = append(y.refused, turn)
		return false
	}
	y.added = append(y.added, taken{turn, v})
	return true
}
