package star

import (
	"fmt"
	"slices"
	"strings"

	"go.starlark.net/starlark"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/topology"
)

// Nodes and the links that join them.

const mostChannels = 1 << 24

func newNode(id int, name string, at starlark.Tuple) *node {
	n := &node{id: spec.NodeID(id), name: name, at: at, idValue: starlark.MakeInt(id)}
	n.toFunc = starlark.NewBuiltin("to", n.linkTo)
	n.port = starlark.NewBuiltin("port", n.linkAt)
	return n
}

func newLink(id int, a, b *node, vcs int, out, into string, dim int) *link {
	return &link{data: noData, id: spec.LinkID(id), src: a, dst: b, vcs: vcs, dim: dim, out: out, into: into,
		numbers: [3]starlark.Value{starlark.MakeInt(id), starlark.MakeInt(vcs), starlark.MakeInt(dim)}}
}

// linkTo is n.to(m).
func (n *node) linkTo(t *starlark.Thread, f *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if len(args) != 1 || len(kwargs) > 0 {
		return nil, fmt.Errorf("%s.to has %d arguments: write %s.to(node)", n.name, len(args)+len(kwargs), n.name)
	}
	if some, ok := args[0].(*symbolicNode); ok {
		return some.p.linkBetween(constant(int64(n.id)), some)
	}
	m, ok := args[0].(*node)
	if !ok {
		return nil, fmt.Errorf("%s.to of %s: want a node", n.name, nameOf(args[0]))
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
		return nil, fmt.Errorf("%s.port of %s: want a string", n.name, nameOf(args[0]))
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

func (b *builder) node(t *starlark.Thread, f *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var (
		name string
		at   starlark.Tuple
	)
	if err := starlark.UnpackArgs(f.Name(), args, kwargs, "name?", &name, "at?", &at); err != nil {
		return nil, err
	}
	if len(at) > 64 {
		return nil, fmt.Errorf("node: %d coordinates: at most 64", len(at))
	}
	coordinates := make([]int, len(at))
	for i, x := range at {
		var err error
		if coordinates[i], err = starlark.AsInt32(x); err != nil {
			return nil, fmt.Errorf("node: coordinate %d: %w", i, err)
		}
	}
	switch {
	case name != "":
		name = spec.Printable(name)
	case len(at) > 0:
		name = routing.CoordinateName(coordinates...)
	default:
		name = fmt.Sprint(len(b.nodes))
	}
	return b.addNode(t, name, coordinates, nil)
}

// addNode adds a node, with what a data file says of it.
func (b *builder) addNode(t *starlark.Thread, name string, at []int, data []topology.Attribute) (*node, error) {
	if old := b.named[name]; old != nil {
		return nil, fmt.Errorf("node %.40q already exists: names must differ", name)
	}
	if len(b.nodes) >= mostNodes {
		return nil, bound(mostNodes, "nodes", "make the network smaller")
	}
	if err := charge(t, emptyDict); err != nil { // a node is as large
		return nil, err
	}
	coordinates := make(starlark.Tuple, len(at))
	for i, x := range at {
		coordinates[i] = starlark.MakeInt(x)
	}
	n := newNode(len(b.nodes), name, coordinates)
	var err error
	if n.data, err = dataOf(t, data); err != nil {
		return nil, err
	}
	b.nodes = append(b.nodes, n)
	b.named[name] = n
	return n, nil
}

func (b *builder) link(t *starlark.Thread, f *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var (
		from, to  starlark.Value
		vcs       = b.vcs
		dim       int
		out, into string
	)
	err := starlark.UnpackArgs(f.Name(), args, kwargs, "a", &from, "b", &to, "vcs?", &vcs, "out?", &out, "into?", &into, "dim?", &dim)
	if err != nil {
		return nil, err
	}
	l, err := b.join(t, f.Name(), from, to, vcs, out, into, dim)
	if err != nil {
		return nil, err
	}
	return l, nil
}

func (b *builder) linkBothWays(t *starlark.Thread, f *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var (
		one, two  starlark.Value
		vcs       = b.vcs
		dim       int
		out, back string
	)
	err := starlark.UnpackArgs(f.Name(), args, kwargs, "a", &one, "b", &two, "vcs?", &vcs, "out?", &out, "back?", &back, "dim?", &dim)
	if err != nil {
		return nil, err
	}
	there, err := b.join(t, f.Name(), one, two, vcs, out, back, dim)
	if err != nil {
		return nil, err
	}
	again, err := b.join(t, f.Name(), two, one, vcs, back, out, dim)
	if err != nil {
		return nil, err
	}
	return starlark.Tuple{there, again}, nil
}

func (b *builder) join(t *starlark.Thread, what string, from, to starlark.Value, vcs int, out, into string, dim int) (*link, error) {
	src, err := b.end(what, from)
	if err != nil {
		return nil, err
	}
	dst, err := b.end(what, to)
	switch {
	case err != nil:
		return nil, err
	case src == dst:
		return nil, fmt.Errorf("%s joins %s with itself: the ends must differ", what, src.name)
	case vcs < 1 || vcs > 1<<16:
		return nil, fmt.Errorf("%s with invalid vcs %d: want 1 to 65536", what, vcs)
	case b.channels+vcs > mostChannels:
		return nil, bound(mostChannels, "channels", "make the network smaller")
	}
	if err := charge(t, emptyDict/2); err != nil { // about as large as half a node
		return nil, err
	}
	b.channels += vcs
	l := newLink(len(b.links), src, dst, vcs, spec.Printable(out), spec.Printable(into), dim)
	b.links = append(b.links, l)
	src.links = append(src.links, l)
	return l, nil
}

// end finds a node given as such, by its name, or by the coordinates that it is named
// after.
func (b *builder) end(what string, v starlark.Value) (*node, error) {
	switch v := v.(type) {
	case *node:
		return v, nil
	case starlark.String:
		if n := b.named[spec.Printable(string(v))]; n != nil {
			return n, nil
		}
		return nil, fmt.Errorf("%s: unknown node %.40q: declare it first with node(...)", what, string(v))
	case starlark.Tuple:
		if n := b.named[strings.ReplaceAll(short(v), " ", "")]; n != nil { // named after its coordinates
			return n, nil
		}
		return nil, fmt.Errorf("%s: no node is called %.40s: declare it first with node(at=...)", what, short(v))
	}
	return nil, fmt.Errorf("%s: one end is %s: want a node, or the name or the coordinates of one", what, nameOf(v))
}

// topology is topology(file, vcs=, both_ways=, format=): it declares the nodes and links
// of a file, and returns them.
func (b *builder) topologyOf(t *starlark.Thread, f *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var name string
	opt := topology.Options{VCs: b.vcs}
	err := starlark.UnpackArgs(f.Name(), args, kwargs, "file", &name, "vcs?", &opt.VCs, "both_ways?", &opt.BothWays, "format?", &opt.Format)
	if err != nil {
		return nil, err
	}
	if opt.VCs < 1 || opt.VCs > 1<<16 {
		return nil, fmt.Errorf("topology with invalid vcs %d: want 1 to 65536", opt.VCs)
	}
	file, text, err := b.input(t, f.Name(), name)
	if err != nil {
		return nil, err
	}
	g, err := topology.Read(b.ctx, file, text, opt)
	if err != nil {
		return nil, err
	}
	first := len(b.nodes)
	var nodes, links, terminals starlark.Tuple
	for v := range spec.NodeID(g.Topology.Nodes()) {
		n, err := b.addNode(t, g.Topology.Node(v).Name, g.Topology.Node(v).At, g.Nodes[v])
		if err != nil {
			return nil, err
		}
		b.quiet[n] = true
		nodes = append(nodes, n)
	}
	for _, v := range g.Terminals {
		delete(b.quiet, b.nodes[first+int(v)])
		terminals = append(terminals, b.nodes[first+int(v)])
	}
	for l := range spec.LinkID(g.Topology.Links()) {
		k := g.Topology.Link(l)
		v, err := b.join(t, f.Name(), b.nodes[first+int(k.From)], b.nodes[first+int(k.To)], k.VCs, k.Out, k.In, k.Dim)
		if err != nil {
			return nil, err
		}
		if v.data, err = dataOf(t, g.Links[l]); err != nil {
			return nil, err
		}
		links = append(links, v)
	}
	return &fields{starlark.StringDict{"name": starlark.String(g.Name), "nodes": nodes, "links": links, "terminals": terminals}}, nil
}
