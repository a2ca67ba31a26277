package figure

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker/show/draw"
	"github.com/seed-105a2da2/unknot/spec"
)

// Distances are those of Floyd and Warshall's algorithm on the undirected graph.
func TestDistances(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 8).Draw(t, "n")
		next := edges(t, n)
		const none = 1000
		far := make([]int, n*n)
		for i := range far {
			far[i] = none
		}
		for i := range n {
			far[i*n+i] = 0
			for _, j := range next[i] {
				if i != j {
					far[i*n+j], far[j*n+i] = 1, 1
				}
			}
		}
		longest := 1
		for k := range n {
			for i := range n {
				for j := range n {
					far[i*n+j] = min(far[i*n+j], far[i*n+k]+far[k*n+j])
				}
			}
		}
		for _, d := range far {
			if d < none {
				longest = max(longest, d)
			}
		}
		for i, d := range distances(n, next) {
			want := far[i]
			if want >= none {
				want = longest + 1
			}
			if int(d) != want {
				t.Fatalf("%d to %d: %d, want %d", i/n, i%n, d, want)
			}
		}
	})
}

func edges(t *rapid.T, n int) [][]int {
	next := make([][]int, n)
	for range rapid.IntRange(0, 12).Draw(t, "edges") {
		i := rapid.IntRange(0, n-1).Draw(t, "from")
		next[i] = append(next[i], rapid.IntRange(0, n-1).Draw(t, "to"))
	}
	return next
}

// Every layout is finite, keeps vertices apart, and is the same again.
func TestSpread(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 12).Draw(t, "n")
		next := [][]int{}
		if n > 0 {
			next = edges(t, n)
		}
		at := spread(n, next, 100)
		if diff := cmp.Diff(at, spread(n, next, 100)); diff != "" {
			t.Fatal(diff)
		}
		for i, p := range at {
			if math.IsNaN(p.X+p.Y) || math.IsInf(p.X+p.Y, 0) {
				t.Fatalf("vertex %d is at %v", i, p)
			}
			for j := range i {
				if d := math.Hypot(p.X-at[j].X, p.Y-at[j].Y); d < 5 {
					t.Fatalf("vertices %d and %d are %.1f apart", j, i, d)
				}
			}
		}
	})
}

// stress is what the layout lowers, by its definition (Gansner et al. 2004).
func stress(at []draw.Point, far []int32, unit float64) float64 {
	sum := 0.0
	n := len(at)
	for i := range at {
		for j := range i {
			want := float64(far[i*n+j]) * unit
			is := math.Hypot(at[i].X-at[j].X, at[i].Y-at[j].Y)
			sum += (is - want) * (is - want) / (want * want)
		}
	}
	return sum
}

// A path must become roughly a line: its stress far below that of the circle on which it
// starts.
func TestSpreadLowersStress(t *testing.T) {
	const n = 9
	next := make([][]int, n)
	for i := range n - 1 {
		next[i] = []int{i + 1}
	}
	far := distances(n, next)
	before, after := stress(onCircle(n, 100), far, 100), stress(spread(n, next, 100), far, 100)
	if after > before/4 {
		t.Errorf("stress %.3f, from %.3f on the loop", after, before)
	}
}

func mesh(k, vcs int) *spec.Topology {
	t := spec.NewTopology()
	for i := range k * k {
		t.AddNode("", i%k, i/k)
	}
	for i := range k * k {
		if i%k < k-1 {
			t.AddPair(spec.NodeID(i), spec.NodeID(i+1), vcs)
		}
		if i/k < k-1 {
			t.AddPair(spec.NodeID(i), spec.NodeID(i+k), vcs)
		}
	}
	return t
}

func all(t *spec.Topology) []spec.ChannelID {
	cs := make([]spec.ChannelID, t.Channels())
	for c := range cs {
		cs[c] = spec.ChannelID(c)
	}
	return cs
}

// Slots lie within the picture and do not overlap each other or nodes, including slots of
// request buffers: links from a node to itself, with several places.
func TestSlotsAreApart(t *testing.T) {
	for vcs := 1; vcs <= 6; vcs++ {
		top := mesh(3, (vcs+1)/2)
		for v := range 9 * (1 - vcs%2) {
			top.AddLink(spec.Link{From: spec.NodeID(v), To: spec.NodeID(v), VCs: vcs / 2, Out: "requests"})
			top.AddLink(spec.Link{From: spec.NodeID(v), To: spec.NodeID(v), VCs: 1, Out: "others"})
		}
		d := Draw(top, Options{ID: "m", Limits: Limits{100, 1000}, Matter: all(top)})
		slots := d.Slots(all(top))
		if len(slots) != top.Channels() {
			t.Fatalf("%d slots for %d channels", len(slots), top.Channels())
		}
		apart := func(ax, ay, aw, ah, bx, by, bw, bh int) bool {
			return 2*abs(ax-bx) >= aw+bw-4 || 2*abs(ay-by) >= ah+bh-4
		}
		for i, s := range slots {
			if s.Left() < d.View.X || s.Left()+34 > d.View.X+d.View.Width || s.Top() < d.View.Y || s.Top()+18 > d.View.Y+d.View.Height {
				t.Errorf("vcs=%d: slot of %s is outside", vcs, s.Title)
			}
			for _, o := range slots[:i] {
				if !apart(s.X, s.Y, 34, 18, o.X, o.Y, 34, 18) {
					t.Errorf("vcs=%d: slots of %s at %d,%d and %s at %d,%d overlap", vcs, s.Title, s.X, s.Y, o.Title, o.X, o.Y)
				}
			}
			for _, n := range d.Nodes {
				if !apart(s.X, s.Y, 34, 18, n.X, n.Y, n.Width, n.Height) {
					t.Errorf("vcs=%d: slot of %s is upon node %s", vcs, s.Title, n.Label)
				}
			}
		}
	}
}

// Numbers next to slots lie within the picture, for any subset of what matters, on whichever side
// of the link they are: in rings of both directions, meshes and drawn graphs.
func TestBadgesAreInside(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		top, n := spec.NewTopology(), rapid.IntRange(2, 7).Draw(t, "n")
		for range n {
			top.AddNode("")
		}
		for range rapid.IntRange(1, 2*n).Draw(t, "links") {
			from := rapid.IntRange(0, n-1).Draw(t, "from")
			to := (from + rapid.IntRange(1, n-1).Draw(t, "on")) % n
			top.AddLink(spec.Link{From: spec.NodeID(from), To: spec.NodeID(to), VCs: 1})
		}
		d := Draw(top, Options{ID: "m", Limits: Limits{100, 1000}, Matter: all(top)})
		slots := d.Slots(all(top))
		for _, s := range slots {
			b := d.Badge(s, 1, "", slots)
			if b.X-9 < d.View.X || b.X+9 > d.View.X+d.View.Width || b.Y-9 < d.View.Y || b.Y+9 > d.View.Y+d.View.Height {
				t.Fatalf("the number of %s at %d,%d is not inside %v", s.Title, b.X, b.Y, d.View)
			}
		}
	})
}

// The numbers of a one-way ring are apart, whichever direction it has: in a ring of three, all
// numbers on the inside would be in one place.
func TestBadgesStandApart(t *testing.T) {
	for n := 3; n <= 8; n++ {
		for _, step := range []int{1, n - 1} {
			top := spec.NewTopology()
			for range n {
				top.AddNode("")
			}
			for v := range n {
				top.AddLink(spec.Link{From: spec.NodeID(v), To: spec.NodeID((v + step) % n), VCs: 1})
			}
			d := Draw(top, Options{ID: "m", Limits: Limits{100, 1000}, Matter: all(top)})
			var badges []Badge
			for i, s := range d.Slots(all(top)) {
				b := d.Badge(s, i, "", nil)
				for _, o := range badges {
					if abs(b.X-o.X) < badgeSize && abs(b.Y-o.Y) < badgeSize {
						t.Errorf("ring of %d: %d at %d,%d and %d at %d,%d", n, b.Number, b.X, b.Y, o.Number, o.X, o.Y)
					}
				}
				badges = append(badges, b)
			}
		}
	}
}

// A number covers neither a packet nor a node, where links in both directions are next to each other and a buffer of
// requests is above them.
func TestBadgesCoverNothing(t *testing.T) {
	fork, pair := spec.NewTopology(), spec.NewTopology()
	for _, top := range []*spec.Topology{fork, pair} {
		for v := range 3 {
			top.AddNode("", v%2, v/2)
		}
		for _, v := range []spec.NodeID{1, 2} {
			top.AddLink(spec.Link{From: 0, To: v, VCs: 1})
			top.AddLink(spec.Link{From: v, To: 0, VCs: 1})
		}
	}
	pair.AddLink(spec.Link{From: 0, To: 0, VCs: 1, Out: "requests"})
	for name, top := range map[string]*spec.Topology{"fork": fork, "pair": pair} {
		d := Draw(top, Options{ID: "m", Limits: Limits{100, 1000}, Matter: all(top)})
		slots := d.Slots(all(top))
		for i, s := range slots {
			b := d.Badge(s, i, "", slots)
			over := func(x, y, width, height int) bool {
				return 2*abs(b.X-x) < 18+width && 2*abs(b.Y-y) < 18+height
			}
			for _, o := range slots {
				if over(o.X, o.Y, slotWidth, slotHeight) {
					t.Errorf("%s: the number of %s at %d,%d is upon %s at %d,%d", name, s.Title, b.X, b.Y, o.Title, o.X, o.Y)
				}
			}
			for _, n := range d.Nodes {
				if over(n.X, n.Y, n.Width, n.Height) {
					t.Errorf("%s: the number of %s is upon node %s", name, s.Title, n.Label)
				}
			}
		}
	}
}

func abs(x int) int { return max(x, -x) }

// What matters is drawn whatever the limits, its neighbours as far as they go.
func TestLimits(t *testing.T) {
	top := mesh(20, 1)
	matter := []spec.ChannelID{0, 1, 2, 3} // 0->1, 1->0, 0->20, 20->0
	for _, l := range []Limits{{3, 100}, {8, 100}, {300, 5}, {1000, 10_000}} {
		d := Draw(top, Options{ID: "m", Limits: l, Matter: matter})
		if len(d.Nodes) > l.Nodes || len(d.Links) > l.Links {
			t.Errorf("%v: %d nodes and %d links", l, len(d.Nodes), len(d.Links))
		}
		for _, v := range []spec.NodeID{0, 1, 20} {
			if !d.Has(v) {
				t.Errorf("%v: node %d is missing", l, v)
			}
		}
		if got := len(d.Slots(matter)); got != 4 {
			t.Errorf("%v: %d slots", l, got)
		}
		if (d.Note == "") != (len(d.Nodes) == top.Nodes() && len(d.Links) == top.Links()) {
			t.Errorf("%v: the note says %q", l, d.Note)
		}
	}
}

// Drawing does not depend on anything but the topology, coordinates or not,
// with parallel links and links across other nodes.
func TestDrawIsTheSameAgain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 9).Draw(t, "nodes")
		top := spec.NewTopology()
		placed := rapid.Bool().Draw(t, "placed")
		for i := range n {
			if placed {
				top.AddNode("", i%3, i/3)
			} else {
				top.AddNode(fmt.Sprintf("node %d", i))
			}
		}
		for range rapid.IntRange(0, 14).Draw(t, "links") {
			a, b := rapid.IntRange(0, n-1).Draw(t, "from"), rapid.IntRange(0, n-1).Draw(t, "to")
			if a != b {
				top.AddLink(spec.Link{From: spec.NodeID(a), To: spec.NodeID(b), VCs: rapid.IntRange(1, 3).Draw(t, "vcs")})
			}
		}
		o := Options{ID: "r", Limits: Limits{100, 100}, Matter: all(top)}
		a, b := Draw(top, o), Draw(top, o)
		if !a.Same(b) || !slices.Equal(a.Slots(all(top)), b.Slots(all(top))) {
			t.Fatal("drawn twice, it differs")
		}
		if len(a.Nodes) != n || len(a.Links) != top.Links() {
			t.Fatalf("%d nodes and %d links of %d and %d", len(a.Nodes), len(a.Links), n, top.Links())
		}
		for _, node := range a.Nodes {
			if node.Left() < a.View.X || node.Top() < a.View.Y || node.Left()+node.Width > a.View.X+a.View.Width ||
				node.Top()+node.Height > a.View.Y+a.View.Height {
				t.Fatalf("node %s is outside %v", node.Label, a.View)
			}
		}
	})
}
