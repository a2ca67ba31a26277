package program

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"

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
// responses; final, which has no default. [WriteClosed] writes one canonical
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
	c := closedWriter{Writer: bufio.NewWriterSize(w, 1<<16), p: p}
	c.put(`{"format":"`, ClosedFormat, "\",\n\"name\":")
	c.quote(p.Name)
	c.put(",\n")
	if expect && len(p.Expect) > 0 {
		c.put(`"expect":[`)
		for i, x := range p.Expect {
			c.comma(i, "")
			c.put(`{"property":`)
			c.quote(x.Property)
			c.put(`,"verdict":"`, x.Verdict.String(), `"}`)
		}
		c.put("],\n")
	}
	c.list("variables", len(p.Variables), func(i int) { c.variable(&p.Variables[i]) })
	c.put(",\n")
	c.list("rules", len(p.Rules), func(i int) { c.rule(&p.Rules[i]) })
	c.put(",\n")
	c.list("invariants", len(p.Invariants), func(i int) { c.property(p.Invariants[i].Name, "holds", &p.Invariants[i].Holds) })
	c.put(",\n")
	c.list("responses", len(p.Responses), func(i int) { c.property(p.Responses[i].Name, "pending", &p.Responses[i].Pending) })
	if p.Final.Op != 0 {
		c.put(",\n\"final\":")
		c.expr(&p.Final)
	}
	c.put("}\n")
	if c.fault != nil {
		return c.fault
	}
	return c.Flush()
}

// closedWriter writes the closed form. Errors of the writer below stay in the
// buffer until the end.
type closedWriter struct {
	*bufio.Writer
	p     *Program
	fault error
}

func (c *closedWriter) put(texts ...string) {
	for _, t := range texts {
		c.WriteString(t)
	}
}

func (c *closedWriter) comma(i int, line string) {
	if i > 0 {
		c.put(",")
	}
	c.put(line)
}

func (c *closedWriter) quote(s string) {
	if !utf8.ValidString(s) && c.fault == nil {
		c.fault = c.p.wrong("the name %q is no UTF-8, so that it cannot be written", s)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic("program: a string failed to marshal: " + err.Error()) // encoding/json: strings always marshal
	}
	c.Write(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}

// list writes a key with its items, one a line.
func (c *closedWriter) list(key string, n int, item func(i int)) {
	c.put(`"`, key, `":[`)
	for i := range n {
		c.comma(i, "\n")
		item(i)
	}
	c.put("]")
}

func (c *closedWriter) variable(v *Variable) {
	c.put(`{"name":`)
	c.quote(v.Name)
	c.put(`,"values":`)
	if v.Names == nil {
		c.put(strconv.Itoa(v.Values))
	} else {
		c.put("[")
		for i, name := range v.Names {
			c.comma(i, "")
			c.quote(name)
		}
		c.put("]")
	}
	c.put(`,"initial":`, strconv.Itoa(v.Initial), "}")
}

func (c *closedWriter) rule(r *Rule) {
	c.put(`{"name":`)
	c.quote(r.Name)
	if r.Unfair {
		c.put(`,"unfair":true`)
	}
	c.put(`,"guard":`)
	c.expr(&r.Guard)
	c.put(`,"do":`)
	c.statements(r.Effect)
	c.put("}")
}

func (c *closedWriter) property(name, key string, e *Expr) {
	c.put(`{"name":`)
	c.quote(name)
	c.put(`,"`, key, `":`)
	c.expr(e)
	c.put("}")
}

func (c *closedWriter) statements(list []Stmt) {
	c.put("[")
	for i := range list {
		c.comma(i, "")
		s := &list[i]
		if s.Assigns() {
			c.put(`["set",`)
			c.quote(c.p.Variables[s.Var].Name)
			c.put(",")
			c.expr(&s.Value)
		} else {
			c.put(`["if",`)
			c.expr(&s.Cond)
			c.put(",")
			c.statements(s.Then)
			c.put(",")
			c.statements(s.Else)
		}
		c.put("]")
	}
	c.put("]")
}

func (c *closedWriter) expr(e *Expr) {
	switch e.Op {
	case Constant:
		c.put(strconv.Itoa(e.Value))
	case Read:
		c.quote(c.p.Variables[e.Value].Name)
	default:
		c.put(fmt.Sprintf("[%q", opNames[e.Op]))
		for i := range e.Args {
			c.put(",")
			c.expr(&e.Args[i])
		}
		c.put("]")
	}
}
