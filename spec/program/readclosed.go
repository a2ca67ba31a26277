package program

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"

	"github.com/seed-105a2da2/unknot/spec"
)

// Bounds of what is read, so that no text makes a reader take time or memory out
// of proportion to its length.
const (
	mostOperators = 1 << 24 // in a program; each takes 40 bytes
	mostNesting   = 1000    // operators or statements within each other
)

// ReadClosed reads a program in the closed form: keys in any order, but
// variables before what names them; any white space. The program is one that
// Check accepts. Errors are *spec.PosError with the given file name; time and
// memory are linear in the text.
func ReadClosed(file string, text []byte) (*Program, error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	r := &closedReader{file: file, text: text, dec: dec, p: &Program{}, variables: map[string]int{}, properties: builtIn(), expected: map[string]int{}}
	if err := r.program(); err != nil {
		return nil, err
	}
	if rest := bytes.TrimLeft(text[dec.InputOffset():], " \t\r\n"); len(rest) > 0 {
		return nil, r.at(len(text)-len(rest), "text after the end of the program")
	}
	for i, x := range r.p.Expect {
		if err := x.check(r.properties); err != nil {
			return nil, r.at(r.expects[i], "%v", err)
		}
	}
	if err := r.p.Check(); err != nil {
		return nil, r.at(0, "%v", err)
	}
	return r.p, nil
}

// closedReader reads JSON tokens and knows where it is.
type closedReader struct {
	file       string
	text       []byte
	dec        *json.Decoder
	start      int // offset of the last token
	p          *Program
	variables  map[string]int // by name, the number
	properties map[string]int // that every program has, and those read
	expected   map[string]int // the properties of which something is expected
	expects    []int          // where the expectations stand
	operators  int
	depth      int
}

// at is an error at an offset of the text.
func (r *closedReader) at(offset int, format string, args ...any) error {
	offset = min(offset, len(r.text))
	line := 1 + bytes.Count(r.text[:offset], []byte("\n"))
	col := offset - bytes.LastIndexByte(r.text[:offset], '\n')
	return &spec.PosError{File: r.file, Line: line, Col: col, Msg: fmt.Sprintf(format, args...)}
}

// wrong is an error at the last token.
func (r *closedReader) wrong(format string, args ...any) error { return r.at(r.start, format, args...) }

// next is where the next token starts.
func (r *closedReader) next() int {
	return len(r.text) - len(bytes.TrimLeft(r.text[r.dec.InputOffset():], " \t\r\n,:"))
}

// token reads the next one. Every text may be a name, see [spec.Printable].
func (r *closedReader) token() (json.Token, error) {
	r.start = r.next()
	t, err := r.dec.Token()
	if s, ok := err.(*json.SyntaxError); ok {
		return nil, r.wrong("%v", s)
	}
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return nil, r.at(len(r.text), "unexpected end of file")
	}
	if err != nil {
		return nil, r.wrong("%v", err)
	}
	if s, ok := t.(string); ok {
		return spec.Printable(s), nil
	}
	return t, nil
}

func (r *closedReader) delim(want json.Delim) error {
	t, err := r.token()
	if err == nil && t != want {
		err = r.wrong("want %q here", want.String())
	}
	return err
}

func (r *closedReader) string(s *string) error {
	t, err := r.token()
	if err != nil {
		return err
	}
	var ok bool
	if *s, ok = t.(string); !ok {
		return r.wrong("want a string here")
	}
	return nil
}

// name reads a name that is not among those seen, and adds it.
func (r *closedReader) name(s *string, seen map[string]int) error {
	if err := r.string(s); err != nil {
		return err
	}
	if err := fresh(seen, *s); err != nil {
		return r.wrong("%v", err)
	}
	return nil
}

func (r *closedReader) integer(x *int) error {
	t, err := r.token()
	if err == nil {
		*x, err = r.int(t)
	}
	return err
}

// int returns the integer that a token is, if it is one.
func (r *closedReader) int(t json.Token) (int, error) {
	n, ok := t.(json.Number)
	if !ok {
		return 0, r.wrong("want an integer here")
	}
	v, err := strconv.Atoi(n.String())
	switch {
	case err != nil || strconv.Itoa(v) != n.String():
		return 0, r.wrong("invalid integer %.40s", n)
	case v < -largest || v > largest:
		return 0, r.wrong("%d is out of range: want %d to %d", v, -largest, largest)
	}
	return v, nil
}

// object reads an object with the given keys, of which only the optional ones may
// be missing.
func (r *closedReader) object(fields map[string]func() error, optional ...string) error {
	if err := r.delim('{'); err != nil {
		return err
	}
	begin := r.start
	seen := map[string]bool{}
	for r.dec.More() {
		var key string
		if err := r.string(&key); err != nil {
			return err
		}
		read, ok := fields[key]
		switch {
		case !ok:
			return r.wrong("unknown key %.40q", key)
		case seen[key]:
			return r.wrong("key %q stands here twice", key)
		}
		seen[key] = true
		if err := read(); err != nil {
			return err
		}
	}
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		if !seen[key] && !slices.Contains(optional, key) {
			return r.at(begin, "the key %q is missing", key)
		}
	}
	return r.delim('}')
}

func (r *closedReader) list(item func() error) error {
	if err := r.delim('['); err != nil {
		return err
	}
	for r.dec.More() {
		if err := item(); err != nil {
			return err
		}
	}
	return r.delim(']')
}

func (r *closedReader) program() error {
	return r.object(map[string]func() error{
		"format": func() error {
			var format string
			err := r.string(&format)
			if err == nil && format != ClosedFormat {
				err = r.wrong("format is %.40q: want %q", format, ClosedFormat)
			}
			return err
		},
		"name":       func() error { return r.name(&r.p.Name, map[string]int{}) },
		"expect":     func() error { return r.list(r.expectation) },
		"variables":  func() error { return r.list(r.variable) },
		"rules":      func() error { return r.list(r.rule) },
		"invariants": func() error { return r.list(r.invariant) },
		"responses":  func() error { return r.list(r.response) },
		"final":      r.condition(&r.p.Final),
	}, "expect", "invariants", "responses", "final")
}

func (r *closedReader) expectation() error {
	var x Expectation
	err := r.object(map[string]func() error{
		"property": func() error { return r.name(&x.Property, r.expected) },
		"verdict": func() error {
			var verdict string
			err := r.string(&verdict)
			var ok bool
			if x.Verdict, ok = spec.ParseVerdict(verdict); err == nil && !ok {
				err = r.wrong("invalid verdict %.40q: want holds, violated or unknown", verdict)
			}
			return err
		},
	})
	r.p.Expect, r.expects = append(r.p.Expect, x), append(r.expects, r.start)
	return err
}

func (r *closedReader) variable() error {
	var v Variable
	begin := r.next()
	err := r.object(map[string]func() error{
		"name":    func() error { return r.name(&v.Name, r.variables) },
		"values":  func() error { return r.values(&v) },
		"initial": func() error { return r.integer(&v.Initial) },
	}, "initial")
	if fault := v.check(); err == nil && fault != nil {
		err = r.at(begin, "%v", fault)
	}
	r.p.Variables = append(r.p.Variables, v)
	return err
}

// values reads how many values a variable has, or their names.
func (r *closedReader) values(v *Variable) error {
	if !bytes.HasPrefix(r.text[r.next():], []byte("[")) {
		return r.integer(&v.Values)
	}
	v.Names = []string{}
	err := r.list(func() error {
		var name string
		err := r.string(&name)
		v.Names = append(v.Names, name)
		return err
	})
	v.Values = len(v.Names)
	return err
}

func (r *closedReader) rule() error {
	var rule Rule
	err := r.object(map[string]func() error{
		"name": func() error { return r.name(&rule.Name, map[string]int{}) },
		"unfair": func() error {
			t, err := r.token()
			var ok bool
			if rule.Unfair, ok = t.(bool); err == nil && !ok {
				err = r.wrong("want true or false here")
			}
			return err
		},
		"guard": r.condition(&rule.Guard),
		"do":    func() error { return r.statements(&rule.Effect) },
	}, "unfair")
	r.p.Rules = append(r.p.Rules, rule)
	return err
}

func (r *closedReader) invariant() error {
	var v Invariant
	err := r.object(map[string]func() error{
		"name":  func() error { return r.name(&v.Name, r.properties) },
		"holds": r.condition(&v.Holds),
	})
	r.p.Invariants = append(r.p.Invariants, v)
	return err
}

func (r *closedReader) response() error {
	var v Response
	err := r.object(map[string]func() error{
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
				err = r.at(begin, "%v", fault)
			}
		}
		return err
	}
}

// deeper counts what stands within something else.
func (r *closedReader) deeper() error {
	if r.depth++; r.depth > mostNesting {
		return r.wrong("more than %d operators or statements within each other", mostNesting)
	}
	if r.operators++; r.operators > mostOperators {
		return r.wrong("more than %d operators and statements", mostOperators)
	}
	return nil
}

// statements reads a sequence, and checks it.
func (r *closedReader) statements(list *[]Stmt) error {
	return r.list(func() error {
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
	if err := r.delim('['); err != nil {
		return err
	}
	begin := r.start
	var kind string
	if err := r.string(&kind); err != nil {
		return err
	}
	switch kind {
	case "set":
		var name string
		if err := r.string(&name); err != nil {
			return err
		}
		x, err := r.variableNamed(name)
		if err != nil {
			return err
		}
		s.Var = x
		if _, err := r.expr(&s.Value); err != nil {
			return err
		}
		if fault := r.p.statements([]Stmt{*s}); fault != nil {
			return r.at(begin, "%v", fault)
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
		return r.wrong("invalid statement %.40q: want \"set\" or \"if\"", kind)
	}
	return r.delim(']')
}

func (r *closedReader) variableNamed(name string) (Var, error) {
	x, known := r.variables[name]
	switch {
	case known:
		return Var(x), nil
	case len(r.variables) == 0:
		return 0, r.wrong("the variable %.60q is not known yet: \"variables\" must stand before what names them", name)
	}
	return 0, r.wrong("unknown variable %.60q", name)
}

// expr reads an expression and says where it begins. Its parts are not checked.
func (r *closedReader) expr(e *Expr) (begin int, err error) {
	defer func() { r.depth-- }()
	if err := r.deeper(); err != nil {
		return 0, err
	}
	t, err := r.token()
	begin = r.start
	if err != nil {
		return begin, err
	}
	switch t := t.(type) {
	case json.Number:
		e.Op = Constant
		e.Value, err = r.int(t)
		return begin, err
	case string:
		x, err := r.variableNamed(t)
		*e = Value(x)
		return begin, err
	case json.Delim:
		if t == '[' {
			return begin, r.operator(e, begin)
		}
	}
	return begin, r.wrong("want a number, the name of a variable, or an operator with its arguments here")
}

// operator reads an operator and its arguments, behind the bracket.
func (r *closedReader) operator(e *Expr, begin int) error {
	var name string
	if err := r.string(&name); err != nil {
		return err
	}
	op := slices.Index(opNames[:], name)
	if op < int(Plus) {
		return r.wrong("invalid operator %.40q: want one of + - * = != < <= and or not if", name)
	}
	e.Op = Op(op)
	for r.dec.More() {
		var arg Expr
		if _, err := r.expr(&arg); err != nil {
			return err
		}
		e.Args = append(e.Args, arg)
	}
	if want := e.Op.arity(); want >= 0 && len(e.Args) != want {
		return r.at(begin, "%q has %d arguments: want %d", name, len(e.Args), want)
	}
	return r.delim(']')
}
