package star

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"go.starlark.net/starlark"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

func (b *builder) param(t *starlark.Thread, f *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var (
		p        Param
		def      starlark.Value
		low, top starlark.Value
		choices  starlark.Value
	)
	err := starlark.UnpackArgs(f.Name(), args, kwargs, "name", &p.Name, "default", &def, "min?", &low, "max?", &top, "doc?", &p.Doc, "choices?", &choices)
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
		return place(b.file, 1, 1, "invalid parameter %.40q: want %s%s", name, cmp.Or(strings.Join(known, ", "), "none"), words.Suggestion(name, known))
	}
	return nil
}

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
