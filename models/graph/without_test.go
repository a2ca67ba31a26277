package graph_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/models/graph"
)

func TestWithout(t *testing.T) {
	square := ring(4)
	for _, tt := range []struct {
		without string
		want    graph.Graph
		wrong   bool
	}{
		{"", square, false},
		{"1-2", graph.Graph{Nodes: 4, Links: [][2]int{{0, 1}, {1, 0}, {2, 3}, {3, 2}, {3, 0}, {0, 3}}, Names: []string{"0", "1", "2", "3"}}, false},
		{"2-1", graph.Graph{Nodes: 4, Links: [][2]int{{0, 1}, {1, 0}, {2, 3}, {3, 2}, {3, 0}, {0, 3}}, Names: []string{"0", "1", "2", "3"}}, false},
		{"1", graph.Graph{Nodes: 3, Links: [][2]int{{1, 2}, {2, 1}, {2, 0}, {0, 2}}, Names: []string{"0", "2", "3"}}, false},
		{"0-2", graph.Graph{}, true},
		{"0-1,0-1", graph.Graph{}, true},
		{"4", graph.Graph{}, true},
		{"0-1,", graph.Graph{}, true},
	} {
		got, err := square.Remove(tt.without)
		if diff := cmp.Diff(tt.want, got); diff != "" || (err != nil) != tt.wrong {
			t.Errorf("without %q: %v (-want +got):\n%s", tt.without, err, diff)
		}
	}
}

// TestTorus: a k x k torus has 2k^2 edges, with k=2 half as many.
func TestTorus(t *testing.T) {
	for k, edges := range map[int]int{2: 4, 3: 18, 4: 32, 5: 50} {
		g := graph.Torus(k)
		if g.Nodes != k*k || len(g.Links) != 2*edges {
			t.Errorf("k=%d: %d nodes, %d links; want %d and %d", k, g.Nodes, len(g.Links), k*k, 2*edges)
		}
	}
}
