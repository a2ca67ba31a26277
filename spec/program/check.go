package program

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// largest bounds the value of every expression, so that engines with 32-bit
// integers (SPIN) compute the same.
const largest = 1<<31 - 1

// mostValues bounds the values of a variable.
const mostValues = 1 << 30

// Check says what is wrong with a program: names that are missing or used
// twice, variables that do not exist, initial values out of range, numbers where
// truth values belong, constant assignments out of range, expectations about something
// that is not a property. It returns nil for a program that [Program.Machine] and the writers accept. The error names
// the program, and wraps one that does not.
func (p *Program) Check() error {
	return within(fmt.Sprintf("program %q", p.Name), p.check().error)
}

// fault is a fault of an item in one of a program's lists.
type fault struct {
	list string // the key in the closed form
	item int
	error
}

// check returns the first fault, or one without an error if there is none. The names
// of the built-in properties count as taken, since verdicts and evidence tell properties
// apart by name alone.
func (p *Program) check() fault {
	variables, rules, expected := map[string]bool{}, map[string]*Rule{}, map[string]bool{}
	properties := map[string]bool{spec.DeadlockFreedom.String(): true, states.InRange: true}
	for _, list := range []struct {
		key   string
		size  int
		check func(i int) error
	}{
		{"name", 1, func(int) error { return fresh(map[string]bool{}, p.Name) }},
		{"variables", len(p.Variables), func(i int) error {
			v := &p.Variables[i]
			return cmp.Or(within(fmt.Sprintf("variable %d", i), fresh(variables, v.Name)), v.check())
		}},
		{"starts", len(p.Starts), p.checkStart},
		{"rules", len(p.Rules), func(i int) error {
			return cmp.Or(p.checkRule(&p.Rules[i], rules),
				within(fmt.Sprintf("rule %d", i), fresh(map[string]bool{}, p.Rules[i].Name)))
		}},
		{"invariants", len(p.Invariants), func(i int) error {
			v := &p.Invariants[i]
			err := within(fmt.Sprintf("invariant %q", v.Name), cmp.Or(fresh(properties, v.Name), p.condition(&v.Holds)))
			if err == nil && v.Cover != "" {
				err = within("cover", fresh(properties, v.Cover))
			}
			return err
		}},
		{"responses", len(p.Responses), func(i int) error {
			r := &p.Responses[i]
			return within(fmt.Sprintf("response %q", r.Name),
				cmp.Or(fresh(properties, r.Name), p.condition(&r.Pending)))
		}},
		{"formulas", len(p.Formulas), func(i int) error {
			f := &p.Formulas[i]
			return within(fmt.Sprintf("formula %q", f.Name), cmp.Or(fresh(properties, f.Name), p.formula(f)))
		}},
		{"final", min(1, int(p.Final.Op)), func(int) error { return within("final", p.condition(&p.Final)) }},
		{"expect", len(p.Expect), func(i int) error {
			// This property is reported only if it is violated.
			name := p.Expect[i].Property
			if !properties[name] || name == states.InRange {
				return fmt.Errorf("%.60q is not %q, and no invariant, response or formula has that name",
					name, spec.DeadlockFreedom)
			}
			return within("expectation", fresh(expected, name))
		}},
	} {
		for i := range list.size {
			if err := list.check(i); err != nil {
				return fault{list.key, i, err}
			}
		}
	}
	return fault{}
}

// checkRule checks a rule, given the first one of each name.
func (p *Program) checkRule(r *Rule, firsts map[string]*Rule) error {
	first := cmp.Or(firsts[r.Name], r)
	if firsts[r.Name] = first; r.Unfair != first.Unfair || r.Strong != first.Strong || r.Unfair && r.Strong {
		return fmt.Errorf(
			"rules %q: they are one action: declare all of them unfair, all strongly fair, or all neither",
			r.Name)
	}
	return within(fmt.Sprintf("rule %q", r.Name), cmp.Or(within("guard", p.condition(&r.Guard)), p.statements(r.Effect)))
}

func (p *Program) checkStart(i int) error {
	if len(p.Starts[i]) != len(p.Variables) {
		return fmt.Errorf("start %d has %d values: want one for each variable", i+1, len(p.Starts[i]))
	}
	for x, value := range p.Starts[i] {
		if err := p.Variables[x].starts(value); err != nil {
			return within(fmt.Sprintf("start %d", i+1), err)
		}
	}
	return nil
}

// within says which item a fault is in.
func within(what string, err error) error {
	if err != nil {
		err = fmt.Errorf("%s: %w", what, err)
	}
	return err
}

func (v *Variable) check() error {
	switch {
	case v.Values < 1 || v.Values > mostValues:
		return fmt.Errorf("variable %q has %d values: want 1 to %d", v.Name, v.Values, mostValues)
	case v.Names != nil && len(v.Names) != v.Values:
		return fmt.Errorf("variable %q has %d values but %d names for them", v.Name, v.Values, len(v.Names))
	case slices.ContainsFunc(v.Names, func(name string) bool { return !utf8.ValidString(name) }),
		len(slices.Compact(slices.Sorted(slices.Values(v.Names)))) < len(v.Names):
		return fmt.Errorf("variable %q: the names of its values must be UTF-8, and differ", v.Name)
	}
	return v.starts(v.Initial)
}

// starts refuses an initial value that the variable does not have.
func (v *Variable) starts(value int) error {
	if value < 0 || value >= v.Values {
		return fmt.Errorf("variable %q starts with %d: want 0 to %d", v.Name, value, v.Values-1)
	}
	return nil
}

// fresh adds a name to those seen, unless it is there or cannot be one in the closed form.
func fresh(seen map[string]bool, name string) error {
	switch {
	case name == "" || !utf8.ValidString(name):
		return errors.New("a name must be non-empty UTF-8")
	case seen[name]:
		return fmt.Errorf("duplicate name %.60q", name)
	}
	seen[name] = true
	return nil
}

func (p *Program) statements(list []Stmt) error {
	for i := range list {
		s := &list[i]
		if !s.Assigns() {
			err := cmp.Or(within("if", p.condition(&s.Cond)), p.statements(s.Then), p.statements(s.Else))
			if err != nil {
				return err
			}
			continue
		}
		if err := p.defined(s.Var); err != nil {
			return err
		}
		v := p.Variables[s.Var]
		least, most, err := p.Bounds(&s.Value)
		if err != nil {
			return fmt.Errorf("assignment to %q: %w", v.Name, err)
		}
		if most < 0 || least >= v.Values {
			return fmt.Errorf("assignment to %q: its values are 0 to %d, but the assigned value is always out of range",
				v.Name, v.Values-1)
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

// interval contains the values that an expression can take, and perhaps more.
type interval struct{ least, most int }

// Bounds returns numbers that the value of an expression cannot leave, perhaps
// wider than it needs. The error says why it is not a number.
func (p *Program) Bounds(e *Expr) (least, most int, err error) {
	r, err := p.typed(e, false)
	return r.least, r.most, err
}

func (p *Program) condition(e *Expr) error {
	_, err := p.typed(e, true)
	return err
}

// typed checks an expression that must be a condition, or a number, and bounds the
// number.
func (p *Program) typed(e *Expr, condition bool) (r interval, err error) {
	if e.Op == 0 {
		return r, errors.New("an expression is missing")
	}
	if int(e.Op) >= len(operators) {
		return r, fmt.Errorf("operator %d does not exist", e.Op)
	}
	o := &operators[e.Op]
	switch {
	case e.Op.Temporal():
		return r, errTemporal
	case o.args >= 0 && len(e.Args) != o.args:
		return r, fmt.Errorf("operator %q has %d arguments: want %d", o.name, len(e.Args), o.args)
	case condition && !o.condition:
		return r, errors.New("want a condition, not a number")
	case !condition && o.condition:
		return r, errors.New("want a number, not a condition")
	}
	var args [3]interval // the numbers among them
	for i := range e.Args {
		if args[min(i, 2)], err = p.typed(&e.Args[i], o.takes > i); err != nil {
			return r, err
		}
	}
	a, b, c := args[0], args[1], args[2]
	switch e.Op {
	case Constant:
		r = interval{e.Value, e.Value}
	case Read:
		if err := p.defined(Var(e.Value)); err != nil {
			return r, err
		}
		r = interval{0, p.Variables[e.Value].Values - 1}
	case Plus:
		r = interval{a.least + b.least, a.most + b.most}
	case Minus:
		r = interval{a.least - b.most, a.most - b.least}
	case Times:
		// Both are below 2^31, so no product leaves an int.
		corners := []int{a.least * b.least, a.least * b.most, a.most * b.least, a.most * b.most}
		r = interval{slices.Min(corners), slices.Max(corners)}
	case Choice:
		r = interval{min(b.least, c.least), max(b.most, c.most)}
	}
	if r.least < -largest || r.most > largest {
		return r, fmt.Errorf("a number can leave the range of %d to %d", -largest, largest)
	}
	return r, nil
}
