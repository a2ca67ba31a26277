package program

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	_ "embed" // for the schema
	"encoding/json"
	"io"

	"github.com/seed-105a2da2/unknot/spec"
)

// The closed form of a program: JSON, so that people and other programs can
// write a machine, and a second program can check evidence about it.
//
//	{"format":"unknot-program-1",
//	"name":"token ring of 2",
//	"expect":[{"property":"deadlock","verdict":"holds"}],
//	"variables":[
//	{"name":"token","values":2,"initial":0},
//	{"name":"work","values":["idle","busy"],"initial":0}],
//	"rules":[
//	{"name":"pass","guard":["=","token",0],"do":[["set","token",["+","token",1]]]}],
//	"invariants":[
//	{"name":"one token","holds":["or",["=","token",0],["=","token",1]]}],
//	"responses":[]}
//
// An expression is a number, the name of a variable, or an operator with its
// arguments: + - * of two numbers, = != < <= of two numbers, "and" and "or" of
// any number of conditions, "not" of one, and "if" of a condition and two
// numbers. A statement is ["set", variable, number] or ["if", condition,
// [statements], [statements]], the latter done otherwise.
//
// What may be left out: expect; initial (0); unfair (false); invariants;
// responses; final, which has no default; cover, the name of the property that some state
// violates the invariant. [WriteClosed] writes one canonical
// text, one variable, rule, invariant and response a line, without spaces; the
// SHA-256 of that text without the line of expectations is the program's digest.
//
// Renamings and Module are not written: the one is a hint to searches, the other
// a name in TLA+; neither changes what the machine does.

// ClosedFormat is the value of the key "format" in the closed form.
const ClosedFormat = "unknot-program-1"

// ClosedSchema is the JSON Schema (draft 2020-12) of the closed form.
//
//go:embed program.schema.json
var ClosedSchema string

var opNames = [...]string{
	Plus: "+", Minus: "-", Times: "*", Equal: "=", NotEqual: "!=", Less: "<", LessEqual: "<=",
	Conjunction: "and", Disjunction: "or", Negation: "not", Choice: "if",
}

// WriteClosed writes the canonical closed form. The error is that of Check, of
// names that are no UTF-8, or of w.
func WriteClosed(w io.Writer, p *Program) error { return p.writeClosed(w, true) }

// Digest identifies a program: the SHA-256 of its closed form without
// expectations. The error is that of [WriteClosed].
func (p *Program) Digest() (spec.Digest, error) {
	h := sha256.New()
	if err := p.writeClosed(h, false); err != nil {
		return spec.Digest{}, err
	}
	return spec.Digest(h.Sum(nil)), nil
}

func (p *Program) writeClosed(w io.Writer, expect bool) error {
	if err := p.Check(); err != nil {
		return err
	}
	c := closedWriter{bufio.NewWriterSize(w, 1<<16), p}
	c.WriteString("{")
	c.key("format", ClosedFormat)
	c.WriteString(",\n")
	c.key("name", p.Name)
	if expect && len(p.Expect) > 0 {
		var all []closedExpectation
		for _, x := range p.Expect {
			all = append(all, closedExpectation{x.Property, x.Verdict.String()})
		}
		c.WriteString(",\n")
		c.key("expect", all)
	}
	c.list("variables", len(p.Variables), func(i int) any {
		v := &p.Variables[i]
		if v.Names != nil {
			return closedVariable{v.Name, v.Names, v.Initial}
		}
		return closedVariable{v.Name, v.Values, v.Initial}
	})
	c.list("rules", len(p.Rules), func(i int) any {
		r := &p.Rules[i]
		return closedRule{r.Name, r.Unfair, c.expr(&r.Guard), c.statements(r.Effect)}
	})
	c.list("invariants", len(p.Invariants), func(i int) any {
		v := &p.Invariants[i]
		return closedProperty{Name: v.Name, Cover: v.Cover, Holds: c.expr(&v.Holds)}
	})
	c.list("responses", len(p.Responses), func(i int) any {
		return closedProperty{Name: p.Responses[i].Name, Pending: c.expr(&p.Responses[i].Pending)}
	})
	if p.Final.Op != 0 {
		c.WriteString(",\n")
		c.key("final", c.expr(&p.Final))
	}
	c.WriteString("}\n")
	return c.Flush()
}

// What encoding/json writes as the lines of the closed form.
type (
	closedExpectation struct {
		Property string `json:"property"`
		Verdict  string `json:"verdict"`
	}
	closedVariable struct {
		Name    string `json:"name"`
		Values  any    `json:"values"`
		Initial int    `json:"initial"`
	}
	closedRule struct {
		Name   string `json:"name"`
		Unfair bool   `json:"unfair,omitempty"`
		Guard  any    `json:"guard"`
		Do     []any  `json:"do"`
	}
	closedProperty struct {
		Name    string `json:"name"`
		Cover   string `json:"cover,omitempty"`
		Holds   any    `json:"holds,omitempty"`
		Pending any    `json:"pending,omitempty"`
	}
)

// closedWriter writes the closed form. Errors of the writer below stay in the
// buffer until the end.
type closedWriter struct {
	*bufio.Writer
	p *Program
}

func (c *closedWriter) key(key string, value any) {
	c.WriteString(`"` + key + `":`)
	c.value(value)
}

func (c *closedWriter) value(v any) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic("program: " + err.Error()) // strings, integers and lists always encode
	}
	c.Write(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}

// list writes a key with its items, one a line.
func (c *closedWriter) list(key string, n int, item func(i int) any) {
	c.WriteString(",\n\"" + key + "\":[")
	sep := "\n"
	for i := range n {
		c.WriteString(sep)
		c.value(item(i))
		sep = ",\n"
	}
	c.WriteString("]")
}

func (c *closedWriter) statements(list []Stmt) []any {
	out := []any{}
	for i := range list {
		if s := &list[i]; s.Assigns() {
			out = append(out, []any{"set", c.p.Variables[s.Var].Name, c.expr(&s.Value)})
		} else {
			out = append(out, []any{"if", c.expr(&s.Cond), c.statements(s.Then), c.statements(s.Else)})
		}
	}
	return out
}

func (c *closedWriter) expr(e *Expr) any {
	switch e.Op {
	case Constant:
		return e.Value
	case Read:
		return c.p.Variables[e.Value].Name
	}
	out := []any{opNames[e.Op]}
	for i := range e.Args {
		out = append(out, c.expr(&e.Args[i]))
	}
	return out
}
