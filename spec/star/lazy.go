package star

import (
	"fmt"
	"maps"
	"slices"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// Where the file compares, assigns or pushes a part of the state directly, its value need
// not be read: x == "idle" distinguishes two groups of values, and y = x moves any value.
// The metered tree (meter.go) calls "." and "[]" there, which yield a cell, and no cell
// gets anywhere else.

// lazily returns a place's value as a cell.
func (a *evaluation) lazily(p *slot) starlark.Value {
	if k, ok := p.kind.(*domain); ok {
		return &cell{a.snapshot(p), k, a}
	}
	return a.look(p)
}

// lazyAttr is x.name.
func lazyAttr(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	name := string(args[1].(starlark.String))
	switch x := args[0].(type) {
	case *view:
		p, err := x.field(name)
		if err != nil {
			return nil, err
		}
		return x.a.lazily(p), nil
	case *message:
		if i := x.record.field(name); i >= 0 {
			if k, ok := x.record.fields[i].(*domain); ok {
				return &cell{x.in[i], k, x.a}, nil
			}
		}
	}
	if q, ok := args[0].(*fifo); ok && name == "head" && q.occupied(0) {
		return q.a.lazily(q.place.in[0]), nil
	}
	x, ok := args[0].(starlark.HasAttrs)
	if !ok {
		return nil, fmt.Errorf("%s has no .%s field or method", args[0].Type(), name)
	}
	v, err := x.Attr(name)
	if v == nil && err == nil {
		err = fmt.Errorf("%s has no .%s field or method", x.Type(), name)
	}
	return v, err
}

// truth is x used as a condition. It refuses arrays and records, which are always true, and
// variables that can be None and 0, which both count as false.
func truth(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	if v, ok := args[0].(*view); ok {
		if _, isRecord := recordOf(v); isRecord {
			return nil, mistakef("%s is a record, which is always true: write a field, as in %s.kind", v.place.label, v.place.label)
		}
		return nil, mistakef("%s is an array, which is always true: write an element, as in %s[i]", v.place.label, v.place.label)
	}
	c, ok := args[0].(*cell)
	if !ok {
		return args[0], nil
	}
	_, none := numbered(c.kind.number, starlark.None)
	_, zero := numbered(c.kind.number, starlark.MakeInt(0))
	if none && zero {
		return nil, mistakef("0 and None both count as false: write == None or != None")
	}
	return c.a.known(c.datum), nil
}

// lazyIndex is x[i].
func lazyIndex(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	if err := chargeKey(t, args[1]); err != nil {
		return nil, err
	}
	switch x := args[0].(type) {
	case *view:
		p, err := x.element(args[1])
		if err != nil {
			return nil, err
		}
		return x.a.lazily(p), nil
	case starlark.Mapping:
		v, found, err := x.Get(args[1])
		if err == nil && !found {
			err = fmt.Errorf("key %s not in %s", short(args[1]), x.Type())
		}
		return v, err
	case *fifo:
		if i, err := starlark.AsInt32(args[1]); err == nil && i >= 0 && i < len(x.place.in) && x.occupied(i) {
			return x.a.lazily(x.place.in[i]), nil
		}
		return nil, fmt.Errorf("%s has no message %s: its size is %d, and it may hold fewer; test len(...) first", x.place.label, short(args[1]), len(x.place.in))
	case starlark.Indexable:
		i, err := starlark.AsInt32(args[1])
		if err != nil {
			return nil, fmt.Errorf("%s index: %w", x.Type(), err)
		}
		n := x.Len()
		if n == 0 {
			return nil, fmt.Errorf("index %d out of range: empty %s", i, x.Type())
		}
		if i < -n || i >= n {
			return nil, fmt.Errorf("%s index %d out of range [%d:%d]", x.Type(), i, -n, n-1)
		}
		return x.Index((i + n) % n), nil
	}
	if _, record := args[0].(*message); record {
		return nil, mistakef("a record has no [%s]: write its fields after a dot, as in m.kind", short(args[1]))
	}
	return nil, mistakef("a value of type %s has no [%s]: a variable has elements if it is declared with over=", args[0].Type(), short(args[1]))
}

// comparisons are the operators whose operands may be cells.
var comparisons = map[syntax.Token]string{
	syntax.EQL: "==", syntax.NEQ: "!=", syntax.LT: "<", syntax.LE: "<=", syntax.GT: ">", syntax.GE: ">=",
	syntax.IN: "in", syntax.NOT_IN: "not in",
}

func compare(t *starlark.Thread, op syntax.Token, x, y starlark.Value) (starlark.Value, error) {
	if err := chargeComparison(t, op, x, y); err != nil {
		return nil, err
	}
	if err := checkComparable(op, x, y); err != nil {
		return nil, err
	}
	if q, ok := x.(*length); ok {
		return q.compare(t, op, y)
	}
	if q, ok := y.(*length); ok {
		return q.compare(t, mirrored(op), x)
	}
	if a, b, counted := tallies(x, y); counted {
		return compareTallies(op, a, b)
	}
	c, isCell := x.(*cell)
	other, swapped := y, false
	if !isCell {
		if c, isCell = y.(*cell); !isCell {
			return evaluated(op, x, y)
		}
		other, swapped = x, true
	}
	if o, both := other.(*cell); both {
		if (op == syntax.EQL || op == syntax.NEQ) && !slices.ContainsFunc(o.kind.types, func(of string) bool { return slices.Contains(c.kind.types, of) }) {
			return nil, mistakef("these are never equal: one has the values %s, the other %s", c.kind, o.kind)
		}
		other = o.a.known(o.datum)
	} else if err := c.a.checkValueInDomain(c.kind, op, other, swapped); err != nil {
		return nil, err
	}
	holds := func(v starlark.Value) (bool, error) {
		x, y := v, other
		if swapped {
			x, y = y, x
		}
		b, err := evaluated(op, x, y)
		return err == nil && bool(b.Truth()), err
	}
	if c.from == nil || c.plus != nil {
		b, err := holds(c.a.known(c.datum))
		return starlark.Bool(b), err
	}
	if n, alone := c.from.equalling(op, other); alone {
		return starlark.Bool(c.a.run.Is(c.from.x, func(number int) bool { return (number == n) == (op == syntax.EQL) })), nil
	}
	var those []int
	for i, number := range c.a.run.Domain(c.from.x) {
		if err := chargeValue(t, op, i, c.from.value(number), other); err != nil {
			return nil, err
		}
		b, err := holds(c.from.value(number))
		if err != nil {
			b, err := holds(c.a.known(c.datum)) // some values give the error, others may not
			return starlark.Bool(b), err
		}
		if b {
			those = append(those, number)
		}
	}
	return starlark.Bool(c.a.run.Is(c.from.x, func(number int) bool {
		_, in := slices.BinarySearch(those, number)
		return in
	})), nil
}

// spelt is compare, where a local name stands for a value of the state: it refuses to
// compare with a string that no variable and no message can hold.
func spelt(t *starlark.Thread, op syntax.Token, x, y starlark.Value) (starlark.Value, error) {
	a := evaluationOf(t)
	value, is := x.(starlark.String)
	if a == nil || !is || !a.m.heldStrings()[string(value)] {
		return compare(t, op, x, y)
	}
	against := []starlark.Value{y}
	if op == syntax.IN || op == syntax.NOT_IN {
		against, _ = elements(y)
	}
	for _, v := range against {
		text, also := v.(starlark.String)
		if also && !a.m.heldStrings()[string(text)] {
			known := slices.Sorted(maps.Keys(a.m.heldStrings()))
			return nil, mistakef("invalid value %s to compare with: no variable and no message can be that%s", short(v), words.Suggestion(string(text), known))
		}
	}
	return compare(t, op, x, y)
}

// chargeValue charges for comparing the i-th value of a variable.
func chargeValue(t *starlark.Thread, op syntax.Token, i int, v, other starlark.Value) error {
	const together = 16 // values that take a step to compare with a number
	if i%together == together-1 {
		if err := charge(t, 1); err != nil {
			return err
		}
	}
	return chargeComparison(t, op, v, other)
}

// equalling returns the number of the value that equals v, -1 if none does. alone says that the
// comparison needs no more than that: no value need be compared.
func (p *slot) equalling(op syntax.Token, v starlark.Value) (n int, alone bool) {
	switch v.(type) {
	case starlark.String, starlark.Int, starlark.Bool, starlark.NoneType:
	default: // a float equals an int, and may be in a tuple
		return 0, false
	}
	if op != syntax.EQL && op != syntax.NEQ {
		return 0, false
	}
	if n, fits := p.number(v); fits {
		return n, true
	}
	return -1, true
}

// length is how many messages a FIFO has, where it is compared.
type length struct {
	starlark.Value // no file sees it
	of             *fifo
}

func lazyLen(t *starlark.Thread, f *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if len(args) == 1 {
		if q, ok := args[0].(*fifo); ok {
			return &length{of: q}, nil
		}
	}
	return starlark.Call(t, starlark.Universe["len"], args, kwargs)
}

// compare looks at one place, or two.
func (l *length) compare(t *starlark.Thread, op syntax.Token, y starlark.Value) (starlark.Value, error) {
	switch o := y.(type) {
	case *tally:
		return compare(t, op, starlark.MakeInt(l.of.Len()), o)
	case *cell:
		y = o.a.known(o.datum)
	case *length:
		y = starlark.MakeInt(o.of.Len())
	}
	_, isInt := y.(starlark.Int)
	k, err := starlark.AsInt32(y)
	if !isInt || err != nil || op == syntax.IN || op == syntax.NOT_IN {
		return evaluated(op, starlark.MakeInt(l.of.Len()), y)
	}
	more := func(k int) bool { return k < 0 || k < l.of.kind().size && l.of.occupied(k) }
	switch op {
	case syntax.GT:
		return starlark.Bool(more(k)), nil
	case syntax.GE:
		return starlark.Bool(more(k - 1)), nil
	case syntax.LT:
		return starlark.Bool(!more(k - 1)), nil
	case syntax.LE:
		return starlark.Bool(!more(k)), nil
	}
	return starlark.Bool((more(k-1) && !more(k)) == (op == syntax.EQL)), nil
}

// lazyPlus is x + y, which does not read the sum of two variables.
func lazyPlus(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	x, isCell := args[0].(*cell)
	y, also := args[1].(*cell)
	if isCell && also && x.from != nil && y.from != nil && x.plus == nil && y.plus == nil {
		d := datum{from: x.from, plus: y.from}
		if _, numbers := x.a.summed(x.from, d); numbers {
			return &cell{d, x.kind, x.a}, nil
		}
	}
	for i, v := range args {
		if c, ok := v.(*cell); ok {
			args[i] = c.a.known(c.datum)
		}
	}
	if err := afford(t, syntax.PLUS, args[0], args[1]); err != nil {
		return nil, err
	}
	return starlark.Binary(syntax.PLUS, args[0], args[1])
}

func evaluated(op syntax.Token, x, y starlark.Value) (starlark.Value, error) {
	if op == syntax.IN || op == syntax.NOT_IN {
		v, err := starlark.Binary(op, x, y)
		if v == nil {
			v = starlark.False
		}
		return v, err
	}
	b, err := starlark.Compare(op, x, y)
	return starlark.Bool(b), err
}
