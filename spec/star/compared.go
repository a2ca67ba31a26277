package star

import (
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// What a network's functions do with stand-ins (standin.go) in operators and built-in
// functions. The metered tree (meter.go) calls compared and indexed within functions.

// value returns the stand-in for a term.
func (p *probe) value(t *term, is meaning) starlark.Value {
	switch is {
	case aNode:
		return p.node(t)
	case anEdge:
		return p.link(t)
	}
	return p.int(t)
}

func probeOf(v starlark.Value) *probe {
	switch v := v.(type) {
	case *someInt:
		return v.p
	case *someNode:
		return v.p
	case *someLink:
		return v.p
	}
	return nil
}

// compared is x op y.
func compared(op syntax.Token, x, y starlark.Value) (starlark.Value, error) {
	if err := unnamed(op, x, y); err != nil {
		return nil, err
	}
	if !stands(x) && !stands(y) {
		return evaluated(op, x, y)
	}
	one, isTuple := x.(starlark.Tuple)
	other, also := y.(starlark.Tuple)
	equality := op == syntax.EQL || op == syntax.NEQ
	if isTuple && also && equality {
		same := len(one) == len(other)
		for i := 0; same && i < len(one); i++ {
			v, err := compared(syntax.EQL, one[i], other[i])
			if err != nil {
				return nil, err
			}
			same = bool(v.Truth())
		}
		return starlark.Bool(same == (op == syntax.EQL)), nil
	}
	a, is := termOf(x)
	b, what := termOf(y)
	if is == nothing || is != what || is != anInt && !equality {
		switch y.(type) {
		case starlark.NoneType, starlark.String:
			if equality && is != nothing {
				return starlark.Bool(op == syntax.NEQ), nil
			}
		}
		return evaluated(op, known(x), known(y))
	}
	p := probeOf(x)
	if p == nil {
		p = probeOf(y)
	}
	holds := false
	switch op {
	case syntax.EQL:
		holds = p.holds(isEqual, a, b)
	case syntax.NEQ:
		holds = !p.holds(isEqual, a, b)
	case syntax.LT:
		holds = p.holds(isLess, a, b)
	case syntax.GE:
		holds = !p.holds(isLess, a, b)
	case syntax.LE:
		holds = p.holds(isAtMost, a, b)
	case syntax.GT:
		holds = !p.holds(isAtMost, a, b)
	default:
		return evaluated(op, known(x), known(y))
	}
	return starlark.Bool(holds), nil
}

// extreme is min or max.
func extreme(do operation, plain *starlark.Builtin) builtin {
	return func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		if err := chargeStandIns(t, args); err != nil {
			return nil, err
		}
		if len(args) != 2 || len(kwargs) > 0 || !stands(args) {
			return plain.CallInternal(t, allKnown(args), kwargs)
		}
		a, is := termOf(args[0])
		b, what := termOf(args[1])
		if is != anInt || what != anInt {
			return plain.CallInternal(t, allKnown(args), kwargs)
		}
		p := probeOf(args[0])
		if p == nil {
			p = probeOf(args[1])
		}
		m, _ := combined(do, a, b)
		return p.int(m), nil
	}
}

// makesTerm reports whether %, * or *= computes a number from numbers. With a string or a
// list it is charged for what it makes, and needs to know the operands.
func makesTerm(operator string, args starlark.Tuple) bool {
	if operator != "%" && operator != "*" && operator != "*=" {
		return false
	}
	_, is := termOf(args[0])
	_, what := termOf(args[1])
	return is == anInt && what == anInt
}
