package draw

import (
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
)

type graphMLKey struct {
	ID   string `xml:"id,attr"`
	For  string `xml:"for,attr"`
	Name string `xml:"attr.name,attr"`
	Type string `xml:"attr.type,attr"`
}

type graphMLData struct {
	Key  string `xml:"key,attr"`
	Text string `xml:",chardata"`
}

type graphMLNode struct {
	ID   string        `xml:"id,attr"`
	Data []graphMLData `xml:"data"`
}

type graphMLEdge struct {
	ID     string        `xml:"id,attr"`
	Source string        `xml:"source,attr"`
	Target string        `xml:"target,attr"`
	Data   []graphMLData `xml:"data"`
}

type graphMLGraph struct {
	ID      string        `xml:"id,attr"`
	Default string        `xml:"edgedefault,attr"`
	Data    []graphMLData `xml:"data"`
	Nodes   []graphMLNode `xml:"node"`
	Edges   []graphMLEdge `xml:"edge"`
}

type graphMLFile struct {
	XMLName xml.Name     `xml:"http://graphml.graphdrawing.org/xmlns graphml"`
	Keys    []graphMLKey `xml:"key"`
	Graph   graphMLGraph `xml:"graph"`
}

// WriteGraphML writes g as GraphML, for yEd, Gephi, Cytoscape, NetworkX or igraph. Nodes
// and edges have the data label, tooltip, group (a number), groupName and bold; nodes also
// x and y in points with y upwards, if placed; edges also dashed. Empty, false and group 0
// are left out. Data follow, as strings.
func WriteGraphML(w io.Writer, g *Graph) error {
	if err := g.Err(); err != nil {
		return err
	}
	f := graphMLFile{Keys: graphMLKeys(g), Graph: graphMLGraph{ID: "unknot", Default: "directed"}}
	if g.Name != "" {
		f.Graph.Data = []graphMLData{{"graph-name", printable(g.Name)}}
	}
	f.Graph.Data = append(f.Graph.Data, dataOf("graph", g.Data)...)
	for i := range g.Nodes {
		n := &g.Nodes[i]
		d := common("node", n.Label, n.Tooltip, n.Group, groupName(g.NodeGroups, n.Group), n.Bold)
		if n.At != nil {
			d = append(d, graphMLData{"node-x", points(n.At.X)}, graphMLData{"node-y", points(n.At.Y)})
		}
		d = append(d, dataOf("node", n.Data)...)
		f.Graph.Nodes = append(f.Graph.Nodes, graphMLNode{ID: nodeID(i), Data: d})
	}
	for i, e := range g.Edges {
		d := common("edge", e.Label, e.Tooltip, e.Group, groupName(g.EdgeGroups, e.Group), e.Bold)
		if e.Dashed {
			d = append(d, graphMLData{"edge-dashed", "true"})
		}
		d = append(d, dataOf("edge", e.Data)...)
		f.Graph.Edges = append(f.Graph.Edges, graphMLEdge{
			ID: "e" + strconv.Itoa(i), Source: nodeID(e.From), Target: nodeID(e.To), Data: d,
		})
	}
	text, err := xml.MarshalIndent(f, "", "  ")
	if err == nil {
		_, err = fmt.Fprintf(w, "%s<!-- written by unknot -->\n%s\n", xml.Header, text)
	}
	return err
}

// dataOf returns data under the keys that graphMLKeys declares.
func dataOf(of string, data []Datum) []graphMLData {
	var d []graphMLData
	for _, x := range data {
		d = append(d, graphMLData{of + "-data-" + x.Name, printable(x.Value)})
	}
	return d
}

// graphMLKeys declares the data.
func graphMLKeys(g *Graph) []graphMLKey {
	keys := []graphMLKey{{"graph-name", "graph", "name", "string"}}
	for _, of := range []string{"node", "edge"} {
		keys = append(keys,
			graphMLKey{of + "-label", of, "label", "string"},
			graphMLKey{of + "-tooltip", of, "tooltip", "string"},
			graphMLKey{of + "-group", of, "group", "int"},
			graphMLKey{of + "-group-name", of, "groupName", "string"},
			graphMLKey{of + "-bold", of, "bold", "boolean"})
	}
	keys = append(keys,
		graphMLKey{"node-x", "node", "x", "double"},
		graphMLKey{"node-y", "node", "y", "double"},
		graphMLKey{"edge-dashed", "edge", "dashed", "boolean"})
	declared := map[string]bool{}
	declare := func(of string, data []Datum) {
		for _, x := range data {
			if id := of + "-data-" + x.Name; !declared[id] {
				declared[id] = true
				keys = append(keys, graphMLKey{id, of, x.Name, "string"})
			}
		}
	}
	declare("graph", g.Data)
	for i := range g.Nodes {
		declare("node", g.Nodes[i].Data)
	}
	for i := range g.Edges {
		declare("edge", g.Edges[i].Data)
	}
	return keys
}

// common returns the data that nodes and edges share.
func common(of, label, tooltip string, group int, name string, bold bool) []graphMLData {
	var d []graphMLData
	add := func(key, text string) {
		if text != "" {
			d = append(d, graphMLData{of + "-" + key, printable(text)})
		}
	}
	add("label", label)
	add("tooltip", tooltip)
	if group > 0 {
		add("group", strconv.Itoa(group))
	}
	add("group-name", name)
	if bold {
		add("bold", "true")
	}
	return d
}
