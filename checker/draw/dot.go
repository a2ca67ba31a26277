package draw

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// WriteDOT writes g in Graphviz's DOT language. Nodes are called n0, n1, ...;
// labels hold the names, so that no name can be taken for a keyword or a port.
// Where the nodes have places the file asks for neato, which keeps to them;
// `neato -n` is faster still.
func WriteDOT(w io.Writer, g *Graph) error {
	if err := g.Err(); err != nil {
		return err
	}
	placed := g.Placed()
	b := bufio.NewWriter(w)
	b.WriteString("digraph unknot {\n")
	page := pageStyle(g, placed)
	for _, k := range slices.Sorted(maps.Keys(page)) {
		fmt.Fprintf(b, "\t%s=%s;\n", k, page[k])
	}
	b.WriteString("\tnode [ fontname=Helvetica, fontsize=11, height=0.3, margin=\"0.08,0.04\", shape=box, style=\"rounded,filled\", width=0.45 ] ;\n" +
		"\tedge [ arrowsize=0.7, fontname=Helvetica, fontsize=9 ] ;\n")
	for i := range g.Nodes {
		fmt.Fprintf(b, "\t%s [ %s ];\n", nodeID(i), nodeStyle(&g.Nodes[i], placed))
	}
	for _, e := range g.Edges {
		fmt.Fprintf(b, "\t%s->%s[ %s ];\n", nodeID(e.From), nodeID(e.To), edgeStyle(g, e))
	}
	b.WriteString("}\n")
	return b.Flush()
}

// style is the attributes of a node, an edge or the page, as DOT writes them.
type style map[string]string

// String lists the attributes by name.
func (s style) String() string {
	var list []string
	for _, k := range slices.Sorted(maps.Keys(s)) {
		list = append(list, k+"="+s[k])
	}
	return strings.Join(list, ", ")
}

func nodeID(i int) string { return "n" + strconv.Itoa(i) }

func pageStyle(g *Graph, placed bool) style {
	out := style{
		"fontname": "Helvetica", "fontsize": "12", "bgcolor": "white", "pad": "0.2",
		"charset": `"UTF-8"`, "outputorder": "edgesfirst",
	}
	if placed {
		out["layout"] = "neato"
		out["inputscale"] = "72" // pos is in points, as neato -n has it
		out["splines"] = "true"  // edges pass round nodes
		if tooManyToRoute(len(g.Nodes), len(g.Edges)) {
			out["splines"] = "line" // curved ones take minutes where channels lie in one line
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

// tooManyToRoute reports whether Graphviz would take more than five seconds or so to
// lead the edges round the nodes, which takes time in proportion to the edges
// and the square of the nodes: 1 s for an 8x8 torus, 40 s for one of 16x16.
func tooManyToRoute(nodes, edges int) bool {
	const most = 8e6
	return float64(nodes)*float64(nodes)*float64(edges) > most
}

func nodeStyle(n *Node, placed bool) style {
	c := ofGroup(n.Group)
	out := style{
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
	if placed {
		out["pos"] = quote(points(n.At.X) + "," + points(n.At.Y) + "!")
	}
	return out
}

func edgeStyle(g *Graph, e Edge) style {
	tip := quoteTooltip(g.tooltip(e))
	out := style{"color": quote(ofGroup(e.Group).String()), "tooltip": tip}
	if e.Label != "" {
		out["label"], out["labeltooltip"] = quote(e.Label), tip
	}
	if e.Bold {
		out["color"], out["penwidth"], out["arrowsize"] = quote("black"), "2.5", "0.9"
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

// quote writes text as a quoted string of DOT that is read as an escape string:
// Graphviz shows the text and nothing else. A backslash would begin an escape
// such as \N, an ampersand an HTML entity.
func quote(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "&", "&amp;").Replace(printable(text)) + `"`
}

// quoteTooltip does the same for a tooltip, in which Graphviz resolves escapes
// twice.
func quoteTooltip(text string) string {
	return quote(strings.ReplaceAll(text, `\`, `\\`))
}
