package draw

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// named returns a graph of the nasty names with every attribute in use.
func named() *Graph {
	g := &Graph{Name: "<&>\"\\ ", NodeGroups: []string{"", "a<b"}, EdgeGroups: []string{"none", "c&d"}}
	for i, name := range nasty() {
		g.Nodes = append(g.Nodes, Node{Label: name, Tooltip: name + "!", At: &Point{float64(i), -0.5}, Group: i%3 - 1, Bold: i%2 == 0})
		g.Edges = append(g.Edges, Edge{From: i, To: (i + 1) % len(nasty()), Label: name, Tooltip: name + "?", Group: i%3 - 1, Bold: i%2 == 1, Dashed: i%2 == 0})
	}
	return g
}

func TestGraphMLSaysItAll(t *testing.T) {
	g := named()
	var b bytes.Buffer
	if err := WriteGraphML(&b, g); err != nil {
		t.Fatal(err)
	}
	var f graphMLFile
	if err := xml.Unmarshal(b.Bytes(), &f); err != nil {
		t.Fatal(err)
	}
	declared := map[string]graphMLKey{}
	for _, k := range f.Keys {
		if _, again := declared[k.ID]; again {
			t.Errorf("key %s is declared twice", k.ID)
		}
		declared[k.ID] = k
	}
	read := func(of string, data []graphMLData) map[string]string {
		m := map[string]string{}
		for _, d := range data {
			if declared[d.Key].For != of {
				t.Errorf("key %s of a %s is declared for %q", d.Key, of, declared[d.Key].For)
			}
			m[declared[d.Key].Name] = d.Text
		}
		return m
	}
	common := func(label, tooltip string, group int, names []string, bold bool) map[string]string {
		m := map[string]string{"label": printable(label), "tooltip": printable(tooltip)}
		if group > 0 {
			m["group"] = strconv.Itoa(group)
		}
		if name := groupName(names, group); name != "" {
			m["groupName"] = name
		}
		if bold {
			m["bold"] = "true"
		}
		return m
	}
	if diff := cmp.Diff(map[string]string{"name": g.Name}, read("graph", f.Graph.Data)); diff != "" {
		t.Errorf("graph (-want +read):\n%s", diff)
	}
	for i, n := range g.Nodes {
		want := common(n.Label, n.Tooltip, n.Group, g.NodeGroups, n.Bold)
		want["x"], want["y"] = strconv.Itoa(72*i), "-36"
		if diff := cmp.Diff(want, read("node", f.Graph.Nodes[i].Data)); diff != "" {
			t.Errorf("node %d (-want +read):\n%s", i, diff)
		}
	}
	for i, e := range g.Edges {
		want := common(e.Label, e.Tooltip, e.Group, g.EdgeGroups, e.Bold)
		if e.Dashed {
			want["dashed"] = "true"
		}
		got := f.Graph.Edges[i]
		if diff := cmp.Diff(want, read("edge", got.Data)); diff != "" {
			t.Errorf("edge %d (-want +read):\n%s", i, diff)
		}
		if diff := cmp.Diff([]string{nodeID(e.From), nodeID(e.To)}, []string{got.Source, got.Target}); diff != "" {
			t.Errorf("ends of edge %d (-want +read):\n%s", i, diff)
		}
	}
}

func TestJSONSaysItAll(t *testing.T) {
	g := named()
	var b bytes.Buffer
	if err := WriteJSON(&b, g); err != nil {
		t.Fatal(err)
	}
	type file struct {
		Format     string
		Name       string
		NodeGroups []string
		EdgeGroups []string
		Nodes      []Node
		Edges      []Edge
	}
	var got file
	d := json.NewDecoder(&b)
	d.DisallowUnknownFields()
	if err := d.Decode(&got); err != nil {
		t.Fatal(err)
	}
	want := file{JSONFormat, g.Name, g.NodeGroups, g.EdgeGroups, g.Nodes, g.Edges}
	valid := func(s string) string { return string([]rune(s)) } // JSON is UTF-8
	for i := range want.Nodes {
		n, e := &want.Nodes[i], &want.Edges[i]
		n.Label, n.Tooltip, n.Group = valid(n.Label), valid(n.Tooltip), max(n.Group, 0)
		n.At = &Point{72 * n.At.X, 72 * n.At.Y}
		e.Label, e.Tooltip, e.Group = valid(e.Label), valid(e.Tooltip), max(e.Group, 0)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +read):\n%s", diff)
	}
}

func TestLargeGraphsAreNotRouted(t *testing.T) {
	for _, tt := range []struct {
		nodes, edges int
		want         bool
	}{
		{64, 256, false}, {100, 400, false}, {256, 1024, true}, {4096, 16384, true}, {1 << 20, 1 << 22, true},
	} {
		if got := tooManyToRoute(tt.nodes, tt.edges); got != tt.want {
			t.Errorf("%d nodes, %d edges: %v, want %v", tt.nodes, tt.edges, got, tt.want)
		}
	}
}
