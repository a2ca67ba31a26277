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
// at them (view.go).
func meter(file string, text []byte, tree *syntax.File, m metering) error {
	m.file, m.lines, m.elements = file, strings.Split(string(newlines(text)), "\n"), map[*syntax.Comprehension]int{}
	m.variables = sync.OnceValue(func() []string { return variablesOf(tree) })
	m.fields = sync.OnceValue(func() []string { return append(fieldsOf(tree), m.variables()...) })
	m.own = map[string]bool{}
	for _, name := range []string{"choose", "min", "max"} {
		m.own[name] = rebinds(tree, name)
	}
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
		numbers := m.numbers
		if m.depth == 0 && m.machine {
			m.numbers = m.numberNames(s)
		}
		m.depth, m.local = m.depth+1, stateNames(s)
		m.stmts(s.Body)
		m.depth, m.local, m.numbers = m.depth-1, around, numbers
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

// rebinds reports whether a file uses a name for anything but calls, as where it gives it a meaning of its own.
func rebinds(tree *syntax.File, name string) bool {
	named, called := 0, 0
	syntax.Walk(tree, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Ident:
			if n.Name == name {
				named++
			}
		case *syntax.CallExpr:
			if f, is := n.Fn.(*syntax.Ident); is && f.Name == name {
				called++
			}
		}
		return true
	})
	return named > called
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
			m.refuse(x.NamePos,
				"nothing reads what "+x.Name+" is given here: the variable is part of the state, so write s."+x.Name)
		}
	}
}

// assign meters x += y as x += afford(x, y). Where x is an element, reading it
// twice would evaluate its index twice; there only numbers and lists are added.
func (m *metering) assign(s *syntax.AssignStmt) {
	m.target(s.LHS)
	if s.Op == syntax.EQ {
		if f, ok := s.RHS.(*syntax.DotExpr); ok && m.machine && (f.Name.Name == "pop" || f.Name.Name == "push") &&
			!slices.Contains(m.fields(), f.Name.Name) {
			m.refuse(f.Dot, "this names a function: a call needs brackets, as in ."+f.Name.Name+"(...)")
		}
		s.RHS = m.moved(s.LHS, s.RHS)
		return
	}
	if m.addedTo(s) {
		return
	}
	s.RHS = m.expr(s.RHS)
	name, metered := operator(s.Op)
	if !metered || harmless(name, nil, s.RHS) {
		return
	}
	if id, ok := unparen(s.LHS).(*syntax.Ident); ok {
		s.RHS = call(name+"=", s.OpPos, &syntax.Ident{NamePos: id.NamePos, Name: id.Name}, s.RHS)
		return
	}
	if name != "+" {
		m.refuse(s.OpPos, name+"= changes an element: write x[i] = x[i] "+name+" y")
		return
	}
	s.RHS = call("element +=", s.OpPos, s.RHS)
}

// addedTo meters s.x += y, and -=, as s.x = s.x + y, where the left side consists of names and literals, which can be
// evaluated twice.
func (m *metering) addedTo(s *syntax.AssignStmt) bool {
	op := augmented[s.Op]
	if m.isNumber(s.LHS) && op != 0 {
		name := map[bool]string{true: "x += y", false: sums[op]}[op == syntax.PLUS]
		s.RHS = call(name, s.OpPos, copied(s.LHS), m.lazy(s.RHS))
		s.Op = syntax.EQ
		return true
	}
	if !m.machine || op != syntax.PLUS && op != syntax.MINUS {
		return false
	}
	again := copied(s.LHS)
	switch again.(type) {
	case *syntax.DotExpr, *syntax.IndexExpr:
	default:
		return false
	}
	s.RHS = call(sums[op], s.OpPos, m.unread(again), m.expr(s.RHS)) // y is read: a sum out of range is an error here
	s.Op = syntax.EQ
	return true
}

// copied returns a copy of an expression of names, literals, fields and elements; nil for another.
func copied(e syntax.Expr) syntax.Expr {
	switch e := e.(type) {
	case *syntax.Ident:
		return &syntax.Ident{NamePos: e.NamePos, Name: e.Name}
	case *syntax.Literal:
		return e
	case *syntax.TupleExpr:
		out := *e
		out.List = make([]syntax.Expr, len(e.List))
		for i, x := range e.List {
			if out.List[i] = copied(x); out.List[i] == nil {
				return nil
			}
		}
		return &out
	case *syntax.DotExpr:
		if x := copied(e.X); x != nil {
			return &syntax.DotExpr{X: x, Dot: e.Dot, NamePos: e.NamePos, Name: copied(e.Name).(*syntax.Ident)}
		}
	case *syntax.IndexExpr:
		if x, y := copied(e.X), copied(e.Y); x != nil && y != nil {
			return &syntax.IndexExpr{X: x, Lbrack: e.Lbrack, Y: y, Rbrack: e.Rbrack}
		}
	}
	return nil
}

type metering struct {
	file      string
	lines     []string
	variables func() []string // of a machine
	fields    func() []string // of its records, and variables
	machine   bool
	callable  map[string]bool               // functions whose calls are remembered (calls.go)
	evaluated map[string]bool               // those of them that meet symbolic values (symbolic.go)
	topLevel  bool                          // the current function does not
	depth     int                           // of nested functions
	local     map[string]bool               // names that stand for parts of the state, see ofState
	route     *syntax.DefStmt               // if the statement is in it
	discarded syntax.Expr                   // an expression statement: its value is unused
	elements  map[*syntax.Comprehension]int // flags of their elements, see decided
	own       map[string]bool               // functions to which the file gives a meaning of its own
	numbers   map[string]bool               // local names that may hold numbers of the state, unread, see numberNames
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

// meetsSymbolic reports whether an expression may meet symbolic values (symbolic.go). Functions within others may, as
// they may be values that outlive the call.
func (m *metering) meetsSymbolic() bool { return m.functions() && !(m.topLevel && m.depth == 1) }

// ordered reports whether an operator compares by order, which nodes do not have: the check for a
// node compared with its name (checkNamed) is not needed.
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

func (m *metering) exprs(list []syntax.Expr) {
	for i, e := range list {
		list[i] = m.expr(e)
	}
}

// expr returns the metered form of e, which may be nil.
func (m *metering) expr(e syntax.Expr) syntax.Expr {
	switch e := e.(type) {
	case *syntax.BinaryExpr:
		return m.binary(e)
	case *syntax.CallExpr:
		if f, named := e.Fn.(*syntax.Ident); named && m.machine {
			switch f.Name {
			case "when":
				m.when(e)
			case "choose":
				if c := filtered(e.Args); c != nil && !m.own["choose"] {
					return m.chosenIf(f, c)
				}
			}
		}
		m.call(e)
		if f, named := e.Fn.(*syntax.Ident); named && m.callable[f.Name] && m.functions() && positional(e.Args) {
			return call("remembered call", e.Lparen, append([]syntax.Expr{f}, e.Args...)...)
		}
	case *syntax.Comprehension:
		return m.comprehension(e)
	case *syntax.CondExpr:
		e.Cond, e.True, e.False = m.condition(e.Cond), m.expr(e.True), m.expr(e.False)
	case *syntax.DictEntry:
		e.Key, e.Value = m.key(e.Key, e.Colon), m.expr(e.Value)
	case *syntax.DictExpr:
		m.exprs(e.List)
		return call("dict made", e.Lbrace, e)
	case *syntax.DotExpr:
		e.X = m.expr(e.X)
		if costly(e.Name.Name) || hashing(e.Name.Name) {
			name := &syntax.Literal{Token: syntax.STRING, TokenPos: e.Dot, Raw: e.Name.Name, Value: e.Name.Name}
			return call("a method", e.Dot, e.X, name)
		}
	case *syntax.Ident:
		if m.numbers[e.Name] {
			return call("read number", e.NamePos, e)
		}
	case *syntax.IndexExpr:
		e.X = m.expr(e.X)
		if m.meetsSymbolic() {
			return call("[]", e.Lbrack, e.X, m.expr(e.Y))
		}
		e.Y = m.key(e.Y, e.Lbrack)
	case *syntax.LambdaExpr:
		m.params(e.Params)
		m.discarded = e.Body
		m.depth++
		e.Body = m.returned(e.Body)
		m.depth--
	case *syntax.ListExpr:
		m.exprs(e.List)
	case *syntax.ParenExpr:
		e.X = m.expr(e.X)
	case *syntax.SliceExpr:
		e.X = call("a copy", e.Lbrack, m.expr(e.X))
		e.Lo, e.Hi, e.Step = m.expr(e.Lo), m.expr(e.Hi), m.expr(e.Step)
	case *syntax.TupleExpr:
		m.exprs(e.List)
	case *syntax.UnaryExpr:
		if e.Op == syntax.NOT {
			e.X = m.condition(e.X)
			break
		}
		e.X = m.expr(e.X)
	}
	return e
}

// binary meters an operator.
func (m *metering) binary(e *syntax.BinaryExpr) syntax.Expr {
	if x, named := e.X.(*syntax.Ident); named && m.machine && m.local[x.Name] && comparisons[e.Op] != "" {
		return call("spelt "+comparisons[e.Op], e.OpPos, m.compared(e.X), m.compared(e.Y))
	}
	if name, ok := comparisons[e.Op]; ok && m.machine &&
		(m.partOfState(e.X) || m.partOfState(e.Y) || m.isCount(e.X) || m.isCount(e.Y) || m.sumOfState(e.X) || m.sumOfState(e.Y)) {
		return call(name, e.OpPos, m.compared(e.X), m.compared(e.Y))
	}
	if e.Op == syntax.AND || e.Op == syntax.OR {
		e.X, e.Y = m.condition(e.X), m.expr(e.Y)
		return e
	}
	e.X, e.Y = m.expr(e.X), m.expr(e.Y)
	m.refuseMisreadAttribute(e)
	if name, ok := comparisons[e.Op]; ok && (m.meetsSymbolic() || m.functions() && !ordered(e.Op)) {
		return call(name, e.OpPos, e.X, e.Y)
	}
	if name, ok := comparisons[e.Op]; ok && !small(e.Y) && (!small(e.X) || e.Op == syntax.IN || e.Op == syntax.NOT_IN) {
		return call("charged "+name, e.OpPos, e.X, e.Y)
	}
	if name, ok := operator(e.Op); ok && !harmless(name, e.X, e.Y) {
		return call(name, e.OpPos, e.X, e.Y)
	}
	return e
}

// key meters the key of an index or of an entry of a dict, which is hashed.
func (m *metering) key(e syntax.Expr, pos syntax.Position) syntax.Expr {
	if e = m.expr(e); small(e) || number(e) {
		return e
	}
	return call("a key", pos, e)
}

// small reports whether an expression is a value of which no more is visited than the file shows: a literal, or a list
// of literals.
func small(e syntax.Expr) bool {
	switch e := e.(type) {
	case *syntax.Literal:
		return true
	case *syntax.ParenExpr:
		return small(e.X)
	case *syntax.TupleExpr:
		return !slices.ContainsFunc(e.List, func(e syntax.Expr) bool { return !small(e) })
	case *syntax.ListExpr:
		return !slices.ContainsFunc(e.List, func(e syntax.Expr) bool { return !small(e) })
	}
	return false
}

// number reports whether an expression can be nothing but a number.
func number(e syntax.Expr) bool {
	switch e := e.(type) {
	case *syntax.ParenExpr:
		return number(e.X)
	case *syntax.BinaryExpr:
		return e.Op == syntax.MINUS || e.Op == syntax.SLASHSLASH || e.Op == syntax.AMP || e.Op == syntax.GTGT
	}
	return false
}

// comprehension meters a list or a dict that is made in loops.
func (m *metering) comprehension(e *syntax.Comprehension) syntax.Expr {
	if flags, decides := m.elements[e]; decides {
		e.Body = m.decided(e.Body, flags)
	} else {
		e.Body = m.expr(e.Body)
	}
	m.clauses(e)
	if e.Curly {
		return call("dict made", e.Lbrack, e)
	}
	return e
}

// clauses meters the loops and conditions of a comprehension.
func (m *metering) clauses(e *syntax.Comprehension) {
	for _, c := range e.Clauses {
		switch c := c.(type) {
		case *syntax.ForClause:
			m.target(c.Vars)
			c.X = m.expr(c.X)
		case *syntax.IfClause:
			c.Cond = m.condition(c.Cond)
		}
	}
}

// filtered is the one argument of choose, if it is [x for v in options if condition], and otherwise nil.
func filtered(args []syntax.Expr) *syntax.Comprehension {
	if len(args) != 1 {
		return nil
	}
	c, is := args[0].(*syntax.Comprehension)
	if !is || c.Curly || len(c.Clauses) < 2 {
		return nil
	}
	names, several := c.Clauses[0].(*syntax.ForClause).Vars, []syntax.Expr(nil)
	switch v := unparen(names).(type) {
	case *syntax.Ident:
		several = []syntax.Expr{v}
	case *syntax.TupleExpr:
		several = v.List
	}
	seen := map[string]bool{}
	for _, e := range several {
		v, named := e.(*syntax.Ident)
		if !named || seen[v.Name] {
			return nil
		}
		seen[v.Name] = true
	}
	for _, clause := range c.Clauses[1:] {
		if _, is := clause.(*syntax.IfClause); !is {
			return nil
		}
	}
	return c
}

func unparen(e syntax.Expr) syntax.Expr {
	for {
		p, is := e.(*syntax.ParenExpr)
		if !is {
			return e
		}
		e = p.X
	}
}

// chosenIf makes choose([x for v in options if condition]) choose among all options, and refuse the step where the
// condition fails. So each option looks at what its own condition reads, and not at what makes the whole list.
func (m *metering) chosenIf(f *syntax.Ident, c *syntax.Comprehension) syntax.Expr {
	of := c.Clauses[0].(*syntax.ForClause)
	names := []syntax.Expr{unparen(of.Vars)}
	if several, is := names[0].(*syntax.TupleExpr); is {
		names = several.List
	}
	function := func(body syntax.Expr, at syntax.Position) syntax.Expr {
		e := &syntax.LambdaExpr{Lambda: at, Body: body}
		for _, v := range names {
			e.Params = append(e.Params, copied(v))
		}
		return e
	}
	var holds syntax.Expr
	var at syntax.Position
	for _, clause := range c.Clauses[1:] {
		c := clause.(*syntax.IfClause)
		if cond := m.decided(c.Cond, ifFalse|tested); holds == nil {
			holds, at = cond, c.If
		} else {
			holds = &syntax.BinaryExpr{X: holds, OpPos: c.If, Op: syntax.AND, Y: cond}
		}
	}
	options := m.expr(of.X)
	return call("choose if", f.NamePos, options, function(holds, at), function(m.expr(c.Body), c.Lbrack))
}

// condition meters an expression that is used as a condition.
func (m *metering) condition(e syntax.Expr) syntax.Expr {
	if !m.machine || !m.partOfState(e) {
		return m.expr(e)
	}
	start, _ := e.Span()
	return call("is true", start, m.lazy(e))
}

// returned meters what a function returns.
func (m *metering) returned(e syntax.Expr) syntax.Expr {
	if e == nil || !m.machine {
		return m.expr(e)
	}
	return m.decided(e, eitherWay)
}

// call meters the arguments of a call, and moves its position to the function's name,
// where people look for it.
func (m *metering) call(e *syntax.CallExpr) {
	switch fn := e.Fn.(type) {
	case *syntax.Ident:
		e.Lparen = fn.NamePos
	case *syntax.DotExpr:
		e.Lparen = fn.Dot
	}
	method, ok := e.Fn.(*syntax.DotExpr)
	value := m.expr
	if ok && method.Name.Name == "push" {
		value = m.lazy
	}
	e.Fn = m.expr(e.Fn)
	for i, arg := range e.Args {
		switch arg := arg.(type) {
		case *syntax.BinaryExpr:
			if arg.Op == syntax.EQ { // name=value
				m.anyInitial(e.Fn, arg)
				arg.Y = value(arg.Y)
				continue
			}
		case *syntax.UnaryExpr:
			if arg.Op == syntax.STAR || arg.Op == syntax.STARSTAR {
				arg.X = call("a copy", arg.OpPos, m.expr(arg.X))
				continue
			}
		}
		if f, named := e.Fn.(*syntax.Ident); named && f.Name == "when" && m.machine && i == 0 {
			e.Args[i] = m.decided(arg, ifFalse|tested)
			continue
		}
		e.Args[i] = value(arg)
	}
}

// anyInitial makes init = any(...), in the declaration of a variable, what says that it begins with any of several values.
func (m *metering) anyInitial(fn syntax.Expr, arg *syntax.BinaryExpr) {
	f, named := fn.(*syntax.Ident)
	of, called := arg.Y.(*syntax.CallExpr)
	if !m.machine || !named || f.Name != "var" && f.Name != "fifo" || arg.X.(*syntax.Ident).Name != "init" || !called {
		return
	}
	if g, is := of.Fn.(*syntax.Ident); is && g.Name == "any" {
		g.Name = "init any"
	}
}

// positional reports whether arguments are neither named nor spread.
func positional(args []syntax.Expr) bool {
	return !slices.ContainsFunc(args, func(arg syntax.Expr) bool {
		switch arg := arg.(type) {
		case *syntax.BinaryExpr:
			return arg.Op == syntax.EQ
		case *syntax.UnaryExpr:
			return arg.Op == syntax.STAR || arg.Op == syntax.STARSTAR
		}
		return false
	})
}

// partOfState reports whether an expression can be a part of the state: x.name or x[i], or a name that holds one.
func (m *metering) partOfState(e syntax.Expr) bool {
	switch e := e.(type) {
	case *syntax.Ident:
		return m.numbers[e.Name]
	case *syntax.ParenExpr:
		return m.partOfState(e.X)
	case *syntax.DotExpr:
		return !costly(e.Name.Name)
	case *syntax.IndexExpr:
		return true
	}
	return false
}

// compared returns the metered form of one side of a comparison.
func (m *metering) compared(e syntax.Expr) syntax.Expr {
	if p, ok := e.(*syntax.ParenExpr); ok {
		return m.compared(p.X)
	}
	if b, ok := e.(*syntax.BinaryExpr); ok && m.machine && sumOfCounts(b) {
		return call("count + count", b.OpPos, m.compared(b.X), m.compared(b.Y))
	}
	c, ok := e.(*syntax.CallExpr)
	if !ok || !m.isCount(e) {
		return m.lazy(e)
	}
	m.call(c)
	c.Fn.(*syntax.Ident).Name = "lazy " + c.Fn.(*syntax.Ident).Name
	return c
}

// isCount reports whether an expression is a count, a sum of counts, or len of what can be a
// FIFO of the state.
func (m *metering) isCount(e syntax.Expr) bool {
	call, ok := e.(*syntax.CallExpr)
	if !ok {
		return sumOfCounts(e)
	}
	name, ok := call.Fn.(*syntax.Ident)
	return ok && (name.Name == "count" || name.Name == "len" && len(call.Args) == 1 && m.partOfState(call.Args[0]))
}

// sumOfCounts reports whether an expression is a call of count, or a sum of them.
func sumOfCounts(e syntax.Expr) bool {
	switch e := e.(type) {
	case *syntax.ParenExpr:
		return sumOfCounts(e.X)
	case *syntax.BinaryExpr:
		return e.Op == syntax.PLUS && sumOfCounts(e.X) && sumOfCounts(e.Y)
	case *syntax.CallExpr:
		name, ok := e.Fn.(*syntax.Ident)
		return ok && name.Name == "count"
	}
	return false
}

// sums are the functions that compute with parts of the state without looking at them.
var sums = map[syntax.Token]string{syntax.PLUS: "x + y", syntax.MINUS: "x - y", syntax.STAR: "x * y",
	syntax.SLASHSLASH: "x // y", syntax.PERCENT: "x % y"}

// augmented are the operators of assignments that do so.
var augmented = map[syntax.Token]syntax.Token{syntax.PLUS_EQ: syntax.PLUS, syntax.MINUS_EQ: syntax.MINUS,
	syntax.STAR_EQ: syntax.STAR, syntax.SLASHSLASH_EQ: syntax.SLASHSLASH, syntax.PERCENT_EQ: syntax.PERCENT}

// sumOfState reports whether an expression can be a sum, a difference, a product, a quotient, a remainder, a minimum or
// a maximum with a part of the state.
func (m *metering) sumOfState(e syntax.Expr) bool {
	summand := func(e syntax.Expr) bool { return m.partOfState(e) || m.sumOfState(e) }
	switch e := e.(type) {
	case *syntax.ParenExpr:
		return m.sumOfState(e.X)
	case *syntax.BinaryExpr:
		if text, is := unparen(e.X).(*syntax.Literal); is && text.Token != syntax.INT {
			return false
		}
		return sums[e.Op] != "" && (summand(e.X) || summand(e.Y))
	case *syntax.CallExpr:
		return slices.ContainsFunc(m.extremeOf(e), summand)
	case *syntax.CondExpr:
		return m.sumOfState(e.True) || m.sumOfState(e.False)
	}
	return false
}

// extremeOf returns the arguments of min or max, or the elements of the list that is its one argument.
func (m *metering) extremeOf(e *syntax.CallExpr) []syntax.Expr {
	f, named := e.Fn.(*syntax.Ident)
	if !named || f.Name != "min" && f.Name != "max" || m.own[f.Name] || !positional(e.Args) {
		return nil
	}
	if len(e.Args) == 1 {
		switch of := unparen(e.Args[0]).(type) {
		case *syntax.ListExpr:
			return of.List
		case *syntax.Comprehension:
			if !of.Curly {
				return []syntax.Expr{of.Body}
			}
		}
		return nil
	}
	return e.Args
}

// extreme returns the metered form of min or max of what extremeOf returns.
func (m *metering) extreme(e *syntax.CallExpr) syntax.Expr {
	if len(e.Args) > 1 {
		for i, arg := range e.Args {
			e.Args[i] = m.lazy(arg)
		}
	} else {
		switch of := unparen(e.Args[0]).(type) {
		case *syntax.ListExpr:
			for i, x := range of.List {
				of.List[i] = m.lazy(x)
			}
		case *syntax.Comprehension:
			body := m.lazy(of.Body)
			m.clauses(of)
			of.Body = body
		}
	}
	f := e.Fn.(*syntax.Ident)
	return call("lazy "+f.Name, f.NamePos, e.Args...)
}

// numberNames returns the local names of a function that are assigned what sumOfState reports, such as a total that a
// loop adds up, and are bound by nothing but assignments. They may hold a number of the state that was not read: the
// metered tree reads it wherever it is not computed with, compared, or assigned to the state.
func (m *metering) numberNames(f *syntax.DefStmt) map[string]bool {
	type assigned struct {
		name string
		sum  bool // to itself
		e    syntax.Expr
	}
	var all []assigned
	other := map[string]bool{}
	var bind func(to, from syntax.Expr)
	bind = func(to, from syntax.Expr) {
		switch to := unparen(to).(type) {
		case *syntax.Ident:
			if from == nil {
				other[to.Name] = true
			} else {
				all = append(all, assigned{to.Name, false, from})
			}
		case *syntax.BinaryExpr: // a parameter with a default
			bind(to.X, nil)
		case *syntax.UnaryExpr: // *args
			if to.X != nil {
				bind(to.X, nil)
			}
		case *syntax.ListExpr:
			for _, x := range to.List {
				bind(x, nil)
			}
		case *syntax.TupleExpr:
			each, paired := from.(*syntax.TupleExpr)
			for i, x := range to.List {
				if paired && len(each.List) == len(to.List) {
					bind(x, each.List[i])
				} else {
					bind(x, nil)
				}
			}
		}
	}
	syntax.Walk(f, func(n syntax.Node) bool {
		var bound []syntax.Expr
		switch n := n.(type) {
		case *syntax.AssignStmt:
			x, named := n.LHS.(*syntax.Ident)
			switch {
			case n.Op == syntax.EQ:
				bind(n.LHS, n.RHS)
			case named && augmented[n.Op] != 0:
				all = append(all, assigned{x.Name, true, n.RHS})
			default:
				bound = []syntax.Expr{n.LHS}
			}
		case *syntax.DefStmt:
			bound = append([]syntax.Expr{n.Name}, n.Params...)
		case *syntax.LambdaExpr:
			bound = n.Params
		case *syntax.ForStmt:
			bound = []syntax.Expr{n.Vars}
		case *syntax.ForClause:
			bound = []syntax.Expr{n.Vars}
		}
		for _, x := range bound {
			bind(x, nil)
		}
		return true
	})
	around := m.numbers
	defer func() { m.numbers = around }()
	m.numbers = map[string]bool{}
	for more := true; more; {
		more = false
		for _, a := range all {
			if !other[a.name] && !m.numbers[a.name] && (m.sumOfState(a.e) || a.sum && m.partOfState(a.e)) {
				m.numbers[a.name], more = true, true
			}
		}
	}
	return m.numbers
}

// lazy returns the metered form of e, which does not look at a part of the state.
func (m *metering) lazy(e syntax.Expr) syntax.Expr {
	if p, ok := e.(*syntax.ParenExpr); ok {
		return m.lazy(p.X)
	}
	if m.machine && m.sumOfState(e) {
		switch e := e.(type) {
		case *syntax.BinaryExpr:
			return call(sums[e.Op], e.OpPos, m.lazy(e.X), m.lazy(e.Y))
		case *syntax.CallExpr:
			return m.extreme(e)
		case *syntax.CondExpr:
			e.Cond, e.True, e.False = m.condition(e.Cond), m.lazy(e.True), m.lazy(e.False)
			return e
		}
	}
	if !m.machine || !m.partOfState(e) {
		return m.expr(e)
	}
	return m.unread(e)
}

// unread returns the metered form of a part of the state, which does not look at it.
func (m *metering) unread(e syntax.Expr) syntax.Expr {
	switch e := e.(type) {
	case *syntax.DotExpr:
		name := &syntax.Literal{Token: syntax.STRING, TokenPos: e.Dot, Raw: e.Name.Name, Value: e.Name.Name}
		return call(".", e.Dot, m.expr(e.X), name)
	case *syntax.IndexExpr:
		return call("[]", e.Lbrack, m.expr(e.X), m.expr(e.Y))
	case *syntax.Ident:
		return e
	}
	return m.expr(e)
}

// moved returns the metered form of what is assigned to x. Only the state has fields
// that can be assigned, and arrays among its fields: a list of the file's own gets no
// cell.
func (m *metering) moved(x, e syntax.Expr) syntax.Expr {
	to, several := x.(*syntax.TupleExpr)
	from, also := e.(*syntax.TupleExpr)
	if several && also && len(to.List) == len(from.List) {
		for i := range from.List {
			from.List[i] = m.moved(to.List[i], from.List[i])
		}
		return from
	}
	for {
		if p, ok := x.(*syntax.ParenExpr); ok {
			x = p.X
		} else if i, ok := x.(*syntax.IndexExpr); ok {
			x = i.X
		} else {
			break
		}
	}
	if _, ok := x.(*syntax.DotExpr); ok || m.isNumber(x) {
		return m.lazy(e)
	}
	return m.expr(e)
}

// isNumber reports whether an expression is a local name that may hold an unread number of the state.
func (m *metering) isNumber(e syntax.Expr) bool {
	x, named := e.(*syntax.Ident)
	return named && m.numbers[x.Name]
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
		e.X, e.Y = m.expr(e.X), m.key(e.Y, e.Lbrack)
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

// when refuses uses of when that cannot be meant.
func (m *metering) when(e *syntax.CallExpr) {
	if e != m.discarded {
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

// localNames are the names within a function that stand for parts of the state.
type localNames struct {
	state  string          // the parameter
	locals map[string]bool // wherever they are assigned
}

// stateNames returns the names that, within a function, stand for parts of its first parameter,
// the state, wherever they are assigned: m = s.q.pop(), x = s.at[i].
func stateNames(f *syntax.DefStmt) map[string]bool {
	if len(f.Params) == 0 {
		return nil
	}
	state, _ := f.Params[0].(*syntax.Ident)
	if state == nil {
		return nil
	}
	names := localNames{state.Name, map[string]bool{}}
	syntax.Walk(f, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.AssignStmt:
			if n.Op == syntax.EQ {
				names.bind(n.LHS, n.RHS)
			} else {
				names.bind(n.LHS, nil)
			}
		case *syntax.DefStmt:
			names.bindAll(n.Params)
		case *syntax.LambdaExpr:
			names.bindAll(n.Params)
		case *syntax.ForStmt:
			names.bind(n.Vars, n.X)
		case *syntax.ForClause:
			names.bind(n.Vars, n.X)
		}
		return true
	})
	return names.locals
}

// bind notes that an expression, nil if it is not known, is assigned to names.
func (n *localNames) bind(to, from syntax.Expr) {
	switch to := to.(type) {
	case *syntax.Ident:
		before, met := n.locals[to.Name]
		n.locals[to.Name] = from != nil && n.isPartOfState(from) && (before || !met)
	case *syntax.ParenExpr:
		n.bind(to.X, from)
	case *syntax.TupleExpr:
		each, paired := from.(*syntax.TupleExpr)
		for i, x := range to.List {
			if paired && i < len(each.List) {
				n.bind(x, each.List[i])
			} else {
				n.bind(x, nil)
			}
		}
	case *syntax.ListExpr:
		n.bindAll(to.List)
	case *syntax.BinaryExpr: // a parameter with a default
		n.bind(to.X, nil)
	}
}

func (n *localNames) bindAll(to []syntax.Expr) {
	for _, x := range to {
		n.bind(x, nil)
	}
}

// isPartOfState reports whether an expression is a part of the state.
func (n *localNames) isPartOfState(e syntax.Expr) bool {
	for {
		switch x := e.(type) {
		case *syntax.ParenExpr:
			e = x.X
		case *syntax.DotExpr:
			e = x.X
		case *syntax.IndexExpr:
			e = x.X
		case *syntax.CallExpr:
			method, ok := x.Fn.(*syntax.DotExpr)
			if !ok || method.Name.Name != "pop" && method.Name.Name != "take" {
				return false
			}
			e = method.X
		case *syntax.Ident:
			return x.Name == n.state || n.locals[x.Name]
		default:
			return false
		}
	}
}
