package figure

import (
	"strings"
	"unicode/utf8"

	"github.com/seed-105a2da2/unknot/checker/show/draw"
)

// Graph is a drawing of a dependency graph.
type Graph struct {
	View     Box
	Part     Box // of the strongly connected part
	Cycle    Box
	Vertices []Vertex
	Arrows   []Arrow
}

// Vertex is a channel as drawn.
type Vertex struct {
	Frame
	Label, Title string
	Number       int  // its place in the cycle, from 1; 0: none
	Part         bool // of the strongly connected part
}

// NumberBaseline returns the baseline of the number in the corner.
func (v Vertex) NumberBaseline() int { return v.Top() + 4 }

// Arrow is a dependency as drawn.
type Arrow struct {
	Path, Title string
	Bold        bool // of the cycle
	Dashed      bool
	Part        bool // of the strongly connected part
	Escape      bool
}

// Roles says what role vertices and edges of a dependency graph have, by number.
type Roles struct {
	Cycle  []int  // by vertex: its place in the cycle from 1, or 0
	Part   []bool // by vertex: whether it is in the strongly connected part
	Escape []bool // by edge: whether the escape uses it
}

// Channels draws a graph made by [draw.Channels], in its places if it has any. The arrows
// of the cycle are the bold ones.
func Channels(g *draw.Graph, r Roles) *Graph {
	const unit = 190
	at, placed := inPixels(g)
	if !placed {
		next := make([][]int, len(g.Nodes))
		for _, e := range g.Edges {
			next[e.From] = append(next[e.From], e.To)
		}
		at = spread(len(g.Nodes), next, unit)
	}
	out := &Graph{}
	var e, within, round extent
	boxes := make([]box, len(g.Nodes))
	for i, n := range g.Nodes {
		label := strings.ReplaceAll(n.Label, "\n", " ")
		b := box{at[i], 14 + letter*float64(utf8.RuneCountInString(label)), nodeHeight}
		boxes[i] = b
		e.addBox(b)
		v := Vertex{b.frame(), label, n.Tooltip, r.Cycle[i], r.Part[i]}
		out.Vertices = append(out.Vertices, v)
		if v.Part {
			within.addBox(b)
		}
		if v.Number > 0 {
			round.addBox(b)
		}
	}
	for i, a := range g.Edges {
		c := between(boxes[a.From], boxes[a.To], 10)
		if a.From == a.To {
			c = loop(boxes[a.From], 1)
		}
		e.addCurve(c)
		part := r.Part[a.From] && r.Part[a.To]
		if part {
			within.addCurve(c)
		}
		if a.Bold {
			round.addCurve(c)
		}
		out.Arrows = append(out.Arrows, Arrow{
			Path: c.path(), Title: a.Tooltip, Bold: a.Bold, Dashed: a.Dashed, Part: part, Escape: r.Escape[i],
		})
	}
	out.View, out.Part, out.Cycle = e.box(20), within.box(20), round.box(20)
	return out
}

// inPixels returns the places of the nodes with y downwards, if all have one.
func inPixels(g *draw.Graph) ([]draw.Point, bool) {
	const inch = 72
	at := make([]draw.Point, len(g.Nodes))
	for i, n := range g.Nodes {
		if n.At == nil {
			return nil, false
		}
		at[i] = down(n.At.Times(inch))
	}
	return at, true
}
