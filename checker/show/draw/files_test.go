package draw

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
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

// TestJSONSaysItAll: node-link data says of each node and each edge what GraphML says, which the test above reads.
func TestJSONSaysItAll(t *testing.T) {
	g := named()
	g.Edges = append(g.Edges, g.Edges[0])
	g.Nodes[1].Data, g.Edges[1].Data, g.Data = []Datum{{"of a node", "x"}}, []Datum{{"of an edge", "y"}}, []Datum{{"of all", "z"}}
	var b, x bytes.Buffer
	if err := errors.Join(WriteJSON(&b, g), WriteGraphML(&x, g)); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Directed, Multigraph bool
		Graph                map[string]any
		Nodes, Links         []map[string]any
	}
	d := json.NewDecoder(&b)
	d.DisallowUnknownFields()
	d.UseNumber()
	if err := d.Decode(&got); err != nil {
		t.Fatal(err)
	}
	var f graphMLFile
	if err := xml.Unmarshal(x.Bytes(), &f); err != nil {
		t.Fatal(err)
	}
	names := map[string]string{}
	for _, k := range f.Keys {
		names[k.ID] = k.Name
	}
	compare := func(of string, data []graphMLData, more map[string]string, got map[string]any) {
		t.Helper()
		want, read := more, map[string]string{}
		for _, x := range data {
			want[names[x.Key]] = x.Text
		}
		for name, v := range got {
			read[name] = fmt.Sprint(v)
		}
		if diff := cmp.Diff(want, read); diff != "" {
			t.Errorf("%s (-GraphML +JSON):\n%s", of, diff)
		}
	}
	if !got.Directed || !got.Multigraph || len(got.Nodes) != len(g.Nodes) || len(got.Links) != len(g.Edges) {
		t.Fatalf("directed %t, multigraph %t, %d nodes, %d links", got.Directed, got.Multigraph, len(got.Nodes), len(got.Links))
	}
	compare("graph", f.Graph.Data, map[string]string{"id": "unknot"}, got.Graph)
	for i, n := range f.Graph.Nodes {
		compare(n.ID, n.Data, map[string]string{"id": strconv.Itoa(i)}, got.Nodes[i])
	}
	for i, e := range f.Graph.Edges {
		key := "0"
		if i == len(g.Edges)-1 {
			key = "1" // parallel to the first
		}
		ends := map[string]string{"source": e.Source[1:], "target": e.Target[1:], "key": key}
		compare(e.ID, e.Data, ends, got.Links[i])
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
