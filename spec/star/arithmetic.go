package star

import (
	"slices"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/star/internal/decision"
)

// Numbers that a rule computes of the state. Where they are compared, or assigned to the state, perhaps by way of a local
// name, the variables need not be looked at: the metered tree (meter.go) calls the functions here, and the number
// becomes an expression of the program. So the combinations of values of the variables are never enumerated.
//
// Few combinations (fewCombinations) are, as their values then are known to the rest of the rule. That is decided where
// the number is used, not where it is made: a total of many variables begins with one.
//
// What a number means is what Starlark says. A value that the variable cannot hold is an error where it is assigned, and
// ends the run; unread, it takes the variable out of range when the step ends. The two differ if the step is refused
// later, or the variable is assigned again: then evaluation.fits asks, and forks the run.

// lazySum returns the function for x op y, which does not read variables that hold numbers.
func lazySum(op syntax.Token) builtin {
	return func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
		return sum(t, op, args[0], args[1])
	}
}

// lazyAdd is x += y for a local name.
func lazyAdd(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple,
	_ []starlark.Tuple) (starlark.Value, error) {
	list, is := args[0].(*starlark.List)
	if !is {
		return sum(t, syntax.PLUS, args[0], args[1])
	}
	y := read(args[1]) // the list itself changes
	if err := afford(t, syntax.PLUS, list, y); err != nil {
		return nil, err
	}
	extend, err := list.Attr("extend")
	if err != nil {
		return nil, err
	}
	_, err = starlark.Call(t, extend, starlark.Tuple{y}, nil)
	return list, err
}

// knownNumber is a local name that may hold a number of the state, where the number itself is needed.
func knownNumber(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	return read(args[0]), nil
}

// read is a value, which is read if it is one of the state.
func read(v starlark.Value) starlark.Value {
	if c, is := v.(*cell); is {
		return c.a.known(c.datum)
	}
	return v
}

// lazyExtreme returns the function for min or max of several numbers, or of a list of them.
func lazyExtreme(name string) builtin {
	plain := ordering(starlark.Universe[name].(*starlark.Builtin))
	return func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
		of, single := []starlark.Value(args), len(args) == 1
		if single {
			of, _ = elements(args[0])
		}
		i := slices.IndexFunc(of, func(v starlark.Value) bool { _, is := v.(*cell); return is })
		if i < 0 {
			return plain.CallInternal(t, args, nil)
		}
		c := of[i].(*cell)
		if n, err := c.a.extremeOf(t, name == "max", of); n != nil || err != nil {
			return c.a.number(n, c.kind), err
		}
		of = slices.Clone(of)
		for i := range of {
			of[i] = read(of[i])
		}
		if single {
			return plain.CallInternal(t, starlark.Tuple{starlark.NewList(of)}, nil)
		}
		return plain.CallInternal(t, of, nil)
	}
}

func sum(t *starlark.Thread, op syntax.Token, x, y starlark.Value) (starlark.Value, error) {
	c, isCell := x.(*cell)
	d, also := y.(*cell)
	switch {
	case isCell && also && op == syntax.PLUS && c.single() && d.single():
		both := datum{from: c.from, plus: d.from, shift: c.shift + d.shift}
		if _, numbers := c.a.summed(c.from, both); numbers {
			return &cell{both, c.kind, c.a}, nil
		}
	case isCell != also:
		one, number := c, y
		if also {
			one, number = d, x
		}
		if v := one.shifted(op, number); v != nil && (isCell || op == syntax.PLUS) {
			return v, nil
		}
	}
	if !isCell {
		c = d
	}
	if c != nil {
		if n, err := c.a.numberOf(t, op, x, y); n != nil || err != nil {
			return c.a.number(n, c.kind), err
		}
	}
	x, y = read(x), read(y)
	if err := afford(t, op, x, y); err != nil {
		return nil, err
	}
	return starlark.Binary(op, x, y)
}

// number is a computed number as a value of the file.
func (a *evaluation) number(n *computed, k *domain) starlark.Value {
	switch {
	case n == nil:
		return nil
	case n.least == n.most:
		return starlark.MakeInt(n.least)
	}
	return &cell{datum{from: n.reads[0], of: n}, k, a}
}

// single reports whether one variable, and a number that is added, make the value.
func (c *cell) single() bool { return c.from != nil && c.plus == nil && c.of == nil }

// split reports whether a comparison with it splits the values of its one variable, of which it is computed: a
// rule that has compared a sum can assign it then. Few values are read.
func (c *cell) split() bool {
	return c.plus == nil && len(c.reads()) == 1 && !c.a.run.OneState() && c.a.combinations(c.reads()) > c.a.few()
}

// Bounds of a number that is not read.
const (
	largestUnread = 1 << 20 // absolute value
	mostReads     = 1 << 8  // variables
	mostOperators = 1 << 12 // and operands
)

// numberOf is a sum, difference, product, quotient or remainder of two numbers of the state, or of one and a number of
// the file, unread; nil if a value need not be a number, if a divisor is not a positive number of the file, or if the
// result can be large.
func (a *evaluation) numberOf(t *starlark.Thread, op syntax.Token, x, y starlark.Value) (*computed, error) {
	of := a.unreadNumbers([]starlark.Value{x, y})
	if of == nil {
		return nil, nil
	}
	one, two := of[0], of[1]
	n := joint(one, two)
	switch op {
	case syntax.PLUS:
		n.value, n.least, n.most = program.Add(one.value, two.value), one.least+two.least, one.most+two.most
	case syntax.MINUS:
		n.value, n.least, n.most = program.Sub(one.value, two.value), one.least-two.most, one.most-two.least
	case syntax.STAR:
		if int64(one.largest())*int64(two.largest()) > largestUnread {
			return nil, nil
		}
		corners := []int{one.least * two.least, one.least * two.most, one.most * two.least, one.most * two.most}
		n.value, n.least, n.most = program.Mul(one.value, two.value), slices.Min(corners), slices.Max(corners)
	case syntax.SLASHSLASH, syntax.PERCENT:
		if two.least != two.most || two.least <= 0 || !n.divide(one, two.least, op) {
			return nil, nil
		}
	default:
		return nil, nil
	}
	return n.bounded(t)
}

// unreadNumbers is each of several values as a number that is not read; nil if one need not be a number.
func (a *evaluation) unreadNumbers(of []starlark.Value) []*computed {
	if a.run.OneState() {
		return nil
	}
	all := make([]*computed, len(of))
	for i, v := range of {
		if all[i] = a.unreadNumber(v); all[i] == nil {
			return nil
		}
	}
	return all
}

// joint is a number without a value that is to be computed of two.
func joint(one, two *computed) *computed {
	n := &computed{reads: slices.Clone(one.reads), size: one.size + two.size + 1}
	for _, p := range two.reads {
		if !slices.Contains(n.reads, p) {
			n.reads = append(n.reads, p)
		}
	}
	return n
}

// largest bounds the absolute value.
func (n *computed) largest() int { return max(-n.least, n.most) }

// bounded is the number if it is not too large, or nil. It charges for what making it takes.
func (n *computed) bounded(t *starlark.Thread) (*computed, error) {
	if n.largest() > largestUnread || len(n.reads) > mostReads || n.size > mostOperators {
		return nil, nil
	}
	return n, charge(t, n.size/8)
}

// divide makes n the quotient of a number and k > 0, rounded down, or the remainder, which is never negative. The closed
// form has neither, so that it is a search among the multiples of k. It fails if there are too many.
func (n *computed) divide(x *computed, k int, op syntax.Token) bool {
	quotient := func(x int) int { return int((int64(x) - modulo(int64(x), int64(k))) / int64(k)) }
	first, last := quotient(x.least), quotient(x.most)
	leaves := last - first + 1
	if leaves > mostOperators {
		return false
	}
	if n.size = leaves * (x.size + 4); op == syntax.PERCENT {
		n.size += leaves * (x.size + 2)
	}
	if n.size > mostOperators {
		return false
	}
	var search func(low, high int) program.Expr
	search = func(low, high int) program.Expr {
		switch {
		case low < high:
			middle := low + (high-low+1)/2
			return program.IfElse(program.Lt(x.value, middle*k), search(low, middle-1), search(middle, high))
		case op == syntax.SLASHSLASH:
			return program.Const(low)
		}
		return program.Sub(x.value, low*k)
	}
	n.value, n.least, n.most = search(first, last), first, last
	if op == syntax.PERCENT {
		if n.least, n.most = 0, k-1; first == last {
			n.least, n.most = x.least-first*k, x.most-first*k
		}
	}
	return true
}

// extremeOf is the least of several numbers, or the greatest, unread; nil as that of numberOf is.
func (a *evaluation) extremeOf(t *starlark.Thread, greatest bool, of []starlark.Value) (*computed, error) {
	all := a.unreadNumbers(of)
	if all == nil {
		return nil, nil
	}
	var parts []*computed
	for _, x := range all {
		if x.extremes != nil && x.greatest == greatest { // as that of a loop is
			parts = append(parts, x.extremes...)
		} else {
			parts = append(parts, x)
		}
	}
	// Where x need not be looked at, as y is never worse.
	worse := func(x, y *computed) bool { return greatest && x.most <= y.least || !greatest && x.least >= y.most }
	var left []*computed
	for _, x := range parts {
		if slices.ContainsFunc(left, func(y *computed) bool { return worse(x, y) }) {
			continue
		}
		left = append(slices.DeleteFunc(left, func(y *computed) bool { return worse(y, x) }), x)
	}
	if len(left) == 1 {
		return left[0], nil
	}
	return extreme(greatest, left).bounded(t)
}

// extreme is the first of several numbers that no later one beats.
func extreme(greatest bool, parts []*computed) *computed {
	n := *parts[len(parts)-1]
	for i, x := range slices.Backward(parts[:len(parts)-1]) {
		var unbeaten []program.Expr
		size := n.size + x.size + 1
		for _, y := range parts[i+1:] {
			one, other := x, y
			if greatest {
				one, other = y, x
			}
			unbeaten = append(unbeaten, program.Le(one.value, other.value))
			size += x.size + y.size + 1
		}
		m := joint(x, &n)
		m.value, m.size = program.IfElse(program.And(unbeaten...), x.value, n.value), size
		m.least, m.most = min(x.least, n.least), min(x.most, n.most)
		if greatest {
			m.least, m.most = max(x.least, n.least), max(x.most, n.most)
		}
		if n = *m; n.size > mostOperators {
			break // it is not used
		}
	}
	n.extremes, n.greatest = parts, greatest
	return &n
}

// unreadNumber is a number of the state or of the file; nil if it need not be a number.
func (a *evaluation) unreadNumber(v starlark.Value) *computed {
	c, isCell := v.(*cell)
	sum := a.unreadSum(v)
	switch _, isInt := v.(starlark.Int); {
	case sum == nil || !isCell && !isInt:
		return nil
	case !isCell || c.from == nil:
		return &computed{value: sum.sum, least: sum.sum.Value, most: sum.sum.Value, size: 1}
	case c.of != nil:
		n := *c.of
		if c.shift != 0 {
			n = computed{value: sum.sum, reads: n.reads, least: n.least + c.shift, most: n.most + c.shift, size: n.size + 2}
		}
		return &n
	}
	n := &computed{value: sum.sum, reads: c.reads(), least: c.shift, most: c.shift, size: 2*len(c.reads()) + 2}
	for _, p := range n.reads {
		domain := a.run.Domain(p.x)
		shift, _ := a.shift(p)
		n.least, n.most = n.least+domain[0]+shift, n.most+domain[len(domain)-1]+shift
	}
	return n
}

// in is the number in the states of a run, which are split by the variables.
func (n *computed) in(r *decision.Run) int {
	var state []int
	for _, p := range n.reads {
		if missing := int(p.x) + 1 - len(state); missing > 0 {
			state = append(state, make([]int, missing)...)
		}
		state[p.x] = r.Read(p.x)
	}
	return n.value.Number(state)
}

// at is the number where its one variable has a number.
func (n *computed) at(number int) int {
	x := n.reads[0].x
	if n.state == nil {
		n.state = make([]int, x+1)
	}
	n.state[x] = number
	return n.value.Number(n.state)
}

// shifted is a value of the state plus or minus a number, unread; nil if it need not be a number.
func (c *cell) shifted(op syntax.Token, by starlark.Value) starlark.Value {
	const most = 1 << 20
	number, isInt := by.(starlark.Int)
	n, small := number.Int64()
	if op != syntax.PLUS && op != syntax.MINUS || !isInt || !small || max(n, -n) > most || c.from == nil || max(c.shift, -c.shift) > most {
		return nil
	}
	if op == syntax.MINUS {
		n = -n
	}
	for _, p := range c.reads() {
		if _, numbers := c.a.shift(p); !numbers {
			return nil
		}
	}
	d := c.datum
	d.shift += int(n)
	return &cell{d, c.kind, c.a}
}
