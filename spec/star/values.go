package star

import (
	"errors"
	"fmt"
	"slices"

	"go.starlark.net/starlark"

	"github.com/seed-105a2da2/unknot/spec"
)

// The values that a file handles. Their attributes are cheap: a value is made
// once for each node and link, and everything that an attribute yields is made
// with it.

// node is a declared node.
type node struct {
	id      spec.NodeID
	name    string
	at      starlark.Tuple
	links   starlark.Tuple // the *link values that leave it
	idValue starlark.Value
	toFunc  *starlark.Builtin
	port    *starlark.Builtin
	data    *starlark.Dict // what a topology file says of it
}

func newNode(id int, name string, at starlark.Tuple) *node {
	n := &node{id: spec.NodeID(id), name: name, at: at, idValue: starlark.MakeInt(id)}
	n.toFunc = starlark.NewBuiltin("to", n.linkTo)
	n.port = starlark.NewBuiltin("port", n.linkAt)
	return n
}

func (n *node) String() string        { return n.name }
func (n *node) Type() string          { return "node" }
func (n *node) Freeze()               {}
func (n *node) Truth() starlark.Bool  { return true }
func (n *node) Hash() (uint32, error) { return uint32(n.id), nil }
func (n *node) AttrNames() []string   { return []string{"at", "data", "id", "name", "out", "port", "to"} }

func (n *node) Attr(name string) (starlark.Value, error) {
	switch name {
	case "at":
		return n.at, nil
	case "id":
		return n.idValue, nil
	case "data":
		return n.data, nil
	case "name":
		return starlark.String(n.name), nil
	case "out":
		return n.links[:len(n.links):len(n.links)], nil
	case "port":
		return n.port, nil
	case "to":
		return n.toFunc, nil
	}
	return nil, nil
}

func (n *node) coordinates() []int {
	if len(n.at) == 0 {
		return nil
	}
	at := make([]int, len(n.at))
	for i, x := range n.at {
		at[i], _ = starlark.AsInt32(x) // checked when the node was declared
	}
	return at
}

// linkTo is n.to(m).
func (n *node) linkTo(t *starlark.Thread, f *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if len(args) != 1 || len(kwargs) > 0 {
		return nil, fmt.Errorf("%s.to has %d arguments: write %s.to(node)", n.name, len(args)+len(kwargs), n.name)
	}
	if some, ok := args[0].(*someNode); ok {
		return some.p.between(constant(int64(n.id)), some)
	}
	m, ok := args[0].(*node)
	if !ok {
		return nil, fmt.Errorf("%s.to of a %s: want a node", n.name, args[0].Type())
	}
	return n.find(t, func(l *link) bool { return l.dst == m })
}

// linkAt is n.port(name).
func (n *node) linkAt(t *starlark.Thread, f *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if len(args) != 1 || len(kwargs) > 0 {
		return nil, fmt.Errorf("%s.port has %d arguments: write %s.port(\"name\")", n.name, len(args)+len(kwargs), n.name)
	}
	name, ok := args[0].(starlark.String)
	if !ok {
		return nil, fmt.Errorf("%s.port of a %s: want a string", n.name, args[0].Type())
	}
	// A name that some link has is printable, and then it is what Printable makes of it.
	if !slices.ContainsFunc(n.links, func(v starlark.Value) bool { return v.(*link).out == string(name) }) {
		name = starlark.String(spec.Printable(string(name)))
	}
	return n.find(t, func(l *link) bool { return l.out == string(name) })
}

func (n *node) find(t *starlark.Thread, is func(*link) bool) (starlark.Value, error) {
	for i, v := range n.links {
		if is(v.(*link)) {
			return v, charge(t, i/16)
		}
	}
	return starlark.None, charge(t, len(n.links)/16)
}

// link is a declared link.
type link struct {
	id        spec.LinkID
	src, dst  *node
	vcs, dim  int
	out, into string
	first     spec.ChannelID // VC 0, known once the file has run
	numbers   [3]starlark.Value
	data      *starlark.Dict // what a topology file says of it
}

func newLink(id int, a, b *node, vcs int, out, into string, dim int) *link {
	return &link{data: noData, id: spec.LinkID(id), src: a, dst: b, vcs: vcs, dim: dim, out: out, into: into,
		numbers: [3]starlark.Value{starlark.MakeInt(id), starlark.MakeInt(vcs), starlark.MakeInt(dim)}}
}

func (l *link) String() string {
	s := l.src.name + "->" + l.dst.name
	if l.out != "" {
		s += "[" + l.out + "]"
	}
	return s
}
func (l *link) Type() string          { return "link" }
func (l *link) Freeze()               {}
func (l *link) Truth() starlark.Bool  { return true }
func (l *link) Hash() (uint32, error) { return uint32(l.id), nil }
func (l *link) AttrNames() []string {
	return []string{"data", "dim", "dst", "id", "into", "out", "src", "vcs"}
}

func (l *link) Attr(name string) (starlark.Value, error) {
	switch name {
	case "id":
		return l.numbers[0], nil
	case "vcs":
		return l.numbers[1], nil
	case "dim":
		return l.numbers[2], nil
	case "data":
		return l.data, nil
	case "src":
		return l.src, nil
	case "dst":
		return l.dst, nil
	case "out":
		return starlark.String(l.out), nil
	case "into":
		return starlark.String(l.into), nil
	}
	return nil, nil
}

// site is where the packet stands for which route is evaluated. One value serves one
// thread: it cannot outlive the call, because everything that does is frozen.
type site struct {
	node    *node
	link    *link // nil when injecting
	vc      int
	channel spec.ChannelID
	tag     spec.Tag
	class   spec.Class
	names   []string // of the classes
	dest    *node
	src     *node // nil: the file does not use it
}

func (s *site) String() string {
	from := "inject " + s.node.name
	if s.link != nil {
		from = fmt.Sprintf("%s vc%d", s.link, s.vc)
	}
	if s.src != nil && s.link != nil {
		from += " from " + s.src.name
	}
	return fmt.Sprintf("%s for %s", from, s.dest.name)
}
func (s *site) Type() string          { return "site" }
func (s *site) Freeze()               {}
func (s *site) Truth() starlark.Bool  { return true }
func (s *site) Hash() (uint32, error) { return 0, fmt.Errorf("a site cannot be a key of a dict") }
func (s *site) AttrNames() []string {
	return []string{"channel", "cls", "cls_name", "injecting", "link", "node", "src", "tag", "vc"}
}

func (s *site) Attr(name string) (starlark.Value, error) {
	switch name {
	case "node":
		return s.node, nil
	case "injecting":
		return starlark.Bool(s.link == nil), nil
	case "src":
		if s.src == nil {
			return nil, errors.New("at.src is unknown: declare network(sources = True), which multiplies the sites by the sources")
		}
		return s.src, nil
	case "tag":
		return starlark.MakeInt(int(s.tag)), nil
	case "cls":
		return starlark.MakeInt(int(s.class)), nil
	case "cls_name":
		return starlark.String(s.names[s.class]), nil
	case "link":
		if s.link != nil {
			return s.link, nil
		}
		return starlark.None, nil
	case "vc":
		if s.link != nil {
			return starlark.MakeInt(s.vc), nil
		}
		return starlark.None, nil
	case "channel":
		if s.link != nil {
			return starlark.MakeInt(int(s.channel)), nil
		}
		return starlark.None, nil
	}
	return nil, nil
}

// hop is a hop that route has permitted, with the place of the call.
type hop struct {
	row  placedHop
	link *link
	vc   int
}

func (h *hop) String() string        { return fmt.Sprintf("hop(%s, vc=%d, tag=%d)", h.link, h.vc, h.row.Tag) }
func (h *hop) Type() string          { return "hop" }
func (h *hop) Freeze()               {}
func (h *hop) Truth() starlark.Bool  { return true }
func (h *hop) Hash() (uint32, error) { return 0, fmt.Errorf("a hop cannot be a key of a dict") }
