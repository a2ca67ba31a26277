package program

import (
	"bytes"
	"strconv"
	"strings"
)

// notation is how a language writes expressions.
type notation struct {
	variables []string
	signs     map[Op]string // of the operators with two arguments
	and, or   string
	not       string
	yes, no   string
	choice    [4]string // around and between condition, then, else
}

// page is a text being written.
type page struct {
	bytes.Buffer
	notation
}

// lines writes lines, each ended.
func (w *page) lines(lines ...string) {
	for _, l := range lines {
		w.WriteString(l)
		w.WriteByte('\n')
	}
}

// put writes texts behind each other.
func (w *page) put(texts ...string) {
	for _, t := range texts {
		w.WriteString(t)
	}
}

// indent is the white space before a line, without tabs: TLA+ reads columns.
func indent(depth int) string { return strings.Repeat("  ", depth) }

// expr writes an expression; what has parts is put in parentheses. Long
// conjunctions and disjunctions take a line for each part, at the given depth.
func (w *page) expr(e *Expr, depth int) {
	switch e.Op {
	case Constant:
		if e.Value < 0 {
			w.put("(", strconv.Itoa(e.Value), ")")
			return
		}
		w.put(strconv.Itoa(e.Value))
	case Read:
		w.put(w.variables[e.Value])
	case Conjunction:
		w.junction(e.Args, w.and, w.yes, depth)
	case Disjunction:
		w.junction(e.Args, w.or, w.no, depth)
	case Negation:
		w.put(w.not, "(")
		w.expr(&e.Args[0], depth)
		w.put(")")
	case Choice:
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

func (w *page) junction(parts []Expr, sign, none string, depth int) {
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
			// The sign ends the line: at its beginning TLA+ would take it for a list.
			w.put(" ", sign, gap)
		}
		w.expr(&parts[i], depth)
	}
	w.put(")")
}

// reads calls f for every variable that an expression reads.
func (e *Expr) reads(f func(Var)) {
	if e.Op == Read {
		f(Var(e.Value))
	}
	for i := range e.Args {
		e.Args[i].reads(f)
	}
}
