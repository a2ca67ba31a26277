package draw

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/awalterschulze/gographviz/ast"
)

// WriteDOT writes g in Graphviz's DOT language. Nodes are called n0, n1, ...; labels hold
// the names, so that no name can be taken for a keyword or a port. If the nodes have
// places, the file asks for neato, which keeps them; `neato -n` is faster
// still.
func WriteDOT(w io.Writer, g *Graph) error {
	if err := g.Err(); err != nil {
		return err
	}
	g = stubs(g)
	b := bufio.NewWriter(w)
	b.WriteString("digraph unknot {\n")
	for _, s := range statements(g) {
		fmt.Fprintf(b, "\t%s;\n", s)
	}
	b.WriteString("}\n")
	return b.Flush()
}

// stubs draws wraparound links as two stubs, out of one end of the dimension and into the
// other. A straight edge would run through everything in between; a routed one in a drawing
// of three dimensions would seem to end at nodes that it passes.
func stubs(g *Graph) *Graph {
	if !g.Placed() || !g.Deep && !tooManyToRoute(len(g.Nodes), len(g.Edges)) {
		return g
	}
	out := *g
	out.Nodes, out.Edges = slices.Clone(g.Nodes), nil
	open := func(at Point) int {
		out.Nodes = append(out.Nodes, Node{At: &at, Hidden: true})
		return len(out.Nodes) - 1
	}
	for _, e := range g.Edges {
		if e.Stub == nil {
			out.Edges = append(out.Edges, e)
			continue
		}
		leave, enter := e, e
		e.Tooltip = g.tooltip(e)
		leave.Tooltip, enter.Tooltip, enter.Label = e.Tooltip, e.Tooltip, ""
		leave.To, enter.From = open(g.Nodes[e.From].At.Plus(*e.Stub)), open(g.Nodes[e.To].At.Minus(*e.Stub))
		out.Edges = append(out.Edges, leave, enter)
	}
	return &out
}

// statements returns attributes and defaults, then nodes and edges in the order of their
// numbers. They are syntax trees alone: gographviz.Graph would put edges first and n10 before
// n2, and importing it builds a parser whenever the program starts.
func statements(g *Graph) []ast.Stmt {
	placed := g.Placed()
	var out []ast.Stmt
	for _, a := range ast.PutMap(pageStyle(g, placed))[0] {
		out = append(out, a)
	}
	out = append(out, ast.NodeAttrs(ast.PutMap(map[string]string{
		"shape": "box", "style": `"rounded,filled"`, "fontname": "Helvetica", "fontsize": "11",
		"margin": `"0.08,0.04"`, "width": "0.45", "height": "0.3",
	})), ast.EdgeAttrs(ast.PutMap(map[string]string{
		"fontname": "Helvetica", "fontsize": "9", "arrowsize": "0.7",
	})))
	for i := range g.Nodes {
		out = append(out, &ast.NodeStmt{NodeID: end(i), Attrs: ast.PutMap(nodeStyle(&g.Nodes[i], placed))})
	}
	for _, e := range g.Edges {
		to := &ast.EdgeRH{Op: ast.DIRECTED, Destination: end(e.To)}
		edge := &ast.EdgeStmt{Source: end(e.From), EdgeRHS: ast.EdgeRHS{to}, Attrs: ast.PutMap(edgeStyle(g, e))}
		out = append(out, edge)
	}
	return out
}

// end is a node as a syntax tree.
func end(i int) *ast.NodeID { return ast.MakeNodeID(nodeID(i), "") }

func nodeID(i int) string { return "n" + strconv.Itoa(i) }

func pageStyle(g *Graph, placed bool) map[string]string {
	out := map[string]string{
		"fontname": "Helvetica", "fontsize": "12", "bgcolor": "white", "pad": "0.2",
		"charset": `"UTF-8"`, "outputorder": "edgesfirst",
	}
	if placed {
		out["layout"] = "neato"
		out["inputscale"] = "72" // pos is in points, as neato -n has it
		out["splines"] = "true"  // edges bend around nodes
		if g.Straight || tooManyToRoute(len(g.Nodes), len(g.Edges)) {
			out["splines"] = "line" // curved ones take minutes if channels lie in one line
		}
	} else {
		out["rankdir"] = "LR"
		out["nodesep"] = "0.3"
		out["ranksep"] = "0.5"
	}
	if l := legend(g); l != "" {
		out["label"] = l
		out["labelloc"] = "t"
	}
	return out
}

// tooManyToRoute reports whether Graphviz would take more than some five seconds to route
// the edges around the nodes, which takes time proportional to the edges and the square of
// the nodes: 1 s for an 8x8 torus, 40 s for 16x16.
func tooManyToRoute(nodes, edges int) bool {
	const most = 8e6
	return float64(nodes)*float64(nodes)*float64(edges) > most
}

func nodeStyle(n *Node, placed bool) map[string]string {
	c := ofGroup(n.Group)
	out := map[string]string{
		"label":     quote(n.Label),
		"tooltip":   quoteTooltip(n.Tooltip),
		"color":     quote(c.String()),
		"fillcolor": quote(c.tint().String()),
	}
	if n.Tooltip == "" {
		out["tooltip"] = quoteTooltip(n.Label)
	}
	if n.Bold {
		out["color"], out["penwidth"] = quote("black"), "2.5"
	}
	if n.Hidden {
		out["shape"], out["style"], out["width"], out["height"], out["margin"] = "point", "invis", "0", "0", "0"
	}
	if placed {
		out["pos"] = quote(points(n.At.X) + "," + points(n.At.Y) + "!")
	}
	return out
}

func edgeStyle(g *Graph, e Edge) map[string]string {
	tip := quoteTooltip(g.tooltip(e))
	out := map[string]string{"color": quote(ofGroup(e.Group).String()), "tooltip": tip}
	if e.Label != "" {
		out["label"], out["labeltooltip"] = quote(e.Label), tip
	}
	if e.Bold {
		out["color"], out["penwidth"], out["arrowsize"] = quote("black"), "2.5", "0.9"
	}
	if e.Both {
		out["dir"] = "both"
	}
	if e.Dashed {
		out["style"] = "dashed"
	}
	return out
}

// points turns inches into points, to a hundredth and never "-0".
func points(inches float64) string {
	return strconv.FormatFloat(math.Round(inches*7200)/100+0, 'f', -1, 64)
}

// quote writes text as a quoted DOT string that is read as an escape string: Graphviz
// shows exactly the text. A backslash would begin an escape such as \N, an ampersand an
// HTML entity.
func quote(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "&", "&amp;").Replace(printable(text)) + `"`
}

// quoteTooltip does the same for a tooltip, in which Graphviz resolves escapes
// twice.
func quoteTooltip(text string) string {
	return quote(strings.ReplaceAll(text, `\`, `\\`))
}
