package layers_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker/internal/graph"
	"github.com/seed-105a2da2/unknot/checker/internal/layers"
	"github.com/seed-105a2da2/unknot/spec/support/contexttest"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

func TestMain(m *testing.M) { seedtest.Main(m) }

// drawn is paths without repetition in a complete graph of up to 6 vertices.
func drawn(rt *rapid.T) (p layers.Paths, paths [][]int32) {
	n := int32(rapid.IntRange(2, 6).Draw(rt, "vertices"))
	var vertices []int32
	g := graph.Collect(int(n), func(add func(from, to int32)) {
		for v := range n {
			for w := range n {
				add(v, w)
			}
		}
	})
	for v := range n {
		vertices = append(vertices, v)
	}
	paths = rapid.SliceOfN(rapid.Map(rapid.Permutation(vertices), func(path []int32) []int32 { return path[:1+len(path)/2] }), 0, 7).Draw(rt, "paths")
	return layers.Paths{Graph: g, Count: len(paths), Edges: func(i int, f func(e uint32)) {
		for k := range paths[i][1:] {
			f(g.First[paths[i][k]] + uint32(paths[i][k+1]))
		}
	}}, paths
}

// acyclic checks some layers by Tarjan's search.
func acyclic(p layers.Paths, of []uint8) bool {
	for layer := range uint8(8) {
		_, ok := graph.Heights(graph.Collect(p.Graph.Len(), func(add func(from, to int32)) {
			for i, l := range of {
				if l == layer {
					p.Edges(i, func(e uint32) { add(int32(e)/int32(p.Graph.Len()), p.Graph.To[e]) })
				}
			}
		}))
		if !ok {
			return false
		}
	}
	return true
}

// fewest tries all assignments.
func fewest(p layers.Paths) int {
	for n := 1; ; n++ {
		of := make([]uint8, p.Count)
		for range int(math.Pow(float64(n), float64(p.Count))) {
			if acyclic(p, of) {
				return n
			}
			for i := range of {
				if of[i]++; int(of[i]) < n {
					break
				}
				of[i] = 0
			}
		}
	}
}

// TestLayers: no layer has a cycle, there are no fewer than brute force finds, no layer is
// empty, and if fewer are allowed the answer is nil.
func TestLayers(t *testing.T) {
	ctx := context.Background()
	rapid.Check(t, func(rt *rapid.T) {
		p, paths := drawn(rt)
		least := fewest(p)
		for name, share := range map[string]func(most int) *layers.Sharing{
			"online":   func(most int) *layers.Sharing { return layers.Online(ctx, p, most) },
			"offline":  func(most int) *layers.Sharing { return layers.Offline(ctx, p, most) },
			"gathered": func(most int) *layers.Sharing { return layers.Gathered(ctx, p, most, 0) },
			"drawn":    func(most int) *layers.Sharing { return layers.Gathered(ctx, p, most, 1000) },
			"lowered": func(most int) *layers.Sharing {
				s := layers.Offline(ctx, p, most)
				if s != nil {
					s.Lower(ctx, p)
				}
				return s
			},
		} {
			s := share(layers.Most)
			if s == nil || !acyclic(p, s.Of) || s.Count < least {
				rt.Fatalf("%s: %+v for %v, want %d layers or more", name, s, paths, least)
			}
			used := map[uint8]bool{}
			for _, l := range s.Of {
				used[l] = true
			}
			if len(used) != min(s.Count, p.Count) {
				rt.Errorf("%s: %+v for %v has empty layers", name, s, paths)
			}
			if improved := name == "lowered" || name == "drawn"; !improved && (share(s.Count) == nil || s.Count > 1 && share(s.Count-1) != nil) {
				rt.Errorf("%s: %d layers are not the bound", name, s.Count)
			}
		}
	})
}

// TestRefusedPathsLeaveNothing: the second path closes a cycle with the first, 0->1 and 1->0, and goes
// to the second layer; 2->3 must not stay behind on the first, where the third belongs.
func TestRefusedPathsLeaveNothing(t *testing.T) {
	g := graph.Collect(4, func(add func(from, to int32)) {
		for v := range int32(4) {
			for w := range int32(4) {
				add(v, w)
			}
		}
	})
	paths := [][]uint32{{0, 1}, {2, 3, 1, 0}, {3, 2}}
	s := layers.Online(context.Background(), layers.Paths{Graph: g, Count: len(paths), Edges: func(i int, f func(e uint32)) {
		for k := range paths[i][1:] {
			f(4*paths[i][k] + paths[i][k+1])
		}
	}}, layers.Most)
	if want := []uint8{0, 1, 0}; !slices.Equal(s.Of, want) {
		t.Errorf("layers %v, want %v", s.Of, want)
	}
}

// TestEnded: no path is looked at once the context has ended: before any, when all are listed and the
// first cycle is met (it is asked before they are counted, before they are listed and before a vertex is searched from), and when all are on their
// layers.
func TestEnded(t *testing.T) {
	g := graph.Collect(3, func(add func(from, to int32)) {
		for v := range int32(3) {
			add(v, (v+1)%3)
		}
	})
	looked := 0
	p := layers.Paths{Graph: g, Count: 3, Edges: func(i int, f func(e uint32)) {
		looked++
		f(uint32(i))
	}}
	for _, tt := range []struct{ questions, want int }{{0, 0}, {3, 2 * p.Count}} {
		looked = 0
		if s := layers.Offline(contexttest.New(t.Context(), tt.questions), p, 2); s != nil || looked != tt.want {
			t.Errorf("offline, ended after %d questions: %v, and %d paths looked at, want %d", tt.questions, s, looked, tt.want)
		}
	}
	if s := layers.Gathered(contexttest.New(t.Context(), 0), p, 3, 0); s != nil {
		t.Errorf("gathered, ended at once: %v", s)
	}
	alone := layers.Sharing{Of: []uint8{0, 1, 2}, Count: 3}
	for _, tt := range []struct{ questions, want int }{{0, 0}, {p.Count, p.Count}} { // each is put on its layer
		looked = 0
		s := layers.Sharing{Of: slices.Clone(alone.Of), Count: alone.Count}
		if s.Lower(contexttest.New(t.Context(), tt.questions), p); !slices.Equal(s.Of, alone.Of) || looked != tt.want {
			t.Errorf("lower, ended after %d questions: %v, and %d paths looked at, want %d", tt.questions, s, looked, tt.want)
		}
	}
}

// TestOfflineLayerByLayer: the paths that leave a layer are shared out as if they were all there are, so that it does not
// matter that their edges are kept from layer to layer.
func TestOfflineLayerByLayer(t *testing.T) {
	again := 0
	rapid.Check(t, func(rt *rapid.T) {
		p, _ := drawn(rt)
		s := layers.Offline(t.Context(), p, layers.Most)
		if s == nil {
			rt.Fatal("64 layers are not enough for seven paths")
		}
		for layer := 1; layer < s.Count; layer++ {
			var left []int
			var want []uint8
			for path, of := range s.Of {
				if int(of) >= layer {
					left, want = append(left, path), append(want, of-uint8(layer))
				}
			}
			rest := layers.Paths{Graph: p.Graph, Count: len(left), Edges: func(path int, f func(e uint32)) { p.Edges(left[path], f) }}
			got := layers.Offline(t.Context(), rest, layers.Most)
			if got == nil || got.Count != s.Count-layer || !slices.Equal(got.Of, want) {
				rt.Fatalf("from layer %d on: %v, alone %v", layer, want, got)
			}
			again++
		}
	})
	if seedtest.Usual() && again == 0 {
		t.Error("one layer sufficed for all")
	}
}
