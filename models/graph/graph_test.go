package graph_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/models/graph"
	"github.com/seed-105a2da2/unknot/models/graph/censustest"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
)

// ring has links both ways; of two nodes, one edge.
func ring(nodes int) graph.Graph {
	g := graph.Graph{Nodes: nodes}
	for v := range nodes {
		if w := (v + 1) % nodes; nodes > 2 || v < w {
			g.Links = append(g.Links, [2]int{v, w}, [2]int{w, v})
		}
	}
	return g
}

// wantAllPairs checks that every node sends to every other and all arrives.
func wantAllPairs(t testing.TB, name string, n *spec.Network) {
	t.Helper()
	nodes := n.Topology().Nodes()
	if got, want := n.FlowCount(), nodes*(nodes-1); got != want {
		t.Errorf("%s: %d flows, want %d", name, got, want)
	}
	if err := errors.Join(censustest.Undelivered(n), censustest.Unexplained(n)); err != nil {
		t.Errorf("%s: %v", name, err)
	}
}

// On the complete graph every channel is used by one pair. In the Petersen graph two
// different nodes without an edge have exactly one neighbour in common: 10 nodes x 3
// neighbours x 2 further nodes make 60 paths of two hops, each a dependency. Legal
// pairs: each channel with its own end, 30, and the first channel of each path of two
// hops, 60; the second one ends where the packet does, which on one VC is counted
// already and on VC 1 makes 30 more. On a two-way ring of 5 each of 10 channels is
// followed by the next one the same way round, for the pair two hops apart, and has two
// destinations.
func TestCounts(t *testing.T) {
	k := routingtest.Network(t)
	for _, tt := range []struct {
		name string
		n    *spec.Network
		want censustest.Census
	}{
		{"complete graph of 2", k(graph.Minimal(graph.Complete(2))), censustest.Census{Channels: 2, Sites: 2, Acyclic: true}},
		{"complete graph of 7", k(graph.Minimal(graph.Complete(7))), censustest.Census{Channels: 42, Sites: 42, Acyclic: true}},
		{"Petersen, minimal", k(graph.Minimal(graph.Petersen())), censustest.Census{Channels: 30, Edges: 60, Sites: 90}},
		{"Petersen, one way", k(graph.Deterministic(graph.Petersen())), censustest.Census{Channels: 30, Edges: 60, Sites: 90}},
		{"Petersen, hop-indexed", k(graph.HopIndexed(graph.Petersen())), censustest.Census{Channels: 60, Edges: 60, Sites: 120, Acyclic: true}},
		{"ring of 2", k(graph.Minimal(ring(2))), censustest.Census{Channels: 2, Sites: 2, Acyclic: true}},
		{"ring of 3", k(graph.Minimal(ring(3))), censustest.Census{Channels: 6, Sites: 6, Acyclic: true}},
		{"ring of 5", k(graph.Minimal(ring(5))), censustest.Census{Channels: 10, Edges: 10, Sites: 20}},
		{"one-way ring of 4", k(graph.Minimal(graph.Graph{Nodes: 4, Links: [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 0}}})),
			censustest.Census{Channels: 4, Edges: 4, Sites: 12}},
	} {
		if diff := cmp.Diff(tt.want, censustest.Count(tt.n)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
		wantAllPairs(t, tt.name, tt.n)
	}
}

// De Bruijn graphs by shortest paths on one VC: 2^2 is free, 2^3 is not.
func TestDeBruijn(t *testing.T) {
	for d, want := range map[int]bool{2: true, 3: false} {
		n := routingtest.Network(t)(graph.Minimal(graph.DeBruijn(d)))
		if got := censustest.Count(n).Acyclic; got != want {
			t.Errorf("d=%d: acyclic %t, want %t", d, got, want)
		}
		wantAllPairs(t, "de Bruijn", n)
	}
}

// TestDeterministicIsOneOfMinimal: one hop at each place, and minimal routing permits it.
func TestDeterministicIsOneOfMinimal(t *testing.T) {
	for seed := range uint64(20) {
		g := graph.Random(9, 9, seed)
		one, all := routingtest.Network(t)(graph.Deterministic(g)), routingtest.Network(t)(graph.Minimal(g))
		wantAllPairs(t, "deterministic", one)
		err := routing.Sites(one, func(s spec.Site, hops []spec.Hop) error {
			permitted, ok := all.Hops(s)
			if len(hops) != 1 || !ok {
				t.Errorf("seed %d: %d hops at %v, a site of minimal routing: %t", seed, len(hops), s, ok)
				return nil
			}
			for _, p := range permitted {
				if p == hops[0] {
					return nil
				}
			}
			t.Errorf("seed %d: at %v a hop that is not minimal", seed, s)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// Any graph is free with the hop index as VC.
func TestHopIndexIsAcyclic(t *testing.T) {
	for seed := range uint64(20) {
		n := routingtest.Network(t)(graph.HopIndexed(graph.Random(3+int(seed), int(seed), seed)))
		if !censustest.Count(n).Acyclic {
			t.Errorf("seed %d: cyclic", seed)
		}
		wantAllPairs(t, "hop-indexed", n)
	}
	wantAllPairs(t, "hop-indexed de Bruijn", routingtest.Network(t)(graph.HopIndexed(graph.DeBruijn(4))))
}

// The generators are pure: the same seed gives the same graph, another seed another.
func TestRandomIsOfItsSeed(t *testing.T) {
	if diff := cmp.Diff(graph.Random(20, 10, 7), graph.Random(20, 10, 7)); diff != "" {
		t.Errorf("the same seed (-first +second):\n%s", diff)
	}
	if cmp.Equal(graph.Random(20, 10, 7), graph.Random(20, 10, 8)) {
		t.Error("seeds 7 and 8 give the same graph")
	}
}

func TestRefuses(t *testing.T) {
	path := graph.Graph{Nodes: 3, Links: [][2]int{{0, 1}, {1, 2}}}
	for _, tt := range []struct {
		name  string
		build func() (routing.Definition, error)
		want  string
	}{
		{"one node", func() (routing.Definition, error) { return graph.Minimal(graph.Complete(1)) }, "a graph of 1 nodes: want 2 to 4096"},
		{"not connected", func() (routing.Definition, error) { return graph.Minimal(path) },
			"no path leads from node 1 to node 0: want a strongly connected graph"},
		{"not connected, one way", func() (routing.Definition, error) { return graph.Deterministic(path) },
			"no path leads from node 1 to node 0: want a strongly connected graph"},
		{"not connected, hop-indexed", func() (routing.Definition, error) { return graph.HopIndexed(path) },
			"no path leads from node 1 to node 0: want a strongly connected graph"},
		{"no link back", func() (routing.Definition, error) { return graph.UpDown(path, 0) }, "link 0->1 has no link back: want links in both directions"},
		{"root", func() (routing.Definition, error) { return graph.UpDown(ring(3), 3) }, "invalid root 3: want 0 to 2"},
		{"two parts", func() (routing.Definition, error) {
			return graph.UpDown(graph.Graph{Nodes: 4, Links: [][2]int{{0, 1}, {1, 0}, {2, 3}, {3, 2}}}, 0)
		}, "node 2 has no path to the root 0"},
	} {
		got := ""
		if _, err := tt.build(); err != nil {
			got = err.Error()
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}
