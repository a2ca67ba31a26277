package murphi

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// The syntax tree. Nodes of one kind differ in op, the keyword or sign that they are written with.

// expr is an expression. Checking sets what is below the line.
type expr struct {
	op    string // "number", "name", "call", ".", "[", an operator, "-" of one argument, or a keyword
	at    position
	name  string // name, call, .
	value int    // number
	args  []*expr
	over  *quantifier // forall, exists
	typed *typeExpr   // ismember

	t      *typ
	symbol *symbol // name, call
	field  int     // .
	of     *typ    // ismember
}

// quantifier binds a name to each value of a type, or of a range.
type quantifier struct {
	at           position
	name         string
	typed        *typeExpr // or
	from, to, by *expr     // by may be nil; or
	multiset     *expr     // choose, multisetcount, multisetremovepred: whose elements

	symbol *symbol
}

// typeExpr is a type as it is written.
type typeExpr struct {
	op          string // "name", "boolean", "..", "enum", "scalarset", "union", "record", "array", "multiset"
	at          position
	name        string
	low, high   *expr // .., scalarset and multiset (high)
	index, elem *typeExpr
	members     []*typeExpr // union
	names       []named     // enum
	fields      []variable  // record
}

// named is a name and where it is.
type named struct {
	name string
	at   position
}

// variable is the declaration of a variable, a field or a parameter.
type variable struct {
	named
	typed    *typeExpr
	writable bool // a parameter that begins with var

	symbol *symbol
}

// binding is the declaration of a constant or an alias.
type binding struct {
	named
	value *expr

	symbol *symbol
}

// declaration declares a constant, a type or a variable.
type declaration struct {
	op string // const, type, var
	binding
	typed *typeExpr
}

// stmt is a statement.
type stmt struct {
	op      string // ":=", "call", or a keyword
	at      position
	exprs   []*expr // := has two, if and switch one for each body but the last
	text    string
	cases   [][]*expr // switch: by body
	bodies  [][]*stmt // if, switch: the last is else
	over    *quantifier
	aliases []*binding
}

// function is a function or a procedure.
type function struct {
	named
	params []*variable
	result *typeExpr
	block

	returns *typ
	symbol  *symbol
	calls   int // of it that are being inlined, within each other
}

// block is declarations and statements.
type block struct {
	decls []*declaration
	stmts []*stmt
}

// rule is a rule, a startstate, a property, or a group of them.
type rule struct {
	op      string // rule, startstate, invariant, cover, assume, liveness, ruleset, alias, choose
	at      position
	name    string
	unnamed bool
	guard   *expr // of a rule, may be nil; of a property the condition
	block
	over    []*quantifier // ruleset
	aliases []*binding    // alias
	in      []*rule
}

// model is a file: what it declares, and its rules, in order.
type model struct {
	decls     []*declaration
	functions []*function
	rules     []*rule
}

const mostDepth = 200 // of nodes within each other

// parser reads tokens by recursive descent. A fault ends it by a panic with a *spec.PosError, which Load recovers.
type parser struct {
	file   string
	tokens []token
	depth  int
}

func (p *parser) peek() token { return p.tokens[0] }

func (p *parser) take() token {
	t := p.tokens[0]
	if t.kind != ending {
		p.tokens = p.tokens[1:]
	}
	return t
}

func (p *parser) fail(at position, form string, args ...any) { panic(wrong(p.file, at, form, args...)) }

// is reports whether the next token is one of these keywords or signs.
func (p *parser) is(texts ...string) bool {
	t := p.peek()
	return (t.kind == keyword || t.kind == sign) && slices.Contains(texts, t.text)
}

// accept takes the next token if it is one of these.
func (p *parser) accept(texts ...string) bool {
	if p.is(texts...) {
		p.take()
		return true
	}
	return false
}

func (p *parser) want(texts ...string) token {
	if !p.is(texts...) {
		p.fail(p.peek().at, "%v is unexpected here: want %s", p.peek(), words.OneOf(texts))
	}
	return p.take()
}

// end reads the closing word of a construct.
func (p *parser) end(of ...string) { p.want(append([]string{"end"}, of...)...) }

func (p *parser) name(what string) named {
	t := p.peek()
	if t.kind != identifier {
		p.fail(t.at, "%v is unexpected here: want the name of %s", t, what)
	}
	p.take()
	return named{t.text, t.at}
}

// names reads a list of names, perhaps with a comma behind the last.
func (p *parser) names(what string) []named {
	list := []named{p.name(what)}
	for p.accept(",") && p.peek().kind == identifier {
		list = append(list, p.name(what))
	}
	return list
}

func (p *parser) semicolons() {
	for p.accept(";") {
	}
}

// deeper counts nodes within each other.
func (p *parser) deeper() func() {
	if p.depth++; p.depth > mostDepth {
		p.fail(p.peek().at, "more than %d constructs within each other", mostDepth)
	}
	return func() { p.depth-- }
}

func (p *parser) model() *model {
	m := &model{}
	for p.semicolons(); p.peek().kind != ending; p.semicolons() {
		switch {
		case p.is("const", "type", "var"):
			m.decls = append(m.decls, p.declarations()...)
		case p.is("function", "procedure"):
			m.functions = append(m.functions, p.function())
		default:
			m.rules = append(m.rules, p.rule())
		}
	}
	return m
}

// declarations reads a section of them.
func (p *parser) declarations() (list []*declaration) {
	op := p.take().text
	for p.peek().kind == identifier {
		names := p.names("a " + map[string]string{"const": "constant", "type": "type", "var": "variable"}[op])
		p.want(":")
		d := declaration{op: op}
		if op == "const" {
			d.value = p.expr()
		} else {
			d.typed = p.typeExpr()
		}
		for _, n := range names {
			one := d
			one.named = n
			list = append(list, &one)
		}
		p.semicolons()
	}
	return list
}

func (p *parser) block(ends ...string) (b block) {
	for p.is("const", "type", "var") {
		b.decls = append(b.decls, p.declarations()...)
	}
	p.accept("begin")
	b.stmts = p.stmts(ends...)
	return b
}

func (p *parser) function() *function {
	p.take()
	f := &function{named: p.name("a function")}
	p.want("(")
	for !p.is(")") {
		writable := p.accept("var")
		names := p.names("a parameter")
		p.want(":")
		typed := p.typeExpr()
		for _, n := range names {
			f.params = append(f.params, &variable{named: n, typed: typed, writable: writable})
		}
		if !p.accept(";", ",") && !p.is(")") {
			p.want(";", ")")
		}
	}
	p.want(")")
	if p.accept(":") {
		f.result = p.typeExpr()
	}
	p.semicolons()
	f.block = p.block()
	p.end("endfunction", "endprocedure")
	return f
}

func (p *parser) rules(ends ...string) (list []*rule) {
	for p.semicolons(); !p.is("end") && !p.is(ends...); p.semicolons() {
		list = append(list, p.rule())
	}
	p.end(ends...)
	return list
}

func (p *parser) rule() *rule {
	defer p.deeper()()
	t := p.peek()
	r := &rule{op: t.text, at: t.at}
	switch {
	case p.accept("rule"):
		p.title(r)
		if !p.is("begin", "var", "const", "type") && p.guarded() {
			r.guard = p.expr()
			p.want("==>")
		}
		r.block = p.block()
		p.end("endrule")
	case p.accept("startstate"):
		p.title(r)
		r.block = p.block()
		p.end("endstartstate")
	case p.accept("invariant", "assert", "assume", "cover", "liveness"):
		if r.op == "assert" {
			r.op = "invariant"
		}
		p.title(r)
		r.guard = p.expr()
		if r.unnamed {
			p.title(r)
		}
	case p.accept("ruleset"):
		r.over = append(r.over, p.quantifier())
		for p.semicolons(); !p.is("do"); p.semicolons() {
			r.over = append(r.over, p.quantifier())
		}
		p.want("do")
		r.in = p.rules("endruleset")
	case p.accept("alias"):
		r.aliases = p.aliases()
		r.in = p.rules("endalias")
	case p.accept("choose"):
		r.over = []*quantifier{p.member("choose")}
		p.semicolons()
		p.want("do")
		r.in = p.rules("endchoose")
	case slices.Contains([]string{"process", "program", "traceuntil"}, strings.ToLower(t.text)):
		p.fail(t.at, "%s is not read: write rules", t.text)
	default:
		p.fail(t.at, "%v is unexpected here: want a declaration, a function, a rule, a startstate or a property", t)
	}
	return r
}

// guarded reports whether the arrow of a guard comes before the words that cannot be in one.
func (p *parser) guarded() bool {
	for _, t := range p.tokens {
		switch {
		case t.kind == sign && t.text == "==>":
			return true
		case t.kind == ending, t.kind == sign && (t.text == ";" || t.text == ":="),
			t.kind == keyword && (t.text == "begin" || t.text == "rule" || t.text == "endrule"):
			return false
		}
	}
	return false
}

// member reads a name that stands for each element of a multiset: i: m.
func (p *parser) member(of string) *quantifier {
	n := p.name("an index, as in " + of + " i: m")
	p.want(":")
	return &quantifier{at: n.at, name: n.name, multiset: p.primary()}
}

// members reads what is in the brackets of multisetcount and multisetremovepred: an index, and a condition.
func (p *parser) members(of string) (*quantifier, *expr) {
	p.want("(")
	q := p.member(of)
	p.want(",")
	cond := p.expr()
	p.want(")")
	return q, cond
}

// title reads the name of a rule, if it has one.
func (p *parser) title(r *rule) {
	if r.unnamed = p.peek().kind != quoted; !r.unnamed {
		r.name = p.take().text
	}
}

// aliases reads the names that stand for expressions, and the word do.
func (p *parser) aliases() (list []*binding) {
	for p.semicolons(); !p.is("do"); p.semicolons() {
		n := p.name("an alias")
		p.want(":")
		list = append(list, &binding{named: n, value: p.expr()})
	}
	p.want("do")
	return list
}

func (p *parser) quantifier() *quantifier {
	n := p.name("a variable")
	q := &quantifier{at: n.at, name: n.name}
	if p.want(":", ":=").text == ":" {
		q.typed = p.typeExpr()
		return q
	}
	q.from = p.expr()
	p.want("to")
	q.to = p.expr()
	if p.accept("by") {
		q.by = p.expr()
	}
	return q
}

func (p *parser) typeExpr() *typeExpr {
	defer p.deeper()()
	t := p.peek()
	y := &typeExpr{op: t.text, at: t.at}
	switch {
	case p.accept("boolean"):
	case p.accept("enum"):
		p.want("{")
		y.names = p.names("a value")
		p.want("}")
	case p.accept("scalarset"):
		p.want("(")
		y.high = p.expr()
		p.want(")")
	case p.accept("union"):
		p.want("{")
		for !p.is("}") {
			y.members = append(y.members, p.typeExpr())
			if !p.accept(",") && !p.is("}") {
				p.want(",", "}")
			}
		}
		p.want("}")
	case p.accept("record"):
		for p.semicolons(); p.peek().kind == identifier; p.semicolons() {
			names := p.names("a field")
			p.want(":")
			typed := p.typeExpr()
			for _, n := range names {
				y.fields = append(y.fields, variable{named: n, typed: typed})
			}
		}
		p.end("endrecord")
	case p.accept("array"):
		p.want("[")
		y.index = p.typeExpr()
		p.want("]")
		p.want("of")
		y.elem = p.typeExpr()
	case p.accept("multiset"):
		p.want("[")
		y.high = p.expr()
		p.want("]")
		p.want("of")
		y.elem = p.typeExpr()
	case p.is("real"):
		p.fail(t.at, "real is not read: want a scalarset, an enumeration, a range, a record, an array or a multiset")
	case t.kind == identifier && !(p.tokens[1].kind == sign && strings.Contains("+ - * / % .. ( [ .", p.tokens[1].text)):
		p.take()
		y.op, y.name = "name", t.text
	default:
		y.op, y.low = "..", p.binary(sums)
		p.want("..")
		y.high = p.binary(sums)
	}
	return y
}

func (p *parser) stmts(ends ...string) (list []*stmt) {
	for p.semicolons(); !p.is("end", "else", "elsif", "case") && !p.closes() && !p.is(ends...); p.semicolons() {
		if p.peek().kind == ending {
			p.fail(p.peek().at, "the file ends here: want a statement or end")
		}
		list = append(list, p.stmt())
		if !p.is(";", "end", "else", "elsif", "case") && !p.closes() && !p.is(ends...) {
			p.fail(p.peek().at, "%v is unexpected here: want ; or end", p.peek())
		}
	}
	return list
}

// closes reports whether the next word closes a construct.
func (p *parser) closes() bool {
	t := p.peek()
	return t.kind == keyword && strings.Contains(closings, " "+t.text+" ")
}

func (p *parser) stmt() *stmt {
	defer p.deeper()()
	t := p.peek()
	s := &stmt{op: t.text, at: t.at}
	one := func() { s.exprs = append(s.exprs, p.expr()) }
	switch {
	case t.kind == identifier:
		e := p.primary()
		if s.op = "call"; e.op != "call" {
			s.op = p.want(":=").text
			s.exprs = []*expr{e, p.expr()}
			break
		}
		s.exprs = []*expr{e}
	case p.accept("if"):
		one()
		p.want("then")
		s.bodies = append(s.bodies, p.stmts())
		for p.accept("elsif") {
			one()
			p.want("then")
			s.bodies = append(s.bodies, p.stmts())
		}
		s.bodies = append(s.bodies, nil)
		if p.accept("else") {
			s.bodies[len(s.bodies)-1] = p.stmts()
		}
		p.end("endif")
	case p.accept("switch"):
		one()
		for p.accept("case") {
			labels := []*expr{p.expr()}
			for p.accept(",") {
				labels = append(labels, p.expr())
			}
			p.want(":")
			s.cases, s.bodies = append(s.cases, labels), append(s.bodies, p.stmts())
		}
		s.bodies = append(s.bodies, nil)
		if p.accept("else") {
			s.bodies[len(s.bodies)-1] = p.stmts()
		}
		p.end("endswitch")
	case p.accept("for"):
		s.over = p.quantifier()
		p.want("do")
		s.bodies = [][]*stmt{p.stmts()}
		p.end("endfor")
	case p.accept("while"):
		one()
		p.want("do")
		s.bodies = [][]*stmt{p.stmts()}
		p.end("endwhile")
	case p.accept("alias"):
		s.aliases = p.aliases()
		s.bodies = [][]*stmt{p.stmts()}
		p.end("endalias")
	case p.accept("clear", "undefine"):
		one()
	case p.accept("error"):
		if p.peek().kind != quoted {
			p.fail(p.peek().at, "%v is unexpected here: want the text of the error in quotes", p.peek())
		}
		s.text = p.take().text
	case p.accept("put"):
		if p.peek().kind == quoted {
			p.take()
			break
		}
		one()
	case p.accept("assert", "invariant"):
		s.op = "assert"
		if p.peek().kind == quoted {
			s.text = p.take().text
		}
		one()
		if p.peek().kind == quoted {
			s.text = p.take().text
		}
	case p.accept("return"):
		if !p.is(";", "end") && !p.closes() && !p.is("else", "elsif", "case") {
			one()
		}
	case p.accept("assume", "cover"):
		if p.peek().kind == quoted {
			s.text = p.take().text
		}
		one()
		if p.peek().kind == quoted {
			s.text = p.take().text
		}
	case p.is("liveness"):
		p.fail(t.at, "liveness within a rule is not read: write it as a property, outside of rules")
	case p.accept("multisetadd", "multisetremove"):
		p.want("(")
		one()
		p.want(",")
		one()
		p.want(")")
	case p.accept("multisetremovepred"):
		q, cond := p.members(t.text)
		s.over, s.exprs = q, []*expr{cond}
	default:
		p.fail(t.at, "%v is unexpected here: want a statement", t)
	}
	return s
}

// levels are the binary operators, the loosest first. Negation with ! stands between & and the comparisons.
func levels() [][]string {
	return [][]string{{"|"}, {"&"}, {"="}, {"+", "-"}, {"*", "/", "%"}}
}

const sums = 3 // their level

func (p *parser) expr() *expr {
	defer p.deeper()()
	e := p.binary(0)
	if t := p.peek(); p.accept("->") {
		e = &expr{op: "->", at: t.at, args: []*expr{e, p.binary(0)}}
		if p.is("->") {
			p.fail(p.peek().at, "-> after ->: want parentheses")
		}
	}
	if t := p.peek(); p.accept("?") {
		yes := p.expr()
		p.want(":")
		e = &expr{op: "?", at: t.at, args: []*expr{e, yes, p.expr()}}
	}
	return e
}

func (p *parser) binary(level int) *expr {
	defer p.deeper()()
	if level == len(levels()) {
		return p.unary()
	}
	operators := levels()[level]
	if operators[0] == "=" {
		if t := p.peek(); p.accept("!") {
			return &expr{op: "!", at: t.at, args: []*expr{p.binary(level)}}
		}
		operators = []string{"=", "!=", "<", "<=", ">", ">="}
	}
	e := p.binary(level + 1)
	for {
		t := p.peek()
		if p.is("<<", ">>", "^", "~") {
			p.fail(t.at, "%s is not read: want arithmetic with + - * / %%", t.text)
		}
		if !p.accept(operators...) {
			return e
		}
		if operators[0] == "=" && (e.op == "=" || e.op == "!=" || e.op == "<" || e.op == "<=" || e.op == ">" ||
			e.op == ">=") && e.at.line > 0 && !e.closed() {
			p.fail(t.at, "%s after %s: want parentheses", t.text, e.op)
		}
		e = &expr{op: t.text, at: t.at, args: []*expr{e, p.binary(level + 1)}}
	}
}

// closed reports whether an expression was written in parentheses.
func (e *expr) closed() bool { return e.value == math.MinInt }

func (p *parser) unary() *expr {
	defer p.deeper()()
	t := p.peek()
	switch {
	case p.accept("-"):
		return &expr{op: "neg", at: t.at, args: []*expr{p.unary()}}
	case p.accept("+"):
		return p.unary()
	case p.accept("!"):
		return &expr{op: "!", at: t.at, args: []*expr{p.unary()}}
	case p.accept("~"):
		p.fail(t.at, "~ is not read: want ! for a condition")
	}
	return p.primary()
}

func (p *parser) primary() *expr {
	t := p.take()
	e := &expr{op: t.text, at: t.at}
	switch {
	case t.kind == number:
		v, err := strconv.ParseInt(t.text, 10, 64)
		if hex, is := strings.CutPrefix(strings.ToLower(t.text), "0x"); is {
			v, err = strconv.ParseInt(hex, 16, 64)
		}
		if len(t.text) > 1 && t.text[0] == '0' && digit(t.text[1]) {
			p.fail(t.at, "the number %s begins with 0: some readers take it as octal, others as decimal", t.text)
		}
		if err != nil || v > largest {
			p.fail(t.at, "invalid number %.40q: want one of at most %d", t.text, largest)
		}
		e.op, e.value = "number", int(v)
		return e
	case t.kind == sign && t.text == "(":
		e = p.expr()
		p.want(")")
		if e.op != "number" {
			e.value = math.MinInt
		}
		return e
	case t.kind == keyword && (t.text == "forall" || t.text == "exists"):
		e.over = p.quantifier()
		p.want("do")
		e.args = []*expr{p.expr()}
		p.end("end" + t.text)
		return e
	case t.kind == keyword && t.text == "isundefined":
		p.want("(")
		e.args = []*expr{p.expr()}
		p.want(")")
		return e
	case t.kind == keyword && t.text == "ismember":
		p.want("(")
		e.args = []*expr{p.expr()}
		p.want(",")
		e.typed = p.typeExpr()
		p.want(")")
		return e
	case t.kind == keyword && t.text == "multisetcount":
		q, cond := p.members(t.text)
		e.over, e.args = q, []*expr{cond}
		return e
	case t.kind != identifier:
		p.fail(t.at, "%v is unexpected here: want an expression", t)
	}
	e.op, e.name = "name", t.text
	if p.accept("(") {
		e.op = "call"
		for !p.is(")") {
			e.args = append(e.args, p.expr())
			if !p.accept(",") && !p.is(")") {
				p.want(",", ")")
			}
		}
		p.want(")")
		return e
	}
	for p.is(".", "[") {
		t := p.take()
		if t.text == "." {
			n := p.name("a field")
			e = &expr{op: ".", at: n.at, name: n.name, args: []*expr{e}}
			continue
		}
		e = &expr{op: "[", at: t.at, args: []*expr{e, p.expr()}}
		p.want("]")
	}
	return e
}
