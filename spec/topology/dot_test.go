package topology

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/awalterschulze/gographviz"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/spec"
)

// TestAsGographviz: drawn texts have the nodes, the edges and their attributes that gographviz finds in them. It knows
// no edges of subgraphs, no strings joined by + and no semicolons between attributes, and
// gives a node that is named again the defaults of that place, where Graphviz leaves it as it is.
func TestAsGographviz(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := []string{"a", "b1", "_c", "7", `"d e"`, `"f;{g"`, "-2.5", `"->"`}
		colours := []string{"red", `"light blue"`, "9"}
		directed := rapid.Bool().Draw(t, "directed")
		edge, kind := "--", "graph"
		if directed {
			edge, kind = "->", "digraph"
		}
		blank := func() string {
			return rapid.SampledFrom([]string{" ", "\n", "\t ", " // x\n", " /* {;\n */ "}).Draw(t, "blank")
		}
		attributes := func() string {
			if !rapid.Bool().Draw(t, "attributes") {
				return ""
			}
			text := " [" + blank() + "color=" + rapid.SampledFrom(colours).Draw(t, "colour")
			if rapid.Bool().Draw(t, "more") {
				text += rapid.SampledFrom([]string{", ", " ", "]["}).Draw(t, "comma") + "weight=" + blank() + "3"
			}
			return text + "]"
		}
		var b strings.Builder
		var statements func(depth int)
		statements = func(depth int) {
			for range rapid.IntRange(0, 5).Draw(t, "statements") {
				switch kind := rapid.IntRange(0, 5).Draw(t, "kind"); {
				case kind == 0:
					fmt.Fprintf(&b, "%s%s", rapid.SampledFrom(names).Draw(t, "name"), attributes())
				case kind == 1 && depth < 3:
					fmt.Fprintf(&b, "subgraph s%d {%s", b.Len(), blank())
					statements(depth + 1)
					b.WriteString("}")
				case kind == 2:
					fmt.Fprintf(&b, "edge [color=%s]", rapid.SampledFrom(colours).Draw(t, "colour"))
				default:
					chain := rapid.SliceOfNDistinct(rapid.SampledFrom(names), 2, 4, rapid.ID).Draw(t, "chain")
					b.WriteString(strings.Join(chain, blank()+edge+blank()) + attributes())
				}
				b.WriteString(";" + blank())
			}
		}
		fmt.Fprintf(&b, "%s g {%s", kind, blank())
		statements(0)
		b.WriteString("}\n")

		want, err := gographviz.Read([]byte(b.String()))
		if err != nil {
			t.Fatalf("gographviz: %v\n%s", err, b.String())
		}
		if len(want.Nodes.Nodes) == 0 {
			t.Skip("no node")
		}
		g, err := Read(t.Context(), "f", []byte(b.String()), Options{Format: "dot"})
		if err != nil {
			t.Fatalf("%v\n%s", err, b.String())
		}
		bare := func(text string) string { return strings.Trim(text, `"`) }
		var expected, got []string
		for _, n := range want.Nodes.Nodes {
			expected = append(expected, fmt.Sprintf("%s color=%s weight=%s", bare(n.Name), bare(n.Attrs["color"]), n.Attrs["weight"]))
		}
		for _, e := range want.Edges.Edges {
			expected = append(expected, fmt.Sprintf("%s>%s color=%s weight=%s", bare(e.Src), bare(e.Dst), bare(e.Attrs["color"]), e.Attrs["weight"]))
		}
		told := func(of []Attribute, name string) string {
			if v, _ := find(of, name); v != nil {
				return fmt.Sprint(v)
			}
			return ""
		}
		top := g.Topology
		for v := range spec.NodeID(top.Nodes()) {
			got = append(got, fmt.Sprintf("%s color=%s weight=%s", top.Node(v).Name, told(g.Nodes[v], "color"), told(g.Nodes[v], "weight")))
		}
		for l := spec.LinkID(0); int(l) < top.Links(); l++ {
			k := top.Link(l)
			got = append(got, fmt.Sprintf("%s>%s color=%s weight=%s", top.Node(k.From).Name, top.Node(k.To).Name,
				told(g.Links[l], "color"), told(g.Links[l], "weight")))
			if !directed {
				l++ // the way back
			}
		}
		slices.Sort(expected)
		slices.Sort(got)
		if diff := cmp.Diff(expected, got); diff != "" {
			t.Fatalf("(-gographviz +got)\n%s\n%s", diff, b.String())
		}
	})
}
