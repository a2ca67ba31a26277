package parameterized

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"go.starlark.net/syntax"
)

// truth returns the truth value of v.
func (r *reader) truth(v value, at syntax.Position) *term {
	switch v := v.(type) {
	case *term:
		if v.isTruth() {
			return v
		}
		return not(compare(opEqual, v, number(0)))
	case string:
		return truth(v != "")
	case none:
		return truth(false)
	case tuple:
		return truth(len(v) > 0)
	case *list:
		return truth(len(r.elems(v, at)) > 0)
	case linkValue:
		return r.f.links[v.link].guard.replace(r.hereIsPacket())
	case arrivedValue:
		return truth(true)
	}
	r.refuse(at, "the truth of a value that is not read for all sizes")
	return nil
}

// hereIsPacket renames the coordinates of where a channel begins to those of where a packet is.
func (r *reader) hereIsPacket() map[string]*term {
	by := map[string]*term{}
	for i := range r.shape {
		by[here(i)] = named(next(i))
	}
	return by
}

// mostNumber bounds the numbers of a file, so that what is made of them fits into an int.
const mostNumber = 1 << 20

func (r *reader) integer(v value, at syntax.Position) *term {
	if t, ok := v.(*term); ok && !t.isTruth() {
		return t
	}
	r.refuse(at, "want an integer")
	return nil
}

func (r *reader) constant(v value, at syntax.Position) int {
	t := r.integer(v, at)
	if !t.isNumber() {
		r.refuse(at, "want a number that does not depend on a size or a coordinate")
	}
	return t.n
}

func (r *reader) expr(e syntax.Expr) value {
	const mostElems = 100_000
	v := r.valueOf(e)
	r.step(start(e))
	long := false
	switch v := v.(type) {
	case *term:
		long = v.size > mostSize
	case string:
		long = len(v) > mostElems
	case tuple:
		long = len(v) > mostElems
	case *list:
		long = len(v.elems) > mostElems
	}
	if long {
		r.refuse(start(e), "a value that is too long to be read for all sizes")
	}
	return v
}

func (r *reader) valueOf(e syntax.Expr) value {
	at := start(e)
	switch e := e.(type) {
	case *syntax.ParenExpr:
		return r.expr(e.X)
	case *syntax.Literal:
		switch v := e.Value.(type) {
		case string:
			return v
		case int64:
			if v > -mostNumber && v < mostNumber {
				return number(int(v))
			}
		}
	case *syntax.Ident:
		return r.lookup(e.Name, at)
	case *syntax.UnaryExpr:
		switch e.Op {
		case syntax.NOT:
			return not(r.truth(r.expr(e.X), at))
		case syntax.MINUS:
			return times(-1, r.integer(r.expr(e.X), at))
		}
	case *syntax.BinaryExpr:
		if e.Op == syntax.AND || e.Op == syntax.OR {
			return r.connect(e)
		}
		return r.binary(e.Op, r.expr(e.X), r.expr(e.Y), at)
	case *syntax.CondExpr:
		return r.conditional(e)
	case *syntax.TupleExpr:
		return tuple(r.exprs(e.List))
	case *syntax.ListExpr:
		return r.newList(r.exprs(e.List))
	case *syntax.DictExpr:
		d := &dict{depth: len(r.vars), made: r.arrival}
		for _, x := range e.List {
			entry := x.(*syntax.DictEntry)
			key := r.expr(entry.Key)
			r.constantKey(key, start(x))
			if slices.ContainsFunc(d.keys, func(k value) bool { return r.equal(k, key).op == opTrue }) {
				r.refuse(start(x), "a key twice")
			}
			d.keys, d.values = append(d.keys, key), append(d.values, r.expr(entry.Value))
		}
		return d
	case *syntax.Comprehension:
		return r.comprehension(e)
	case *syntax.CallExpr:
		return r.call(e)
	case *syntax.DotExpr:
		return r.attribute(r.expr(e.X), e.Name.Name, at)
	case *syntax.IndexExpr:
		return r.index(r.expr(e.X), r.expr(e.Y), at)
	case *syntax.SliceExpr:
		return r.slice(e)
	}
	r.refuse(at, "an expression that is not read for all sizes")
	return nil
}

func (r *reader) exprs(es []syntax.Expr) (vs []value) {
	for _, e := range es {
		vs = append(vs, r.expr(e))
	}
	return vs
}

func (r *reader) lookup(name string, at syntax.Position) value {
	scopes := []map[string]value{r.local, r.globals}
	if n := len(r.called); n > 0 && r.called[n-1].locals[name] {
		scopes = scopes[:1]
	}
	for _, scope := range scopes {
		if v, ok := scope[name]; ok {
			if _, lost := v.(unknown); lost {
				r.refuse(at, "%s is assigned in a loop or branch over a size, so its value depends on the round", name)
			}
			return v
		}
	}
	if len(scopes) == 1 {
		r.owe(at, "a name that was not assigned", truth(false))
		return none{}
	}
	switch name {
	case "True", "False":
		return truth(name == "True")
	case "None":
		return none{}
	}
	return builtin(name)
}

// connect reads and, or: the second operand counts only if the first does not decide.
func (r *reader) connect(e *syntax.BinaryExpr) value {
	a := r.operand(e.X)
	if a.op == opTrue && e.Op == syntax.OR || a.op == opFalse && e.Op == syntax.AND {
		return a
	}
	needed := a
	if e.Op == syntax.OR {
		needed = not(a)
	}
	depth := len(r.guard)
	r.guard = append(r.guard, needed)
	r.second++
	b := r.operand(e.Y)
	r.second--
	r.guard = slices.Delete(r.guard, depth, depth+1) // what b decides stays
	if e.Op == syntax.OR {
		return or(a, b)
	}
	return and(a, b)
}

// operand reads an operand of and, or: a truth value or a port's link, as the value of others could be the result.
func (r *reader) operand(e syntax.Expr) *term {
	v := r.expr(e)
	switch t := v.(type) {
	case linkValue, arrivedValue:
		return r.truth(v, start(e))
	case *term:
		if t.isTruth() {
			return t
		}
	}
	r.refuse(start(e), "and, or of something else than truth values")
	return nil
}

func (r *reader) newList(elems []value) *list {
	return &list{elems: elems, depth: len(r.vars), made: r.arrival}
}

func (r *reader) conditional(e *syntax.CondExpr) value {
	cond := r.truth(r.expr(e.Cond), start(e.Cond))
	if r.arrival == nil && cond.op != opTrue && cond.op != opFalse {
		under := func(c *term, e syntax.Expr) *term {
			r.guard = append(r.guard, c)
			defer func() { r.guard = r.guard[:len(r.guard)-1] }()
			return r.integer(r.expr(e), start(e))
		}
		return cases(cond, under(cond, e.True), under(not(cond), e.False))
	}
	if r.decide(cond, start(e.Cond)) {
		return r.expr(e.True)
	}
	return r.expr(e.False)
}

func (r *reader) binary(op syntax.Token, a, b value, at syntax.Position) value {
	switch op {
	case syntax.EQL:
		return r.equal(a, b)
	case syntax.NEQ:
		return not(r.equal(a, b))
	case syntax.LT:
		return r.compareOrder(opLess, a, b, at)
	case syntax.LE:
		return r.compareOrder(opAtMost, a, b, at)
	case syntax.GT:
		return r.compareOrder(opLess, b, a, at)
	case syntax.GE:
		return r.compareOrder(opAtMost, b, a, at)
	case syntax.IN, syntax.NOT_IN:
		var any []*term
		for _, elem := range r.elems(b, at) {
			any = append(any, r.equal(elem, a))
		}
		if op == syntax.IN {
			return or(any...)
		}
		return not(or(any...))
	}
	switch x := a.(type) {
	case string:
		if y, ok := b.(string); ok && op == syntax.PLUS {
			return x + y
		}
		if op == syntax.PERCENT {
			return r.format(x, b, at)
		}
	case tuple:
		if y, ok := b.(tuple); ok && op == syntax.PLUS {
			return slices.Concat(x, y)
		}
	case *list:
		if y, ok := b.(*list); ok && op == syntax.PLUS {
			return r.newList(slices.Concat(r.elems(x, at), r.elems(y, at)))
		}
		if n, ok := b.(*term); ok && op == syntax.STAR && x.each == nil && n.isNumber() &&
			n.n < 1000 && len(x.elems)*n.n < 100_000 {
			return r.newList(slices.Repeat(r.elems(x, at), max(0, n.n)))
		}
	case *term:
		if y, ok := b.(*term); ok && !x.isTruth() && !y.isTruth() {
			return r.arithmetic(op, x, y, at)
		}
	}
	r.refuse(at, "an operation that is not read for all sizes")
	return nil
}

func (r *reader) arithmetic(op syntax.Token, a, b *term, at syntax.Position) *term {
	for _, t := range []*term{a, b} {
		if t.isNumber() && (t.n > mostNumber || t.n < -mostNumber) {
			r.refuse(at, "a number beyond %d", mostNumber)
		}
	}
	switch op {
	case syntax.PLUS:
		return plus(a, 1, b)
	case syntax.MINUS:
		return plus(a, -1, b)
	case syntax.STAR:
		if a.isNumber() {
			return times(a.n, b)
		}
		if b.isNumber() {
			return times(b.n, a)
		}
		r.refuse(at, "a product of two numbers that depend on sizes or coordinates")
	case syntax.SLASHSLASH:
		if b.isNumber() && b.n > 0 {
			return floor(a, b.n)
		}
		r.refuse(at, "a division by something else than a positive number")
	case syntax.PERCENT:
		if b.isNumber() && b.n > 0 {
			return plus(a, -b.n, floor(a, b.n))
		}
		r.owe(at, "a remainder of a number less than -"+b.String()+" or at least twice it",
			and(compare(opLess, number(0), b), compare(opAtMost, times(-1, b), a), compare(opLess, a, times(2, b))))
		return wrap(a, b)
	}
	r.refuse(at, "an operation that is not read for all sizes")
	return nil
}

// equal says whether two values are equal.
func (r *reader) equal(a, b value) *term {
	r.step(syntax.Position{})
	all := func(x, y []value) *term {
		if len(x) != len(y) {
			return truth(false)
		}
		var same []*term
		for i := range x {
			same = append(same, r.equal(x[i], y[i]))
		}
		return and(same...)
	}
	switch x := a.(type) {
	case *term:
		y, ok := b.(*term)
		switch {
		case ok && x.isTruth() && y.isTruth():
			return or(and(x, y), and(not(x), not(y)))
		case ok && !x.isTruth() && !y.isTruth():
			return compare(opEqual, x, y)
		case ok || isSimple(b):
			return truth(false)
		}
	case tuple:
		if y, ok := b.(tuple); ok {
			return all(x, y)
		}
		if isSimple(b) {
			return truth(false)
		}
	case nodeValue:
		if y, ok := b.(nodeValue); ok {
			var same []*term
			for i := range x.at {
				same = append(same, compare(opEqual, x.at[i], y.at[i]))
			}
			return and(same...)
		}
	case string, none:
		switch b.(type) {
		case string, none:
			return truth(x == b)
		case *term, tuple:
			return truth(false)
		case linkValue, arrivedValue, nodeValue:
			return r.equal(b, a)
		}
	case linkValue:
		if y, ok := b.(linkValue); ok && x == y {
			return truth(true)
		}
		if b == value(none{}) {
			return not(r.truth(x, r.at))
		}
	case arrivedValue:
		if b == value(none{}) {
			return truth(false)
		}
	}
	if _, is := a.(nodeValue); is && isSimple(b) {
		return truth(false)
	}
	r.refuse(r.at, "a comparison that is not read for all sizes")
	return nil
}

// isSimple reports whether a value equals none of another kind.
func isSimple(v value) bool {
	switch v.(type) {
	case string, none, *term, tuple:
		return true
	}
	return false
}

// compareOrder compares integers, or tuples in lexicographic order.
func (r *reader) compareOrder(op string, a, b value, at syntax.Position) *term {
	x, ok := a.(tuple)
	if !ok {
		return compare(op, r.integer(a, at), r.integer(b, at))
	}
	y, ok := b.(tuple)
	if !ok || len(x) != len(y) {
		r.refuse(at, "a comparison that is not read for all sizes")
	}
	if len(x) == 0 {
		return truth(op == opAtMost)
	}
	return or(r.compareOrder(opLess, x[0], y[0], at), and(r.equal(x[0], y[0]), r.compareOrder(op, x[1:], y[1:], at)))
}

// format writes numbers and texts into a text.
func (r *reader) format(format string, v value, at syntax.Position) string {
	args, ok := v.(tuple)
	if !ok {
		args = tuple{v}
	}
	var b strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' || i+1 == len(format) {
			b.WriteByte(format[i])
			continue
		}
		i++
		switch {
		case format[i] == '%':
			b.WriteByte('%')
			continue
		case len(args) == 0:
			r.refuse(at, "too few values for the format")
		case format[i] == 'd':
			b.WriteString(strconv.Itoa(r.constant(args[0], at)))
		case format[i] == 's':
			if text, ok := args[0].(string); ok {
				b.WriteString(text)
			} else {
				b.WriteString(strconv.Itoa(r.constant(args[0], at)))
			}
		default:
			r.refuse(at, "a format that is not read for all sizes")
		}
		args = args[1:]
	}
	if len(args) > 0 {
		r.refuse(at, "too many values for the format")
	}
	return b.String()
}

func (r *reader) comprehension(e *syntax.Comprehension) value {
	outer := r.local
	r.local = maps.Clone(outer)
	defer func() { r.local = outer }()
	depth := len(r.vars)
	var keys, values []value
	var element *each
	var clause func(i int)
	clause = func(i int) {
		if i == len(e.Clauses) {
			var key value
			body := e.Body
			if entry, is := body.(*syntax.DictEntry); is {
				key, body = r.expr(entry.Key), entry.Value
			}
			v := r.expr(body)
			if len(r.vars) > depth {
				element = r.all(element == nil && len(values) == 0, depth, key, v, start(body))
				return
			}
			if key != nil {
				r.constantKey(key, start(body))
				if slices.ContainsFunc(keys, func(k value) bool { return r.equal(k, key).op == opTrue }) {
					r.refuse(start(body), "a key twice")
				}
			}
			keys, values = append(keys, key), append(values, v)
			return
		}
		switch c := e.Clauses[i].(type) {
		case *syntax.IfClause:
			if r.decide(r.truth(r.expr(c.Cond), start(c.Cond)), start(c.Cond)) {
				clause(i + 1)
			}
		case *syntax.ForClause:
			over := r.expr(c.X)
			if all := r.eachOf(over, start(c.X)); all != nil {
				r.atTop(start(c), "a loop over a size")
				before := len(r.vars)
				r.bind(c.Vars, r.enter(all))
				clause(i + 1)
				r.vars = r.vars[:before]
				return
			}
			for _, v := range r.elems(over, start(c.X)) {
				r.bind(c.Vars, v)
				clause(i + 1)
			}
		}
	}
	clause(0)
	if e.Curly {
		return &dict{keys: keys, values: values, each: element, depth: depth, made: r.arrival}
	}
	return &list{elems: values, each: element, depth: depth, made: r.arrival}
}

func (r *reader) index(of, by value, at syntax.Position) value {
	switch of := of.(type) {
	case tuple:
		return r.element(of, by, at)
	case *list:
		r.filled(of.each, of.depth, len(of.elems), at)
		if of.each == nil {
			return r.element(of.elems, by, at)
		}
		if len(of.each.vars) == 1 {
			v, i := of.each.vars[0], plus(r.integer(by, at), 1, of.each.vars[0].low)
			r.owe(at, "an index out of range", and(compare(opAtMost, v.low, i), compare(opLess, i, v.high)))
			return r.replace(of.each.value, map[string]*term{v.name: i})
		}
	case *dict:
		r.filled(of.each, of.depth, len(of.keys), at)
		if of.each != nil {
			return r.entry(of.each, by, at)
		}
		r.constantKey(by, at)
		for i := range of.keys {
			if r.equal(of.keys[i], by).op == opTrue {
				return of.values[i]
			}
		}
	}
	r.refuse(at, "an index that is not read for all sizes")
	return nil
}

func (r *reader) element(of []value, by value, at syntax.Position) value {
	i := r.constant(by, at)
	if i < 0 {
		i += len(of)
	}
	if i < 0 || i >= len(of) {
		r.refuse(at, "index %d of %d elements", i, len(of))
	}
	return of[i]
}

// entry returns what a dict has under a key, if its keys are the variables themselves.
func (r *reader) entry(e *each, by value, at syntax.Position) value {
	pattern, key := tuple{e.key}, tuple{by}
	if p, is := e.key.(tuple); is {
		pattern = p
		if key, is = by.(tuple); !is || len(key) != len(pattern) {
			r.refuse(at, "a key of another shape than those of the dict")
		}
	}
	to := map[string]*term{}
	for i, p := range pattern {
		t, ok := p.(*term)
		if !ok || t.op != "" || t.name == "" {
			r.refuse(at, "a dict whose keys are not the variables of its loop")
		}
		if to[t.name] != nil {
			r.refuse(at, "a dict with a variable twice in its keys")
		}
		to[t.name] = r.integer(key[i], at)
	}
	var within []*term
	for _, v := range e.vars {
		if to[v.name] == nil {
			r.refuse(at, "a dict whose keys are not all variables of its loop")
		}
		within = append(within, v.bounds().replace(to))
	}
	r.owe(at, "a key that the dict does not have", and(within...))
	return r.replace(e.value, to)
}

func (r *reader) slice(e *syntax.SliceExpr) value {
	at := start(e)
	vs := r.elems(r.expr(e.X), at)
	bound := func(e syntax.Expr, missing int) int {
		if e == nil {
			return missing
		}
		i := r.constant(r.expr(e), at)
		if i < 0 {
			i += len(vs)
		}
		return min(max(i, 0), len(vs))
	}
	if e.Step != nil {
		r.refuse(at, "a slice with a step")
	}
	low := bound(e.Lo, 0)
	part := vs[low:max(low, bound(e.Hi, len(vs)))]
	if _, is := r.expr(e.X).(tuple); is {
		return tuple(part)
	}
	return r.newList(slices.Clone(part))
}
