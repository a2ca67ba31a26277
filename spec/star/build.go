package star

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/star/internal/decision"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// How the decision trees of rules and properties become a program: that of an instance is written as one
// rule, or as one for each option of choose.

// build evaluates all rules and properties, and makes the program.
func (b *builder) build(ctx context.Context) error {
	m := b.m
	m.p.Name = m.name
	for i, p := range b.params {
		m.p.Name += fmt.Sprintf("%s%s=%s", []string{", ", ": "}[min(1, max(0, 1-i))], p.Name, p.Value)
	}
	if err := b.initialStates(ctx); err != nil {
		return err
	}
	if err := b.infer(ctx); err != nil {
		return err
	}
	b.evaluateConcurrently(ctx)
	if err := b.evaluateAll(ctx); err != nil {
		return err
	}
	for i := range m.rules {
		for k := range m.rules[i].over.args {
			if err := b.instance(ctx, &m.rules[i], k); err != nil {
				return err
			}
		}
	}
	switch {
	case len(m.p.Variables) == 0:
		return place(b.file, 1, 1, "a machine without variables: declare them with var(...) or fifo(...)")
	case len(m.p.Rules) == 0:
		return place(b.file, 1, 1, "a machine without rules: a function becomes one by rule(name, f)")
	}
	if err := b.putFirst(); err != nil {
		return err
	}
	if b.opt.Routes != nil {
		m.claimRoutes(b.opt.Routes.Messages)
	}
	if d := m.misnamed(); d != nil {
		if err := m.p.Check(); err != nil {
			return place(d.at.file, int(d.at.line), int(d.at.col), "%v", errors.Unwrap(err))
		}
	}
	if err := m.expect(b.file); err != nil {
		return err
	}
	m.completeStarts()
	if err := m.renamings(b.file); err != nil {
		return err
	}
	if err := m.p.Check(); err != nil {
		return place(b.file, 1, 1, "%v", err)
	}
	return nil
}

// instance evaluates one instance of a rule or a property, and adds it to the program.
func (b *builder) instance(ctx context.Context, d *declared, i int) error {
	p, name := b.m.p, d.instance(i)
	t, err := d.trees[i], error(nil)
	if t == nil {
		t, err = b.evaluate(ctx, d, i)
	}
	if err != nil {
		return err
	}
	switch d.what {
	case "rule":
		commands, err := b.commands(ctx, d, t)
		if err != nil {
			return err
		}
		if len(commands) == 0 && d.lacks[i] && (d.some || i+1 < len(d.over.args)) {
			break // if none can ever be taken, one is kept, so that exploring reports it
		}
		d.some = true
		if len(commands) == 0 { // it is refused in all states, which exploring reports
			commands = []decision.Command{{Guard: program.Or()}}
		}
		for _, c := range commands {
			b.instances = append(b.instances, instance{d, i, c.Options})
			p.Rules = append(p.Rules, program.Rule{Name: name, Guard: c.Guard, Effect: c.Effect, Unfair: d.unfair,
				Strong: d.strong, Where: d.citation(i)})
		}
	case "eventually":
		p.Response(name, t.Condition(p))
	case "always_possible":
		p.Formulas = append(p.Formulas, program.Formula{Name: name, Holds: t.Condition(p), Possible: true})
	case "ltl":
		d.formula.add(p, d, i, t.Condition(p))
	case "final":
		p.Final = t.Condition(p)
	default: // one property for all instances
		holds := t.Condition(p)
		if d.what == "never" || d.what == "reach" {
			holds = program.Not(holds)
		}
		if i > 0 {
			last := &p.Invariants[len(p.Invariants)-1].Holds
			last.Args = append(last.Args, holds)
			break
		}
		v := program.Invariant{Name: d.property(), Holds: program.And(holds)}
		if d.what == "reach" {
			v.Cover = d.name
		}
		p.Invariants = append(p.Invariants, v)
	}
	return nil
}

// expect gives the program the expected verdicts; the name of a property with several
// instances stands for all of them.
func (m *machine) expect(file string) error {
	for _, x := range m.expects {
		for _, name := range m.decided(x.property) {
			m.p.Expect = append(m.p.Expect, program.Expectation{Property: name, Verdict: x.verdict})
			if err := m.p.Check(); err != nil {
				return place(file, int(x.at.line), int(x.at.col), "expect: %v%s", errors.Unwrap(err),
					m.suggest(x.property))
			}
		}
	}
	return nil
}

// decided lists the names under which a property is decided that is declared with this name: one for each of its keys
// if each is a property of its own, so none without keys. A name that nothing is declared with stands for itself.
func (m *machine) decided(property string) (names []string) {
	for _, d := range m.rules {
		switch {
		case d.name != property:
		case d.what == "never":
			return []string{d.property()}
		case d.separate() && (len(d.over.values) == 0 || d.over.values[0] != nil):
			for i := range d.over.args {
				names = append(names, d.instance(i))
			}
			return names
		}
	}
	return []string{property}
}

// suggest suggests a property with a similar name for one that does not exist.
func (m *machine) suggest(property string) string {
	names := []string{spec.DeadlockFreedom.String()}
	for _, d := range m.rules {
		if d.what != "rule" && d.what != "final" {
			names = append(names, d.name)
		}
	}
	if slices.Contains(names, property) {
		return "" // it is expected twice
	}
	return words.NowCalled(property, names)
}

// separate reports whether each instance is a property of its own.
func (d *declared) separate() bool {
	return d.what == "eventually" || d.what == "always_possible" || d.what == "ltl"
}

// misnamed returns the first declaration whose name clashes with that of another, or
// nil. Rules of one name are one action, fair or not.
func (m *machine) misnamed() *declared {
	rules, properties := map[string]*declared{}, map[string]bool{
		spec.DeadlockFreedom.String(): true,
		states.InRange:                true,
	}
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
			case !d.separate() && (d.what == "final" || i > 0): // one for all keys
			case d.what == "ltl" && !d.completes: // a proposition
			default:
				if !d.separate() {
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
		return p.wrong(
			"a call by also must have one outcome, but choose, or a FIFO that is lossy, duplicating or unordered, " +
				"gives this one several: do that in the rule itself, and pass the result")
	}
	p.progress = wasEvaluated
	return nil
}

// evaluateAll evaluates all rules and their parts, if FIFOs arbitrate.
func (b *builder) evaluateAll(ctx context.Context) error {
	if len(b.m.arbiters) == 0 {
		return nil
	}
	for i := range b.m.rules {
		d := &b.m.rules[i]
		if d.what != "rule" {
			continue
		}
		d.trees = map[int]*decision.Tree{}
		for k := range d.over.args {
			t, err := b.evaluate(ctx, d, k)
			if err != nil {
				return err
			}
			d.trees[k] = t
		}
	}
	for i := 0; i < len(b.m.parts); i++ { // evaluating one may add others
		if p := b.m.parts[i]; p.turn == nil {
			if _, err := b.treeOf(ctx, p); err != nil {
				return err
			}
		}
	}
	inTurn, outOfTurn := map[*slot]bool{}, map[*slot]position{}
	for i, p := range b.m.parts {
		if p.turn != nil && p.turn.by >= 0 {
			inTurn[p.turn.of.of] = true
		} else if p.turn != nil {
			outOfTurn[p.turn.of.of] = p.turn.at
		}
		if p.tree != nil && b.m.reaches(p.tree, i) {
			where := p.place()
			return place(where.file, int(where.line), int(where.col), "%s: it calls itself through also", p.name)
		}
	}
	for _, p := range b.m.root.in {
		if at, found := outOfTurn[p]; found && !inTurn[p] {
			return place(at.file, int(at.line), int(at.col),
				"none of the sources pushes into %s, so its arbiter decides nothing: name the one that pushes, as in "+
					"push(..., by = source)", p.label)
		}
	}
	return nil
}
