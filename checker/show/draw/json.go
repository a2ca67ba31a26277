package draw

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// JSONFormat is the value of the key "format" in the files of [WriteJSON].
const JSONFormat = "unknot-graph-1"

// MarshalJSON writes a place in points.
func (p Point) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, `{"x":%s,"y":%s}`, points(p.X), points(p.Y)), nil
}

// WriteJSON writes g as a JSON object, one node and edge a line:
//
//	format      "unknot-graph-1"
//	name        the title, a string
//	nodeGroups  what the groups of nodes stand for: strings, by number; "" for none
//	edgeGroups  the same of edges
//	nodes       objects with the keys label (always), tooltip, at {x, y: points, y upwards}, group, bold
//	edges       objects with the keys from, to (always; numbers of nodes, from 0), label, tooltip, group, bold, dashed, both
//
// A missing key stands for "", group 0 (none) or false. Other keys may
// be added without a new format.
func WriteJSON(w io.Writer, g *Graph) error {
	if err := g.Err(); err != nil {
		return err
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	var failed error
	put := func(before string, v any) {
		b.WriteString(before)
		failed = errors.Join(failed, enc.Encode(v))
		b.Truncate(b.Len() - 1) // without the newline
	}
	put(`{"format":`, JSONFormat)
	put(",\n \"name\":", g.Name)
	put(",\n \"nodeGroups\":", append([]string{}, g.NodeGroups...))
	put(",\n \"edgeGroups\":", append([]string{}, g.EdgeGroups...))
	separators := [...]string{"\n  ", ",\n  "}
	b.WriteString(",\n \"nodes\":[")
	for i, n := range g.Nodes {
		n.Group = max(n.Group, 0)
		put(separators[min(i, 1)], n)
	}
	b.WriteString("],\n \"edges\":[")
	for i, e := range g.Edges {
		e.Group = max(e.Group, 0)
		put(separators[min(i, 1)], e)
	}
	b.WriteString("]}\n")
	if failed != nil {
		return fmt.Errorf("drawing %q as JSON: %w", g.Name, failed)
	}
	_, err := b.WriteTo(w)
	return err
}
