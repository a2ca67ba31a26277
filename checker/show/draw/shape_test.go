package draw

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/spec"
)

// shuffled makes a topology of cables between names, whose nodes are numbered at random.
func shuffled(seed uint64, cables [][2]string) *spec.Topology {
	var names []string
	for _, c := range cables {
		names = append(names, c[0], c[1])
	}
	slices.Sort(names)
	names = slices.Compact(names)
	rand.New(rand.NewPCG(seed, 0)).Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	t := spec.NewTopology()
	number := map[string]spec.NodeID{}
	for _, n := range names {
		number[n] = t.AddNode(n)
	}
	for _, c := range cables {
		t.AddPair(number[c[0]], number[c[1]], 1)
	}
	return t
}

// TestProductsAreFound: a product of rings and lines with random node numbers gets coordinates
// in which every link joins neighbors in one dimension, or its two ends, with as many dimensions
// and places as it was made with. A ring of four is two dimensions of two. Hosts are nearest
// to their switch.
func TestProductsAreFound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type dim struct {
			n    int
			ring bool
		}
		var dims []dim
		var want []int
		total := 1
		for range rapid.IntRange(1, 3).Draw(t, "dims") {
			d := dim{rapid.IntRange(2, 6).Draw(t, "n"), rapid.Bool().Draw(t, "ring")}
			if dims = append(dims, d); d.ring && d.n == 4 {
				want = append(want, 2, 2)
			} else {
				want = append(want, d.n)
			}
			total *= d.n
		}
		hosts := rapid.IntRange(0, 3).Draw(t, "hosts")
		line := 0
		for _, d := range dims {
			if d.n > 2 && !d.ring {
				line++
			}
		}
		if total == 2 || hosts == 0 && total <= 3 || len(dims) == 1 && line == 1 {
			t.Skip("a line whose ends would be taken for hosts")
		}
		var cables [][2]string
		for v := range total {
			for d, by := 0, 1; d < len(dims); d++ {
				x := v / by % dims[d].n
				if next := (x + 1) % dims[d].n; next > x || dims[d].ring && dims[d].n > 2 {
					cables = append(cables, [2]string{fmt.Sprint("s", v), fmt.Sprint("s", v+(next-x)*by)})
				}
				by *= dims[d].n
			}
			for h := range hosts {
				cables = append(cables, [2]string{fmt.Sprint("s", v), fmt.Sprint("s", v, "h", h)})
			}
		}
		top := shuffled(rapid.Uint64().Draw(t, "seed"), cables)
		l := shape(top, 1)
		if l == nil {
			t.Fatalf("no shape of %v with %d hosts", dims, hosts)
		}
		if l.rank == nil {
			if hosts == 0 || total > 3 && len(dims) > 1 {
				t.Fatalf("%v with %d hosts is drawn in tiers", dims, hosts)
			}
			return
		}
		got := slices.Clone(l.size)
		slices.Sort(got)
		slices.Sort(want)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%v: sizes (-want +got)\n%s", dims, diff)
		}
		host := func(v spec.NodeID) bool { return strings.Contains(top.Node(v).Name, "h") }
		for k := range spec.LinkID(top.Links()) {
			link := top.Link(k)
			if host(link.From) || host(link.To) {
				continue
			}
			differ := 0
			for d, x := range l.rank[link.From] {
				if y := l.rank[link.To][d]; x != y {
					differ++
					if gap := max(x-y, y-x); gap != 1 && gap != l.size[d]-1 {
						t.Fatalf("%s joins places %d and %d of %d", top.LinkName(k), x, y, l.size[d])
					}
				}
			}
			if differ != 1 {
				t.Fatalf("%s runs in %d dimensions", top.LinkName(k), differ)
			}
		}
		for v := range spec.NodeID(top.Nodes()) {
			if !host(v) {
				continue
			}
			own, _, _ := strings.Cut(top.Node(v).Name, "h")
			nearest, least := "", math.Inf(1)
			for w := range spec.NodeID(top.Nodes()) {
				d := l.At[v].Minus(l.At[w])
				if far := math.Hypot(d.X, d.Y); !host(w) && far < least {
					nearest, least = top.Node(w).Name, far
				}
			}
			if nearest != own {
				t.Fatalf("%s stands nearest to %s", top.Node(v).Name, nearest)
			}
		}
	})
}

// TestFatTreeInTiers: the four-ary fat tree is in four tiers, hosts lowest, and each
// pod by itself; without its hosts in three.
func TestFatTreeInTiers(t *testing.T) {
	var cables [][2]string
	for p := range 4 {
		for i := range 2 {
			for k := range 2 {
				cables = append(cables, [2]string{fmt.Sprint("e", p, "-", i), fmt.Sprint("h", p, "-", i, k)},
					[2]string{fmt.Sprint("e", p, "-", i), fmt.Sprint("a", p, "-", k)}, [2]string{fmt.Sprint("a", p, "-", i), fmt.Sprint("c", 9, "-", i, k)})
			}
		}
	}
	for seed := range uint64(20) {
		of, want := cables, []string{"h16", "e8", "a8", "c4"}
		if seed%2 == 1 {
			of, want = slices.DeleteFunc(slices.Clone(cables), func(c [2]string) bool { return c[1][0] == 'h' }), want[1:]
		}
		top := shuffled(seed, of)
		l := shape(top, 1)
		if l == nil || l.rank != nil {
			t.Fatal("not in tiers")
		}
		tiers := map[int][]spec.NodeID{} // by height
		for v := range spec.NodeID(top.Nodes()) {
			y := int(math.Round(l.At[v].Y / 1.6))
			tiers[y] = append(tiers[y], v)
		}
		var kinds []string
		for y := range want {
			row := tiers[y]
			slices.SortFunc(row, func(a, b spec.NodeID) int { return int(math.Copysign(1, l.At[a].X-l.At[b].X)) })
			kind := ""
			for _, v := range row {
				kind += top.Node(v).Name[:2]
			}
			for p := range 4 {
				pod := fmt.Sprint(kind[:1], p)
				if n := strings.Count(kind, pod); n > 0 && !strings.Contains(kind, strings.Repeat(pod, n)) {
					t.Errorf("seed %d: pod %d does not stand together: %s", seed, p, kind)
				}
			}
			kinds = append(kinds, kind[:1]+fmt.Sprint(len(row)))
		}
		if diff := cmp.Diff(want, kinds); diff != "" {
			t.Errorf("tiers from below (-want +got)\n%s", diff)
		}
	}
}

// TestDragonflyInGroups: each router of five groups of four is nearer to all of its
// group than to any other router.
func TestDragonflyInGroups(t *testing.T) {
	var cables [][2]string
	router := func(g, i int) string { return fmt.Sprint("r", g, i) }
	for g := range 5 {
		for i := range 4 {
			for k := range i {
				cables = append(cables, [2]string{router(g, i), router(g, k)})
			}
			cables = append(cables, [2]string{router(g, i), fmt.Sprint("h", g, i)})
			if o := (g + i + 1) % 5; g < o {
				cables = append(cables, [2]string{router(g, i), router(o, 3-i)})
			}
		}
	}
	for seed := range uint64(20) {
		top := shuffled(seed, cables)
		l := shape(top, 1)
		if l == nil {
			t.Fatal("no shape")
		}
		inside, outside := 0.0, math.Inf(1)
		for v := range spec.NodeID(top.Nodes()) {
			for w := range v {
				a, b := top.Node(v).Name, top.Node(w).Name
				if a[0] != 'r' || b[0] != 'r' {
					continue
				}
				d := l.At[v].Minus(l.At[w])
				if far := math.Hypot(d.X, d.Y); a[1] == b[1] {
					inside = max(inside, far)
				} else {
					outside = min(outside, far)
				}
			}
		}
		if inside == 0 || inside >= outside {
			t.Errorf("seed %d: %.2f within a group, %.2f between two", seed, inside, outside)
		}
	}
}

// TestNoShape: the Petersen graph has neither tiers, nor squares, nor triangles; and too large a
// topology is not looked at.
func TestNoShape(t *testing.T) {
	var cables [][2]string
	for i := range 5 {
		cables = append(cables, [2]string{fmt.Sprint("o", i), fmt.Sprint("o", (i+1)%5)}, [2]string{fmt.Sprint("o", i), fmt.Sprint("i", i)},
			[2]string{fmt.Sprint("i", i), fmt.Sprint("i", (i+2)%5)})
	}
	if l := shape(shuffled(1, cables), 1); l != nil {
		t.Errorf("Petersen: %+v", l)
	}
	// Two nodes that are hosts of each other, next to a ring: a drawn topology panicked.
	if l := shape(shuffled(1, [][2]string{{"a", "b"}, {"b", "c"}, {"c", "a"}, {"d", "e"}}), 1); l != nil {
		t.Errorf("a ring and a pair: %+v", l)
	}
	large := spec.NewTopology()
	for i := range spec.NodeID(mostShaped + 1) {
		if large.AddNode(""); i > 0 {
			large.AddPair(i-1, i, 1)
		}
	}
	if shape(large, 1) != nil {
		t.Error("a large one")
	}
	complete := spec.NewTopology()
	for i := range spec.NodeID(200) { // 200 * 199^3 steps are more than a few seconds
		complete.AddNode("")
		for k := range i {
			complete.AddPair(i, k, 1)
		}
	}
	if shape(complete, 1) != nil {
		t.Error("a dense one")
	}
}

// TestAnyTopologyIsPlaced: each node has one place, whatever the links, or none has.
func TestAnyTopologyIsPlaced(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		top, n := spec.NewTopology(), rapid.IntRange(1, 9).Draw(t, "nodes")
		for range n {
			top.AddNode("")
		}
		for range rapid.IntRange(0, 2*n).Draw(t, "links") {
			end := func(name string) spec.NodeID { return spec.NodeID(rapid.IntRange(0, n-1).Draw(t, name)) }
			top.AddLink(spec.Link{From: end("from"), To: end("to"), VCs: 1})
		}
		if l := Place(top, 1); l != nil && len(l.At) != n {
			t.Fatalf("%d places of %d nodes", len(l.At), n)
		}
	})
}

// TestNamedGrid: if names hold coordinates that the links agree with, they are the places: a 4x4
// torus of rings of four, whose links also form a hypercube. If one link does not agree, names
// mean nothing.
func TestNamedGrid(t *testing.T) {
	var cables [][2]string
	for x := range 4 {
		for y := range 4 {
			at := func(x, y int) string { return fmt.Sprintf("S%d_%d", x%4, y%4) }
			cables = append(cables, [2]string{at(x, y), at(x+1, y)}, [2]string{at(x, y), at(x, y+1)}, [2]string{at(x, y), fmt.Sprintf("H%d", 4*x+y)})
		}
	}
	top := shuffled(7, cables)
	l := Place(top, 1)
	if l == nil {
		t.Fatal("no place")
	}
	if diff := cmp.Diff([]int{4, 4}, l.size); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	for v := range spec.NodeID(top.Nodes()) {
		var x, y int
		if n, _ := fmt.Sscanf(top.Node(v).Name, "S%d_%d", &x, &y); n == 2 && !slices.Equal(l.rank[v], []int{x, y}) {
			t.Errorf("%s is at %v", top.Node(v).Name, l.rank[v])
		}
	}
	cables[0][1] = "S2_2" // instead of S1_0
	if l := newShaping(shuffled(7, cables)).named(1, false); l != nil {
		t.Error("a link across is taken for one of a grid")
	}
}
