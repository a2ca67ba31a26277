package star

import "go.starlark.net/syntax"

type metering struct {
	file      string
	lines     []string
	variables func() []string // of a machine
	fields    func() []string // of its records, and variables
	machine   bool
	callable  map[string]bool               // functions whose calls are remembered (calls.go)
	evaluated map[string]bool               // those of them that meet symbolic values (standin.go)
	topLevel  bool                          // the current function does not
	depth     int                           // of nested functions
	local     map[string]bool               // names that stand for parts of the state, see ofState
	route     *syntax.DefStmt               // if the statement is in it
	discarded syntax.Expr                   // an expression statement: its value is unused
	elements  map[*syntax.Comprehension]int // flags of their elements, see decided
	err       error                         // the first
}

func (m *metering) refuse(pos syntax.Position, problem string) {
	if m.err == nil {
		m.err = place(m.file, int(pos.Line), int(pos.Col), "%s", problem)
	}
}

func call(name string, pos syntax.Position, args ...syntax.Expr) *syntax.CallExpr {
	return &syntax.CallExpr{Fn: &syntax.Ident{NamePos: pos, Name: name}, Lparen: pos, Args: args, Rparen: pos}
}

// functions reports whether an expression is in a function of a network.
func (m *metering) functions() bool { return !m.machine && m.depth > 0 }

// meetsSymbolic reports whether an expression may meet symbolic values (standin.go). Functions within others may, as
// they may be values that outlive the call.
func (m *metering) meetsSymbolic() bool { return m.functions() && !(m.topLevel && m.depth == 1) }

// ordered reports whether an operator compares by order, which nodes do not have: the check for a
// node compared with its name (likenode.go) is not needed.
func ordered(op syntax.Token) bool {
	return op == syntax.LT || op == syntax.LE || op == syntax.GT || op == syntax.GE
}

// operator returns the name of the function that stands for an operator.
func operator(op syntax.Token) (string, bool) {
	switch op {
	case syntax.PLUS, syntax.PLUS_EQ:
		return "+", true
	case syntax.STAR, syntax.STAR_EQ:
		return "*", true
	case syntax.PERCENT, syntax.PERCENT_EQ:
		return "%", true
	case syntax.PIPE, syntax.PIPE_EQ:
		return "|", true
	case syntax.LTLT, syntax.LTLT_EQ:
		return "<<", true
	}
	return "", false
}

// harmless reports whether the operator makes nothing large when one operand
// is a literal number.
func harmless(name string, x, y syntax.Expr) bool {
	number := func(e syntax.Expr) bool {
		l, ok := e.(*syntax.Literal)
		if !ok || l.Token != syntax.INT {
			return false
		}
		_, ok = l.Value.(int64)
		return ok
	}
	switch name {
	case "+":
		return number(x) || number(y)
	case "%":
		return number(x) || number(y)
	}
	return false
}
