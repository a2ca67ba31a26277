package graph_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker/internal/graph"
)

// TestAcyclic: edges of random graphs are added and removed in any order; one is refused if and
// only if Tarjan's search finds a cycle in the subset with it.
func TestAcyclic(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := int32(rapid.IntRange(1, 9).Draw(rt, "vertices"))
		vertex := rapid.Int32Range(0, n-1)
		type edge struct{ from, to int32 }
		edges := rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) edge {
			return edge{vertex.Draw(rt, "from"), vertex.Draw(rt, "to")}
		}), 1, 30).Draw(rt, "edges")
		part := func(has func(e int) bool) *graph.Graph {
			return graph.Collect(int(n), func(add func(from, to int32)) {
				for e, x := range edges {
					if has(e) {
						add(x.from, x.to)
					}
				}
			})
		}
		g := part(func(int) bool { return true })
		number := make([]uint32, len(edges)) // by edge: in g
		at := append([]uint32{}, g.First...)
		for e, x := range edges {
			number[e] = at[x.from]
			at[x.from]++
		}
		a := graph.NewAcyclic(g, graph.Effort)
		if rapid.Bool().Draw(rt, "second") {
			var order []int32
			for v := range n {
				order = append(order, v)
			}
			a = a.None().SetOrder(rapid.Permutation(order).Draw(rt, "order"))
		}
		for range 60 {
			e := rapid.IntRange(0, len(edges)-1).Draw(rt, "edge")
			if rapid.IntRange(0, 3).Draw(rt, "remove") == 0 {
				a.Remove(number[e])
				continue
			}
			_, want := graph.Heights(part(func(f int) bool { return f == e || a.Has(number[f]) }))
			if got := a.Add(number[e]); got != want || a.Has(number[e]) != want {
				rt.Fatalf("adding %v: %v, want %v", edges[e], got, want)
			}
		}
	})
}

// TestCyclesAreFoundFromBothEnds: 2->0 closes a cycle by 0->1->2, and 1 also leads to a thousand
// others. Backwards from 2 that takes two edges; the remaining effort suffices for 4->3.
func TestCyclesAreFoundFromBothEnds(t *testing.T) {
	const others = 1000
	g := graph.Collect(5+others, func(add func(from, to int32)) {
		for _, e := range [][2]int32{{0, 1}, {1, 2}, {2, 0}, {4, 3}} {
			add(e[0], e[1])
		}
		for i := range int32(others) {
			add(1, 5+i)
		}
	})
	a := graph.NewAcyclic(g, 20)
	edge := func(v int32, i uint32) uint32 { return g.First[v] + i }
	for i := range uint32(others + 1) {
		a.Add(edge(1, i))
	}
	if !a.Add(edge(0, 0)) || a.Add(edge(2, 0)) || !a.Add(edge(4, 0)) {
		t.Error("want 0->1 added, 2->0 refused, 4->3 added")
	}
}
