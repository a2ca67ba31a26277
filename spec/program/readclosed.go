package program

import (
	"context"
	"maps"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/internal/cursor"
)

// Bounds on input, so that no text makes a reader take time or memory out of
// proportion to its length.
const (
	mostOperators = 1 << 24 // in a program; each takes 40 bytes
	mostNesting   = 1000    // operators or statements within each other
)

// ReadClosed reads a program in the closed form: keys in any order, any white space.
// The program is one that Check accepts; what Check refuses is placed at its variable,
// rule, property or expectation. Errors are *spec.PosError with the given file name;
// time and memory are linear in the text.
func ReadClosed(file string, text []byte) (*Program, error) {
	c := cursor.New(context.Background(), text, func(line, col int, msg string) error {
		return &spec.PosError{File: file, Line: line, Col: col, Msg: msg}
	}, spec.Printable)
	r := &closedReader{
		text: text, p: &Program{}, variables: map[string]int{}, begins: map[string][]int{}, names: map[int]string{},
	}
	if err := r.program(c); err != nil {
		return nil, err
	}
	if f := r.p.check(); f.error != nil {
		return nil, c.ErrorAt(r.begins[f.list][f.item], "%v", f.error)
	}
	return r.p, nil
}

// closedReader reads the values of the outermost keys. The functions that its methods
// return read what comes next.
type closedReader struct {
	*cursor.Cursor // of the value that is being read
	text           []byte
	p              *Program
	variables      map[string]int   // by name, the number
	begins         map[string][]int // by key, the offsets of the items read
	names          map[int]string   // by offset, names of no variable whose values are not found yet
	operators      int
	depth          int
}

// named is the operator of an expression that stands for the name at the offset Value, until
// settle has found the value.
const named = Op(255)

// program reads variables before what refers to them.
func (r *closedReader) program(c *cursor.Cursor) error {
	var format uint8
	values := map[string]func() error{
		"format":     func() error { return cursor.Choice(r.Cursor, &format, []string{ClosedFormat}) },
		"name":       r.item("name", r.name(&r.p.Name)),
		"variables":  items(r, "variables", &r.p.Variables, r.variable),
		"starts":     items(r, "starts", &r.p.Starts, r.start),
		"rules":      items(r, "rules", &r.p.Rules, r.rule),
		"invariants": items(r, "invariants", &r.p.Invariants, r.invariant),
		"responses":  items(r, "responses", &r.p.Responses, r.response),
		"formulas":   items(r, "formulas", &r.p.Formulas, r.formula),
		"final":      r.item("final", r.expr(&r.p.Final)),
		"expect":     items(r, "expect", &r.p.Expect, r.expectation),
	}
	sections := map[string]func(*cursor.Cursor) error{}
	for key, read := range values {
		sections[key] = func(c *cursor.Cursor) error {
			r.Cursor = c
			return read()
		}
	}
	return c.InOrder([]string{"format", "name", "variables", "starts", "rules", "invariants", "responses", "formulas", "final",
		"expect"},
		sections, "starts", "invariants", "responses", "formulas", "final", "expect")
}

// item notes where the next item begins, whose names must all be known.
func (r *closedReader) item(key string, read func() error) func() error {
	return func() error {
		r.begins[key] = append(r.begins[key], r.NextOffset())
		err := read()
		if err == nil && len(r.names) > 0 {
			at := slices.Min(slices.Collect(maps.Keys(r.names)))
			err = r.ErrorAt(at,
				"unknown name %.60q: want that of a variable, or of a value of the variable that it is compared with "+
					"or assigned to", r.names[at])
		}
		return err
	}
}

// items reads a list; with a key, it notes where each item begins.
func items[T any](r *closedReader, key string, list *[]T, read func(*T) error) func() error {
	next := func() error {
		*list = append(*list, *new(T))
		return read(&(*list)[len(*list)-1])
	}
	if key != "" {
		next = r.item(key, next)
	}
	return func() error { return r.List(next) }
}

func (r *closedReader) name(s *string) func() error { return func() error { return r.String(s) } }

func (r *closedReader) expectation(x *Expectation) error {
	err := r.Object(map[string]func() error{
		"property": r.name(&x.Property),
		"verdict": func() error {
			return cursor.Choice(r.Cursor, &x.Verdict,
				[]string{spec.Unknown.String(), spec.Holds.String(), spec.Violated.String()})
		},
	})
	const former = "deadlock" // the name before the first release
	if x.Property == former &&
		!slices.ContainsFunc(r.p.Invariants, func(v Invariant) bool { return v.Name == former }) &&
		!slices.ContainsFunc(r.p.Responses, func(v Response) bool { return v.Name == former }) {
		x.Property = spec.DeadlockFreedom.String()
	}
	return err
}

func (r *closedReader) variable(v *Variable) error {
	var initial Expr
	err := r.Object(map[string]func() error{
		"name": r.name(&v.Name),
		"values": func() error { // how many, or their names
			if r.peek() != '[' {
				return r.integer(&v.Values)
			}
			v.Names = []string{}
			err := r.Strings(&v.Names)
			v.Values = len(v.Names)
			return err
		},
		"initial": func() error {
			if r.peek() == '"' {
				return r.named(&initial, nil)
			}
			return r.integer(&initial.Value)
		},
	}, "initial")
	x := len(r.p.Variables) - 1
	if r.settle(&initial, Value(Var(x))); err == nil && initial.Op == named {
		name := r.names[initial.Value]
		return r.ErrorAt(initial.Value, "unknown value %.60q: want one of the names in \"values\"", name)
	}
	r.variables[v.Name], v.Initial = x, initial.Value
	return err
}

const mostStarts = 1 << 24 // values of all initial states

// start reads an initial state: the variables that differ from the first one, each with its value.
func (r *closedReader) start(values *[]int) error {
	if len(r.p.Starts)*len(r.p.Variables) > mostStarts {
		return r.ErrorAt(r.NextOffset(), "the initial states have more than %d values", mostStarts)
	}
	for _, v := range r.p.Variables {
		*values = append(*values, v.Initial)
	}
	return r.List(func() error {
		if err := r.Delim('['); err != nil {
			return err
		}
		var x Expr
		if err := r.named(&x, r.variables); err != nil {
			return err
		}
		if x.Op == named {
			return r.ErrorAt(x.Value, "unknown name %.60q: want that of a variable", r.names[x.Value])
		}
		if err := r.integer(&(*values)[x.Value]); err != nil {
			return err
		}
		return r.Delim(']')
	})
}

func (r *closedReader) integer(x *int) error { return cursor.Number(r.Cursor, x, -largest, largest) }

func (r *closedReader) rule(rule *Rule) error {
	return r.Object(map[string]func() error{
		"name":   r.name(&rule.Name),
		"unfair": func() (err error) { rule.Unfair, err = cursor.As[bool](r.Cursor, "true or false"); return err },
		"strong": func() (err error) { rule.Strong, err = cursor.As[bool](r.Cursor, "true or false"); return err },
		"guard":  r.expr(&rule.Guard),
		"do":     items(r, "", &rule.Effect, r.statement),
	}, "unfair", "strong")
}

func (r *closedReader) invariant(v *Invariant) error {
	return r.Object(map[string]func() error{
		"name": r.name(&v.Name), "cover": r.name(&v.Cover), "holds": r.expr(&v.Holds),
	}, "cover")
}

func (r *closedReader) response(v *Response) error {
	return r.Object(map[string]func() error{"name": r.name(&v.Name), "pending": r.expr(&v.Pending)})
}

func (r *closedReader) formula(f *Formula) error {
	flag := func(set *bool) func() error {
		return func() (err error) { *set, err = cursor.As[bool](r.Cursor, "true or false"); return err }
	}
	return r.Object(map[string]func() error{
		"name":     r.name(&f.Name),
		"unfair":   flag(&f.Unfair),
		"possible": flag(&f.Possible),
		"holds":    r.expr(&f.Holds),
	}, "unfair", "possible")
}

func (r *closedReader) statement(s *Stmt) error {
	kind, err := r.begin()
	if err != nil {
		return err
	}
	var parts []func() error
	switch kind {
	case "set":
		var x Expr
		parts = []func() error{func() error { return r.named(&x, r.variables) }, r.expr(&s.Value), func() error {
			s.Var = Var(x.Value)
			r.settle(&s.Value, x)
			return nil
		}}
	case "if":
		parts = []func() error{r.expr(&s.Cond), items(r, "", &s.Then, r.statement), items(r, "", &s.Else, r.statement)}
	default:
		return r.Wrong("invalid statement %.40q: want \"set\" or \"if\"", kind)
	}
	for _, read := range parts {
		if err := read(); err != nil {
			return err
		}
	}
	r.depth--
	return r.Delim(']')
}

// begin reads the bracket and the name at the beginning of a statement or an operator.
func (r *closedReader) begin() (name string, err error) {
	if err = r.Delim('['); err == nil {
		err = r.String(&name)
	}
	if r.depth++; err == nil && r.depth > mostNesting {
		err = r.Wrong("more than %d operators or statements within each other", mostNesting)
	}
	return name, err
}

// named reads the name of one of the variables, or of a value, which settle finds.
func (r *closedReader) named(e *Expr, variables map[string]int) error {
	at, name := r.NextOffset(), ""
	err := r.String(&name)
	x, known := variables[name]
	if *e = Value(Var(x)); err == nil && !known {
		*e, r.names[at] = Expr{Op: named, Value: at}, name
	}
	return err
}

// settle finds the values named in an expression, or in the branches of an "if", that is
// compared with a variable or assigned to it.
func (r *closedReader) settle(e *Expr, beside Expr) {
	if e.Op == Choice {
		for i := range e.Args {
			r.settle(&e.Args[i], beside)
		}
	} else if e.Op == named && beside.Op == Read {
		if i := slices.Index(r.p.Variables[beside.Value].Names, r.names[e.Value]); i >= 0 {
			delete(r.names, e.Value)
			*e = Const(i)
		}
	}
}

func (r *closedReader) expr(e *Expr) func() error { return func() error { return r.expression(e) } }

func (r *closedReader) expression(e *Expr) error {
	if r.operators++; r.operators > mostOperators {
		return r.Wrong("more than %d operators and operands", mostOperators)
	}
	switch first := r.peek(); {
	case first == '"':
		return r.named(e, r.variables)
	case first == '-' || first >= '0' && first <= '9':
		e.Op = Constant
		return r.integer(&e.Value)
	case first != '[':
		return r.ErrorAt(r.NextOffset(),
			"want a number, the name of a variable, or an operator with its arguments here")
	}
	name, err := r.begin()
	if err != nil {
		return err
	}
	e.Op = Op(max(0, slices.IndexFunc(operators[:], func(o operator) bool { return o.name == name })))
	if e.Op < Plus {
		return r.Wrong("invalid operator %.40q: want one of + - * = != < <= and or not if until always eventually", name)
	}
	for r.HasMore() {
		e.Args = append(e.Args, Expr{})
		if err := r.expression(&e.Args[len(e.Args)-1]); err != nil {
			return err
		}
	}
	if e.Op >= Equal && e.Op <= LessEqual && len(e.Args) == 2 {
		r.settle(&e.Args[0], e.Args[1])
		r.settle(&e.Args[1], e.Args[0])
	}
	r.depth--
	return r.Delim(']')
}

// peek returns the first byte of the next token, 0 at the end.
func (r *closedReader) peek() byte {
	if at := r.NextOffset(); at < len(r.text) {
		return r.text[at]
	}
	return 0
}
