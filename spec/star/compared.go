package star

import (
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// What a network's functions do with symbolic values (standin.go) in operators and built-in
// functions. The metered tree (meter.go) calls compareSymbolic and indexSymbolic within functions.

// value returns the symbolic value for a term.
func (p *symbolicRun) value(t *term, is meaning) starlark.Value {
	switch is {
	case meaningNode:
		return p.node(t)
	case meaningLink:
		return p.link(t)
	}
	return p.int(t)
}

func probeOf(v starlark.Value) *symbolicRun {
	switch v := v.(type) {
	case *symbolicInt:
		return v.p
	case *symbolicNode:
		return v.p
	case *symbolicLink:
		return v.p
	}
	return nil
}

// compareSymbolic is x op y.
func compareSymbolic(op syntax.Token, x, y starlark.Value) (starlark.Value, error) {
	if err := checkNamed(op, x, y); err != nil {
		return nil, err
	}
	if !isSymbolic(x) && !isSymbolic(y) {
		return evaluated(op, x, y)
	}
	one, isTuple := x.(starlark.Tuple)
	other, also := y.(starlark.Tuple)
	equality := op == syntax.EQL || op == syntax.NEQ
	if isTuple && also && equality {
		same := len(one) == len(other)
		for i := 0; same && i < len(one); i++ {
			v, err := compareSymbolic(syntax.EQL, one[i], other[i])
			if err != nil {
				return nil, err
			}
			same = bool(v.Truth())
		}
		return starlark.Bool(same == (op == syntax.EQL)), nil
	}
	a, is := termOf(x)
	b, what := termOf(y)
	if is == meaningNone || is != what || is != meaningInt && !equality {
		switch y.(type) {
		case starlark.NoneType, starlark.String:
			if equality && is != meaningNone {
				return starlark.Bool(op == syntax.NEQ), nil
			}
		}
		return evaluated(op, concretize(x), concretize(y))
	}
	p := probeOf(x)
	if p == nil {
		p = probeOf(y)
	}
	holds := false
	switch op {
	case syntax.EQL:
		holds = p.decideHolds(opEqual, a, b)
	case syntax.NEQ:
		holds = !p.decideHolds(opEqual, a, b)
	case syntax.LT:
		holds = p.decideHolds(opLess, a, b)
	case syntax.GE:
		holds = !p.decideHolds(opLess, a, b)
	case syntax.LE:
		holds = p.decideHolds(opAtMost, a, b)
	case syntax.GT:
		holds = !p.decideHolds(opAtMost, a, b)
	default:
		return evaluated(op, concretize(x), concretize(y))
	}
	return starlark.Bool(holds), nil
}

// minMax is min or max.
func minMax(do operation, plain *starlark.Builtin) builtin {
	return func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		if err := chargeSymbolic(t, args); err != nil {
			return nil, err
		}
		if len(args) != 2 || len(kwargs) > 0 || !isSymbolic(args) {
			return plain.CallInternal(t, concretizeAll(args), kwargs)
		}
		a, is := termOf(args[0])
		b, what := termOf(args[1])
		if is != meaningInt || what != meaningInt {
			return plain.CallInternal(t, concretizeAll(args), kwargs)
		}
		p := probeOf(args[0])
		if p == nil {
			p = probeOf(args[1])
		}
		m, _ := combine(do, a, b)
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
	return is == meaningInt && what == meaningInt
}
