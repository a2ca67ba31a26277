package draw

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// WriteJSON writes g as node-link data, as NetworkX reads it (node_link_graph) and unknot does, one node and edge a line:
//
//	directed    true
//	multigraph  true
//	graph       an object with the name, and with the id "unknot", which says that x and y are points of a picture
//	nodes       objects with an id (their number) and the data that [WriteGraphML] gives a node
//	links       objects with source and target (ids), a key that tells parallel edges apart, and the data of an edge
func WriteJSON(w io.Writer, g *Graph) error {
	if err := g.Err(); err != nil {
		return err
	}
	o := &jsonObject{}
	o.text.WriteString(`{"directed":true,` + "\n" + ` "multigraph":true,` + "\n" + ` "graph":{"id":"unknot"`)
	if g.Name != "" {
		o.member("name", printable(g.Name))
	}
	o.data(g.Data)
	o.text.WriteString("},\n \"nodes\":[")
	separators := [...]string{"\n  {\"id\":%d", ",\n  {\"id\":%d"}
	for i, n := range g.Nodes {
		fmt.Fprintf(&o.text, separators[min(i, 1)], i)
		o.common(n.Label, n.Tooltip, n.Group, groupName(g.NodeGroups, n.Group), n.Bold)
		if n.At != nil {
			o.member("x", json.RawMessage(points(n.At.X)))
			o.member("y", json.RawMessage(points(n.At.Y)))
		}
		o.data(n.Data)
		o.text.WriteString("}")
	}
	o.text.WriteString("],\n \"links\":[")
	parallel := map[[2]int]int{}
	separators = [...]string{"\n  {\"source\":%d,\"target\":%d,\"key\":%d", ",\n  {\"source\":%d,\"target\":%d,\"key\":%d"}
	for i, e := range g.Edges {
		ends := [2]int{e.From, e.To}
		fmt.Fprintf(&o.text, separators[min(i, 1)], e.From, e.To, parallel[ends])
		parallel[ends]++
		o.common(e.Label, e.Tooltip, e.Group, groupName(g.EdgeGroups, e.Group), e.Bold)
		if e.Dashed {
			o.member("dashed", true)
		}
		o.data(e.Data)
		o.text.WriteString("}")
	}
	o.text.WriteString("]}\n")
	if o.failed != nil {
		return fmt.Errorf("drawing %q as JSON: %w", g.Name, o.failed)
	}
	_, err := o.text.WriteTo(w)
	return err
}

// jsonObject writes members of objects, in the order in which they come.
type jsonObject struct {
	text   bytes.Buffer
	failed error
}

func (o *jsonObject) member(name string, value any) {
	for i, v := range []any{name, value} {
		o.text.WriteByte(",:"[i])
		enc := json.NewEncoder(&o.text)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(v); err != nil {
			o.failed = errors.Join(o.failed, err)
			continue
		}
		o.text.Truncate(o.text.Len() - 1) // without the newline
	}
}

// common writes the data that nodes and edges share.
func (o *jsonObject) common(label, tooltip string, group int, name string, bold bool) {
	for _, d := range []Datum{{"label", label}, {"tooltip", tooltip}} {
		if d.Value != "" {
			o.member(d.Name, printable(d.Value))
		}
	}
	if group > 0 {
		o.member("group", group)
	}
	if name != "" {
		o.member("groupName", printable(name))
	}
	if bold {
		o.member("bold", true)
	}
}

func (o *jsonObject) data(data []Datum) {
	for _, d := range data {
		o.member(d.Name, printable(d.Value))
	}
}
