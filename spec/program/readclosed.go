package program

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/states"
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
	r := &closedReader{file: file, text: text, dec: dec, p: &Program{}, number: map[string]Var{}, expected: map[string]bool{}, claimed: map[string]bool{}}
	if err := r.program(); err != nil {
		return nil, err
	}
	if rest := bytes.TrimLeft(text[dec.InputOffset():], " \t\r\n"); len(rest) > 0 {
		return nil, r.at(len(text)-len(rest), "text after the end of the program")
	}
	if err := r.p.Check(); err != nil {
		return nil, r.at(0, "%v", err)
	}
	properties := r.p.properties()
	for i, x := range r.p.Expect {
		if !properties[x.Property] {
			return nil, r.at(r.expects[i], "%.60q is not \"deadlock\", and no invariant or response has that name", x.Property)
		}
	}
	return r.p, nil
}

// properties returns the names of what may be expected of the program.
func (p *Program) properties() map[string]bool {
	names := map[string]bool{spec.Deadlock.String(): true}
	for _, v := range p.Invariants {
		names[v.Name] = true
	}
	for _, v := range p.Responses {
		names[v.Name] = true
	}
	return names
}

// closedReader reads JSON tokens and knows where it is.
type closedReader struct {
	file      string
	text      []byte
	dec       *json.Decoder
	start     int // offset of the last token
	p         *Program
	number    map[string]Var  // of the variables read, by name
	expects   []int           // where the expectations stand
	expected  map[string]bool // the properties of which something is expected
	claimed   map[string]bool // the names of invariants and responses read
	operators int
	depth     int
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

// token reads the next one. Every text may be a name, see [spec.Printable].
func (r *closedReader) token() (json.Token, error) {
	r.start = int(r.dec.InputOffset())
	for r.start < len(r.text) && bytes.IndexByte([]byte(" \t\r\n,:"), r.text[r.start]) >= 0 {
		r.start++
	}
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

func (r *closedReader) name(s *string) error {
	err := r.string(s)
	if err == nil && *s == "" {
		err = r.wrong("a name must not be empty")
	}
	return err
}

// integer reads what a token says, if it is a number.
func (r *closedReader) integer(t json.Token, least, most int) (int, error) {
	n, ok := t.(json.Number)
	if !ok {
		return 0, r.wrong("want an integer here")
	}
	v, err := strconv.Atoi(n.String())
	switch {
	case err != nil || strconv.Itoa(v) != n.String():
		return 0, r.wrong("invalid integer %.40s", n)
	case v < least || v > most:
		return 0, r.wrong("%d is out of range: want %d to %d", v, least, most)
	}
	return v, nil
}

// object reads an object with some of the given keys, all of the needed ones.
func (r *closedReader) object(fields map[string]func() error, needed ...string) error {
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
	for _, key := range needed {
		if !seen[key] {
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
		"name":       func() error { return r.name(&r.p.Name) },
		"expect":     func() error { return r.list(r.expectation) },
		"variables":  func() error { return r.list(r.variable) },
		"rules":      func() error { return r.list(r.rule) },
		"invariants": r.invariants,
		"responses":  r.responses,
		"final":      func() (err error) { r.p.Final, err = r.condition(); return err },
	}, "format", "name", "variables", "rules")
}

func (r *closedReader) expectation() error {
	var x Expectation
	return r.unique("property", &x.Property, map[string]func() error{
		"verdict": func() error {
			var verdict string
			err := r.string(&verdict)
			var ok bool
			if x.Verdict, ok = spec.ParseVerdict(verdict); err == nil && !ok {
				err = r.wrong("invalid verdict %.40q: want holds, violated or unknown", verdict)
			}
			return err
		},
	}, func(name string) bool { return r.expected[name] }, func() {
		r.expected[x.Property] = true
		r.p.Expect = append(r.p.Expect, x)
		r.expects = append(r.expects, r.start)
	})
}

// unique reads an object that has a name of its own under the given key and
// adds it, unless there is one of that name.
func (r *closedReader) unique(key string, name *string, fields map[string]func() error, taken func(string) bool, add func()) error {
	fields[key] = func() error {
		err := r.name(name)
		if err == nil && taken(*name) {
			err = r.wrong("%.60q stands here twice", *name)
		}
		return err
	}
	needed := make([]string, 0, len(fields))
	for _, k := range [...]string{"name", "property", "values", "verdict", "holds", "pending"} {
		if fields[k] != nil {
			needed = append(needed, k)
		}
	}
	if err := r.object(fields, needed...); err != nil {
		return err
	}
	add()
	return nil
}

func (r *closedReader) variable() error {
	const mostValues = 1 << 30
	var v Variable
	begin := 0
	return r.unique("name", &v.Name, map[string]func() error{
		"values": func() error {
			t, err := r.token()
			if err != nil {
				return err
			}
			begin = r.start
			if t != json.Delim('[') {
				v.Values, err = r.integer(t, 1, mostValues)
				return err
			}
			v.Names = []string{}
			for r.dec.More() {
				var name string
				if err := r.string(&name); err != nil {
					return err
				}
				v.Names = append(v.Names, name)
			}
			if v.Values = len(v.Names); v.Values == 0 {
				return r.at(begin, "want the name of a value at least")
			}
			return r.delim(']')
		},
		"initial": func() error {
			t, err := r.token()
			if err == nil {
				v.Initial, err = r.integer(t, 0, mostValues-1)
			}
			return err
		},
	}, func(name string) bool { _, is := r.number[name]; return is }, func() {
		r.number[v.Name] = Var(len(r.p.Variables))
		r.p.Variables = append(r.p.Variables, v)
	})
}

func (r *closedReader) rule() error {
	var rule Rule
	err := r.object(map[string]func() error{
		"name": func() error { return r.name(&rule.Name) },
		"unfair": func() error {
			t, err := r.token()
			var ok bool
			if rule.Unfair, ok = t.(bool); err == nil && !ok {
				err = r.wrong("want true or false here")
			}
			return err
		},
		"guard": func() (err error) { rule.Guard, err = r.condition(); return err },
		"do": func() error {
			var err error
			rule.Effect, err = r.statements()
			return err
		},
	}, "name", "guard", "do")
	r.p.Rules = append(r.p.Rules, rule)
	return err
}

func (r *closedReader) invariants() error {
	return r.list(func() error {
		var v Invariant
		return r.unique("name", &v.Name, map[string]func() error{
			"holds": func() (err error) { v.Holds, err = r.condition(); return err },
		}, r.property, func() { r.claimed[v.Name] = true; r.p.Invariants = append(r.p.Invariants, v) })
	})
}

func (r *closedReader) responses() error {
	return r.list(func() error {
		var v Response
		return r.unique("name", &v.Name, map[string]func() error{
			"pending": func() (err error) { v.Pending, err = r.condition(); return err },
		}, r.property, func() { r.claimed[v.Name] = true; r.p.Responses = append(r.p.Responses, v) })
	})
}

// property reports whether a property of that name is there already, as those
// are that every program has.
func (r *closedReader) property(name string) bool {
	return r.claimed[name] || name == spec.Deadlock.String() || name == states.InRange
}

// condition reads an expression that must be a truth value.
func (r *closedReader) condition() (Expr, error) {
	e, begin, err := r.expr()
	if err == nil {
		if fault := r.p.truth(&e); fault != nil {
			err = r.at(begin, "%v", fault)
		}
	}
	return e, err
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
func (r *closedReader) statements() ([]Stmt, error) {
	var all []Stmt
	err := r.list(func() error {
		s, err := r.statement()
		all = append(all, s)
		return err
	})
	return all, err
}

func (r *closedReader) statement() (s Stmt, err error) {
	defer func() { r.depth-- }()
	if err := r.deeper(); err != nil {
		return s, err
	}
	if err := r.delim('['); err != nil {
		return s, err
	}
	begin := r.start
	var kind string
	if err := r.string(&kind); err != nil {
		return s, err
	}
	switch kind {
	case "set":
		var name string
		if err := r.string(&name); err != nil {
			return s, err
		}
		if s.Var, err = r.variableNamed(name); err != nil {
			return s, err
		}
		if s.Value, _, err = r.expr(); err != nil {
			return s, err
		}
		if fault := r.p.statements([]Stmt{s}); fault != nil {
			return s, r.at(begin, "%v", fault)
		}
	case "if":
		if s.Cond, err = r.condition(); err != nil {
			return s, err
		}
		if s.Then, err = r.statements(); err != nil {
			return s, err
		}
		if s.Else, err = r.statements(); err != nil {
			return s, err
		}
	default:
		return s, r.wrong("invalid statement %.40q: want \"set\" or \"if\"", kind)
	}
	return s, r.delim(']')
}

func (r *closedReader) variableNamed(name string) (Var, error) {
	x, known := r.number[name]
	switch {
	case known:
		return x, nil
	case len(r.p.Variables) == 0:
		return 0, r.wrong("the variable %.60q is not known yet: \"variables\" must stand before what names them", name)
	}
	return 0, r.wrong("unknown variable %.60q", name)
}

// expr reads an expression and says where it begins. Its parts are not checked.
func (r *closedReader) expr() (e Expr, begin int, err error) {
	defer func() { r.depth-- }()
	if err := r.deeper(); err != nil {
		return e, 0, err
	}
	t, err := r.token()
	begin = r.start
	if err != nil {
		return e, begin, err
	}
	switch t := t.(type) {
	case json.Number:
		e.Op = Constant
		e.Value, err = r.integer(t, -largest, largest)
		return e, begin, err
	case string:
		x, err := r.variableNamed(t)
		return Value(x), begin, err
	case json.Delim:
		if t == '[' {
			err := r.operator(&e, begin)
			return e, begin, err
		}
	}
	return e, begin, r.wrong("want a number, the name of a variable, or an operator with its arguments here")
}

// operator reads an operator and its arguments, behind the bracket.
func (r *closedReader) operator(e *Expr, begin int) error {
	var name string
	if err := r.string(&name); err != nil {
		return err
	}
	for op, known := range opNames {
		if known == name && name != "" {
			e.Op = Op(op)
		}
	}
	if e.Op == 0 {
		return r.wrong("invalid operator %.40q: want one of + - * = != < <= and or not if", name)
	}
	for r.dec.More() {
		arg, _, err := r.expr()
		if err != nil {
			return err
		}
		e.Args = append(e.Args, arg)
	}
	if want := e.Op.arity(); want >= 0 && len(e.Args) != want {
		return r.at(begin, "%q has %d arguments: want %d", name, len(e.Args), want)
	}
	return r.delim(']')
}
