package parameterized

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

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
		r.MeetCompared(v, symbolic.Number(0))
		return symbolic.Not(symbolic.Equal(v, symbolic.Number(0)))
	case string:
		return symbolic.Truth(v != "")
	case none:
		return symbolic.Truth(false)
	case tuple:
		return symbolic.Truth(len(v) > 0)
	case *list:
		return symbolic.Truth(len(r.Elems(v, at)) > 0)
	case linkValue:
		return r.f.links[v.link].guard.Replace(r.hereIsPacket())
	case arrivedValue:
		return symbolic.Truth(true)
	case choice:
		return v.truth
	case series:
		return symbolic.Truth(v.text || len(r.Elems(v, at)) > 0)
	}
	r.Refuse(at, "the truth of a value that is not read for all sizes")
	return nil
}

// hereIsPacket renames the coordinates of where a channel begins to those of where a packet is.
func (r *reader) hereIsPacket() map[string]*symbolic.Term {
	by := map[string]*symbolic.Term{}
	for i := range r.shape {
		by[here(i)] = symbolic.Named(next(i))
	}
	return by
}

// mostSize bounds what a file can make: a sum of a number with itself doubles its text.
const mostSize = 2000

// mostNumber bounds the numbers of a file, so that what is made of them fits into an int.
const mostNumber = 1 << 20

func (r *reader) integer(v value, at syntax.Position) *symbolic.Term {
	if t, ok := v.(*symbolic.Term); ok && !t.IsTruth() {
		return t
	}
	r.Refuse(at, "want an integer")
	return nil
}

func (r *reader) constant(v value, at syntax.Position) int {
	t := r.integer(v, at)
	if !t.IsNumber() {
		r.Refuse(at, "want a number that does not depend on a size or a coordinate")
	}
	return t.N
}

func (r *reader) Expr(e syntax.Expr) value {
	const mostElems = 100_000
	v := r.valueOf(e)
	r.Step(symbolic.Start(e))
	long := false
	switch v := v.(type) {
	case *symbolic.Term:
		if long = v.Size() > mostSize; v.IsNumber() {
			r.Meet(v.N)
		}
	case string:
		long = len(v) > mostElems
	case tuple:
		long = len(v) > mostElems
	case *list:
		long = len(v.elems) > mostElems
	case series:
		long = len(v.of.elems) > mostElems
	}
	if long {
		r.Refuse(symbolic.Start(e), "a value that is too long to be read for all sizes")
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
			return v
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
			return symbolic.Times(-1, r.integer(r.Expr(e.X), at))
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
		return r.newList(symbolic.Exprs(r, e.List))
	case *syntax.DictExpr:
		d := &dict{depth: len(r.vars), made: r.arrival}
		for _, x := range e.List {
			entry := x.(*syntax.DictEntry)
			key := r.Expr(entry.Key)
			r.constantKey(key, symbolic.Start(x))
			if slices.ContainsFunc(d.keys, func(k value) bool { return r.equal(k, key).IsTrue() }) {
				r.Refuse(symbolic.Start(x), "a key twice")
			}
			d.keys, d.values = append(d.keys, key), append(d.values, r.Expr(entry.Value))
		}
		return d
	case *syntax.Comprehension:
		return r.comprehension(e)
	case *syntax.CallExpr:
		return r.call(e)
	case *syntax.DotExpr:
		return r.attribute(r.Expr(e.X), e.Name.Name, at)
	case *syntax.IndexExpr:
		return r.index(r.Expr(e.X), r.Expr(e.Y), at)
	case *syntax.SliceExpr:
		return r.slice(e)
	}
	r.Refuse(at, "an expression that is not read for all sizes")
	return nil
}

func (r *reader) lookup(name string, at syntax.Position) value {
	scopes := []map[string]value{r.local, r.globals}
	if n := len(r.called); n > 0 && r.called[n-1].locals[name] {
		scopes = scopes[:1]
	}
	for _, scope := range scopes {
		if v, ok := scope[name]; ok {
			if _, lost := v.(unknown); lost {
				r.Refuse(at, "%s is assigned in a loop or branch over a size, so its value depends on the round", name)
			}
			return v
		}
	}
	if len(scopes) == 1 {
		r.owe(at, "a name that was not assigned", symbolic.Truth(false))
		return none{}
	}
	switch name {
	case "True", "False":
		return symbolic.Truth(name == "True")
	case "None":
		return none{}
	}
	if r.Globals[name] {
		r.Refuse(at, "%s, which has no value here", name)
	}
	return builtin(name)
}

// connect reads and, or: the second operand counts only if the first does not decide.
func (r *reader) connect(e *syntax.BinaryExpr) value {
	a, first := r.operand(e.X)
	result := func(t *symbolic.Term, isLink bool) value {
		if isLink {
			return choice{t}
		}
		return t
	}
	if a.IsTrue() && e.Op == syntax.OR || a.IsFalse() && e.Op == syntax.AND {
		return result(a, first)
	}
	needed := a
	if e.Op == syntax.OR {
		needed = symbolic.Not(a)
	}
	depth := len(r.guard)
	r.guard = append(r.guard, needed)
	r.note(needed)
	r.second++
	b, second := r.operand(e.Y)
	r.second--
	r.guard = slices.Delete(r.guard, depth, depth+1) // what b decides stays
	if e.Op == syntax.OR {
		return result(symbolic.Or(a, b), first || second)
	}
	return result(symbolic.And(a, b), first || second)
}

// operand reads the truth of an operand of and, or: a truth value, or what may be a link, as the value of others could
// be the result.
func (r *reader) operand(e syntax.Expr) (truth *symbolic.Term, isLink bool) {
	v := r.Expr(e)
	switch t := v.(type) {
	case linkValue, arrivedValue, choice:
		return r.truth(v, symbolic.Start(e)), true
	case *symbolic.Term:
		if t.IsTruth() {
			return t, false
		}
	}
	r.Refuse(symbolic.Start(e), "and, or of something else than truth values")
	return nil, false
}

func (r *reader) newList(elems []value) *list {
	return &list{elems: elems, depth: len(r.vars), made: r.arrival}
}

func (r *reader) conditional(e *syntax.CondExpr) value {
	cond := r.truth(r.Expr(e.Cond), symbolic.Start(e.Cond))
	if r.arrival == nil && !cond.IsTrue() && !cond.IsFalse() {
		under := func(c *symbolic.Term, e syntax.Expr) *symbolic.Term {
			r.guard = append(r.guard, c)
			r.note(c)
			defer func() { r.guard = r.guard[:len(r.guard)-1] }()
			return r.integer(r.Expr(e), symbolic.Start(e))
		}
		return symbolic.Cases(cond, under(cond, e.True), under(symbolic.Not(cond), e.False))
	}
	if r.decide(cond, symbolic.Start(e.Cond)) {
		return r.Expr(e.True)
	}
	return r.Expr(e.False)
}

func (r *reader) binary(op syntax.Token, a, b value, at syntax.Position) value {
	switch op {
	case syntax.EQL:
		return r.equal(a, b)
	case syntax.NEQ:
		return symbolic.Not(r.equal(a, b))
	case syntax.LT:
		return r.compareOrder(symbolic.OpLess, a, b, at)
	case syntax.LE:
		return r.compareOrder(symbolic.OpAtMost, a, b, at)
	case syntax.GT:
		return r.compareOrder(symbolic.OpLess, b, a, at)
	case syntax.GE:
		return r.compareOrder(symbolic.OpAtMost, b, a, at)
	case syntax.IN, syntax.NOT_IN:
		if s, is := b.(series); is {
			if s.text {
				r.Refuse(at, "in, not in of the elements of a text")
			}
			r.integer(a, at) // as Starlark wants
		}
		var any []*symbolic.Term
		for _, elem := range r.Elems(b, at) {
			any = append(any, r.equal(elem, a))
		}
		if op == syntax.IN {
			return symbolic.Or(any...)
		}
		return symbolic.Not(symbolic.Or(any...))
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
			return r.newList(slices.Concat(r.Elems(x, at), r.Elems(y, at)))
		}
		if n, ok := b.(*symbolic.Term); ok && op == syntax.STAR && x.each == nil && n.IsNumber() &&
			n.N < 1000 && len(x.elems)*n.N < 100_000 {
			return r.newList(slices.Repeat(r.Elems(x, at), max(0, n.N)))
		}
	case *symbolic.Term:
		if y, ok := b.(*symbolic.Term); ok && !x.IsTruth() && !y.IsTruth() {
			return r.arithmetic(op, x, y, at)
		}
	}
	r.Refuse(at, "an operation that is not read for all sizes")
	return nil
}

func (r *reader) arithmetic(op syntax.Token, a, b *symbolic.Term, at syntax.Position) *symbolic.Term {
	for _, t := range []*symbolic.Term{a, b} {
		if t.IsNumber() && (t.N > mostNumber || t.N < -mostNumber) {
			r.Refuse(at, "a number beyond %d", mostNumber)
		}
	}
	switch op {
	case syntax.PLUS:
		return symbolic.Plus(a, 1, b)
	case syntax.MINUS:
		return symbolic.Plus(a, -1, b)
	case syntax.STAR:
		if a.IsNumber() {
			return symbolic.Times(a.N, b)
		}
		if b.IsNumber() {
			return symbolic.Times(b.N, a)
		}
		r.Refuse(at, "a product of two numbers that depend on sizes or coordinates")
	case syntax.SLASHSLASH:
		if b.IsNumber() && b.N > 0 {
			return symbolic.Floor(a, b.N)
		}
		r.Refuse(at, "a division by something else than a positive number")
	case syntax.PERCENT:
		if b.IsNumber() && b.N > 0 {
			return symbolic.Plus(a, -b.N, symbolic.Floor(a, b.N))
		}
		r.owe(at, "a remainder of a number less than -"+b.String()+" or at least twice it",
			symbolic.And(symbolic.Less(symbolic.Number(0), b), symbolic.AtMost(symbolic.Times(-1, b), a),
				symbolic.Less(a, symbolic.Times(2, b))))
		return symbolic.Wrap(a, b)
	}
	r.Refuse(at, "an operation that is not read for all sizes")
	return nil
}

// equal says whether two values are equal.
func (r *reader) equal(a, b value) *symbolic.Term {
	r.Step(syntax.Position{})
	all := func(x, y []value) *symbolic.Term {
		if len(x) != len(y) {
			return symbolic.Truth(false)
		}
		var same []*symbolic.Term
		for i := range x {
			same = append(same, r.equal(x[i], y[i]))
		}
		return symbolic.And(same...)
	}
	switch x := a.(type) {
	case *symbolic.Term:
		y, ok := b.(*symbolic.Term)
		switch {
		case ok && x.IsTruth() && y.IsTruth():
			return symbolic.Or(symbolic.And(x, y), symbolic.And(symbolic.Not(x), symbolic.Not(y)))
		case ok && !x.IsTruth() && !y.IsTruth():
			r.MeetCompared(x, y)
			return symbolic.Equal(x, y)
		case ok || isSimple(b):
			return symbolic.Truth(false)
		}
	case tuple:
		if y, ok := b.(tuple); ok {
			return all(x, y)
		}
		if isSimple(b) {
			return symbolic.Truth(false)
		}
	case nodeValue:
		if y, ok := b.(nodeValue); ok {
			var same []*symbolic.Term
			for i := range x.at {
				r.MeetCompared(x.at[i], y.at[i])
				same = append(same, symbolic.Equal(x.at[i], y.at[i]))
			}
			return symbolic.And(same...)
		}
	case string, none:
		switch b.(type) {
		case string, none:
			return symbolic.Truth(x == b)
		case *symbolic.Term, tuple:
			return symbolic.Truth(false)
		case linkValue, arrivedValue, nodeValue:
			return r.equal(b, a)
		}
	case linkValue:
		if y, ok := b.(linkValue); ok && x == y {
			return symbolic.Truth(true)
		}
		if b == value(none{}) {
			return symbolic.Not(r.truth(x, r.At))
		}
	case arrivedValue:
		if b == value(none{}) {
			return symbolic.Truth(false)
		}
	}
	if _, is := a.(nodeValue); is && isSimple(b) {
		return symbolic.Truth(false)
	}
	r.Refuse(r.At, "a comparison that is not read for all sizes")
	return nil
}

// isSimple reports whether a value equals none of another kind.
func isSimple(v value) bool {
	switch v.(type) {
	case string, none, *symbolic.Term, tuple:
		return true
	}
	return false
}

// compareOrder compares integers, or tuples in lexicographic order.
func (r *reader) compareOrder(op string, a, b value, at syntax.Position) *symbolic.Term {
	x, ok := a.(tuple)
	if !ok {
		r.MeetCompared(r.integer(a, at), r.integer(b, at))
		return symbolic.Compare(op, r.integer(a, at), r.integer(b, at))
	}
	y, ok := b.(tuple)
	if !ok || len(x) != len(y) {
		r.Refuse(at, "a comparison that is not read for all sizes")
	}
	if len(x) == 0 {
		return symbolic.Truth(op == symbolic.OpAtMost)
	}
	rest := symbolic.And(r.equal(x[0], y[0]), r.compareOrder(op, x[1:], y[1:], at))
	return symbolic.Or(r.compareOrder(symbolic.OpLess, x[0], y[0], at), rest)
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
			r.Refuse(at, "too few values for the format")
		case format[i] == 'd':
			b.WriteString(strconv.Itoa(r.constant(args[0], at)))
		case format[i] == 's':
			if text, ok := args[0].(string); ok {
				b.WriteString(text)
			} else {
				b.WriteString(strconv.Itoa(r.constant(args[0], at)))
			}
		default:
			r.Refuse(at, "a format that is not read for all sizes")
		}
		args = args[1:]
	}
	if len(args) > 0 {
		r.Refuse(at, "too many values for the format")
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
				key, body = r.Expr(entry.Key), entry.Value
			}
			v := r.Expr(body)
			if len(r.vars) > depth {
				element = r.all(element == nil && len(values) == 0, depth, key, v, symbolic.Start(body))
				return
			}
			if key != nil {
				r.constantKey(key, symbolic.Start(body))
				if slices.ContainsFunc(keys, func(k value) bool { return r.equal(k, key).IsTrue() }) {
					r.Refuse(symbolic.Start(body), "a key twice")
				}
			}
			keys, values = append(keys, key), append(values, v)
			return
		}
		switch c := e.Clauses[i].(type) {
		case *syntax.IfClause:
			if r.decide(r.truth(r.Expr(c.Cond), symbolic.Start(c.Cond)), symbolic.Start(c.Cond)) {
				clause(i + 1)
			}
		case *syntax.ForClause:
			over := r.Expr(c.X)
			if all := r.eachOf(over, symbolic.Start(c.X)); all != nil {
				r.atTop(symbolic.Start(c), "a loop over a size")
				before := len(r.vars)
				symbolic.Bind(r, c.Vars, r.enter(all))
				clause(i + 1)
				r.vars = r.vars[:before]
				return
			}
			defer occupy(over)()
			for _, v := range r.Elems(over, symbolic.Start(c.X)) {
				symbolic.Bind(r, c.Vars, v)
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
	case series:
		return r.index(of.of, by, at)
	case *list:
		r.filled(of.each, of.depth, len(of.elems), at)
		if of.each == nil {
			return r.element(of.elems, by, at)
		}
		if len(of.each.vars) == 1 {
			v, i := of.each.vars[0], symbolic.Plus(r.integer(by, at), 1, of.each.vars[0].low)
			r.owe(at, "an index out of range", symbolic.And(symbolic.AtMost(v.low, i), symbolic.Less(i, v.high)))
			return r.replace(of.each.value, map[string]*symbolic.Term{v.name: i})
		}
	case *dict:
		r.filled(of.each, of.depth, len(of.keys), at)
		if of.each != nil {
			return r.entry(of.each, by, at)
		}
		r.constantKey(by, at)
		for i := range of.keys {
			if r.equal(of.keys[i], by).IsTrue() {
				return of.values[i]
			}
		}
	}
	r.Refuse(at, "an index that is not read for all sizes")
	return nil
}

// element returns an element by its number. A way through route on which there is none is one that no packet may take.
func (r *reader) element(of []value, by value, at syntax.Position) value {
	i := r.constant(by, at)
	if r.arrival != nil && (i < -len(of) || i >= len(of)) {
		r.owe(at, fmt.Sprintf("index %d of %d elements", i, len(of)), symbolic.Truth(false))
		return none{}
	}
	return symbolic.Element(r, of, i, at)
}

// entry returns what a dict has under a key, if its keys are the variables themselves.
func (r *reader) entry(e *each, by value, at syntax.Position) value {
	pattern, key := tuple{e.key}, tuple{by}
	if p, is := e.key.(tuple); is {
		pattern = p
		if key, is = by.(tuple); !is || len(key) != len(pattern) {
			r.Refuse(at, "a key of another shape than those of the dict")
		}
	}
	to := map[string]*symbolic.Term{}
	for i, p := range pattern {
		t, ok := p.(*symbolic.Term)
		if !ok || !t.IsName() {
			r.Refuse(at, "a dict whose keys are not the variables of its loop")
		}
		if to[t.Name] != nil {
			r.Refuse(at, "a dict with a variable twice in its keys")
		}
		to[t.Name] = r.integer(key[i], at)
	}
	var within []*symbolic.Term
	for _, v := range e.vars {
		if to[v.name] == nil {
			r.Refuse(at, "a dict whose keys are not all variables of its loop")
		}
		within = append(within, v.bounds().Replace(to))
	}
	r.owe(at, "a key that the dict does not have", symbolic.And(within...))
	return r.replace(e.value, to)
}

func (r *reader) slice(e *syntax.SliceExpr) value {
	at := symbolic.Start(e)
	of := r.Expr(e.X)
	vs := r.Elems(of, at)
	bound := func(e syntax.Expr, missing int) int {
		if e == nil {
			return missing
		}
		i := r.constant(r.Expr(e), at)
		if i < 0 {
			i += len(vs)
		}
		return min(max(i, 0), len(vs))
	}
	s, isSeries := of.(series)
	if e.Step != nil || s.text {
		r.Refuse(at, "a slice with a step, or of the elements of a text")
	}
	low := bound(e.Lo, 0)
	part := vs[low:max(low, bound(e.Hi, len(vs)))]
	if _, is := of.(tuple); is {
		return tuple(part)
	}
	if isSeries {
		return series{of: r.newList(slices.Clone(part))}
	}
	return r.newList(slices.Clone(part))
}
