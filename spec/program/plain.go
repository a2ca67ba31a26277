package program

import "fmt"

// The plain meaning of a program: it walks the syntax tree over a slice of
// numbers. The checker's compiled programs must do the same fast; a test compares the
// two on random programs.

// Start returns the first initial state: the values by variable.
func (p *Program) Start() []int {
	values := make([]int, len(p.Variables))
	for i, v := range p.Variables {
		values[i] = v.Initial
	}
	return values
}

// Initials returns the initial states, at least one.
func (p *Program) Initials() [][]int { return append([][]int{p.Start()}, p.Starts...) }

// Each calls take for each possible step, in the order of the rules, with the number of
// the rule and the values after it, which are overwritten later. The program must be
// one that Check accepts. The error is an assignment out of range.
func (p *Program) Each(values []int, take func(rule int, after []int)) error {
	after := make([]int, len(values))
	for i := range p.Rules {
		r := &p.Rules[i]
		if !r.Guard.Holds(values) {
			continue
		}
		copy(after, values)
		if err := p.run(r.Effect, after); err != nil {
			return within(fmt.Sprintf("program %q: rule %q", p.Name, r.Name), err)
		}
		take(i, after)
	}
	return nil
}

// run changes values by a sequence of statements.
func (p *Program) run(list []Stmt, values []int) error {
	for i := range list {
		s := &list[i]
		if !s.Assigns() {
			branch := s.Else
			if s.Cond.Holds(values) {
				branch = s.Then
			}
			if err := p.run(branch, values); err != nil {
				return err
			}
			continue
		}
		x := s.Value.Number(values)
		if v := &p.Variables[s.Var]; x < 0 || x >= v.Values {
			if v.Values == 1 { // its one value says that a fault is not there, its name which
				return &FaultError{v.Name}
			}
			return fmt.Errorf("%q is set to %d: must be 0 to %d", v.Name, x, v.Values-1)
		}
		values[s.Var] = x
	}
	return nil
}

// FaultError is a step that is wrong, as opposed to one that takes a value out of its range.
type FaultError struct{ Fault string } // where and why, in the words of what the program was made from

func (e *FaultError) Error() string { return fmt.Sprintf("fault: %q", e.Fault) }

// Number returns the value of an expression that is a number.
func (e *Expr) Number(values []int) int {
	switch e.Op {
	case Constant:
		return e.Value
	case Read:
		return values[e.Value]
	case Choice:
		if e.Args[0].Holds(values) {
			return e.Args[1].Number(values)
		}
		return e.Args[2].Number(values)
	}
	a, b := e.Args[0].Number(values), e.Args[1].Number(values)
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
func (e *Expr) Holds(values []int) bool {
	switch e.Op {
	case Conjunction, Disjunction:
		for i := range e.Args {
			if e.Args[i].Holds(values) == (e.Op == Disjunction) {
				return e.Op == Disjunction
			}
		}
		return e.Op == Conjunction
	case Negation:
		return !e.Args[0].Holds(values)
	}
	a, b := e.Args[0].Number(values), e.Args[1].Number(values)
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
