package route

import (
	"context"
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/graph"
	"github.com/seed-105a2da2/unknot/checker/show/draw"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/topology/updown"
)

// Dimension order.
//
// A route corrects the first dimension, then the second, and so on: nodes
// that differ in one coordinate only are a line, and a route follows each line along a shortest
// path. Where lines close cycles of dependencies, packets move to the second VC as they cross
// from the least coordinate to the greatest or back (the dateline: Dally and Seitz 1987), and
// return to the first with the next dimension.

// lines is a topology with coordinates. A node without coordinates and with a single
// neighbor has the neighbor's.
type lines struct {
	*ground
	at    [][]int // by node
	leaf  []bool  // by node: whether it has a neighbor's coordinates
	whole []int   // by dimension: the distance from the least to the greatest coordinate
	dim   []int   // by link: its dimension, from 0, or attached or aslant
}

func (g *ground) newLines() (*lines, error) {
	x := &lines{
		ground: g, at: make([][]int, g.t.Nodes()), leaf: make([]bool, g.t.Nodes()), dim: make([]int, g.t.Links()),
	}
	seen := map[string]spec.NodeID{}
	known := g.coordinates()
	for v := range spec.NodeID(g.t.Nodes()) {
		at := known[v]
		if beside := updown.Neighbors(g.t, v); len(beside) == 1 && len(g.t.Node(v).At) == 0 {
			at, x.leaf[v] = known[beside[0]], true
		}
		x.at[v] = at
		switch first, twice := seen[fmt.Sprint(at)]; {
		case len(at) == 0 || len(at) != len(x.at[0]):
			return nil, fmt.Errorf("node %s has %d coordinates: want the same number, at least one, for each node, "+
				"from the file, from names such as S2_3, or from the links of a complete mesh or torus",
				g.t.Node(v).Name, len(at))
		case twice && !x.leaf[v]:
			return nil, fmt.Errorf("nodes %s and %s have the same coordinates %v",
				g.t.Node(first).Name, g.t.Node(v).Name, at)
		case !x.leaf[v]:
			seen[fmt.Sprint(at)] = v
		}
	}
	least, most := slices.Clone(x.at[0]), slices.Clone(x.at[0])
	for _, at := range x.at {
		for i, k := range at {
			least[i], most[i] = min(least[i], k), max(most[i], k)
		}
	}
	for i := range least {
		x.whole = append(x.whole, most[i]-least[i])
	}
	for l := range x.dim {
		x.dim[l] = x.dimension(g.t.Link(spec.LinkID(l)))
	}
	return x, nil
}

// coordinates are those of the nodes or, if none has any, those of their shape.
func (g *ground) coordinates() [][]int {
	at := make([][]int, g.t.Nodes())
	given := false
	for v := range at {
		at[v] = g.t.Node(spec.NodeID(v)).At
		given = given || len(at[v]) > 0
	}
	if found := draw.Coordinates(g.t); !given && found != nil {
		return found
	}
	return at
}

const (
	attached = -1 // of a leaf to its neighbor
	aslant   = -2 // changes several coordinates; no route takes it
)

func (x *lines) dimension(k spec.Link) int {
	dim := attached
	for i, a := range x.at[k.From] {
		switch {
		case a == x.at[k.To][i]:
		case dim == attached:
			dim = i
		default:
			return aslant
		}
	}
	return dim
}

// crosses reports whether a link is a ring's dateline.
func (x *lines) crosses(l spec.LinkID) bool {
	dim, k := x.dim[l], x.t.Link(l)
	if dim < 0 || x.whole[dim] < 2 {
		return false
	}
	by := x.at[k.To][dim] - x.at[k.From][dim]
	return max(by, -by) == x.whole[dim]
}

// grow follows links backwards from the destination, first those of the last dimension: a
// line has one node that already has a route, and the others reach it breadth first.
func (x *lines) grow(d int, load loads, next []spec.LinkID) []spec.NodeID {
	to := x.ends[d]
	hops, cost := make([]int32, x.t.Nodes()), make([]int64, x.t.Nodes()) // hops from 1
	grown := []spec.NodeID{to}
	hops[to] = 1
	follow := func(dim int) {
		grown = grow(x.t, grown, load, hops, cost, next, func(l spec.LinkID) bool { return x.dim[l] == dim })
	}
	follow(attached)
	for dim := range slices.Backward(x.whole) {
		follow(dim)
	}
	follow(attached)
	return grown
}

func (g *ground) dor(ctx context.Context) (*forwarding, error) {
	x, err := g.newLines()
	if err != nil {
		return nil, err
	}
	g.say("dimension order")
	f, err := g.forward(ctx, x.grow)
	if err != nil || g.opt.VCs == 1 {
		return f, err
	}
	if free, err := g.acyclic(f); free || err != nil {
		return f, err
	}
	f.vcs = 2
	f.start = func(_ int, _ spec.NodeID, first spec.LinkID) int { return x.vcAfter(first, 0) }
	f.step = func(at spec.LinkID, vc int, to spec.LinkID) int {
		if x.dim[at] != x.dim[to] {
			vc = 0
		}
		return x.vcAfter(to, vc)
	}
	return f, nil
}

// vcAfter returns the VC on a link for a packet on VC vc; the dateline changes it.
func (x *lines) vcAfter(l spec.LinkID, vc int) int {
	if x.crosses(l) {
		return 1
	}
	return vc
}

// acyclic reports whether the dependencies of routes on one VC have no cycle.
func (g *ground) acyclic(f *forwarding) (bool, error) {
	x, err := g.turns()
	if err != nil {
		return false, err
	}
	used := make([]bool, len(x.To))
	seen := make([]int, g.t.Nodes()) // the last destination, from 1
	for d, to := range g.ends {
		tree := f.tree(d)
		for _, v := range g.ends {
			for v != to && tree[v] >= 0 && seen[v] <= d {
				seen[v] = d + 1
				l := tree[v]
				if v = g.t.Link(l).To; v != to {
					used[x.of(l, tree[v])] = true
				}
			}
		}
	}
	_, ok := graph.Heights(graph.Collect(g.t.Links(), func(add func(from, to int32)) {
		for l := range int32(g.t.Links()) {
			for e := x.First[l]; e < x.First[l+1]; e++ {
				if used[e] {
					add(l, x.To[e])
				}
			}
		}
	}))
	return ok, nil
}
