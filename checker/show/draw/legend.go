package draw

import (
	"fmt"
	"strings"
)

// legend returns the graph's title and legend as an HTML-like label of
// Graphviz, or "" if there is neither.
func legend(g *Graph) string {
	var rows strings.Builder
	if g.Name != "" {
		fmt.Fprintf(&rows, `<TR><TD><FONT POINT-SIZE="15"><B>%s</B></FONT></TD></TR>`, markup(g.Name))
	}
	inNodes, inEdges := map[int]bool{}, map[int]bool{}
	for i := range g.Nodes {
		inNodes[g.Nodes[i].Group] = true
	}
	for i := range g.Edges {
		inEdges[g.Edges[i].Group] = inEdges[g.Edges[i].Group] || !g.Edges[i].Bold
	}
	swatches(&rows, "■", g.NodeGroups, inNodes)
	swatches(&rows, "→", g.EdgeGroups, inEdges)
	if rows.Len() == 0 {
		return ""
	}
	return `<<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="3">` + rows.String() + `</TABLE>>`
}

// swatches writes a row that names the groups in use, each in its colour.
func swatches(rows *strings.Builder, symbol string, names []string, used map[int]bool) {
	var row strings.Builder
	for i, name := range names {
		if !used[i] || name == "" {
			continue
		}
		if row.Len() > 0 {
			row.WriteString("&#160;&#160;&#160;")
		}
		fmt.Fprintf(&row, `<FONT COLOR="%s">%s</FONT>&#160;%s`, ofGroup(i), markup(symbol), markup(name))
	}
	if row.Len() > 0 {
		fmt.Fprintf(rows, "<TR><TD>%s</TD></TR>", row.String())
	}
}

// markup writes text inside an HTML-like label, in ASCII, since gographviz
// cannot read all other characters there.
func markup(text string) string {
	var b strings.Builder
	for _, r := range printable(text) {
		switch {
		case r == '\n':
			b.WriteString("<BR/>")
		case r == '\\':
			b.WriteString(`\\`) // escapes such as \N work here too
		case r > '~' || strings.ContainsRune(`&<>"`, r):
			fmt.Fprintf(&b, "&#%d;", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
