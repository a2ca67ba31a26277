package draw

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/checker/dependency"
	"github.com/seed-105a2da2/unknot/spec"
)

// all returns every channel of a topology.
func all(t *spec.Topology) []spec.ChannelID {
	var cs []spec.ChannelID
	for c := range spec.ChannelID(t.Channels()) {
		cs = append(cs, c)
	}
	return cs
}

func TestChannelsDoNotOverlap(t *testing.T) {
	parallel := spec.NewTopology()
	parallel.AddNode("a", 0, 0)
	parallel.AddNode("b", 1, 0)
	for range 5 {
		parallel.AddPair(0, 1, 3)
	}
	express := grid(2, false, 6)
	express.AddPair(0, 3, 2)
	express.AddPair(1, 4, 2)
	buffers := grid(2, false, 3, 3)
	for v := range spec.NodeID(9) {
		buffers.AddLink(spec.Link{From: v, To: v, VCs: 3})
		buffers.AddLink(spec.Link{From: v, To: v, VCs: 1})
	}
	for name, top := range map[string]*spec.Topology{
		"request buffers": buffers, "line": grid(3, false, 5), "ring": grid(2, true, 7), "triangle": grid(4, true, 3),
		"mesh": grid(2, false, 3, 4), "torus": grid(3, true, 4, 3), "3-D mesh": grid(1, false, 3, 3, 3),
		"3-D torus": grid(2, true, 3, 3, 3), "hypercube": grid(1, false, 2, 2, 2, 2, 2),
		"many VCs": grid(20, false, 2, 2), "parallel links": parallel, "express links": express,
	} {
		g := explained(top, all(top), nil, nil)
		wide, high := room(g.Nodes)
		for i, a := range g.Nodes {
			if a.At == nil || math.IsNaN(a.At.X) {
				t.Fatalf("%s: %s has no place", name, a.Label)
			}
			for _, b := range g.Nodes[:i] {
				if math.Abs(a.At.X-b.At.X) < 0.9*wide && math.Abs(a.At.Y-b.At.Y) < 0.9*high {
					t.Errorf("%s: %s at %v overlaps %s at %v", name, a.Label, *a.At, b.Label, *b.At)
				}
			}
		}
	}
}

// In a 3x3 torus, node (x,y) is at (x,y) times the scale. Channels of the links between
// (0,0) and (1,0) are at x = 1/2, the eastward one below; those of wrap links are outside
// their tails.
func TestChannelPlaces(t *testing.T) {
	top := grid(1, true, 3, 3)
	scale := Place(top, 1).At[1].X // grid units are inches with unit 1
	if scale != 1 {
		t.Fatalf("neighbours stand %v units apart, want 1", scale)
	}
	g := explained(top, all(top), nil, nil)
	byName := map[string]Point{}
	for _, n := range g.Nodes {
		byName[n.Label] = *n.At
	}
	unit := byName["(1,0)->(2,0) vc0"].X - byName["(0,0)->(1,0) vc0"].X
	for _, tt := range []struct {
		channel       string
		along, across float64 // along the link's dimension, in units; sign across it
		vertical      bool
	}{
		{"(0,0)->(1,0) vc0", 0.5, -1, false},
		{"(1,0)->(0,0) vc0", 0.5, 1, false},
		{"(2,0)->(0,0) vc0", 2.5, -1, false},
		{"(0,0)->(2,0) vc0", -0.5, 1, false},
		{"(0,0)->(0,1) vc0", 0.5, 1, true},
		{"(0,1)->(0,0) vc0", 0.5, -1, true},
		{"(0,2)->(0,0) vc0", 2.5, 1, true},
		{"(0,0)->(0,2) vc0", -0.5, -1, true},
	} {
		p, ok := byName[tt.channel]
		if !ok {
			t.Errorf("there is no %s", tt.channel)
			continue
		}
		along, across := p.X/unit, p.Y
		if tt.vertical {
			along, across = p.Y/unit, p.X
		}
		if math.Abs(along-tt.along) > 1e-9 || across*tt.across <= 0 || math.Abs(across) > unit/2 {
			t.Errorf("%s stands %.2f units along its dimension and %.2f inches beside, want %.2f and sign %v", tt.channel, along, across, tt.along, tt.across)
		}
	}
}

func TestChannelsDrawsOnlyWhatIsListed(t *testing.T) {
	top := grid(2, false, 3) // channels 0,1: (0)->(1); 2,3: (1)->(0); 4,5: (1)->(2); 6,7: (2)->(1)
	g := explained(top, []spec.ChannelID{4, 0, 4, 5, spec.Injection(0)}, []dependency.Dependency{
		{Edge: dependency.Edge{From: 0, To: 4}, Why: spec.Reason{Text: "rule"}},
		{Edge: dependency.Edge{From: 0, To: 5}, Kind: dependency.Indirect},
		{Edge: dependency.Edge{From: 4, To: 5}, Kind: dependency.DirectCross, At: spec.Site{Channel: 4}, Why: spec.Reason{Text: "r"}},
		{Edge: dependency.Edge{From: 5, To: 0}, Kind: dependency.IndirectCross,
			At: spec.Site{Channel: 1, Header: spec.Header{Dest: 2}}, Why: spec.Reason{Text: "s"}},
		{Edge: dependency.Edge{From: 0, To: 6}, Why: spec.Reason{Text: "6 is not listed"}},
		{Edge: dependency.Edge{From: 7, To: 0}, Why: spec.Reason{Text: "nor is 7"}},
	}, []spec.ChannelID{0, 4})
	for i := range g.Nodes {
		g.Nodes[i].At, g.Nodes[i].Tooltip = nil, ""
	}
	want := &Graph{
		Nodes: []Node{
			{Label: "(1)->(2) vc0", Group: 1, Bold: true},
			{Label: "(0)->(1) vc0", Group: 1, Bold: true},
			{Label: "(1)->(2) vc1", Group: 2},
			{Label: "inject (0)"},
		},
		Edges: []Edge{
			{From: 1, To: 0, Tooltip: "packet for (0) in (0)->(1) vc0 asks for (1)->(2) vc0, by rule", Bold: true},
			{From: 1, To: 2, Tooltip: "packet for (0) in (0)->(1) vc0 asks for (1)->(2) vc1 (indirect)", Group: indirect, Dashed: true},
			{From: 0, To: 2, Tooltip: "packet for (0) in (1)->(2) vc0 asks for (1)->(2) vc1, by r (direct cross)", Group: directCross},
			{From: 2, To: 1, Tooltip: "packet for (2) in (0)->(1) vc1 asks for (0)->(1) vc0, by s (indirect cross)", Group: indirectCross, Dashed: true},
		},
		NodeGroups: []string{"", "vc0", "vc1"},
		EdgeGroups: []string{"direct", "", "", "", "direct cross", "indirect cross (dashed)", "indirect (dashed)"},
	}
	if diff := cmp.Diff(want, g); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestNothingToDraw(t *testing.T) {
	if diff := cmp.Diff(&Graph{}, explained(spec.NewTopology(), nil, nil, nil)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestNoCoordinatesNoPlaces(t *testing.T) {
	for name, at := range map[string][][]int{
		"none": {nil, nil}, "one without": {{0}, nil}, "different numbers": {{0}, {0, 1}}, "the same twice": {{1, 1}, {1, 1}},
	} {
		top := spec.NewTopology()
		for _, a := range at {
			top.AddNode("", a...)
		}
		top.AddPair(0, 1, 1)
		for what, g := range map[string]*Graph{"channels": explained(top, all(top), nil, nil), "topology": Topology("", top)} {
			for _, n := range g.Nodes {
				if n.At != nil {
					t.Errorf("%s: %s: %s stands at %v, want no place", name, what, n.Label, *n.At)
				}
			}
		}
	}
}

// TestCycleIsZoomed: a cycle of four channels among 100 nodes is drawn by itself, with the
// labels of its edges: each turns right from the one before, around the middle. Among 16
// nodes it is where its links are, also labelled.
func TestCycleIsZoomed(t *testing.T) {
	for _, tt := range []struct {
		side   int
		zoomed bool
	}{{10, true}, {4, false}} {
		top := grid(2, false, tt.side, tt.side)
		at := func(x, y int) spec.NodeID { return spec.NodeID(x*tt.side + y) }
		var channels []spec.ChannelID
		for _, ends := range [][2]spec.NodeID{{at(0, 0), at(0, 1)}, {at(0, 1), at(1, 1)}, {at(1, 1), at(1, 0)}, {at(1, 0), at(0, 0)}} {
			channels = append(channels, top.Channel(top.LinksBetween(ends[0], ends[1])[0], 0))
		}
		var ds []dependency.Dependency
		for i, c := range channels {
			ds = append(ds, dependency.Dependency{Edge: dependency.Edge{From: c, To: channels[(i+1)%4]}})
		}
		g := explained(top, channels, ds, channels)
		for i, e := range g.Edges {
			a, b := *g.Nodes[e.From].At, *g.Nodes[e.To].At
			if around := a.X*b.Y-a.Y*b.X < 0; e.Label != "for (0,0)" || tt.zoomed && !around {
				t.Errorf("%d nodes: edge %d from %v to %v is labelled %q", top.Nodes(), i, a, b, e.Label)
			}
		}
		if g := explained(top, channels, ds[:3], nil); g.Edges[0].Label != "" {
			t.Error("what is not a cycle is drawn as one")
		}
	}
}

// TestCloseUp: three boxes of a large picture move together until the nearest two of them,
// 12 inches one above the other, are a cell of an inch apart, and keep their directions. Boxes
// near each other stay.
func TestCloseUp(t *testing.T) {
	for _, tt := range []struct{ at, want []Point }{
		{[]Point{{0, 0}, {0, 12}, {48, 0}}, []Point{{0, 0}, {0, 1}, {4, 0}}},
		{[]Point{{0, 0}, {0, 1.4}, {48, 0}}, []Point{{0, 0}, {0, 1.4}, {48, 0}}},
		{[]Point{{3, 4}}, []Point{{3, 4}}},
	} {
		var nodes []Node
		for _, p := range tt.at {
			nodes = append(nodes, Node{At: &p})
		}
		closeUp(nodes, 2, 1)
		for i, n := range nodes {
			if d := n.At.Minus(tt.want[i]); math.Hypot(d.X, d.Y) > 1e-9 {
				t.Errorf("%v: node %d stands at %v, want %v", tt.at, i, *n.At, tt.want[i])
			}
		}
		if got, want := (&Graph{Nodes: nodes}).Width(), tt.want[len(tt.want)-1].X-tt.want[0].X; math.Abs(got-want) > 1e-9 {
			t.Errorf("%v: a width of %v, want %v", tt.at, got, want)
		}
	}
}

// TestOverview: two switches with three hosts each and two cables between them become two
// nodes and a line, nearer to each other; a separate pair stays.
func TestOverview(t *testing.T) {
	g := &Graph{Nodes: []Node{{Label: "a", At: &Point{0, 1}}, {Label: "b", At: &Point{12, 1}}}}
	cable := func(v, w int) {
		g.Edges = append(g.Edges, Edge{From: v, To: w, Label: "p"}, Edge{From: w, To: v})
	}
	for h := range 6 {
		g.Nodes = append(g.Nodes, Node{Label: "h", At: &Point{float64(2 * h), 0}})
		cable(2+h, h/3)
	}
	cable(0, 1)
	cable(0, 1)
	want := &Graph{Nodes: []Node{{Label: "a\n+3", At: &Point{0, 1. / 3}}, {Label: "b\n+3", At: &Point{4, 1. / 3}}},
		Edges: []Edge{{From: 0, To: 1, Tooltip: "a, b: 4 links", Both: true}}}
	if diff := cmp.Diff(want, Overview(g)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	pair := &Graph{Nodes: []Node{{Label: "a"}, {Label: "b"}}, Edges: []Edge{{From: 0, To: 1, Label: "x"}}}
	if diff := cmp.Diff(pair, Overview(pair)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
