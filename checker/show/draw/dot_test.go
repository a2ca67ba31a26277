package draw

import (
	"bytes"
	"context"
	"encoding/xml"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/awalterschulze/gographviz"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// nasty returns names that DOT, HTML or XML might take for something else.
func nasty() []string {
	return []string{
		"n(0,1)", "c0:vc1", "edge", "node", "graph", "digraph", "subgraph", "strict", "n0", "n1:ne",
		`say "hi"`, `"`, `""`, `\`, `\\`, `a\`, `ends in "\"`, `\N`, `\G \L \E \T \H`, `\n is no newline`, `\l\r`, `C:\new\table`, `\"`,
		"two\nlines", "<b>bold</b>", "<", "a<b>c", "&amp;", "&", "&#65;", "&lt;x&gt;", "a & b; c", "R&D",
		"{a|b}", "[x=1]", "a;b", "a->b", "a -- b", "// no comment", "/* nor this */", "# nor that", "-1.5", "007", ".5",
		"Knöten", "節点", "Ω→∞", "🪢", "ε", "'", "`", "$(x)", "%s", "%d%n", "a,b", "a=b", "two words", "  ends blank",
		"tab\tbed", "bell\a", "del\x7f", "cr\r", "bad\xff\xfe",
	}
}

// drawn is what Graphviz made of a node or an edge.
type drawn struct{ Text, Tooltip string }

// readSVG returns nodes or edges of a Graphviz SVG by title.
func readSVG(t *testing.T, svg []byte, class string) map[string][]drawn {
	t.Helper()
	type shape struct {
		Class string   `xml:"class,attr"`
		Title string   `xml:"title"`
		Plain []string `xml:"text"`
		Link  []struct {
			Anchor struct {
				Title string   `xml:"title,attr"`
				Text  []string `xml:"text"`
			} `xml:"a"`
		} `xml:"g"`
	}
	var doc struct {
		Shapes []shape `xml:"g>g"`
	}
	if err := xml.Unmarshal(svg, &doc); err != nil {
		t.Fatalf("dot wrote SVG that is not XML: %v", err)
	}
	out := map[string][]drawn{}
	for _, s := range doc.Shapes {
		if s.Class != class {
			continue
		}
		d := drawn{Text: strings.Join(s.Plain, "\n")}
		for _, l := range s.Link {
			d.Tooltip = l.Anchor.Title
			d.Text += strings.Join(l.Anchor.Text, "\n")
		}
		d.Text = strings.ReplaceAll(d.Text, "\u00a0", " ")
		d.Tooltip = strings.ReplaceAll(d.Tooltip, "\u00a0", " ")
		out[s.Title] = append(out[s.Title], d)
	}
	return out
}

// titleOf returns the title and legend of a Graphviz SVG without blanks.
func titleOf(t *testing.T, svg []byte) string {
	t.Helper()
	var doc struct {
		Text []string `xml:"g>text"`
	}
	if err := xml.Unmarshal(svg, &doc); err != nil {
		t.Fatal(err)
	}
	return strings.Join(strings.FieldsFunc(strings.Join(doc.Text, ""), unicode.IsSpace), "")
}

// legendOf returns what titleOf should return for a graph whose node groups are all
// in use and whose edges have none.
func legendOf(g *Graph) string {
	text := printable(g.Name)
	for _, name := range g.NodeGroups {
		text += "■" + printable(name)
	}
	return strings.Join(strings.FieldsFunc(text, unicode.IsSpace), "")
}

func needDot(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("dot"); err != nil {
		t.Skip("Graphviz is not installed (Debian package graphviz)")
	}
}

// Every nasty name, as label and as tooltip of node and edge and as title, comes
// out of the real dot as it went in, with what cannot be written replaced.
func TestDotShowsNamesAsTheyAre(t *testing.T) {
	needDot(t)
	for _, placed := range []bool{false, true} {
		g := &Graph{}
		wantNodes, wantEdges := map[string][]drawn{}, map[string][]drawn{}
		for i, name := range nasty() {
			n := Node{Label: name}
			if placed {
				n.At = &Point{0, float64(i)}
			}
			g.Name += name
			g.NodeGroups = append(g.NodeGroups, name)
			n.Group = i
			g.Nodes = append(g.Nodes, n)
			g.Edges = append(g.Edges, Edge{From: i, To: (i + 1) % len(nasty()), Label: name, Tooltip: name})
			shown := drawn{printable(name), printable(name)}
			wantNodes["n"+strconv.Itoa(i)] = []drawn{shown}
			wantEdges["n"+strconv.Itoa(i)+"->n"+strconv.Itoa((i+1)%len(nasty()))] = []drawn{shown}
		}
		var svg bytes.Buffer
		if err := Render(context.Background(), &svg, g, "svg"); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(wantNodes, readSVG(t, svg.Bytes(), "node")); diff != "" {
			t.Errorf("placed %v: nodes (-want +drawn):\n%s", placed, diff)
		}
		if diff := cmp.Diff(legendOf(g), titleOf(t, svg.Bytes())); diff != "" {
			t.Errorf("placed %v: title and legend (-want +drawn):\n%s", placed, diff)
		}
		if diff := cmp.Diff(wantEdges, readSVG(t, svg.Bytes(), "edge")); diff != "" {
			t.Errorf("placed %v: edges (-want +drawn):\n%s", placed, diff)
		}
	}
}

func TestDotKeepsParallelEdgesAndPlaces(t *testing.T) {
	needDot(t)
	g := &Graph{
		Nodes: []Node{{Label: "a", At: &Point{0, 0}}, {Label: "b", At: &Point{2, 1.5}}},
		Edges: []Edge{{From: 0, To: 1, Tooltip: "first"}, {From: 0, To: 1, Tooltip: "second"},
			{From: 0, To: 1, Tooltip: "second"}, {From: 1, To: 0, Tooltip: "back"}, {From: 0, To: 0, Tooltip: "loop"}},
	}
	var file bytes.Buffer
	if err := WriteDOT(&file, g); err != nil {
		t.Fatal(err)
	}
	// dot itself, not told to use neato, obeys the file's layout attribute.
	for _, args := range [][]string{{"-Tplain"}, {"-Tplain", "-Kneato", "-n"}} {
		cmd := exec.Command("dot", args...)
		cmd.Stdin = bytes.NewReader(file.Bytes())
		plain, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		edges := map[string]int{}
		at := map[string]Point{}
		for line := range strings.Lines(string(plain)) {
			f := strings.Fields(line)
			switch f[0] {
			case "edge":
				edges[f[1]+"->"+f[2]]++
			case "node":
				x, _ := strconv.ParseFloat(f[2], 64)
				y, _ := strconv.ParseFloat(f[3], 64)
				at[f[1]] = Point{x, y}
			}
		}
		if diff := cmp.Diff(map[string]int{"n0->n1": 3, "n1->n0": 1, "n0->n0": 1}, edges); diff != "" {
			t.Errorf("%v: edges (-want +drawn):\n%s", args, diff)
		}
		if d := at["n1"].Minus(at["n0"]); cmp.Diff([]int{200, 150}, []int{int(d.X*100 + 0.5), int(d.Y*100 + 0.5)}) != "" {
			t.Errorf("%v: n1 stands %v inches from n0, want {2 1.5}", args, d)
		}
	}
}

// Any names at all give a file that gographviz reads back with the same nodes
// and edges, GraphML that is XML, and JSON.
func TestAnyNamesAreWritten(t *testing.T) {
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom(nasty()), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }))
	rapid.Check(t, func(t *rapid.T) {
		g := &Graph{Name: text.Draw(t, "name"), NodeGroups: rapid.SliceOf(text).Draw(t, "groups")}
		for range rapid.IntRange(1, 12).Draw(t, "nodes") {
			g.Nodes = append(g.Nodes, Node{Label: text.Draw(t, "label"), Tooltip: text.Draw(t, "tip"),
				Group: rapid.Int().Draw(t, "group"), Bold: rapid.Bool().Draw(t, "bold")})
		}
		end := rapid.IntRange(0, len(g.Nodes)-1)
		for range rapid.IntRange(0, 12).Draw(t, "edges") {
			g.Edges = append(g.Edges, Edge{From: end.Draw(t, "from"), To: end.Draw(t, "to"),
				Label: text.Draw(t, "label"), Tooltip: text.Draw(t, "tip"), Group: rapid.Int().Draw(t, "group")})
		}
		var dot, graphML bytes.Buffer
		if err := WriteDOT(&dot, g); err != nil {
			t.Fatal(err)
		}
		tree, err := gographviz.ParseString(dot.String())
		if err != nil {
			t.Fatalf("%v in:\n%s", err, dot.String())
		}
		read, err := gographviz.NewAnalysedGraph(tree)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]int{len(g.Nodes), len(g.Edges)}, []int{len(read.Nodes.Nodes), len(read.Edges.Edges)}); diff != "" {
			t.Errorf("numbers of nodes and edges (-want +read):\n%s", diff)
		}
		if err := WriteGraphML(&graphML, g); err != nil {
			t.Fatal(err)
		}
		var f graphMLFile
		if err := xml.Unmarshal(graphML.Bytes(), &f); err != nil {
			t.Fatal(err)
		}
		if err := WriteJSON(io.Discard, g); err != nil {
			t.Fatal(err)
		}
	})
}
