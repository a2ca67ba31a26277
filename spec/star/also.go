package star

import (
	"context"
	"fmt"
	"strconv"

	"go.starlark.net/starlark"

	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/star/internal/decision"
)

// Parts of a step that are asked by themselves. Combinations of values of two parts that
// have nothing to do with each other are never looked at: what a step of n parts costs, and
// the length of what is written of it, is the sum of their trees, not the product. All
// parts look at the state as it was before the step, so that they can be asked in any
// order, and each once, whatever the rules that it is a part of.

// stepPart is a call of also.
type stepPart struct {
	declared
	command decision.Command
	asked   asked
}

type asked uint8

const (
	notAsked asked = iota
	beingAsked
	wasAsked
)

// stepPartKey tells calls of also apart.
type stepPartKey struct {
	f    *starlark.Function
	args string
}

// also is also(f, ...): f(s, ...) does something in the same step.
func also(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	a := askingOf(t)
	switch {
	case a == nil || !a.rule:
		return nil, mistakef("also outside a rule: only a rule has steps")
	case len(args) == 0 || len(kwargs) > 0:
		return nil, mistakef("also takes a function and what follows the state in its parameters")
	}
	f, ok := args[0].(*starlark.Function)
	if !ok {
		return nil, mistakef("also of %s: want a function", nameOf(args[0]))
	}
	key := stepPartKey{f: f}
	for _, x := range args[1:] {
		if err := plainValue(x); err != nil {
			return nil, &mistake{fmt.Errorf("also: %w", err)}
		}
		key.args += strconv.Quote(keyText(x))
	}
	i, known := a.m.partNumber[key]
	if !known {
		i = len(a.m.parts)
		p := &stepPart{declared: declared{what: "rule", name: f.Name(), f: f, over: once()}}
		p.over.args[0] = args[1:]
		a.m.partNumber[key] = i
		a.m.parts = append(a.m.parts, p)
	}
	a.also[i] = true
	return starlark.None, charge(t, emptyDict)
}

// commands writes what was answered about a rule, or a part of one.
func (b *builder) commands(ctx context.Context, d *declared, t *decision.Tree) ([]decision.Command, error) {
	var failed error
	commands, err := t.Commands(b.m.p, func(i int) decision.Command {
		p := b.m.parts[i]
		if failed == nil {
			failed = b.askPart(ctx, p)
		}
		return p.command
	})
	if failed != nil {
		return nil, failed
	}
	if err != nil {
		where := d.f.Position()
		return nil, place(where.Filename(), int(where.Line), int(where.Col), "%v (in rule %q)", err, d.instance(0))
	}
	return commands, nil
}

// askPart makes the command of a part, once.
func (b *builder) askPart(ctx context.Context, p *stepPart) error {
	wrong := func(problem string) error {
		where := p.f.Position()
		return place(where.Filename(), int(where.Line), int(where.Col), "%s: %s", p.f.Name(), problem)
	}
	switch p.asked {
	case wasAsked:
		return nil
	case beingAsked:
		return wrong("it calls itself by also")
	}
	if n := 1 + len(p.over.args[0]); p.f.NumParams() != n || p.f.HasVarargs() || p.f.HasKwargs() || p.f.NumKwonlyParams() > 0 {
		return wrong(fmt.Sprintf("want %d plain parameters: the state, and what also passes on", n))
	}
	p.asked = beingAsked
	t, err := b.ask(ctx, &p.declared, 0)
	if err != nil {
		return err
	}
	commands, err := b.commands(ctx, &p.declared, t)
	if err != nil {
		return err
	}
	switch len(commands) {
	case 0:
		p.command.Guard = program.Or()
	case 1:
		p.command = commands[0]
	default:
		return wrong("choose in what also calls: choose in the rule, and pass what was chosen")
	}
	p.asked = wasAsked
	return nil
}
