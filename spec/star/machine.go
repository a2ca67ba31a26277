package star

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"go.starlark.net/starlark"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/star/internal/decision"
)

// machine collects what the file of a machine declares.
type machine struct {
	name, paper string
	p           *program.Program
	root        *slot   // the state: a record of all variables
	places      []*slot // by variable
	sets        []*members
	symmetries  []symmetry // that the file states
	group       *group     // that these generate
	rules       []declared // rules and properties, in order
	expects     []expected
	begins      []alternatives         // initial values of which there are several
	initially   *declared              // initial(f); nil: none
	faults      map[string]program.Var // by place and message
	forked      bool                   // it is evaluated before its turn: see fork
	met         []metFault             // if ahead: the faults, whose variables come after all others
	ways        map[string]int         // by place: how many messages it has
	parts       []*stepPart
	over        []Over                          // networks that it runs over
	arbiters    map[*slot]*arbiter              // by FIFO
	waiting     int                             // operators that say who waits for a turn
	reached     map[*decision.Tree]map[int]bool // parts of steps
	noting      *notes                          // nil except while the contents of FIFOs are inferred
	late        []lateArbiter                   // of inferred FIFOs
	partNumber  map[stepPartKey]int
	strings     map[string]bool // strings that variables can hold
	traffic     *traffic        // nil except while messages are collected
	routes      *routes         // nil: FIFOs are as the file declares them
	leaves      int             // runs that are left
	steps       int             // steps of the interpreter that are left
	few         int             // in tests: instead of fewCombinations
}

// metFault is a fault, to be numbered in the order met.
type metFault struct{ where, message string }

// Over is a network that a protocol runs over, and its name in the state.
type Over struct {
	Name    string
	Network *spec.Network
}

const (
	mostLeaves     = 1 << 20 // of a file
	mostLeavesEach = 1 << 16 // of an instance
	mostRuleSteps  = 1 << 29
)

// notes is what one evaluation meets.
type notes struct {
	fifos   map[program.Var]*slot    // of the inference, only read
	known   map[*slot]map[string]int // of the inference, only read
	looked  map[*slot]bool           // what FIFOs hold
	lacked  map[soughtMessage]bool   // messages that never came
	pushed  map[*slot]map[int]bool   // numbers of messages, in the domain that the file declares
	written []*slot                  // FIFOs of whose messages the answer has numbers
	sources []source                 // that push in their turn
	failed  bool                     // an error ended a run
	round   int
}

// soughtMessage is a message in a FIFO, by keyText.
type soughtMessage struct {
	fifo    *slot
	message string
}

// source pushes into a FIFO in its turn; None is a sender other than the sources.
type source struct {
	fifo *slot
	name starlark.Value
}

func (n *notes) notePush(q *slot, v starlark.Value) {
	i, declared := numbered(q.kind.(*queue).elem.(*domain).of.number, v)
	if !declared {
		return // the push is wrong, as the last evaluation says
	}
	if n.pushed[q] == nil {
		n.pushed[q] = map[int]bool{}
	}
	n.pushed[q][i] = true
}

// A machine, what it does and what is claimed of it: rules, properties, expected verdicts. They are
// noted as they are declared, and evaluated at the end (evaluate.go).

func (b *builder) rule(t *starlark.Thread, f *starlark.Builtin, args starlark.Tuple,
	kwargs []starlark.Tuple) (starlark.Value, error) {
	d := declared{what: f.Name()}
	var name, over starlark.Value
	var fair starlark.Value = starlark.True
	if err := starlark.UnpackArgs(f.Name(), args, kwargs, "name", &name, "f", &d.f, "over?", &over, "fair?", &fair,
		"by?", &d.by, "priority?", &d.priority, "timeout?", &d.timeout); err != nil {
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
func (b *builder) property(t *starlark.Thread, f *starlark.Builtin, args starlark.Tuple,
	kwargs []starlark.Tuple) (starlark.Value, error) {
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
	if err := b.fresh(t, d.name); err != nil {
		return nil, err
	}
	return starlark.None, b.m.note(t, d, over)
}

func (b *builder) final(t *starlark.Thread, f *starlark.Builtin, args starlark.Tuple,
	kwargs []starlark.Tuple) (starlark.Value, error) {
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
		return fmt.Errorf(
			"%s %.40q: %s stands for nothing: each {} stands for the next part of the key; the name of a rule can "+
				"also be a function of the key", d.what, d.name, which)
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
		return fmt.Errorf("%s %q: want a function of one parameter, the state, or over=; this one has %d",
			d.what, d.name, n)
	}
	return fmt.Errorf("%s %q: want a function of %d parameters, the state and the parts of a key; this one has %d",
		d.what, d.name, 1+len(d.over.args[i]), n)
}

// expectOf notes a verdict that the author expects: expect("name", "violated"), or
// expect(deadlock_freedom = "holds").
func (b *builder) expectOf(t *starlark.Thread, f *starlark.Builtin, args starlark.Tuple,
	kwargs []starlark.Tuple) (starlark.Value, error) {
	var property, verdict string
	if len(args) == 0 && len(kwargs) == 1 && kwargs[0][0] == starlark.String("deadlock_freedom") {
		args, kwargs = starlark.Tuple{starlark.String(spec.DeadlockFreedom.String()), kwargs[0][1]}, nil
	}
	if err := starlark.UnpackArgs(f.Name(), args, kwargs, "property", &property, "verdict", &verdict); err != nil {
		return nil, err
	}
	v, known := spec.ParseVerdict(verdict)
	if !known {
		return nil, fmt.Errorf("invalid verdict %.40q of %s: want holds, violated or unknown", verdict,
			spec.Printable(property))
	}
	b.m.expects = append(b.m.expects, expected{spec.Printable(property), v, positionOf(t.Name, t.CallStack())})
	return starlark.None, nil
}

func (b *builder) startMachine(_ *starlark.Thread, f *starlark.Builtin, args starlark.Tuple,
	kwargs []starlark.Tuple) (starlark.Value, error) {
	if b.paramsOnly {
		return nil, errParamsRead
	}
	if b.m != nil {
		return nil, errors.New("machine is called twice: call it once")
	}
	if len(args) > 0 {
		return nil, errors.New("machine takes named arguments only: write machine(name = \"...\", paper = \"...\")")
	}
	m := &machine{p: program.New(""), root: &slot{kind: &record{}}, faults: map[string]program.Var{},
		ways: map[string]int{}, partNumber: map[stepPartKey]int{}, arbiters: map[*slot]*arbiter{},
		reached: map[*decision.Tree]map[int]bool{}, leaves: cmp.Or(b.opt.leaves, mostLeaves), few: b.opt.few,
		steps: cmp.Or(b.opt.ruleSteps, mostRuleSteps)}
	if err := starlark.UnpackArgs(f.Name(), args, kwargs, "name", &m.name, "paper?", &m.paper); err != nil {
		return nil, err
	}
	m.name = spec.Printable(m.name)
	b.m = m
	return starlark.None, nil
}

// errParamsRead ends the run of a file of which only the parameters are wanted.
var errParamsRead = errors.New("the parameters are read")

// What rules and properties are before they are evaluated, and parts of steps, and how their instances are called.

const networkFile = "network_of.star" // the rules of a network

// declared is a rule or a property before it is evaluated.
type declared struct {
	what      string // the function that declared it
	name      string
	trees     map[int]*decision.Tree // by instance, of those that were evaluated before any is written
	lacks     map[int]bool           // by instance: it looks for a message that never comes
	reads     map[int]bool           // by instance: it reads all numbers that it computes
	some      bool                   // an instance was written
	names     []string               // of the instances, if a function names them
	f         *starlark.Function
	formula   *formula // of which it is a proposition
	completes bool     // it is the last one
	method    *method  // instead of f: what also calls
	turn      *turnOf  // instead of both: that a source may push
	over      *keys
	by        string // who takes the steps of a rule; {} stands for a key
	at        position

	hops           map[string]spec.Reason // of a rule of network_of: where the network's file permits them, by channel
	unfair, strong bool
	priority       int
	timeout        bool
}

// method is push, pop, take or clear of a FIFO, called by also.
type method struct {
	of     *slot
	name   string
	kwargs []starlark.Tuple
	at     position // of the call of also
}

// stepPart is what a call of also adds to a step: a function, or a method of a FIFO.
type stepPart struct {
	declared
	key      stepPartKey
	tree     *decision.Tree // nil: not evaluated yet
	command  decision.Command
	progress progress
}

type progress uint8

const (
	notEvaluated progress = iota
	beingEvaluated
	wasEvaluated
)

// stepPartKey identifies a part: equal calls of also are one part.
type stepPartKey struct {
	f    *starlark.Function
	of   *slot // if f is nil
	args string
}

type expected struct {
	property string
	verdict  spec.Verdict
	at       position
}

// keyed is a rule or a property for one key, or a part of a step for key 0.
type keyed struct {
	d *declared
	i int
}

// instance is a rule or property for one key, and what it chooses.
type instance struct {
	d       *declared
	i       int
	options []int
}

// place returns where the function is defined, or where also calls the method.
func (d *declared) place() position {
	if d.f == nil {
		return d.method.at
	}
	pos := d.f.Position()
	return position{file: pos.Filename(), line: pos.Line, col: pos.Col}
}

// citation returns what to cite for an instance: its function or, for a packet's move, the hops
// that the network's file permits.
func (d *declared) citation(i int) spec.Reason {
	if d.hops != nil {
		return d.hops[shown(d.over.args[i][0])]
	}
	return d.place().reason()
}

// citationOf returns what to cite for a condition: where it was met or, within what network_of
// declares, what is cited for the instance.
func (d *declared) citationOf(i int, at position) position {
	if at.file != networkFile || d.hops == nil {
		return at
	}
	if first := d.citation(i); first.File != "" {
		return position{file: first.File, line: int32(first.Line), col: int32(first.Col)}
	}
	return at
}

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

func (p *stepPart) wrong(problem string) error {
	where := p.place()
	return place(where.file, int(where.line), int(where.col), "%s: %s", p.name, problem)
}

// misfit refuses a function whose parameters are not what also passes on.
func (p *stepPart) misfit() error {
	n := 1 + len(p.over.args[0])
	if p.f == nil || p.f.NumParams() == n && !p.f.HasVarargs() && !p.f.HasKwargs() && p.f.NumKwonlyParams() == 0 {
		return nil
	}
	return p.wrong(fmt.Sprintf("want %d plain parameters: the state, and what also passes on", n))
}

// What a machine keeps: variables, FIFOs, and the kinds of values that they hold.

func (b *builder) processes(t *starlark.Thread, f *starlark.Builtin, args starlark.Tuple,
	kwargs []starlark.Tuple) (starlark.Value, error) {
	var n int
	s := &members{alike: true, at: positionOf(t.Name, t.CallStack())}
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
func (b *builder) domain(t *starlark.Thread, f *starlark.Builtin, args starlark.Tuple,
	kwargs []starlark.Tuple) (starlark.Value, error) {
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

// domainOf reads the values with which a function is called.
func domainOf(t *starlark.Thread, f *starlark.Builtin, of starlark.Value) (*domain, error) {
	k, err := kindOf(t, of)
	if err != nil {
		return nil, err
	}
	d, ok := k.(*domain)
	if _, of := k.(*record); of && f.Name() == "optional" {
		return nil, errors.New(
			"optional of a record type: only values can be None; make one of its fields optional, or keep it in " +
				"fifo(name, type), which may be empty")
	}
	if !ok {
		return nil, fmt.Errorf("%s of %s: want values", f.Name(), kindName(k))
	}
	return d, nil
}

// kindOf reads what a variable can hold: a list of values, a range, bool, a set of
// values, optional(...) or record(...).
func kindOf(t *starlark.Thread, v starlark.Value) (kind, error) {
	switch v := v.(type) {
	case *kindValue:
		return v.kind, nil
	case *members:
		return newDomain(t, v.values, v)
	case *starlark.Builtin:
		if v.Name() == "bool" {
			return newDomain(t, []starlark.Value{starlark.False, starlark.True}, nil)
		}
	}
	if err := countable(v); err != nil {
		return nil, err
	}
	list, ok := elements(v)
	if !ok {
		return nil, fmt.Errorf(
			"values are given as %s: want a list of values, as in [\"idle\", \"busy\"], or range(n), bool, "+
				"processes(...), domain(...), optional(...), record(...)", nameOf(v))
	}
	return newDomain(t, list, nil)
}

// kindValue is a type as a value of the file. A type of records is called to make a
// record.
type kindValue struct{ kind }

func (k *kindValue) String() string        { return "type" }
func (k *kindValue) Type() string          { return "type" }
func (k *kindValue) Freeze()               {}
func (k *kindValue) Truth() starlark.Bool  { return true }
func (k *kindValue) Hash() (uint32, error) { return 0, errors.New("a type cannot be a dict key") }
func (k *kindValue) Name() string          { return "record" }

func (k *kindValue) CallInternal(t *starlark.Thread, args starlark.Tuple,
	kwargs []starlark.Tuple) (starlark.Value, error) {
	r, ok := k.kind.(*record)
	if !ok {
		return nil, errors.New("only a record type can be called")
	}
	d, err := r.make(evaluationOf(t), args, kwargs)
	return &message{d, r, evaluationOf(t)}, err
}

func (b *builder) record(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple,
	kwargs []starlark.Tuple) (starlark.Value, error) {
	if len(args) > 0 || len(kwargs) == 0 {
		return nil, errors.New("record takes fields: write record(kind = [\"get\", \"put\"], src = procs)")
	}
	r := &record{at: positionOf(t.Name, t.CallStack())}
	for _, kv := range kwargs {
		k, err := kindOf(t, kv[1])
		if err != nil {
			return nil, fmt.Errorf("field %s: %w", string(kv[0].(starlark.String)), err)
		}
		switch k.(type) {
		case *array, *queue:
			return nil, fmt.Errorf("field %s: want values or a record", string(kv[0].(starlark.String)))
		}
		r.names = append(r.names, string(kv[0].(starlark.String)))
		r.fields = append(r.fields, k)
		r.extent = r.extent.plus(extentOf(k), 1)
	}
	if r.extent.variables > mostVariables {
		return nil, bound(mostVariables, "variables", "make the record smaller")
	}
	return &kindValue{r}, nil
}

func (b *builder) optional(t *starlark.Thread, f *starlark.Builtin, args starlark.Tuple,
	kwargs []starlark.Tuple) (starlark.Value, error) {
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

func (b *builder) variable(t *starlark.Thread, f *starlark.Builtin, args starlark.Tuple,
	kwargs []starlark.Tuple) (starlark.Value, error) {
	var (
		name               string
		values, over, init starlark.Value
	)
	if err := starlark.UnpackArgs(f.Name(), args, kwargs, "name", &name, "values", &values, "over?", &over,
		"init?", &init); err != nil {
		return nil, err
	}
	return starlark.None, b.m.declare(t, name, values, func(k kind, _ starlark.Tuple) (kind, error) { return k, nil },
		over, init)
}

func (b *builder) fifo(t *starlark.Thread, f *starlark.Builtin, args starlark.Tuple,
	kwargs []starlark.Tuple) (starlark.Value, error) {
	var (
		name, arbiting           string
		values, size, over, init starlark.Value
		sources                  starlark.Value
		q                        queue
	)
	err := starlark.UnpackArgs(f.Name(), args, kwargs, "name", &name, "values", &values, "size?", &size, "over?", &over,
		"init?", &init,
		"lossy?", &q.lossy, "duplicating?", &q.duplicating, "unordered?", &q.unordered, "blocking?", &q.blocking,
		"inferred?", &q.inferred, "arbiter?", &arbiting, "sources?", &sources, "classes?", &q.classes)
	if err != nil {
		return nil, err
	}
	err = b.m.declare(t, name, values, func(k kind, key starlark.Tuple) (kind, error) {
		of := q
		of.elem = k
		if q.inferred {
			d, values := k.(*domain)
			if !values {
				return nil, errors.New(
					"inferred = True with records: inferred messages are single values; name them by strings, or " +
						"leave inferred out")
			}
			of.elem = &domain{values: d.values, number: d.number, like: d.like, types: d.types, of: d}
		}
		err := of.sized(t, size, key)
		if err == nil && b.opt.Routes != nil && b.m.routes == nil {
			err = b.opt.Routes.isolate(&of)
		}
		return &of, err
	}, over, init)
	if err != nil {
		return nil, err
	}
	return starlark.None, b.m.arbitrated(t, name, arbiting, q, sources)
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

// declare adds a variable to the state, of the kind that made returns for values.
func (m *machine) declare(t *starlark.Thread, name string, values starlark.Value,
	made func(of kind, key starlark.Tuple) (kind, error), over, init starlark.Value) error {
	state := m.root.kind.(*record)
	switch {
	case !identifier(name):
		return fmt.Errorf("the name %.40q: want letters, digits and _, since it is read as s.%s", name, "name")
	case state.field(name) >= 0:
		return fmt.Errorf("%s is already declared: names must differ", name)
	}
	k, err := m.kinds(t, values, made, over)
	if err != nil {
		return err
	}
	e := extentOf(k)
	if int64(len(m.p.Variables))+e.variables > mostVariables {
		return bound(mostVariables, "variables", "make the machine smaller")
	}
	if err := charge(t, int(min(10*e.variables+e.names, math.MaxInt))); err != nil {
		return err
	}
	p, err := m.layOut(name, name, k, elsewhere)
	if err != nil {
		return err
	}
	m.index(p)
	state.names, state.fields = append(state.names, name), append(state.fields, k)
	m.root.in = append(m.root.in, p)
	if init == nil {
		return nil
	}
	return m.initial(t, p, init)
}

// kinds reads what a variable can hold: with over an array, in which values may be a
// function of the key.
func (m *machine) kinds(t *starlark.Thread, values starlark.Value, made func(of kind, key starlark.Tuple) (kind, error),
	over starlark.Value) (kind, error) {
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

func identifier(name string) bool {
	for i, c := range name {
		letter := c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != ""
}
