package draw

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/spec"
)

func TestTopologyNamesWhatDiffers(t *testing.T) {
	top := spec.NewTopology("CH", "CA")
	top.AddNode("a")
	top.AddNode("b")
	top.AddNode("c")
	top.AddLink(spec.Link{From: 0, To: 1, VCs: 2, Out: "E", In: "W", Dim: 1})
	top.AddLink(spec.Link{From: 0, To: 1, VCs: 2, Out: "F", In: "V", Dim: 1})
	top.AddLink(spec.Link{From: 1, To: 2, VCs: 1, Out: "N"})
	data := func(text ...string) (d []Datum) {
		for i := 0; i < len(text); i += 2 {
			d = append(d, Datum{text[i], text[i+1]})
		}
		return d
	}
	want := &Graph{
		Name: "net", Straight: true, // a and c hang on b: two tiers
		Data:  data("vcNames", "CH,CA"),
		Nodes: []Node{{Label: "a"}, {Label: "b"}, {Label: "c"}},
		Edges: []Edge{
			{From: 0, To: 1, Group: 1, Label: "E, 2 VCs",
				Tooltip: "a->b[E], 2 VCs: CH CA, out of port E, in by port W, dimension 1",
				Data:    data("vcs", "2", "out", "E", "in", "W", "dim", "1")},
			{From: 0, To: 1, Group: 1, Label: "F, 2 VCs",
				Tooltip: "a->b[F], 2 VCs: CH CA, out of port F, in by port V, dimension 1",
				Data:    data("vcs", "2", "out", "F", "in", "V", "dim", "1")},
			{From: 1, To: 2, Label: "1 VC", Tooltip: "b->c, 1 VC: CH, out of port N", Data: data("vcs", "1", "out", "N")},
		},
		EdgeGroups: []string{"no dimension", "dimension 1"},
	}
	got := Topology("net", top)
	for v := range got.Nodes {
		got.Nodes[v].At = nil // shape_test.go is about places
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestNodesStandApart(t *testing.T) {
	sparse := spec.NewTopology()
	sparse.AddNode("near", -5, 0)
	sparse.AddNode("far", 1<<30, 7)
	sparse.AddPair(0, 1, 1)
	for name, top := range map[string]*spec.Topology{
		"node": grid(1, false, 1), "pair": grid(1, false, 2), "line": grid(1, false, 9), "ring": grid(1, true, 5),
		"mesh": grid(1, false, 8, 3), "3-D torus": grid(1, true, 5, 4, 6), "5-D mesh": grid(1, false, 3, 2, 4, 3, 2),
		"hypercube": grid(1, false, 2, 2, 2, 2, 2, 2, 2), "sparse": sparse,
	} {
		g := Topology(name, top)
		wide, high := room(g.Nodes)
		for i, a := range g.Nodes {
			if math.Hypot(a.At.X, a.At.Y) > 200 {
				t.Errorf("%s: %s stands at %v, off any paper", name, a.Label, *a.At)
			}
			for _, b := range g.Nodes[:i] {
				if math.Abs(a.At.X-b.At.X) < 0.9*wide && math.Abs(a.At.Y-b.At.Y) < 0.7*high {
					t.Errorf("%s: %s at %v overlaps %s at %v", name, a.Label, *a.At, b.Label, *b.At)
				}
			}
		}
	}
}

// A ring of four is on a circle, clockwise from the top; a line of four, on
// a line.
func TestRingIsACircle(t *testing.T) {
	for _, tt := range []struct {
		name string
		top  *spec.Topology
		want []string // sign of x, sign of y
	}{
		{"ring", grid(1, true, 4), []string{"0+", "+0", "0-", "-0"}},
		{"line", grid(1, false, 4), []string{"00", "+0", "+0", "+0"}},
	} {
		sign := func(x float64) string {
			switch {
			case x > 1e-9:
				return "+"
			case x < -1e-9:
				return "-"
			}
			return "0"
		}
		var got []string
		for _, n := range Topology(tt.name, tt.top).Nodes {
			got = append(got, sign(n.At.X)+sign(n.At.Y))
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// In networks without wrap links no straight link passes through the middle of
// a third node, whatever the number of dimensions.
func TestLinksPassBesideNodes(t *testing.T) {
	for name, top := range map[string]*spec.Topology{
		"mesh": grid(1, false, 4, 4), "3-D mesh": grid(1, false, 3, 3, 3), "4-cube": grid(1, false, 2, 2, 2, 2), "5-cube": grid(1, false, 2, 2, 2, 2, 2),
	} {
		g := Topology(name, top)
		for _, e := range g.Edges {
			a, b := *g.Nodes[e.From].At, *g.Nodes[e.To].At
			along := b.Minus(a)
			square := along.X*along.X + along.Y*along.Y
			for v, n := range g.Nodes {
				if v == e.From || v == e.To {
					continue
				}
				p := n.At.Minus(a)
				s := (p.X*along.X + p.Y*along.Y) / square
				off := math.Abs(p.X*along.Y-p.Y*along.X) / math.Sqrt(square)
				if s > 0 && s < 1 && off < 0.05 {
					t.Errorf("%s: %s passes %s at %.2f inches", name, e.Tooltip, n.Label, off)
				}
			}
		}
	}
}

// TestStubs: in a picture too large to route edges around nodes, the four links around the ends of
// each row and column of an 18x18 torus of cables become eight stubs there, so that none is a line
// through the others; in a small one they are routed around.
func TestStubs(t *testing.T) {
	torus := func(k int) *spec.Topology {
		top := spec.NewTopology()
		for v := range k * k {
			top.AddNode(fmt.Sprintf("s%d_%d", v%k, v/k))
		}
		for v := range k * k {
			x, y := v%k, v/k
			top.AddPair(spec.NodeID(v), spec.NodeID((x+1)%k+k*y), 1)
			top.AddPair(spec.NodeID(v), spec.NodeID(x+(y+1)%k*k), 1)
		}
		return top
	}
	for _, tt := range []struct{ k, stubs int }{{8, 0}, {18, 2 * 18 * 2 * 2}} {
		var b strings.Builder
		if err := WriteDOT(&b, Topology("torus", torus(tt.k))); err != nil {
			t.Fatal(err)
		}
		ends := regexp.MustCompile(`n(\d+)->n(\d+)`).FindAllStringSubmatch(b.String(), -1)
		nodes, open := tt.k*tt.k, 0
		if want := 4*nodes + tt.stubs/2; len(ends) != want {
			t.Errorf("%dx%d: %d lines, want %d", tt.k, tt.k, len(ends), want)
		}
		for _, e := range ends {
			from, _ := strconv.Atoi(e[1])
			to, _ := strconv.Atoi(e[2])
			if from >= nodes || to >= nodes {
				open++
			} else if dx, dy := max(from%tt.k-to%tt.k, to%tt.k-from%tt.k), max(from/tt.k-to/tt.k, to/tt.k-from/tt.k); tt.stubs > 0 && dx+dy != 1 {
				t.Errorf("%dx%d: a line from node %d to node %d", tt.k, tt.k, from, to)
			}
		}
		if open != tt.stubs {
			t.Errorf("%dx%d: %d stubs, want %d", tt.k, tt.k, open, tt.stubs)
		}
	}
}

// TestStubsInThreeDimensions: the two links around each of the 27 rows of a 3x3x3 torus are
// two stubs each, and its other links lines, however small it is.
func TestStubsInThreeDimensions(t *testing.T) {
	top := spec.NewTopology()
	for v := range 27 {
		top.AddNode("", v%3, v/3%3, v/9)
	}
	for v := range 27 {
		for d, by := range []int{1, 3, 9} {
			to := v + by
			if v/by%3 == 2 {
				to = v - 2*by
			}
			top.AddLink(spec.Link{From: spec.NodeID(v), To: spec.NodeID(to), VCs: 1, Dim: d + 1})
			top.AddLink(spec.Link{From: spec.NodeID(to), To: spec.NodeID(v), VCs: 1, Dim: d + 1})
		}
	}
	var b strings.Builder
	if err := WriteDOT(&b, Topology("torus", top)); err != nil {
		t.Fatal(err)
	}
	stubs, lines := 0, 0
	for _, e := range regexp.MustCompile(`n(\d+)->n(\d+)`).FindAllStringSubmatch(b.String(), -1) {
		from, _ := strconv.Atoi(e[1])
		to, _ := strconv.Atoi(e[2])
		if from >= 27 || to >= 27 {
			stubs++
		} else {
			lines++
		}
	}
	if stubs != 27*2*2 || lines != 27*2*2 {
		t.Errorf("%d stubs and %d lines, want 108 and 108", stubs, lines)
	}
}
