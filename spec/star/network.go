package star

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"

	"go.starlark.net/starlark"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/support/words"
	"github.com/seed-105a2da2/unknot/spec/topology"
)

func (b *builder) param(t *starlark.Thread, f *starlark.Builtin, args starlark.Tuple,
	kwargs []starlark.Tuple) (starlark.Value, error) {
	var (
		p        Param
		def      starlark.Value
		low, top starlark.Value
		choices  starlark.Value
	)
	err := starlark.UnpackArgs(f.Name(), args, kwargs, "name", &p.Name, "default", &def, "min?", &low, "max?", &top,
		"doc?", &p.Doc, "choices?", &choices)
	if err != nil {
		return nil, err
	}
	if err := charge(t, len(b.params)); err != nil { // the names are searched
		return nil, err
	}
	if i := slices.IndexFunc(b.params, func(q Param) bool { return q.Name == p.Name }); i >= 0 || p.Name == "" {
		return nil, fmt.Errorf("param: the name %q is empty or declared already: names must differ", p.Name)
	}
	p.Min, p.Max = math.MinInt, math.MaxInt
	switch def := def.(type) {
	case starlark.Bool:
		p.Kind, p.Default = "bool", strings.ToLower(def.String())
	case starlark.Int:
		p.Kind, p.Default = "int", def.String()
	case starlark.String:
		p.Kind, p.Default = "string", string(def)
	default:
		return nil, fmt.Errorf("param: the default of %s is %s: want an int, a bool or a string", p.Name, nameOf(def))
	}
	if p.Kind != "int" && (given(low) || given(top)) || p.Kind != "string" && given(choices) {
		return nil, fmt.Errorf("param: %s is a %s: min and max are for an int, choices for a string", p.Name, p.Kind)
	}
	if given(low) {
		if p.Min, err = starlark.AsInt32(low); err != nil {
			return nil, fmt.Errorf("param: min of %s: %w", p.Name, err)
		}
	}
	if given(top) {
		if p.Max, err = starlark.AsInt32(top); err != nil {
			return nil, fmt.Errorf("param: max of %s: %w", p.Name, err)
		}
	}
	if given(choices) {
		if p.Choices, err = stringsIn("choices", choices); err != nil {
			return nil, err
		}
	}
	value, err := p.value(p.Default)
	if err != nil {
		return nil, fmt.Errorf("param: default: %w", err)
	}
	p.Value = p.Default
	if text, ok := b.opt.Set[p.Name]; ok {
		if value, err = p.value(text); err != nil {
			return nil, err
		}
		p.Value = text
	}
	b.params = append(b.params, p)
	return value, nil
}

// checkSet refuses values for parameters that the file does not declare.
func (b *builder) checkSet() error {
	for _, name := range slices.Sorted(maps.Keys(b.opt.Set)) {
		if slices.ContainsFunc(b.params, func(p Param) bool { return p.Name == name }) {
			continue
		}
		var known []string
		for _, p := range b.params {
			known = append(known, p.Name)
		}
		want := "want " + strings.Join(known, ", ") + words.Suggestion(name, known)
		if len(known) == 0 {
			want = fmt.Sprintf("the file declares none; %.40s = param(%.40q, ...) declares one", name, name)
		}
		return &parameterError{place(b.file, 1, 1, "invalid parameter %.40q: %s", name, want)}
	}
	return nil
}

// parameterError is a *spec.PosError about a value that was given for a parameter, not about the file.
type parameterError struct{ error }

func (e *parameterError) Unwrap() error { return e.error }

func (b *builder) network(_ *starlark.Thread, f *starlark.Builtin, args starlark.Tuple,
	kwargs []starlark.Tuple) (starlark.Value, error) {
	var (
		switching    = spec.StoreAndForward.String()
		classes, vcs starlark.Value
	)
	if len(args) > 0 {
		return nil, errors.New("network takes named arguments only: write network(name=\"...\", switching=\"...\")")
	}
	err := starlark.UnpackArgs(f.Name(), args, kwargs, "name?", &b.def.Name, "paper?", &b.def.Origin,
		"switching?", &switching,
		"buffer?", &b.def.Buffer, "tags?", &b.def.Tags, "classes?", &classes, "vcs?", &vcs, "sources?", &b.sources)
	if err != nil {
		return nil, err
	}
	var known bool
	switch b.def.Switching, known = routing.ParseSwitching(switching); {
	case b.described:
		return nil, errors.New("network is called twice: call it once")
	case len(b.nodes) > 0:
		return nil, errors.New("network is called after the first node: call it before")
	case !known:
		return nil, fmt.Errorf("invalid switching %.40q: want store-and-forward, virtual-cut-through or wormhole",
			switching)
	case b.def.Buffer < 1:
		return nil, fmt.Errorf("invalid buffer %d: want at least 1", b.def.Buffer)
	case b.def.Tags < 1 || b.def.Tags > 1<<16:
		return nil, fmt.Errorf("invalid tags %d: want 1 to 65536", b.def.Tags)
	}
	b.described = true
	b.def.Name, b.def.Origin = spec.Printable(b.def.Name), spec.Printable(b.def.Origin)
	if given(classes) {
		if b.def.Classes, err = stringsIn("classes", classes); err != nil {
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
		if b.vcNames, err = stringsIn("vcs", vcs); err != nil {
			return nil, err
		}
		if b.vcs = len(b.vcNames); b.vcs == 0 {
			return nil, errors.New("vcs is empty: name at least one, or leave it out")
		}
	}
	return starlark.None, nil
}

// expect notes the verdicts that the author expects, under the network's own switching
// or the one named.
func (b *builder) expect(_ *starlark.Thread, f *starlark.Builtin, args starlark.Tuple,
	kwargs []starlark.Tuple) (starlark.Value, error) {
	var switching string
	var verdicts [4]string // by property
	err := starlark.UnpackArgs(f.Name(), args, kwargs, "deadlock_freedom?", &verdicts[spec.DeadlockFreedom],
		"livelock_freedom?", &verdicts[spec.LivelockFreedom],
		"delivery?", &verdicts[spec.Delivery], "no_discard?", &verdicts[spec.NoDiscard], "switching?", &switching)
	switch {
	case err != nil:
		return nil, err
	case len(args) > 0:
		return nil, errors.New("expect takes named arguments only: write expect(deadlock_freedom = \"holds\")")
	case switching == "" && !b.described:
		return nil, errors.New("expect before network: call network first, or name the switching")
	}
	under := b.def.Switching
	if switching != "" {
		var known bool
		if under, known = routing.ParseSwitching(switching); !known {
			return nil, fmt.Errorf("invalid switching %.40q: want store-and-forward, virtual-cut-through or wormhole",
				switching)
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
func (n *node) linkTo(t *starlark.Thread, f *starlark.Builtin, args starlark.Tuple,
	kwargs []starlark.Tuple) (starlark.Value, error) {
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
func (n *node) linkAt(t *starlark.Thread, f *starlark.Builtin, args starlark.Tuple,
	kwargs []starlark.Tuple) (starlark.Value, error) {
	if len(args) != 1 || len(kwargs) > 0 {
		return nil, fmt.Errorf("%s.port has %d arguments: write %s.port(\"name\")",
			n.name, len(args)+len(kwargs), n.name)
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

func (b *builder) node(t *starlark.Thread, f *starlark.Builtin, args starlark.Tuple,
	kwargs []starlark.Tuple) (starlark.Value, error) {
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
	switch {
	case b.listed != nil:
		return nil, fmt.Errorf("node %.40q beside lists of routes: the lists name all nodes and links of the network", name)
	case len(b.nodes) >= mostNodes:
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

func (b *builder) link(t *starlark.Thread, f *starlark.Builtin, args starlark.Tuple,
	kwargs []starlark.Tuple) (starlark.Value, error) {
	var (
		from, to  starlark.Value
		vcs       = b.vcs
		dim       int
		out, into string
	)
	err := starlark.UnpackArgs(f.Name(), args, kwargs, "a", &from, "b", &to, "vcs?", &vcs, "out?", &out, "into?", &into,
		"dim?", &dim)
	if err != nil {
		return nil, err
	}
	l, err := b.join(t, f.Name(), from, to, vcs, out, into, dim)
	if err != nil {
		return nil, err
	}
	return l, nil
}

func (b *builder) linkBothWays(t *starlark.Thread, f *starlark.Builtin, args starlark.Tuple,
	kwargs []starlark.Tuple) (starlark.Value, error) {
	var (
		one, two  starlark.Value
		vcs       = b.vcs
		dim       int
		out, back string
	)
	err := starlark.UnpackArgs(f.Name(), args, kwargs, "a", &one, "b", &two, "vcs?", &vcs, "out?", &out, "back?", &back,
		"dim?", &dim)
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

func (b *builder) join(t *starlark.Thread, what string, from, to starlark.Value, vcs int, out, into string,
	dim int) (*link, error) {
	src, err := b.end(what, from)
	if err != nil {
		return nil, err
	}
	dst, err := b.end(what, to)
	switch {
	case err != nil:
		return nil, err
	case b.listed != nil:
		return nil, fmt.Errorf("%s beside lists of routes: the lists name all nodes and links of the network", what)
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
func (b *builder) topologyOf(t *starlark.Thread, f *starlark.Builtin, args starlark.Tuple,
	kwargs []starlark.Tuple) (starlark.Value, error) {
	var name string
	var ways starlark.Value
	opt := topology.Options{VCs: b.vcs}
	err := starlark.UnpackArgs(f.Name(), args, kwargs, "file", &name, "vcs?", &opt.VCs, "both_ways??", &ways,
		"format?", &opt.Format)
	if err != nil {
		return nil, err
	}
	if told, is := ways.(starlark.Bool); is {
		opt.BothWays, opt.OneWay = bool(told), !bool(told)
	} else if ways != nil {
		return nil, fmt.Errorf("topology with invalid both_ways %s: want True or False", short(ways))
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
	if g.OneWay && !opt.OneWay && topology.IsList(g.Format) {
		b.oneWay = file
	}
	if g.Twice != nil && b.opt.Warn != nil {
		b.opt.Warn(g.Twice.String())
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
	return &fields{starlark.StringDict{"name": starlark.String(g.Name), "nodes": nodes, "links": links,
		"terminals": terminals}}, nil
}

// unrouted says that a file defines no route, at a function whose name is almost that, if there is one.
func (b *builder) unrouted(globals starlark.StringDict) error {
	const want = "define def route(at, to) that returns a list of hops"
	for _, name := range slices.Sorted(maps.Keys(globals)) {
		f, ok := globals[name].(*starlark.Function)
		if ok && f.Position().Filename() == b.file && words.Suggestion(name, []string{"route"}) != "" {
			return place(b.file, int(f.Position().Line), int(f.Position().Col), "no routing: this defines %s: %s", name, want)
		}
	}
	return place(b.file, 1, 1, "no routing: %s", want)
}

// define turns what the file declared into a definition.
func (b *builder) define(ctx context.Context, globals starlark.StringDict) (routing.Definition, error) {
	none := routing.Definition{}
	if b.listed != nil {
		return b.defineListed(ctx, globals)
	}
	if len(b.nodes) == 0 {
		return none, place(b.file, 1, 1, "no node: declare nodes with node(name, at=(x, y))")
	}
	route, ok := globals["route"].(*starlark.Function)
	if !ok {
		if v := globals["route"]; v != nil {
			return none, place(b.file, 1, 1, "route is of type %s: it must be a function, def route(at, to)", v.Type())
		}
		return none, b.unrouted(globals)
	}
	if pos := route.Position(); route.NumParams() != 2 || route.HasVarargs() || route.HasKwargs() ||
		route.NumKwonlyParams() > 0 {
		return none, place(b.file, int(pos.Line), int(pos.Col),
			"route must take two parameters: write def route(at, to)")
	}
	t := b.topology()
	if err := t.Err(); err != nil {
		return none, place(b.file, 1, 1, "%v", err)
	}
	def := b.def
	def.Topology = t
	def.Origin = cmp.Or(def.Origin, b.file)
	def.Name = cmp.Or(def.Name, strings.TrimSuffix(b.file[strings.LastIndexByte(b.file, '/')+1:], ".star"))
	r := newRelation(ctx, b, t, route)
	if !r.concreteOnly {
		r.calls = newCalls(b.callable, globals)
	}
	if b.sources {
		const most = 1 << 16
		switch {
		case len(b.replied) > 0:
			return none, place(b.file, 1, 1,
				"sources cannot be combined with replies: a transaction has several sources; keep what matters in "+
					"the tag")
		case def.Tags*t.Nodes() > most:
			return none, place(b.file, 1, 1, "sources of %d nodes with %d tags each: at most %d in all",
				t.Nodes(), def.Tags, most)
		}
		r.tags, def.Tags = def.Tags, def.Tags*t.Nodes()
	}
	def.Routing = routing.Deliver(t, r)
	if def.Flows = r.flows(b.flow); def.Flows == nil {
		def.Flows = b.allPairs()
	}
	def.Replies = r.replies(b.replied)
	return def, nil
}

func newRelation(ctx context.Context, b *builder, t *spec.Topology, route *starlark.Function) *relation {
	r := &relation{ctx: ctx, file: b.file, steps: b.opt.MaxRouteSteps, nodes: b.nodes, links: b.links,
		classes: b.def.Classes, t: t, route: route, ownTags: b.def.Tags,
		injections: injections{fewRuns: fewRuns, runsPerNode: mostRunsPerNode}}
	r.facts = sync.OnceValue(func() *facts { return newFacts(b.nodes, b.links, b.lists) })
	if b.opt.tested != nil {
		b.opt.tested(r)
	}
	return r
}

// topology copies the declared nodes and links.
func (b *builder) topology() *spec.Topology {
	t := spec.NewTopology(b.vcNames...)
	for _, n := range b.nodes {
		t.AddNode(n.name, n.coordinates()...)
		n.links = slices.Clip(n.links)
	}
	for _, l := range b.links {
		l.first = t.Channel(t.AddLink(spec.Link{From: l.src.id, To: l.dst.id, VCs: l.vcs, Out: l.out, In: l.into,
			Dim: l.dim}), 0)
	}
	return t
}

// flows records who sends to whom.
func (b *builder) flows(_ *starlark.Thread, f *starlark.Builtin, args starlark.Tuple,
	kwargs []starlark.Tuple) (starlark.Value, error) {
	var v starlark.Value
	if err := starlark.UnpackArgs(f.Name(), args, kwargs, "flows", &v); err != nil {
		return nil, err
	}
	if b.flow.f != nil || b.flow.set != nil {
		return nil, fmt.Errorf("flows is called twice: call it once")
	}
	switch v := v.(type) {
	case *starlark.Function:
		b.flow.f = v
		if v.NumParams() != 3 || v.HasVarargs() || v.HasKwargs() || v.NumKwonlyParams() > 0 {
			return nil, fmt.Errorf("flows takes a function of three parameters, not %s: write (src, dst, cls)",
				v.Name())
		}
	case *starlark.List:
		b.flow.set = map[aFlow]bool{}
		for i := range v.Len() {
			if err := b.addFlow(v.Index(i)); err != nil {
				return nil, fmt.Errorf("flow %d: %w", i, err)
			}
		}
	default:
		return nil, fmt.Errorf("flows of %s: want a function (src, dst, cls) or a list of pairs, as in [(a, b)]",
			nameOf(v))
	}
	return starlark.None, nil
}

func (b *builder) addFlow(v starlark.Value) error {
	t, _ := v.(starlark.Tuple) // empty, if it is something else
	if len(t) != 2 && len(t) != 3 {
		return fmt.Errorf("%s: want a tuple, (src, dst) or (src, dst, cls)", nameOf(v))
	}
	src, err := b.end("flows", t[0])
	if err != nil {
		return err
	}
	dst, err := b.end("flows", t[1])
	if err != nil {
		return err
	}
	if src == dst {
		return fmt.Errorf("%s sends to itself: want two nodes", src.name)
	}
	if len(t) == 2 {
		for c := range b.def.Classes {
			b.flow.set[aFlow{src.id, dst.id, spec.Class(c)}] = true
		}
		return nil
	}
	c, err := b.class(t[2])
	if err != nil {
		return err
	}
	b.flow.set[aFlow{src.id, dst.id, c}] = true
	return nil
}

// class finds a class by number or by name.
func (b *builder) class(v starlark.Value) (spec.Class, error) {
	c := -1
	switch v := v.(type) {
	case starlark.Int:
		if x, err := starlark.AsInt32(v); err == nil {
			c = x
		}
	case starlark.String:
		c = slices.Index(b.def.Classes, string(v))
	}
	switch {
	case c >= 0 && c < len(b.def.Classes):
		return spec.Class(c), nil
	case len(b.def.Classes) == 1:
		return 0, fmt.Errorf(
			"invalid class %.40s: the network has one class, number 0; declare several with network(classes = "+
				"[\"request\", \"reply\"])", short(v))
	}
	return 0, fmt.Errorf("invalid class %.40s: want one of %s, or its number, 0 to %d",
		short(v), words.Quoted(b.def.Classes), len(b.def.Classes)-1)
}

// flows returns the definition's flows. A function that fails counts as sending, and
// the relation then answers with its error.
func (r *relation) flows(f flow) routing.Flows {
	switch {
	case f.f != nil:
		return func(src, dst spec.NodeID, c spec.Class) bool {
			sends, err := r.sends(f.f, src, dst, c)
			if err != nil {
				r.refuses.Store(true)
				r.refused.Store(spec.Site{Channel: spec.Injection(src), Header: spec.Header{Dest: dst, Class: c}}, err)
				return true
			}
			return sends
		}
	case f.set != nil:
		return func(src, dst spec.NodeID, c spec.Class) bool { return f.set[aFlow{src, dst, c}] }
	}
	return nil
}

func (r *relation) sends(f *starlark.Function, src, dst spec.NodeID, c spec.Class) (bool, error) {
	if r.ctx.Err() != nil {
		return true, nil // the relation says why
	}
	if q := (input{ofNode: int64(src), ofDest: int64(dst), ofLink: -1, ofClass: int64(c)}); !r.concreteOnly {
		if a := r.sendsTo(f, q); a != nil && !a.concrete {
			return a.sends, nil
		}
	}
	sends := false
	err := r.call(f, "flows", src, dst, starlark.Tuple{r.nodes[src], r.nodes[dst], starlark.MakeInt(int(c))},
		func(v starlark.Value) string {
			is, ok := v.(starlark.Bool)
			if sends = bool(is); !ok {
				return "must return True or False"
			}
			return ""
		})
	return sends, err
}

// call evaluates a function other than route for two nodes. read takes the result, or says
// what it must be.
func (r *relation) call(f *starlark.Function, what string, src, dst spec.NodeID, args starlark.Tuple,
	read func(starlark.Value) string) error {
	a := r.startCall()
	a.site.node, a.site.dest, a.site.link, a.run.function = r.nodes[src], r.nodes[dst], nil, what
	v, err := starlark.Call(a.thread, f, args, nil)
	if err != nil {
		return fault(r.file, a.thread, err)
	}
	r.callPool.Put(a)
	if want := read(v); want != "" {
		return a.returned(f, f.Name()+" returned "+nameOf(v)+": "+want)
	}
	return nil
}

// replies records that nodes answer messages of one class with those of another.
func (b *builder) replies(t *starlark.Thread, f *starlark.Builtin, args starlark.Tuple,
	kwargs []starlark.Tuple) (starlark.Value, error) {
	var (
		request, answer starlark.Value
		to              starlark.Value
		r               reply
	)
	buffer, outstanding := starlark.Value(starlark.None), starlark.Value(starlark.None)
	err := starlark.UnpackArgs(f.Name(), args, kwargs, "request", &request, "reply", &answer, "buffer?", &buffer,
		"request_buffer?", &r.RequestBuffer, "outstanding?", &outstanding, "to?", &to)
	if err != nil {
		return nil, err
	}
	for _, x := range []struct {
		name string
		v    starlark.Value
		n    *int
	}{{"buffer", buffer, &r.Slots}, {"outstanding", outstanding, &r.Outstanding}} {
		if *x.n, err = starlark.AsInt32(x.v); given(x.v) && (err != nil || *x.n < 1 || *x.n > 1<<16) {
			return nil, fmt.Errorf("invalid %s %.40s: want 1 to 65536", x.name, short(x.v))
		}
	}
	r.RequestBuffer = spec.Printable(r.RequestBuffer)
	if r.Request, err = b.class(request); err != nil {
		return nil, err
	}
	if r.Reply.Reply, err = b.class(answer); err != nil {
		return nil, err
	}
	if given(to) {
		var ok bool
		if r.to, ok = to.(*starlark.Function); !ok || r.to.NumParams() != 2 || r.to.HasVarargs() || r.to.HasKwargs() ||
			r.to.NumKwonlyParams() > 0 {
			return nil, errors.New("invalid to: want a function of two nodes, as in to = lambda origin, at: [...]")
		}
	}
	at := positionOf(t.Name, t.CallStack())
	r.Place = &spec.PosError{File: at.file, Line: int(at.line), Col: int(at.col)}
	b.replied = append(b.replied, r)
	return starlark.None, nil
}

// replies returns the definition's replies.
func (r *relation) replies(all []reply) []routing.Reply {
	out := make([]routing.Reply, len(all))
	for i, x := range all {
		out[i] = x.Reply
		if x.to == nil {
			continue
		}
		out[i].To = func(dst []spec.NodeID, origin, at spec.NodeID) ([]spec.NodeID, error) {
			err := r.call(x.to, "replies", origin, at, starlark.Tuple{r.nodes[origin], r.nodes[at]},
				func(v starlark.Value) string {
					list, ok := elements(v)
					if !ok {
						list = []starlark.Value{v}
					}
					for _, x := range list {
						n, ok := x.(*node)
						if !ok {
							return "must return a node or a list of nodes"
						}
						dst = append(dst, n.id)
					}
					return ""
				})
			return dst, err
		}
	}
	return out
}
