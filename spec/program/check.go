package program

import (
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// largest bounds every number that an expression can come to, so that engines
// with 32-bit integers (SPIN) compute the same.
const largest = 1<<31 - 1

// mostValues bounds the values of a variable.
const mostValues = 1 << 30

// interval holds the numbers that an expression can come to, and perhaps more.
type interval struct{ least, most int }

func (r interval) within(o interval) bool { return r.least >= o.least && r.most <= o.most }

// Check says what is wrong with a program: names that are missing or used
// twice, variables that do not exist, initial values out of range, numbers where
// truth values belong, constant assignments out of range, expectations of what is no
// property. It returns nil for a program that [Program.Machine] and the writers accept.
func (p *Program) Check() error {
	if err := named(p.Name); err != nil {
		return fmt.Errorf("program %q: %w", p.Name, err)
	}
	for _, check := range []func() error{p.checkVariables, p.checkRules, p.checkProperties} {
		if err := check(); err != nil {
			return p.wrong("%w", err)
		}
	}
	return nil
}

func (p *Program) checkVariables() error {
	names := map[string]int{}
	for i := range p.Variables {
		v := &p.Variables[i]
		if err := fresh(names, v.Name); err != nil {
			return fmt.Errorf("variable %d: %w", i, err)
		}
		if err := v.check(); err != nil {
			return err
		}
	}
	return nil
}

func (v *Variable) check() error {
	switch {
	case v.Values < 1 || v.Values > mostValues:
		return fmt.Errorf("variable %q has %d values: want 1 to %d", v.Name, v.Values, mostValues)
	case v.Initial < 0 || v.Initial >= v.Values:
		return fmt.Errorf("variable %q starts with %d: want 0 to %d", v.Name, v.Initial, v.Values-1)
	case v.Names != nil && len(v.Names) != v.Values:
		return fmt.Errorf("variable %q has %d values and %d names of values", v.Name, v.Values, len(v.Names))
	case slices.ContainsFunc(v.Names, func(name string) bool { return !utf8.ValidString(name) }):
		return fmt.Errorf("variable %q: names of values must be UTF-8", v.Name)
	}
	return nil
}

func (p *Program) checkRules() error {
	unfair := map[string]bool{}
	for i := range p.Rules {
		r := &p.Rules[i]
		if err := named(r.Name); err != nil {
			return fmt.Errorf("rule %d: %w", i, err)
		}
		if was, twice := unfair[r.Name]; twice && was != r.Unfair {
			return fmt.Errorf("rules %q: they are one action, but not all are unfair", r.Name)
		}
		unfair[r.Name] = r.Unfair
		if err := p.truth(&r.Guard); err != nil {
			return fmt.Errorf("rule %q: guard: %w", r.Name, err)
		}
		if err := p.statements(r.Effect); err != nil {
			return fmt.Errorf("rule %q: %w", r.Name, err)
		}
	}
	return nil
}

func (p *Program) checkProperties() error {
	names := builtIn()
	property := func(kind, name string, e *Expr) error {
		err := fresh(names, name)
		if err == nil {
			err = p.truth(e)
		}
		if err != nil {
			return fmt.Errorf("%s %q: %w", kind, name, err)
		}
		return nil
	}
	for i := range p.Invariants {
		v := &p.Invariants[i]
		if err := property("invariant", v.Name, &v.Holds); err != nil {
			return err
		}
		if v.Cover != "" && fresh(names, v.Cover) != nil {
			return fmt.Errorf("cover: %w", fresh(names, v.Cover))
		}
	}
	for i := range p.Responses {
		if err := property("response", p.Responses[i].Name, &p.Responses[i].Pending); err != nil {
			return err
		}
	}
	if p.Final.Op != 0 {
		if err := p.truth(&p.Final); err != nil {
			return fmt.Errorf("final: %w", err)
		}
	}
	expected := map[string]int{}
	for _, x := range p.Expect {
		if err := fresh(expected, x.Property); err != nil {
			return fmt.Errorf("expectation: %w", err)
		}
		if err := x.check(names); err != nil {
			return err
		}
	}
	return nil
}

// builtIn returns the properties that every program has: verdicts and evidence tell
// properties by name alone.
func builtIn() map[string]int {
	return map[string]int{spec.Deadlock.String(): 0, states.InRange: 1}
}

// named refuses what cannot be a name in the closed form.
func named(name string) error {
	if name == "" || !utf8.ValidString(name) {
		return errors.New("a name must not be empty, and must be UTF-8")
	}
	return nil
}

// fresh adds a name to those seen, with their number so far, unless it is there.
func fresh(seen map[string]int, name string) error {
	if err := named(name); err != nil {
		return err
	}
	if _, twice := seen[name]; twice {
		return fmt.Errorf("duplicate name %.60q", name)
	}
	seen[name] = len(seen)
	return nil
}

// check refuses an expectation of what is none of the properties. That values stay in
// range is reported only where it is violated, so no verdict can be expected of it.
func (x *Expectation) check(properties map[string]int) error {
	if _, known := properties[x.Property]; !known || x.Property == states.InRange {
		return fmt.Errorf("%.60q is not \"deadlock\", and no invariant or response has that name", x.Property)
	}
	return nil
}

func (p *Program) wrong(format string, args ...any) error {
	return fmt.Errorf("program %q: %w", p.Name, fmt.Errorf(format, args...))
}

func (p *Program) statements(list []Stmt) error {
	for i := range list {
		s := &list[i]
		if !s.Assigns() {
			if err := p.truth(&s.Cond); err != nil {
				return fmt.Errorf("if: %w", err)
			}
			if err := errors.Join(p.statements(s.Then), p.statements(s.Else)); err != nil {
				return err
			}
			continue
		}
		if err := p.defined(s.Var); err != nil {
			return err
		}
		v := p.Variables[s.Var]
		r, err := p.number(&s.Value)
		if err != nil {
			return fmt.Errorf("assignment to %q: %w", v.Name, err)
		}
		if r.most < 0 || r.least >= v.Values {
			return fmt.Errorf("assignment to %q: its values are 0 to %d, and the assigned are always out of range", v.Name, v.Values-1)
		}
	}
	return nil
}

func (p *Program) defined(x Var) error {
	if x < 0 || int(x) >= len(p.Variables) {
		return fmt.Errorf("variable number %d is not defined: there are %d", x, len(p.Variables))
	}
	return nil
}

// arity returns the number of arguments that an operator takes, -1 for any.
func (op Op) arity() int {
	switch op {
	case Constant, Read:
		return 0
	case Negation:
		return 1
	case Conjunction, Disjunction:
		return -1
	case Choice:
		return 3
	}
	return 2
}

func (e *Expr) shape() error {
	switch want := e.Op.arity(); {
	case e.Op == 0:
		return errors.New("an expression was left out")
	case e.Op > Choice:
		return fmt.Errorf("operator %d does not exist", e.Op)
	case want >= 0 && len(e.Args) != want:
		return fmt.Errorf("an operator has %d arguments: want %d", len(e.Args), want)
	}
	return nil
}

// truth checks an expression that must be a truth value.
func (p *Program) truth(e *Expr) error {
	if err := e.shape(); err != nil {
		return err
	}
	if !e.isTruth() {
		return errors.New("a number stands where a condition belongs")
	}
	for i := range e.Args {
		var err error
		if e.Op <= LessEqual {
			_, err = p.number(&e.Args[i])
		} else {
			err = p.truth(&e.Args[i])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Bounds returns numbers that the value of an expression cannot leave, perhaps
// wider than it needs. The error says why it is no number.
func (p *Program) Bounds(e *Expr) (least, most int, err error) {
	r, err := p.number(e)
	return r.least, r.most, err
}

// number checks an expression that must be a number, and bounds it.
func (p *Program) number(e *Expr) (interval, error) {
	if err := e.shape(); err != nil {
		return interval{}, err
	}
	args := e.Args
	switch {
	case e.isTruth():
		return interval{}, errors.New("a condition stands where a number belongs")
	case e.Op == Constant:
		return bounded(interval{e.Value, e.Value})
	case e.Op == Read:
		if err := p.defined(Var(e.Value)); err != nil {
			return interval{}, err
		}
		return interval{0, p.Variables[e.Value].Values - 1}, nil
	case e.Op == Choice:
		if err := p.truth(&args[0]); err != nil {
			return interval{}, err
		}
		args = args[1:]
	}
	a, err := p.number(&args[0])
	if err != nil {
		return interval{}, err
	}
	b, err := p.number(&args[1])
	if err != nil {
		return interval{}, err
	}
	switch e.Op {
	case Plus:
		a = interval{a.least + b.least, a.most + b.most}
	case Minus:
		a = interval{a.least - b.most, a.most - b.least}
	case Times:
		// Both are below 2^31, so no product leaves an int.
		corners := []int{a.least * b.least, a.least * b.most, a.most * b.least, a.most * b.most}
		a = interval{slices.Min(corners), slices.Max(corners)}
	default:
		a = interval{min(a.least, b.least), max(a.most, b.most)}
	}
	return bounded(a)
}

func bounded(r interval) (interval, error) {
	if !r.within(interval{-largest, largest}) {
		return r, fmt.Errorf("a number can leave the range of %d to %d", -largest, largest)
	}
	return r, nil
}
