package star

import (
	"slices"

	"go.starlark.net/syntax"
)

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
		if f, named := e.Fn.(*syntax.Ident); named && f.Name == "when" && m.machine {
			m.when(e)
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
	if name, ok := comparisons[e.Op]; ok && m.machine && (partOfState(e.X) || partOfState(e.Y) || isCount(e.X) || isCount(e.Y)) {
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
	for _, c := range e.Clauses {
		switch c := c.(type) {
		case *syntax.ForClause:
			m.target(c.Vars)
			c.X = m.expr(c.X)
		case *syntax.IfClause:
			c.Cond = m.condition(c.Cond)
		}
	}
	if e.Curly {
		return call("dict made", e.Lbrack, e)
	}
	return e
}

// condition meters an expression that is used as a condition.
func (m *metering) condition(e syntax.Expr) syntax.Expr {
	if !m.machine || !partOfState(e) {
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

// partOfState reports whether an expression can be a part of the state: x.name or x[i].
func partOfState(e syntax.Expr) bool {
	switch e := e.(type) {
	case *syntax.ParenExpr:
		return partOfState(e.X)
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
	if !ok || !isCount(e) {
		return m.lazy(e)
	}
	m.call(c)
	c.Fn.(*syntax.Ident).Name = "lazy " + c.Fn.(*syntax.Ident).Name
	return c
}

// isCount reports whether an expression is a count, a sum of counts, or len of what can be a
// FIFO of the state.
func isCount(e syntax.Expr) bool {
	call, ok := e.(*syntax.CallExpr)
	if !ok {
		return sumOfCounts(e)
	}
	name, ok := call.Fn.(*syntax.Ident)
	return ok && (name.Name == "count" || name.Name == "len" && len(call.Args) == 1 && partOfState(call.Args[0]))
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

// lazy returns the metered form of e, which does not look at a part of the state.
func (m *metering) lazy(e syntax.Expr) syntax.Expr {
	if p, ok := e.(*syntax.ParenExpr); ok {
		return m.lazy(p.X)
	}
	if b, ok := e.(*syntax.BinaryExpr); ok && m.machine && b.Op == syntax.PLUS && partOfState(b.X) && partOfState(b.Y) {
		return call("x + y", b.OpPos, m.lazy(b.X), m.lazy(b.Y))
	}
	if !m.machine || !partOfState(e) {
		return m.expr(e)
	}
	switch e := e.(type) {
	case *syntax.DotExpr:
		name := &syntax.Literal{Token: syntax.STRING, TokenPos: e.Dot, Raw: e.Name.Name, Value: e.Name.Name}
		return call(".", e.Dot, m.expr(e.X), name)
	case *syntax.IndexExpr:
		return call("[]", e.Lbrack, m.expr(e.X), m.expr(e.Y))
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
	if _, ok := x.(*syntax.DotExpr); ok {
		return m.lazy(e)
	}
	return m.expr(e)
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
