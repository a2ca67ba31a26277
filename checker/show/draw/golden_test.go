package draw

import (
	"bytes"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/checker/dependency"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/support/goldentest"
)

// grid returns a k[0] x k[1] x ... mesh, or torus where k[d] > 2. Links come
// dimension by dimension, then by node, there and back.
func grid(vcs int, torus bool, k ...int) *spec.Topology {
	t := spec.NewTopology()
	total := 1
	for _, x := range k {
		total *= x
	}
	at := func(i int) []int {
		c := make([]int, len(k))
		for d := range k {
			c[d] = i % k[d]
			i /= k[d]
		}
		return c
	}
	for i := range total {
		t.AddNode(routing.CoordinateName(at(i)...), at(i)...)
	}
	stride := 1
	for d := range k {
		for i := range total {
			j := i + stride
			if at(i)[d] == k[d]-1 {
				if !torus || k[d] < 3 {
					continue
				}
				j = i - stride*(k[d]-1)
			}
			t.AddLink(spec.Link{From: spec.NodeID(i), To: spec.NodeID(j), VCs: vcs, Dim: d + 1})
			t.AddLink(spec.Link{From: spec.NodeID(j), To: spec.NodeID(i), VCs: vcs, Dim: d + 1})
		}
		stride *= k[d]
	}
	return t
}

// ring4 returns the dependency graph of the unidirectional ring of four nodes
// with one VC: every channel waits for the next one round the ring.
func ring4() *Graph {
	t := spec.NewTopology()
	for i := range 4 {
		t.AddNode("", i)
	}
	var channels []spec.ChannelID
	var edges []dependency.Dependency
	for i := range spec.NodeID(4) {
		c := t.Channel(t.AddLink(spec.Link{From: i, To: (i + 1) % 4, VCs: 1, Dim: 1}), 0)
		channels = append(channels, c)
		edges = append(edges, dependency.Dependency{Edge: dependency.Edge{From: c, To: (c + 1) % 4},
			At:  spec.Site{Channel: c, Header: spec.Header{Dest: (i + 2) % 4}},
			Why: spec.PlaceReason("ring.star", 3, 5)})
	}
	g := explained(t, channels, edges, channels)
	g.Name = "ring of 4"
	return g
}

type writer struct {
	name  string
	write func(io.Writer, *Graph) error
}

func writers() []writer {
	return []writer{{"dot", WriteDOT}, {"graphml", WriteGraphML}, {"json", WriteJSON}}
}

// The golden files are right because:
//
//   - mesh2x2: four nodes, (0,0) at the origin, (1,0) to the right of it, (0,1)
//     above it, 1.25 inches = 90 points apart; eight edges, for each of the four
//     sides of the square one each way: n0-n1 and n2-n3 in dimension 1 (group 1,
//     blue), n0-n2 and n1-n3 in dimension 2 (group 2, vermilion).
//   - ring4: the 1-D ring has a link from 3 to 0, so its nodes stand on a loop,
//     node 0 at the top, clockwise. The channels 0->1, 1->2, 2->3, 3->0 are thus
//     at the right top, right bottom, left bottom, left top, moved from their
//     links to the right of their direction: inwards. Each has one edge to the
//     next, n0->n1->n2->n3->n0, which is the ring's one cycle: bold, black. Each is made by the
//     packet of the ring's deadlock, one hop from home behind the node between the two channels.
//     There is one VC, hence group 1 for all and no legend.
func TestGolden(t *testing.T) {
	for _, tt := range []struct {
		name  string
		graph *Graph
	}{
		{"mesh2x2", Topology("mesh 2x2", grid(1, false, 2, 2))},
		{"ring4", ring4()},
	} {
		for _, w := range writers() {
			var b bytes.Buffer
			if err := w.write(&b, tt.graph); err != nil {
				t.Fatal(err)
			}
			goldentest.Compare(t, tt.name+"."+w.name, b.Bytes())
		}
	}
}

func TestSameBytesEveryTime(t *testing.T) {
	build := func() *Graph { return Topology("torus", grid(2, true, 4, 4)) }
	for _, w := range writers() {
		var first bytes.Buffer
		if err := w.write(&first, build()); err != nil {
			t.Fatal(err)
		}
		for range 10 {
			var again bytes.Buffer
			if err := w.write(&again, build()); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(first.String(), again.String()); diff != "" {
				t.Fatalf("%s differs from run to run:\n%s", w.name, diff)
			}
		}
	}
}

func TestEdgeWithoutEndsIsRefused(t *testing.T) {
	for _, e := range []Edge{{From: 0, To: 1}, {From: -1, To: 0}, {From: 0, To: -1}, {From: 1, To: 0}} {
		g := &Graph{Nodes: []Node{{Label: "alone"}}, Edges: []Edge{e}}
		for _, w := range writers() {
			var b bytes.Buffer
			if err := w.write(&b, g); err == nil {
				t.Errorf("%s: edge %d->%d among 1 node was accepted", w.name, e.From, e.To)
			}
			if b.Len() > 0 {
				t.Errorf("%s: wrote %q although the graph is faulty", w.name, b.String())
			}
		}
	}
}
