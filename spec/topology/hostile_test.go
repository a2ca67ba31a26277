package topology

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/costtest"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// TestSameGraph: one graph, written in each format, is one topology.
func TestSameGraph(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 12).Draw(t, "nodes")
		type pair struct{ a, b int }
		var pairs []pair
		seen := map[pair]bool{}
		for a := 1; a < n; a++ { // connected, as anynet does not list a router without links
			pairs = append(pairs, pair{rapid.IntRange(0, a-1).Draw(t, "parent"), a})
			seen[pairs[len(pairs)-1]] = true
		}
		for range rapid.IntRange(0, 8).Draw(t, "more") {
			p := pair{rapid.IntRange(0, n-2).Draw(t, "a"), 0}
			p.b = rapid.IntRange(p.a+1, n-1).Draw(t, "b")
			if !seen[p] {
				seen[p], pairs = true, append(pairs, p)
			}
		}
		slices.SortStableFunc(pairs, func(p, q pair) int { return cmp.Compare(p.a, q.a) }) // as adjacency lists are
		var anynet, csv, graphml, edges, dot, gml, gem5 strings.Builder
		neighbours := make([]string, n)
		nodeLink := map[string]any{"directed": false}
		var nodes, links []any
		graphml.WriteString(`<graphml><graph edgedefault="undirected">`)
		dot.WriteString("graph {\n")
		gml.WriteString("graph [\n")
		for v := range n {
			fmt.Fprintf(&dot, "%d;", v)
			fmt.Fprintf(&gml, "node [ id %d ]\n", v)
			fmt.Fprintf(&gem5, "[net.c%d]\ntype=GarnetExtLink\nint_node=net.%d\next_node=net.cpu%d\n[net.%d]\ntype=GarnetRouter\nrouter_id=%d\n", v, v, v, v, v)
			fmt.Fprintf(&anynet, "node %d router %d\n", n-v, v)
			fmt.Fprintf(&graphml, `<node id="%d"/>`, v)
			nodes = append(nodes, map[string]any{"id": v})
		}
		for _, p := range pairs {
			fmt.Fprintf(&anynet, "router %d router %d\n", p.a, p.b)
			fmt.Fprintf(&csv, "%d;%d\n", p.a, p.b)
			fmt.Fprintf(&edges, "%d %d {}\n", p.a, p.b)
			neighbours[p.a] += fmt.Sprintf(" %d", p.b)
			fmt.Fprintf(&dot, "%d -- %d\n", p.a, p.b)
			fmt.Fprintf(&gml, "edge [ source %d target %d ]\n", p.a, p.b)
			for i, w := range [][2]int{{p.a, p.b}, {p.b, p.a}} {
				fmt.Fprintf(&gem5, "[net.l%d_%d_%d]\ntype=GarnetIntLink\nsrc_node=net.%d\ndst_node=net.%d\nsrc_outport=\n", len(links), i, w[0], w[0], w[1])
			}
			fmt.Fprintf(&graphml, `<edge source="%d" target="%d"/>`, p.a, p.b)
			links = append(links, map[string]any{"source": p.a, "target": p.b})
		}
		graphml.WriteString(`</graph></graphml>`)
		nodeLink["nodes"], nodeLink[rapid.SampledFrom([]string{"links", "edges"}).Draw(t, "spelling")] = nodes, links
		text, err := json.Marshal(nodeLink)
		if err != nil {
			t.Fatal(err)
		}
		var adjacency strings.Builder
		for v, of := range neighbours {
			fmt.Fprintf(&adjacency, "%d%s\n", v, of)
		}
		written := map[string]string{
			"anynet": anynet.String(), "csv": csv.String(), "graphml": graphml.String(), "networkx": string(text),
			"edgelist": edges.String(), "adjlist": adjacency.String(), "dot": dot.String() + "}", "gml": gml.String() + "]\n", "gem5": gem5.String(),
		}
		if len(written) != len(Formats()) {
			t.Fatalf("%d formats are written and %v read: want a writer for each", len(written), Formats())
		}
		var first string
		for format, text := range written {
			opt := Options{BothWays: true}
			if format == "edgelist" || format == "adjlist" { // names may not recur in a small one
				opt.Format = format
			}
			g, err := Read(context.Background(), "f", []byte(text), opt)
			if err != nil {
				t.Fatalf("%s: %v\n%s", format, err, text)
			}
			if g.Format != format || g.OneWay || len(g.Terminals) != n {
				t.Fatalf("%s: read as %s, one-way %t, %d terminals of %d", format, g.Format, g.OneWay, len(g.Terminals), n)
			}
			g.Format, g.Nodes, g.Links = "", make([][]Attribute, n), make([][]Attribute, g.Topology.Links())
			if first == "" {
				first = told(g)
			} else if told(g) != first {
				t.Fatalf("%s:\n%s\nand another:\n%s", format, told(g), first)
			}
		}
	})
}

// holds checks what holds for every answer: a topology without faults, or an error with a
// place.
func holds(t *testing.T, text []byte, opt Options) {
	t.Helper()
	g, err := Read(context.Background(), "f", text, opt)
	if err != nil {
		var pos *spec.PosError
		if !errors.As(err, &pos) || pos.Line < 1 || pos.Col < 1 || pos.Line > 2+bytes.Count(text, []byte("\n")) || strings.ContainsAny(pos.Msg, "\n\r") {
			t.Fatalf("%q: an error without its place, or of several lines: %v", text, err)
		}
		return
	}
	if g.Topology.Err() != nil || len(g.Nodes) != g.Topology.Nodes() || len(g.Links) != g.Topology.Links() {
		t.Fatalf("%q: %d nodes with %d attributes, %d links with %d: %v", text, g.Topology.Nodes(), len(g.Nodes),
			g.Topology.Links(), len(g.Links), g.Topology.Err())
	}
	for i, v := range g.Terminals {
		if v < 0 || int(v) >= g.Topology.Nodes() || i > 0 && g.Terminals[i-1] >= v {
			t.Fatalf("%q: terminals %v of %d nodes", text, g.Terminals, g.Topology.Nodes())
		}
	}
}

func fuzz(f *testing.F, format string, seeds ...string) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		costtest.Within(t, len(text), func() {
			holds(t, text, Options{Format: format})
			holds(t, text, Options{})
		})
	})
}

func FuzzAnynet(f *testing.F) {
	fuzz(f, "anynet", "router 0 node 0 router 1 15\nnode 1 router 1\n", "# x\nrouter 0 node", "router 99999999999999999999 node 0")
}

func FuzzNetworkX(f *testing.F) {
	fuzz(f, "networkx", `{"directed": true, "nodes": [{"id": [0, 1], "pos": [0.5, 1]}, {"id": "b"}], "links": [{"source": [0, 1], "target": "b", "vcs": 2}]}`,
		`{"nodes": [{"label": "\u202e"}], "edges": [], "graph": {"name": null}}`)
}

func FuzzGraphML(f *testing.F) {
	fuzz(f, "graphml", `<graphml><key id="k" for="all" attr.type="int"><default>1</default></key><graph edgedefault="directed"><node id="a"><data key="k">2</data></node><node id="b"/><edge source="a" target="b" sourceport="x"/></graph></graphml>`,
		`<!DOCTYPE x [<!ENTITY a "b">]><graphml>&a;</graphml>`, "00&000\n") // the last: an entity cut by the line's end had column 0
}

func FuzzTable(f *testing.F) {
	fuzz(f, "csv", "from,to,vcs\na,b,2\n\"x\ny\",b,\n", "0\t1\n", "a;b;c;d;e\n")
}

func FuzzEdgeList(f *testing.F) {
	fuzz(f, "edgelist", "a b {'weight': 2, 'x': (1, 2), 'y': None}\nb c {}\n", "0 1\n1 2 0.5\n", "a b {'a': \"'\", \"b\": 'c\\'d'}\n")
}

func FuzzAdjacency(f *testing.F) { fuzz(f, "adjlist", "# x\na b c\nb c\nc\n", "0 1\n1 {}\n") }

func FuzzDOT(f *testing.F) {
	fuzz(f, "dot",
		"strict digraph \"a\" + \"b\" { node [type=host]; a:e -> {b c} -> subgraph s { d; edge [vcs=2] } [dir=back]; x = y }",
		"graph { a -- b -- <<b>x</b>> [label=\"\\N\"] }", "graph{subgraph a{b}subgraph a--c}")
}

func FuzzGML(f *testing.F) {
	fuzz(f, "gml",
		"# x\nCreator \"y\"\ngraph [ directed 1 node [ id 0 label \"a&#38;b\" graphics [ x 1.0 ] ] node [ id 1 ] edge [ source 0 target 1 w -1.5E+3 ] ]",
		"graph [ graph [")
}

func FuzzGem5(f *testing.F) {
	fuzz(f, "gem5", "[n]\ntype=GarnetNetwork\nvcs_per_vnet=4\n[r0]\ntype=GarnetRouter\nrouter_id=1\n[l]\ntype=GarnetIntLink\nsrc_node=r0\ndst_node=r1\nweight=1\n[e]\ntype=GarnetExtLink\nint_node=r0\next_node=c\n")
}

// manyNames writes names with numbers, with blanks between them.
func manyNames(prefix string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%s%d ", prefix, i)
	}
	return b.String()
}

// TestHostile: texts designed to be expensive, or to break a message into several
// lines.
func TestHostile(t *testing.T) {
	const many = 50_000
	for i, text := range []string{
		`{"nodes": ` + strings.Repeat("[", many),
		`{"nodes": [` + strings.Repeat(`{"id":`, many),
		`{"graph": ` + strings.Repeat(`{"a":[`, many),
		"<graphml>" + strings.Repeat("<a>", many),
		"<graphml><graph edgedefault='directed'><node id='a'>" + strings.Repeat("<data key='k'>", many),
		"<graphml " + strings.Repeat("a='b' ", many) + ">",
		strings.Repeat("a,", many) + "\n",
		"from,to\n" + strings.Repeat("\"", many),
		"router 0 node 0 " + strings.Repeat("router 1 ", many),
		`{"nodes": [{"id": 1}, {"id": 2}], "links": [` + strings.Repeat(`{"source":1,"target":2,"vcs":65536},`, 4000) + `{"source":1,"target":2}]}`,
		"from,to,vcs\n" + strings.Repeat("a,b,65536\n", 300),
		"from,to\n\"::error\n\",b\nb,\u202e\n",
		"from,to\na\x00,b\nb,\"a\x00\"\n",
		"graph " + strings.Repeat("{", many),
		"graph { " + strings.Repeat("a:", many),
		"graph { a -- " + strings.Repeat("<", many),
		"graph { a [" + strings.Repeat("b;", many),
		"graph { \"" + strings.Repeat("a\" + \"", many),
		"graph { subgraph s {" + strings.Repeat("a b ", 2000) + "} " + strings.Repeat("subgraph s -- {c d e} ", 2000) + "}",
		"digraph { {" + manyNames("a", 1500) + "} -> {" + manyNames("b", 1500) + "} }",
		"graph [ " + strings.Repeat("node [ ", many),
		"graph [ node [ id 0 " + strings.Repeat("a 1 ", many) + "] ]",
		"[a]\ntype=x\n" + strings.Repeat("a=b\n", many),
		"a b {" + strings.Repeat("'a': ", many),
		"a b {" + strings.Repeat("'", many) + "}\nb c\n",
		strings.Repeat("a ", many) + "\nb a\n",
	} {
		for k, format := range append([]string{""}, Formats()...) {
			if k > 0 && !seedtest.Sampled(i+k, 3) {
				continue
			}
			holds(t, []byte(text), Options{Format: format})
		}
	}
	if _, err := Read(context.Background(), "f", make([]byte, MostBytes+1), Options{}); err == nil || !strings.Contains(err.Error(), "at most") {
		t.Error(err)
	}
}
