package star

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"go.starlark.net/starlark"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/topology"
)

// builder collects what a file declares.
type builder struct {
	ctx        context.Context // of Load, for the networks that it loads
	file       string
	opt        Options
	params     []Param
	paramsOnly bool // the file ends with the call of machine
	def        routing.Definition
	described  bool // network was called
	sources    bool // route sees where a packet comes from
	vcs        int  // VCs of a link that does not say
	vcNames    []string
	nodes      []*node
	links      []*link
	named      map[string]*node
	channels   int
	flow       flow
	replied    []reply
	machine    bool // the file describes a machine
	m          *machine
	source     *Source                 // of a machine
	inputs     map[string]bool         // data files that the texts name
	read       map[string]bool         // those that were read
	quiet      map[*node]bool          // which topology says neither send nor receive
	lists      map[starlark.Value]bool // and dicts, that global values contain
	callable   map[string]bool         // functions whose calls may be remembered
}

func newBuilder(file string, opt Options) *builder {
	return &builder{file: file, opt: opt, vcs: 1, named: map[string]*node{},
		inputs: map[string]bool{}, read: map[string]bool{}, quiet: map[*node]bool{}, lists: map[starlark.Value]bool{},
		def: routing.Definition{Tags: 1, Buffer: 1, Classes: []string{""}}}
}

type builtin = func(*starlark.Thread, *starlark.Builtin, starlark.Tuple, []starlark.Tuple) (starlark.Value, error)

// builtins returns what a file can call beside the Starlark core.
func (b *builder) builtins() starlark.StringDict {
	all := starlark.StringDict{}
	functions := map[string]builtin{
		"param": b.param, "network": b.network, "node": b.node, "link": b.link, "topology": b.topologyOf,
		"both": b.both, "flows": b.flows, "replies": b.replies, "expect": b.expect,
	}
	maps.Copy(functions, b.dataBuiltins())
	for name, f := range functions {
		all[name] = starlark.NewBuiltin(name, func(t *starlark.Thread, g *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			if runOf(t).site != nil {
				return nil, fmt.Errorf("%s inside route: declare everything at top level", name)
			}
			return withUsage(f, usage)(t, g, args, kwargs)
		})
	}
	all["hop"] = starlark.NewBuiltin("hop", withUsage(b.hop, usage))
	return all
}

// usage is how each function is called.
var usage = map[string]string{
	"param":    `param(name, default, min=, max=, choices=, doc=)`,
	"network":  `network(name=, source=, switching=, buffer=, tags=, classes=, vcs=, sources=)`,
	"node":     `node("a") or node(at=(0, 1))`,
	"link":     `link(a, b, vcs=, out=, into=, dim=)`,
	"both":     `both(a, b, vcs=, out=, back=, dim=)`,
	"flows":    `flows(f) or flows([(a, b), ...])`,
	"replies":  `replies(request, reply, buffer=1, endpoint=, outstanding=, to=)`,
	"expect":   `expect(deadlock=, livelock=, delivery=, switching=)`,
	"hop":      `hop(link, vc=0, tag=0)`,
	"table":    `table(file, columns=)`,
	"json":     `json(file)`,
	"topology": `topology(file, vcs=, both_ways=, format=)`,
}

// withUsage adds how a function is called to the errors of its arguments.
func withUsage(f builtin, usage map[string]string) builtin {
	return func(t *starlark.Thread, g *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		v, err := f(t, g, args, kwargs)
		if err != nil && argumentError.MatchString(err.Error()) {
			err = fmt.Errorf("%w: write %s", err, usage[g.Name()])
		}
		return v, err
	}
}

// argumentError matches what [starlark.UnpackArgs] says.
var argumentError = regexp.MustCompile(`^\w+: (for parameter |unexpected |missing argument |got \d+ arguments)`)

func (b *builder) network(_ *starlark.Thread, f *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var (
		switching    = spec.StoreAndForward.String()
		classes, vcs starlark.Value
	)
	if len(args) > 0 {
		return nil, errors.New("network takes names only: write network(name=\"...\", switching=\"...\")")
	}
	err := starlark.UnpackArgs(f.Name(), args, kwargs, "name?", &b.def.Name, "source?", &b.def.Source, "switching?", &switching,
		"buffer?", &b.def.Buffer, "tags?", &b.def.Tags, "classes?", &classes, "vcs?", &vcs, "sources?", &b.sources)
	if err != nil {
		return nil, err
	}
	var known bool
	switch b.def.Switching, known = routing.ParseSwitching(switching); {
	case b.described:
		return nil, errors.New("network is called twice: call it once")
	case len(b.nodes) > 0:
		return nil, errors.New("network after the first node: call it before")
	case !known:
		return nil, fmt.Errorf("invalid switching %.40q: want store-and-forward, virtual-cut-through or wormhole", switching)
	case b.def.Buffer < 1:
		return nil, fmt.Errorf("invalid buffer %d: want at least 1", b.def.Buffer)
	case b.def.Tags < 1 || b.def.Tags > 1<<16:
		return nil, fmt.Errorf("invalid tags %d: want 1 to 65536", b.def.Tags)
	}
	b.described = true
	b.def.Name, b.def.Source = spec.Printable(b.def.Name), spec.Printable(b.def.Source)
	if given(classes) {
		if b.def.Classes, err = texts("classes", classes); err != nil {
			return nil, err
		}
		if len(b.def.Classes) == 0 {
			return nil, errors.New("classes is empty: name at least one, or leave it out")
		}
	}
	switch vcs := vcs.(type) {
	case nil, starlark.NoneType:
	case starlark.Int:
		if b.vcs, err = starlark.AsInt32(vcs); err != nil || b.vcs < 1 || b.vcs > 1<<16 {
			return nil, fmt.Errorf("invalid vcs %.40s: want 1 to 65536", vcs)
		}
	default:
		if b.vcNames, err = texts("vcs", vcs); err != nil {
			return nil, err
		}
		if b.vcs = len(b.vcNames); b.vcs == 0 {
			return nil, errors.New("vcs is empty: name at least one, or leave it out")
		}
	}
	return starlark.None, nil
}

// expect notes the verdicts that the author expects, with the network's own
// switching or the one that is named.
func (b *builder) expect(_ *starlark.Thread, f *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var switching string
	var verdicts [3]string // by property
	err := starlark.UnpackArgs(f.Name(), args, kwargs, "deadlock?", &verdicts[spec.Deadlock], "livelock?", &verdicts[spec.Livelock],
		"delivery?", &verdicts[spec.Delivery], "switching?", &switching)
	switch {
	case err != nil:
		return nil, err
	case len(args) > 0:
		return nil, errors.New("expect takes names only: write expect(deadlock = \"holds\")")
	case switching == "" && !b.described:
		return nil, errors.New("expect before network: call network first, or name the switching")
	}
	under := b.def.Switching
	if switching != "" {
		var known bool
		if under, known = routing.ParseSwitching(switching); !known {
			return nil, fmt.Errorf("invalid switching %.40q: want store-and-forward, virtual-cut-through or wormhole", switching)
		}
	}
	for p, text := range verdicts {
		if text == "" {
			continue
		}
		v, known := spec.ParseVerdict(text)
		if !known {
			return nil, fmt.Errorf("invalid %s %.40q: want holds, violated or unknown", spec.Property(p), text)
		}
		for _, x := range b.def.Expect {
			if x.Property == spec.Property(p) && x.Switching == under {
				return nil, fmt.Errorf("%s with %s is expected twice", x.Property, under)
			}
		}
		b.def.Expect = append(b.def.Expect, spec.Expectation{Property: spec.Property(p), Verdict: v, Switching: under})
	}
	return starlark.None, nil
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

// addNode adds a node of which a file of data may say more.
func (b *builder) addNode(t *starlark.Thread, name string, at []int, data []topology.Attribute) (*node, error) {
	if old := b.named[name]; old != nil {
		return nil, fmt.Errorf("node %.40q exists already: names must differ", name)
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

func (b *builder) both(t *starlark.Thread, f *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
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

// end finds a node that is given as such or by its name.
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
		if n := b.named[strings.ReplaceAll(short(v), " ", "")]; n != nil { // called after its coordinates
			return n, nil
		}
		return nil, fmt.Errorf("%s: no node is called %.40s: declare it first with node(at=...)", what, short(v))
	}
	return nil, fmt.Errorf("%s: one end is %s: want a node, or the name or the coordinates of one", what, nameOf(v))
}

// hop records the place of the call with the hop.
func (b *builder) hop(t *starlark.Thread, f *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	at := runOf(t).site
	if at == nil {
		return nil, errors.New("hop outside route: only route(at, to) returns hops")
	}
	var to, vc, tag starlark.Value
	if len(kwargs) == 0 && 1 <= len(args) && len(args) <= 3 {
		to = args[0]
		if len(args) > 1 {
			vc = args[1]
		}
		if len(args) > 2 {
			tag = args[2]
		}
	} else if err := starlark.UnpackArgs(f.Name(), args, kwargs, "link", &to, "vc?", &vc, "tag?", &tag); err != nil {
		return nil, err
	}
	runOf(t).hops++
	pos := t.CallFrame(1).Pos
	place := position{file: pos.Filename(), line: pos.Line, col: pos.Col}
	if t.CallStackDepth() > 2 { // beside hop and route there is a function
		place = positionOf(b.file, t.CallStack())
	}
	if p := runOf(t).probe; p != nil {
		return p.hop(b, place, to, vc, tag)
	}
	l, ok := to.(*link)
	switch {
	case to == starlark.None:
		return nil, fmt.Errorf("hop into None: to(node) and port(name) return None where no such link leaves %s; test it first, or return [] for a dead end", at.node.name)
	case !ok:
		return nil, fmt.Errorf("hop into a %s: want a link that leaves %s, such as at.node.to(n) or at.node.port(\"+x\")", to.Type(), at.node.name)
	}
	if l.src != at.node {
		return nil, fmt.Errorf("hop into %s, which does not leave %s: want one of its links (at.node.out)", l, at.node.name)
	}
	h := &hop{link: l}
	var err error
	if h.vc, err = b.vcNumber(l, vc); err != nil {
		return nil, err
	}
	number := 0
	if tag != nil {
		if number, err = starlark.AsInt32(tag); err != nil {
			return nil, fmt.Errorf("hop with tag %.40s: want 0 to %d", short(tag), b.def.Tags-1)
		}
	}
	if number < 0 || number >= b.def.Tags {
		return nil, fmt.Errorf("hop with tag %d: want 0 to %d (network(tags=%d))", number, b.def.Tags-1, b.def.Tags)
	}
	h.row = placedHop{Hop: spec.Hop{Channel: l.first + spec.ChannelID(h.vc), Tag: spec.Tag(number)}, at: place}
	return h, nil
}

func (b *builder) vcNumber(l *link, vc starlark.Value) (int, error) {
	number := 0
	switch vc := vc.(type) {
	case nil:
	case starlark.Int:
		x, err := starlark.AsInt32(vc)
		if err != nil {
			x = -1
		}
		number = x
	case starlark.String:
		if number = b.vcNamed(string(vc)); number < 0 {
			if len(b.vcNames) == 0 {
				return 0, fmt.Errorf("hop into VC %.40q of %s: VCs have no names: write a number, or network(vcs=[\"lo\", \"hi\"])", string(vc), l)
			}
			return 0, fmt.Errorf("hop into VC %.40q of %s: the names are %q", string(vc), l, b.vcNames)
		}
	default:
		return 0, fmt.Errorf("hop into VC %.40s: want a number or a name", short(vc))
	}
	if number < 0 || number >= l.vcs {
		return 0, fmt.Errorf("hop into VC %.40s of %s: its VCs are 0 to %d", short(vc), l, l.vcs-1)
	}
	return number, nil
}

// vcNamed returns the number of the VC with a name, or -1. A name that some VC has is printable.
func (b *builder) vcNamed(name string) int {
	if i := slices.Index(b.vcNames, name); i >= 0 {
		return i
	}
	return slices.Index(b.vcNames, spec.Printable(name))
}

// nameOf returns the type of a value, or None.
func nameOf(v starlark.Value) string {
	if v == starlark.None {
		return "None"
	}
	return v.Type()
}

// short describes a value in bounded space.
func short(v starlark.Value) string {
	if left := 200; !weigh(v, &left, 0) {
		return v.Type()
	}
	return v.String()
}
