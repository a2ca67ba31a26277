// Package export, internal to unknot, writes programs for other engines, so that their counts can
// be compared with those of unknot: [Promela] for SPIN, [Murphi] for Rumur and CMurphi, [TLA] for
// TLC, [PINS] for LTSmin. [Network] makes a program from a network's whole packets.
package export

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/seed-105a2da2/unknot/spec/program"
)

// written is the first comment of each file, by which unknot knows its own before it replaces one.
const written = "written by unknot"

// notation is how a language writes expressions.
type notation struct {
	variables []string
	signs     map[program.Op]string // of binary operators
	and, or   string
	not       string
	yes, no   string
	choice    [4]string // before the condition, before and after the first branch, and at the end
}

// signs returns the signs that all of the languages share, and the given ones for equal and
// different.
func signs(equal, different string) map[program.Op]string {
	return map[program.Op]string{program.Plus: "+", program.Minus: "-", program.Times: "*",
		program.Equal: equal, program.NotEqual: different, program.Less: "<", program.LessEqual: "<="}
}

// page is a text being written.
type page struct {
	bytes.Buffer
	notation
}

// lines writes lines, terminating each.
func (w *page) lines(lines ...string) {
	for _, l := range lines {
		w.WriteString(l)
		w.WriteByte('\n')
	}
}

// expressed says which properties a language has, besides invariants.
type expressed struct{ responses, formulas, possible, covers bool }

// notes writes, one comment a line, what the language leaves out of the program, and which
// invariants are not expected to hold.
func (w *page) notes(p *program.Program, begin, end string, has expressed) {
	note := func(text string) { w.lines(begin + oneLine(text) + end) }
	for i := range p.Responses {
		if !has.responses {
			note("not written: \"" + p.Responses[i].Name + "\" is always answered")
		}
	}
	for i := range p.Formulas {
		switch f := &p.Formulas[i]; {
		case f.Possible && !has.possible:
			note("not written: \"" + f.Name + "\" is always possible")
		case !f.Possible && !has.formulas:
			note("not written: the formula \"" + f.Name + "\"")
		}
	}
	if p.Final.Op != 0 {
		note("not written: which states without steps are an intended end")
	}
	for i := range p.Invariants {
		if v := &p.Invariants[i]; v.Cover != "" && !has.covers {
			note("\"" + v.Cover + "\" holds if the invariant \"" + v.Name + "\" is violated")
		}
	}
}

// put writes texts one after the other.
func (w *page) put(texts ...string) {
	for _, t := range texts {
		w.WriteString(t)
	}
}

// indent is the white space before a line, without tabs: TLA+ counts columns.
func indent(depth int) string { return strings.Repeat("  ", depth) }

// expr writes an expression, in parentheses if it has parts. Long conjunctions and
// disjunctions take a line for each part, at the given depth.
func (w *page) expr(e *program.Expr, depth int) {
	switch e.Op {
	case program.Constant:
		if e.Value < 0 {
			w.put("(", strconv.Itoa(e.Value), ")")
			return
		}
		w.put(strconv.Itoa(e.Value))
	case program.Read:
		w.put(w.variables[e.Value])
	case program.Conjunction:
		w.junction(e.Args, w.and, w.yes, depth)
	case program.Disjunction:
		w.junction(e.Args, w.or, w.no, depth)
	case program.Negation:
		w.put(w.not, "(")
		w.expr(&e.Args[0], depth)
		w.put(")")
	case program.Choice:
		for i, sign := range w.choice {
			w.put(sign)
			if i < 3 {
				w.expr(&e.Args[i], depth)
			}
		}
	default:
		w.put("(")
		w.expr(&e.Args[0], depth)
		w.put(" ", w.signs[e.Op], " ")
		w.expr(&e.Args[1], depth)
		w.put(")")
	}
}

func (w *page) junction(parts []program.Expr, sign, none string, depth int) {
	const short = 4 // parts that stay in one line
	switch len(parts) {
	case 0:
		w.put(none)
		return
	case 1:
		w.expr(&parts[0], depth)
		return
	}
	gap := " "
	if len(parts) > short {
		depth++
		gap = "\n" + indent(depth)
	}
	w.put("(")
	for i := range parts {
		if i > 0 {
			// The sign ends the line: at its beginning TLA+ would read it as a list.
			w.put(" ", sign, gap)
		}
		w.expr(&parts[i], depth)
	}
	w.put(")")
}

// reads calls f for every variable that an expression reads.
func reads(e *program.Expr, f func(program.Var)) {
	if e.Op == program.Read {
		f(program.Var(e.Value))
	}
	for i := range e.Args {
		reads(&e.Args[i], f)
	}
}

// dependencies are a row of each matrix: by variable.
type dependencies struct{ reads, may, must []bool }

func newDependencies(variables int) dependencies {
	return dependencies{make([]bool, variables), make([]bool, variables), make([]bool, variables)}
}

func (of dependencies) see(x program.Var) { of.reads[x] = true }

// statements records what a list of statements reads and writes; always: it runs
// whenever the rule does.
func (of dependencies) statements(list []program.Stmt, always bool) {
	for i := range list {
		s := &list[i]
		if s.Assigns() {
			reads(&s.Value, of.see)
			of.may[s.Var] = true
			of.must[s.Var] = of.must[s.Var] || always
			continue
		}
		reads(&s.Cond, of.see)
		of.statements(s.Then, false)
		of.statements(s.Else, false)
	}
}
