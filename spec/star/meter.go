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
	m.fields = sync.OnceValue(func() []string { return append(fieldsOf(tree), m.variables()...) })
	m.stmts(tree.Stmts)
	return m.err
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
			m.refuseLostAssignment(s)
		}
		m.params(s.Params)
		around := m.local
		if m.depth == 0 && s.Name.Name == "route" && len(s.Params) == 2 && !m.machine {
			m.route = s
		}
		if m.depth == 0 {
			m.topLevel = m.callable[s.Name.Name] && !m.evaluated[s.Name.Name]
		}
		m.depth, m.local = m.depth+1, stateNames(s)
		m.stmts(s.Body)
		m.depth, m.local = m.depth-1, around
		if m.depth == 0 {
			m.route, m.topLevel = nil, false
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
		m.discarded = s.X
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

// fieldsOf returns the fields of the records of a file.
func fieldsOf(tree *syntax.File) (names []string) {
	syntax.Walk(tree, func(n syntax.Node) bool {
		c, is := n.(*syntax.CallExpr)
		if !is {
			return true
		}
		if f, is := c.Fn.(*syntax.Ident); !is || f.Name != "record" {
			return true
		}
		for _, arg := range c.Args {
			if named, is := arg.(*syntax.BinaryExpr); is && named.Op == syntax.EQ {
				names = append(names, named.X.(*syntax.Ident).Name)
			}
		}
		return true
	})
	return names
}

// refuseLostAssignment refuses a function that assigns to a name that it never reads and that is a variable
// of the machine: the state was meant.
func (m *metering) refuseLostAssignment(f *syntax.DefStmt) {
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

// assign meters x += y as x += afford(x, y). Where x is an element, reading it
// twice would evaluate its index twice; there only numbers and lists are added.
func (m *metering) assign(s *syntax.AssignStmt) {
	m.target(s.LHS)
	if s.Op == syntax.EQ {
		if f, ok := s.RHS.(*syntax.DotExpr); ok && m.machine && (f.Name.Name == "pop" || f.Name.Name == "push") && !slices.Contains(m.fields(), f.Name.Name) {
			m.refuse(f.Dot, "this names a function: a call needs brackets, as in ."+f.Name.Name+"(...)")
		}
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
