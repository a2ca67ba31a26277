package star

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"go.starlark.net/starlark"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// builder collects what a file declares.
type builder struct {
	ctx        context.Context // of Load, for the networks that it loads
	file       string
	opt        Options
	params     []Param
	paramsOnly bool // the file ends at the call of machine
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
	quiet      map[*node]bool          // nodes that, as topology says, neither send nor receive
	lists      map[starlark.Value]bool // lists and dicts in global values
	early      map[keyed]*early        // what was answered ahead
	kept       map[any]*early          // by keyed, or by stepPartKey: what was answered while FIFOs were inferred
	callable   map[string]bool         // functions whose calls may be remembered
	bare       bool                    // the file runs bare (bare.go)
}

func newBuilder(file string, opt Options) *builder {
	return &builder{file: file, opt: opt, vcs: 1, named: map[string]*node{},
		inputs: map[string]bool{}, read: map[string]bool{}, quiet: map[*node]bool{}, lists: map[starlark.Value]bool{},
		def: routing.Definition{Tags: 1, Buffer: 1, Classes: []string{""}}}
}

type builtin = func(*starlark.Thread, *starlark.Builtin, starlark.Tuple, []starlark.Tuple) (starlark.Value, error)

// builtins returns what the file of a network can call besides the Starlark core.
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

// usage shows how each function is called.
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

// withUsage adds to an error about arguments how the function is called.
func withUsage(f builtin, usage map[string]string) builtin {
	return func(t *starlark.Thread, g *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		v, err := f(t, g, args, kwargs)
		if err != nil && argumentError().MatchString(err.Error()) {
			err = fmt.Errorf("%w: write %s", err, usage[g.Name()])
		}
		return v, err
	}
}

// argumentError matches the errors of [starlark.UnpackArgs].
var argumentError = pattern(`^\w+: (for parameter |unexpected |missing argument |got \d+ arguments)`)

func (b *builder) network(_ *starlark.Thread, f *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var (
		switching    = spec.StoreAndForward.String()
		classes, vcs starlark.Value
	)
	if len(args) > 0 {
		return nil, errors.New("network takes named arguments only: write network(name=\"...\", switching=\"...\")")
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
		return nil, errors.New("network is called after the first node: call it before")
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
func (b *builder) expect(_ *starlark.Thread, f *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var switching string
	var verdicts [3]string // by property
	err := starlark.UnpackArgs(f.Name(), args, kwargs, "deadlock?", &verdicts[spec.Deadlock], "livelock?", &verdicts[spec.Livelock],
		"delivery?", &verdicts[spec.Delivery], "switching?", &switching)
	switch {
	case err != nil:
		return nil, err
	case len(args) > 0:
		return nil, errors.New("expect takes named arguments only: write expect(deadlock = \"holds\")")
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
