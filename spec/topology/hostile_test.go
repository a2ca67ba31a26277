package topology

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/costtest"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// TestSameGraph: one graph, written in four formats, is one topology.
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
		var anynet, csv, graphml strings.Builder
		nodeLink := map[string]any{"directed": false}
		var nodes, links []any
		graphml.WriteString(`<graphml><graph edgedefault="undirected">`)
		for v := range n {
			fmt.Fprintf(&anynet, "node %d router %d\n", n-v, v)
			fmt.Fprintf(&graphml, `<node id="%d"/>`, v)
			nodes = append(nodes, map[string]any{"id": v})
		}
		for _, p := range pairs {
			fmt.Fprintf(&anynet, "router %d router %d\n", p.a, p.b)
			fmt.Fprintf(&csv, "%d;%d\n", p.a, p.b)
			fmt.Fprintf(&graphml, `<edge source="%d" target="%d"/>`, p.a, p.b)
			links = append(links, map[string]any{"source": p.a, "target": p.b})
		}
		graphml.WriteString(`</graph></graphml>`)
		nodeLink["nodes"], nodeLink[rapid.SampledFrom([]string{"links", "edges"}).Draw(t, "spelling")] = nodes, links
		text, err := json.Marshal(nodeLink)
		if err != nil {
			t.Fatal(err)
		}
		written := map[string]string{"anynet": anynet.String(), "csv": csv.String(), "graphml": graphml.String(), "networkx": string(text)}
		if len(written) != len(Formats()) {
			t.Fatalf("%d formats are written and %v read: want a writer for each", len(written), Formats())
		}
		var first string
		for format, text := range written {
			g, err := Read(context.Background(), "f", []byte(text), Options{BothWays: true})
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
		t.Fatalf("%q: %d nodes with %d attributes, %d links with %d: %v", text, g.Topology.Nodes(), len(g.Nodes), g.Topology.Links(), len(g.Links), g.Topology.Err())
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
