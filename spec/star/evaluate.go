package star

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
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

func when(t *starlark.Thread, f *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
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
	if holds {
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
func choose(t *starlark.Thread, f *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var from starlark.Value
	a := evaluationOf(t)
	if err := starlark.UnpackArgs(f.Name(), args, kwargs, "options", &from); err != nil {
		return nil, &mistake{err}
	}
	if err := countable(from); err != nil {
		return nil, &mistake{err}
	}
	options, ok := elements(from)
	switch {
	case a == nil || !a.rule:
		return nil, mistakef("choose outside a rule: only a rule has several steps")
	case !ok:
		return nil, mistakef("choose from %s: want a list", nameOf(from))
	case len(options) == 0:
		return nil, &refusal{why: "there is nothing to choose from"}
	case len(options) == 1:
		return options[0], nil
	}
	return options[a.run.Choose(len(options))], charge(t, len(options))
}

func fail(t *starlark.Thread, f *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if err := affordText(t, args); err != nil {
		return nil, err
	}
	var parts []string
	for _, v := range args {
		parts = append(parts, shown(v))
	}
	return nil, &failure{strings.Join(parts, " ")}
}

// evaluateOn makes the tree of an instance, and notes in m what it meets. The second result is whether
// the instance looks for a message that never comes.
func (b *builder) evaluateOn(ctx context.Context, m *machine, d *declared, i int) (*decision.Tree, bool, error) {
	a, thread := b.newEvaluation(m, d, i)
	stop := context.AfterFunc(ctx, func() { thread.Cancel("interrupted") })
	defer stop()
	limit := min(mostLeavesEach, m.leaves)
	var wrong error          // the first one
	right := m.noting != nil // some run neither refuses the step nor meets an error of the function; not all values are known while FIFOs are inferred
	t, err := decision.Evaluate(m.valuesOf, limit, func(r *decision.Run) (decision.Answer, error) {
		v, err := a.call(thread, r, d, i)
		if cause := context.Cause(ctx); cause != nil {
			return decision.Answer{}, cause
		}
		const assigning = 200 // steps, for what the program keeps of an assignment
		if m.steps -= int(thread.Steps) + assigning*len(a.set); m.steps < 0 {
			return decision.Answer{}, fault(b.file, thread, bound(cmp.Or(b.opt.ruleSteps, mostRuleSteps), "steps in all rules", "look at fewer variables, or assign fewer"))
		}
		if err == nil || behaves(err) {
			right = true
		} else if !errors.Is(err, errRefused) && wrong == nil {
			wrong = fault(b.file, thread, err)
		}
		if err != nil {
			return b.failed(a, d.what, thread, err)
		}
		return a.returned(d, v)
	})
	if err == nil && !right && wrong != nil {
		return nil, false, wrong // whatever the state is, if not refused
	}
	var many *decision.TooManyError
	if errors.As(err, &many) {
		where := d.place()
		return nil, false, &beyond{&spec.PosError{File: b.file, Line: int(where.line), Col: int(where.col), Msg: oneLine(fmt.Sprintf(
			"%s looks at more than %d combinations of values: look at fewer variables, give it over=, or move values without looking at them (%s)",
			d.function(), many.Limit, a.about))}, &spec.BoundError{What: "combinations of values", Limit: many.Limit}}
	}
	if err != nil {
		return nil, false, err
	}
	m.leaves -= t.Leaves
	return t, a.lacks, nil
}

// newEvaluation returns the evaluation and the thread for newEvaluation an instance.
func (b *builder) newEvaluation(m *machine, d *declared, i int) (*evaluation, *starlark.Thread) {
	a := &evaluation{m: m, rule: d.what == "rule", about: fmt.Sprintf("in %s %q", d.what, d.instance(i))}
	return a, newThread(b.file, &run{limit: b.opt.MaxRouteSteps, evaluation: a})
}

// call runs the function of an instance.
func (a *evaluation) call(t *starlark.Thread, r *decision.Run, d *declared, i int) (starlark.Value, error) {
	a.run, a.set, a.also, a.fifos = r, map[program.Var]datum{}, map[int]bool{}, map[*slot]changer{}
	t.Steps = 0
	if d.turn != nil {
		return starlark.None, nil // it is written from the conditions of others, not run
	}
	if d.method != nil {
		return d.method.call(a, t, d.over.args[i])
	}
	return starlark.Call(t, d.f, append(starlark.Tuple{&view{a.m.root, a}}, d.over.args[i]...), nil)
}

// behaves reports whether an error is what the protocol does, not a fault of its text: fail, or a number or message for which there
// is no room.
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
	placed := fault(b.file, t, err)
	// It is about some states only. While FIFOs are inferred, it may be because no message has come yet.
	state := a.run.Decisions() > 0 || errors.As(err, &said) || a.rule && behaves(err) || a.m.noting != nil
	if errors.As(err, &wrong) || errors.As(err, &met) || neverRight().MatchString(rootOf(err)) || t.Steps >= b.opt.MaxRouteSteps || !state {
		return decision.Answer{}, placed
	}
	switch what {
	case "invariant", "never", "reach": // a condition that cannot be evaluated counts against the property
		return decision.Answer{Holds: what == "never"}, nil
	case "eventually", "final":
		return decision.Answer{}, placed
	}
	if a.m.noting != nil {
		a.m.noting.failed = true
		return decision.Answer{}, nil
	}
	// The folder is left out: where a file lies is not part of the machine. So are the rule, which
	// the step names, and the calls that led there: errors of one kind share a variable.
	at, cause := innermost(b.file, err)
	x := a.m.faultVar(fmt.Sprintf("%s:%d:%d", filepath.Base(at.file), at.line, at.col), oneLine(advised(cause.Error())))
	return decision.Answer{Holds: true, Sets: []decision.Set{{Var: x, From: decision.None, Plus: decision.None, Add: 1}}, Also: slices.Sorted(maps.Keys(a.also))}, nil // the parts may still refuse it
}

// neverRight matches errors that a function makes whatever the state is.
var neverRight = pattern(`^(int|string|bool|tuple|list|record|fifo|array) (has no \.|value is not iterable)|^can't assign to \.|frozen (list|hash table)$|^unhandled index operation|^function \w+ (missing|accepts|got) |^len: value of type (int|bool) `)

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
		return decision.Answer{}, place(where.file, int(where.line), int(where.col), "%s returned %s: %s (%s)", d.function(), nameOf(v), problem, oneLine(a.about))
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
