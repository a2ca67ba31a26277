package program

import (
	"context"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/internal/cursor"
)

// Bounds of what is read, so that no text makes a reader take time or memory out
// of proportion to its length.
const (
	mostOperators = 1 << 24 // in a program; each takes 40 bytes
	mostNesting   = 1000    // operators or statements within each other
)

// ReadClosed reads a program in the closed form: keys in any order, any white space.
// The program is one that Check accepts. Errors are *spec.PosError with the given file
// name; time and memory are linear in the text.
func ReadClosed(file string, text []byte) (*Program, error) {
	c := cursor.New(context.Background(), text, func(line, col int, msg string) error {
		return &spec.PosError{File: file, Line: line, Col: col, Msg: msg}
	}, spec.Printable)
	r := &closedReader{text: text, p: &Program{}, variables: map[string]int{}, properties: builtIn(), expected: map[string]int{}}
	if err := r.program(c); err != nil {
		return nil, err
	}
	if err := r.p.Check(); err != nil {
		return nil, c.At(0, "%v", err)
	}
	return r.p, nil
}

// closedReader reads the values of the outermost keys.
type closedReader struct {
	*cursor.Cursor // of the value that is being read
	text           []byte
	p              *Program
	variables      map[string]int // by name, the number
	properties     map[string]int // that every program has, and those read
	expected       map[string]int // the properties of which something is expected
	operators      int
	depth          int
}

// program reads expectations last and variables before what names them.
func (r *closedReader) program(c *cursor.Cursor) error {
	var format uint8
	values := map[string]func() error{
		"format":     func() error { return cursor.Choice(r.Cursor, &format, []string{ClosedFormat}) },
		"name":       func() error { return r.name(&r.p.Name, map[string]int{}) },
		"variables":  func() error { return r.List(r.declaration) },
		"rules":      func() error { return r.List(r.rule) },
		"invariants": func() error { return r.List(r.invariant) },
		"responses":  func() error { return r.List(r.response) },
		"final":      r.condition(&r.p.Final),
		"expect":     func() error { return r.List(r.expectation) },
	}
	sections := map[string]func(*cursor.Cursor) error{}
	for key, read := range values {
		sections[key] = func(c *cursor.Cursor) error {
			r.Cursor = c
			return read()
		}
	}
	return c.InOrder([]string{"format", "name", "variables", "rules", "invariants", "responses", "final", "expect"}, sections,
		"invariants", "responses", "final", "expect")
}

// peek returns the first byte of the next token, 0 at the end.
func (r *closedReader) peek() byte {
	if at := r.Next(); at < len(r.text) {
		return r.text[at]
	}
	return 0
}

// name reads a name that is not among those seen, and adds it.
func (r *closedReader) name(s *string, seen map[string]int) error {
	if err := r.String(s); err != nil {
		return err
	}
	if err := fresh(seen, *s); err != nil {
		return r.Wrong("%v", err)
	}
	return nil
}

func (r *closedReader) expectation() error {
	var x Expectation
	verdicts := []string{spec.Unknown.String(), spec.Holds.String(), spec.Violated.String()}
	begin := r.Next()
	err := r.Object(map[string]func() error{
		"property": func() error { return r.name(&x.Property, r.expected) },
		"verdict":  func() error { return cursor.Choice(r.Cursor, &x.Verdict, verdicts) },
	})
	if fault := x.check(r.properties); err == nil && fault != nil {
		err = r.At(begin, "%v", fault)
	}
	r.p.Expect = append(r.p.Expect, x)
	return err
}

func (r *closedReader) declaration() error {
	var v Variable
	begin := r.Next()
	err := r.Object(map[string]func() error{
		"name":    func() error { return r.name(&v.Name, r.variables) },
		"values":  func() error { return r.values(&v) },
		"initial": func() error { return r.integer(&v.Initial) },
	}, "initial")
	if fault := v.check(); err == nil && fault != nil {
		err = r.At(begin, "%v", fault)
	}
	r.p.Variables = append(r.p.Variables, v)
	return err
}

// values reads how many values a variable has, or their names.
func (r *closedReader) values(v *Variable) error {
	if r.peek() != '[' {
		return r.integer(&v.Values)
	}
	v.Names = []string{}
	err := r.Strings(&v.Names)
	v.Values = len(v.Names)
	return err
}

func (r *closedReader) integer(x *int) error { return cursor.Number(r.Cursor, x, -largest, largest) }

func (r *closedReader) rule() error {
	var rule Rule
	err := r.Object(map[string]func() error{
		"name":   func() error { return r.name(&rule.Name, map[string]int{}) },
		"unfair": func() (err error) { rule.Unfair, err = cursor.As[bool](r.Cursor, "true or false"); return err },
		"guard":  r.condition(&rule.Guard),
		"do":     func() error { return r.statements(&rule.Effect) },
	}, "unfair")
	r.p.Rules = append(r.p.Rules, rule)
	return err
}

func (r *closedReader) invariant() error {
	var v Invariant
	err := r.Object(map[string]func() error{
		"name":  func() error { return r.name(&v.Name, r.properties) },
		"cover": func() error { return r.name(&v.Cover, r.properties) },
		"holds": r.condition(&v.Holds),
	}, "cover")
	r.p.Invariants = append(r.p.Invariants, v)
	return err
}

func (r *closedReader) response() error {
	var v Response
	err := r.Object(map[string]func() error{
		"name":    func() error { return r.name(&v.Name, r.properties) },
		"pending": r.condition(&v.Pending),
	})
	r.p.Responses = append(r.p.Responses, v)
	return err
}

// condition reads an expression that must be a truth value.
func (r *closedReader) condition(e *Expr) func() error {
	return func() error {
		begin, err := r.expr(e)
		if err == nil {
			if fault := r.p.truth(e); fault != nil {
				err = r.At(begin, "%v", fault)
			}
		}
		return err
	}
}

// deeper counts what stands within something else.
func (r *closedReader) deeper() error {
	if r.depth++; r.depth > mostNesting {
		return r.Wrong("more than %d operators or statements within each other", mostNesting)
	}
	if r.operators++; r.operators > mostOperators {
		return r.Wrong("more than %d operators and statements", mostOperators)
	}
	return nil
}

// statements reads a sequence, and checks it.
func (r *closedReader) statements(list *[]Stmt) error {
	return r.List(func() error {
		var s Stmt
		err := r.statement(&s)
		*list = append(*list, s)
		return err
	})
}

func (r *closedReader) statement(s *Stmt) error {
	defer func() { r.depth-- }()
	if err := r.deeper(); err != nil {
		return err
	}
	begin := r.Next()
	if err := r.Delim('['); err != nil {
		return err
	}
	var kind string
	if err := r.String(&kind); err != nil {
		return err
	}
	switch kind {
	case "set":
		x, err := r.variable()
		if err != nil {
			return err
		}
		s.Var = x
		if _, err := r.expr(&s.Value); err != nil {
			return err
		}
		if fault := r.p.statements([]Stmt{*s}); fault != nil {
			return r.At(begin, "%v", fault)
		}
	case "if":
		if err := r.condition(&s.Cond)(); err != nil {
			return err
		}
		if err := r.statements(&s.Then); err != nil {
			return err
		}
		if err := r.statements(&s.Else); err != nil {
			return err
		}
	default:
		return r.Wrong("invalid statement %.40q: want \"set\" or \"if\"", kind)
	}
	return r.Delim(']')
}

// variable reads the name of a variable.
func (r *closedReader) variable() (Var, error) {
	var name string
	if err := r.String(&name); err != nil {
		return 0, err
	}
	x, known := r.variables[name]
	if !known {
		return 0, r.Wrong("unknown variable %.60q", name)
	}
	return Var(x), nil
}

// expr reads an expression and says where it begins. Its parts are not checked.
func (r *closedReader) expr(e *Expr) (begin int, err error) {
	defer func() { r.depth-- }()
	if err := r.deeper(); err != nil {
		return 0, err
	}
	begin = r.Next()
	switch p := r.peek(); {
	case p == '[':
		return begin, r.operator(e, begin)
	case p == '"':
		x, err := r.variable()
		*e = Value(x)
		return begin, err
	case p == '-' || p >= '0' && p <= '9':
		e.Op = Constant
		return begin, r.integer(&e.Value)
	}
	return begin, r.At(begin, "want a number, the name of a variable, or an operator with its arguments here")
}

// operator reads an operator and its arguments.
func (r *closedReader) operator(e *Expr, begin int) error {
	if err := r.Delim('['); err != nil {
		return err
	}
	var name string
	if err := r.String(&name); err != nil {
		return err
	}
	op := slices.Index(opNames[:], name)
	if op < int(Plus) {
		return r.Wrong("invalid operator %.40q: want one of + - * = != < <= and or not if", name)
	}
	e.Op = Op(op)
	for r.More() {
		var arg Expr
		if _, err := r.expr(&arg); err != nil {
			return err
		}
		e.Args = append(e.Args, arg)
	}
	if want := e.Op.arity(); want >= 0 && len(e.Args) != want {
		return r.At(begin, "%q has %d arguments: want %d", name, len(e.Args), want)
	}
	return r.Delim(']')
}
