package star

import (
	"slices"
	"strings"
	"sync"

	"go.starlark.net/syntax"
)

// The interpreter has no hook where an operator could be charged. So the syntax tree is
// changed between parsing and compiling: x+y becomes a call of a built-in function
// named "+", which no file can name, and so do slices, spread arguments and methods
// that make something large. Adding a literal number, or taking a remainder with one,
// stays as it is: it makes nothing large.

// meter makes a tree charge for what it makes, and refuses what a network file cannot
// have. The file of a machine may compare and move parts of the state without looking
// at them (lazy.go).
func meter(file string, text []byte, tree *syntax.File, m metering) error {
	m.file, m.lines, m.elements = file, strings.Split(string(newlines(text)), "\n"), map[*syntax.Comprehension]int{}
	m.variables = sync.OnceValue(func() []string { return variablesOf(tree) })
	m.stmts(tree.Stmts)
	return m.err
}

type metering struct {
	file      string
	lines     []string
	variables func() []string // of a machine
	machine   bool
	callable  map[string]bool               // functions whose calls are remembered (calls.go)
	bare      bool                          // these do not meet stand-ins (bare.go)
	within    bool                          // the current function is one of these
	depth     int                           // of nested functions
	local     map[string]bool               // names that stand for parts of the state, see ofState
	route     *syntax.DefStmt               // if the statement is in it
	alone     syntax.Expr                   // an expression statement: its value is unused
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

func (m *metering) stmts(list []syntax.Stmt) {
	for _, s := range list {
		m.stmt(s)
	}
}

func (m *metering) stmt(s syntax.Stmt) {
	switch s := s.(type) {
	case *syntax.AssignStmt:
		m.assign(s)
	case *syntax.DefStmt:
		if m.machine {
			m.lost(s)
		}
		m.params(s.Params)
		around := m.local
		if m.depth == 0 && s.Name.Name == "route" && len(s.Params) == 2 && !m.machine {
			m.route = s
		}
		if m.depth == 0 {
			m.within = m.callable[s.Name.Name]
		}
		m.depth, m.local = m.depth+1, ofState(s)
		m.stmts(s.Body)
		m.depth, m.local = m.depth-1, around
		if m.depth == 0 {
			m.route, m.within = nil, false
		}
	case *syntax.ExprStmt:
		if x, compares := s.X.(*syntax.BinaryExpr); compares && comparisons[x.Op] != "" {
			m.refuse(x.OpPos, "this comparison has no effect: assign with =, or write when(...), if or return")
		}
		switch x := s.X.(type) {
		case *syntax.Ident:
			m.refuse(x.NamePos, "this has no effect: a call needs brackets, as in "+x.Name+"(...)")
		case *syntax.DotExpr:
			m.refuse(x.Dot, "this has no effect: a call needs brackets, as in ."+x.Name.Name+"(...)")
		}
		m.alone = s.X
		s.X = m.expr(s.X)
	case *syntax.ForStmt:
		m.target(s.Vars)
		s.X = m.expr(s.X)
		m.stmts(s.Body)
	case *syntax.IfStmt:
		s.Cond = m.condition(s.Cond)
		m.stmts(s.True)
		m.stmts(s.False)
	case *syntax.ReturnStmt:
		s.Result = m.returned(s.Result)
	case *syntax.WhileStmt:
		m.refuse(s.While, "while is not available: use for with a range")
	}
}

// variablesOf returns the variables and FIFOs that a file declares by name.
func variablesOf(tree *syntax.File) (names []string) {
	syntax.Walk(tree, func(n syntax.Node) bool {
		if c, is := n.(*syntax.CallExpr); is && len(c.Args) > 0 {
			f, _ := c.Fn.(*syntax.Ident)
			name, _ := c.Args[0].(*syntax.Literal)
			if f != nil && name != nil && (f.Name == "var" || f.Name == "fifo") && name.Token == syntax.STRING {
				names = append(names, name.Value.(string))
			}
		}
		return true
	})
	return names
}

// lost refuses a function that assigns to a name that it never reads and that is a variable
// of the machine: the state was meant.
func (m *metering) lost(f *syntax.DefStmt) {
	var set []*syntax.Ident
	read := map[string]int{}
	syntax.Walk(f, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.AssignStmt:
			to, from := []syntax.Expr{n.LHS}, []syntax.Expr{n.RHS}
			if several, ok := n.LHS.(*syntax.TupleExpr); ok {
				if each, ok := n.RHS.(*syntax.TupleExpr); ok && len(each.List) == len(several.List) {
					to, from = several.List, each.List
				}
			}
			for i, e := range to {
				x, named := e.(*syntax.Ident)
				if !named {
					continue
				}
				read[x.Name]--
				if _, does := from[i].(*syntax.CallExpr); !does { // such as pop, called for its effect
					set = append(set, x)
				}
			}
		case *syntax.DotExpr:
			read[n.Name.Name]--
		case *syntax.Ident:
			read[n.Name]++
		}
		return true
	})
	for _, x := range set {
		if read[x.Name] == 0 && slices.Contains(m.variables(), x.Name) {
			m.refuse(x.NamePos, "nothing reads what "+x.Name+" is given here: the variable is part of the state, so write s."+x.Name)
		}
	}
}

// when refuses uses of when that cannot be meant.
func (m *metering) when(e *syntax.CallExpr) {
	if e != m.alone {
		start, _ := e.Span()
		m.refuse(start, "when has no value: it refuses the step by itself; write when(condition) on a line of its own")
	}
	for _, x := range e.Args {
		x, named := x.(*syntax.BinaryExpr)
		if !named || x.Op != syntax.EQ {
			continue
		}
		if name, _ := x.X.(*syntax.Ident); name != nil && name.Name != "condition" && name.Name != "why" {
			m.refuse(x.OpPos, "when has no parameter "+name.Name+": compare with ==")
		}
	}
}

// functions reports whether an expression is in a function of a network.
func (m *metering) functions() bool { return !m.machine && m.depth > 0 }

// meetsStandIns reports whether an expression may meet stand-ins (standin.go).
func (m *metering) meetsStandIns() bool {
	return m.functions() && !(m.bare && m.within && m.depth == 1)
}

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

// assign meters x += y as x += afford(x, y). Where x is an element, reading it
// twice would evaluate its index twice; there only numbers and lists are added.
func (m *metering) assign(s *syntax.AssignStmt) {
	m.target(s.LHS)
	if s.Op == syntax.EQ {
		s.RHS = m.moved(s.LHS, s.RHS)
		return
	}
	s.RHS = m.expr(s.RHS)
	name, metered := operator(s.Op)
	if !metered || harmless(name, nil, s.RHS) {
		return
	}
	x := s.LHS
	for {
		p, ok := x.(*syntax.ParenExpr)
		if !ok {
			break
		}
		x = p.X
	}
	if id, ok := x.(*syntax.Ident); ok {
		s.RHS = call(name+"=", s.OpPos, &syntax.Ident{NamePos: id.NamePos, Name: id.Name}, s.RHS)
		return
	}
	if name != "+" {
		m.refuse(s.OpPos, name+"= changes an element: write x[i] = x[i] "+name+" y")
		return
	}
	s.RHS = call("element +=", s.OpPos, s.RHS)
}

// target meters what is evaluated within the left side of an assignment.
func (m *metering) target(e syntax.Expr) {
	switch e := e.(type) {
	case *syntax.ParenExpr:
		m.target(e.X)
	case *syntax.TupleExpr:
		for _, x := range e.List {
			m.target(x)
		}
	case *syntax.ListExpr:
		for _, x := range e.List {
			m.target(x)
		}
	case *syntax.IndexExpr:
		e.X, e.Y = m.expr(e.X), m.expr(e.Y)
	case *syntax.DotExpr:
		e.X = m.expr(e.X)
	}
}

func (m *metering) params(params []syntax.Expr) {
	for _, p := range params {
		if b, ok := p.(*syntax.BinaryExpr); ok {
			b.Y = m.expr(b.Y)
		}
	}
}
