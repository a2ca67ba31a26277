package export

import (
	"fmt"
	"maps"

	"github.com/seed-105a2da2/unknot/spec/program"
)

// largestExpression bounds the operators of an expression that simultaneous returns:
// each statement can double what earlier ones made.
const largestExpression = 100_000

var errTooLarge = fmt.Errorf("written as simultaneous assignments it needs more than %d operators", largestExpression)

// simultaneous returns the effect of a rule as assignments that happen at once: for each
// variable that the rule may change, ascending, its value after the rule as an expression
// over the values before. Statements are executed symbolically, so the expressions can be
// much larger than the effect; beyond 100,000 operators that is an error. The program must
// be one that Check accepts. An assignment that leaves its range and is overwritten later is
// not seen.
func simultaneous(p *program.Program, rule int) ([]program.Stmt, error) {
	r := &p.Rules[rule]
	after, err := symbolic{}.run(r.Effect)
	if err != nil {
		return nil, fmt.Errorf("program %q: rule %q: %w", p.Name, r.Name, err)
	}
	var out []program.Stmt
	for x := range p.Variables {
		if e, changed := after[program.Var(x)]; changed {
			out = append(out, program.Stmt{Var: program.Var(x), Value: e.Expr})
		}
	}
	return out, nil
}

// symbolic holds the values of the variables that have been set, as expressions over the
// values before the rule.
type symbolic map[program.Var]sized

// sized is an expression with the number of its operators.
type sized struct {
	program.Expr
	size int
}

// run returns the values after a sequence of statements; it does not change s.
func (s symbolic) run(list []program.Stmt) (symbolic, error) {
	after := maps.Clone(s)
	for i := range list {
		if err := after.step(&list[i]); err != nil {
			return nil, err
		}
	}
	return after, nil
}

// step changes s by one statement.
func (s symbolic) step(st *program.Stmt) error {
	if st.Assigns() {
		value, err := s.replaced(st.Value)
		if err != nil {
			return err
		}
		s[st.Var] = value
		return nil
	}
	cond, err := s.replaced(st.Cond)
	if err != nil {
		return err
	}
	then, err := s.run(st.Then)
	if err != nil {
		return err
	}
	otherwise, err := s.run(st.Else)
	if err != nil {
		return err
	}
	changed := map[program.Var]bool{}
	targets(st.Then, changed)
	targets(st.Else, changed)
	for x := range changed {
		a, b := then.of(x), otherwise.of(x)
		merged := sized{program.IfElse(cond.Expr, a.Expr, b.Expr), 1 + cond.size + a.size + b.size}
		if merged.size > largestExpression {
			return errTooLarge
		}
		s[x] = merged
	}
	return nil
}

// of returns the value of a variable.
func (s symbolic) of(x program.Var) sized {
	if e, set := s[x]; set {
		return e
	}
	return sized{program.Value(x), 1}
}

// targets collects the variables that statements may set.
func targets(list []program.Stmt, into map[program.Var]bool) {
	for i := range list {
		if s := &list[i]; s.Assigns() {
			into[s.Var] = true
		} else {
			targets(s.Then, into)
			targets(s.Else, into)
		}
	}
}

// replaced returns an expression with every variable replaced by its value.
func (s symbolic) replaced(e program.Expr) (sized, error) {
	if e.Op == program.Read {
		return s.of(program.Var(e.Value)), nil
	}
	out := sized{program.Expr{Op: e.Op, Value: e.Value, Args: make([]program.Expr, len(e.Args))}, 1}
	for i := range e.Args {
		a, err := s.replaced(e.Args[i])
		if err != nil {
			return sized{}, err
		}
		out.Args[i] = a.Expr
		out.size += a.size
		if out.size > largestExpression {
			return sized{}, errTooLarge
		}
	}
	return out, nil
}
