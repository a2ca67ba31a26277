package parameterized

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// term is an integer or a truth value over named integers: sizes, coordinates of a node, coordinates of a destination.
// Terms are not changed once they are made.
type term struct {
	op   string // "" for a name or a number
	name string // of a number: ""
	n    int
	args []*term
	size int // of the text: how many names, numbers and operators; at most mostSize in what a file writes
}

func apply(op string, args ...*term) *term {
	t := &term{op: op, args: args, size: 1}
	for _, a := range args {
		t.size = min(t.size+a.size, 2*mostSize) // shared terms count each time
	}
	return t
}

// mostSize bounds what a file can make: a sum of a number with itself doubles its text.
const mostSize = 2000

// Operators, as SMT-LIB 2 writes them; wrap is a remainder, which [term.String] writes as cases.
const (
	opAdd, opSub, opMul, opDiv  = "+", "-", "*", "div"
	opLess, opAtMost, opEqual   = "<", "<=", "="
	opNot, opAnd, opOr, opCases = "not", "and", "or", "ite"
	opWrap                      = "wrap"
	opTrue, opFalse             = "true", "false"
)

func number(n int) *term       { return &term{n: n, size: 1} }
func named(name string) *term  { return &term{name: name, size: 1} }
func (t *term) isNumber() bool { return t.op == "" && t.name == "" }

// isTruth reports whether t is a truth value; the others are integers.
func (t *term) isTruth() bool {
	switch t.op {
	case opTrue, opFalse, opNot, opAnd, opOr, opLess, opAtMost, opEqual:
		return true
	}
	return false
}

func truth(b bool) *term {
	if b {
		return apply(opTrue)
	}
	return apply(opFalse)
}

// plus returns a + factor*b, with numbers gathered at the end.
func plus(a *term, factor int, b *term) *term {
	if b.op == opAdd && b.args[1].isNumber() { // a + (c + n)
		return plus(plus(a, factor, b.args[0]), factor, b.args[1])
	}
	base, offset := a, 0
	if a.isNumber() {
		base, offset = nil, a.n
	} else if a.op == opAdd && a.args[1].isNumber() {
		base, offset = a.args[0], a.args[1].n
	}
	switch {
	case b.isNumber():
		offset += factor * b.n
	case base == nil && factor == 1:
		base = b
	case base == nil:
		base = times(factor, b)
	case factor < 0 && base.same(times(-factor, b)):
		base = nil
	case factor == -1:
		base = apply(opSub, base, b)
	default:
		base = apply(opAdd, base, times(factor, b))
	}
	switch {
	case base == nil:
		return number(offset)
	case offset == 0:
		return base
	}
	return apply(opAdd, base, number(offset))
}

func times(factor int, t *term) *term {
	switch {
	case t.isNumber():
		return number(factor * t.n)
	case factor == 1:
		return t
	case factor == 0:
		return number(0)
	}
	return apply(opMul, number(factor), t)
}

// floor returns t divided by n > 0, rounded down.
func floor(t *term, n int) *term {
	if t.isNumber() {
		return number((t.n - (t.n%n+n)%n) / n)
	}
	return apply(opDiv, t, number(n))
}

// wrap returns the remainder of t by size, if -size <= t < 2*size.
func wrap(t, size *term) *term {
	if t.isNumber() && size.isNumber() && size.n > 0 {
		return number((t.n%size.n + size.n) % size.n)
	}
	return apply(opWrap, t, size)
}

func compare(op string, a, b *term) *term {
	d := plus(a, -1, b)
	if d.isNumber() {
		switch op {
		case opLess:
			return truth(d.n < 0)
		case opAtMost:
			return truth(d.n <= 0)
		}
		return truth(d.n == 0)
	}
	return apply(op, a, b)
}

func not(t *term) *term {
	switch t.op {
	case opTrue, opFalse:
		return truth(t.op == opFalse)
	case opNot:
		return t.args[0]
	}
	return apply(opNot, t)
}

func and(all ...*term) *term { return join(opAnd, opTrue, opFalse, all) }
func or(all ...*term) *term  { return join(opOr, opFalse, opTrue, all) }

func join(op, neutral, zero string, all []*term) *term {
	var args []*term
	for _, t := range all {
		switch {
		case t.op == zero:
			return t
		case t.op == neutral || slices.ContainsFunc(args, t.same):
		case t.op == op:
			for _, sub := range t.args {
				if !slices.ContainsFunc(args, sub.same) {
					args = append(args, sub)
				}
			}
		default:
			args = append(args, t)
		}
	}
	switch len(args) {
	case 0:
		return apply(neutral)
	case 1:
		return args[0]
	}
	return apply(op, args...)
}

func cases(cond, a, b *term) *term {
	switch {
	case cond.op == opTrue:
		return a
	case cond.op == opFalse:
		return b
	}
	return apply(opCases, cond, a, b)
}

func (t *term) same(u *term) bool {
	return t.op == u.op && t.name == u.name && t.n == u.n && slices.EqualFunc(t.args, u.args, (*term).same)
}

// replace puts terms in place of names, all at once.
func (t *term) replace(by map[string]*term) *term {
	if u, ok := by[t.name]; ok && t.op == "" && t.name != "" {
		return u
	}
	if len(t.args) == 0 {
		return t
	}
	args := make([]*term, len(t.args))
	for i, a := range t.args {
		args[i] = a.replace(by)
	}
	switch t.op { // once more, as numbers may have come in
	case opAdd:
		return plus(args[0], 1, args[1])
	case opSub:
		return plus(args[0], -1, args[1])
	case opWrap:
		return wrap(args[0], args[1])
	case opLess, opAtMost, opEqual:
		return compare(t.op, args[0], args[1])
	case opNot:
		return not(args[0])
	case opAnd:
		return and(args...)
	case opOr:
		return or(args...)
	case opCases:
		return cases(args[0], args[1], args[2])
	}
	return apply(t.op, args...)
}

// names adds the names in t to a set.
func (t *term) names(set map[string]bool) {
	if t.op == "" && t.name != "" {
		set[t.name] = true
	}
	for _, a := range t.args {
		a.names(set)
	}
}

// value evaluates t; truth is 1. All names have values.
func (t *term) value(of map[string]int) int {
	arg := func(i int) int { return t.args[i].value(of) }
	one := func(b bool) int {
		if b {
			return 1
		}
		return 0
	}
	switch t.op {
	case "":
		if t.name != "" {
			return of[t.name]
		}
		return t.n
	case opTrue, opFalse:
		return one(t.op == opTrue)
	case opAdd:
		return arg(0) + arg(1)
	case opSub:
		return arg(0) - arg(1)
	case opMul:
		return arg(0) * arg(1)
	case opDiv:
		a, b := arg(0), arg(1)
		return (a - (a%b+b)%b) / b
	case opWrap:
		a, size := arg(0), arg(1)
		return (a%size + size) % size
	case opLess:
		return one(arg(0) < arg(1))
	case opAtMost:
		return one(arg(0) <= arg(1))
	case opEqual:
		return one(arg(0) == arg(1))
	case opNot:
		return 1 - arg(0)
	case opAnd:
		return one(!slices.ContainsFunc(t.args, func(a *term) bool { return a.value(of) == 0 }))
	case opOr:
		return one(slices.ContainsFunc(t.args, func(a *term) bool { return a.value(of) != 0 }))
	case opCases:
		if arg(0) != 0 {
			return arg(1)
		}
		return arg(2)
	}
	panic(fmt.Sprintf("operator %q", t.op))
}

// String writes t in SMT-LIB 2.
func (t *term) String() string {
	switch {
	case t.op == "" && t.name != "":
		return t.name
	case t.op == "" && t.n < 0:
		return "(- " + strconv.Itoa(-t.n) + ")"
	case t.op == "":
		return strconv.Itoa(t.n)
	case len(t.args) == 0:
		return t.op
	case t.op == opWrap:
		e, size := t.args[0].String(), t.args[1].String()
		return fmt.Sprintf("(ite (< %[1]s 0) (+ %[1]s %[2]s) (ite (< %[1]s %[2]s) %[1]s (- %[1]s %[2]s)))", e, size)
	}
	parts := []string{t.op}
	for _, a := range t.args {
		parts = append(parts, a.String())
	}
	return "(" + strings.Join(parts, " ") + ")"
}

// infix writes t for readers: 2*k - x1.
func (t *term) infix() string {
	within := func(u *term) string {
		switch u.op {
		case "", opMul, opCases:
			return u.infix()
		}
		return "(" + u.infix() + ")"
	}
	switch t.op {
	case "":
		if t.name != "" {
			return t.name
		}
		return strconv.Itoa(t.n)
	case opAdd, opSub:
		left, right, sign := t.args[0].infix(), t.args[1], " "+t.op+" "
		switch {
		case right.isNumber() && right.n < 0:
			right, sign = number(-right.n), " - "
		case right.op == opMul && right.args[0].n < 0:
			right, sign = times(-right.args[0].n, right.args[1]), " - "
		}
		return left + sign + within(right)
	case opMul:
		if t.args[0].n == -1 {
			return "-" + within(t.args[1])
		}
		return t.args[0].infix() + "*" + within(t.args[1])
	case opDiv:
		return within(t.args[0]) + " // " + t.args[1].infix()
	case opWrap:
		return within(t.args[0]) + " % " + within(t.args[1])
	case opLess, opAtMost, opEqual:
		return t.args[0].infix() + " " + t.op + " " + t.args[1].infix()
	case opNot:
		return "not " + within(t.args[0])
	case opAnd, opOr:
		var parts []string
		for _, a := range t.args {
			parts = append(parts, within(a))
		}
		return strings.Join(parts, " "+t.op+" ")
	case opCases:
		return fmt.Sprintf("(%s if %s else %s)", t.args[1].infix(), t.args[0].infix(), t.args[2].infix())
	}
	return t.op
}

// visit calls f for t and all terms in it.
func (t *term) visit(f func(*term)) {
	f(t)
	for _, a := range t.args {
		a.visit(f)
	}
}
