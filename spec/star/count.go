package star

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/star/internal/decision"
)

// count(over, f) is the number of keys for which f holds. Where the file compares it
// directly, the keys are evaluated one by one and their conditions become a sum in the
// program. The run then forks on the comparison alone, not on every combination of
// values that the conditions read.

// tally is a count that is not evaluated: a sum in the program, or a number.
type tally struct {
	starlark.Value // no file sees it
	a              *evaluation
	sum            program.Expr
	some           []program.Expr // the conditions that it counts; nil: it is a number of the file or of the state
}

func countArgs(f *starlark.Builtin, args starlark.Tuple,
	kwargs []starlark.Tuple) (*starlark.Function, []starlark.Tuple, error) {
	var (
		over starlark.Value
		of   *starlark.Function
	)
	if err := starlark.UnpackArgs("count", args, kwargs, "over", &over, "f", &of); err != nil {
		return nil, nil, &mistake{err}
	}
	if err := countable(over); err != nil {
		return nil, nil, &mistake{err}
	}
	list, ok := elements(over)
	if !ok {
		return nil, nil, mistakef("count over %s: want a list", nameOf(over))
	}
	var keys []starlark.Tuple
	for _, x := range list {
		key := starlark.Tuple{x}
		if tuple, is := x.(starlark.Tuple); is && of.NumParams() != 1 {
			key = tuple
		}
		keys = append(keys, key)
	}
	return of, keys, nil
}

// count is count(over, f) used as a number: it reads all that its conditions read.
func count(t *starlark.Thread, f *starlark.Builtin, args starlark.Tuple,
	kwargs []starlark.Tuple) (starlark.Value, error) {
	of, keys, err := countArgs(f, args, kwargs)
	if err != nil {
		return nil, err
	}
	n := 0
	for _, key := range keys {
		holds, err := holdsFor(t, of, key)
		if err != nil {
			return nil, err
		}
		if holds {
			n++
		}
	}
	return starlark.MakeInt(n), nil
}

func holdsFor(t *starlark.Thread, f *starlark.Function, key starlark.Tuple) (bool, error) {
	v, err := starlark.Call(t, f, key, nil)
	if err != nil {
		return false, err
	}
	b, ok := v.(starlark.Bool)
	if !ok {
		return false, mistakef("count: %s returned %s: want True or False", f.Name(), nameOf(v))
	}
	return bool(b), nil
}

// lazyCount returns a tally. An error in a condition is an error in the file: no step
// ends with it.
func lazyCount(t *starlark.Thread, f *starlark.Builtin, args starlark.Tuple,
	kwargs []starlark.Tuple) (starlark.Value, error) {
	a := evaluationOf(t)
	if a == nil || a.run.OneState() {
		return count(t, f, args, kwargs)
	}
	of, keys, err := countArgs(f, args, kwargs)
	if err != nil {
		return nil, err
	}
	x, err := a.run.Memoize(func() (any, error) { return a.tally(t, of, keys) })
	if err != nil {
		return nil, err
	}
	return x.(*tally), nil
}

// tally finds the condition of each key.
func (a *evaluation) tally(t *starlark.Thread, of *starlark.Function, keys []starlark.Tuple) (*tally, error) {
	outer := *a
	defer func() { a.run, a.rule = outer.run, outer.rule }()
	a.rule = false
	x := &tally{a: a, sum: program.Const(0), some: []program.Expr{}}
	for _, key := range keys {
		tree, err := decision.Evaluate(a.m.valuesOf, min(mostLeavesEach, a.m.leaves),
			func(r *decision.Run) (decision.Answer, error) {
				r.Restrict(outer.run)
				a.run = r
				holds, err := holdsFor(t, of, key)
				return decision.Answer{Holds: holds}, err
			})
		var many *decision.TooManyError
		if errors.As(err, &many) {
			return nil, bound(many.Limit, "combinations of values", "look at fewer variables")
		}
		if err != nil {
			return nil, &mistake{err}
		}
		a.m.leaves -= tree.Leaves - 1
		c := tree.Condition(a.m.p)
		holds, constant := tree.Constant()
		switch {
		case !constant:
			x.some = append(x.some, c)
		case holds:
			c = program.And()
			x.some = append(x.some, c)
		default:
			continue
		}
		term := program.IfElse(c, 1, 0)
		if len(x.some) == 1 {
			x.sum = term
		} else {
			x.sum = program.Add(x.sum, term)
		}
	}
	return x, nil
}

// addCounts is the sum of two counts, where it is compared. In a run of one state both are numbers, otherwise neither
// is.
func addCounts(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple,
	_ []starlark.Tuple) (starlark.Value, error) {
	x, made := args[0].(*tally)
	if !made {
		return starlark.Binary(syntax.PLUS, args[0], args[1])
	}
	y := args[1].(*tally)
	return &tally{a: x.a, sum: program.Add(x.sum, y.sum), some: slices.Concat([]program.Expr{}, x.some, y.some)}, nil
}

// tallies returns both sides of a comparison as sums, if one of them is a count.
func tallies(x, y starlark.Value) (a, b *tally, counted bool) {
	a, isA := x.(*tally)
	b, isB := y.(*tally)
	switch {
	case isA && !isB:
		b = tallyOf(a.a, readFew(y))
	case isB && !isA:
		a = tallyOf(b.a, readFew(x))
	}
	return a, b, isA || isB
}

// readFew reads a computed number of few combinations of values.
func readFew(v starlark.Value) starlark.Value {
	c, is := v.(*cell)
	switch {
	case !is || !c.computed():
	case c.a.reads || c.of != nil && c.a.combinations(c.of.reads) <= c.a.few():
		return c.a.known(c.datum)
	default:
		c.a.compiled = true
	}
	return v
}

// tallyOf returns a number or a part of the state as a sum; nil if it is not a number. It
// reads the state, except for a variable whose values are consecutive ascending numbers.
func tallyOf(a *evaluation, v starlark.Value) *tally {
	c, isCell := v.(*cell)
	if isCell && c.of != nil {
		return &tally{a: a, sum: plusShift(c.of.value, c.shift)}
	}
	shift, ascending := 0, isCell && c.from != nil
	if ascending {
		shift, ascending = a.shift(c.from)
	}
	if ascending && c.plus != nil {
		var also int
		also, ascending = a.shift(c.plus)
		shift += also
	}
	if ascending {
		shift += c.shift
	}
	switch {
	case !ascending:
		if isCell {
			v = a.known(c.datum)
		}
		n, err := starlark.AsInt32(v)
		if err != nil {
			return nil
		}
		return &tally{a: a, sum: program.Const(n)}
	case c.plus != nil:
		return &tally{a: a, sum: plusShift(program.Add(c.from.x, c.plus.x), shift)}
	}
	return &tally{a: a, sum: plusShift(program.Value(c.from.x), shift)}
}

func plusShift(e program.Expr, shift int) program.Expr {
	if shift == 0 {
		return e
	}
	return program.Add(e, shift)
}

// shift returns the difference between each value of a place and its number, if it is the
// same for all.
func (a *evaluation) shift(p *slot) (shift int, all bool) {
	for i, number := range a.run.Domain(p.x) {
		n, err := starlark.AsInt32(p.value(number))
		if err != nil || i > 0 && n-number != shift {
			return 0, false
		}
		shift = n - number
	}
	return shift, true
}

const fewCombinations = 1 << 8 // of values, which are read

// few is fewCombinations, but in tests, or where all are read.
func (a *evaluation) few() int {
	if a.reads {
		return math.MaxInt32
	}
	return cmp.Or(a.m.few, fewCombinations)
}

// combinations is how many combinations of values places have, at most one above few.
func (a *evaluation) combinations(of []*slot) int {
	n := 1
	for _, p := range of {
		n = min(a.few()+1, n*len(a.run.Domain(p.x)))
	}
	return n
}

// comparedAsSums compares numbers of the state, of which one is a sum, without reading them, unless they have few
// combinations of values.
func comparedAsSums(op syntax.Token, x, y starlark.Value) (v starlark.Value, err error, done bool) {
	combinations, computed := 1, false
	var a *evaluation
	for _, v := range []starlark.Value{x, y} {
		c, isCell := v.(*cell)
		if _, number := v.(starlark.Int); !isCell && !number {
			return nil, nil, false
		}
		if !isCell || c.from == nil {
			continue
		}
		if a, computed = c.a, computed || c.computed(); a.run.OneState() {
			return nil, nil, false
		}
		combinations = min(a.few()+1, combinations*a.combinations(c.reads()))
	}
	if _, ordered := comparisons[op]; !ordered || op == syntax.IN || op == syntax.NOT_IN {
		return nil, nil, false
	}
	if a == nil || combinations <= a.few() {
		return nil, nil, false
	}
	if c, is := x.(*cell); is && c.split() {
		if _, number := y.(starlark.Int); number {
			return nil, nil, false
		}
	}
	both := func(v starlark.Value) bool { c, is := v.(*cell); return is && c.from != nil }
	c, is := x.(*cell)
	if !is || c.from == nil {
		c, _ = y.(*cell)
	}
	if !(both(x) && both(y)) && (!computed || c.single()) {
		return nil, nil, false
	}
	s, t := a.unreadSum(x), a.unreadSum(y)
	if s == nil || t == nil {
		return nil, nil, false
	}
	a.compiled = true
	v, err = compareTallies(op, s, t)
	return v, err, true
}

// unreadSum is a number as a sum; nil if that needs the state.
func (a *evaluation) unreadSum(v starlark.Value) *tally {
	if c, is := v.(*cell); is && c.from != nil {
		for _, p := range c.reads() {
			if _, ascending := a.shift(p); !ascending {
				return nil
			}
		}
	}
	return tallyOf(a, v)
}

func compareTallies(op syntax.Token, x, y *tally) (starlark.Value, error) {
	if x == nil || y == nil {
		return nil, mistakef("a count is compared with a number")
	}
	if x.some == nil { // the count comes first
		x, y, op = y, x, mirrored(op)
	}
	if none, says := tellsNone(op, y.sum); says && len(x.some) > 0 {
		return starlark.Bool(x.a.run.Holds(func() program.Expr { return program.Or(x.some...) }) != none), nil
	}
	if x.sum.Op == program.Constant && y.sum.Op == program.Constant {
		b, err := starlark.Compare(op, starlark.MakeInt(x.sum.Value), starlark.MakeInt(y.sum.Value))
		return starlark.Bool(b), err
	}
	var e program.Expr
	switch op {
	case syntax.EQL, syntax.NEQ:
		e = program.Eq(x.sum, y.sum)
	case syntax.LT, syntax.GE:
		e = program.Lt(x.sum, y.sum)
	case syntax.LE, syntax.GT:
		e = program.Le(x.sum, y.sum)
	default:
		return nil, mistakef("a count is compared by ==, !=, <, <=, > or >=")
	}
	not := op == syntax.NEQ || op == syntax.GE || op == syntax.GT
	return starlark.Bool(x.a.run.Holds(func() program.Expr { return e }) != not), nil
}

func mirrored(op syntax.Token) syntax.Token {
	switch op {
	case syntax.LT:
		return syntax.GT
	case syntax.LE:
		return syntax.GE
	case syntax.GT:
		return syntax.LT
	case syntax.GE:
		return syntax.LE
	}
	return op
}

// tellsNone reports whether a comparison with y tests only whether the count is 0, and
// whether it holds then.
func tellsNone(op syntax.Token, y program.Expr) (none, says bool) {
	if y.Op != program.Constant {
		return false, false
	}
	switch {
	case y.Value == 0 && (op == syntax.EQL || op == syntax.LE), y.Value == 1 && op == syntax.LT:
		return true, true
	case y.Value == 0 && (op == syntax.NEQ || op == syntax.GT), y.Value == 1 && op == syntax.GE:
		return false, true
	}
	return false, false
}
