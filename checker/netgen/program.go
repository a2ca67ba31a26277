package netgen

import (
	"fmt"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/spec/program"
)

// commands draws small random programs.
type commands struct {
	*rapid.T
	p       *program.Program
	careful bool
}

func (d commands) upTo(n int, what string) int { return rapid.IntRange(0, n).Draw(d.T, what) }

// Program draws a small program of guarded commands, with an invariant, a response and an
// intended end. If careful, assignments stay in range, so its steps have no errors. Its
// Check may refuse it because numbers can grow too large.
func Program(rt *rapid.T, careful bool) *program.Program {
	d := commands{rt, program.New("random"), careful}
	for i := range 1 + d.upTo(4, "variables") {
		// Some are so wide that a state takes several words.
		values := rapid.SampledFrom([]int{1, 2, 3, 4, 5, 7, 300, 1 << 30}).Draw(rt, "values")
		if careful {
			values = min(values, 7)
		}
		x := d.p.Var(fmt.Sprintf("x%d", i), values)
		d.p.Init(x, d.upTo(min(values-1, 6), "initial"))
	}
	for i := range 1 + d.upTo(5, "rules") {
		fairness := d.upTo(4, "fairness")
		r := d.p.Rule(fmt.Sprintf("rule %d", i), d.truth(3), d.statements(2)...)
		r.Unfair, r.Strong = fairness == 0, fairness == 1
	}
	d.p.Invariant("always", d.truth(3))
	d.p.Response("answered", d.truth(2))
	d.p.Final = d.truth(2)
	return d.p
}

func (d commands) variable() program.Var {
	return program.Var(d.upTo(len(d.p.Variables)-1, "variable"))
}

func (d commands) number(depth int) program.Expr {
	if depth == 0 || d.upTo(2, "leaf") == 0 {
		if d.upTo(1, "constant") == 0 {
			return program.Const(d.upTo(4, "value") - 1)
		}
		return program.Value(d.variable())
	}
	switch d.upTo(3, "number") {
	case 0:
		return program.Add(d.number(depth-1), d.number(depth-1))
	case 1:
		return program.Sub(d.number(depth-1), d.number(depth-1))
	case 2:
		return program.Mul(d.number(depth-1), d.number(depth-1))
	default:
		return program.IfElse(d.truth(depth-1), d.number(depth-1), d.number(depth-1))
	}
}

func (d commands) truth(depth int) program.Expr {
	some := func() []program.Expr {
		out := make([]program.Expr, d.upTo(3, "conditions"))
		for i := range out {
			out[i] = d.truth(depth - 1)
		}
		return out
	}
	if depth == 0 || d.upTo(2, "compare") > 0 {
		if d.upTo(1, "plain") == 0 { // the form that guards mostly have
			return program.Eq(d.variable(), d.upTo(2, "value"))
		}
		a, b := d.number(min(depth, 1)), d.number(min(depth, 1))
		switch d.upTo(3, "comparison") {
		case 0:
			return program.Eq(a, b)
		case 1:
			return program.Ne(a, b)
		case 2:
			return program.Lt(a, b)
		default:
			return program.Le(a, b)
		}
	}
	switch d.upTo(2, "truth") {
	case 0:
		return program.And(some()...)
	case 1:
		return program.Or(some()...)
	default:
		return program.Not(d.truth(depth - 1))
	}
}

func (d commands) statements(depth int) []program.Stmt {
	list := make([]program.Stmt, d.upTo(3, "statements"))
	for i := range list {
		if depth > 0 && d.upTo(3, "if") == 0 {
			list[i] = program.If(d.truth(1), d.statements(depth-1)...).Otherwise(d.statements(depth - 1)...)
			continue
		}
		x := d.variable()
		value := d.number(1)
		if d.careful {
			most := d.p.Variables[x].Values - 1
			value = program.IfElse(program.Lt(value, 0), program.Const(0),
				program.IfElse(program.Lt(most, value), program.Const(most), value))
		}
		list[i] = program.Set(x, value)
	}
	return list
}
