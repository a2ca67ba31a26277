package machines

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// term is an integer or a truth value in one state: over numbers, texts, the size, constants, and variables of the
// protocol at the values of their keys. Terms are not changed once they are made.
type term struct {
	op   string
	name string // of a constant, of a bound name or of a text
	n    int    // of a number, or the code of a text
	v    *variable
	args []*term // of a quantifier: the bounds of its name, and what is said of it
}

// Operators; most are those of SMT-LIB 2.
const (
	opNumber, opText, opName, opRead   = "number", "text", "name", "read"
	opAdd, opSub, opMul                = "+", "-", "*"
	opLess, opAtMost, opEqual          = "<", "<=", "="
	opNot, opAnd, opOr, opCases        = "not", "and", "or", "ite"
	opTrue, opFalse, opEvery, opExists = "true", "false", "forall", "exists"
)

// Codes of texts that are no texts of the file. Participants and numbers are never below 0 where these are.
const (
	codeNone   = -1
	codeAbsent = -2 // what a FIFO has at a place without a message
)

func apply(op string, args ...*term) *term { return &term{op: op, args: args} }
func number(n int) *term                   { return &term{op: opNumber, n: n} }
func named(name string) *term              { return &term{op: opName, name: name} }
func text(name string, code int) *term     { return &term{op: opText, name: name, n: code} }

var (
	none   = text("None", codeNone)
	absent = text("-", codeAbsent)
)

func read(v *variable, keys []*term) *term { return &term{op: opRead, v: v, args: keys} }

func truth(b bool) *term {
	if b {
		return apply(opTrue)
	}
	return apply(opFalse)
}

// isTruth reports whether t is a truth value.
func (t *term) isTruth() bool {
	switch t.op {
	case opTrue, opFalse, opNot, opAnd, opOr, opLess, opAtMost, opEqual, opEvery, opExists:
		return true
	case opRead:
		return t.v.domain.kind == truths
	case opCases:
		return t.args[1].isTruth()
	}
	return false
}

func (t *term) same(u *term) bool {
	return t == u || t.op == u.op && t.name == u.name && t.n == u.n && t.v == u.v &&
		slices.EqualFunc(t.args, u.args, (*term).same)
}

// plus returns a + factor*b, with numbers gathered at the end.
func plus(a *term, factor int, b *term) *term {
	if b.op == opAdd && b.args[1].op == opNumber {
		return plus(plus(a, factor, b.args[0]), factor, b.args[1])
	}
	base, offset := a, 0
	if a.op == opNumber {
		base, offset = nil, a.n
	} else if a.op == opAdd && a.args[1].op == opNumber {
		base, offset = a.args[0], a.args[1].n
	}
	switch {
	case b.op == opNumber:
		offset += factor * b.n
	case base == nil:
		base = times(factor, b)
	case factor == -1 && base.same(b):
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
	case t.op == opNumber:
		return number(factor * t.n)
	case factor == 1:
		return t
	}
	return apply(opMul, number(factor), t)
}

func compare(op string, a, b *term) *term {
	if a.op == opText && b.op == opText {
		return truth(a.n == b.n)
	}
	if a.same(b) {
		return truth(op != opLess)
	}
	if d := plus(a, -1, b); d.op == opNumber && a.op != opText && b.op != opText {
		return truth(op == opLess && d.n < 0 || op == opAtMost && d.n <= 0 || op == opEqual && d.n == 0)
	}
	return apply(op, a, b)
}

// equal compares two terms, which are both truth values or both are not.
func equal(a, b *term) *term {
	if a.isTruth() {
		return or(and(a, b), and(not(a), not(b)))
	}
	return compare(opEqual, a, b)
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

func and(all ...*term) *term   { return join(opAnd, opTrue, opFalse, all) }
func or(all ...*term) *term    { return join(opOr, opFalse, opTrue, all) }
func implies(a, b *term) *term { return or(not(a), b) }
func within(t, lo, hi *term) *term {
	return and(compare(opAtMost, lo, t), compare(opLess, t, hi))
}

func join(op, neutral, zero string, all []*term) *term {
	var args []*term
	add := func(t *term) {
		if !slices.ContainsFunc(args, t.same) {
			args = append(args, t)
		}
	}
	for _, t := range all {
		switch t.op {
		case zero:
			return t
		case neutral:
		case op:
			for _, sub := range t.args {
				add(sub)
			}
		default:
			add(t)
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
	case cond.op == opTrue || a.same(b):
		return a
	case cond.op == opFalse:
		return b
	case a.isTruth():
		return and(implies(cond, a), or(cond, b))
	}
	return apply(opCases, cond, a, b)
}

// every and exists bind a name, lo <= name < hi.
func every(name string, lo, hi, body *term) *term  { return bound(opEvery, name, lo, hi, body) }
func exists(name string, lo, hi, body *term) *term { return bound(opExists, name, lo, hi, body) }

func bound(op, name string, lo, hi, body *term) *term {
	if op == opEvery && body.op == opTrue || op == opExists && body.op == opFalse {
		return body
	}
	return &term{op: op, name: name, args: []*term{lo, hi, body}}
}

// rebuild makes t of other arguments, and simplifies.
func (t *term) rebuild(args []*term) *term {
	switch t.op {
	case opAdd:
		return plus(args[0], 1, args[1])
	case opSub:
		return plus(args[0], -1, args[1])
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
	case opEvery, opExists:
		return bound(t.op, t.name, args[0], args[1], args[2])
	}
	return &term{op: t.op, name: t.name, n: t.n, v: t.v, args: args}
}

// replace puts terms in place of names. Bound names are unique, so none is captured.
func (t *term) replace(by map[string]*term) *term {
	if t.op == opName {
		if u, ok := by[t.name]; ok {
			return u
		}
		return t
	}
	return t.each(func(a *term) *term { return a.replace(by) })
}

// each makes t of its arguments as f changes them.
func (t *term) each(f func(*term) *term) *term {
	if len(t.args) == 0 {
		return t
	}
	args := make([]*term, len(t.args))
	changed := false
	for i, a := range t.args {
		args[i] = f(a)
		changed = changed || args[i] != a
	}
	if !changed {
		return t
	}
	return t.rebuild(args)
}

// visit calls f for t and all terms in it.
func (t *term) visit(f func(*term)) {
	f(t)
	for _, a := range t.args {
		a.visit(f)
	}
}

func (t *term) contains(f func(*term) bool) (found bool) {
	t.visit(func(u *term) { found = found || f(u) })
	return found
}

func (t *term) isQuantified() bool {
	return t.contains(func(u *term) bool { return u.op == opEvery || u.op == opExists })
}

func (t *term) mentions(name string) bool {
	return t.contains(func(u *term) bool { return u.op == opName && u.name == name })
}

// size counts operators, names and numbers.
func (t *term) size() (n int) {
	t.visit(func(*term) { n++ })
	return n
}

// String writes t in SMT-LIB 2.
func (t *term) String() string {
	var b strings.Builder
	t.write(&b)
	return b.String()
}

func (t *term) write(b *strings.Builder) {
	switch t.op {
	case opNumber:
		if t.n < 0 {
			b.WriteString("(- " + strconv.Itoa(-t.n) + ")")
		} else {
			b.WriteString(strconv.Itoa(t.n))
		}
		return
	case opText:
		b.WriteString(symbol("is", t.name))
		return
	case opName:
		b.WriteString(t.name)
		return
	case opEvery, opExists:
		fmt.Fprintf(b, "(%s ((%s Int)) ", t.op, t.name)
		scope := within(named(t.name), t.args[0], t.args[1])
		if t.op == opEvery {
			fmt.Fprintf(b, "(=> %s ", scope)
		} else {
			fmt.Fprintf(b, "(and %s ", scope)
		}
		t.args[2].write(b)
		b.WriteString("))")
		return
	}
	head := t.op
	if t.op == opRead {
		head = t.v.symbol()
	}
	if len(t.args) == 0 {
		b.WriteString(head)
		return
	}
	b.WriteString("(" + head)
	for _, a := range t.args {
		b.WriteByte(' ')
		a.write(b)
	}
	b.WriteByte(')')
}

// symbol writes a name of the file as a symbol of SMT-LIB 2: other characters by their numbers.
func symbol(prefix, name string) string {
	var b strings.Builder
	b.WriteString(prefix + ".")
	for _, c := range name {
		if c == '_' || c == '.' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' {
			b.WriteRune(c)
		} else {
			fmt.Fprintf(&b, "~%x~", c)
		}
	}
	return b.String()
}

// values returns what a disjunction says the value of, if it lists the values, or a conjunction, if it lists what the
// value is not.
func (t *term) values() (x *term, values []string) {
	for _, a := range t.args {
		if t.op == opAnd && a.op == opNot {
			a = a.args[0]
		} else if t.op == opAnd {
			return nil, nil
		}
		if a.op != opEqual || x != nil && !x.same(a.args[0]) {
			return nil, nil
		}
		x, values = a.args[0], append(values, a.args[1].infix())
	}
	return x, values
}

// infix writes t for readers.
func (t *term) infix() string {
	inner := func(u *term) string {
		switch u.op {
		case opNumber, opText, opName, opRead, opNot, opTrue, opFalse, opEvery, opExists:
			return u.infix()
		}
		return "(" + u.infix() + ")"
	}
	list := func(args []*term, between string) string {
		var parts []string
		for _, a := range args {
			parts = append(parts, inner(a))
		}
		return strings.Join(parts, between)
	}
	switch t.op {
	case opNumber:
		return strconv.Itoa(t.n)
	case opText, opName:
		return t.name
	case opRead:
		var keys []string
		for _, a := range t.args {
			keys = append(keys, a.infix())
		}
		if len(keys) == 0 {
			return t.v.name
		}
		base, place, isFIFO := strings.Cut(t.v.name, ".")
		if isFIFO {
			return base + "[" + strings.Join(keys, ", ") + "]." + place
		}
		return base + "[" + strings.Join(keys, ", ") + "]"
	case opAdd:
		if b := t.args[1]; b.op == opNumber && b.n < 0 {
			return inner(t.args[0]) + " - " + strconv.Itoa(-b.n)
		}
		return list(t.args, " + ")
	case opSub, opMul, opLess, opAtMost, opEqual:
		return list(t.args, " "+t.op+" ")
	case opAnd, opOr:
		if x, values := t.values(); x != nil {
			word := " in {"
			if t.op == opAnd {
				word = " not in {"
			}
			return x.infix() + word + strings.Join(values, ", ") + "}"
		}
		return list(t.args, " "+t.op+" ")
	case opNot:
		if u := t.args[0]; u.op == opEqual {
			return list(u.args, " != ")
		}
		return "not " + inner(t.args[0])
	case opCases:
		return fmt.Sprintf("(%s if %s else %s)", t.args[1].infix(), t.args[0].infix(), t.args[2].infix())
	case opEvery, opExists:
		word := map[string]string{opEvery: "for all ", opExists: "for some "}[t.op]
		return word + t.name + ": " + inner(t.args[2])
	}
	return t.op
}
