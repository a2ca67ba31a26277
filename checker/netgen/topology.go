package netgen

import (
	"slices"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker/internal/graph"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// Shape is a family of topologies.
type Shape uint8

const (
	Graph     Shape = iota // any connected graph
	Mesh                   // two-dimensional
	Torus                  // two-dimensional, rings of at least 3
	Tree                   // any tree
	Dragonfly              // complete groups, one link between any two of them
)

// TopologyOptions bounds what [Topology] draws.
type TopologyOptions struct {
	Shapes   []Shape // to choose from; none means all
	Nodes    int     // at most, roughly for shapes that do not come in every size; 0 means 9
	VCs      int     // of each link, at most; 0 means 1
	Failures int     // at most this many cables are removed, keeping the nodes connected
}

// Topology draws a topology whose links go both ways. Nodes of meshes and tori
// have coordinates.
func Topology(rt *rapid.T, o TopologyOptions) *spec.Topology {
	shapes := o.Shapes
	if len(shapes) == 0 {
		shapes = []Shape{Graph, Mesh, Torus, Tree, Dragonfly}
	}
	nodes := o.Nodes
	if nodes == 0 {
		nodes = 9
	}
	d := &drawing{rt: rt}
	switch rapid.SampledFrom(shapes).Draw(rt, "shape") {
	case Graph:
		d.tree(nodes)
		for range rapid.IntRange(0, len(d.at)).Draw(rt, "more edges") {
			d.edge(rapid.IntRange(0, len(d.at)-1).Draw(rt, "a"), rapid.IntRange(0, len(d.at)-1).Draw(rt, "b"))
		}
	case Mesh:
		d.grid(nodes, 2, false)
	case Torus:
		d.grid(nodes, 3, true)
	case Tree:
		d.tree(nodes)
	case Dragonfly:
		d.dragonfly(nodes)
	}
	d.fail(o.Failures)
	return d.topology(rapid.IntRange(1, max(1, o.VCs)).Draw(rt, "vcs"))
}

// drawing is a graph that grows.
type drawing struct {
	rt    *rapid.T
	at    [][]int // coordinates, by node; nil where there are none
	edges [][2]int
}

func (d *drawing) edge(a, b int) {
	if a != b && !slices.Contains(d.edges, [2]int{a, b}) && !slices.Contains(d.edges, [2]int{b, a}) {
		d.edges = append(d.edges, [2]int{a, b})
	}
}

func (d *drawing) tree(most int) {
	n := rapid.IntRange(2, max(2, most)).Draw(d.rt, "nodes")
	d.at = make([][]int, n)
	for v := 1; v < n; v++ {
		d.edge(rapid.IntRange(0, v-1).Draw(d.rt, "parent"), v)
	}
}

func (d *drawing) grid(most, least int, wrap bool) {
	w := rapid.IntRange(least, max(least, most/least)).Draw(d.rt, "columns")
	h := rapid.IntRange(least, max(least, most/w)).Draw(d.rt, "rows")
	for v := range w * h {
		d.at = append(d.at, []int{v % w, v / w})
	}
	for v := range w * h {
		x, y := v%w, v/w
		if x+1 < w || wrap {
			d.edge(v, y*w+(x+1)%w)
		}
		if y+1 < h || wrap {
			d.edge(v, (y+1)%h*w+x)
		}
	}
}

func (d *drawing) dragonfly(most int) {
	a := rapid.IntRange(1, max(1, most/3)).Draw(d.rt, "routers a group")
	groups := rapid.IntRange(2, max(2, min(most/a, a+1))).Draw(d.rt, "groups")
	d.at = make([][]int, a*groups)
	for g := range groups {
		for i := range a {
			for j := range i {
				d.edge(g*a+j, g*a+i)
			}
		}
		for h := range g {
			d.edge(g*a+h%a, h*a+(g-1)%a)
		}
	}
}

// fail removes edges one by one, keeping the graph connected.
func (d *drawing) fail(most int) {
	for range rapid.IntRange(0, most).Draw(d.rt, "failures") {
		i := rapid.IntRange(0, len(d.edges)-1).Draw(d.rt, "failed")
		left := slices.Delete(slices.Clone(d.edges), i, i+1)
		if len(left) > 0 && connected(len(d.at), left) {
			d.edges = left
		}
	}
}

func connected(nodes int, edges [][2]int) bool {
	group := graph.Identity[int](nodes)
	root := func(v int) int {
		for group[v] != v {
			v = group[v]
		}
		return v
	}
	for _, e := range edges {
		group[root(e[0])] = root(e[1])
	}
	for v := range group {
		if root(v) != root(0) {
			return false
		}
	}
	return true
}

func (d *drawing) topology(vcs int) *spec.Topology {
	t := spec.NewTopology()
	for _, at := range d.at {
		if at == nil {
			t.AddNode("")
		} else {
			t.AddNode(routing.CoordinateName(at...), at...)
		}
	}
	for _, e := range d.edges {
		t.AddLink(spec.Link{From: spec.NodeID(e[0]), To: spec.NodeID(e[1]), VCs: vcs})
		t.AddLink(spec.Link{From: spec.NodeID(e[1]), To: spec.NodeID(e[0]), VCs: vcs})
	}
	return t
}
