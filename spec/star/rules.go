package star

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.starlark.net/starlark"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/star/internal/decision"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// What a machine does and what is claimed of it: rules, properties, expected verdicts. They are
// noted as they are declared, and evaluated at the end (evaluate.go).

// declared is a rule or a property before it is evaluated.
type declared struct {
	what   string // the function that declared it
	name   string
	trees  map[int]*decision.Tree // by instance, of those that were evaluated before any is written
	lacks  map[int]bool           // by instance: it looks for a message that never comes
	some   bool                   // an instance was written
	names  []string               // of the instances, if a function names them
	f      *starlark.Function
	method *method // instead of f: what also calls
	turn   *turnOf // instead of both: that a source may push
	over   *keys
	by     string // who takes the steps of a rule; {} stands for a key
	at     position

	hops           map[string]string // of a rule of network_of: where the network's file permits them, by channel
	unfair, strong bool
}

type expected struct {
	property string
	verdict  spec.Verdict
	at       position
}

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
		return fmt.Errorf("%s %q: the function has %d parameters: want one, the state, or say over=", d.what, d.name, n)
	}
	return fmt.Errorf("%s %q: the function has %d parameters: want %d, the state and the parts of a key", d.what, d.name, n, 1+len(d.over.args[i]))
}

// place returns where the function is defined, or where also calls the method.
func (d *declared) place() position {
	if d.f == nil {
		return d.method.at
	}
	pos := d.f.Position()
	return position{file: pos.Filename(), line: pos.Line, col: pos.Col}
}

// where returns what to cite for an instance: its function or, for a packet's move, the hops
// that the network's file permits.
func (d *declared) where(i int) string {
	if d.hops != nil {
		return d.hops[shown(d.over.args[i][0])]
	}
	return d.f.Position().String()
}

// written returns what to cite for a condition: where it was met or, within what network_of
// declares, what is cited for the instance.
func (d *declared) written(i int, at position) position {
	if at.file != networkFile || d.hops == nil {
		return at
	}
	first, _, _ := strings.Cut(d.where(i), " or ")
	parts := placeText().FindStringSubmatch(first)
	if parts == nil {
		return at
	}
	line, _ := strconv.Atoi(parts[2])
	col, _ := strconv.Atoi(parts[3])
	return position{file: parts[1], line: int32(line), col: int32(col)}
}

var placeText = pattern(`^(.*):(\d+):(\d+)$`)

// function is the name of what is called.
func (d *declared) function() string {
	if d.f == nil {
		return d.name
	}
	return d.f.Name()
}

// instance returns the name of an instance: its keys replace {} in the name, or follow it.
func (d *declared) instance(i int) string {
	if d.names != nil {
		return d.names[i]
	}
	return filled(d.name, d.over.args[i], true)
}

// misnamed returns the first declaration whose name clashes with that of another; nil if
// there is none. Rules of one name are one action, fair or not.
func (m *machine) misnamed() *declared {
	rules, properties := map[string]*declared{}, map[string]bool{spec.Deadlock.String(): true, states.InRange: true}
	for k := range m.rules {
		d := &m.rules[k]
		for i := range d.over.args {
			name := d.instance(i)
			switch {
			case d.what == "rule":
				first := cmp.Or(rules[name], d)
				if first.unfair != d.unfair || first.strong != d.strong {
					return d
				}
				rules[name] = first
			case d.what != "eventually" && (d.what == "final" || i > 0): // one for all keys
			default:
				if d.what != "eventually" {
					name = d.property()
				}
				if properties[name] {
					return d
				}
				properties[name] = true
			}
		}
	}
	return nil
}

// actor returns the name of the process that takes the steps of an instance: the argument
// by, else the first part of the key with the name of its set, else the name of the rule.
func (d *declared) actor(i int) string {
	switch key := d.over.args[i]; {
	case d.by != "":
		return filled(d.by, key, false)
	case len(key) == 0:
		return d.name
	case len(d.over.like) > 0 && d.over.like[0] != nil:
		return spec.Printable(d.over.like[0].name) + " " + shown(key[0])
	default:
		return shown(key[0])
	}
}

// filled replaces each {} in a text by a part of the key, and appends the remaining parts if
// behind is true.
func filled(text string, key starlark.Tuple, behind bool) string {
	for _, x := range key {
		parts := []starlark.Value{x}
		if tuple, ok := x.(starlark.Tuple); ok {
			parts = tuple
		}
		for _, x := range parts {
			if strings.Contains(text, "{}") {
				text = strings.Replace(text, "{}", shown(x), 1)
			} else if behind {
				text += " " + shown(x)
			}
		}
	}
	return text
}

// property returns the name under which a property is decided, so that it can be said to
// hold: never is named after what is bad, and reach is decided as its negation.
func (d *declared) property() string {
	switch d.what {
	case "never":
		return "never: " + d.name
	case "reach":
		return d.name + ": never reached"
	}
	return d.name
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
