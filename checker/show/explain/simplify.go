package explain

import (
	"slices"

	"github.com/seed-105a2da2/unknot/spec/program"
)

// A condition that was translated repeats itself: a guard of a Murphi file tests that a variable is defined before each
// part that reads it, and has a case for each error. Readers want what is left where the parts before are taken into
// account: a part of a conjunction matters only where those before it are true, one of a disjunction only where they are
// false. So "x != 0 and (x = 0 or y = 1)" is "x != 0 and y = 1". Conditions are simplified for display alone.

// mostToSimplify bounds the operators and operands of a condition that is simplified: the time is quadratic in them.
const mostToSimplify = 4096

// Simplified returns a condition that is true in the same states and repeats less: And() or Or() if it is found to be true
// in all or in none. A long one is returned as it is.
func Simplified(p *program.Program, e *program.Expr) *program.Expr {
	if sizeOf(e, mostToSimplify) > mostToSimplify {
		return e
	}
	short := facts{p: p}.simplify(e)
	return &short
}

// sizeOf counts the operators and operands of an expression, up to some more than enough.
func sizeOf(e *program.Expr, enough int) int {
	n := 1
	for i := 0; i < len(e.Args) && n <= enough; i++ {
		n += sizeOf(&e.Args[i], enough-n)
	}
	return n
}

// facts are conditions whose truth is known where an expression is evaluated.
type facts struct {
	p   *program.Program
	all []fact
}

type fact struct {
	e  program.Expr // neither a negation nor what with takes apart
	is bool
}

// with adds that a condition is true, or that it is false. The facts it is called on stay as they are.
func (f facts) with(e *program.Expr, is bool) facts {
	switch {
	case e.Op == program.Negation:
		return f.with(&e.Args[0], !is)
	case e.Op == program.Conjunction && is, e.Op == program.Disjunction && !is:
		for i := range e.Args {
			f = f.with(&e.Args[i], is)
		}
		return f
	}
	f.all = append(slices.Clip(f.all), fact{*e, is})
	return f
}

// decide reports whether the facts decide a condition, and how.
func (f facts) decide(e *program.Expr) (is, decided bool) {
	for i := range f.all {
		if same(&f.all[i].e, e) {
			return f.all[i].is, true
		}
	}
	x, c, equal, ok := comparison(e)
	if !ok {
		return false, false
	}
	others := map[int]bool{} // values that x does not have
	for i := range f.all {
		y, d, alike, ok := comparison(&f.all[i].e)
		switch {
		case !ok || x != y:
		case alike == f.all[i].is: // x is d
			return (c == d) == equal, true
		default:
			others[d] = true
		}
	}
	left := f.p.Variables[x].Values
	for d := range others {
		if 0 <= d && d < f.p.Variables[x].Values {
			left--
		}
	}
	switch {
	case others[c]:
		return !equal, true
	case left == 1 && 0 <= c && c < f.p.Variables[x].Values:
		return equal, true
	}
	return false, false
}

// comparison takes apart that a variable is a number (equal), or is not.
func comparison(e *program.Expr) (x program.Var, c int, equal, ok bool) {
	if e.Op != program.Equal && e.Op != program.NotEqual {
		return 0, 0, false, false
	}
	a, b := &e.Args[0], &e.Args[1]
	if a.Op == program.Constant {
		a, b = b, a
	}
	return program.Var(a.Value), b.Value, e.Op == program.Equal, a.Op == program.Read && b.Op == program.Constant
}

// simplify returns an expression that has the same value wherever the facts are true.
func (f facts) simplify(e *program.Expr) program.Expr {
	switch e.Op {
	case program.Constant, program.Read:
		return *e
	case program.Conjunction, program.Disjunction:
		return f.junction(e)
	case program.Negation:
		return negated(f.simplify(&e.Args[0]))
	case program.Choice:
		condition := f.simplify(&e.Args[0])
		if is, constant := truthOf(&condition); constant {
			return f.simplify(&e.Args[map[bool]int{true: 1, false: 2}[is]])
		}
		then, otherwise := f.with(&condition, true).simplify(&e.Args[1]), f.with(&condition, false).simplify(&e.Args[2])
		return program.IfElse(condition, then, otherwise)
	}
	if is, decided := f.decide(e); decided {
		return truth(is)
	}
	short := program.Expr{Op: e.Op, Value: e.Value}
	for i := range e.Args {
		short.Args = append(short.Args, f.simplify(&e.Args[i]))
	}
	if is, decided := f.decide(&short); decided {
		return truth(is)
	}
	return short
}

// junction simplifies a conjunction or a disjunction.
func (f facts) junction(e *program.Expr) program.Expr {
	neutral := e.Op == program.Conjunction // what a part is that can be left out
	within, short := f, program.Expr{Op: e.Op}
	for i := range e.Args {
		part := within.simplify(&e.Args[i])
		switch is, constant := truthOf(&part); {
		case constant && is != neutral:
			return truth(!neutral)
		case constant:
			continue
		case part.Op == e.Op:
			short.Args = append(short.Args, part.Args...)
		default:
			short.Args = append(short.Args, part)
		}
		within = within.with(&part, neutral)
	}
	for i := 0; i < len(short.Args); i++ { // what the parts after it imply
		others := f
		for k := range short.Args {
			if k != i {
				others = others.with(&short.Args[k], neutral)
			}
		}
		if is, decided := others.decide(&short.Args[i]); decided && is == neutral {
			short.Args = slices.Delete(short.Args, i, i+1)
			i--
		}
	}
	if len(short.Args) == 1 {
		return short.Args[0]
	}
	if is, decided := f.decide(&short); decided {
		return truth(is)
	}
	return short
}

// negated returns the negation of a condition, without an operator of its own if it can do without.
func negated(e program.Expr) program.Expr {
	if is, constant := truthOf(&e); constant {
		return truth(!is)
	}
	switch e.Op {
	case program.Negation:
		return e.Args[0]
	case program.Equal, program.NotEqual:
		return program.Expr{Op: map[program.Op]program.Op{
			program.Equal: program.NotEqual, program.NotEqual: program.Equal}[e.Op], Args: e.Args}
	}
	return program.Not(e)
}

func truth(is bool) program.Expr {
	if is {
		return program.And()
	}
	return program.Or()
}

// truthOf reports whether a condition is one of truth, and which.
func truthOf(e *program.Expr) (is, constant bool) {
	return e.Op == program.Conjunction, (e.Op == program.Conjunction || e.Op == program.Disjunction) && len(e.Args) == 0
}

// same reports whether two expressions are written alike.
func same(a, b *program.Expr) bool {
	return a.Op == b.Op && a.Value == b.Value &&
		slices.EqualFunc(a.Args, b.Args, func(x, y program.Expr) bool { return same(&x, &y) })
}
