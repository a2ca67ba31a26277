package star

import (
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// Which part of a condition decides it. The result of a function of a machine is split
// where one part decides alone: a False part of x and y, a True part of x or y, an
// element of all([...]) or any([...]). The metered tree (meter.go) marks each such part
// with the values that decide, and a run that is recorded keeps the parts that have one:
// the last that agrees with the result is the reason. If a part calls a function of the
// file, the parts of that function's result decide. What other calls return, in a filter
// or in a part that does not decide, lies deeper in the call stack and is not a reason.

// Flags of a part.
const (
	ifFalse  = 1 << iota // it decides if it is False
	ifTrue               // it decides if it is True
	negated              // the whole is its negation
	byCalled             // it is a call, whose function may know more
	tested               // it is used as a condition
)

const eitherWay = ifFalse | ifTrue

// decided meters an expression and marks the parts that decide it.
func (m *metering) decided(e syntax.Expr, flags int) syntax.Expr {
	start, end := e.Span()
	if endsInBracket(e) {
		end.Col++
	}
	text := m.text(start, end)
	if constant, is := e.(*syntax.Ident); is && (constant.Name == "True" || constant.Name == "False") { // the whole line: the reason stands before the constant
		text = strings.TrimSpace(m.lines[start.Line-1])
	}
	switch x := e.(type) {
	case *syntax.ParenExpr:
		x.X = m.decided(x.X, flags)
		return x
	case *syntax.CondExpr:
		x.Cond, x.True, x.False = m.condition(x.Cond), m.decided(x.True, flags), m.decided(x.False, flags)
		return x
	case *syntax.UnaryExpr:
		if x.Op == syntax.NOT {
			contrary := (flags&ifFalse)<<1 | (flags&ifTrue)>>1 | (flags&negated ^ negated) | tested
			x.X = m.decided(x.X, contrary)
			return x
		}
		e = m.expr(e)
	case *syntax.BinaryExpr:
		alone := map[syntax.Token]int{syntax.AND: ifFalse, syntax.OR: ifTrue}[x.Op] & flags
		if alone == 0 {
			e = m.expr(e)
			break
		}
		x.X, x.Y = m.decided(x.X, alone|flags&negated|tested), m.decided(x.Y, alone|flags&(negated|tested))
		flags &^= alone
	case *syntax.CallExpr:
		if elements, alone := elementsOf(x, flags); alone != 0 {
			m.elements[elements] = alone | flags&negated
			flags &^= alone
		} else if f, named := x.Fn.(*syntax.Ident); !named || !starlark.Universe.Has(f.Name) { // built-in functions have no parts
			flags |= byCalled
		}
		e = m.expr(e)
	default:
		if flags&tested != 0 {
			e = m.condition(e)
		} else {
			e = m.expr(e)
		}
	}
	if flags &^= tested; flags&eitherWay == 0 {
		return e
	}
	return call("part ends", start, call("part begins", start), e, &syntax.Literal{Token: syntax.STRING, TokenPos: start, Raw: text, Value: text},
		&syntax.Literal{Token: syntax.INT, TokenPos: start, Raw: "", Value: int64(flags)})
}

// endsInBracket reports whether an expression ends in x[i], whose span leaves out the closing
// bracket.
func endsInBracket(e syntax.Expr) bool {
	switch x := e.(type) {
	case *syntax.IndexExpr, *syntax.SliceExpr:
		return true
	case *syntax.BinaryExpr:
		return endsInBracket(x.Y)
	case *syntax.UnaryExpr:
		return endsInBracket(x.X)
	case *syntax.CondExpr:
		return endsInBracket(x.False)
	}
	return false
}

// elementsOf returns the comprehension in all([...]) or any([...]), and the flag of the
// value with which one element decides, or 0.
func elementsOf(e *syntax.CallExpr, flags int) (*syntax.Comprehension, int) {
	f, named := e.Fn.(*syntax.Ident)
	if !named || len(e.Args) != 1 {
		return nil, 0
	}
	list, _ := e.Args[0].(*syntax.Comprehension)
	if list == nil || list.Curly {
		return nil, 0
	}
	return list, map[string]int{"all": ifFalse, "any": ifTrue}[f.Name] & flags
}

// text returns what stands between two positions, at most to the end of the line.
func (m *metering) text(start, end syntax.Position) string {
	line, more := []rune(m.lines[start.Line-1]), ""
	to := len(line)
	if end.Line == start.Line {
		to = min(to, int(end.Col)-1)
	} else {
		more = " ..."
	}
	return strings.TrimSpace(string(line[min(to, int(start.Col)-1):to])) + more
}

// partBegins returns how many reasons are known and how many values have been looked
// at.
func partBegins(t *starlark.Thread, _ *starlark.Builtin, _ starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	a := evaluationOf(t)
	if a == nil || a.seen == nil {
		return starlark.None, nil
	}
	return starlark.Tuple{starlark.MakeInt(len(a.seen.reasons)), starlark.MakeInt(len(a.run.Looked))}, nil
}

// partEnds is called with what partBegins returned, the value of the part, its text and flags.
func partEnds(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	begun, paired := args[0].(starlark.Tuple)
	flags := intOf(args[3])
	if _, is := args[1].(starlark.Bool); !paired || !is && flags&^byCalled == eitherWay { // a value that is not a condition
		return args[1], nil
	}
	a, known, looked, holds := evaluationOf(t), intOf(begun[0]), intOf(begun[1]), args[1].Truth() // no bool in not s.x and any([s.x])
	if holds && flags&ifTrue == 0 || !holds && flags&ifFalse == 0 {
		return args[1], nil
	}
	whole, depth := holds != (flags&negated != 0), t.CallStackDepth()
	if flags&byCalled != 0 {
		if by := deciding(a.seen.reasons[known:], func(r *reason) bool { return r.depth == depth+1 && r.holds == bool(holds) }); by != nil {
			by.holds, by.depth = bool(whole), depth
			return args[1], nil
		}
	}
	a.seen.reasons = append(a.seen.reasons, reason{positionOf(t.Name, t.CallStack()), string(args[2].(starlark.String)), bool(whole), a.run.Looked[looked:], depth})
	return args[1], nil
}

func intOf(v starlark.Value) int {
	n, _ := starlark.AsInt32(v)
	return n
}
