package star

import (
	"errors"
	"math"
	"slices"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// Starlark counts the steps of the interpreter, but one step may copy a list
// of a million. Therefore every operation that makes something as large as
// its operands is charged for it, in steps, before it is carried out. So is
// every operation that visits all that its operands contain (visit.go).

const (
	mostBytes = 1 << 20 // of a string
	mostBits  = 1 << 12 // of an integer
	mostDepth = 1000    // of values within values
	emptyDict = 20      // steps
)

// charge takes n steps from what the thread may still do.
func charge(t *starlark.Thread, n int) error {
	if n <= 0 {
		return nil
	}
	if r := runOf(t); t.Steps+uint64(n) >= r.limit {
		return tooManySteps(r.limit)
	}
	t.Steps += uint64(n)
	return nil
}

// size returns the steps that copying v, but not what is in it, costs.
func size(v starlark.Value) int {
	switch v := v.(type) {
	case starlark.String:
		return len(v) / 16
	case *fifo: // its length would be read from the state
		return v.kind().size
	case starlark.Sequence:
		return v.Len()
	case starlark.Indexable:
		return v.Len()
	}
	return 0
}

func textTooLong() error { return bound(mostBytes, "bytes of text", "make less text") }

// afford charges for one binary operation, or refuses it if its result is too large.
func afford(t *starlark.Thread, op syntax.Token, x, y starlark.Value) error {
	a, xInt := x.(starlark.Int)
	b, yInt := y.(starlark.Int)
	if xInt && yInt {
		return affordInt(op, a, b)
	}
	text, isText := x.(starlark.String)
	switch op {
	case syntax.PLUS, syntax.PIPE:
		if other, ok := y.(starlark.String); ok && isText && len(text)+len(other) > mostBytes {
			return textTooLong()
		}
		if err := chargeKeys(t, x, y); err != nil { // a union hashes them again
			return err
		}
		return charge(t, size(x)+size(y))
	case syntax.PERCENT:
		if !isText {
			return nil
		}
		left := mostBytes - len(text)
		uses := 1
		if _, keyed := y.(*starlark.Dict); keyed {
			uses = max(1, len(text)/4) // "%(k)s"
			left /= uses
		}
		before := left
		if !weigh(y, &left, 0) {
			return textTooLong()
		}
		return charge(t, (len(text)+uses*(before-left))/16)
	case syntax.STAR:
		if xInt {
			x, y, a, b = y, x, b, a
			text, isText = x.(starlark.String)
			yInt = true
		}
		if !yInt {
			return nil
		}
		n, exact := b.Int64()
		if !exact && b.Sign() > 0 || n > 1<<31 {
			n = 1 << 31
		}
		n = max(n, 0)
		if isText {
			if int64(len(text))*n > mostBytes {
				return textTooLong()
			}
			return charge(t, len(text)*int(n)/16)
		}
		return charge(t, size(x)*int(n))
	}
	return nil
}

func affordInt(op syntax.Token, x, y starlark.Int) error {
	_, small := x.Int64()
	_, alsoSmall := y.Int64()
	switch {
	case small && alsoSmall: // at most 576 bits, whatever the operator
		return nil
	case op == syntax.STAR && x.BigInt().BitLen()+y.BigInt().BitLen() > mostBits,
		x.BigInt().BitLen() > mostBits || y.BigInt().BitLen() > mostBits:
		return bound(mostBits, "bits of an integer", "compute with smaller numbers")
	}
	return nil
}

// charged wraps a function so that it is charged for its arguments, after an
// optional check of them.
func charged(f *starlark.Builtin, check func(t *starlark.Thread, args starlark.Tuple) error) *starlark.Builtin {
	return starlark.NewBuiltin(f.Name(), func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		if check != nil {
			if err := check(t, args); err != nil {
				return nil, err
			}
		}
		if err := chargeArgs(t, args, kwargs); err != nil {
			return nil, err
		}
		return f.CallInternal(t, args, kwargs)
	})
}

func chargeArgs(t *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) error {
	for _, v := range args {
		if err := charge(t, size(v)); err != nil {
			return err
		}
	}
	for _, kv := range kwargs {
		if err := charge(t, size(kv[1])); err != nil {
			return err
		}
	}
	return nil
}

func affordText(t *starlark.Thread, args starlark.Tuple) error {
	left := mostBytes
	if slices.ContainsFunc(args, func(v starlark.Value) bool { return !weigh(v, &left, 0) }) {
		return textTooLong()
	}
	return charge(t, (mostBytes-left)/16)
}

func affordNumber(_ *starlark.Thread, args starlark.Tuple) error {
	if len(args) > 0 {
		if s, ok := args[0].(starlark.String); ok && len(s) > mostBits/4 {
			return bound(mostBits/4, "digits", "compute with smaller numbers")
		}
	}
	return nil
}

// affordDict charges for a new dict, and for hashing what becomes its keys.
func affordDict(t *starlark.Thread, args starlark.Tuple) error {
	if err := charge(t, emptyDict); err != nil {
		return err
	}
	return chargeKeys(t, args...)
}

// safeRange refuses ends so far apart that the length of the range overflows.
func safeRange(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	const most = min(1<<53, math.MaxInt) // an int has 32 bits on some machines
	for _, v := range args {
		x, ok := v.(starlark.Int)
		if !ok {
			continue // range itself says what is wrong
		}
		if n, exact := x.Int64(); !exact || n > most || n < -most {
			return nil, bound(most, "numbers in a range", "compute with smaller numbers")
		}
	}
	return starlark.Universe["range"].(*starlark.Builtin).CallInternal(t, args, kwargs)
}

func newFields(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if len(args) > 0 {
		return nil, errors.New("struct takes named arguments only: write struct(root = 6, parent = table)")
	}
	f := &fields{in: starlark.StringDict{}}
	for _, kv := range kwargs {
		f.in[string(kv[0].(starlark.String))] = kv[1]
	}
	return f, charge(t, emptyDict+len(kwargs))
}
