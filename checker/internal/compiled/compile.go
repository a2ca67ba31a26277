package compiled

import (
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// How expressions and statements become closures over packed fields.
//
// Most guards are conjunctions that compare variables with constants. Those
// comparisons become tests of a masked word, several in one where the fields lie
// in the same word; the rest of the tree becomes closures, built once, so that
// nothing is allocated while states are explored.

type (
	numberFunc func(s []uint64) int
	truthFunc  func(s []uint64) bool
	// An effect runs one statement. It reports whether all assignments stay in
	// range; if not, s is of no use any more.
	effect func(s []uint64) bool
)

// masked is the test s[word]&mask == want.
type masked struct {
	word       int
	mask, want uint64
}

// condition is a conjunction: of masked tests, and of what they cannot say.
type condition struct {
	tests []masked
	rest  []truthFunc
}

func (c *condition) holds(s []uint64) bool {
	for _, t := range c.tests {
		if s[t.word]&t.mask != t.want {
			return false
		}
	}
	for _, f := range c.rest {
		if !f(s) {
			return false
		}
	}
	return true
}

// compiler knows where the variables lie.
type compiler struct {
	p      *program.Program
	fields []states.Field
}

// condition compiles a truth value.
func (c *compiler) condition(e *program.Expr) condition {
	var out condition
	c.conjoin(&out, e)
	return out
}

func (c *compiler) conjoin(out *condition, e *program.Expr) {
	if e.Op == program.Conjunction {
		for i := range e.Args {
			c.conjoin(out, &e.Args[i])
		}
		return
	}
	x, value, ok := Comparison(e)
	if !ok || value < 0 || value >= c.p.Variables[x].Values {
		out.rest = append(out.rest, c.truth(e))
		return
	}
	word, shift, mask := c.fields[x].Place()
	if mask == 0 {
		return // the variable has one value, and it is this one
	}
	test := masked{word, mask << shift, uint64(value) << shift}
	for i := range out.tests {
		// Fields of one word share a test, unless one is asked for twice.
		if t := &out.tests[i]; t.word == word && t.mask&test.mask == 0 {
			t.mask |= test.mask
			t.want |= test.want
			return
		}
	}
	out.tests = append(out.tests, test)
}

// Comparison recognises a variable = a constant.
func Comparison(e *program.Expr) (x program.Var, value int, ok bool) {
	if e.Op != program.Equal {
		return 0, 0, false
	}
	a, b := e.Args[0], e.Args[1]
	if a.Op == program.Constant {
		a, b = b, a
	}
	return program.Var(a.Value), b.Value, a.Op == program.Read && b.Op == program.Constant
}

// truth compiles a truth value.
func (c *compiler) truth(e *program.Expr) truthFunc {
	switch e.Op {
	case program.Conjunction:
		all := c.condition(e)
		return all.holds
	case program.Disjunction:
		any := make([]condition, len(e.Args))
		for i := range e.Args {
			any[i] = c.condition(&e.Args[i])
		}
		return func(s []uint64) bool {
			for i := range any {
				if any[i].holds(s) {
					return true
				}
			}
			return false
		}
	case program.Negation:
		not := c.condition(&e.Args[0])
		return func(s []uint64) bool { return !not.holds(s) }
	}
	a, b := c.number(&e.Args[0]), c.number(&e.Args[1])
	switch e.Op {
	case program.Equal:
		return func(s []uint64) bool { return a(s) == b(s) }
	case program.NotEqual:
		return func(s []uint64) bool { return a(s) != b(s) }
	case program.Less:
		return func(s []uint64) bool { return a(s) < b(s) }
	default:
		return func(s []uint64) bool { return a(s) <= b(s) }
	}
}

// number compiles a number.
func (c *compiler) number(e *program.Expr) numberFunc {
	switch e.Op {
	case program.Constant:
		value := e.Value
		return func([]uint64) int { return value }
	case program.Read:
		word, shift, mask := c.fields[e.Value].Place()
		return func(s []uint64) int { return int(s[word] >> shift & mask) }
	case program.Choice:
		cond, a, b := c.condition(&e.Args[0]), c.number(&e.Args[1]), c.number(&e.Args[2])
		return func(s []uint64) int {
			if cond.holds(s) {
				return a(s)
			}
			return b(s)
		}
	}
	a, b := c.number(&e.Args[0]), c.number(&e.Args[1])
	switch e.Op {
	case program.Plus:
		return func(s []uint64) int { return a(s) + b(s) }
	case program.Minus:
		return func(s []uint64) int { return a(s) - b(s) }
	default:
		return func(s []uint64) int { return a(s) * b(s) }
	}
}

// statements compiles a sequence.
func (c *compiler) statements(list []program.Stmt) []effect {
	out := make([]effect, len(list))
	for i := range list {
		if s := &list[i]; s.Assigns() {
			out[i] = c.assignment(s)
		} else {
			out[i] = c.choice(s)
		}
	}
	return out
}

func (c *compiler) choice(s *program.Stmt) effect {
	cond, then, otherwise := c.condition(&s.Cond), c.statements(s.Then), c.statements(s.Else)
	return func(s []uint64) bool {
		if cond.holds(s) {
			return run(then, s)
		}
		return run(otherwise, s)
	}
}

func run(list []effect, s []uint64) bool {
	for _, f := range list {
		if !f(s) {
			return false
		}
	}
	return true
}

func (c *compiler) assignment(s *program.Stmt) effect {
	x, values := s.Var, c.p.Variables[s.Var].Values
	word, shift, mask := c.fields[x].Place()
	keep := ^(mask << shift)
	if v := s.Value.Value; s.Value.Op == program.Constant && v >= 0 && v < values {
		bits := uint64(v) << shift
		return func(s []uint64) bool {
			s[word] = s[word]&keep | bits
			return true
		}
	}
	value := c.number(&s.Value)
	return func(s []uint64) bool {
		v := value(s)
		if v < 0 || v >= values {
			return false
		}
		s[word] = s[word]&keep | uint64(v)<<shift
		return true
	}
}
