package program

import "github.com/seed-105a2da2/unknot/spec/states"

// How expressions and statements become closures over packed fields.
//
// Most guards are conjunctions that compare variables with constants. Those
// comparisons become tests of a masked word, several in one where the fields lie
// in the same word; the rest of the tree becomes closures, built once, so that
// nothing is allocated while states are explored.

type (
	numberFunc func(s []uint64) int
	truthFunc  func(s []uint64) bool
	// An effect runs one statement. It returns nil, or the assignment that went
	// out of range, in which case s is of no use any more.
	effect func(s []uint64) *fault
)

// fault is an assignment out of range.
type fault struct {
	x     Var
	value int
}

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
	p      *Program
	fields []states.Field
}

// condition compiles a truth value.
func (c *compiler) condition(e *Expr) condition {
	var out condition
	c.conjoin(&out, e)
	return out
}

func (c *compiler) conjoin(out *condition, e *Expr) {
	if e.Op == Conjunction {
		for i := range e.Args {
			c.conjoin(out, &e.Args[i])
		}
		return
	}
	x, value, ok := comparison(e)
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

// comparison recognises a variable = a constant.
func comparison(e *Expr) (x Var, value int, ok bool) {
	if e.Op != Equal {
		return 0, 0, false
	}
	a, b := e.Args[0], e.Args[1]
	if a.Op == Constant {
		a, b = b, a
	}
	return Var(a.Value), b.Value, a.Op == Read && b.Op == Constant
}

// truth compiles a truth value.
func (c *compiler) truth(e *Expr) truthFunc {
	switch e.Op {
	case Conjunction:
		all := c.condition(e)
		return all.holds
	case Disjunction:
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
	case Negation:
		not := c.condition(&e.Args[0])
		return func(s []uint64) bool { return !not.holds(s) }
	}
	a, b := c.number(&e.Args[0]), c.number(&e.Args[1])
	switch e.Op {
	case Equal:
		return func(s []uint64) bool { return a(s) == b(s) }
	case NotEqual:
		return func(s []uint64) bool { return a(s) != b(s) }
	case Less:
		return func(s []uint64) bool { return a(s) < b(s) }
	default:
		return func(s []uint64) bool { return a(s) <= b(s) }
	}
}

// number compiles a number.
func (c *compiler) number(e *Expr) numberFunc {
	switch e.Op {
	case Constant:
		value := e.Value
		return func([]uint64) int { return value }
	case Read:
		word, shift, mask := c.fields[e.Value].Place()
		return func(s []uint64) int { return int(s[word] >> shift & mask) }
	case Choice:
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
	case Plus:
		return func(s []uint64) int { return a(s) + b(s) }
	case Minus:
		return func(s []uint64) int { return a(s) - b(s) }
	default:
		return func(s []uint64) int { return a(s) * b(s) }
	}
}

// statements compiles a sequence.
func (c *compiler) statements(list []Stmt) []effect {
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

func (c *compiler) choice(s *Stmt) effect {
	cond, then, otherwise := c.condition(&s.Cond), c.statements(s.Then), c.statements(s.Else)
	return func(s []uint64) *fault {
		if cond.holds(s) {
			return run(then, s)
		}
		return run(otherwise, s)
	}
}

func run(list []effect, s []uint64) *fault {
	for _, f := range list {
		if err := f(s); err != nil {
			return err
		}
	}
	return nil
}

func (c *compiler) assignment(s *Stmt) effect {
	x, values := s.Var, c.p.Variables[s.Var].Values
	word, shift, mask := c.fields[x].Place()
	keep := ^(mask << shift)
	if v := s.Value.Value; s.Value.Op == Constant && v >= 0 && v < values {
		bits := uint64(v) << shift
		return func(s []uint64) *fault {
			s[word] = s[word]&keep | bits
			return nil
		}
	}
	value := c.number(&s.Value)
	return func(s []uint64) *fault {
		v := value(s)
		if v < 0 || v >= values {
			return &fault{x, v}
		}
		s[word] = s[word]&keep | uint64(v)<<shift
		return nil
	}
}
