package draw

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// JSONFormat is the value of the key "format" in the files of [WriteJSON].
const JSONFormat = "unknot-graph-1"

type jsonPoint struct {
	X json.Number `json:"x"`
	Y json.Number `json:"y"`
}

type jsonNode struct {
	Label   string     `json:"label"`
	Tooltip string     `json:"tooltip,omitempty"`
	At      *jsonPoint `json:"at,omitempty"`
	Group   int        `json:"group,omitempty"`
	Bold    bool       `json:"bold,omitempty"`
}

type jsonEdge struct {
	From    int    `json:"from"`
	To      int    `json:"to"`
	Label   string `json:"label,omitempty"`
	Tooltip string `json:"tooltip,omitempty"`
	Group   int    `json:"group,omitempty"`
	Bold    bool   `json:"bold,omitempty"`
	Dashed  bool   `json:"dashed,omitempty"`
}

// WriteJSON writes g as a JSON object, one node and edge a line:
//
//	format      "unknot-graph-1"
//	name        the title, a string
//	nodeGroups  what the groups of nodes stand for: strings, by number; "" for none
//	edgeGroups  likewise of edges
//	nodes       objects with the keys label (always), tooltip, at {x, y: points, y upwards}, group, bold
//	edges       objects with the keys from, to (always; numbers of nodes, from 0), label, tooltip, group, bold, dashed
//
// A key that is left out stands for "", group 0 (none) or false. Other keys may
// be added without a new format.
func WriteJSON(w io.Writer, g *Graph) error {
	if err := g.Err(); err != nil {
		return err
	}
	b := bufio.NewWriter(w)
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	line := func(before string, v any, after string) error {
		text.Reset()
		if err := enc.Encode(v); err != nil {
			return fmt.Errorf("drawing %q as JSON: %w", g.Name, err)
		}
		b.WriteString(before)
		b.Write(bytes.TrimSuffix(text.Bytes(), []byte("\n")))
		b.WriteString(after)
		return nil
	}
	for _, head := range []struct {
		key   string
		value any
	}{{"format", JSONFormat}, {"name", g.Name}, {"nodeGroups", orEmpty(g.NodeGroups)}, {"edgeGroups", orEmpty(g.EdgeGroups)}} {
		before := ` "` + head.key + `":`
		if head.key == "format" {
			before = "{" + before[1:]
		}
		if err := line(before, head.value, ",\n"); err != nil {
			return err
		}
	}
	b.WriteString(` "nodes":[`)
	for i, n := range g.Nodes {
		out := jsonNode{Label: n.Label, Tooltip: n.Tooltip, Group: max(n.Group, 0), Bold: n.Bold}
		if n.At != nil {
			out.At = &jsonPoint{json.Number(points(n.At.X)), json.Number(points(n.At.Y))}
		}
		if err := line(separator(i), out, ""); err != nil {
			return err
		}
	}
	b.WriteString("],\n \"edges\":[")
	for i, e := range g.Edges {
		e.Group = max(e.Group, 0)
		if err := line(separator(i), jsonEdge(e), ""); err != nil {
			return err
		}
	}
	b.WriteString("]}\n")
	return b.Flush()
}

func orEmpty(names []string) []string { return append([]string{}, names...) }

func separator(i int) string {
	if i == 0 {
		return "\n  "
	}
	return ",\n  "
}
