package star

import (
	"math/bits"
	"slices"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// Hashing, comparing and printing visit all that a value contains, and what it contains twice, twice. After
// x = (x, x), sixty times, one step of the interpreter would never end. Therefore each of these operations, whether an
// operator or within a built-in function, is charged beforehand for what it will visit: a key that is hashed by
// chargeKey, a comparison by chargeComparison, and arguments that a function looks through by chargeVisits.

const (
	visitsPerStep = 4       // a visit takes a quarter of the time of a step
	mostVisits    = 1 << 26 // of one operation, which cannot be interrupted
	bytesCompared = 64      // of two strings in the time of a visit
	bytesCopied   = 4       // of a string
)

// visitor counts visits. Once none is left, it stops.
type visitor struct {
	left  int
	bytes int // of a string that count as a visit
}

// chargeVisiting charges times over for what visit visits.
func chargeVisiting(t *starlark.Thread, times, bytes int, visit func(*visitor) bool) error {
	r := runOf(t)
	most := 0
	if t.Steps < r.limit {
		most = int(min(r.limit-t.Steps, mostVisits/visitsPerStep)) * visitsPerStep
	}
	w := visitor{most, bytes}
	shallow := visit(&w)
	switch {
	case w.left < 0 && most == mostVisits:
		return bound(mostVisits, "values within one", "make it smaller, or share less of it")
	case w.left < 0:
		return tooManySteps(r.limit)
	case !shallow:
		return bound(mostDepth, "values within values", "nest them less")
	}
	return charge(t, times*((most-w.left)/visitsPerStep))
}

// chargeVisits charges for visiting all that values contain.
func chargeVisits(t *starlark.Thread, values ...starlark.Value) error {
	return chargeVisiting(t, 1, bytesCompared, func(w *visitor) bool { return w.visitAll(values, 0) })
}

// chargeArguments charges for what a function of the file's own words reads in its arguments: strings are copied.
func chargeArguments(t *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) error {
	light := func(v starlark.Value) bool {
		text, is := v.(starlark.String)
		return !contains(v) && (!is || len(text) < bytesCopied)
	}
	if len(kwargs) == 0 && !slices.ContainsFunc(args, func(v starlark.Value) bool { return !light(v) }) {
		return nil // such as those of hop
	}
	return chargeVisiting(t, 1, bytesCopied, func(w *visitor) bool {
		for _, kv := range kwargs {
			if !w.visit(kv[1], 0) {
				return false
			}
		}
		return w.visitAll(args, 0)
	})
}

// visit visits all that a value contains, and reports whether it is not nested too deeply, or visited in part.
func (w *visitor) visit(v starlark.Value, depth int) bool {
	if w.left--; w.left < 0 || depth > mostDepth {
		return false
	}
	switch v := v.(type) {
	case starlark.String:
		w.left -= len(v) / w.bytes
	case starlark.Tuple:
		return w.visitAll(v, depth+1)
	case *starlark.List:
		for i := range v.Len() {
			if !w.visit(v.Index(i), depth+1) {
				return false
			}
		}
	case *starlark.Dict:
		for k, x := range v.Entries() {
			if !w.visit(k, depth+1) || !w.visit(x, depth+1) {
				return false
			}
		}
	}
	return true
}

func (w *visitor) visitAll(values []starlark.Value, depth int) bool {
	for _, v := range values {
		if !w.visit(v, depth) {
			return false
		}
	}
	return true
}

// contains reports whether a value contains others.
func contains(v starlark.Value) bool {
	switch v.(type) {
	case starlark.Tuple, *starlark.List, *starlark.Dict:
		return true
	}
	return false
}

// chargeComparison charges for x op y.
func chargeComparison(t *starlark.Thread, op syntax.Token, x, y starlark.Value) error {
	if op == syntax.IN || op == syntax.NOT_IN {
		return chargeMembership(t, x, y)
	}
	if !contains(x) && !contains(y) {
		text, is := x.(starlark.String)
		other, also := y.(starlark.String)
		if !is || !also {
			return nil
		}
		return charge(t, min(len(text), len(other))/(bytesCompared*visitsPerStep))
	}
	return chargeVisiting(t, 1, bytesCompared, func(w *visitor) bool {
		w.compare(x, y, 0)
		return true
	})
}

// chargeMembership charges for x in y.
func chargeMembership(t *starlark.Thread, x, y starlark.Value) error {
	switch y := y.(type) {
	case starlark.String:
		return charge(t, len(y)/bytesCompared)
	case *starlark.Dict:
		return chargeKey(t, x)
	case starlark.Indexable:
		if _, is := sequenceOf(y); !is { // such as a range, which is not searched, but is looked through where a node is sought
			return charge(t, min(size(y), mostValues)/visitsPerStep)
		}
		return chargeVisiting(t, 1, bytesCompared, func(w *visitor) bool {
			for i := 0; i < y.Len() && w.left >= 0; i++ {
				if w.compare(x, y.Index(i), 0) {
					break
				}
			}
			return true
		})
	}
	return nil
}

// compare visits what a comparison of two values visits: everything up to the first difference. It reports whether
// there is none; a value that it does not know is taken for equal.
func (w *visitor) compare(x, y starlark.Value, depth int) (same bool) {
	if w.left--; w.left < 0 || depth > starlark.CompareLimit { // Starlark refuses to compare deeper
		return false
	}
	switch x := x.(type) {
	case starlark.String:
		y, text := y.(starlark.String)
		if text {
			w.left -= min(len(x), len(y)) / w.bytes
		}
		return text && x == y
	case starlark.Tuple:
		if y, also := y.(starlark.Tuple); also {
			return w.compareSequences(x, y, depth)
		}
	case *starlark.List:
		if y, also := y.(*starlark.List); also {
			return w.compareSequences(x, y, depth)
		}
	case *starlark.Dict:
		if y, also := y.(*starlark.Dict); also {
			return w.compareDicts(x, y, depth)
		}
	case starlark.Int:
		if y, also := y.(starlark.Int); also {
			n, _ := x.Cmp(y, 0)
			return n == 0
		}
	case *node, *link:
		return x == y
	}
	if !plainlyCompared(x) { // such as a part of the state, which is read
		w.visit(y, depth)
	}
	if !plainlyCompared(y) {
		w.visit(x, depth)
	}
	return !contains(x) && !contains(y)
}

// plainlyCompared reports whether a value of another type is unequal at once.
func plainlyCompared(v starlark.Value) bool {
	switch v.(type) {
	case starlark.NoneType, starlark.Bool, starlark.Int, starlark.Float, starlark.String, starlark.Tuple, *starlark.List, *starlark.Dict, *node, *link, *fields:
		return true
	}
	return false
}

func (w *visitor) compareSequences(x, y starlark.Indexable, depth int) bool {
	n := min(x.Len(), y.Len())
	for i := range n {
		if !w.compare(x.Index(i), y.Index(i), depth+1) {
			return false
		}
	}
	return x.Len() == y.Len()
}

func (w *visitor) compareDicts(x, y *starlark.Dict, depth int) bool {
	if x.Len() != y.Len() {
		return false
	}
	for k, v := range x.Entries() {
		if !w.visit(k, depth) {
			return false
		}
		if other, found, err := y.Get(k); err != nil || !found || !w.compare(v, other, depth+1) {
			return false
		}
	}
	return true
}

// chargeKey charges for hashing a value, and for printing it if it is missing from a dict.
func chargeKey(t *starlark.Thread, v starlark.Value) error {
	switch v.(type) {
	case starlark.String, starlark.Tuple:
	default:
		return nil
	}
	left := mostBytes
	if !weigh(v, &left, 0) {
		return bound(mostBytes, "bytes of text in a key", "use smaller keys, and nest them less")
	}
	return charge(t, (mostBytes-left)/bytesCompared)
}

// chargeKeys charges for hashing the keys of dicts, and those that lists of pairs would give a dict.
func chargeKeys(t *starlark.Thread, of ...starlark.Value) error {
	for _, v := range of {
		switch v := v.(type) {
		case *starlark.Dict:
			for k := range v.Entries() {
				if err := chargeKey(t, k); err != nil {
					return err
				}
			}
		case starlark.Iterable:
			if !contains(v) {
				continue
			}
			for pair := range starlark.Elements(v) {
				if pair, is := sequenceOf(pair); is && pair.Len() == 2 {
					if err := chargeKey(t, pair.Index(0)); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

// ordering wraps sorted, min or max: it is charged for the comparisons.
func ordering(f *starlark.Builtin) *starlark.Builtin {
	return starlark.NewBuiltin(f.Name(), func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		if err := chargeArgs(t, args, kwargs); err != nil {
			return nil, err
		}
		times := 1
		if f.Name() == "sorted" && len(args) > 0 {
			times = bits.Len(uint(max(1, starlark.Len(args[0]))))
		}
		compared := func(v starlark.Value) error {
			if !contains(v) {
				if _, text := v.(starlark.String); !text {
					return charge(t, times/visitsPerStep)
				}
			}
			return chargeVisiting(t, times, bytesCompared, func(w *visitor) bool { return w.visit(v, 0) })
		}
		keyed := false
		by := func(key starlark.Value) starlark.Value {
			of, callable := key.(starlark.Callable)
			if !callable {
				return key // None, or the function itself says what is wrong
			}
			keyed = true
			return starlark.NewBuiltin(of.Name(), func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
				v, err := starlark.Call(t, of, args, kwargs)
				if err != nil {
					return nil, err
				}
				return v, compared(v)
			})
		}
		if f.Name() == "sorted" && len(args) > 1 { // its second parameter
			args = append(starlark.Tuple{args[0], by(args[1])}, args[2:]...)
		}
		for i, kv := range kwargs {
			if kv[0] == starlark.String("key") {
				kwargs[i] = starlark.Tuple{kv[0], by(kv[1])}
			}
		}
		all := starlark.Value(args)
		if len(args) == 1 || f.Name() == "sorted" && len(args) > 0 {
			all = args[0]
		}
		if contains(all) && !keyed { // a FIFO would be read from the state
			for v := range starlark.Elements(all.(starlark.Iterable)) {
				if err := compared(v); err != nil {
					return nil, err
				}
			}
		}
		return f.CallInternal(t, args, kwargs)
	})
}

// comparing returns x op y as a function that is charged for it. It takes as many steps as the operator.
func comparing(op syntax.Token) builtin {
	return func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
		if err := chargeComparison(t, op, args[0], args[1]); err != nil {
			return nil, err
		}
		t.Steps-- // the name of the function
		return evaluated(op, args[0], args[1])
	}
}

// key returns its argument, a key, charged for hashing it. It takes no steps otherwise.
func key(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	if err := chargeKey(t, args[0]); err != nil {
		return nil, err
	}
	t.Steps -= 2 // the name of the function, and its call
	return args[0], nil
}
