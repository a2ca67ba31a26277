package star

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
)

// machine collects what the file of a machine declares.
type machine struct {
	name, source string
	p            *program.Program
	root         *slot   // the state: a record of all variables
	places       []*slot // by variable
	sets         []*members
	symmetries   []symmetry // that the file states
	rules        []declared // rules and properties, in order
	expects      []expected
	faults       map[string]program.Var // by place and message
	ways         map[string]int         // by place: how many messages it has
	parts        []*stepPart
	partNumber   map[stepPartKey]int
	leaves       int // runs that are left
	steps        int // of the interpreter, that are left
}

// declared is a rule or a property before it is asked.
type declared struct {
	what  string // the function that declared it
	name  string
	names []string // of the instances, if a function tells them
	f     *starlark.Function
	over  *keys
	by    string // who takes the steps of a rule; {} stands for a key
	at    position

	unfair, strong bool
}

type expected struct {
	property string
	verdict  spec.Verdict
	at       position
}

const (
	mostLeaves = 1 << 20 // of a file
	mostAsked  = 1 << 29
)

func (b *builder) machineBuiltins() starlark.StringDict {
	all := starlark.StringDict{}
	functions := map[string]builtin{
		"param": b.param, "machine": b.startMachine, "processes": b.processes, "domain": b.domain, "symmetry": b.symmetry, "var": b.variable, "fifo": b.fifo, "record": b.record, "optional": b.optional,
		"rule": b.rule, "invariant": b.property, "never": b.property, "reach": b.property, "eventually": b.property, "final": b.final,
		"expect": b.expectOf, "network_of": b.networkOf,
	}
	maps.Copy(functions, b.dataBuiltins())
	for name, f := range functions {
		all[name] = starlark.NewBuiltin(name, func(t *starlark.Thread, g *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			switch {
			case askingOf(t) != nil:
				return nil, mistakef("%s inside a rule: declare everything at top level", name)
			case b.m == nil && !slices.Contains([]string{"param", "machine", "record", "optional", "table", "json"}, name):
				return nil, fmt.Errorf("%s before machine: call machine(name = \"...\") first", name)
			}
			return withUsage(f, machineUsage)(t, g, args, kwargs)
		})
	}
	all["bool"] = starlark.Universe["bool"]
	for name, f := range map[string]builtin{"when": when, "choose": choose, "fail": fail, "count": count, "also": also} {
		all[name] = starlark.NewBuiltin(name, withUsage(f, machineUsage))
	}
	for name, f := range lazies() {
		all[name] = starlark.NewBuiltin(name, f)
	}
	return all
}

// machineUsage is how each function is called.
var machineUsage = map[string]string{
	"param":      `param(name, default, min=, max=, choices=, doc=)`,
	"machine":    `machine(name=, source=)`,
	"processes":  `processes(name, n)`,
	"domain":     `domain(name, values)`,
	"symmetry":   `symmetry(image, ...)`,
	"var":        `var(name, values, over=, init=)`,
	"fifo":       `fifo(name, values, size=1, over=, init=, lossy=, duplicating=, unordered=)`,
	"record":     `record(field = values, ...)`,
	"optional":   `optional(values)`,
	"rule":       `rule(name, f, over=, fair=True, by=)`,
	"when":       `when(condition, why)`,
	"choose":     `choose(options)`,
	"count":      `count(over, f)`,
	"fail":       `fail(text)`,
	"also":       `also(f, ...)`,
	"invariant":  `invariant(name, f, over=)`,
	"never":      `never(name, f, over=)`,
	"reach":      `reach(name, f, over=)`,
	"eventually": `eventually(name, f, over=)`,
	"final":      `final(f)`,
	"expect":     `expect(property, verdict)`,
	"table":      `table(file, columns=)`,
	"json":       `json(file)`,
	"network_of": `network_of(file, carries=, name="net", ...)`,
}

// IsMachine reports whether a file describes a machine: whether it calls machine(...)
// at top level. A text that cannot be parsed does not.
func IsMachine(text []byte) bool {
	if len(text) > mostText || checkNesting("", text) != nil {
		return false
	}
	tree, err := dialect.Parse("", text, 0)
	return err == nil && describesMachine(tree)
}

func describesMachine(tree *syntax.File) bool {
	return slices.ContainsFunc(tree.Stmts, func(s syntax.Stmt) bool {
		e, ok := s.(*syntax.ExprStmt)
		if !ok {
			return false
		}
		call, ok := e.X.(*syntax.CallExpr)
		if !ok {
			return false
		}
		name, ok := call.Fn.(*syntax.Ident)
		return ok && name.Name == "machine"
	})
}

func (b *builder) startMachine(_ *starlark.Thread, f *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if b.paramsOnly {
		return nil, errParamsRead
	}
	if b.m != nil {
		return nil, errors.New("machine is called twice: call it once")
	}
	if len(args) > 0 {
		return nil, errors.New("machine takes names only: write machine(name = \"...\", source = \"...\")")
	}
	m := &machine{p: program.New(""), root: &slot{kind: &record{}}, faults: map[string]program.Var{}, ways: map[string]int{}, partNumber: map[stepPartKey]int{}, leaves: mostLeaves, steps: mostAsked}
	if err := starlark.UnpackArgs(f.Name(), args, kwargs, "name", &m.name, "source?", &m.source); err != nil {
		return nil, err
	}
	m.name = spec.Printable(m.name)
	b.m = m
	return starlark.None, nil
}

func (b *builder) processes(t *starlark.Thread, f *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var n int
	s := &members{alike: true}
	if err := starlark.UnpackArgs(f.Name(), args, kwargs, "name", &s.name, "n", &n); err != nil {
		return nil, err
	}
	if n < 1 || n > 1<<10 {
		return nil, fmt.Errorf("%d processes: want 1 to 1024", n)
	}
	for i := range n {
		s.values = append(s.values, starlark.MakeInt(i))
	}
	b.m.sets = append(b.m.sets, s)
	return s, charge(t, n)
}

// domain names a set of values for symmetry.
func (b *builder) domain(t *starlark.Thread, f *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var of starlark.Value
	s := &members{}
	if err := starlark.UnpackArgs(f.Name(), args, kwargs, "name", &s.name, "values", &of); err != nil {
		return nil, err
	}
	d, err := domainOf(t, f, of)
	if err != nil {
		return nil, err
	}
	s.values = d.values
	return s, nil
}

// domainOf reads the values that a function is called with.
func domainOf(t *starlark.Thread, f *starlark.Builtin, of starlark.Value) (*domain, error) {
	k, err := kindOf(t, of)
	if err != nil {
		return nil, err
	}
	d, ok := k.(*domain)
	if _, of := k.(*record); of && f.Name() == "optional" {
		return nil, errors.New("optional of a type of records: only values can be None; make one of its fields optional, or keep it in fifo(name, type), which may be empty")
	}
	if !ok {
		return nil, fmt.Errorf("%s of %s: want values", f.Name(), kindName(k))
	}
	return d, nil
}

func (b *builder) record(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if len(args) > 0 || len(kwargs) == 0 {
		return nil, errors.New("record takes fields: write record(kind = [\"get\", \"put\"], src = procs)")
	}
	r := &record{}
	for _, kv := range kwargs {
		k, err := kindOf(t, kv[1])
		if err != nil {
			return nil, fmt.Errorf("field %s: %w", string(kv[0].(starlark.String)), err)
		}
		switch k.(type) {
		case *array, *queue:
			return nil, fmt.Errorf("field %s: a record has values and records as fields", string(kv[0].(starlark.String)))
		}
		r.names = append(r.names, string(kv[0].(starlark.String)))
		r.fields = append(r.fields, k)
	}
	return &kindValue{r}, nil
}

func (b *builder) optional(t *starlark.Thread, f *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var of starlark.Value
	if err := starlark.UnpackArgs(f.Name(), args, kwargs, "values", &of); err != nil {
		return nil, err
	}
	d, err := domainOf(t, f, of)
	if err != nil {
		return nil, err
	}
	d, err = newDomain(t, append([]starlark.Value{starlark.None}, d.values...), d.like)
	return &kindValue{d}, err
}

func (b *builder) variable(t *starlark.Thread, f *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var (
		name               string
		values, over, init starlark.Value
	)
	if err := starlark.UnpackArgs(f.Name(), args, kwargs, "name", &name, "values", &values, "over?", &over, "init?", &init); err != nil {
		return nil, err
	}
	return starlark.None, b.m.declare(t, name, values, func(k kind, _ starlark.Tuple) (kind, error) { return k, nil }, over, init)
}

func (b *builder) fifo(t *starlark.Thread, f *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var (
		name                     string
		values, size, over, init starlark.Value
		q                        queue
	)
	err := starlark.UnpackArgs(f.Name(), args, kwargs, "name", &name, "values", &values, "size?", &size, "over?", &over, "init?", &init,
		"lossy?", &q.lossy, "duplicating?", &q.duplicating, "unordered?", &q.unordered)
	if err != nil {
		return nil, err
	}
	return starlark.None, b.m.declare(t, name, values, func(k kind, key starlark.Tuple) (kind, error) {
		of := q
		of.elem = k
		return &of, of.sized(t, size, key)
	}, over, init)
}

// sized reads the size of a FIFO: a number, or a function of its key.
func (q *queue) sized(t *starlark.Thread, size starlark.Value, key starlark.Tuple) (err error) {
	if f, each := size.(*starlark.Function); each && key != nil {
		if size, err = starlark.Call(t, f, key, nil); err != nil {
			return err
		}
	}
	if q.size = 1; size != nil {
		if q.size, err = starlark.AsInt32(size); err != nil {
			return fmt.Errorf("size: %w", err)
		}
	}
	if q.size < 1 || q.size > 1<<10 {
		return fmt.Errorf("invalid size %d: want 1 to 1024", q.size)
	}
	return nil
}

// declare adds a variable to the state: what values say, or what made makes of it.
func (m *machine) declare(t *starlark.Thread, name string, values starlark.Value, made func(of kind, key starlark.Tuple) (kind, error), over, init starlark.Value) error {
	state := m.root.kind.(*record)
	switch {
	case !identifier(name):
		return fmt.Errorf("the name %.40q: want letters, digits and _, since it is read as s.%s", name, "name")
	case costly(name):
		return fmt.Errorf("the name %s is that of a method of Starlark: choose another", name)
	case state.field(name) >= 0:
		return fmt.Errorf("%s is declared already: names must differ", name)
	}
	k, err := m.kinds(t, values, made, over)
	if err != nil {
		return err
	}
	before := len(m.p.Variables)
	p, err := m.lay(name, name, k, elsewhere)
	if err != nil {
		return err
	}
	m.index(p)
	state.names, state.fields = append(state.names, name), append(state.fields, k)
	m.root.in = append(m.root.in, p)
	if init != nil {
		if err := m.initial(t, p, init); err != nil {
			return err
		}
	}
	return charge(t, 10*(len(m.p.Variables)-before))
}

// kinds reads what a variable can hold: with over an array, whose values may be a function
// of the key.
func (m *machine) kinds(t *starlark.Thread, values starlark.Value, made func(of kind, key starlark.Tuple) (kind, error), over starlark.Value) (kind, error) {
	if !given(over) {
		k, err := kindOf(t, values)
		if err != nil {
			return nil, err
		}
		return made(k, nil)
	}
	keys, err := keysOf(t, over)
	if err != nil {
		return nil, err
	}
	a := &array{keys: keys}
	var k kind
	f, each := values.(*starlark.Function)
	for i, key := range keys.values {
		if each {
			if values, err = starlark.Call(t, f, keys.args[i], nil); err != nil {
				return nil, err
			}
		}
		if each || i == 0 {
			if k, err = kindOf(t, values); err != nil && each {
				return nil, fmt.Errorf("values of %s: %w", short(key), err)
			} else if err != nil {
				return nil, err
			}
		}
		elem, err := made(k, keys.args[i])
		if err != nil {
			return nil, err
		}
		a.elems = append(a.elems, elem)
	}
	return a, nil
}

// place notes the places of variables, in order.
func (m *machine) index(p *slot) {
	if _, ok := p.kind.(*domain); ok {
		m.places = append(m.places, p)
	}
	for _, q := range p.in {
		m.index(q)
	}
}

func identifier(name string) bool {
	for i, c := range name {
		letter := c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != ""
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

// property declares an invariant, a state that must not or that must be possible, or
// a response.
func (b *builder) property(t *starlark.Thread, f *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	d := declared{what: f.Name()}
	var over starlark.Value
	if err := starlark.UnpackArgs(f.Name(), args, kwargs, "name", &d.name, "f", &d.f, "over?", &over); err != nil {
		return nil, err
	}
	if slices.ContainsFunc(b.m.rules, func(o declared) bool { return o.what != "rule" && o.name == d.name }) {
		return nil, fmt.Errorf("the property %.40q is declared already: names must differ", d.name)
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

func (m *machine) note(t *starlark.Thread, d declared, over starlark.Value) error {
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

// takes refuses a function with other parameters than instances have, and spreads
// a key that is a tuple unless the function takes it as a whole.
func (d *declared) takes(i int) error {
	n := d.f.NumParams()
	if d.f.HasVarargs() || d.f.HasKwargs() || d.f.NumKwonlyParams() > 0 {
		return fmt.Errorf("%s %q: the function must have plain parameters: s, and what over has", d.what, d.name)
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
	return fmt.Errorf("%s %q: the function has %d parameters: want %d, the state and what over has", d.what, d.name, n, 1+len(d.over.args[i]))
}

// instance returns the name of an instance: the keys stand where the name has {}, or behind it.
func (d *declared) instance(i int) string {
	if d.names != nil {
		return d.names[i]
	}
	return filled(d.name, d.over.args[i], true)
}

// actor returns who takes the steps of an instance: what by says, else the first part of its
// key, with the name of the set that it is a member of, or the name of the rule.
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

// filled puts the parts of a key where a text has {}; what is left of them behind it, if it is
// wanted there.
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

// property is the name under which a property is decided, of which holding can be said:
// what must never be is named by what is bad. What must be possible is the contrary of what
// it is decided as.
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
