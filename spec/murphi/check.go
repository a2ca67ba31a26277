package murphi

import (
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// Names and types: every name gets its symbol, every expression its type, before anything is translated. So faults
// in what is never called are found as well.

// symbol is what a name stands for.
type symbol struct {
	kind     symbolKind
	name     string
	t        *typ // of a value; a type
	value    int  // constant
	base     int  // global: the number of its first leaf
	of       *expr
	function *function
	frozen   bool // it cannot be assigned
}

type symbolKind uint8

const (
	constant symbolKind = iota
	aType
	global
	local // a variable, a parameter or a quantified name
	alias
	called
)

func (k symbolKind) String() string {
	return [...]string{"a constant", "a type", "a variable", "a variable", "an alias", "a function"}[k]
}

const (
	largest    = 1<<31 - 1
	mostValues = 1 << 20 // of a simple type
	mostLeaves = 1 << 16 // of a variable, and of all of them

	mostElements = 1 << 6 // of a multiset
)

// checker resolves names and types. A fault ends it by a panic, like the parser.
type checker struct {
	file    string
	scopes  []map[string]*symbol
	leaves  int // of globals
	globals []*symbol
	integer *typ // of numbers
	boolean *typ
	in      *function     // whose body is checked
	sets    []*typ        // scalarsets, in order
	kept    map[*typ]bool // scalarsets within multisets, which keep their elements in an order
}

func (c *checker) fail(at position, form string, args ...any) {
	panic(wrong(c.file, at, form, args...))
}

func newChecker(file string) *checker {
	c := &checker{file: file, scopes: []map[string]*symbol{{}},
		integer: &typ{kind: rangeKind, low: -largest, high: largest, leaves: 1},
		boolean: &typ{kind: booleanKind, name: "boolean", high: 1, names: []string{"false", "true"}, leaves: 1}}
	for v, name := range c.boolean.names {
		c.scopes[0][name] = &symbol{kind: constant, name: name, t: c.boolean, value: v}
	}
	return c
}

func (c *checker) open()  { c.scopes = append(c.scopes, map[string]*symbol{}) }
func (c *checker) close() { c.scopes = c.scopes[:len(c.scopes)-1] }

func (c *checker) declare(n named, s *symbol) *symbol {
	s.name = n.name
	in := c.scopes[len(c.scopes)-1]
	if other := in[n.name]; other != nil {
		c.fail(n.at, "%s is already declared here, as %v", n.name, other.kind)
	}
	in[n.name] = s
	return s
}

func (c *checker) find(at position, name string) *symbol {
	for _, in := range slices.Backward(c.scopes) {
		if s := in[name]; s != nil {
			return s
		}
	}
	var known []string
	for _, in := range c.scopes {
		for name := range in {
			known = append(known, name)
		}
	}
	slices.Sort(known)
	c.fail(at, "unknown name %.60q%s", name, words.Suggestion(name, known))
	return nil
}

func (c *checker) model(m *model) {
	for _, d := range m.decls {
		c.declaration(d, true)
	}
	for _, f := range m.functions { // they may call each other
		f.symbol = c.declare(f.named, &symbol{kind: called, function: f})
		f.returns = nil
		if f.result != nil {
			f.returns = c.typeExpr(f.result, "")
		}
		for _, p := range f.params {
			p.symbol = &symbol{kind: local, t: c.typeExpr(p.typed, ""), frozen: false}
		}
	}
	for _, f := range m.functions {
		c.function(f)
	}
	c.rules(m.rules)
}

func (c *checker) function(f *function) {
	c.open()
	defer c.close()
	c.in = f
	for _, p := range f.params {
		c.declare(p.named, p.symbol)
	}
	c.open()
	c.block(&f.block)
	c.close()
	c.in = nil
}

func (c *checker) declaration(d *declaration, outermost bool) {
	switch d.op {
	case "const":
		t := c.expr(d.value)
		v, known := c.constant(d.value)
		if !known {
			c.fail(d.value.at, "the value of the constant %s is not constant", d.name)
		}
		d.symbol = c.declare(d.named, &symbol{kind: constant, t: t, value: v})
	case "type":
		d.symbol = c.declare(d.named, &symbol{kind: aType, t: c.typeExpr(d.typed, d.name)})
	default:
		t := c.typeExpr(d.typed, "")
		d.symbol = &symbol{kind: local, t: t}
		if outermost {
			d.symbol.kind, d.symbol.base = global, c.leaves
			if c.leaves += t.leaves; c.leaves > mostLeaves {
				c.fail(d.at, "the variables have more than %d simple values", mostLeaves)
			}
			c.globals = append(c.globals, d.symbol)
		}
		c.declare(d.named, d.symbol)
	}
}

// block checks declarations and statements in the scope that is open.
func (c *checker) block(b *block) {
	for _, d := range b.decls {
		c.declaration(d, false)
	}
	c.stmts(b.stmts)
}

func (c *checker) typeExpr(y *typeExpr, name string) *typ {
	switch y.op {
	case "boolean":
		return c.boolean
	case "name":
		s := c.find(y.at, y.name)
		if s.kind != aType {
			c.fail(y.at, "%s is %v: want a type", y.name, s.kind)
		}
		return s.t
	case "..":
		t := &typ{kind: rangeKind, name: name, low: c.number(y.low), high: c.number(y.high), leaves: 1}
		if t.high < t.low || t.high-t.low >= mostValues {
			c.fail(y.at, "the range %d..%d: want 1 to %d values", t.low, t.high, mostValues)
		}
		return t
	case "enum":
		t := &typ{kind: enumKind, name: name, high: len(y.names) - 1, leaves: 1}
		for v, n := range y.names {
			c.declare(n, &symbol{kind: constant, t: t, value: v})
			t.names = append(t.names, n.name)
		}
		return t
	case "scalarset":
		n := c.number(y.high)
		if n < 1 || n > 1<<10 {
			c.fail(y.at, "a scalarset of %d values: want 1 to %d", n, 1<<10)
		}
		t := &typ{kind: scalarsetKind, name: name, high: n - 1, leaves: 1}
		for v := range n {
			t.names = append(t.names, fmt.Sprintf("%s_%d", orElse(name, "scalarset"), v+1))
		}
		c.sets = append(c.sets, t)
		return t
	case "union":
		t := &typ{kind: unionKind, name: name, high: -1, leaves: 1}
		for _, m := range y.members {
			in := c.typeExpr(m, "")
			if in.kind != enumKind && in.kind != scalarsetKind && in.kind != unionKind {
				c.fail(m.at, "%v in a union: want scalarsets and enumerations", in)
			}
			parts := []*typ{in}
			if in.kind == unionKind {
				parts = in.members
			}
			for _, part := range parts {
				if slices.Contains(t.members, part) {
					c.fail(m.at, "%v is twice in the union", part)
				}
				t.members, t.names, t.high = append(t.members, part), append(t.names, part.names...), t.high+part.values()
			}
		}
		if len(t.members) == 0 {
			c.fail(y.at, "a union of nothing: want scalarsets and enumerations")
		}
		return t
	case "record":
		t := &typ{kind: recordKind, name: name}
		for _, f := range y.fields {
			if slices.ContainsFunc(t.fields, func(g field) bool { return g.name == f.name }) {
				c.fail(f.at, "the field %s is declared twice", f.name)
			}
			in := c.typeExpr(f.typed, "")
			t.fields = append(t.fields, field{f.name, in, t.leaves})
			if t.leaves += in.leaves; t.leaves > mostLeaves {
				c.fail(f.at, "the record has more than %d simple values", mostLeaves)
			}
		}
		return t
	case "multiset":
		n := c.number(y.high)
		if n < 1 || n > mostElements {
			c.fail(y.at, "a multiset of %d elements: want 1 to %d", n, mostElements)
		}
		t := &typ{kind: multisetKind, name: name, elem: c.typeExpr(y.elem, ""),
			size:  &typ{kind: rangeKind, high: n, leaves: 1},
			index: &typ{kind: scalarsetKind, name: "an index of the multiset", high: n - 1, leaves: 1}}
		for v := range n {
			t.index.names = append(t.index.names, fmt.Sprint(v))
		}
		if t.leaves = 1 + n*t.elem.leaves; t.leaves > mostLeaves {
			c.fail(y.at, "the multiset has more than %d simple values", mostLeaves)
		}
		if t.elem.multisets() {
			c.fail(y.elem.at, "a multiset of multisets is not read")
		}
		c.inMultiset(t.elem)
		return t
	default:
		t := &typ{kind: arrayKind, name: name, index: c.typeExpr(y.index, ""), elem: c.typeExpr(y.elem, "")}
		if !t.index.simple() {
			c.fail(y.index.at, "an array over %v: want a scalarset, an enumeration, a range or boolean", t.index)
		}
		if t.leaves = t.index.values() * t.elem.leaves; t.leaves > mostLeaves {
			c.fail(y.at, "the array has more than %d simple values", mostLeaves)
		}
		return t
	}
}

func orElse(name, other string) string {
	if name == "" {
		return other
	}
	return name
}

// number is the value of a constant number.
func (c *checker) number(e *expr) int {
	c.want(e, c.integer)
	v, known := c.constant(e)
	if !known {
		c.fail(e.at, "this is not constant: want a number that is known when the file is read")
	}
	return v
}

// constant evaluates an expression of constants.
func (c *checker) constant(e *expr) (value int, known bool) {
	if e.op == "number" {
		return e.value, true
	}
	if e.op == "name" {
		return e.symbol.value, e.symbol.kind == constant
	}
	var args []int
	for _, a := range e.args {
		v, known := c.constant(a)
		if !known {
			return 0, false
		}
		args = append(args, v)
	}
	truth := map[bool]int{true: 1}
	switch e.op {
	case "neg":
		value = -args[0]
	case "+":
		value = args[0] + args[1]
	case "-":
		value = args[0] - args[1]
	case "*":
		value = args[0] * args[1]
	case "/", "%":
		if args[1] == 0 {
			c.fail(e.at, "division by 0")
		}
		if value = args[0] / args[1]; e.op == "%" {
			value = args[0] % args[1]
		}
	case "=":
		value = truth[args[0] == args[1]]
	case "!=":
		value = truth[args[0] != args[1]]
	case "<":
		value = truth[args[0] < args[1]]
	case "<=":
		value = truth[args[0] <= args[1]]
	case ">":
		value = truth[args[0] > args[1]]
	case ">=":
		value = truth[args[0] >= args[1]]
	case "!":
		value = 1 - args[0]
	case "&":
		value = args[0] * args[1]
	case "|":
		value = max(args[0], args[1])
	case "->":
		value = max(1-args[0], args[1])
	case "?":
		value = args[2]
		if args[0] != 0 {
			value = args[1]
		}
	default:
		return 0, false
	}
	if value < -largest || value > largest {
		c.fail(e.at, "the number %d is out of range: want -%d to %d", value, largest, largest)
	}
	return value, true
}

// want checks an expression that must have a type.
func (c *checker) want(e *expr, t *typ) {
	if got := c.expr(e); !t.fits(got) {
		c.fail(e.at, "this is of type %v: want %v", got, t)
	}
}

// expr checks an expression, and returns its type.
func (c *checker) expr(e *expr) *typ {
	e.t = c.typeOf(e)
	return e.t
}

func (c *checker) typeOf(e *expr) *typ {
	switch e.op {
	case "number":
		return c.integer
	case "name":
		e.symbol = c.find(e.at, e.name)
		switch e.symbol.kind {
		case aType, called:
			c.fail(e.at, "%s is %v: want a value", e.name, e.symbol.kind)
		}
		return e.symbol.t
	case ".":
		t := c.expr(e.args[0])
		if t.kind != recordKind {
			c.fail(e.at, "this is of type %v: want a record, as .%s is a field", t, e.name)
		}
		e.field = slices.IndexFunc(t.fields, func(f field) bool { return f.name == e.name })
		if e.field < 0 {
			var names []string
			for _, f := range t.fields {
				names = append(names, f.name)
			}
			c.fail(e.at, "no field %s in %v: want %s", e.name, t, words.OneOf(names))
		}
		return t.fields[e.field].t
	case "[":
		t := c.expr(e.args[0])
		if t.kind != arrayKind && t.kind != multisetKind {
			c.fail(e.at, "this is of type %v: want an array", t)
		}
		c.want(e.args[1], t.index)
		return t.elem
	case "call":
		e.symbol = c.find(e.at, e.name)
		if e.symbol.kind != called {
			c.fail(e.at, "%s is %v: want a function", e.name, e.symbol.kind)
		}
		f := e.symbol.function
		if len(e.args) != len(f.params) {
			c.fail(e.at, "%s has %s: want %d", e.name, words.Plural(len(e.args), "argument"), len(f.params))
		}
		for i, a := range e.args {
			p := f.params[i]
			c.want(a, p.symbol.t)
			if p.writable {
				c.assignable(a)
				if a.t.simple() && !a.t.storedAlike(p.symbol.t) {
					c.fail(a.at, "this is of type %v: want %v, as the parameter %s is var", a.t, p.symbol.t, p.name)
				}
			}
		}
		if f.returns == nil {
			return &typ{kind: recordKind, name: "no value", leaves: 0}
		}
		return f.returns
	case "forall", "exists":
		c.open()
		defer c.close()
		c.quantifier(e.over)
		c.want(e.args[0], c.boolean)
		return c.boolean
	case "multisetcount":
		c.open()
		defer c.close()
		c.quantifier(e.over)
		c.want(e.args[0], c.boolean)
		return c.integer
	case "isundefined":
		c.expr(e.args[0])
		if !e.args[0].place() || !e.args[0].t.simple() {
			c.fail(e.args[0].at, "isundefined of this: want a variable of a simple type, a field or an element")
		}
		return c.boolean
	case "ismember":
		t, of := c.expr(e.args[0]), c.typeExpr(e.typed, "")
		if t.kind != unionKind || !t.fits(of) {
			c.fail(e.at, "ismember of %v in %v: want a value of a union, and one of its types", t, of)
		}
		e.of = of
		return c.boolean
	case "!":
		c.want(e.args[0], c.boolean)
		return c.boolean
	case "|", "&", "->":
		c.want(e.args[0], c.boolean)
		c.want(e.args[1], c.boolean)
		return c.boolean
	case "?":
		c.want(e.args[0], c.boolean)
		t := c.expr(e.args[1])
		c.want(e.args[2], t)
		if t.kind == rangeKind {
			return c.integer
		}
		return t
	case "=", "!=":
		t := c.expr(e.args[0])
		if !t.simple() {
			c.fail(e.at, "%s of %v: want simple values; compare the parts", e.op, t)
		}
		c.want(e.args[1], t)
		return c.boolean
	case "<", "<=", ">", ">=":
		c.want(e.args[0], c.integer)
		c.want(e.args[1], c.integer)
		return c.boolean
	default: // arithmetic
		for _, a := range e.args {
			c.want(a, c.integer)
		}
		return c.integer
	}
}

// place reports whether an expression names a place: a variable, an element or a field.
func (e *expr) place() bool {
	switch e.op {
	case "name":
		return e.symbol.kind == global || e.symbol.kind == local || e.symbol.kind == alias && e.symbol.of.place()
	case ".", "[":
		return e.args[0].place()
	}
	return false
}

// root is the variable that a place lies in, or part of which it is.
func (e *expr) root() *symbol {
	for {
		switch {
		case e.op == "." || e.op == "[":
			e = e.args[0]
		case e.op == "name" && e.symbol.kind == alias:
			e = e.symbol.of
		default:
			return e.symbol
		}
	}
}

// assignable refuses an expression that names no place that may be written.
func (c *checker) assignable(e *expr) {
	switch {
	case !e.place():
		c.fail(e.at, "this cannot be assigned: want a variable, an element or a field")
	case e.root().frozen:
		c.fail(e.at, "%s cannot be assigned: it stands for one value after another", e.root().name)
	}
}

func (c *checker) quantifier(q *quantifier) {
	t := c.integer
	if q.multiset != nil {
		of := c.expr(q.multiset)
		if of.kind != multisetKind || !q.multiset.place() {
			c.fail(q.multiset.at, "this is of type %v: want a multiset", of)
		}
		t = of.index
	} else if q.typed != nil {
		if t = c.typeExpr(q.typed, ""); !t.simple() {
			c.fail(q.typed.at, "values of %v cannot be enumerated: want a scalarset, an enumeration, a range or boolean", t)
		}
	} else {
		for _, e := range []*expr{q.from, q.to, q.by} {
			if e != nil {
				c.want(e, c.integer)
			}
		}
	}
	q.symbol = c.declare(named{q.name, q.at}, &symbol{kind: local, t: t, frozen: true})
}

func (c *checker) aliases(list []*binding) {
	for _, b := range list {
		t := c.expr(b.value)
		b.symbol = c.declare(b.named, &symbol{kind: alias, t: t, of: b.value})
	}
}

func (c *checker) stmts(list []*stmt) {
	for _, s := range list {
		c.stmt(s)
	}
}

func (c *checker) stmt(s *stmt) {
	bodies := func() {
		for _, b := range s.bodies {
			c.stmts(b)
		}
	}
	switch s.op {
	case ":=":
		t := c.expr(s.exprs[0])
		c.assignable(s.exprs[0])
		c.want(s.exprs[1], t)
	case "call":
		c.expr(s.exprs[0])
	case "if", "while":
		for _, e := range s.exprs {
			c.want(e, c.boolean)
		}
		bodies()
	case "switch":
		t := c.expr(s.exprs[0])
		if !t.simple() {
			c.fail(s.exprs[0].at, "this is of type %v: want a simple value", t)
		}
		for _, labels := range s.cases {
			for _, e := range labels {
				c.want(e, t)
			}
		}
		bodies()
	case "for":
		c.open()
		defer c.close()
		c.quantifier(s.over)
		bodies()
	case "alias":
		c.open()
		defer c.close()
		c.aliases(s.aliases)
		bodies()
	case "clear", "undefine":
		c.expr(s.exprs[0])
		c.assignable(s.exprs[0])
	case "assert", "assume", "cover":
		c.want(s.exprs[0], c.boolean)
	case "multisetadd", "multisetremove":
		t := c.expr(s.exprs[1])
		if t.kind != multisetKind {
			c.fail(s.exprs[1].at, "this is of type %v: want a multiset", t)
		}
		c.assignable(s.exprs[1])
		if s.op == "multisetadd" {
			c.want(s.exprs[0], t.elem)
		} else {
			c.want(s.exprs[0], t.index)
		}
	case "multisetremovepred":
		c.open()
		defer c.close()
		c.quantifier(s.over)
		c.assignable(s.over.multiset)
		c.want(s.exprs[0], c.boolean)
	case "put":
		for _, e := range s.exprs {
			c.expr(e)
		}
	case "return":
		switch {
		case c.in == nil && len(s.exprs) > 0:
			c.fail(s.at, "return of a value outside of a function")
		case c.in == nil:
		case len(s.exprs) == 0 && c.in.returns != nil:
			c.fail(s.at, "return without a value: want one of type %v", c.in.returns)
		case len(s.exprs) > 0 && c.in.returns == nil:
			c.fail(s.at, "return of a value in a procedure")
		case len(s.exprs) > 0:
			c.want(s.exprs[0], c.in.returns)
		}
	}
}

func (c *checker) rules(list []*rule) {
	for _, r := range list {
		c.open()
		switch r.op {
		case "ruleset", "choose":
			for _, q := range r.over {
				c.quantifier(q)
			}
			c.rules(r.in)
		case "alias":
			c.aliases(r.aliases)
			c.rules(r.in)
		default:
			if r.guard != nil {
				c.want(r.guard, c.boolean)
			}
			c.open()
			c.block(&r.block)
			c.close()
		}
		c.close()
	}
}
