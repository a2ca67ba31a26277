package murphi

import "github.com/seed-105a2da2/unknot/spec/program"

// Expressions that are as short as what is constant in them permits.

// none is the condition that never holds.
func none() program.Expr { return program.Or() }

func always(e program.Expr) bool { return e.Op == program.Conjunction && len(e.Args) == 0 }
func never(e program.Expr) bool {
	return e.Op == 0 || e.Op == program.Disjunction && len(e.Args) == 0
}

func truth(b bool) program.Expr {
	if b {
		return program.And()
	}
	return program.Or()
}

func and(a, b program.Expr) program.Expr {
	switch {
	case never(a) || never(b):
		return none()
	case always(a):
		return b
	case always(b):
		return a
	}
	return program.And(append(parts(program.Conjunction, a), parts(program.Conjunction, b)...)...)
}

func or(a, b program.Expr) program.Expr {
	switch {
	case always(a) || always(b):
		return program.And()
	case never(a):
		return orNone(b)
	case never(b):
		return a
	}
	return program.Or(append(parts(program.Disjunction, a), parts(program.Disjunction, b)...)...)
}

func orNone(e program.Expr) program.Expr {
	if e.Op == 0 {
		return none()
	}
	return e
}

// parts returns the operands of a conjunction or disjunction, which are never changed.
func parts(op program.Op, e program.Expr) []program.Expr {
	if e.Op == op {
		return e.Args[:len(e.Args):len(e.Args)]
	}
	return []program.Expr{e}
}

func not(e program.Expr) program.Expr {
	switch {
	case always(e):
		return program.Or()
	case never(e):
		return program.And()
	case e.Op == program.Negation:
		return e.Args[0]
	case e.Op == program.Equal:
		return program.Expr{Op: program.NotEqual, Args: e.Args}
	case e.Op == program.NotEqual:
		return program.Expr{Op: program.Equal, Args: e.Args}
	}
	return program.Not(e)
}

// split returns an expression as another one and a constant that is added; the other one has no operator if there
// is nothing but the constant.
func split(e program.Expr) (rest program.Expr, constant int) {
	switch {
	case e.Op == program.Constant:
		return program.Expr{}, e.Value
	case e.Op == program.Plus && e.Args[1].Op == program.Constant:
		return e.Args[0], e.Args[1].Value
	}
	return e, 0
}

func plus(rest program.Expr, constant int) program.Expr {
	switch {
	case rest.Op == 0:
		return program.Const(constant)
	case constant == 0:
		return rest
	}
	return program.Add(rest, constant)
}

func add(a, b program.Expr) program.Expr {
	x, m := split(a)
	y, n := split(b)
	switch {
	case x.Op == 0:
		return plus(y, m+n)
	case y.Op == 0:
		return plus(x, m+n)
	}
	return plus(program.Add(x, y), m+n)
}

func sub(a, b program.Expr) program.Expr {
	x, m := split(a)
	y, n := split(b)
	switch {
	case y.Op == 0:
		return plus(x, m-n)
	case x.Op == 0:
		return program.Sub(m-n, y)
	}
	return plus(program.Sub(x, y), m-n)
}

func mul(a, b program.Expr) program.Expr {
	if a.Op == program.Constant {
		a, b = b, a
	}
	switch {
	case a.Op == program.Constant && b.Op == program.Constant:
		return program.Const(a.Value * b.Value)
	case b.Op == program.Constant && b.Value == 0:
		return b
	case b.Op == program.Constant && b.Value == 1:
		return a
	}
	return program.Mul(a, b)
}

// compare is a comparison of two numbers, with what is constant on one side.
func compare(op program.Op, a, b program.Expr) program.Expr {
	x, m := split(a)
	y, n := split(b)
	if x.Op == 0 && y.Op == 0 {
		e := program.Expr{Op: op, Args: []program.Expr{program.Const(m), program.Const(n)}}
		return truth(e.Holds(nil))
	}
	switch {
	case y.Op == 0:
		return program.Expr{Op: op, Args: []program.Expr{x, program.Const(n - m)}}
	case x.Op == 0:
		return program.Expr{Op: op, Args: []program.Expr{program.Const(m - n), y}}
	}
	return program.Expr{Op: op, Args: []program.Expr{x, plus(y, n-m)}}
}

func equal(a, b program.Expr) program.Expr { return compare(program.Equal, a, b) }
func less(a, b program.Expr) program.Expr  { return compare(program.Less, a, b) }

// choose is one of two numbers.
func choose(cond, yes, no program.Expr) program.Expr {
	switch {
	case always(cond), same(&yes, &no):
		return yes
	case never(cond):
		return no
	}
	return program.IfElse(cond, yes, no)
}

// either is one of two conditions.
func either(cond, yes, no program.Expr) program.Expr {
	switch {
	case always(cond), same(&yes, &no):
		return yes
	case never(cond):
		return no
	}
	return or(and(cond, yes), and(not(cond), no))
}

func same(a, b *program.Expr) bool {
	if a.Op != b.Op || a.Value != b.Value || len(a.Args) != len(b.Args) {
		return false
	}
	for i := range a.Args {
		if !same(&a.Args[i], &b.Args[i]) {
			return false
		}
	}
	return true
}

// size is how many operators and operands an expression has, up to most.
func size(e *program.Expr, most int) (n int) {
	n = 1
	for i := range e.Args {
		if n >= most {
			break
		}
		n += size(&e.Args[i], most-n)
	}
	return n
}
