package updown

import (
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/bfs"
)

// Trees are the breadth-first ways to roots and from them: up along one tree of links,
// then down along another.
type Trees struct {
	Up   []spec.LinkID // by node: towards its root; -1 at a root, and where there is no way
	Down []spec.LinkID // by node: the link to it from its root's side; -1 as in Up
	Both int           // links in both trees

	t            *spec.Topology
	met          []spec.NodeID // from the roots, each after the one that its link comes from
	enter, leave []int         // by node: its subtree in the tree from the root is [enter, leave)
}

// NewTrees grows trees between each root and the nodes that within admits to it.
func NewTrees(t *spec.Topology, within func(root, v spec.NodeID) bool, roots ...spec.NodeID) *Trees {
	x := &Trees{t: t}
	grow := func(
		links func(spec.NodeID) []spec.LinkID, far func(spec.Link) spec.NodeID,
	) ([]spec.LinkID, []spec.NodeID) {
		by := slices.Repeat([]spec.LinkID{-1}, t.Nodes())
		of := slices.Repeat([]spec.NodeID{-1}, t.Nodes())
		for _, r := range roots {
			of[r] = r
		}
		_, met := bfs.Levels(t.Nodes(), roots, func(v spec.NodeID, visit func(spec.NodeID)) {
			for _, l := range links(v) {
				if w := far(t.Link(l)); of[w] < 0 && within(of[v], w) {
					by[w], of[w] = l, of[v]
					visit(w)
				}
			}
		})
		return by, met
	}
	x.Down, x.met = grow(t.OutLinks, func(l spec.Link) spec.NodeID { return l.To })
	x.Up, _ = grow(t.InLinks, func(l spec.Link) spec.NodeID { return l.From })
	for _, l := range x.Down {
		if l >= 0 && x.Up[t.Link(l).From] == l {
			x.Both++
		}
	}
	x.number()
	return x
}

// number numbers the nodes so that a subtree is a range.
func (x *Trees) number() {
	size := x.CountBelow(func(spec.NodeID) bool { return true })
	n := x.t.Nodes()
	x.enter, x.leave = slices.Repeat([]int{n}, n), make([]int, n)
	next, first := make([]int, n), 0
	for _, v := range x.met {
		if l := x.Down[v]; l >= 0 {
			from := x.t.Link(l).From
			x.enter[v] = next[from]
			next[from] += size[v]
		} else {
			x.enter[v] = first
			first += size[v]
		}
		x.leave[v] = x.enter[v] + size[v]
		next[v] = x.enter[v] + 1
	}
}

// CountBelow counts, by node, the counted nodes in its subtree of the tree from the root.
func (x *Trees) CountBelow(counted func(spec.NodeID) bool) []int {
	size := make([]int, x.t.Nodes())
	for _, v := range slices.Backward(x.met) {
		if counted(v) {
			size[v]++
		}
		if l := x.Down[v]; l >= 0 {
			size[x.t.Link(l).From] += size[v]
		}
	}
	return size
}

// Spans reports whether all nodes are in both trees of the one root.
func (x *Trees) Spans() bool {
	tops := 0
	for _, l := range x.Up {
		if l < 0 {
			tops++
		}
	}
	return tops == 1 && len(x.met) == x.t.Nodes()
}

// LinkToward returns the link from a node towards another in the same trees, and whether it goes down; -1
// if there is none.
func (x *Trees) LinkToward(at, to spec.NodeID) (l spec.LinkID, down bool) {
	if x.enter[to] < x.enter[at] || x.leave[at] <= x.enter[to] {
		return x.Up[at], false
	}
	for v := to; ; {
		l := x.Down[v]
		if l < 0 {
			return -1, false
		}
		if v = x.t.Link(l).From; v == at {
			return l, true
		}
	}
}
