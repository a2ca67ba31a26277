package star

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"go.starlark.net/starlark"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/star/internal/decision"
)

// A machine, what it does and what is claimed of it: rules, properties, expected verdicts. They are
// noted as they are declared, and evaluated at the end (evaluate.go).

func (b *builder) rule(t *starlark.Thread, f *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	d := declared{what: f.Name()}
	var name, over starlark.Value
	var fair starlark.Value = starlark.True
	if err := starlark.UnpackArgs(f.Name(), args, kwargs, "name", &name, "f", &d.f, "over?", &over, "fair?", &fair, "by?", &d.by); err != nil {
		return nil, err
	}
	d.unfair, d.strong = fair == starlark.False, fair == starlark.String("strong")
	if !d.unfair && !d.strong && fair != starlark.True {
		return nil, fmt.Errorf("invalid fair %s: want True, False or \"strong\"", short(fair))
	}
	text, isText := name.(starlark.String)
	naming, isFunction := name.(*starlark.Function)
	if !isText && !isFunction {
		return nil, fmt.Errorf("the name is %s: want a string, or a function of a key", nameOf(name))
	}
	if d.name = string(text); isFunction {
		d.name = d.f.Name()
	}
	if err := b.m.note(t, d, over); err != nil || isText {
		return starlark.None, err
	}
	noted := &b.m.rules[len(b.m.rules)-1]
	for _, key := range noted.over.args {
		v, err := starlark.Call(t, naming, key, nil)
		if err != nil {
			return nil, err
		}
		text, ok := v.(starlark.String)
		if !ok {
			return nil, fmt.Errorf("the name of %q is %s: want a string", d.name, nameOf(v))
		}
		noted.names = append(noted.names, spec.Printable(string(text)))
	}
	return starlark.None, nil
}

// property declares an invariant, states that must not or that must be reachable, or a
// response.
func (b *builder) property(t *starlark.Thread, f *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	d := declared{what: f.Name()}
	var over starlark.Value
	if err := starlark.UnpackArgs(f.Name(), args, kwargs, "name", &d.name, "f", &d.f, "over?", &over); err != nil {
		return nil, err
	}
	if _, second := over.(starlark.Callable); second {
		want := "want one"
		if d.what == "eventually" {
			want += ", for what is pending: each state that satisfies it must be followed by one that does not"
		}
		return nil, fmt.Errorf("%s %.40q has two functions: %s", d.what, d.name, want)
	}
	if err := charge(t, len(b.m.rules)); err != nil { // the names are searched
		return nil, err
	}
	if slices.ContainsFunc(b.m.rules, func(o declared) bool { return o.what != "rule" && o.name == d.name }) {
		return nil, fmt.Errorf("the property %.40q is already declared: names must differ", d.name)
	}
	return starlark.None, b.m.note(t, d, over)
}

func (b *builder) final(t *starlark.Thread, f *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	d := declared{what: f.Name(), name: f.Name()}
	if err := starlark.UnpackArgs(f.Name(), args, kwargs, "f", &d.f); err != nil {
		return nil, err
	}
	if slices.ContainsFunc(b.m.rules, func(o declared) bool { return o.what == d.what }) {
		return nil, errors.New("final is called twice: call it once")
	}
	return starlark.None, b.m.note(t, d, nil)
}

// formatted matches the braces of Python's and Starlark's format that say which value they stand for.
var formatted = pattern(`\{\w+\}`)

func (m *machine) note(t *starlark.Thread, d declared, over starlark.Value) error {
	if which := formatted().FindString(d.name + " " + d.by); which != "" {
		return fmt.Errorf("%s %.40q: %s stands for nothing: each {} stands for the next part of the key; the name of a rule can also be a function of the key", d.what, d.name, which)
	}
	d.name, d.by, d.at, d.over = spec.Printable(d.name), spec.Printable(d.by), positionOf(t.Name, t.CallStack()), once()
	if given(over) {
		var err error
		if d.over, err = keysOf(t, over); err != nil {
			return err
		}
	}
	for i := range d.over.values {
		if err := d.takes(i); err != nil {
			return err
		}
	}
	m.rules = append(m.rules, d)
	return charge(t, emptyDict)
}

// takes refuses a function whose parameters do not fit the instances. A key that is a
// tuple is spread unless the function takes it as a whole.
func (d *declared) takes(i int) error {
	n := d.f.NumParams()
	if d.f.HasVarargs() || d.f.HasKwargs() || d.f.NumKwonlyParams() > 0 {
		return fmt.Errorf("%s %q: the function must have plain parameters: s, and the parts of a key", d.what, d.name)
	}
	if n == 2 && len(d.over.args[i]) > 1 {
		d.over.args[i] = starlark.Tuple{d.over.values[i]}
	}
	if n == 1+len(d.over.args[i]) {
		return nil
	}
	if len(d.over.args[i]) == 0 {
		return fmt.Errorf("%s %q: want a function of one parameter, the state, or over=; this one has %d", d.what, d.name, n)
	}
	return fmt.Errorf("%s %q: want a function of %d parameters, the state and the parts of a key; this one has %d", d.what, d.name, 1+len(d.over.args[i]), n)
}

// expectOf notes a verdict that the author expects: expect("name", "violated"), or
// expect(deadlock = "holds").
func (b *builder) expectOf(t *starlark.Thread, f *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var property, verdict string
	if len(args) == 0 && len(kwargs) == 1 && kwargs[0][0] == starlark.String(spec.Deadlock.String()) {
		args, kwargs = starlark.Tuple{kwargs[0][0], kwargs[0][1]}, nil
	}
	if err := starlark.UnpackArgs(f.Name(), args, kwargs, "property", &property, "verdict", &verdict); err != nil {
		return nil, err
	}
	v, known := spec.ParseVerdict(verdict)
	if !known {
		return nil, fmt.Errorf("invalid verdict %.40q of %s: want holds, violated or unknown", verdict, spec.Printable(property))
	}
	b.m.expects = append(b.m.expects, expected{spec.Printable(property), v, positionOf(t.Name, t.CallStack())})
	return starlark.None, nil
}

func (b *builder) startMachine(_ *starlark.Thread, f *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if b.paramsOnly {
		return nil, errParamsRead
	}
	if b.m != nil {
		return nil, errors.New("machine is called twice: call it once")
	}
	if len(args) > 0 {
		return nil, errors.New("machine takes named arguments only: write machine(name = \"...\", source = \"...\")")
	}
	m := &machine{p: program.New(""), root: &slot{kind: &record{}}, faults: map[string]program.Var{}, ways: map[string]int{}, partNumber: map[stepPartKey]int{}, arbiters: map[*slot]*arbiter{}, reached: map[*decision.Tree]map[int]bool{}, leaves: cmp.Or(b.opt.leaves, mostLeaves), steps: cmp.Or(b.opt.ruleSteps, mostRuleSteps)}
	if err := starlark.UnpackArgs(f.Name(), args, kwargs, "name", &m.name, "source?", &m.source); err != nil {
		return nil, err
	}
	m.name = spec.Printable(m.name)
	b.m = m
	return starlark.None, nil
}

// errParamsRead ends the run of a file of which only the parameters are wanted.
var errParamsRead = errors.New("the parameters are read")
