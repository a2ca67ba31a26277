package murphi

import (
	"fmt"

	"github.com/seed-105a2da2/unknot/spec/program"
)

// Assumptions, and cover within rules. A step after which an assumption fails, or in which the statement assume fails, is
// none: the closed form has no statement that takes a step back, so the condition goes into the guard, as it is before the
// step: the weakest precondition of the effect (Dijkstra 1975). A statement cover is a property of the states in which
// some rule leads to it.
//
// A mark is an assignment to a variable that no program has; it says that assume has failed, or that cover holds, and is
// taken out again. A step that is wrong before it meets a mark stays a step.

// mark is the variable of a mark: of assume the first, of each cover the next.
type mark = program.Var

const refusedStep mark = -1000

// marked emits a mark where a condition holds.
func (t *translator) marked(m mark, cond program.Expr) {
	t.provided(cond, func() { t.emit(program.Set(m, 1)) })
}

// assume is the statement.
func (t *translator) assume(s *stmt) {
	cond := t.eval(s.exprs[0])
	switch {
	case t.pure:
		t.fail(s.at, "assume within a condition is not read: write it in the rule")
	case t.globals != nil:
		t.dropped = t.dropped || never(cond.e)
	default:
		t.marked(refusedStep, not(cond.e))
	}
}

// coverMark is the mark of a statement cover.
func (t *translator) coverMark(s *stmt) mark {
	for k, c := range t.covers {
		if c.stmt == s {
			return refusedStep - 1 - mark(k)
		}
	}
	t.covers = append(t.covers, covered{stmt: s, reached: none()})
	return refusedStep - mark(len(t.covers))
}

// covered is where a statement cover is reached with its condition.
type covered struct {
	stmt    *stmt
	reached program.Expr
}

// resolved takes the marks out of a rule.
func (t *translator) resolved(r *rule, guard program.Expr, effect []program.Stmt) (program.Expr, []program.Stmt) {
	if !hasMarks(effect) {
		return guard, effect
	}
	t.at = r.at
	refused := t.beforeEffect(effect, none(), none(), refusedStep)
	guard = and(guard, not(refused))
	for k := range t.covers {
		c := &t.covers[k]
		c.reached = or(c.reached, and(guard, t.beforeEffect(effect, none(), none(), refusedStep-1-mark(k))))
	}
	return guard, withoutMarks(effect)
}

func hasMarks(list []program.Stmt) bool {
	for i := range list {
		s := &list[i]
		if s.Assigns() && s.Var < 0 || !s.Assigns() && (hasMarks(s.Then) || hasMarks(s.Else)) {
			return true
		}
	}
	return false
}

func withoutMarks(list []program.Stmt) (out []program.Stmt) {
	for _, s := range list {
		if s.Assigns() {
			if s.Var >= 0 {
				out = append(out, s)
			}
			continue
		}
		then, otherwise := withoutMarks(s.Then), withoutMarks(s.Else)
		if len(then)+len(otherwise) > 0 {
			out = append(out, program.If(s.Cond, then...).Otherwise(otherwise...))
		}
	}
	return out
}

// beforeEffect is the condition before a list of statements under which it meets a mark or ends where a condition holds;
// wrong is what counts where it meets a fault first.
func (t *translator) beforeEffect(list []program.Stmt, after, wrong program.Expr, met mark) program.Expr {
	for i := len(list) - 1; i >= 0; i-- {
		t.tick(t.at)
		s := &list[i]
		switch {
		case s.Assigns() && s.Var == met:
			after = program.And()
		case s.Assigns() && s.Var < 0:
		case s.Assigns() && int(s.Var) >= t.c.leaves && t.p.Variables[s.Var].Values == 1:
			after = wrong
		case s.Assigns():
			after = replaced(after, s.Var, s.Value)
		default:
			yes, no := t.beforeEffect(s.Then, after, wrong, met), t.beforeEffect(s.Else, after, wrong, met)
			after = either(s.Cond, yes, no)
		}
		if size(&after, mostWritten) >= mostWritten {
			t.fail(t.at, "assume or cover makes the guard of the rule too large: more than %d operators", mostWritten)
		}
	}
	return after
}

// replaced is an expression in which a variable is replaced by its value.
func replaced(e program.Expr, x program.Var, by program.Expr) program.Expr {
	if !readsVar(&e, x) {
		return e
	}
	args := make([]program.Expr, len(e.Args))
	for i := range args {
		args[i] = replaced(e.Args[i], x, by)
	}
	switch e.Op {
	case program.Read:
		return by
	case program.Conjunction, program.Disjunction:
		out := truth(e.Op == program.Conjunction)
		for _, a := range args {
			if e.Op == program.Conjunction {
				out = and(out, a)
			} else {
				out = or(out, a)
			}
		}
		return out
	case program.Negation:
		return not(args[0])
	case program.Choice:
		return choose(args[0], args[1], args[2])
	case program.Plus:
		return add(args[0], args[1])
	case program.Minus:
		return sub(args[0], args[1])
	case program.Times:
		return mul(args[0], args[1])
	}
	return compare(e.Op, args[0], args[1])
}

func readsVar(e *program.Expr, x program.Var) bool {
	if e.Op == program.Read {
		return program.Var(e.Value) == x
	}
	for i := range e.Args {
		if readsVar(&e.Args[i], x) {
			return true
		}
	}
	return false
}

// assumed leaves out the initial states in which an assumption fails, and the steps into such states.
func (t *translator) assumed() {
	for _, a := range t.assumptions {
		for i := range t.p.Rules {
			r := &t.p.Rules[i]
			t.at = a.at
			r.Guard = and(r.Guard, t.beforeEffect(r.Effect, a.holds, program.And(), refusedStep))
		}
	}
}

// assumption is a property assume.
type assumption struct {
	at    position
	holds program.Expr
}

// permitted reports whether every assumption holds in a state.
func (t *translator) permitted(values []int) bool {
	for _, a := range t.assumptions {
		if !a.holds.Holds(values) {
			return false
		}
	}
	return true
}

// coverProperties adds the statements cover as properties.
func (t *translator) coverProperties() {
	for _, c := range t.covers {
		name := c.stmt.text
		if name == "" {
			name = fmt.Sprintf("cover at line %d", c.stmt.at.line)
		}
		if t.taken(name) {
			name += fmt.Sprintf(" (line %d)", c.stmt.at.line)
		}
		t.p.Invariants = append(t.p.Invariants, program.Invariant{Name: name + ": never reached", Cover: name,
			Holds: not(c.reached)})
	}
}
