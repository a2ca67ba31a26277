package machines

import (
	"maps"
	"slices"

	"go.starlark.net/syntax"

	"github.com/seed-105a2da2/unknot/checker/parameterized/symbolic"
)

// truth returns the truth value of v.
func (r *reader) truth(v value, at syntax.Position) *symbolic.Term {
	switch v := v.(type) {
	case *symbolic.Term:
		if v.IsTruth() {
			return v
		}
	case tuple:
		return symbolic.Truth(len(v) > 0)
	case list:
		return symbolic.Truth(len(v) > 0)
	case *comprehension:
		return r.some(v)
	}
	r.Refuse(at, "the truth of something else than a truth value or a list, which is not read for all sizes")
	return nil
}

// some and all say of which elements of a comprehension something is true.
func (r *reader) some(c *comprehension) *symbolic.Term {
	t := c.cond
	for _, b := range slices.Backward(c.names) {
		t = symbolic.Exists(b.name, b.of.lo, b.of.hi, t)
	}
	return t
}

func (r *reader) all(c *comprehension, says *symbolic.Term) *symbolic.Term {
	t := symbolic.Implies(c.cond, says)
	for _, b := range slices.Backward(c.names) {
		t = symbolic.Every(b.name, b.of.lo, b.of.hi, t)
	}
	return t
}

// mostNumber bounds the numbers of a file, so that what is made of them fits into an int.
const mostNumber = 1 << 20

func isLarge(t *symbolic.Term) bool { return t.IsNumber() && (t.N > mostNumber || t.N < -mostNumber) }

func (r *reader) Expr(e syntax.Expr) value {
	r.Step(symbolic.Start(e))
	const mostSize = 20_000
	v := r.valueOf(e)
	t, ok := v.(*symbolic.Term)
	switch {
	case ok && t.Size() > mostSize:
		r.Refuse(symbolic.Start(e), "a value that is too long to be read for all sizes")
	case ok && t.Contains(isLarge):
		r.Refuse(symbolic.Start(e), "a number beyond %d, which is not read for all sizes", mostNumber)
	case ok && t.IsNumber():
		r.Meet(t.N)
	}
	return v
}

func (r *reader) valueOf(e syntax.Expr) value {
	at := symbolic.Start(e)
	switch e := e.(type) {
	case *syntax.ParenExpr:
		return r.Expr(e.X)
	case *syntax.Literal:
		switch v := e.Value.(type) {
		case string:
			return r.code(v)
		case int64:
			if v > -mostNumber && v < mostNumber {
				return symbolic.Number(int(v))
			}
		}
	case *syntax.Ident:
		return r.lookup(e.Name, at)
	case *syntax.UnaryExpr:
		switch e.Op {
		case syntax.NOT:
			return symbolic.Not(r.truth(r.Expr(e.X), at))
		case syntax.MINUS:
			return symbolic.Times(-1, r.number(r.Expr(e.X), at))
		}
	case *syntax.BinaryExpr:
		if e.Op == syntax.AND || e.Op == syntax.OR {
			return r.connect(e)
		}
		return r.binary(e.Op, r.Expr(e.X), r.Expr(e.Y), at)
	case *syntax.CondExpr:
		return r.conditional(e)
	case *syntax.TupleExpr:
		return tuple(symbolic.Exprs(r, e.List))
	case *syntax.ListExpr:
		return list(symbolic.Exprs(r, e.List))
	case *syntax.Comprehension:
		return r.comprehension(e)
	case *syntax.LambdaExpr:
		f := &function{name: "lambda", params: r.params(e.Params), result: e.Body, own: map[string]bool{}}
		if len(r.called) > 0 || r.comprehended > 0 {
			f.local = r.local
		}
		if n := len(r.called); n > 0 {
			f.own = r.called[n-1].own
		}
		return f
	case *syntax.CallExpr:
		return r.call(e)
	case *syntax.DotExpr:
		return r.attribute(r.Expr(e.X), e.Name.Name, at)
	case *syntax.IndexExpr:
		return r.index(r.Expr(e.X), r.Expr(e.Y), at)
	}
	r.Refuse(at, "an expression that is not read for all sizes")
	return nil
}

func (r *reader) number(v value, at syntax.Position) *symbolic.Term {
	if t, ok := v.(*symbolic.Term); ok && r.kindOf(t) == numbers {
		if canBeNone(t) && (t.Op == symbolic.OpRead || t.Op == symbolic.OpCases) {
			r.owe(at, "None where a number is needed", symbolic.AtMost(symbolic.Number(0), t))
		}
		return t
	}
	r.Refuse(at, "want a number")
	return nil
}

// canBeNegative reports whether a number can be below 0, where None is among the values of variables.
func (r *reader) canBeNegative(t *symbolic.Term) bool {
	switch t.Op {
	case symbolic.OpRead, symbolic.OpText:
		return false
	case symbolic.OpNumber:
		return t.N < 0
	case symbolic.OpName:
		lo := r.ranges[t.Name].lo
		return t.Name != r.m.Size && (lo == nil || !lo.IsNumber() || lo.N < 0)
	case symbolic.OpAdd:
		return r.canBeNegative(t.Args[0]) || r.canBeNegative(t.Args[1])
	case symbolic.OpCases:
		return r.canBeNegative(t.Args[1]) || r.canBeNegative(t.Args[2])
	}
	return true
}

// canBeNone reports whether a term has None, or reads what may be None or the place of a FIFO without a message.
func canBeNone(t *symbolic.Term) bool {
	return t.Contains(func(u *symbolic.Term) bool {
		v := variableOf(u)
		return u == none || u == absent || v != nil && (v.domain.optional || v.domain.absent)
	})
}

// notNegative says that a term is None, or no number below 0.
func (r *reader) notNegative(t *symbolic.Term) *symbolic.Term {
	switch {
	case !r.canBeNegative(t):
		return symbolic.Truth(true)
	case t.Op == symbolic.OpCases:
		return symbolic.Cases(t.Args[0], r.notNegative(t.Args[1]), r.notNegative(t.Args[2]))
	}
	return symbolic.AtMost(symbolic.Number(0), t)
}

func (r *reader) constant(v value, at syntax.Position) int {
	t := r.number(v, at)
	if !t.IsNumber() {
		r.Refuse(at, "want a number that does not depend on the size")
	}
	return t.N
}

func (r *reader) lookup(name string, at syntax.Position) value {
	if v, ok := r.local[name]; ok {
		return v
	}
	if n := len(r.called); n > 0 && r.called[n-1].own[name] {
		r.fault(at, "a name that was not assigned")
	}
	if v, ok := r.globals[name]; ok {
		return v
	}
	switch name {
	case "True", "False":
		return symbolic.Truth(name == "True")
	case "None":
		return none
	case "bool":
		return truthValues{}
	}
	if r.Globals[name] {
		r.Refuse(at, "%s, which has no value here", name)
	}
	return builtin(name)
}

// connect reads and, or: the second operand counts only if the first does not decide.
func (r *reader) connect(e *syntax.BinaryExpr) value {
	a := r.operand(e.X)
	if a.IsTrue() && e.Op == syntax.OR || a.IsFalse() && e.Op == syntax.AND {
		return a
	}
	needed := a
	if e.Op == syntax.OR {
		needed = symbolic.Not(a)
	}
	var b *symbolic.Term
	r.under(needed, func() { b = r.operand(e.Y) })
	if e.Op == syntax.OR {
		return symbolic.Or(a, b)
	}
	return symbolic.And(a, b)
}

// operand reads an operand of and, or, which returns one of them: it must be a truth value.
func (r *reader) operand(e syntax.Expr) *symbolic.Term {
	if t, ok := r.Expr(e).(*symbolic.Term); ok && t.IsTruth() {
		return t
	}
	r.Refuse(symbolic.Start(e), "an operand of and, or that is no truth value, which is not read for all sizes")
	return nil
}

func (r *reader) under(cond *symbolic.Term, f func()) {
	depth := len(r.guard)
	if !cond.IsTrue() {
		r.guard = append(r.guard, cond)
		r.note(cond)
	}
	f()
	r.guard = r.guard[:depth]
}

func (r *reader) conditional(e *syntax.CondExpr) value {
	cond := r.truth(r.Expr(e.Cond), symbolic.Start(e.Cond))
	if !r.bySize(cond) && len(r.guard) == 0 || cond.IsTrue() || cond.IsFalse() {
		if r.decide(cond, symbolic.Start(e.Cond)) {
			return r.Expr(e.True)
		}
		return r.Expr(e.False)
	}
	var a, b value
	r.under(cond, func() { a = r.Expr(e.True) })
	r.under(symbolic.Not(cond), func() { b = r.Expr(e.False) })
	x, ok := a.(*symbolic.Term)
	y, also := b.(*symbolic.Term)
	switch {
	case !ok || !also:
		return &choice{cond, a, b}
	case r.kindOf(x) != r.kindOf(y):
		r.Refuse(symbolic.Start(e), "values of two kinds, for some participants each, which is not read for all sizes")
	case !x.IsTruth() && (canBeNone(x) || canBeNone(y)) && (r.canBeNegative(x) || r.canBeNegative(y)):
		r.Refuse(symbolic.Start(e), "None or a number that could be below 0, which is not read for all sizes")
	case cond.IsQuantified() && !x.IsTruth():
		r.Refuse(symbolic.Start(e), "a value that depends on all participants, for each participant")
	}
	return symbolic.Cases(cond, x, y)
}

func (r *reader) binary(op syntax.Token, a, b value, at syntax.Position) value {
	if c, is := a.(*counted); is {
		return r.compareCount(op, c.of, r.number(b, at), at)
	}
	if c, is := b.(*counted); is {
		turned := map[syntax.Token]syntax.Token{
			syntax.LT: syntax.GT, syntax.GT: syntax.LT, syntax.LE: syntax.GE, syntax.GE: syntax.LE,
			syntax.EQL: syntax.EQL, syntax.NEQ: syntax.NEQ,
		}
		return r.compareCount(turned[op], c.of, r.number(a, at), at)
	}
	switch op {
	case syntax.EQL:
		return r.equal(a, b, at)
	case syntax.NEQ:
		return symbolic.Not(r.equal(a, b, at))
	case syntax.IN, syntax.NOT_IN:
		t := r.member(a, b, at)
		if op == syntax.NOT_IN {
			t = symbolic.Not(t)
		}
		return t
	}
	if x, is := a.(list); is && op == syntax.PLUS {
		if y, also := b.(list); also {
			return slices.Concat(x, y)
		}
		r.Refuse(at, "a sum of a list and something else")
	}
	x, y := r.number(a, at), r.number(b, at)
	switch op {
	case syntax.PLUS, syntax.MINUS:
		r.Reader.MeetCompared(x, y)
	case syntax.LT, syntax.LE, syntax.GT, syntax.GE, syntax.PERCENT:
		r.MeetCompared(x, y)
	}
	switch op {
	case syntax.LT:
		return symbolic.Less(x, y)
	case syntax.LE:
		return symbolic.AtMost(x, y)
	case syntax.GT:
		return symbolic.Less(y, x)
	case syntax.GE:
		return symbolic.AtMost(y, x)
	case syntax.PLUS:
		return symbolic.Plus(x, 1, y)
	case syntax.MINUS:
		return symbolic.Plus(x, -1, y)
	case syntax.STAR:
		if x.IsNumber() {
			return symbolic.Times(x.N, y)
		}
		if y.IsNumber() {
			return symbolic.Times(y.N, x)
		}
		r.Refuse(at, "a product of two numbers that depend on the size or the state")
	case syntax.PERCENT:
		if !y.IsNumber() || y.N > 0 {
			r.owe(at, "a remainder of a negative number, or of one that is at least twice as large",
				symbolic.And(symbolic.AtMost(symbolic.Number(0), x), symbolic.Less(x, symbolic.Times(2, y))))
			return symbolic.Cases(symbolic.Less(x, y), x, symbolic.Plus(x, -1, y))
		}
	}
	r.Refuse(at, "an operation that is not read for all sizes")
	return nil
}

func (r *reader) equal(a, b value, at syntax.Position) *symbolic.Term {
	switch x := a.(type) {
	case *symbolic.Term:
		if y, ok := b.(*symbolic.Term); ok {
			k, l := r.kindOf(x), r.kindOf(y)
			if k != l && k != 0 && l != 0 || (k == truths) != (l == truths) {
				r.Refuse(at, "a comparison of a number, a text or a truth value with something of another kind")
			}
			if a, b := origins(nil, x), origins(nil, y); k == texts && l == texts && !(canMeet(a, b) && canMeet(b, a)) {
				r.Refuse(at, "a comparison of texts one of which the other never is, which is not read for all sizes")
			}
			same := symbolic.Equal(x, y)
			if k == numbers && l == numbers {
				r.MeetCompared(x, y)
			} else {
				r.noteBoth(same)
			}
			if k != truths && (canBeNone(x) || canBeNone(y)) { // a number below 0 is not None
				if r.canBeNegative(x) && r.canBeNegative(y) {
					r.Refuse(at, "a comparison of None with numbers that could be below 0, which is not read for all sizes")
				}
				same = symbolic.And(same, r.notNegative(x), r.notNegative(y))
			}
			return same
		}
	case tuple:
		if y, ok := b.(tuple); ok && len(x) == len(y) {
			var same []*symbolic.Term
			for i := range x {
				same = append(same, r.equal(x[i], y[i], at))
			}
			return symbolic.And(same...)
		}
	}
	r.Refuse(at, "a comparison that is not read for all sizes")
	return nil
}

// canMeet reports whether each text in x, and some of those of each variable in x, are among those of each variable in
// y. A file that compares others is wrong where it gets there, which formulas do not say.
func canMeet(x, y []*symbolic.Term) bool {
	for _, a := range x {
		for _, b := range y {
			texts := []*symbolic.Term{a}
			if a.Op == symbolic.OpRead {
				texts = variableOf(a).domain.codes
			}
			if b.Op == symbolic.OpRead && a != none && a != absent && !slices.ContainsFunc(texts, func(c *symbolic.Term) bool {
				return c.N >= 0 && slices.ContainsFunc(variableOf(b).domain.codes, c.Same)
			}) {
				return false
			}
		}
	}
	return true
}

// origins adds the texts and the variables that a term of texts can come from, each once.
func origins(all []*symbolic.Term, t *symbolic.Term) []*symbolic.Term {
	switch {
	case t.Op == symbolic.OpCases:
		return origins(origins(all, t.Args[1]), t.Args[2])
	case slices.ContainsFunc(all, func(u *symbolic.Term) bool { return u.Op == t.Op && u.N == t.N && u.Of == t.Of }):
		return all
	}
	return append(all, t)
}

func (r *reader) member(a, b value, at syntax.Position) *symbolic.Term {
	switch of := b.(type) {
	case set:
		x := r.number(a, at)
		r.MeetCompared(of.lo, x)
		r.MeetCompared(x, of.hi)
		return symbolic.Within(x, of.lo, of.hi)
	case place:
		var any []*symbolic.Term
		for _, v := range of.of.places {
			any = append(any, r.equal(r.read(v, of.keys), a, at))
		}
		return symbolic.Or(any...)
	case *comprehension:
		c := r.eachOf(of)
		c.cond = symbolic.And(c.cond, r.equal(c.elem, a, at))
		return r.some(c)
	}
	var any []*symbolic.Term
	for _, elem := range r.Elems(b, at) {
		any = append(any, r.equal(a, elem, at))
	}
	return symbolic.Or(any...)
}

// length returns the number of elements of a set, which no size makes negative.
func (r *reader) length(of set, at syntax.Position) *symbolic.Term {
	n := symbolic.Plus(of.hi, -1, of.lo)
	least := n
	if !n.IsNumber() {
		least = n.Replace(map[string]*symbolic.Term{r.m.Size: symbolic.Number(r.m.Least)})
	}
	if least = r.evaluate(least); least == nil || least.N < 0 || r.evaluate(n.Replace(map[string]*symbolic.Term{
		r.m.Size: symbolic.Number(r.m.Least + 1)})).N < least.N {
		r.Refuse(at, "the length of a range that could be negative at some size")
	}
	return n
}

// evaluate returns the number that a term of numbers is; nil if it has names.
func (r *reader) evaluate(t *symbolic.Term) *symbolic.Term {
	if t.Contains(func(u *symbolic.Term) bool {
		return !u.IsNumber() && u.Op != symbolic.OpAdd && u.Op != symbolic.OpSub && u.Op != symbolic.OpMul
	}) {
		return nil
	}
	return symbolic.Number((&ground{m: r.m}).value(t, nil, nil))
}

// compareCount compares the number of elements with 0, 1 or the number of all.
func (r *reader) compareCount(op syntax.Token, of *comprehension, n *symbolic.Term, at syntax.Position) *symbolic.Term {
	if len(of.names) != 1 {
		r.Refuse(at, "the length of a list over pairs of participants")
	}
	all := r.length(of.names[0].of, at)
	r.MeetCompared(n, all)
	// atLeast says that there are as many: 0, 1, 2 or all of them.
	atLeast := func(n *symbolic.Term, off int) *symbolic.Term {
		n = symbolic.Plus(n, 1, symbolic.Number(off))
		a, b := r.eachOf(of), r.eachOf(of)
		switch d := symbolic.Plus(n, -1, all); {
		case d.IsNumber() && d.N > 0:
			return symbolic.Truth(false)
		case n.IsNumber() && n.N <= 0:
			return symbolic.Truth(true)
		case n.IsNumber() && n.N == 1:
			return r.some(a)
		case n.IsNumber() && n.N == 2:
			x, y := a.names[0], b.names[0]
			differ := symbolic.Not(symbolic.Equal(symbolic.Named(x.name), symbolic.Named(y.name)))
			other := symbolic.Exists(y.name, y.of.lo, y.of.hi, symbolic.And(b.cond, differ))
			return symbolic.Exists(x.name, x.of.lo, x.of.hi, symbolic.And(a.cond, other))
		case d.IsNumber() && d.N == 0:
			return r.all(&comprehension{a.names, symbolic.Truth(true), nil}, a.cond)
		}
		r.Refuse(at, "a number of participants that is compared with something else than 0, 1 or all of them")
		return nil
	}
	switch op {
	case syntax.GE:
		return atLeast(n, 0)
	case syntax.GT:
		return atLeast(n, 1)
	case syntax.LT:
		return symbolic.Not(atLeast(n, 0))
	case syntax.LE:
		return symbolic.Not(atLeast(n, 1))
	case syntax.EQL:
		return symbolic.And(atLeast(n, 0), symbolic.Not(atLeast(n, 1)))
	case syntax.NEQ:
		return symbolic.Not(symbolic.And(atLeast(n, 0), symbolic.Not(atLeast(n, 1))))
	}
	r.Refuse(at, "arithmetic with a number of participants")
	return nil
}

func (r *reader) comprehension(e *syntax.Comprehension) value {
	if e.Curly {
		r.Refuse(symbolic.Start(e), "a dict, which is not read for all sizes")
	}
	outer, depth, guards := r.local, len(r.scopes), len(r.guard)
	r.local = maps.Clone(outer)
	r.comprehended, r.pure = r.comprehended+1, r.pure+1
	defer func() {
		r.local, r.scopes, r.guard = outer, r.scopes[:depth], r.guard[:guards]
		r.comprehended, r.pure = r.comprehended-1, r.pure-1
	}()
	r.refuseUnbound(e)
	found := list{}
	var whole *comprehension
	var names []binder
	conds := symbolic.Truth(true)
	var clause func(i int)
	clause = func(i int) {
		if i == len(e.Clauses) {
			v := r.Expr(e.Body)
			if holdsFunction(v) {
				r.Refuse(symbolic.Start(e.Body), "a list of functions, which is not read for all sizes")
			}
			if whole != nil || len(names) > 0 && len(found) > 0 {
				r.Refuse(symbolic.Start(e), "a list with more than one element for each participant")
			}
			if len(names) == 0 {
				if !conds.IsTrue() {
					r.Refuse(symbolic.Start(e), "a list whose elements, known one by one, are in it for some participants")
				}
				found = append(found, v)
				return
			}
			whole = &comprehension{slices.Clone(names), conds, v}
			return
		}
		switch c := e.Clauses[i].(type) {
		case *syntax.IfClause:
			cond := r.truth(r.Expr(c.Cond), symbolic.Start(c.Cond))
			if len(names) == 0 && (cond.IsTrue() || cond.IsFalse() || len(r.guard) == 0 && !r.bySize(cond)) {
				if r.decide(cond, symbolic.Start(c.Cond)) {
					clause(i + 1)
				}
				return
			}
			before := conds
			conds = symbolic.And(conds, cond)
			r.under(cond, func() { clause(i + 1) })
			conds = before
		case *syntax.ForClause:
			over := r.Expr(c.X)
			if all := r.eachOf(over); all != nil {
				named, before := len(names), conds
				names, conds = append(names, all.names...), symbolic.And(conds, all.cond)
				r.scopes = append(r.scopes, all.names...)
				r.bindName(c.Vars, all.elem)
				r.under(all.cond, func() { clause(i + 1) })
				r.scopes, names, conds = r.scopes[:len(r.scopes)-len(all.names)], names[:named], before
				return
			}
			for _, v := range r.Elems(over, symbolic.Start(c.X)) {
				r.bindName(c.Vars, v)
				clause(i + 1)
			}
		}
	}
	clause(0)
	if whole != nil {
		return whole
	}
	return found
}

// refuseUnbound refuses a name of a comprehension that is read before it has a value there, even if a name around the
// comprehension is called alike.
func (r *reader) refuseUnbound(e *syntax.Comprehension) {
	unbound := map[string]bool{}
	bind := func(vars syntax.Expr, is bool) {
		symbolic.EachPlace(vars, func(to syntax.Expr) {
			if id, name := to.(*syntax.Ident); name {
				unbound[id.Name] = is
			}
		})
	}
	for _, c := range e.Clauses {
		if c, loops := c.(*syntax.ForClause); loops {
			bind(c.Vars, true)
		}
	}
	check := func(n syntax.Node) bool {
		if id, is := n.(*syntax.Ident); is && unbound[id.Name] {
			r.Refuse(id.NamePos, "%s before the comprehension gives it a value, which is not read for all sizes", id.Name)
		}
		return true
	}
	for i, c := range e.Clauses {
		switch c := c.(type) {
		case *syntax.IfClause:
			syntax.Walk(c.Cond, check)
		case *syntax.ForClause:
			if i > 0 { // the first list is read outside
				syntax.Walk(c.X, check)
			}
			bind(c.Vars, false)
		}
	}
}

func holdsFunction(v value) bool {
	switch v := v.(type) {
	case *function:
		return true
	case tuple:
		return slices.ContainsFunc(v, holdsFunction)
	case list:
		return slices.ContainsFunc(v, holdsFunction)
	}
	return false
}

// bindName binds the names of a comprehension, which are its own.
func (r *reader) bindName(to syntax.Expr, v value) {
	guard, loops := r.guard, r.loops
	r.guard, r.loops = nil, nil
	symbolic.Bind(r, to, v)
	r.guard, r.loops = guard, loops
}

func (r *reader) index(of, by value, at syntax.Position) value {
	switch of := of.(type) {
	case tuple, list:
		return symbolic.Element(r, r.Elems(of, at), r.constant(by, at), at)
	case array:
		return r.read(of.v, r.keys(of.v.name, of.v.keys, by, at))
	case *fifo:
		return place{of, r.keys(of.name, of.keys, by, at)}
	case place:
		if i := r.constant(by, at); i >= 0 && i < len(of.of.places) {
			v := r.read(of.of.places[i], of.keys)
			r.owe(at, "a place of a FIFO without a message", symbolic.Not(symbolic.Equal(v, absent)))
			return v
		}
	}
	r.Refuse(at, "an index that is not read for all sizes")
	return nil
}

func (r *reader) attribute(of value, name string, at syntax.Position) value {
	switch of := of.(type) {
	case stateValue:
		if f := r.fifos[name]; f != nil {
			if len(f.keys) == 0 {
				return place{f, nil}
			}
			return f
		}
		v := r.stateVariable(name, at)
		if len(v.keys) == 0 {
			return r.read(v, nil)
		}
		return array{v}
	case place:
		first, last := of.of.places[0], of.of.places[len(of.of.places)-1]
		switch name {
		case "head":
			v := r.read(first, of.keys)
			return symbolic.Cases(symbolic.Equal(v, absent), none, v)
		case "empty":
			return symbolic.Equal(r.read(first, of.keys), absent)
		case "full":
			return symbolic.Not(symbolic.Equal(r.read(last, of.keys), absent))
		}
		return method{Of: of, Name: name}
	}
	r.Refuse(at, ".%s is not read for all sizes", name)
	return nil
}

// arguments are those of a call.
type arguments = symbolic.Arguments

func (r *reader) call(e *syntax.CallExpr) value {
	at := symbolic.Start(e)
	f := r.Expr(e.Fn)
	a := symbolic.Call(r, e)
	var v value
	switch f := f.(type) {
	case *function:
		if len(a.Named) > 0 {
			r.Refuse(at, "a call with names of arguments, which is not read for all sizes")
		}
		return r.invoke(f, a.List, at)
	case method:
		a.Of = f.Name
		v = r.callFIFO(f, a)
	case builtin:
		a.Of = string(f)
		v = r.callBuiltin(string(f), a)
	default:
		r.Refuse(at, "a call that is not read for all sizes")
	}
	a.Done()
	return v
}

// invoke calls a function of the file.
func (r *reader) invoke(f *function, list []value, at syntax.Position) value {
	// Starlark takes all lambdas that one place makes for one function.
	if slices.ContainsFunc(r.called, func(g *function) bool { return g == f || f.result != nil && g.result == f.result }) {
		r.Refuse(at, "%s calls itself", f.name)
	}
	if len(list) != len(f.params) {
		r.Refuse(at, "%s with %d values, want %d", f.name, len(list), len(f.params))
	}
	local := map[string]value{}
	maps.Copy(local, f.local) // of a lambda
	for i, name := range f.params {
		local[name] = list[i]
	}
	outer, called, entry := r.local, r.called, r.entry
	r.local, r.called, r.entry = local, append(slices.Clone(called), f), len(r.guard)
	defer func() { r.local, r.called, r.entry = outer, called, entry }()
	if f.result != nil {
		return r.Expr(f.result)
	}
	if c, v := symbolic.Block(r, f.body); c == symbolic.Returns {
		return v
	}
	return none
}

func (r *reader) text(a *arguments, i int, name string) string {
	t, ok := a.Want(i, name).(*symbolic.Term)
	if !ok || t.Op != symbolic.OpText || t.N < 0 {
		r.Refuse(a.At, "%s: want a text for %s that does not depend on the size", a.Of, name)
	}
	return t.Name
}

// flag returns a truth value that does not depend on anything.
func (r *reader) flag(a *arguments, name string) bool {
	v := a.Take(-1, name)
	if v == nil {
		return false
	}
	t, ok := v.(*symbolic.Term)
	if !ok || !t.IsTrue() && !t.IsFalse() {
		r.Refuse(a.At, "%s: want True or False for %s", a.Of, name)
	}
	return t.IsTrue()
}
