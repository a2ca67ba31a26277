package program

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/seed-105a2da2/unknot/spec"
)

// The closed form of a program: JSON, so that people and other programs can
// write a machine, and a second program can check evidence about it.
//
//	{"format":"unknot-program-1",
//	"name":"token ring of 2",
//	"expect":[{"property":"deadlock-freedom","verdict":"holds"}],
//	"variables":[
//	{"name":"token","values":2,"initial":0},
//	{"name":"work","values":["idle","busy"],"initial":0}],
//	"rules":[
//	{"name":"pass","guard":["=","token",0],"do":[["set","token",["+","token",1]]]}],
//	"invariants":[
//	{"name":"one token","holds":["or",["=","token",0],["=","token",1]]}],
//	"responses":[]}
//
// The name of a value, "busy", may replace a number that is compared with or assigned to a
// variable with such a name, and its initial value. An expression is a number, the name of a
// variable, or an operator with its arguments: + - * of two numbers, = != < <= of two numbers,
// "and" and "or" of any number of conditions, "not" of one, and "if" of a condition and two
// numbers. A statement is ["set", variable, number] or ["if", condition, [statements],
// [statements]], where the second list is for a condition that does not hold.
//
// "starts" lists further initial states, each by its differences from that of the variables:
// "starts":[[["token",1],["work",1]]] adds one to the above.
//
// "formulas" lists temporal properties, such as {"name":"works","holds":["always",["eventually",["=","work",1]]]}. Their
// operators are "always" and "eventually" of a formula, "until" of two, and "and", "or" and "not". With "unfair":true
// a formula is about all runs, not about fair ones alone.
//
// These may be left out: expect; initial (0); starts; unfair, strong (false); invariants;
// responses; formulas; final, which has no default; cover, the name of the property that some state
// violates the invariant. [WriteClosed] writes one canonical text, with a line for
// each variable, rule, invariant, response and formula, without spaces; the SHA-256 of that
// text without the line of expectations is the program's digest.
//
// Renamings and Module are not written: the former are hints to searches, the latter
// is a name in TLA+; neither changes what the machine does.

// ClosedFormat is the value of the key "format" in the closed form, whose JSON
// Schema is program.schema.json.
const ClosedFormat = "unknot-program-1"

// WriteClosed writes the canonical closed form. The error is that of Check, of
// names that are not UTF-8, or of w.
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
	b := bufio.NewWriterSize(w, 1<<16) // which keeps the first error until Flush
	list := func(key string, n int, item func(i int)) {
		fmt.Fprintf(b, ",\n%q:[", key)
		for i := range n {
			b.WriteString(",\n"[1-min(i, 1):])
			item(i)
		}
		b.WriteString("]")
	}
	fmt.Fprintf(b, "{\"format\":%q,\n\"name\":%s", ClosedFormat, marshal(p.Name))
	if expect && len(p.Expect) > 0 {
		var all []string
		for _, x := range p.Expect {
			all = append(all, fmt.Sprintf(`{"property":%s,"verdict":%q}`, marshal(x.Property), x.Verdict.String()))
		}
		fmt.Fprintf(b, ",\n\"expect\":[%s]", strings.Join(all, ","))
	}
	list("variables", len(p.Variables), func(i int) {
		v := &p.Variables[i]
		values := map[bool]any{false: v.Values, true: v.Names}[v.Names != nil]
		fmt.Fprintf(b, `{"name":%s,"values":%s,"initial":%d}`, marshal(v.Name), marshal(values), v.Initial)
	})
	if len(p.Starts) > 0 {
		list("starts", len(p.Starts), func(i int) {
			changes := []any{}
			for x, value := range p.Starts[i] {
				if v := &p.Variables[x]; value != v.Initial {
					changes = append(changes, []any{v.Name, value})
				}
			}
			b.Write(marshal(changes))
		})
	}
	list("rules", len(p.Rules), func(i int) {
		r := &p.Rules[i]
		fairness := map[bool]string{true: `"unfair":true,`}[r.Unfair] +
			map[bool]string{true: `"strong":true,`}[r.Strong]
		fmt.Fprintf(b, `{"name":%s,%s"guard":%s,"do":%s}`, marshal(r.Name), fairness, marshal(p.expr(&r.Guard)),
			marshal(p.effect(r.Effect)))
	})
	list("invariants", len(p.Invariants), func(i int) { b.WriteString(p.invariantText(&p.Invariants[i])) })
	list("responses", len(p.Responses), func(i int) {
		r := &p.Responses[i]
		fmt.Fprintf(b, `{"name":%s,"pending":%s}`, marshal(r.Name), marshal(p.expr(&r.Pending)))
	})
	if len(p.Formulas) > 0 {
		list("formulas", len(p.Formulas), func(i int) { b.WriteString(p.formulaText(&p.Formulas[i])) })
	}
	if p.Final.Op != 0 {
		fmt.Fprintf(b, ",\n\"final\":%s", marshal(p.expr(&p.Final)))
	}
	b.WriteString("}\n")
	return b.Flush()
}

func (p *Program) invariantText(v *Invariant) string {
	cover := map[bool]string{true: fmt.Sprintf(`"cover":%s,`, marshal(v.Cover))}[v.Cover != ""]
	return fmt.Sprintf(`{"name":%s,%s"holds":%s}`, marshal(v.Name), cover, marshal(p.expr(&v.Holds)))
}

func (p *Program) formulaText(f *Formula) string {
	unfair := map[bool]string{true: `"unfair":true,`}[f.Unfair] +
		map[bool]string{true: `"possible":true,`}[f.Possible]
	return fmt.Sprintf(`{"name":%s,%s"holds":%s}`, marshal(f.Name), unfair, marshal(p.expr(&f.Holds)))
}

// marshal returns a text, a number, or a list of them, in JSON.
func marshal(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic("program: " + err.Error()) // strings, integers and lists always encode
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// effect and expr return statements and an expression as lists to marshal.
func (p *Program) effect(list []Stmt) []any {
	out := []any{}
	for i := range list {
		if s := &list[i]; s.Assigns() {
			out = append(out, []any{"set", p.Variables[s.Var].Name, p.expr(&s.Value)})
		} else {
			out = append(out, []any{"if", p.expr(&s.Cond), p.effect(s.Then), p.effect(s.Else)})
		}
	}
	return out
}

func (p *Program) expr(e *Expr) any {
	switch e.Op {
	case Constant:
		return e.Value
	case Read:
		return p.Variables[e.Value].Name
	}
	out := []any{operators[e.Op].name}
	for i := range e.Args {
		out = append(out, p.expr(&e.Args[i]))
	}
	return out
}
