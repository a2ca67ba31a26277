package graph_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker/internal/graph"
)

func graphOf(adjacency [][]int32) *graph.Graph {
	g := &graph.Graph{First: []uint32{0}}
	for _, next := range adjacency {
		g.To = append(g.To, next...)
		g.First = append(g.First, uint32(len(g.To)))
	}
	return g
}

// random draws a graph of up to 9 vertices and its matrix of path lengths
// (Floyd and Warshall), the plain twin of everything here. length[v][v] is the
// length of a shortest cycle through v.
func random(rt *rapid.T) (*graph.Graph, [][]int) {
	const far = 1 << 20
	n := rapid.IntRange(1, 9).Draw(rt, "vertices")
	adjacency := make([][]int32, n)
	length := make([][]int, n)
	for v := range n {
		length[v] = make([]int, n)
		for w := range n {
			length[v][w] = far
			if v != w && rapid.IntRange(0, 4).Draw(rt, "edge") == 0 {
				adjacency[v] = append(adjacency[v], int32(w))
				length[v][w] = 1
			}
		}
	}
	for k := range n {
		for v := range n {
			for w := range n {
				length[v][w] = min(length[v][w], length[v][k]+length[k][w])
			}
		}
	}
	return graphOf(adjacency), length
}

func TestComponents(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		g, length := random(rt)
		var c graph.Components
		c.Find(g)
		for v := range g.Len() {
			for w := range g.Len() {
				same := v == w || length[v][w] < 1<<20 && length[w][v] < 1<<20
				if got := c.Of[v] == c.Of[w]; got != same {
					rt.Fatalf("vertices %d and %d in one component: got %v, want %v", v, w, got, same)
				}
			}
			for _, w := range g.Successors(int32(v)) {
				if c.Of[w] > c.Of[v] {
					rt.Fatalf("edge %d -> %d leads from component %d up to %d", v, w, c.Of[v], c.Of[w])
				}
			}
		}
	})
}

// TestComponentsWithin: the components of some vertices and edges of a graph are those of the
// graph that has only these; and Members lists them.
func TestComponentsWithin(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		g, _ := random(rt)
		var within, plain graph.Components
		kept := rapid.SliceOfN(rapid.Bool(), len(g.To), len(g.To)).Draw(rt, "kept")
		for range g.Len() {
			within.Of = append(within.Of, rapid.SampledFrom([]int32{graph.Inside, graph.Inside, graph.Outside}).Draw(rt, "where"))
		}
		outside := slices.Clone(within.Of)
		part := make([][]int32, g.Len())
		for v := range g.Len() {
			for e := g.First[v]; e < g.First[v+1]; e++ {
				if kept[e] && outside[v] == graph.Inside && outside[g.To[e]] == graph.Inside {
					part[v] = append(part[v], g.To[e])
				}
			}
		}
		var told [][]int32
		done := func(i int32) { told = append(told, slices.Clone(within.Component(i))) }
		if err := within.FindWithin(t.Context(), g, func(e uint32) bool { return kept[e] }, done); err != nil {
			rt.Fatal(err)
		}
		for i := range int32(within.Count()) {
			if len(told) != within.Count() || !slices.Equal(told[i], within.Component(i)) {
				rt.Fatalf("told of components %v; %d is %v", told, i, within.Component(i))
			}
		}
		plain.Find(graphOf(part))
		for v, where := range outside {
			if where == graph.Outside {
				if within.Of[v] != graph.Outside {
					rt.Fatalf("vertex %d is outside and in component %d", v, within.Of[v])
				}
				continue
			}
			for w := range outside {
				if outside[w] == graph.Inside && (within.Of[v] == within.Of[w]) != (plain.Of[v] == plain.Of[w]) {
					rt.Fatalf("vertices %d and %d: components %v, of the part alone %v", v, w, within.Of, plain.Of)
				}
			}
			if !slices.Contains(within.Component(within.Of[v]), int32(v)) {
				rt.Fatalf("component %d of vertex %d has only %v", within.Of[v], v, within.Component(within.Of[v]))
			}
		}
	})
}

func TestHeights(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		g, length := random(rt)
		cyclic := false
		for v := range g.Len() {
			cyclic = cyclic || length[v][v] < 1<<20
		}
		heights, ok := graph.Heights(g)
		if ok == cyclic {
			rt.Fatalf("acyclic: got %v, want %v", ok, !cyclic)
		}
		for v := range heights {
			want := int32(0)
			for _, w := range g.Successors(int32(v)) {
				want = max(want, heights[w]+1)
			}
			if heights[v] != want {
				rt.Fatalf("height of %d: got %d, want one more than its successors, %d", v, heights[v], want)
			}
		}
	})
}

func TestSelfLoopIsACycle(t *testing.T) {
	g := graphOf([][]int32{{1}, {1}})
	if _, ok := graph.Heights(g); ok {
		t.Error("a self-loop passed as acyclic")
	}
	if cycle, _ := graph.ShortestCycle(g, 100); !slices.Equal(cycle, []int32{1}) {
		t.Errorf("shortest cycle %v, want the self-loop of 1", cycle)
	}
}

func TestShortestCycle(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		g, length := random(rt)
		want := 1 << 20
		for v := range g.Len() {
			want = min(want, length[v][v])
		}
		cycle, exact := graph.ShortestCycle(g, 1<<20)
		if want == 1<<20 {
			if cycle != nil {
				rt.Fatalf("found %v in an acyclic graph", cycle)
			}
			return
		}
		if !exact || len(cycle) != want || cycle[0] != slices.Min(cycle) {
			rt.Fatalf("cycle %v (exact %v): want length %d, the least vertex first", cycle, exact, want)
		}
		for i, v := range cycle {
			if length[v][cycle[(i+1)%len(cycle)]] != 1 {
				rt.Fatalf("cycle %v: no edge from %d", cycle, v)
			}
		}
	})
}

func TestReverse(t *testing.T) {
	got := graphOf([][]int32{{1, 2}, {2}, {0}}).Reverse()
	want := graphOf([][]int32{{2}, {0}, {0, 1}})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// BenchmarkComponents1M: a million vertices with four successors each, the size
// of the dependency graph of a large machine; half of it is one component.
func BenchmarkComponents1M(b *testing.B) {
	const n = 1_000_000
	g := &graph.Graph{First: make([]uint32, 1, n+1)}
	x := uint32(1)
	for v := range int32(n) {
		for range 4 {
			x = x*1664525 + 1013904223
			w := int32(x % n)
			if v >= n/2 {
				w = v + 1 + int32(x%1000) // forward only: acyclic
			}
			if w < n {
				g.To = append(g.To, w)
			}
		}
		g.First = append(g.First, uint32(len(g.To)))
	}
	var c graph.Components
	for b.Loop() {
		c.Find(g)
	}
	b.ReportMetric(n, "channels")
}
