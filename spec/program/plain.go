package program

import "fmt"

// The plain reading of a program: it walks the syntax tree over a slice of
// numbers. This is what a program means. [Program.Machine] must do the same
// fast; a test compares the two on random programs.

// Step is a step of the plain reading.
type Step struct {
	Rule  int   // index of Program.Rules
	After []int // by variable
}

// Start returns the initial values, by variable.
func (p *Program) Start() []int {
	values := make([]int, len(p.Variables))
	for i, v := range p.Variables {
		values[i] = v.Initial
	}
	return values
}

// Steps returns what can happen next, in the order of the rules. The program
// must be one that Check accepts. The error is an assignment out of range.
func (p *Program) Steps(values []int) ([]Step, error) {
	var steps []Step
	for i, r := range p.Rules {
		if !p.Holds(r.Guard, values) {
			continue
		}
		after := append([]int(nil), values...)
		if err := p.run(r.Effect, after); err != nil {
			return nil, p.wrong("rule %q: %w", r.Name, err)
		}
		steps = append(steps, Step{Rule: i, After: after})
	}
	return steps, nil
}

// run changes values by a sequence of statements.
func (p *Program) run(list []Stmt, values []int) error {
	for _, s := range list {
		if !s.Assigns() {
			branch := s.Else
			if p.Holds(s.Cond, values) {
				branch = s.Then
			}
			if err := p.run(branch, values); err != nil {
				return err
			}
			continue
		}
		x := p.Number(s.Value, values)
		if err := p.inRange(s.Var, x); err != nil {
			return err
		}
		values[s.Var] = x
	}
	return nil
}

// inRange returns the error of an assignment out of a variable's range.
func (p *Program) inRange(x Var, value int) error {
	if v := p.Variables[x]; value < 0 || value >= v.Values {
		return fmt.Errorf("%q is set to %d: must be 0 to %d", v.Name, value, v.Values-1)
	}
	return nil
}

// Number returns what an expression that is a number comes to.
func (p *Program) Number(e Expr, values []int) int {
	switch e.Op {
	case Constant:
		return e.Value
	case Read:
		return values[e.Value]
	case Choice:
		if p.Holds(e.Args[0], values) {
			return p.Number(e.Args[1], values)
		}
		return p.Number(e.Args[2], values)
	}
	a, b := p.Number(e.Args[0], values), p.Number(e.Args[1], values)
	switch e.Op {
	case Plus:
		return a + b
	case Minus:
		return a - b
	default:
		return a * b
	}
}

// Holds reports whether an expression that is a truth value is true.
func (p *Program) Holds(e Expr, values []int) bool {
	switch e.Op {
	case Conjunction:
		for _, a := range e.Args {
			if !p.Holds(a, values) {
				return false
			}
		}
		return true
	case Disjunction:
		for _, a := range e.Args {
			if p.Holds(a, values) {
				return true
			}
		}
		return false
	case Negation:
		return !p.Holds(e.Args[0], values)
	}
	a, b := p.Number(e.Args[0], values), p.Number(e.Args[1], values)
	switch e.Op {
	case Equal:
		return a == b
	case NotEqual:
		return a != b
	case Less:
		return a < b
	default:
		return a <= b
	}
}
