package star

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"go.starlark.net/starlark"

	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/star/internal/decision"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// Initial states as a set. init = any(...) gives a variable, or each element of an array by itself, any of several
// values; initial(f) runs a function of the state, as a rule is run, once for each sequence of its choices, from every
// combination of these values. A run that is not refused leaves an initial state behind. The states are listed in the
// program, each once, in the order met.
//
// They are found before FIFOs are inferred, since these begin with what some initial state holds, and are numbered
// anew when the values of their places are.

const mostStartValues = 1 << 24 // of variables in all initial states

// anyOf is what init = any(...) is: one of several values.
type anyOf struct{ values []starlark.Value }

func (a *anyOf) String() string        { return "any(" + starlark.NewList(a.values).String() + ")" }
func (a *anyOf) Type() string          { return "any of several values" }
func (a *anyOf) Freeze()               {}
func (a *anyOf) Truth() starlark.Bool  { return true }
func (a *anyOf) Hash() (uint32, error) { return 0, errors.New("any(...) cannot be a dict key") }

// initAny is any(values) as the value of init.
func initAny(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple,
	kwargs []starlark.Tuple) (starlark.Value, error) {
	if len(args) != 1 || len(kwargs) > 0 {
		return nil, errors.New("init = any(...) takes a list of values, of which the variable begins with any")
	}
	if f, is := args[0].(*starlark.Builtin); is && f.Name() == "bool" {
		return &anyOf{[]starlark.Value{starlark.False, starlark.True}}, nil
	}
	if k, is := args[0].(*kindValue); is {
		if d, values := k.kind.(*domain); values {
			return &anyOf{d.values}, nil
		}
	}
	if err := countable(args[0]); err != nil {
		return nil, err
	}
	list, ok := elements(args[0])
	if !ok || len(list) == 0 {
		return nil, fmt.Errorf("init = any(%s): want a list of values, of which the variable begins with any",
			nameOf(args[0]))
	}
	return &anyOf{list}, charge(t, len(list))
}

// alternatives are the values that variables begin with together, a row for each possibility.
type alternatives struct {
	vars []program.Var
	rows [][]int
	at   position
}

// initialAny gives a place any of several initial contents.
func (m *machine) initialAny(t *starlark.Thread, p *slot, of *anyOf) error {
	a := alternatives{at: positionOf(t.Name, t.CallStack())}
	var find func(p *slot)
	find = func(p *slot) {
		if _, is := p.kind.(*domain); is {
			a.vars = append(a.vars, p.x)
		}
		for _, q := range p.in {
			find(q)
		}
	}
	find(p)
	if err := charge(t, len(of.values)*(1+len(a.vars))); err != nil {
		return err
	}
	set := func(row []int) {
		for i, x := range a.vars {
			m.p.Init(x, row[i])
		}
	}
	for _, v := range of.values {
		set(make([]int, len(a.vars))) // a FIFO may begin with fewer messages
		if err := m.initial(t, p, v); err != nil {
			return err
		}
		row := make([]int, len(a.vars))
		for i, x := range a.vars {
			row[i] = m.p.Variables[x].Initial
		}
		a.rows = append(a.rows, row)
	}
	set(a.rows[0])
	m.begins = append(m.begins, a)
	return nil
}

// initialOf is initial(f).
func (b *builder) initialOf(t *starlark.Thread, f *starlark.Builtin, args starlark.Tuple,
	kwargs []starlark.Tuple) (starlark.Value, error) {
	d := declared{what: f.Name(), over: once(), at: positionOf(t.Name, t.CallStack())}
	if err := starlark.UnpackArgs(f.Name(), args, kwargs, "f", &d.f); err != nil {
		return nil, err
	}
	d.name = d.f.Name()
	if b.m.initially != nil {
		return nil, errors.New("initial is called twice: call it once")
	}
	b.m.initially = &d
	return starlark.None, d.takes(0)
}

// initialStates finds the initial states of the program. The first one is kept in its variables.
func (b *builder) initialStates(ctx context.Context) error {
	m := b.m
	if m.initially == nil && len(m.begins) == 0 {
		return nil
	}
	at := position{file: b.file, line: 1, col: 1}
	first := m.p.Start()
	states, most := [][]int{first}, max(1, mostStartValues/max(1, len(first)))
	beyondMost := func(most int) error {
		return place(at.file, int(at.line), int(at.col), "more than %d initial states of %s: use smaller values", most,
			words.Plural(len(first), "variable"))
	}
	for _, a := range m.begins {
		at = a.at
		if len(states)*len(a.rows) > most {
			return beyondMost(most)
		}
		var next [][]int
		for _, s := range states {
			for _, row := range a.rows {
				s := slices.Clone(s)
				for i, x := range a.vars {
					s[x] = row[i]
				}
				next = append(next, s)
			}
		}
		states = next
	}
	if m.initially != nil {
		at = m.initially.place()
		from, runs := states, min(most, cmp.Or(b.opt.leaves, mostLeaves))
		states = nil
		compiled := b.compiledInitial(ctx, len(from))
		for _, s := range from {
			var err error
			if compiled != nil {
				var done bool
				if states, done = m.compiledStates(compiled, s, states); done {
					if len(states) > most {
						return beyondMost(most)
					}
					continue
				}
			}
			if states, err = b.runInitial(ctx, s, states, most, runs-len(states)); err != nil {
				var many *decision.TooManyError
				if errors.As(err, &many) {
					return beyondMost(runs)
				}
				return err
			}
		}
		if len(states) == 0 {
			return place(at.file, int(at.line), int(at.col), "initial refuses every state: one at least must be left")
		}
	}
	seen := map[string]bool{}
	var key []byte
	states = slices.DeleteFunc(states, func(s []int) bool {
		key = key[:0]
		for _, v := range s {
			key = binary.AppendUvarint(key, uint64(v))
		}
		again := seen[string(key)]
		seen[string(key)] = true
		return again
	})
	for x, v := range states[0] {
		m.p.Variables[x].Initial = v
	}
	m.p.Starts = states[1:]
	return nil
}

// compiledInitial is the function of initial as the tree of a rule, with which many states take no run each; nil if it
// is not worth it, or looks at too much. An answer with a part stands for an error: it is met again in a run.
func (b *builder) compiledInitial(ctx context.Context, states int) *decision.Tree {
	const few = 1 << 6
	if states <= few {
		return nil
	}
	a, thread := b.newEvaluation(b.m, b.m.initially, 0)
	a.rule = true
	stop := context.AfterFunc(ctx, func() { thread.Cancel("interrupted") })
	defer stop()
	t, err := decision.Evaluate(b.m.valuesOf, min(mostLeavesEach, states), func(r *decision.Run) (decision.Answer, error) {
		v, err := a.call(thread, r, b.m.initially, 0)
		if cause := context.Cause(ctx); cause != nil {
			return decision.Answer{}, cause
		}
		switch {
		case errors.Is(err, errRefused):
			return decision.Answer{}, nil
		case err != nil || v != starlark.None || len(a.also) > 0:
			return decision.Answer{Holds: true, Also: []int{0}}, nil
		}
		return decision.Answer{Holds: true, Sets: a.answer()}, nil
	})
	if err != nil {
		return nil
	}
	return t
}

// compiledStates appends the states that a compiled function makes of one. It is not done if a run is needed.
func (m *machine) compiledStates(t *decision.Tree, from []int, to [][]int) (all [][]int, done bool) {
	done = true
	all = to
	t.Each(from, func(answer decision.Answer) {
		if !answer.Holds {
			return
		}
		s := slices.Clone(from)
		for _, set := range answer.Sets {
			s[set.Var] = set.Value(from)
			done = done && s[set.Var] >= 0 && s[set.Var] < m.p.Variables[set.Var].Values
		}
		done = done && len(answer.Also) == 0
		all = append(all, s)
	})
	if !done {
		return to, false
	}
	return all, true
}

// runInitial appends the states that the function of initial makes of one, most in all, in as many runs as are left.
func (b *builder) runInitial(ctx context.Context, from []int, to [][]int, most, left int) ([][]int, error) {
	m, d := b.m, b.m.initially
	a, thread := b.newEvaluation(m, d, 0)
	a.rule = true
	stop := context.AfterFunc(ctx, func() { thread.Cancel("interrupted") })
	defer stop()
	err := decision.EachIn(from, left, func(r *decision.Run) error {
		v, err := a.call(thread, r, d, 0)
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
		if m.steps -= int(thread.Steps); m.steps < 0 {
			return fault(b.file, thread, bound(cmp.Or(b.opt.ruleSteps, mostRuleSteps),
				"steps in all rules", "list fewer initial states"))
		}
		where := d.place()
		switch {
		case errors.Is(err, errRefused):
			return nil
		case err != nil:
			return fault(b.file, thread, err)
		case v != starlark.None:
			return place(where.file, int(where.line), int(where.col),
				"%s returned %s: it returns nothing; when(condition) refuses a state", d.function(), nameOf(v))
		case len(a.also) > 0:
			return place(where.file, int(where.line), int(where.col), "%s calls also, or pushes into a FIFO with an arbiter: "+
				"an initial state has no parts; assign, or give the FIFO its contents by init=", d.function())
		case len(to) == most:
			return &decision.TooManyError{Limit: most}
		}
		s := slices.Clone(from)
		for _, set := range a.answer() {
			value := set.Value(from)
			if value < 0 || value >= m.p.Variables[set.Var].Values {
				return place(where.file, int(where.line), int(where.col), "%s gives %s a value out of range", d.function(),
					m.p.Variables[set.Var].Name)
			}
			s[set.Var] = value
		}
		to = append(to, s)
		return nil
	})
	return to, err
}

// completeStarts gives the initial states the variables that were declared after they were found: arbiters and faults,
// which begin alike in all of them.
func (m *machine) completeStarts() {
	for i, s := range m.p.Starts {
		for _, v := range m.p.Variables[len(s):] {
			s = append(s, v.Initial)
		}
		m.p.Starts[i] = s
	}
}
