package symbolic

import (
	"fmt"
	"strconv"
	"strings"
)

// String writes t in SMT-LIB 2.
func (t *Term) String() string {
	var b strings.Builder
	t.write(&b)
	return b.String()
}

func (t *Term) write(b *strings.Builder) {
	head := t.Op
	switch t.Op {
	case OpNumber:
		if t.N < 0 {
			b.WriteString("(- " + strconv.Itoa(-t.N) + ")")
		} else {
			b.WriteString(strconv.Itoa(t.N))
		}
		return
	case OpText:
		b.WriteString(Symbol("is", t.Name))
		return
	case OpName:
		b.WriteString(t.Name)
		return
	case OpEvery, OpExists:
		fmt.Fprintf(b, "(%s ((%s Int)) ", t.Op, t.Name)
		scope := Within(Named(t.Name), t.Args[0], t.Args[1])
		if t.Op == OpEvery {
			fmt.Fprintf(b, "(=> %s ", scope)
		} else {
			fmt.Fprintf(b, "(and %s ", scope)
		}
		t.Args[2].write(b)
		b.WriteString("))")
		return
	case OpWrap:
		e, size := t.Args[0].String(), t.Args[1].String()
		fmt.Fprintf(b, "(ite (< %[1]s 0) (+ %[1]s %[2]s) (ite (< %[1]s %[2]s) %[1]s (- %[1]s %[2]s)))", e, size)
		return
	case OpRead:
		head = t.Of.Symbol()
	}
	if len(t.Args) == 0 {
		b.WriteString(head)
		return
	}
	b.WriteString("(" + head)
	for _, a := range t.Args {
		b.WriteByte(' ')
		a.write(b)
	}
	b.WriteByte(')')
}

// Symbol writes a name of a file as a symbol of SMT-LIB 2: other characters by their numbers.
func Symbol(prefix, name string) string {
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

// Values returns what a disjunction says the value of, if it lists the values, or a conjunction, if it lists what the
// value is not.
func (t *Term) Values() (x *Term, values []string) {
	for _, a := range t.Args {
		if t.Op == OpAnd && a.Op == OpNot {
			a = a.Args[0]
		} else if t.Op == OpAnd {
			return nil, nil
		}
		if a.Op != OpEqual || x != nil && !x.Same(a.Args[0]) {
			return nil, nil
		}
		x, values = a.Args[0], append(values, a.Args[1].Infix())
	}
	return x, values
}

// Infix writes t for readers: 2*k - x1.
func (t *Term) Infix() string {
	inner := func(u *Term) string {
		switch u.Op {
		case OpAdd, OpSub, OpDiv, OpWrap, OpLess, OpAtMost, OpEqual, OpAnd, OpOr:
			return "(" + u.Infix() + ")"
		}
		return u.Infix()
	}
	list := func(args []*Term, between string) string {
		var parts []string
		for _, a := range args {
			parts = append(parts, inner(a))
		}
		return strings.Join(parts, between)
	}
	switch t.Op {
	case OpNumber:
		return strconv.Itoa(t.N)
	case OpText, OpName:
		return t.Name
	case OpRead:
		var keys []string
		for _, a := range t.Args {
			keys = append(keys, a.Infix())
		}
		return t.Of.Infix(keys)
	case OpAdd, OpSub:
		right, sign := t.Args[1], " "+t.Op+" "
		switch {
		case right.IsNumber() && right.N < 0:
			right, sign = Number(-right.N), " - "
		case right.Op == OpMul && right.Args[0].N < 0:
			right, sign = Times(-right.Args[0].N, right.Args[1]), " - "
		}
		return t.Args[0].Infix() + sign + inner(right)
	case OpMul:
		if t.Args[0].N == -1 {
			return "-" + inner(t.Args[1])
		}
		return t.Args[0].Infix() + "*" + inner(t.Args[1])
	case OpDiv:
		return inner(t.Args[0]) + " // " + t.Args[1].Infix()
	case OpWrap:
		return list(t.Args, " % ")
	case OpLess, OpAtMost, OpEqual:
		return t.Args[0].Infix() + " " + t.Op + " " + t.Args[1].Infix()
	case OpAnd, OpOr:
		if x, values := t.Values(); x != nil {
			word := " in {"
			if t.Op == OpAnd {
				word = " not in {"
			}
			return x.Infix() + word + strings.Join(values, ", ") + "}"
		}
		return list(t.Args, " "+t.Op+" ")
	case OpNot:
		if u := t.Args[0]; u.Op == OpEqual {
			return u.Args[0].Infix() + " != " + u.Args[1].Infix()
		}
		return "not " + inner(t.Args[0])
	case OpCases:
		return fmt.Sprintf("(%s if %s else %s)", t.Args[1].Infix(), t.Args[0].Infix(), t.Args[2].Infix())
	case OpEvery, OpExists:
		word := map[string]string{OpEvery: "for all ", OpExists: "for some "}[t.Op]
		return word + t.Name + ": " + inner(t.Args[2])
	}
	return t.Op
}
