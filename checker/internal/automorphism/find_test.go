package automorphism_test

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/checker/internal/automorphism"
	"github.com/seed-105a2da2/unknot/models/graph"
	"github.com/seed-105a2da2/unknot/models/grid"
	"github.com/seed-105a2da2/unknot/models/hierarchy"
	"github.com/seed-105a2da2/unknot/models/hypercube"
	"github.com/seed-105a2da2/unknot/models/hyperx"
	"github.com/seed-105a2da2/unknot/models/mesh"
	"github.com/seed-105a2da2/unknot/models/ring"
	"github.com/seed-105a2da2/unknot/models/torus"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

type made struct {
	def routing.Definition
	err error
}

func define(def routing.Definition, err error) made { return made{def, err} }

func oneWay(n int) made   { return define(ring.New(ring.Options{Nodes: n, Variant: ring.OneWay})) }
func dateline(n int) made { return define(ring.New(ring.Options{Nodes: n, Variant: ring.Dateline})) }

func twoWay(n int, tie grid.Tie) made {
	return define(ring.New(ring.Options{Nodes: n, Variant: ring.TwoWay, Tie: tie}))
}

func dor(k int, tie grid.Tie) made {
	return define(torus.DimensionOrder(torus.Options{K: k, N: 2, Tie: tie}))
}

func cube(n int, v hypercube.Variant) made { return define(hypercube.New(n, v)) }

func dragonfly(a, h, g int) made {
	return define(hierarchy.Dragonfly(hierarchy.DragonflyOptions{Routers: a, Globals: h, Groups: g, LocalVCs: true}))
}

// groupPermutations counts, by trying all, the permutations of a full dragonfly's
// groups that take any two groups with links to one router of a third to two such.
// Each permutes the routers in one way, because a router is where its links lead;
// and routing tells local from global links.
func groupPermutations(a, h, g int) int {
	router := func(i, j int) int { return ((j-i+g)%g - 1) / h } // of group i, with the link to j
	count := 0
	to := make([]int, 0, g)
	var try func()
	try = func() {
		n := len(to)
		if n == g {
			count++
			return
		}
		for next := range g {
			if slices.Contains(to, next) {
				continue
			}
			to = append(to, next)
			fits := true
			for i := range n + 1 {
				for j := range n + 1 {
					for k := range n + 1 {
						if i != j && i != k && (router(i, j) == router(i, k)) != (router(to[i], to[j]) == router(to[i], to[k])) {
							fits = false
						}
					}
				}
			}
			if fits {
				try()
			}
			to = to[:n]
		}
	}
	try()
	return count
}

// isolated is a one-way ring and more nodes, without links.
func isolated(nodes, more int) made {
	m := oneWay(nodes)
	if m.err == nil {
		for range more {
			m.def.Topology.AddNode("")
		}
		m.def.Flows = func(src, dst spec.NodeID, _ spec.Class) bool { return int(src) < nodes && int(dst) < nodes }
	}
	return m
}

// cayley joins the k*k pairs of numbers modulo k whose difference is one of steps.
func cayley(k int, steps ...[2]int) graph.Graph {
	seen := map[[2]int]bool{}
	g := graph.Graph{Nodes: k * k}
	for v := range k * k {
		for _, s := range steps {
			w := (v/k+s[0])%k*k + (v%k+s[1])%k
			if e := [2]int{min(v, w), max(v, w)}; !seen[e] {
				seen[e] = true
				g.Links = append(g.Links, [2]int{v, w}, [2]int{w, v})
			}
		}
	}
	return g
}

func parsed(t *testing.T, edges string) graph.Graph {
	g, err := graph.Parse(edges)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// only restricts who sends to whom.
func only(m made, flows ...[2]spec.NodeID) made {
	m.def.Flows = func(src, dst spec.NodeID, _ spec.Class) bool {
		return slices.Contains(flows, [2]spec.NodeID{src, dst})
	}
	return m
}

func TestFind(t *testing.T) {
	path := parsed(t, "0-1,1-2,2-3,3-4")
	// 3,2,1 and 0 in the middle: three legs of length 1, 2, 3.
	legs := parsed(t, "0-1,0-2,2-3,0-4,4-5,5-6")
	petersen := graph.Petersen()
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
		{name: "Duato's 2x2 mesh", m: define(mesh.Duato(mesh.Options{K: 2, N: 2})), want: 64,
			why: "4 of the XY escape times 2^4: whoever may go along x may do so on both VCs, and there are 4 links along x; along y VC 1 alone is for those who also may go along x"},
		{name: "O1TURN 4x4 mesh on one VC", m: define(mesh.O1TURN(mesh.Options{K: 4, N: 2}, 1)), want: 4,
			why: "the order is the tag, and tags stay: as XY alone"},

		{name: "DOR 5x5 torus", m: dor(5, grid.TiePositive), want: 100, why: "25 translations times 4 pairs of signs"},
		{name: "DOR 7x7 torus", m: dor(7, grid.TiePositive), want: 196, why: "49 translations times 4 pairs of signs"},
		{name: "DOR 8x8 torus", m: dor(8, grid.TiePositive), want: 64, why: "64 translations; ties tell the signs apart"},
		{name: "DOR 8x8 torus, either way", m: dor(8, grid.TieAdaptive), want: 256, why: "64 translations times 4 pairs of signs"},
		{name: "adaptive 6x6 torus", m: define(torus.Adaptive(torus.Options{K: 6, N: 2, Tie: grid.TieAdaptive})), want: 288,
			why: "36 translations times 8 of the square"},

		{name: "e-cube 4", m: cube(4, hypercube.ECube), want: 16, why: "xor with a node; the order of dimensions stays"},
		{name: "e-cube 6", m: cube(6, hypercube.ECube), want: 64, why: "xor with a node"},
		{name: "adaptive 3-cube", m: cube(3, hypercube.Adaptive), want: 48, why: "8 * 3!"},
		{name: "adaptive 4-cube", m: cube(4, hypercube.Adaptive), want: 384, why: "16 * 4!"},
		{name: "p-cube 4", m: cube(4, hypercube.PCube), want: 24, why: "4!: permutations of dimensions keep which way clears a bit, xor does not"},

		{name: "path of 5", m: define(graph.Minimal(path)), want: 2, why: "turned round"},
		{name: "three legs", m: define(graph.Minimal(legs)), want: 1, why: "legs of different lengths"},
		{name: "complete graph of 6", m: define(graph.Minimal(graph.Complete(6))), want: 720, why: "6!"},
		{name: "Petersen graph", m: define(graph.Minimal(petersen)), want: 120,
			why: "S5 on the pairs of five things, and the shortest paths are unique"},
		{name: "Shrikhande graph", m: define(graph.Minimal(cayley(4, [2]int{1, 0}, [2]int{0, 1}, [2]int{1, 1}))), want: 192,
			why: "16 translations times the 12 of the hexagon of neighbours"},
		{name: "rook's graph 4x4", m: define(graph.Minimal(cayley(4, [2]int{1, 0}, [2]int{2, 0}, [2]int{0, 1}, [2]int{0, 2}))),
			opt: automorphism.Options{Most: 1152}, want: 1152,
			why: "4! orders of rows, 4! of columns and the transposition; refinement cannot tell it from Shrikhande's"},
		{name: "packet switching of 17 nodes", m: define(graph.PacketSwitchingEntry().Define(map[string]string{"terminals": "all"})), want: 1,
			why: "17 alone has four ways out; of the ways 3-7, 7-11, 11-15, 15-3 between its neighbours the third alone has length 4"},

		{name: "half of packet switching",
			m:    only(define(graph.PacketSwitchingEntry().Define(map[string]string{"terminals": "all"})), [2]spec.NodeID{2, 6}, [2]spec.NodeID{6, 2}),
			want: 1,
			why:  "as above; flows can only take symmetries away, and of idle nodes none is like another"},
		{name: "dragonfly a=3 h=1 g=4", m: dragonfly(3, 1, 4), want: groupPermutations(3, 1, 4), why: "permutations of groups, 4!"},
		{name: "dragonfly a=2 h=2 g=5", m: dragonfly(2, 2, 5), want: groupPermutations(2, 2, 5), why: "permutations of groups that keep routers together"},
		{name: "dragonfly a=2 h=3 g=7", m: dragonfly(2, 3, 7), want: groupPermutations(2, 3, 7), why: "permutations of groups that keep routers together"},
		{name: "dragonfly a=4 h=2 g=9", m: dragonfly(4, 2, 9), want: groupPermutations(4, 2, 9), why: "permutations of groups that keep routers together"},

		{name: "a single flow", m: only(twoWay(7, grid.TiePositive), [2]spec.NodeID{0, 2}), want: 1, why: "no rotation keeps 0, no reflection 0 and 2"},
		{name: "two flows across", m: only(twoWay(7, grid.TiePositive), [2]spec.NodeID{0, 2}, [2]spec.NodeID{2, 0}), want: 2, why: "the reflection about 1"},
		{name: "three flows one-way", m: only(oneWay(9), [2]spec.NodeID{0, 2}, [2]spec.NodeID{3, 5}, [2]spec.NodeID{6, 8}), want: 3, why: "rotations by three"},
		{name: "two flows of unlike length", m: only(oneWay(9), [2]spec.NodeID{0, 2}, [2]spec.NodeID{4, 7}), want: 1,
			why: "one flow goes two hops, the other three"},

		{name: "VC 1 idle", m: made{def: twoVCs(5, func(spec.NodeID, spec.Header) []int { return []int{0} })}, want: 5,
			why: "rotations; idle VCs just go along"},
		{name: "isolated nodes", m: isolated(4, 6), want: 4, why: "rotations; isolated nodes stay"},
		{name: "either VC", m: made{def: twoVCs(4, func(spec.NodeID, spec.Header) []int { return []int{0, 1} })},
			want: 64, why: "4 rotations times 2^4 exchanges"},
		{name: "VC by the parity of the node", m: made{def: twoVCs(4, func(v spec.NodeID, h spec.Header) []int { return []int{int(v) % 2} })}, want: 4,
			why: "the VC is even or odd with the node, but a VC has no other name than that: all rotations"},
	}
	for i, tt := range tests {
		if !seedtest.Sampled(i, 2) {
			continue
		}
		t.Run(tt.name, func(t *testing.T) {
			n := compile(t, tt.m.def, tt.m.err)
			found, err := automorphism.Find(t.Context(), n, tt.opt)
			if err != nil {
				t.Fatal(err)
			}
			if len(found) != tt.want {
				t.Errorf("%d symmetries, want %d: %s", len(found), tt.want, tt.why)
			}
			mustBeGroup(t, n, found, tt.opt.Dims)
		})
	}
}

func TestFindTwice(t *testing.T) {
	n := compile(t, cube(3, hypercube.Duato).def, nil)
	var found [2][]automorphism.Symmetry
	for i := range found {
		var err error
		if found[i], err = automorphism.Find(t.Context(), n, automorphism.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(found[0], found[1]); diff != "" {
		t.Errorf("not the same the second time:\n%s", diff)
	}
}

// mustBeGroup checks that symmetries are distinct, that Check accepts each, that the
// identity is first and that all compositions are among them; being finite, the set then
// has their inverses.
func mustBeGroup(tb interface {
	Helper()
	Fatalf(string, ...any)
}, n *spec.Network, found []automorphism.Symmetry, dims bool) {
	tb.Helper()
	if len(found) == 0 || !cmp.Equal(found[0], automorphism.Identity(n.Topology())) {
		tb.Fatalf("the identity is not the first of %d symmetries", len(found))
	}
	key := func(s automorphism.Symmetry) string {
		var b []byte
		for _, v := range s.Nodes {
			b = binary.AppendVarint(b, int64(v))
		}
		for _, c := range s.Channels {
			b = binary.AppendVarint(b, int64(c))
		}
		return string(b)
	}
	index := map[string]bool{}
	for i, s := range found {
		if err := automorphism.Check(n, s, dims); err != nil {
			tb.Fatalf("symmetry %d is not one: %v", i, err)
		}
		if index[key(s)] {
			tb.Fatalf("symmetry %d is there twice", i)
		}
		index[key(s)] = true
	}
	step := 1 + len(found)*len(found)/3_000 // of large groups, a sample of the products
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

// TestFindWithinBounds: a group that is too large gives way to a subgroup. Which one is not
// promised, only that it is no smaller than an obvious one.
func TestFindWithinBounds(t *testing.T) {
	tests := []struct {
		name  string
		m     made
		opt   automorphism.Options
		order int // of the whole group, which that of a subgroup divides (Lagrange)
		least int
		why   string
	}{
		{name: "complete graph of 12", m: define(graph.Minimal(graph.Complete(12))), order: 479001600, least: 720, why: "the 6! that keep six nodes"},
		{name: "complete graph of 6, at most 100", m: define(graph.Minimal(graph.Complete(6))), opt: automorphism.Options{Most: 100}, order: 720, least: 24,
			why: "the 4! that keep two nodes"},
		{name: "adaptive 5-cube", m: cube(5, hypercube.Adaptive), order: 32 * 120, least: 120, why: "the 5! that keep node 0"},
		{name: "Duato's 4x4 mesh", m: define(mesh.Duato(mesh.Options{K: 4, N: 2})), order: 4 << 24, least: 512,
			why: "exchanges of the VCs of any nine of the 24 links along x, as in 2x2"},
		{name: "ring of 5, either VC", m: made{def: twoVCs(5, func(spec.NodeID, spec.Header) []int { return []int{0, 1} })},
			opt: automorphism.Options{Most: 30}, order: 5 << 5, least: 16, why: "exchanges of the VCs of any four of the five links"},
		{name: "6x6 torus, at most 100", m: define(torus.Adaptive(torus.Options{K: 6, N: 2, Tie: grid.TieAdaptive})),
			opt: automorphism.Options{Most: 100}, order: 36 * 8, least: 8,
			why: "those of the square that keep node 0"},
		{name: "rotations only", m: oneWay(12), opt: automorphism.Options{Most: 11}, order: 12, least: 6, why: "the even rotations"},
		{name: "the identity alone", m: oneWay(12), opt: automorphism.Options{Most: 1}, order: 12, least: 1},
		{name: "no work", m: oneWay(12), opt: automorphism.Options{Work: 1}, order: 12, least: 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			n := compile(t, tt.m.def, tt.m.err)
			found, err := automorphism.Find(t.Context(), n, tt.opt)
			if err != nil {
				t.Fatal(err)
			}
			most := tt.opt.Most
			if most == 0 {
				most = 1000
			}
			if len(found) < tt.least || len(found) > most || tt.order%len(found) != 0 {
				t.Errorf("%d symmetries of %d, want %d to %d: %s", len(found), tt.order, tt.least, most, tt.why)
			}
			mustBeGroup(t, n, found, tt.opt.Dims)
		})
	}
}

// TestFindWithAnyWork: however early the search is cut short, what it has found
// is a group.
func TestFindWithAnyWork(t *testing.T) {
	n := compile(t, cube(3, hypercube.Adaptive).def, nil)
	most := 0
	for work := 1; work < 1<<22; work += 1 + work/3 {
		found, err := automorphism.Find(t.Context(), n, automorphism.Options{Work: work})
		if err != nil {
			t.Fatal(err)
		}
		mustBeGroup(t, n, found, false)
		most = max(most, len(found))
	}
	if most != 48 {
		t.Errorf("at most %d symmetries, want 8 * 3!", most)
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

// The networks that a checker meets most; what a run takes before it explores.
func BenchmarkFind(b *testing.B) {
	for _, bb := range []struct {
		name string
		m    made
	}{
		{"ring-64", twoWay(64, grid.TieAdaptive)},
		{"torus-8x8-DOR", dor(8, grid.TieAdaptive)},
		{"torus-8x8-Duato", define(torus.Duato(torus.Options{K: 8, N: 2, Tie: grid.TieAdaptive}))},
		{"torus-8x8-adaptive", define(torus.Adaptive(torus.Options{K: 8, N: 2, Tie: grid.TieAdaptive}))},
		{"mesh-8x8-Duato", define(mesh.Duato(mesh.Options{K: 8, N: 2}))},
		{"6-cube-adaptive", cube(6, hypercube.Adaptive)},
		{"6-cube-Duato", cube(6, hypercube.Duato)},
		{"complete-12", define(graph.Minimal(graph.Complete(12)))},
		{"dragonfly-4-2-9", dragonfly(4, 2, 9)},
		{"dragonfly-8-4-33", dragonfly(8, 4, 33)},
		{"de-Bruijn-6", define(graph.Minimal(graph.DeBruijn(6)))},
		{"random-64", define(graph.Minimal(graph.Random(64, 64, 1)))},
		{"Latin-squares-64", define(graph.Minimal(cayley(8, [2]int{1, 0}, [2]int{2, 0}, [2]int{3, 0}, [2]int{4, 0},
			[2]int{0, 1}, [2]int{0, 2}, [2]int{0, 3}, [2]int{0, 4},
			[2]int{1, 1}, [2]int{2, 2}, [2]int{3, 3}, [2]int{4, 4})))},
		{"hyperx-8x8", define(hyperx.New([]int{8, 8}, hyperx.Adaptive))},
		{"torus-16x16-adaptive", define(torus.Adaptive(torus.Options{K: 16, N: 2, Tie: grid.TieAdaptive}))},
	} {
		n := compile(b, bb.m.def, bb.m.err)
		b.Run(bb.name, func(b *testing.B) {
			var found []automorphism.Symmetry
			for b.Loop() {
				var err error
				if found, err = automorphism.Find(b.Context(), n, automorphism.Options{}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(len(found)), "symmetries")
			b.ReportMetric(float64(n.SiteCount()), "sites")
		})
	}
}

func BenchmarkCheck(b *testing.B) {
	n := compile(b, cube(6, hypercube.Adaptive).def, nil)
	s := automorphism.Identity(n.Topology())
	for b.Loop() {
		if err := automorphism.Check(n, s, true); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(n.SiteCount()), "sites")
}
