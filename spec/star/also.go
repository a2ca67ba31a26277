package star

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.starlark.net/starlark"

	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/star/internal/decision"
)

// Parts of a step are evaluated separately. So combinations of values of two independent
// parts are never enumerated: the cost of a step of n parts, and the size of its command,
// is the sum over their trees, not the product. All parts read the state before the step,
// so they can be evaluated in any order, and each once for all rules that contain it.

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

// method is push, pop, take or clear of a FIFO, called by also.
type method struct {
	of     *slot
	name   string
	kwargs []starlark.Tuple
	at     position // of the call of also
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

// changer says what in a step changes a FIFO.
type changer uint8

const (
	byPart changer = 1 + iota // a method called by also, or a push in turn: it sees the FIFO as it was before the step
	byRest
)

// changes notes that a step changes a FIFO. If a part of the step does, nothing else may: its change would be lost, or
// two equal ones done once.
func (q *fifo) changes(what changer) error {
	if before := q.a.fifos[q.place]; before == byPart || before == byRest && what == byPart {
		return mistakef("%s is changed twice in one step: also, and a push into a FIFO with an arbiter, see it as it was before the step, so nothing else in the step may change it", q.place.label)
	}
	q.a.fifos[q.place] = what
	return nil
}

// also is also(f, ...): f(s, ...), or a method such as s.q.push(...), is done in the same
// step.
func also(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
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
			if f.Name() == "push" {
				return starlark.None, q.pushes(t, args[1:], kwargs)
			}
			if err := q.changes(byPart); err != nil {
				return nil, err
			}
			if f.Name() == "take" && q.looksFor(args[1:]) {
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
		return nil, mistakef("also: %s = names a field of a message: pass the arguments of a function in order", string(kwargs[0][0].(starlark.String)))
	}
	return starlark.None, a.part(t, d, key, args[1:], kwargs)
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

// part adds a part to the step.
func (a *evaluation) part(t *starlark.Thread, d declared, key stepPartKey, args starlark.Tuple, kwargs []starlark.Tuple) error {
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

// flat lists the names and values of keyword arguments.
func flat(kwargs []starlark.Tuple) starlark.Tuple {
	var all starlark.Tuple
	for _, kv := range kwargs {
		all = append(all, kv...)
	}
	return all
}

// commands writes the tree of a rule, or of a part of one, as guarded commands.
func (b *builder) commands(ctx context.Context, d *declared, t *decision.Tree) ([]decision.Command, error) {
	var failed error
	commands, err := t.Commands(b.m.p, func(i int) decision.Command {
		p := b.m.parts[i]
		if failed == nil {
			failed = b.evaluatePart(ctx, p)
		}
		return p.command
	})
	if failed != nil {
		return nil, failed
	}
	if err != nil {
		where := d.place()
		return nil, place(where.file, int(where.line), int(where.col), "%v (in rule %q)", err, d.instance(0))
	}
	return commands, nil
}

// treeOf returns the tree of a part, which is evaluated once.
func (b *builder) treeOf(ctx context.Context, p *stepPart) (*decision.Tree, error) {
	var err error
	if p.tree == nil {
		p.tree, err = b.evaluate(ctx, &p.declared, 0)
	}
	return p.tree, err
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

// evaluatePart makes the command of a part, once.
func (b *builder) evaluatePart(ctx context.Context, p *stepPart) error {
	switch p.progress {
	case wasEvaluated:
		return nil
	case beingEvaluated:
		return p.wrong("it calls itself through also")
	}
	if err := p.misfit(); err != nil {
		return err
	}
	if p.turn != nil {
		var err error
		p.progress = wasEvaluated
		p.command, err = b.turn(p.turn)
		return err
	}
	p.progress = beingEvaluated
	t, err := b.treeOf(ctx, p)
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
		return p.wrong("a call by also must have one outcome, but choose, or a FIFO that is lossy, duplicating or unordered, gives this one several: do that in the rule itself, and pass the result")
	}
	p.progress = wasEvaluated
	return nil
}
