package murphi

import (
	"fmt"

	"github.com/seed-105a2da2/unknot/spec/program"
)

// val is what an expression of a simple type stands for. Of a boolean e is a condition, otherwise a number of the
// type's domain, low to high at most.
type val struct {
	t         *typ
	e         program.Expr
	low, high int
	undef     program.Expr // where it is undefined; without an operator: nowhere
}

func (v *val) known() (value int, is bool) {
	switch {
	case !never(v.undef):
		return 0, false
	case v.t.kind != booleanKind:
		return v.e.Value, v.e.Op == program.Constant
	case always(v.e):
		return 1, true
	}
	return 0, never(v.e)
}

func constantOf(t *typ, value int) val {
	if t.kind == booleanKind {
		return val{t: t, e: truth(value != 0), high: 1}
	}
	return val{t: t, e: program.Const(value), low: value, high: value}
}

// undefined is a value of a type that is not defined.
func undefined(t *typ) val {
	v := constantOf(t, t.low)
	v.undef = program.And()
	return v
}

// number is a value as a number, of a boolean 0 or 1.
func (v *val) number() program.Expr {
	if v.t.kind == booleanKind {
		return choose(v.e, program.Const(1), program.Const(0))
	}
	return v.e
}

// raw is a value as it is stored in a variable that may be undefined: 0 if it is undefined, and counted from 1.
func (v *val) raw() program.Expr {
	return choose(orNone(v.undef), program.Const(0), plus2(v.number(), 1-v.t.low))
}

func plus2(e program.Expr, k int) program.Expr { return add(e, program.Const(k)) }

// stored is what a variable holds, as a value.
func stored(x program.Var, t *typ, optional bool) val {
	v := val{t: t, low: t.low, high: t.high}
	first := 0
	if optional {
		first, v.undef = 1, program.Eq(x, 0)
	}
	if t.kind == booleanKind {
		v.e = program.Eq(x, 1+first)
	} else {
		v.e = plus2(program.Value(x), t.low-first)
	}
	return v
}

// merged is one of two values of one type.
func merged(cond program.Expr, a, b val) val {
	if always(cond) {
		return a
	}
	if never(cond) {
		return b
	}
	out := val{t: a.t, low: min(a.low, b.low), high: max(a.high, b.high)}
	switch {
	case always(a.undef):
		out.e, out.low, out.high = b.e, b.low, b.high
	case always(b.undef):
		out.e, out.low, out.high = a.e, a.low, a.high
	case a.t.kind == booleanKind:
		out.e = either(cond, a.e, b.e)
	default:
		out.e = choose(cond, a.e, b.e)
	}
	if u := either(cond, orNone(a.undef), orNone(b.undef)); !never(u) {
		out.undef = u
	}
	return out
}

// place is where a value lies: at the first alternative whose condition holds, or else at the last.
type place struct {
	t    *typ
	alts []alternative
}

type alternative struct {
	cond program.Expr
	base int // number of the first leaf: of a global variable, or -1-i of the i-th local leaf
}

// frame binds the local names of a rule or a call.
type frame struct {
	bound    map[*symbol]bound
	result   place // of a function
	returned int   // number of the local leaf that says whether it has returned
}

// bound is what a local name stands for: a place, or a value.
type bound struct {
	place *place
	value val
}

// eval evaluates an expression of a simple type. What can go wrong goes into the block that is open.
func (t *translator) eval(e *expr) val {
	t.tick(e.at)
	switch e.op {
	case "number":
		return constantOf(t.c.integer, e.value)
	case "name":
		if s := e.symbol; s.kind == constant {
			return constantOf(s.t, s.value)
		} else if b, is := t.frame.bound[s]; is && b.place == nil {
			return b.value
		} else if s.kind == alias && !s.of.place() {
			return t.eval(s.of)
		}
		return t.defined(t.read(t.lvalue(e)), e)
	case ".", "[":
		return t.defined(t.read(t.lvalue(e)), e)
	case "call":
		p := t.call(e)
		if p == nil {
			t.fail(e.at, "%s returns nothing: want a value", e.name)
		}
		return t.defined(t.read(*p), e)
	case "forall", "exists":
		return t.quantified(e)
	case "multisetcount":
		return t.counted(e)
	case "isundefined":
		v := t.read(t.lvalue(e.args[0]))
		return val{t: t.c.boolean, e: orNone(v.undef), high: 1}
	case "ismember":
		v := t.eval(e.args[0])
		first, _ := e.of.startIn(v.t)
		return t.condition(and(not(less(v.e, program.Const(first))), less(v.e, program.Const(first+e.of.values()))))
	case "!":
		v := t.eval(e.args[0])
		return t.condition(not(v.e))
	case "&", "|", "->":
		a := t.eval(e.args[0])
		when := a.e
		if e.op == "|" {
			when = not(when)
		}
		if never(when) {
			return t.condition(truth(e.op != "&"))
		}
		var b val
		t.provided(when, func() { b = t.eval(e.args[1]) })
		switch e.op {
		case "&":
			return t.condition(and(a.e, b.e))
		case "|":
			return t.condition(or(a.e, b.e))
		}
		return t.condition(or(not(a.e), b.e))
	case "?":
		cond := t.eval(e.args[0]).e
		var a, b val
		if !never(cond) {
			t.provided(cond, func() { a = t.converted(t.eval(e.args[1]), e.t, e.at) })
		}
		if !always(cond) {
			t.provided(not(cond), func() { b = t.converted(t.eval(e.args[2]), e.t, e.at) })
		}
		return merged(cond, a, b)
	case "=", "!=":
		a, b := t.eval(e.args[0]), t.eval(e.args[1])
		cond := t.equals(a, b)
		if e.op == "!=" {
			cond = not(cond)
		}
		return t.condition(cond)
	case "<", ">=":
		a, b := t.eval(e.args[0]), t.eval(e.args[1])
		if e.op == ">=" {
			return t.condition(not(lessVals(a, b)))
		}
		return t.condition(lessVals(a, b))
	case ">", "<=":
		a, b := t.eval(e.args[0]), t.eval(e.args[1])
		if e.op == "<=" {
			return t.condition(not(lessVals(b, a)))
		}
		return t.condition(lessVals(b, a))
	}
	return t.arithmetic(e)
}

// lessVals is a < b, of which the bounds may decide.
func lessVals(a, b val) program.Expr {
	switch {
	case a.high < b.low:
		return program.And()
	case a.low >= b.high:
		return program.Or()
	}
	return less(a.e, b.e)
}

func (t *translator) condition(e program.Expr) val { return val{t: t.c.boolean, e: e, high: 1} }

// equals compares values, of which one may be of a union that contains the type of the other.
func (t *translator) equals(a, b val) program.Expr {
	if a.t.kind == booleanKind {
		switch {
		case always(a.e):
			return b.e
		case always(b.e):
			return a.e
		case never(a.e):
			return not(b.e)
		case never(b.e):
			return not(a.e)
		}
		return or(and(a.e, b.e), and(not(a.e), not(b.e)))
	}
	if a.t != b.t && a.t.kind != rangeKind {
		if first, in := a.t.startIn(b.t); in {
			a.e, a.low, a.high = plus2(a.e, first), a.low+first, a.high+first
		} else if first, in := b.t.startIn(a.t); in {
			b.e, b.low, b.high = plus2(b.e, first), b.low+first, b.high+first
		} else { // two unions
			cond := program.Or()
			for _, m := range a.t.members {
				i, _ := m.startIn(a.t)
				if k, in := m.startIn(b.t); in {
					here := and(not(less(a.e, program.Const(i))), less(a.e, program.Const(i+m.values())))
					cond = or(cond, and(here, equal(a.e, plus2(b.e, i-k))))
				}
			}
			return cond
		}
	}
	if a.high < b.low || b.high < a.low {
		return program.Or()
	}
	return equal(a.e, b.e)
}

// defined makes reading an undefined value a fault.
func (t *translator) defined(v val, e *expr) val {
	if !never(v.undef) {
		t.fault(v.undef, e.at, "%s is undefined", e.text())
		v.undef = program.Expr{}
	}
	return v
}

// text is a place as it is written.
func (e *expr) text() string {
	switch e.op {
	case ".":
		return e.args[0].text() + "." + e.name
	case "[":
		return e.args[0].text() + "[" + e.args[1].text() + "]"
	case "number":
		return fmt.Sprint(e.value)
	case "name":
		return e.name
	case "call":
		return e.name + "(...)"
	}
	return "..."
}

// converted is a value as one of another type that it fits, with a fault where it is not one.
func (t *translator) converted(v val, to *typ, at position) val {
	switch {
	case v.t == to:
		return v
	case to.kind == rangeKind:
		t.fault(and(not(v.undef), or(lessVals(v, constantOf(to, to.low)), lessVals(constantOf(to, to.high), v))), at,
			"a value that is not in %v", to)
		v.t, v.low, v.high = to, max(v.low, to.low), min(v.high, to.high)
		if v.low > v.high { // it always faults
			v.low, v.high, v.e = to.low, to.low, program.Const(to.low)
		}
		return v
	}
	if first, in := v.t.startIn(to); in {
		v.t, v.e, v.low, v.high = to, plus2(v.e, first), v.low+first, v.high+first
		return v
	}
	if first, in := to.startIn(v.t); in {
		last := first + to.values() - 1
		t.fault(and(not(v.undef), or(lessVals(v, constantOf(v.t, first)), lessVals(constantOf(v.t, last), v))), at,
			"a value that is not in %v", to)
		low, high := max(v.low, first), min(v.high, last)
		v.t, v.e, v.low, v.high = to, plus2(v.e, -first), low-first, high-first
		if low > high {
			v.low, v.high, v.e = 0, 0, program.Const(0)
		}
		return v
	}
	t.fail(at, "a value of %v as one of %v is not read yet: name one of its types", v.t, to)
	return v
}

func (t *translator) arithmetic(e *expr) val {
	var a, b val
	if a = t.eval(e.args[0]); len(e.args) > 1 {
		b = t.eval(e.args[1])
	}
	out := val{t: t.c.integer}
	switch e.op {
	case "neg":
		out.e, out.low, out.high = sub(program.Const(0), a.e), -a.high, -a.low
	case "+":
		out.e, out.low, out.high = add(a.e, b.e), a.low+b.low, a.high+b.high
	case "-":
		out.e, out.low, out.high = sub(a.e, b.e), a.low-b.high, a.high-b.low
	case "*":
		corners := [4]int{a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high}
		out.e, out.low, out.high = mul(a.e, b.e), corners[0], corners[0]
		for _, x := range corners {
			out.low, out.high = min(out.low, x), max(out.high, x)
		}
	default:
		out = t.quotient(e, a, b)
	}
	if out.low < -largest || out.high > largest {
		t.fail(e.at, "the number can be out of range here: want -%d to %d", largest, largest)
	}
	return out
}

const mostQuotients = 1 << 10 // pairs of values of which a quotient is made

// quotient is a division or the remainder of one, which rounds towards 0. The closed form has neither, so that it
// is a table of the dividend, for each divisor.
func (t *translator) quotient(e *expr, a, b val) val {
	if b.low <= 0 && b.high >= 0 {
		t.fault(equal(b.e, program.Const(0)), e.at, "division by 0")
	}
	_, fixed := b.known()
	_, is := a.known()
	if (a.high-a.low+1)*(b.high-b.low+1) > mostQuotients && !(fixed && is) {
		t.fail(e.at, "a division of %d by %d values is not read: want at most %d pairs", a.high-a.low+1, b.high-b.low+1,
			mostQuotients)
	}
	divided := func(x, y int) int {
		switch {
		case y == 0:
			return 0 // it is a fault
		case e.op == "/":
			return x / y
		}
		return x % y
	}
	out := val{t: t.c.integer, low: largest, high: -largest}
	var table func(y, low, high int) program.Expr
	table = func(y, low, high int) program.Expr {
		if low == high || divided(low, y) == divided(high, y) && e.op == "/" {
			q := divided(low, y)
			out.low, out.high = min(out.low, q), max(out.high, q)
			return program.Const(q)
		}
		middle := (low + high + 1) >> 1
		return choose(less(a.e, program.Const(middle)), table(y, low, middle-1), table(y, middle, high))
	}
	for y := b.low; y <= b.high; y++ {
		q := table(y, a.low, a.high)
		if y == b.low {
			out.e = q
		} else {
			out.e = choose(equal(b.e, program.Const(y)), q, out.e)
		}
	}
	return out
}

// quantified is forall or exists.
func (t *translator) quantified(e *expr) val {
	all := e.op == "forall"
	cond := truth(all)
	var each func(values []val)
	each = func(values []val) {
		if len(values) == 0 {
			return
		}
		when := cond
		if !all {
			when = not(cond)
		}
		if never(when) {
			return
		}
		t.provided(when, func() {
			t.frame.bound[e.over.symbol] = bound{value: values[0]}
			v := t.eval(e.args[0])
			if all {
				cond = and(cond, v.e)
			} else {
				cond = or(cond, v.e)
			}
		})
		each(values[1:])
	}
	each(t.range_(e.over))
	delete(t.frame.bound, e.over.symbol)
	return t.condition(cond)
}

// range_ returns the values of a quantifier whose bounds are constant. Those of a type are shared.
func (t *translator) range_(q *quantifier) []val {
	y := q.symbol.t
	if q.typed != nil {
		values, known := t.ranges[y]
		if !known {
			values = t.steps(q, y.low, y.high, 1)
			t.ranges[y] = values
		}
		return values
	}
	known := func(e *expr) int {
		v := t.eval(e)
		x, is := v.known()
		if !is {
			t.fail(e.at, "this bound depends on the state: want one that is constant")
		}
		return x
	}
	low, high, by := known(q.from), known(q.to), 1
	if q.by != nil {
		by = known(q.by)
	}
	if by == 0 {
		t.fail(q.by.at, "steps of 0")
	}
	return t.steps(q, low, high, by)
}

// steps returns the values of a quantifier from low on, up or down to high.
func (t *translator) steps(q *quantifier, low, high, by int) (values []val) {
	for x := low; by > 0 && x <= high || by < 0 && x >= high; x += by {
		t.tick(q.at)
		values = append(values, constantOf(q.symbol.t, x))
	}
	return values
}

// lvalue is the place that an expression names.
func (t *translator) lvalue(e *expr) place {
	t.tick(e.at)
	switch e.op {
	case "name":
		s := e.symbol
		if s.kind == global {
			return place{s.t, []alternative{{program.And(), s.base}}}
		}
		b, is := t.frame.bound[s]
		switch {
		case is && b.place != nil:
			return *b.place
		case is: // a value, as a place to read
			return t.hold(b.value)
		case s.kind == alias:
			return t.lvalue(s.of)
		}
		t.fail(e.at, "%s cannot be used here", e.name)
	case ".":
		p := t.lvalue(e.args[0])
		f := p.t.fields[e.field]
		out := place{t: f.t}
		for _, a := range p.alts {
			out.alts = append(out.alts, alternative{a.cond, moved(a.base, f.offset)})
		}
		return out
	case "[":
		return t.element(t.lvalue(e.args[0]), t.eval(e.args[1]), e)
	case "call":
		if p := t.call(e); p != nil {
			return *p
		}
	}
	return t.hold(t.eval(e))
}

// hold is a value as a place to read.
func (t *translator) hold(v val) place {
	t.locals = append(t.locals, v)
	return place{v.t, []alternative{{program.And(), -len(t.locals)}}}
}

// moved is the leaf that comes n leaves after another.
func moved(base, n int) int {
	if base < 0 {
		return base - n
	}
	return base + n
}

const mostPlaces = 256 // that an index with the indices before it can name

// element is the element of an array.
func (t *translator) element(p place, i val, e *expr) place {
	if i.t != p.t.index && i.t.kind != rangeKind {
		i = t.converted(i, p.t.index, e.args[1].at)
	}
	index, n, first := p.t.index, p.t.elem.leaves, 0
	if p.t.kind == multisetKind {
		first = 1
	}
	if i.low < index.low || i.high > index.high {
		t.fault(or(lessVals(i, constantOf(i.t, index.low)), lessVals(constantOf(i.t, index.high), i)), e.args[1].at,
			"the index %s is out of range: want %s to %s", e.args[1].text(), index.of(index.low), index.of(index.high))
		i.low, i.high = max(i.low, index.low), min(i.high, index.high)
		if i.low > i.high {
			i.low, i.high = index.low, index.low
		}
	}
	if i.low == i.high {
		i = constantOf(i.t, i.low)
	}
	i = t.kept(i)
	out := place{t: p.t.elem}
	for k, a := range p.alts {
		for x := i.low; x <= i.high; x++ {
			at := program.And()
			if x < i.high && i.low < i.high {
				at = equal(i.number(), program.Const(x))
			}
			if k < len(p.alts)-1 {
				at = and(a.cond, at)
			}
			out.alts = append(out.alts, alternative{at, moved(a.base, first+(x-index.low)*n)})
		}
	}
	if len(out.alts) > mostPlaces {
		t.fail(e.at, "an index that depends on the state, with those before it, names one of %d places: at most %d are read",
			len(out.alts), mostPlaces)
	}
	return out
}

// read is what lies at a place of a simple type.
func (t *translator) read(p place) val {
	last := len(p.alts) - 1
	v := t.leaf(p.alts[last].base, p.t)
	for i := last - 1; i >= 0; i-- {
		v = merged(p.alts[i].cond, t.leaf(p.alts[i].base, p.t), v)
	}
	return v
}

// leaf is what lies at one leaf.
func (t *translator) leaf(base int, y *typ) val {
	switch {
	case base < 0:
		return t.locals[-1-base]
	case t.globals != nil:
		return t.globals[base]
	}
	return stored(program.Var(base), y, t.optional[base])
}
