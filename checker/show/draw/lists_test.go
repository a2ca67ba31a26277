package draw

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/topology"
)

// linksOf lists the links of a topology by name, in any order, with what a format keeps of them.
func linksOf(t *spec.Topology, name func(spec.Node) string, keep func(spec.Link) spec.Link) (all []string) {
	for l := range spec.LinkID(t.Links()) {
		link := t.Link(l)
		k := keep(link)
		all = append(all, fmt.Sprintf("%s %s %d %q %q %d", name(t.Node(link.From)), name(t.Node(link.To)), k.VCs, k.Out, k.In, k.Dim))
	}
	slices.Sort(all)
	return all
}

// TestListsReadBack: a topology of cables, written as each list, reads back with the same links, as far as the format has
// them.
func TestListsReadBack(t *testing.T) {
	named := func(n spec.Node) string { return n.Name }
	bare := func(l spec.Link) spec.Link { return spec.Link{VCs: 1} }
	for _, f := range []struct {
		format string
		write  func(io.Writer, *Graph) error
		keep   func(spec.Link) spec.Link
	}{
		{"csv", WriteCSV, func(l spec.Link) spec.Link { return l }},
		{"adjlist", WriteAdjacency, bare},
		{"anynet", WriteAnynet, bare},
	} {
		t.Run(f.format, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				top := spec.NewTopology()
				n := rapid.IntRange(2, 7).Draw(t, "nodes")
				for range n {
					top.AddNode("")
				}
				link := func(a, b int) {
					top.AddLink(spec.Link{
						From: spec.NodeID(a), To: spec.NodeID(b), VCs: rapid.IntRange(1, 4).Draw(t, "vcs"),
						Out: rapid.SampledFrom([]string{"", "+x"}).Draw(t, "out"), Dim: rapid.IntRange(0, 2).Draw(t, "dim"),
					})
				}
				for b := 1; b < n; b++ {
					a := rapid.IntRange(0, b-1).Draw(t, "a")
					link(a, b)
					link(b, a)
				}
				ends := []spec.NodeID{0}
				for v := 1; v < n; v++ {
					if rapid.Bool().Draw(t, "sends") {
						ends = append(ends, spec.NodeID(v))
					}
				}
				var text bytes.Buffer
				if err := f.write(&text, Topology("net", top).Sending(ends)); err != nil {
					t.Fatal(err)
				}
				g, err := topology.Read(context.Background(), "f", text.Bytes(), topology.Options{Format: f.format})
				if err != nil {
					t.Fatalf("%v in\n%s", err, text.String())
				}
				if diff := cmp.Diff(linksOf(top, named, f.keep), linksOf(g.Topology, named, f.keep)); diff != "" {
					t.Fatalf("(-written +read)\n%s\n%s", diff, text.String())
				}
				if f.format == "anynet" && !slices.Equal(g.Terminals, ends) {
					t.Fatalf("%v send, not %v\n%s", g.Terminals, ends, text.String())
				}
			})
		})
	}
}

// TestListsRefuse: what a list cannot say is refused, and nothing else is written in its place.
func TestListsRefuse(t *testing.T) {
	edge := func(a, b int) Edge { return Edge{From: a, To: b} }
	nodes := []Node{{Label: "a"}, {Label: "b"}, {Label: "c"}}
	writers := map[string]func(io.Writer, *Graph) error{"csv": WriteCSV, "adjlist": WriteAdjacency, "anynet": WriteAnynet}
	for _, c := range []struct {
		name, want string
		g          Graph
	}{
		{"csv", "node c has no edge", Graph{Nodes: nodes, Edges: []Edge{edge(0, 1)}}},
		{"adjlist", "two edges lead from a to b", Graph{Nodes: nodes, Edges: []Edge{edge(0, 1), edge(0, 1)}}},
		{"adjlist", `node "a b": an adjacency list needs names of one word`, Graph{Nodes: []Node{{Label: "a b"}}}},
		{"adjlist", `node "#1"`, Graph{Nodes: []Node{{Label: "#1"}}}},
		{"anynet", "two edges lead from a to b", Graph{Nodes: nodes, Edges: []Edge{edge(0, 1), edge(1, 0), edge(0, 1)}}},
		{"anynet", "the link from a to b has no way back", Graph{Nodes: nodes, Edges: []Edge{edge(0, 1)}}},
		{"csv", "", Graph{Nodes: []Node{{Label: "a,b"}, {Label: "\"c\""}}, Edges: []Edge{edge(0, 1), edge(0, 1)}}},
	} {
		var b bytes.Buffer
		err := writers[c.name](&b, &c.g)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
		if err != nil && b.Len() > 0 {
			t.Errorf("%s: %q is written", c.name, b.String())
		}
	}
}
