package automorphism_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/checker/internal/automorphism"
	"github.com/seed-105a2da2/unknot/models/graph"
	"github.com/seed-105a2da2/unknot/models/grid"
	"github.com/seed-105a2da2/unknot/models/hierarchy"
	"github.com/seed-105a2da2/unknot/models/hypercube"
	"github.com/seed-105a2da2/unknot/models/mesh"
	"github.com/seed-105a2da2/unknot/models/ring"
	"github.com/seed-105a2da2/unknot/models/torus"
	"github.com/seed-105a2da2/unknot/spec"
)

type made struct {
	def spec.Definition
	err error
}

func define(def spec.Definition, err error) made { return made{def, err} }

func oneWay(n int) made   { return define(ring.New(ring.Options{Nodes: n, Variant: ring.OneWay})) }
func dateline(n int) made { return define(ring.New(ring.Options{Nodes: n, Variant: ring.Dateline})) }

func twoWay(n int, tie grid.Tie) made {
	return define(ring.New(ring.Options{Nodes: n, Variant: ring.TwoWay, Tie: tie}))
}

func dor(k int, tie grid.Tie) made {
	return define(torus.DimensionOrder(torus.Options{K: k, N: 2, Tie: tie}))
}

func cube(n int, v hypercube.Variant) made { return define(hypercube.New(n, v)) }

// only restricts who sends to whom.
func only(m made, flows ...[2]spec.NodeID) made {
	m.def.Flows = func(src, dst spec.NodeID, _ spec.Class) bool {
		return slices.Contains(flows, [2]spec.NodeID{src, dst})
	}
	return m
}

func TestFind(t *testing.T) {
	path := graph.Undirected(5, [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 4}})
	// 3,2,1 and 0 in the middle: three legs of length 1, 2, 3.
	legs := graph.Undirected(7, [][2]int{{0, 1}, {0, 2}, {2, 3}, {0, 4}, {4, 5}, {5, 6}})
	petersen := graph.Petersen()
	all := make([]int, 17)
	for i := range all {
		all[i] = i + 1
	}
	tests := []struct {
		name string
		m    made
		opt  automorphism.Options
		want int
		why  string
	}{
		{name: "one-way ring of 7", m: oneWay(7), want: 7, why: "the rotations; a reflection turns the links round"},
		{name: "one-way ring of 64", m: oneWay(64), want: 64, why: "the rotations"},
		{name: "dateline ring of 6", m: dateline(6), want: 1, why: "node 0 is marked, and no rotation but the identity keeps a node"},
		{name: "two-way ring of 5", m: twoWay(5, grid.TiePositive), want: 10, why: "no ties at odd length: the dihedral group"},
		{name: "two-way ring of 63", m: twoWay(63, grid.TiePositive), want: 126, why: "the dihedral group"},
		{name: "two-way ring of 6, ties positive", m: twoWay(6, grid.TiePositive), want: 6, why: "a reflection makes ties negative"},
		{name: "two-way ring of 6, either way", m: twoWay(6, grid.TieAdaptive), want: 12, why: "the dihedral group"},
		{name: "two-way ring of 64, either way", m: twoWay(64, grid.TieAdaptive), want: 128, why: "the dihedral group"},
		{name: "two-way ring of 6, ties by parity", m: twoWay(6, grid.TieParity), want: 6,
			why: "half a ring away parity changes; rotations by 2 keep it, and reflections v -> a-v with a odd, which change it and the sense: 3 + 3"},

		{name: "adaptive 2x2 mesh", m: define(mesh.Adaptive(mesh.Options{K: 2, N: 2})), want: 8, why: "a square"},
		{name: "adaptive 3x3 mesh", m: define(mesh.Adaptive(mesh.Options{K: 3, N: 2})), want: 8, why: "a square"},
		{name: "adaptive 8x8 mesh", m: define(mesh.Adaptive(mesh.Options{K: 8, N: 2})), want: 8, why: "a square"},
		{name: "adaptive 8x8 mesh, dimensions kept", m: define(mesh.Adaptive(mesh.Options{K: 8, N: 2})), opt: automorphism.Options{Dims: true}, want: 8,
			why: "a square: the diagonals exchange the dimensions as wholes"},
		{name: "XY 3x3 mesh", m: define(mesh.DimensionOrder(mesh.Options{K: 3, N: 2})), want: 4, why: "two reflections; the diagonals make YX of XY"},
		{name: "XY 8x8 mesh", m: define(mesh.DimensionOrder(mesh.Options{K: 8, N: 2})), want: 4, why: "as 3x3"},
		{name: "Duato's 4x4 mesh", m: define(mesh.Duato(mesh.Options{K: 4, N: 2})), want: 4, why: "those of the XY escape"},
		{name: "O1TURN 4x4 mesh on one VC", m: define(mesh.O1TURN(mesh.Options{K: 4, N: 2}, 1)), want: 4,
			why: "the order is the tag, and tags stay: as XY alone"},

		{name: "DOR 5x5 torus", m: dor(5, grid.TiePositive), want: 100, why: "25 translations times 4 pairs of signs"},
		{name: "DOR 7x7 torus", m: dor(7, grid.TiePositive), want: 196, why: "49 translations times 4 pairs of signs"},
		{name: "DOR 8x8 torus", m: dor(8, grid.TiePositive), want: 64, why: "64 translations; ties tell the signs apart"},
		{name: "DOR 8x8 torus, either way", m: dor(8, grid.TieAdaptive), want: 256, why: "64 translations times 4 pairs of signs"},
		{name: "adaptive 8x8 torus", m: define(torus.Adaptive(torus.Options{K: 8, N: 2, Tie: grid.TieAdaptive})), want: 512,
			why: "64 translations times 8 of the square"},

		{name: "e-cube 4", m: cube(4, hypercube.ECube), want: 16, why: "xor with a node; the order of dimensions stays"},
		{name: "e-cube 6", m: cube(6, hypercube.ECube), want: 64, why: "xor with a node"},
		{name: "adaptive 3-cube", m: cube(3, hypercube.Adaptive), want: 48, why: "8 * 3!"},
		{name: "adaptive 4-cube", m: cube(4, hypercube.Adaptive), want: 384, why: "16 * 4!"},
		{name: "p-cube 4", m: cube(4, hypercube.PCube), want: 24, why: "4!: permutations of dimensions keep which way clears a bit, xor does not"},

		{name: "path of 5", m: define(graph.Minimal(path)), want: 2, why: "turned round"},
		{name: "three legs", m: define(graph.Minimal(legs)), want: 1, why: "legs of different lengths"},
		{name: "complete graph of 6", m: define(graph.Minimal(graph.Complete(6))), want: 720, why: "6!"},
		{name: "Petersen graph", m: define(graph.Minimal(petersen)), want: 120,
			why: "S5 on the pairs of five things, and the shortest ways are unique"},
		{name: "packet switching of 17 nodes", m: define(graph.PacketSwitching(all)), want: 4,
			why: "the links of 1..16 and 17 repeat every four nodes (3 -> 4, 5, .. with 17 as the hub)"},

		{name: "a single flow", m: only(twoWay(7, grid.TiePositive), [2]spec.NodeID{0, 2}), want: 1, why: "no rotation keeps 0, no reflection 0 and 2"},
		{name: "two flows across", m: only(twoWay(7, grid.TiePositive), [2]spec.NodeID{0, 2}, [2]spec.NodeID{2, 0}), want: 2, why: "the reflection about 1"},
		{name: "three flows one-way", m: only(oneWay(9), [2]spec.NodeID{0, 2}, [2]spec.NodeID{3, 5}, [2]spec.NodeID{6, 8}), want: 3, why: "rotations by three"},
		{name: "two flows of unlike length", m: only(oneWay(9), [2]spec.NodeID{0, 2}, [2]spec.NodeID{4, 7}), want: 1, why: "one flow goes two hops, the other three"},

		{name: "VC 1 idle", m: made{def: twoVCs(5, func(spec.NodeID, spec.Header) []int { return []int{0} })}, want: 5, why: "rotations; idle VCs just go along"},
		{name: "either VC", m: made{def: twoVCs(4, func(spec.NodeID, spec.Header) []int { return []int{0, 1} })}, want: 64, why: "4 rotations times 2^4 exchanges"},
		{name: "idle nodes and VCs", m: made{def: twoVCs(4, func(v spec.NodeID, h spec.Header) []int { return []int{int(v) % 2} })}, want: 4,
			why: "the VC is even or odd with the node, but a VC has no other name than that: all rotations"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			n := compile(t, tt.m.def, tt.m.err)
			begin := time.Now()
			found, err := automorphism.Find(t.Context(), n, tt.opt)
			if err != nil {
				t.Fatal(err)
			}
			t.Log(time.Since(begin), n.SiteCount())
			if len(found) != tt.want {
				t.Errorf("%d symmetries, want %d: %s", len(found), tt.want, tt.why)
			}
			mustBeGroup(t, n, found, tt.opt.Dims)
		})
	}
}

// mustBeGroup checks that symmetries are different, that Check accepts each,
// that the identity is the first and that the composition of any with any is
// among them; being finite, they then hold their inverses.
func mustBeGroup(tb interface {
	Helper()
	Fatalf(string, ...any)
}, n *spec.Network, found []automorphism.Symmetry, dims bool) {
	tb.Helper()
	if len(found) == 0 || !cmp.Equal(found[0], automorphism.Identity(n.Topology())) {
		tb.Fatalf("the identity is not the first of %d symmetries", len(found))
	}
	key := func(s automorphism.Symmetry) string { return fmt.Sprint(s.Nodes, s.Channels) }
	index := map[string]bool{}
	for i, s := range found {
		if err := automorphism.Check(n, s, dims); err != nil {
			tb.Fatalf("symmetry %d is none: %v", i, err)
		}
		if index[key(s)] {
			tb.Fatalf("symmetry %d is there twice", i)
		}
		index[key(s)] = true
	}
	step := 1 + len(found)*len(found)/20_000 // of large groups, a sample of the products
	for i := 0; i < len(found)*len(found); i += step {
		a, b := found[i/len(found)], found[i%len(found)]
		c := automorphism.Identity(n.Topology())
		for v := range c.Nodes {
			c.Nodes[v] = b.Nodes[a.Nodes[v]]
		}
		for ch := range c.Channels {
			c.Channels[ch] = b.Channels[a.Channels[ch]]
		}
		if !index[key(c)] {
			tb.Fatalf("symmetry %d followed by %d is missing", i/len(found), i%len(found))
		}
	}
}

var errEnough = errors.New("enough")

func TestFindCancelled(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errEnough)
	n := compile(t, oneWay(5).def, nil)
	if _, err := automorphism.Find(ctx, n, automorphism.Options{}); !errors.Is(err, errEnough) {
		t.Errorf("error %v, want the context's cause", err)
	}
}
