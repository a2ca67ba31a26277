package draw

import (
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestRows: whatever the graph, every node has a place of its own, as far from the others as
// their labels require, and edges are straight.
func TestRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := &Graph{Name: "drawn"}
		for v := range rapid.IntRange(1, 40).Draw(t, "nodes") {
			g.Nodes = append(g.Nodes, Node{Label: "node " + strconv.Itoa(v)})
		}
		end := rapid.IntRange(0, len(g.Nodes)-1)
		for range rapid.IntRange(0, 60).Draw(t, "edges") {
			g.Edges = append(g.Edges, Edge{From: end.Draw(t, "from"), To: end.Draw(t, "to")})
		}
		out := Rows(g)
		if !out.Placed() || !out.Straight || g.Placed() {
			t.Fatalf("placed %t, straight %t, and the original %t", out.Placed(), out.Straight, g.Placed())
		}
		wide, high := room(g.Nodes)
		for i, a := range out.Nodes {
			for _, b := range out.Nodes[:i] {
				dx, dy := a.At.X-b.At.X, a.At.Y-b.At.Y
				if max(dx, -dx) < 0.9*wide && max(dy, -dy) < 0.7*high {
					t.Fatalf("%s at %v overlaps %s at %v", a.Label, *a.At, b.Label, *b.At)
				}
			}
		}
	})
}

// TestRowsOfAStar: the hub is above its leaves, no row of which is wider than the picture is
// high.
func TestRowsOfAStar(t *testing.T) {
	const leaves = 2999
	g := &Graph{Nodes: make([]Node, leaves+1)}
	for v := range leaves {
		g.Edges = append(g.Edges, Edge{From: v, To: leaves})
	}
	out := Rows(g)
	hub := out.Nodes[leaves].At
	lowest := 0.0
	for _, n := range out.Nodes[:leaves] {
		if n.At.Y >= hub.Y {
			t.Fatalf("a leaf at %v, the hub at %v", *n.At, *hub)
		}
		lowest = min(lowest, n.At.Y)
	}
	if wide, high := out.Width(), hub.Y-lowest; wide > 2*high || high > 4*wide {
		t.Errorf("%g inches wide, %g high", wide, high)
	}
	var dot strings.Builder
	if err := WriteDOT(&dot, out); err != nil || !strings.Contains(dot.String(), `splines=line`) {
		t.Errorf("%v: edges are not straight", err)
	}
}
