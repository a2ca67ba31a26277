package netgen_test

import (
	"context"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// TestTopologies: links go both ways, the nodes are connected, there are no more nodes than
// asked for, and every shape and failures occur.
func TestTopologies(t *testing.T) {
	for shape, name := range []string{"graph", "mesh", "torus", "tree", "dragonfly"} {
		t.Run(name, func(t *testing.T) {
			sizes := map[int]bool{}
			rapid.Check(t, func(rt *rapid.T) {
				topo := netgen.Topology(rt, netgen.TopologyOptions{Shapes: []netgen.Shape{netgen.Shape(shape)}, Nodes: 12, VCs: 2, Failures: 2})
				sizes[topo.Nodes()] = true
				if err := topo.Err(); err != nil {
					rt.Fatal(err)
				}
				if topo.Nodes() < 2 || topo.Nodes() > 12 {
					rt.Fatalf("%d nodes", topo.Nodes())
				}
				reached := map[spec.NodeID]bool{0: true}
				queue := []spec.NodeID{0}
				for len(queue) > 0 {
					v := queue[0]
					queue = queue[1:]
					for _, l := range topo.OutLinks(v) {
						w := topo.Link(l).To
						back := false
						for _, b := range topo.OutLinks(w) {
							back = back || topo.Link(b).To == v
						}
						if !back {
							rt.Fatalf("%s has no link back", topo.LinkName(l))
						}
						if !reached[w] {
							reached[w] = true
							queue = append(queue, w)
						}
					}
				}
				if len(reached) != topo.Nodes() {
					rt.Fatalf("%d of %d nodes are reached", len(reached), topo.Nodes())
				}
				if shape == int(netgen.Tree) && topo.Links() != 2*(topo.Nodes()-1) {
					rt.Fatalf("a tree of %d nodes with %d links", topo.Nodes(), topo.Links())
				}
			})
			if len(sizes) < 2 {
				t.Errorf("always %v nodes", sizes)
			}
		})
	}
}

// TestGrids: in a mesh two nodes are joined if one coordinate differs, by one; in a torus also by one less than there
// are, which with two is the same link; both without failures.
func TestGrids(t *testing.T) {
	wrapped := 0
	rapid.Check(t, func(rt *rapid.T) {
		torus := rapid.Bool().Draw(rt, "torus")
		shape := map[bool]netgen.Shape{false: netgen.Mesh, true: netgen.Torus}[torus]
		topo := netgen.Topology(rt, netgen.TopologyOptions{Shapes: []netgen.Shape{shape}, Nodes: 20, VCs: 1})
		var size [2]int
		for v := range spec.NodeID(topo.Nodes()) {
			for i, x := range topo.Node(v).At {
				size[i] = max(size[i], x+1)
			}
		}
		for v := range spec.NodeID(topo.Nodes()) {
			for w := range spec.NodeID(topo.Nodes()) {
				differ, apart := 0, 0
				for i, x := range topo.Node(v).At {
					d := max(x-topo.Node(w).At[i], topo.Node(w).At[i]-x)
					if d > 0 {
						differ++
					}
					if d == 1 || torus && d > 0 && d == size[i]-1 {
						apart++
					}
				}
				want := differ == 1 && apart == 1
				if got := len(topo.LinksBetween(v, w)) > 0; got != want {
					rt.Fatalf("%v of %v: a link from %v to %v: %t, want %t", shape, size, topo.Node(v).At, topo.Node(w).At, got, want)
				}
				if torus && want && size[0] > 2 {
					wrapped++
				}
			}
		}
	})
	if seedtest.Usual() && wrapped == 0 {
		t.Error("no torus is larger than two")
	}
}

func decide(rt *rapid.T, topo *spec.Topology, r routing.Relation) map[spec.Property]spec.Verdict {
	n := routingtest.Compile(rt, routing.Definition{Name: "drawn", Topology: topo, Routing: r})
	report, err := checker.Check(context.Background(), n, checker.Question{Workers: 2})
	if err != nil {
		rt.Fatal(err)
	}
	all := map[spec.Property]spec.Verdict{}
	for _, res := range report.Findings {
		p, _ := spec.ParseProperty(res.Property)
		all[p] = res.Verdict
	}
	return all
}

// TestMinimal: on a tree there is one shortest path and no cycle of channels;
// elsewhere shortest paths deliver, never loop, and sometimes deadlock.
func TestMinimal(t *testing.T) {
	deadlocks := 0
	rapid.Check(t, func(rt *rapid.T) {
		tree := rapid.Bool().Draw(rt, "tree")
		shapes := []netgen.Shape{netgen.Torus, netgen.Graph}
		if tree {
			shapes = []netgen.Shape{netgen.Tree}
		}
		topo := netgen.Topology(rt, netgen.TopologyOptions{Shapes: shapes, VCs: 2})
		got := decide(rt, topo, netgen.Minimal(topo, netgen.VCs(rt, topo)))
		if got[spec.Delivery] != spec.Holds || got[spec.LivelockFreedom] != spec.Holds || tree && got[spec.DeadlockFreedom] != spec.Holds {
			rt.Fatalf("tree %t: %v", tree, got)
		}
		if got[spec.DeadlockFreedom] == spec.Violated {
			deadlocks++
		}
	})
	if seedtest.Usual() && deadlocks == 0 {
		t.Error("no network deadlocks: the draws are too tame")
	}
}

// TestTurnRestricted: if the turns of a spanning tree are kept, every node is reached;
// otherwise not always.
func TestTurnRestricted(t *testing.T) {
	lost := 0
	rapid.Check(t, func(rt *rapid.T) {
		topo := netgen.Topology(rt, netgen.TopologyOptions{Nodes: 6})
		keep := rapid.Bool().Draw(rt, "keep")
		got := decide(rt, topo, netgen.TurnRestricted(rt, topo, keep, netgen.AnyVC))
		if got[spec.LivelockFreedom] != spec.Holds || keep && got[spec.Delivery] != spec.Holds {
			rt.Fatalf("keep %t: %v", keep, got)
		}
		if got[spec.Delivery] == spec.Violated {
			lost++
		}
	})
	if seedtest.Usual() && lost == 0 {
		t.Error("every relation delivers: the draws are too tame")
	}
}
