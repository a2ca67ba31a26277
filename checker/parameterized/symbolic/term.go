// Package symbolic, internal to unknot, has what readers of files for every size share: formulas over numbers that stay
// symbolic, and how Starlark runs on them (symbolic execution, King 1976).
package symbolic

import (
	"fmt"
	"maps"
	"slices"
)

// Term is an integer or a truth value over named integers, texts that are numbers, and functions of integers. Terms are
// not changed once they are made.
type Term struct {
	Op   string
	Name string // of a name, a bound name or a text
	N    int    // of a number, or the code of a text
	Of   Function
	Args []*Term // of a quantifier: the bounds of its name, and what is said of it
	size int
}

// Function is a function of integers, such as a variable of a state at its keys. Functions are compared by ==.
type Function interface {
	Symbol() string                  // in SMT-LIB 2
	IsTruth() bool                   // its values are truth values; otherwise integers
	Infix(arguments []string) string // for readers
}

// Operators; most are those of SMT-LIB 2.
const (
	OpNumber, OpText, OpName, OpRead   = "number", "text", "name", "read"
	OpAdd, OpSub, OpMul, OpDiv         = "+", "-", "*", "div"
	OpWrap                             = "wrap" // a remainder, which SMT-LIB 2 has as cases
	OpLess, OpAtMost, OpEqual          = "<", "<=", "="
	OpNot, OpAnd, OpOr, OpCases        = "not", "and", "or", "ite"
	OpTrue, OpFalse, OpEvery, OpExists = "true", "false", "forall", "exists"
)

// sized counts the operators, names and numbers of t. What terms share counts each time, up to a bound that is beyond
// every use.
func sized(t *Term) *Term {
	const most = 1 << 30
	t.size = 1
	for _, a := range t.Args {
		t.size = min(t.size+a.size, most)
	}
	return t
}

func apply(op string, args ...*Term) *Term { return sized(&Term{Op: op, Args: args}) }

// Number, Named, Text and Read make terms without operators. A text is a number that is written by its name.
func Number(n int) *Term                   { return sized(&Term{Op: OpNumber, N: n}) }
func Named(name string) *Term              { return sized(&Term{Op: OpName, Name: name}) }
func Text(name string, code int) *Term     { return sized(&Term{Op: OpText, Name: name, N: code}) }
func Read(of Function, keys []*Term) *Term { return sized(&Term{Op: OpRead, Of: of, Args: keys}) }
func (t *Term) IsNumber() bool             { return t.Op == OpNumber }
func (t *Term) IsName() bool               { return t.Op == OpName }
func (t *Term) IsTrue() bool               { return t.Op == OpTrue }
func (t *Term) IsFalse() bool              { return t.Op == OpFalse }

// Truth is true or false.
func Truth(b bool) *Term {
	if b {
		return apply(OpTrue)
	}
	return apply(OpFalse)
}

// IsTruth reports whether t is a truth value; the others are integers.
func (t *Term) IsTruth() bool {
	switch t.Op {
	case OpTrue, OpFalse, OpNot, OpAnd, OpOr, OpLess, OpAtMost, OpEqual, OpEvery, OpExists:
		return true
	case OpRead:
		return t.Of.IsTruth()
	case OpCases:
		return t.Args[1].IsTruth()
	}
	return false
}

// Size is how many operators, names and numbers t has.
func (t *Term) Size() int { return t.size }

// Same reports whether two terms are written alike.
func (t *Term) Same(u *Term) bool {
	return t == u || t.Op == u.Op && t.Name == u.Name && t.N == u.N && t.Of == u.Of && t.size == u.size &&
		slices.EqualFunc(t.Args, u.Args, (*Term).Same)
}

// Plus returns a + factor*b, with numbers gathered at the end.
func Plus(a *Term, factor int, b *Term) *Term {
	if b.Op == OpAdd && b.Args[1].IsNumber() { // a + (c + n)
		return Plus(Plus(a, factor, b.Args[0]), factor, b.Args[1])
	}
	base, offset := a, 0
	if a.IsNumber() {
		base, offset = nil, a.N
	} else if a.Op == OpAdd && a.Args[1].IsNumber() {
		base, offset = a.Args[0], a.Args[1].N
	}
	switch {
	case b.IsNumber():
		offset += factor * b.N
	case base == nil:
		base = Times(factor, b)
	case factor < 0 && base.Same(Times(-factor, b)):
		base = nil
	case factor == -1:
		base = apply(OpSub, base, b)
	default:
		base = apply(OpAdd, base, Times(factor, b))
	}
	switch {
	case base == nil:
		return Number(offset)
	case offset == 0:
		return base
	}
	return apply(OpAdd, base, Number(offset))
}

// Times returns factor*t.
func Times(factor int, t *Term) *Term {
	switch {
	case t.IsNumber():
		return Number(factor * t.N)
	case factor == 1:
		return t
	case factor == 0:
		return Number(0)
	}
	return apply(OpMul, Number(factor), t)
}

// Floor returns t divided by n > 0, rounded down.
func Floor(t *Term, n int) *Term {
	if t.IsNumber() {
		return Number(floor(t.N, n))
	}
	return apply(OpDiv, t, Number(n))
}

func floor(a, n int) int { return (a - remainder(a, n)) / n }

func remainder(a, n int) int { return (a%n + n) % n }

// Wrap returns the remainder of t by size, if -size <= t < 2*size.
func Wrap(t, size *Term) *Term {
	if t.IsNumber() && size.IsNumber() && size.N > 0 {
		return Number(remainder(t.N, size.N))
	}
	return apply(OpWrap, t, size)
}

// Compare compares two integers, or, by [OpEqual], two texts.
func Compare(op string, a, b *Term) *Term {
	if a.Op == OpText && b.Op == OpText {
		return Truth(a.N == b.N)
	}
	if a.Same(b) {
		return Truth(op != OpLess)
	}
	if d := Plus(a, -1, b); d.IsNumber() && a.Op != OpText && b.Op != OpText {
		return Truth(op == OpLess && d.N < 0 || op == OpAtMost && d.N <= 0 || op == OpEqual && d.N == 0)
	}
	return apply(op, a, b)
}

// Equal compares two terms, which are both truth values or both are not.
func Equal(a, b *Term) *Term {
	if a.IsTruth() {
		return Or(And(a, b), And(Not(a), Not(b)))
	}
	return Compare(OpEqual, a, b)
}

func Less(a, b *Term) *Term   { return Compare(OpLess, a, b) }
func AtMost(a, b *Term) *Term { return Compare(OpAtMost, a, b) }

// Within says lo <= t < hi.
func Within(t, lo, hi *Term) *Term {
	return And(AtMost(lo, t), Less(t, hi))
}

func Not(t *Term) *Term {
	switch t.Op {
	case OpTrue, OpFalse:
		return Truth(t.IsFalse())
	case OpNot:
		return t.Args[0]
	}
	return apply(OpNot, t)
}

func And(all ...*Term) *Term   { return join(OpAnd, OpTrue, OpFalse, all) }
func Or(all ...*Term) *Term    { return join(OpOr, OpFalse, OpTrue, all) }
func Implies(a, b *Term) *Term { return Or(Not(a), b) }

func join(op, neutral, zero string, all []*Term) *Term {
	var args []*Term
	add := func(t *Term) {
		if !slices.ContainsFunc(args, t.Same) {
			args = append(args, t)
		}
	}
	for _, t := range all {
		switch t.Op {
		case zero:
			return t
		case neutral:
		case op:
			for _, sub := range t.Args {
				add(sub)
			}
		default:
			add(t)
		}
	}
	switch len(args) {
	case 0:
		return apply(neutral)
	case 1:
		return args[0]
	}
	return apply(op, args...)
}

// Cases is a if cond is true, and otherwise b.
func Cases(cond, a, b *Term) *Term {
	switch {
	case cond.IsTrue() || a.Same(b):
		return a
	case cond.IsFalse():
		return b
	case a.IsTruth():
		return And(Implies(cond, a), Or(cond, b))
	}
	return apply(OpCases, cond, a, b)
}

// Every and Exists bind a name, lo <= name < hi. No other term binds the same name.
func Every(name string, lo, hi, body *Term) *Term  { return bound(OpEvery, name, lo, hi, body) }
func Exists(name string, lo, hi, body *Term) *Term { return bound(OpExists, name, lo, hi, body) }

func bound(op, name string, lo, hi, body *Term) *Term {
	if op == OpEvery && body.IsTrue() || op == OpExists && body.IsFalse() {
		return body
	}
	return sized(&Term{Op: op, Name: name, Args: []*Term{lo, hi, body}})
}

// rebuild makes t of other arguments, and simplifies.
func (t *Term) rebuild(args []*Term) *Term {
	switch t.Op {
	case OpAdd:
		return Plus(args[0], 1, args[1])
	case OpSub:
		return Plus(args[0], -1, args[1])
	case OpWrap:
		return Wrap(args[0], args[1])
	case OpLess, OpAtMost, OpEqual:
		return Compare(t.Op, args[0], args[1])
	case OpNot:
		return Not(args[0])
	case OpAnd:
		return And(args...)
	case OpOr:
		return Or(args...)
	case OpCases:
		return Cases(args[0], args[1], args[2])
	case OpEvery, OpExists:
		return bound(t.Op, t.Name, args[0], args[1], args[2])
	}
	return sized(&Term{Op: t.Op, Name: t.Name, N: t.N, Of: t.Of, Args: args})
}

// Replace puts terms in place of names, all at once. Bound names are unique, so none is captured.
func (t *Term) Replace(by map[string]*Term) *Term {
	if t.IsName() {
		if u, ok := by[t.Name]; ok {
			return u
		}
		return t
	}
	return t.Each(func(a *Term) *Term { return a.Replace(by) })
}

// Each makes t of its arguments as f changes them.
func (t *Term) Each(f func(*Term) *Term) *Term {
	if len(t.Args) == 0 {
		return t
	}
	args := make([]*Term, len(t.Args))
	changed := false
	for i, a := range t.Args {
		args[i] = f(a)
		changed = changed || args[i] != a
	}
	if !changed {
		return t
	}
	return t.rebuild(args)
}

// Visit calls f for t and all terms in it.
func (t *Term) Visit(f func(*Term)) {
	f(t)
	for _, a := range t.Args {
		a.Visit(f)
	}
}

// Contains reports whether f is true of t or a term in it.
func (t *Term) Contains(f func(*Term) bool) (found bool) {
	t.Visit(func(u *Term) { found = found || f(u) })
	return found
}

func (t *Term) IsQuantified() bool {
	return t.Contains(func(u *Term) bool { return u.Op == OpEvery || u.Op == OpExists })
}

// Mentions reports whether t has a name.
func (t *Term) Mentions(name string) bool {
	return t.Contains(func(u *Term) bool { return u.IsName() && u.Name == name })
}

// Names adds the names in t to a set.
func (t *Term) Names(set map[string]bool) {
	t.Visit(func(u *Term) {
		if u.IsName() {
			set[u.Name] = true
		}
	})
}

// Free adds the names in t to a set that nothing in t binds.
func (t *Term) Free(set map[string]bool) {
	switch t.Op {
	case OpName:
		set[t.Name] = true
	case OpEvery, OpExists:
		t.Args[0].Free(set)
		t.Args[1].Free(set)
		body := map[string]bool{}
		t.Args[2].Free(body)
		delete(body, t.Name)
		maps.Copy(set, body)
	default:
		for _, a := range t.Args {
			a.Free(set)
		}
	}
}

// Value evaluates a term without functions; a truth value is 0 or 1. All names have values:
// it panics otherwise.
func (t *Term) Value(names map[string]int) int { return (&Values{Names: names}).Of(t) }

// Values are those of names and functions, to evaluate terms.
type Values struct {
	Names     map[string]int                    // of all names that nothing binds
	Read      func(of Function, keys []int) int // nil: no term reads
	Evaluated int                               // operators, names and numbers so far
}

// Of evaluates a term; a truth value is 0 or 1. It panics at a name without a value.
func (v *Values) Of(t *Term) int {
	v.Evaluated++
	arg := func(i int) int { return v.Of(t.Args[i]) }
	one := func(b bool) int {
		if b {
			return 1
		}
		return 0
	}
	switch t.Op {
	case OpNumber, OpText:
		return t.N
	case OpName:
		n, known := v.Names[t.Name]
		if !known {
			panic(fmt.Sprintf("no value of %q", t.Name)) // 0 would make a formula say what it does not
		}
		return n
	case OpRead:
		keys := make([]int, len(t.Args))
		for i := range keys {
			keys[i] = arg(i)
		}
		return v.Read(t.Of, keys)
	case OpAdd:
		return arg(0) + arg(1)
	case OpSub:
		return arg(0) - arg(1)
	case OpMul:
		return arg(0) * arg(1)
	case OpDiv:
		return floor(arg(0), arg(1))
	case OpWrap:
		if size := arg(1); size > 0 {
			return remainder(arg(0), size)
		}
		return arg(0) // of no size: the term says nothing
	case OpLess:
		return one(arg(0) < arg(1))
	case OpAtMost:
		return one(arg(0) <= arg(1))
	case OpEqual:
		return one(arg(0) == arg(1))
	case OpNot:
		return 1 - arg(0)
	case OpTrue, OpFalse:
		return one(t.IsTrue())
	case OpAnd:
		return one(!slices.ContainsFunc(t.Args, func(a *Term) bool { return v.Of(a) == 0 }))
	case OpOr:
		return one(slices.ContainsFunc(t.Args, func(a *Term) bool { return v.Of(a) != 0 }))
	case OpCases:
		if arg(0) != 0 {
			return arg(1)
		}
		return arg(2)
	case OpEvery, OpExists:
		before, had := v.Names[t.Name]
		found := t.Op == OpEvery
		for x, hi := arg(0), arg(1); x < hi && found == (t.Op == OpEvery); x++ {
			v.Names[t.Name] = x
			found = v.Of(t.Args[2]) != 0
		}
		if delete(v.Names, t.Name); had {
			v.Names[t.Name] = before
		}
		return one(found)
	}
	panic(fmt.Sprintf("operator %q", t.Op))
}
