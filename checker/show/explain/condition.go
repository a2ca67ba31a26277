package explain

import (
	"strconv"
	"strings"

	"github.com/seed-105a2da2/unknot/spec/program"
)

// mostOfCondition bounds the text of a condition, in bytes.
const mostOfCondition = 240

// Condition writes a condition of a program as the explorer reads it, such as
// "turn = 1 and (x = busy or y < 2)", with names of values where a variable has them. A
// long text ends in "...".
func Condition(p *program.Program, e *program.Expr) string {
	w := conditionText{p: p}
	w.expr(e, false)
	return w.bounded()
}

type conditionText struct {
	strings.Builder
	p *program.Program
}

var infix = map[program.Op]string{
	program.Plus: " + ", program.Minus: " - ", program.Times: " * ", program.Equal: " = ", program.NotEqual: " != ",
	program.Less: " < ", program.LessEqual: " <= ", program.Conjunction: " and ", program.Disjunction: " or ",
}

// expr writes an expression, in parentheses if it is an operand and has operands.
func (w *conditionText) expr(e *program.Expr, operand bool) {
	if w.Len() > mostOfCondition {
		return
	}
	switch e.Op {
	case program.Constant:
		w.WriteString(strconv.Itoa(e.Value))
		return
	case program.Read:
		w.WriteString(w.p.Variables[e.Value].Name)
		return
	case program.Negation:
		w.WriteString("not (")
		w.expr(&e.Args[0], false)
		w.WriteString(")")
		return
	case program.Conjunction, program.Disjunction:
		switch {
		case len(e.Args) == 1:
			w.expr(&e.Args[0], operand)
			return
		case len(e.Args) == 0:
			w.WriteString(map[program.Op]string{program.Conjunction: "true", program.Disjunction: "false"}[e.Op])
			return
		}
	}
	if operand {
		w.WriteString("(")
		defer w.WriteString(")")
	}
	if e.Op == program.Choice {
		for i, word := range []string{"if ", " then ", " else "} {
			w.WriteString(word)
			w.expr(&e.Args[i], true)
		}
		return
	}
	for i := range e.Args {
		if i > 0 {
			w.WriteString(infix[e.Op])
		}
		w.operand(e, i)
	}
}

// operand writes operand i; a number compared with a variable is written as the value's name.
func (w *conditionText) operand(e *program.Expr, i int) {
	x := &e.Args[i]
	if x.Op == program.Constant && (e.Op == program.Equal || e.Op == program.NotEqual) {
		if other := &e.Args[1-i]; other.Op == program.Read {
			w.WriteString(valueName(&w.p.Variables[other.Value], x.Value))
			return
		}
	}
	junction := e.Op == program.Conjunction || e.Op == program.Disjunction
	comparison := x.Op == program.Equal || x.Op == program.NotEqual || x.Op == program.Less || x.Op == program.LessEqual
	w.expr(x, !(junction && comparison))
}

// valueName returns the name of a value, or its number.
func valueName(v *program.Variable, value int) string {
	if v.Names != nil && 0 <= value && value < len(v.Names) {
		return v.Names[value]
	}
	return strconv.Itoa(value)
}

// bounded returns the text, cut if it is long.
func (w *conditionText) bounded() string {
	text := w.String()
	if len(text) > mostOfCondition {
		text = strings.ToValidUTF8(text[:mostOfCondition], "") + "..."
	}
	return text
}
