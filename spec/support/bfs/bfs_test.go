package bfs_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/spec/support/bfs"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

func TestMain(m *testing.M) { seedtest.Main(m) }

// TestLevels: levels are the distances of Bellman and Ford, which relaxes every edge n times; what is met comes by level,
// once, also if a first vertex is given twice; Reach finds the same, in the same order; Path leads along edges to a
// nearest goal.
func TestLevels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 8).Draw(t, "n")
		vertex := rapid.Int32Range(0, int32(n)-1)
		edges := rapid.SliceOfN(rapid.SliceOfN(vertex, 2, 2), 0, 20).Draw(t, "edges")
		from := rapid.SliceOfN(vertex, 0, 3).Draw(t, "from")
		want := slices.Repeat([]int32{bfs.Never}, n)
		for _, v := range from {
			want[v] = 0
		}
		for range n {
			for _, e := range edges {
				if want[e[0]] != bfs.Never {
					want[e[1]] = min(want[e[1]], want[e[0]]+1)
				}
			}
		}
		next := func(v int32, visit func(int32)) {
			for _, e := range edges {
				if e[0] == v {
					visit(e[1])
				}
			}
		}
		level, met := bfs.Levels(n, from, next)
		if diff := cmp.Diff(want, level); diff != "" {
			t.Fatalf("levels (-want +got):\n%s", diff)
		}
		if !slices.IsSortedFunc(met, func(a, b int32) int { return int(level[a]) - int(level[b]) }) {
			t.Fatalf("levels %v of %v, want them to rise", level, met)
		}
		reached := map[int32]bool{}
		for v, l := range want {
			if l != bfs.Never {
				reached[int32(v)] = true
			}
		}
		if len(met) != len(reached) {
			t.Fatalf("met %v, want each of %v once", met, slices.Sorted(maps.Keys(reached)))
		}
		seen, order := bfs.Reach(from, next)
		if diff := cmp.Diff(reached, seen) + cmp.Diff(met, order, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("reach (-want +got):\n%s", diff)
		}
		goals := rapid.SliceOfN(vertex, 0, 3).Draw(t, "goals")
		nearest := int32(bfs.Never)
		for _, v := range goals {
			nearest = min(nearest, want[v])
		}
		isGoal := func(v int32) bool { return slices.Contains(goals, v) }
		path, steps := bfs.Path(from, isGoal, func(v int32, visit func(e int, to int32)) {
			for i, e := range edges {
				if e[0] == v {
					visit(i, e[1])
				}
			}
		})
		switch {
		case nearest == bfs.Never:
			if path != nil || steps != nil {
				t.Fatalf("path %v, steps %v, want none", path, steps)
			}
			return
		case len(path) != int(nearest)+1 || len(steps) != int(nearest):
			t.Fatalf("path %v, steps %v, want %d steps", path, steps, nearest)
		case !slices.Contains(from, path[0]) || !isGoal(path[nearest]):
			t.Fatalf("path %v, want one from %v to %v", path, from, goals)
		}
		for i, e := range steps {
			if diff := cmp.Diff(edges[e], path[i:i+2]); diff != "" {
				t.Fatalf("step %d of path %v (-edge +got):\n%s", i, path, diff)
			}
		}
	})
}
