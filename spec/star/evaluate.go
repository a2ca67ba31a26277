package star

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"go.starlark.net/starlark"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/star/internal/decision"
)

// How rules and properties are evaluated. Every instance is run for all combinations of values that it
// distinguishes (package decision). An error that ends a run, such as a push
// into a full FIFO, becomes an assignment, out of range, to a variable named after the
// place and the error. So that step violates the ranges, and a trace leads to it. Such a
// variable has one value, and takes no bit.

func when(t *starlark.Thread, f *starlark.Builtin, args starlark.Tuple,
	kwargs []starlark.Tuple) (starlark.Value, error) {
	var (
		condition starlark.Value
		why       string
	)
	a := evaluationOf(t)
	switch err := starlark.UnpackArgs(f.Name(), args, kwargs, "condition", &condition, "why?", &why); {
	case err != nil:
		return nil, &mistake{err}
	case a == nil || !a.rule:
		return nil, mistakef("when outside a rule: only a rule refuses a step")
	}
	holds := bool(condition.Truth())
	if a.seen != nil {
		m := whenCall{at: positionOf(t.Name, written(t.CallStack())), holds: holds}
		if t.CallFrame(1).Pos.Filename() == networkFile { // there, one place has several conditions
			m.why = why
		}
		a.seen.whens = append(a.seen.whens, m)
	}
	if holds || a.unconditional {
		return starlark.None, nil
	}
	refused := &refusal{why: why}
	if _, told := condition.(starlark.Bool); told && a.seen != nil {
		refused.by = a.seen.decidingReason(false)
	}
	return nil, refused
}

// choose returns one element of a list: the step can be taken with each. With an empty
// list it is refused.
func choose(t *starlark.Thread, f *starlark.Builtin, args starlark.Tuple,
	kwargs []starlark.Tuple) (starlark.Value, error) {
	var from starlark.Value
	if err := starlark.UnpackArgs(f.Name(), args, kwargs, "options", &from); err != nil {
		return nil, &mistake{err}
	}
	options, k, err := chooseFrom(t, from)
	if err != nil {
		return nil, err
	}
	return options[k], nil
}

// chooseFrom returns the options of a choice, and the number of one.
func chooseFrom(t *starlark.Thread, from starlark.Value) (options []starlark.Value, taken int, err error) {
	a := evaluationOf(t)
	if err := countable(from); err != nil {
		return nil, 0, &mistake{err}
	}
	options, ok := elements(from)
	switch {
	case a == nil || !a.rule:
		return nil, 0, mistakef("choose outside a rule: only a rule has several steps")
	case !ok:
		return nil, 0, mistakef("choose from %s: want a list", nameOf(from))
	case len(options) == 0:
		return nil, 0, &refusal{why: nothingToChoose}
	case len(options) > 1:
		taken, err = a.run.Choose(len(options)), charge(t, len(options))
	}
	return options, taken, err
}

const nothingToChoose = "there is nothing to choose from"

// chooseIf is choose([x for v in options if condition]): all options can be chosen, and where the condition fails the
// step is refused. The arguments are the options, the condition and x, as functions of v.
func chooseIf(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple,
	_ []starlark.Tuple) (starlark.Value, error) {
	options, k, err := chooseFrom(t, args[0])
	if err != nil {
		return nil, err
	}
	condition, chosen := args[1].(*starlark.Function), args[2].(*starlark.Function)
	a, met := evaluationOf(t), 0
	if a.seen != nil {
		met = len(a.seen.reasons)
	}
	holds, err := ofOption(t, condition, options[k])
	switch {
	case err != nil:
		return nil, err
	case bool(holds.Truth()) || a.unconditional:
		return ofOption(t, chosen, options[k])
	case a.seen == nil:
		return nil, errRefused
	}
	by := deciding(a.seen.reasons[met:], func(r *reason) bool { return !r.holds })
	for _, option := range options { // in one state
		if holds, err := ofOption(t, condition, option); err != nil || bool(holds.Truth()) {
			return nil, &refusal{by: by}
		}
	}
	return nil, &refusal{why: nothingToChoose}
}

// ofOption calls a function of the names after for with an option.
func ofOption(t *starlark.Thread, f *starlark.Function, option starlark.Value) (starlark.Value, error) {
	args := starlark.Tuple{option}
	if n := f.NumParams(); n > 1 {
		parts, ok := elements(option)
		if !ok || len(parts) != n {
			return nil, mistakef("choose from %s: want %d values, for the names after for", short(option), n)
		}
		args = parts
	}
	return starlark.Call(t, f, args, nil)
}

func fail(t *starlark.Thread, f *starlark.Builtin, args starlark.Tuple,
	kwargs []starlark.Tuple) (starlark.Value, error) {
	if err := affordText(t, args); err != nil {
		return nil, err
	}
	var parts []string
	for _, v := range args {
		parts = append(parts, shown(v))
	}
	return nil, &failure{strings.Join(parts, " ")}
}

// answered is what an evaluation found out.
type answered struct {
	tree         *decision.Tree
	lacksMessage bool // the instance looks for a message that never comes
	reads        bool // all numbers that are computed of the state were read
}

// firstRuns is how many runs with numbers that are not read are tried before they are read.
const firstRuns = 1 << 10

var errManyRuns = errors.New("more runs than are tried at once")

// evaluateOn makes the tree of an instance, and notes in m what it meets.
//
// A comparison of unread numbers leaves the variables all their values. So later ones that contradict it fork the run, and
// an error there is none of any state. If an evaluation ends with an error, or takes many runs, the numbers are
// read. Of the two ways, each tried with more and more runs, the first is taken that comes to an end.
func (b *builder) evaluateOn(ctx context.Context, m *machine, d *declared, i int) (answered, error) {
	if m.traffic != nil || d.reads[i] { // loading the file has decided
		got, _, err := b.evaluateWithin(ctx, m, d, i, d.reads[i], mostLeavesEach)
		return got, err
	}
	const more = 8 // times the runs; reading makes the shorter ones
	undo, tooMany := m.undoing(), false
	for most := firstRuns; ; most *= more {
		got, compiled, err := b.evaluateWithin(ctx, m, d, i, false, most)
		if err == nil || !compiled || tooMany || context.Cause(ctx) != nil {
			return got, err
		}
		undo()
		again := errors.Is(err, errManyRuns)
		tried := mostLeavesEach
		if again {
			tried = min(most*more, mostLeavesEach)
		}
		read, _, wrong := b.evaluateWithin(ctx, m, d, i, true, tried)
		var bound *beyond
		switch {
		case wrong == nil || context.Cause(ctx) != nil:
			return read, wrong
		case errors.As(wrong, &bound) && again:
			tooMany, most = true, mostLeavesEach/more
		case errors.As(wrong, &bound):
			return got, err
		case !errors.Is(wrong, errManyRuns):
			return read, wrong
		}
		undo()
	}
}

// undoing returns a function that undoes what evaluations of instances note in the machine from now on, but for what they
// note of FIFOs whose contents are inferred.
func (m *machine) undoing() func() {
	parts, met, variables, places, leaves, steps := len(m.parts), len(m.met), len(m.p.Variables), len(m.places), m.leaves, m.steps
	ways := maps.Clone(m.ways)
	return func() {
		for _, p := range m.parts[parts:] {
			delete(m.partNumber, p.key)
		}
		maps.DeleteFunc(m.faults, func(_ string, x program.Var) bool { return int(x) >= variables+met })
		m.parts, m.met, m.p.Variables, m.places = m.parts[:parts], m.met[:met], m.p.Variables[:variables], m.places[:places]
		m.leaves, m.steps, m.ways = leaves, steps, maps.Clone(ways)
	}
}

// evaluateWithin is evaluateOn with numbers that are read, or not. It reports whether some were not, and then gives up
// after most runs.
func (b *builder) evaluateWithin(ctx context.Context, m *machine, d *declared, i int, reads bool,
	most int) (got answered, compiled bool, err error) {
	a, thread := b.newEvaluation(m, d, i)
	a.reads = reads
	stop := context.AfterFunc(ctx, func() { thread.Cancel("interrupted") })
	defer stop()
	limit := min(mostLeavesEach, m.leaves)
	var wrong error // the first one
	// right: some run neither refuses the step nor meets an error of the function. While FIFOs are inferred not all
	// values are known, so it is taken for granted.
	right := m.noting != nil
	runs := 0
	t, err := decision.Evaluate(m.valuesOf, limit, func(r *decision.Run) (decision.Answer, error) {
		if runs++; runs > most && most < mostLeavesEach && (reads || a.compiled) {
			return decision.Answer{}, errManyRuns
		}
		v, err := a.call(thread, r, d, i)
		if cause := context.Cause(ctx); cause != nil {
			return decision.Answer{}, cause
		}
		const assigning = 200 // steps, for what the program keeps of an assignment
		if m.steps -= int(thread.Steps) + assigning*len(a.set); m.steps < 0 {
			return decision.Answer{}, fault(b.file, thread,
				bound(cmp.Or(b.opt.ruleSteps, mostRuleSteps), "steps in all rules",
					"look at fewer variables, or assign fewer"))
		}
		if err == nil || behaves(err) {
			right = true
		} else if !errors.Is(err, errRefused) && wrong == nil {
			wrong = fault(b.file, thread, err)
		}
		if m.traffic != nil {
			if err := m.traffic.add(d, i, a, err); err != nil {
				return decision.Answer{}, err
			}
		}
		if err != nil {
			return b.failed(a, d.what, thread, err)
		}
		return a.returned(d, v)
	})
	if err == nil && !right && wrong != nil {
		return got, a.compiled, wrong // in every state that the rule does not refuse
	}
	var many *decision.TooManyError
	if errors.As(err, &many) {
		where := d.place()
		return got, a.compiled, &beyond{&spec.PosError{File: b.file, Line: int(where.line), Col: int(where.col),
			Msg: oneLine(m.tooMany(d, a, many))},
			&spec.BoundError{What: "combinations of values", Limit: many.Limit}}
	}
	if err != nil {
		return got, a.compiled, err
	}
	m.leaves -= t.Leaves
	return answered{t, a.lacks, reads}, a.compiled, nil
}

// tooMany says what an instance looks at and among what it chooses, and what makes that less. What a sets is what its last run
// set.
func (m *machine) tooMany(d *declared, a *evaluation, many *decision.TooManyError) string {
	ways := 1 // at most one above the limit
	for _, n := range many.Choices {
		ways = min(ways*n, many.Limit+1)
	}
	set := m.sizes(slices.Sorted(maps.Keys(a.set)))
	if set != "" {
		set = ", to set variables" + set
	}
	looked, cure := "values"+m.sizes(many.Looked), "move values without looking at them"
	switch {
	case ways > many.Limit:
		return fmt.Sprintf("%s chooses in more than %d ways (%s)%s: if it makes the initial states, call initial(f); "+
			"otherwise choose in several steps (%s)", d.function(), many.Limit, optionsText(many.Choices), set, a.about)
	case ways > 1:
		looked += " and choices (" + optionsText(many.Choices) + ")"
		cure += ", choose in several steps"
	}
	return fmt.Sprintf("%s looks at more than %d combinations of %s: look at fewer variables, give it over=, %s, or leave "+
		"what is independent to also(f, ...) (%s)", d.function(), many.Limit, looked, cure, a.about)
}

// optionsText tells how many options choices have, those with the most first: "one of 7, one of 2 14 times".
func optionsText(choices []int) string {
	choices = slices.Sorted(slices.Values(choices))
	var parts []string
	for end := len(choices); end > 0; {
		n := choices[end-1]
		first := slices.Index(choices, n)
		text := fmt.Sprintf("one of %d", n)
		if end-first > 1 {
			text += fmt.Sprintf(", %d times", end-first)
		}
		parts, end = append(parts, text), first
	}
	return strings.Join(parts, "; ")
}

// sizes names variables and how many values they have, those with the most first.
func (m *machine) sizes(of []program.Var) string {
	const most = 4
	of = slices.Clone(of)
	slices.SortStableFunc(of, func(x, y program.Var) int { return m.p.Variables[y].Values - m.p.Variables[x].Values })
	var all []string
	for _, x := range of[:min(most, len(of))] {
		all = append(all, fmt.Sprintf("%s has %d", m.p.Variables[x].Name, m.p.Variables[x].Values))
	}
	if len(of) > most {
		all = append(all, fmt.Sprintf("and %d more", len(of)-most))
	}
	if len(all) == 0 {
		return ""
	}
	return " (" + strings.Join(all, ", ") + ")"
}

// newEvaluation returns the evaluation and the thread for newEvaluation an instance.
func (b *builder) newEvaluation(m *machine, d *declared, i int) (*evaluation, *starlark.Thread) {
	a := &evaluation{m: m, agent: d.actor(i), rule: d.what == "rule", reads: d.reads[i], about: fmt.Sprintf("in %s %q", d.what, d.instance(i))}
	a.thread = newThread(b.file, &run{limit: b.opt.MaxRouteSteps, evaluation: a})
	return a, a.thread
}

// call runs the function of an instance.
func (a *evaluation) call(t *starlark.Thread, r *decision.Run, d *declared, i int) (starlark.Value, error) {
	a.run, a.set, a.also, a.fifos = r, map[program.Var]datum{}, map[int]bool{}, map[*slot]changer{}
	a.assigned = map[program.Var]position{}
	a.looks = a.looks[:0]
	if a.transfers = a.transfers[:0]; a.m.routes != nil {
		a.filled = map[*slot]bool{}
	}
	t.Steps = 0
	if d.turn != nil {
		return starlark.None, nil // it is written from the conditions of others, not run
	}
	if d.method != nil {
		return d.method.call(a, t, d.over.args[i])
	}
	v, err := starlark.Call(t, d.f, append(starlark.Tuple{&view{a.m.root, a}}, d.over.args[i]...), nil)
	if err != nil {
		err = a.earlier(err)
	}
	return v, err
}

// behaves reports whether an error is what the protocol does, not a fault of its text: fail, or a number or message
// for which there is no room.
func behaves(err error) bool {
	var said *failure
	var far *outOfRange
	return errors.As(err, &said) || errors.As(err, &far)
}

// failed says what an error that ends a run means: the step is refused, the file is
// wrong, or the machine is, in the states of this run.
func (b *builder) failed(a *evaluation, what string, t *starlark.Thread, err error) (decision.Answer, error) {
	if errors.Is(err, errRefused) {
		return decision.Answer{}, nil
	}
	var (
		wrong *mistake
		met   *boundFault
		said  *failure
	)
	placed := func() (decision.Answer, error) { return decision.Answer{}, fault(b.file, t, err) }
	// It is about some states only. While FIFOs are inferred, it may be because no message has come yet.
	state := a.run.Decisions() > 0 || errors.As(err, &said) || a.rule && behaves(err) || a.m.noting != nil
	if errors.As(err, &wrong) || errors.As(err, &met) || t.Steps >= b.opt.MaxRouteSteps || !state ||
		!behaves(err) && neverRight().MatchString(rootOf(err)) {
		return placed()
	}
	switch what {
	case "invariant", "never", "reach": // a condition that cannot be evaluated counts against the property
		return decision.Answer{Holds: what == "never"}, nil
	case "eventually", "always_possible", "ltl", "final":
		return placed()
	}
	if a.m.noting != nil {
		a.m.noting.failed = true
		return decision.Answer{}, nil
	}
	// The folder is left out: where a file lies is not part of the machine. So are the rule, which
	// the step names, and the calls that led there: errors of one kind share a variable.
	at, cause := innermost(b.file, err)
	x := a.m.faultVar(fmt.Sprintf("%s:%d:%d", filepath.Base(at.file), at.line, at.col), oneLine(advised(cause.Error())))
	return decision.Answer{
		Holds: true, Sets: []decision.Set{{Var: x, From: decision.None, Plus: decision.None, Add: 1}},
		Also: slices.Sorted(maps.Keys(a.also)), // the parts may still refuse it
	}, nil
}

// neverRight matches errors that a function makes in every state.
var neverRight = pattern(`^(int|string|bool|tuple|list|record|fifo|array) (has no \.|value is not iterable)|` +
	`^can't assign to \.|frozen (list|hash table)$|^unhandled index operation|` +
	`^function \w+ (missing|accepts|got) |^len: value of type (int|bool) `)

// rootOf returns the message of the innermost error.
func rootOf(err error) string {
	for next := err; next != nil; next = errors.Unwrap(next) {
		err = next
	}
	return err.Error()
}

// faultVar returns the variable of an error: it has one value, and the step sets it to
// another. If one place has many errors, the last ones share a variable.
func (m *machine) faultVar(where, message string) program.Var {
	const most = 8 // messages of a place
	text := where + ": " + message
	if m.forked {
		x, known := m.faults[text]
		if !known {
			x = program.Var(len(m.p.Variables) + len(m.met))
			m.faults[text], m.met = x, append(m.met, metFault{where, message})
		}
		return x
	}
	if _, known := m.faults[text]; !known && m.ways[where] == most {
		text = fmt.Sprintf("%s: one of more than %d errors", where, most)
	}
	x, known := m.faults[text]
	if !known {
		m.ways[where] = min(most, m.ways[where]+1)
		x = m.p.Var(text, 1)
		m.places = append(m.places, nil)
		m.faults[text] = x
	}
	return x
}

// returned reads what a function returned.
func (a *evaluation) returned(d *declared, v starlark.Value) (decision.Answer, error) {
	wrong := func(problem string) (decision.Answer, error) {
		where := d.place()
		return decision.Answer{}, place(where.file, int(where.line), int(where.col), "%s returned %s: %s (%s)",
			d.function(), nameOf(v), problem, oneLine(a.about))
	}
	if a.rule {
		if v != starlark.None {
			if _, condition := v.(starlark.Bool); d.f != nil && d.f.Name() == "lambda" && !condition {
				return wrong("a rule returns nothing: write def, or also(s.q.pop) for what pops a message")
			}
			return wrong("a rule returns nothing; when(condition) refuses a step")
		}
		return decision.Answer{Holds: true, Sets: a.answer(), Also: slices.Sorted(maps.Keys(a.also))}, nil
	}
	holds, ok := v.(starlark.Bool)
	if !ok {
		return wrong("every path must return True or False")
	}
	return decision.Answer{Holds: bool(holds)}, nil
}

// evaluation is a run of a function of the file, and what the run has set.
type evaluation struct {
	m           *machine
	run         *decision.Run
	set         map[program.Var]datum
	assigned    map[program.Var]position // where a variable was set to a computed number that it may not hold
	also        map[int]bool             // parts of the step that are evaluated by themselves
	fifos       map[*slot]changer        // the FIFOs that the step changes
	rule        bool                     // it may assign
	reads       bool                     // numbers that are computed of the state are always read
	compiled    bool                     // some run has decided by numbers that it has not read
	about       string                   // for messages
	lacks       bool                     // it looked for a message that never comes
	stringsRead map[starlark.String]bool // read from the state: they may be compared with anything

	agent     string     // that takes the step
	transfers []transfer // if transfers are collected
	looks     []look     // so, too
	thread    *starlark.Thread
	filled    map[*slot]bool // over a network: buffers into which the step has put a message

	seen          *observations // what the run meets; nil: not recorded
	unconditional bool          // when refuses nothing
}

// changer says what in a step changes a FIFO.
type changer uint8

const (
	byPart changer = 1 + iota // a method called by also, or a push in turn: it sees the FIFO as it was before the step
	byRest
)

// invalidValue says that v is not one of the values of d.
func (d *domain) invalidValue(v starlark.Value) error {
	err := fmt.Errorf("invalid value %s: want %s", short(v), d)
	if _, is := v.(starlark.Float); is {
		return &mistake{fmt.Errorf("%w; // divides to an integer", err)}
	}
	if n, wrong := starlark.AsInt32(v); wrong == nil && n == -1 && d.declares(starlark.None) {
		err = fmt.Errorf("%w; None stands for no value", err)
	}
	number := func(v starlark.Value) bool { _, is := v.(starlark.Int); return is }
	if number(v) && slices.ContainsFunc(d.declared().values, number) {
		return &outOfRange{error: err}
	}
	return err
}

// snapshot returns what a place holds.
func (a *evaluation) snapshot(p *slot) datum {
	if _, ok := p.kind.(*domain); ok {
		if d, set := a.set[p.x]; set {
			return d
		}
		return datum{from: p}
	}
	d := datum{}
	for _, q := range p.in {
		d.in = append(d.in, a.snapshot(q))
	}
	return d
}

// known reads a value of a domain, which may fork the run.
func (a *evaluation) known(d datum) starlark.Value {
	if d.from == nil {
		return d.value
	}
	if d.of != nil {
		return starlark.MakeInt(d.of.in(a.run) + d.shift)
	}
	v := d.from.value(a.run.Read(d.from.x))
	if d.plus != nil {
		v = v.(starlark.Int).Add(d.plus.value(a.run.Read(d.plus.x)).(starlark.Int))
	}
	if d.shift != 0 {
		v = v.(starlark.Int).Add(starlark.MakeInt(d.shift))
	}
	return v
}

// valuesOf returns how many values a variable has. The call counts as looking at its FIFO, if
// it is in one.
func (m *machine) valuesOf(x program.Var) int {
	if n := m.noting; n != nil {
		if q := n.fifos[x]; q != nil {
			n.looked[q] = true
		}
	}
	return m.p.Variables[x].Values
}

// write changes what a place holds. It fails if the place cannot hold that.
func (a *evaluation) write(p *slot, d datum) error {
	if !a.rule {
		return mistakef("%s is assigned: only rules change the state", p.label)
	}
	k, ok := p.kind.(*domain)
	if !ok {
		for i, q := range p.in {
			if err := a.write(q, d.in[i]); err != nil {
				return err
			}
		}
		return nil
	}
	if err := a.fits(p.x); err != nil { // what was assigned before
		return err
	}
	d, err := a.admitted(p, k, d)
	if err != nil {
		return err
	}
	a.set[p.x] = d
	if p.free == 0 && (d.plus != nil || d.of != nil) {
		a.assigned[p.x] = positionOf(a.thread.Name, written(a.thread.CallStack()))
	}
	return nil
}

// admitted is a value as a place of a domain is set to it. It fails if the place cannot hold it, but for a computed
// number of a variable, which fits tells later.
func (a *evaluation) admitted(p *slot, k *domain, d datum) (datum, error) {
	if d.computed() && (a.run.OneState() || d.plus != nil && a.reads || d.of != nil && a.combinations(d.of.reads) <= a.few()) {
		d = datum{value: a.known(d)}
	}
	a.split(p, d)
	if _, alike := a.moved(p, d); !alike {
		d = datum{value: a.known(d)}
	}
	if d.from == nil {
		if _, fits := p.number(d.value); !fits && !(a.m.noting != nil && k.declares(d.value)) {
			return d, fmt.Errorf("%s: %w", p.label, k.invalidValue(d.value))
		}
	}
	if p.free > 0 { // a number below those of the place would mean that it is free
		return d, a.holds(p, d)
	}
	return d, nil
}

// fits refuses a computed number that a variable was assigned but cannot hold. The step would take it out of range at
// its end: what happens before that asks here.
func (a *evaluation) fits(x program.Var) error {
	at, later := a.assigned[x]
	if !later {
		return nil
	}
	if err := a.holds(a.m.places[x], a.set[x]); err != nil {
		return &misplaced{err, at}
	}
	return nil
}

// holds refuses a computed number that a place cannot hold.
func (a *evaluation) holds(p *slot, d datum) error {
	if d.plus == nil && d.of == nil {
		return nil
	}
	add, _ := a.summed(p, d)
	n := d.of
	if n == nil {
		n = &computed{value: program.Add(d.from.x, d.plus.x)}
		for _, q := range []*slot{d.from, d.plus} {
			domain := a.run.Domain(q.x)
			n.least, n.most = n.least+domain[0], n.most+domain[len(domain)-1]
		}
	}
	first, last := p.free-add, p.free-add+len(p.kind.(*domain).values)-1
	var all []program.Expr
	if n.least < first {
		all = append(all, program.Le(first, n.value))
	}
	if n.most > last {
		all = append(all, program.Le(n.value, last))
	}
	if len(all) == 0 {
		return nil
	}
	a.compiled = true
	if a.run.Holds(func() program.Expr { return program.And(all...) }) {
		return nil
	}
	return &outOfRange{error: fmt.Errorf("%s: invalid value: want %s", p.label, p.kind.(*domain))}
}

// earlier returns the first error of what was assigned before one that ends the run, or that.
func (a *evaluation) earlier(err error) error {
	for _, x := range slices.Sorted(maps.Keys(a.assigned)) {
		if wrong := a.fits(x); wrong != nil {
			return wrong
		}
	}
	return err
}

// moved reports whether a value can be moved into a place unread, and what to add to its
// number.
func (a *evaluation) moved(p *slot, d datum) (add int, ok bool) {
	if d.from == nil {
		return 0, true
	}
	if d.plus != nil || d.of != nil {
		return a.summed(p, d)
	}
	if d.from.kind == p.kind && d.shift == 0 {
		if add = p.free - d.from.free; add >= 0 || a.run.Domain(d.from.x)[0] > 0 {
			return add, true
		}
	}
	for i, number := range a.run.Domain(d.from.x) {
		n, fits := p.number(d.valueOf(number))
		if !fits || i > 0 && n-number != add {
			return 0, false
		}
		add = n - number
	}
	return add, true
}

// valueOf is the value for a number of the variable from, where no other is added.
func (d *datum) valueOf(number int) starlark.Value {
	if d.of != nil {
		return starlark.MakeInt(d.of.at(number) + d.shift)
	}
	v := d.from.value(number)
	if d.shift != 0 {
		v = v.(starlark.Int).Add(starlark.MakeInt(d.shift))
	}
	return v
}

// split tells the values of a variable to which a number can be added from those that it takes out of range.
func (a *evaluation) split(p *slot, d datum) {
	if d.from == nil || !d.computed() || len(d.reads()) != 1 {
		return
	}
	var those []int
	domain := a.run.Domain(d.from.x)
	for _, number := range domain {
		if _, fits := p.number(d.valueOf(number)); fits {
			those = append(those, number)
		}
	}
	if len(those) > 0 && len(those) < len(domain) {
		a.run.Test(d.from.x, func(number int) bool {
			_, in := slices.BinarySearch(those, number)
			return in
		})
	}
}

// summed is moved for the sum of two variables, and for another number of several. All places must hold consecutive
// ascending numbers, as of range(n).
func (a *evaluation) summed(p *slot, d datum) (add int, ok bool) {
	least, ok := p.kind.(*domain).firstOfRun()
	add = p.free - least
	if d.of != nil {
		return add + d.shift, ok
	}
	for _, q := range []*slot{d.from, d.plus} {
		least, numbers := q.kind.(*domain).firstOfRun()
		ok = ok && numbers && q.occupied(a.run.Domain(q.x)[0])
		add += least - q.free
	}
	return add + d.shift, ok
}

// answer lists what the run has set.
func (a *evaluation) answer() []decision.Set {
	var out []decision.Set
	for x, d := range a.set {
		p := a.m.places[x]
		s := decision.Set{Var: x, From: decision.None, Plus: decision.None}
		if d.from == nil {
			s.Add, _ = p.number(d.value)
		} else {
			if s.From = d.from.x; d.plus != nil {
				s.Plus = d.plus.x
			}
			if d.of != nil {
				s.From, s.Of = decision.None, a.run.Number(d.of.value)
			}
			s.Add, _ = a.moved(p, d)
		}
		out = append(out, s)
	}
	return out
}

// Parts of a step are evaluated separately. So combinations of values of two independent
// parts are never enumerated: the cost of a step of n parts, and the size of its command,
// is the sum over their trees, not the product. All parts read the state before the step,
// so they can be evaluated in any order, and each once for all rules that contain it.

// noteChange notes that a step changes a FIFO. If a part of the step does, nothing else may: its change would be lost,
// or two equal ones done once.
func (q *fifo) noteChange(what changer) error {
	if before := q.a.fifos[q.place]; before == byPart || before == byRest && what == byPart {
		return mistakef(
			"%s is changed twice in one step: also, and a push into a FIFO with an arbiter, see it as it was before "+
				"the step, so nothing else in the step may change it", q.place.label)
	}
	q.a.fifos[q.place] = what
	return nil
}

// part adds a part to the step.
func (a *evaluation) part(t *starlark.Thread, d declared, key stepPartKey, args starlark.Tuple,
	kwargs []starlark.Tuple) error {
	if err := a.earlier(nil); err != nil { // the part may refuse the step, and hide the error
		return err
	}
	for _, x := range append(slices.Clone(args), flat(kwargs)...) {
		if err := plainValue(x); err != nil {
			what := "also"
			if key.of != nil {
				what = d.name[strings.LastIndex(d.name, ".")+1:]
			}
			return &mistake{fmt.Errorf("%s: %w", what, err)}
		}
		key.args += strconv.Quote(keyText(x))
	}
	i, known := a.m.partNumber[key]
	if !known {
		p := &stepPart{declared: d, key: key}
		p.over.args[0] = args
		i = a.m.number(p)
	}
	a.also[i] = true
	return charge(t, emptyDict)
}

// lookedAt replaces arguments that are values of the state by what they hold: a part is evaluated for
// each value.
func lookedAt(args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Tuple, []starlark.Tuple) {
	look := func(v starlark.Value) starlark.Value {
		if c, ok := v.(*cell); ok {
			return c.a.known(c.datum)
		}
		return v
	}
	args, kwargs = slices.Clone(args), slices.Clone(kwargs)
	for i, v := range args {
		args[i] = look(v)
	}
	for i, kv := range kwargs {
		kwargs[i] = starlark.Tuple{kv[0], look(kv[1])}
	}
	return args, kwargs
}

// flat lists the names and values of keyword arguments.
func flat(kwargs []starlark.Tuple) starlark.Tuple {
	var all starlark.Tuple
	for _, kv := range kwargs {
		all = append(all, kv...)
	}
	return all
}

// number returns the number of a part of a step, a new one if need be.
func (m *machine) number(p *stepPart) int {
	i, known := m.partNumber[p.key]
	if !known {
		i = len(m.parts)
		m.partNumber[p.key] = i
		m.parts = append(m.parts, p)
	}
	return i
}

func (m *method) call(a *evaluation, t *starlark.Thread, args starlark.Tuple) (starlark.Value, error) {
	q := &fifo{m.of, a, &m.at}
	f, err := q.Attr(m.name)
	if m.name == "push" { // the turn is a part of its own
		f = starlark.NewBuiltin(m.name, q.put)
	}
	if err == nil {
		_, err = starlark.Call(t, f, args, m.kwargs)
	}
	if err != nil {
		return nil, &misplaced{err, m.at}
	}
	return starlark.None, nil
}

// also is also(f, ...): f(s, ...), or a method such as s.q.push(...), is done in the same
// step.
func also(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple,
	kwargs []starlark.Tuple) (starlark.Value, error) {
	a := evaluationOf(t)
	switch {
	case a == nil || !a.rule:
		return nil, mistakef("also outside a rule: only a rule has steps")
	case len(args) == 0:
		return nil, mistakef("also takes a function and its arguments after the state")
	}
	args, kwargs = lookedAt(args, kwargs)
	d := declared{what: "rule", over: once()}
	key := stepPartKey{}
	switch f := args[0].(type) {
	case *starlark.Function:
		d.name, d.f, key.f = f.Name(), f, f
	case *starlark.Builtin:
		if q, ok := f.Receiver().(*fifo); ok {
			if a.m.traffic != nil || a.m.routes != nil {
				return nil, mistakef("also(...) of a FIFO cannot run over a network: call the method itself")
			}
			if f.Name() == "push" {
				return starlark.None, q.pushInTurn(t, args[1:], kwargs)
			}
			if err := q.noteChange(byPart); err != nil {
				return nil, err
			}
			if f.Name() == "take" && q.seeks(args[1:]) {
				return nil, &refusal{why: q.place.path + ": no step pushes such a message"}
			}
			d.name = q.place.path + "." + f.Name()
			d.method = &method{q.place, f.Name(), kwargs, positionOf(t.Name, t.CallStack())}
			key.of, key.args = q.place, f.Name()
		}
	}
	switch {
	case d.name == "":
		return nil, mistakef("also of %s: want a function, or push, pop, take or clear of a FIFO", nameOf(args[0]))
	case d.f != nil && len(kwargs) > 0:
		return nil, mistakef("also: %s = names a field of a message: pass the arguments of a function in order",
			string(kwargs[0][0].(starlark.String)))
	}
	return starlark.None, a.part(t, d, key, args[1:], kwargs)
}
