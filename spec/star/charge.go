package star

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// Starlark counts the steps of the interpreter, but one step may copy a list
// of a million. Therefore every operation that makes something as large as
// its operands is charged for it, in steps, before it is carried out. So is
// every operation that visits all that its operands contain (see chargeVisits).

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
	case small && alsoSmall: // at most 576 bits, with any operator
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
	return starlark.NewBuiltin(f.Name(), func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple,
		kwargs []starlark.Tuple) (starlark.Value, error) {
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
func safeRange(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple,
	kwargs []starlark.Tuple) (starlark.Value, error) {
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

func newFields(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple,
	kwargs []starlark.Tuple) (starlark.Value, error) {
	if len(args) > 0 {
		return nil, errors.New("struct takes named arguments only: write struct(root = 6, parent = table)")
	}
	f := &fields{in: starlark.StringDict{}}
	for _, kv := range kwargs {
		f.in[string(kv[0].(starlark.String))] = kv[1]
	}
	return f, charge(t, emptyDict+len(kwargs))
}

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
		// A range, for example, is not searched, but is looked through where a node is sought.
		if _, is := sequenceOf(y); !is {
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
	case starlark.NoneType, starlark.Bool, starlark.Int, starlark.Float, starlark.String, starlark.Tuple,
		*starlark.List, *starlark.Dict, *node, *link, *fields:
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
	return starlark.NewBuiltin(f.Name(), func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple,
		kwargs []starlark.Tuple) (starlark.Value, error) {
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
			return starlark.NewBuiltin(of.Name(), func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple,
				kwargs []starlark.Tuple) (starlark.Value, error) {
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
	return func(
		t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple,
	) (starlark.Value, error) {
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

// costly reports whether a method of this name makes or moves something as
// large as its receiver or its arguments.
func costly(name string) bool {
	switch name {
	case "extend", "index", "insert", "remove", // of lists
		"items", "keys", "update", "values", // of dicts
		"capitalize", "codepoint_ords", "codepoints", "count", "elem_ords", "elems", "endswith", "find", "format",
		"isalnum", "isalpha", "isdigit", "islower", "isspace", "istitle", "isupper", "join", "lower", "lstrip",
		"partition", "removeprefix", "removesuffix", "replace", "rfind", "rindex", "rpartition", "rsplit", "rstrip",
		"split", "splitlines", "startswith", "strip", "title", "upper": // of strings
		return true
	}
	return false
}

// hashing reports whether a method of this name, of a dict, hashes its argument. FIFOs have these names, too.
func hashing(name string) bool { return name == "get" || name == "pop" || name == "setdefault" }

// chargedMethod is x.name for a name that is costly or hashing.
func chargedMethod(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple,
	_ []starlark.Tuple) (starlark.Value, error) {
	x, name := args[0], string(args[1].(starlark.String))
	holder, ok := x.(starlark.HasAttrs)
	if !ok {
		return nil, fmt.Errorf("%s has no .%s", x.Type(), name)
	}
	v, err := holder.Attr(name)
	if err != nil {
		return nil, err
	}
	switch x.(type) {
	case *view, *message: // which have no methods: it is a variable or a field
		return v, nil
	}
	if _, dict := x.(*starlark.Dict); !dict && v != nil && hashing(name) {
		return v, nil
	}
	f, ok := v.(*starlark.Builtin)
	if !ok {
		return nil, fmt.Errorf("%s has no .%s: it has %s", x.Type(), name, strings.Join(holder.AttrNames(), ", "))
	}
	return starlark.NewBuiltin(name, func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple,
		kwargs []starlark.Tuple) (starlark.Value, error) {
		cost := size(x)
		if s, ok := x.(starlark.String); ok {
			cost = len(s) // split may yield a value for each byte, elems as well
			if err := affordMethod(t, s, name, args, kwargs); err != nil {
				return nil, err
			}
		} else if err := chargeSearch(t, x, name, args); err != nil {
			return nil, err
		} else if hashing(name) {
			cost = 0
		}
		if err := charge(t, cost); err != nil {
			return nil, err
		}
		if err := chargeArgs(t, args, kwargs); err != nil {
			return nil, err
		}
		return f.CallInternal(t, args, kwargs)
	}), nil
}

// chargeSearch charges a method of a list for the values that it compares, and one of a dict for the keys that it
// hashes.
func chargeSearch(t *starlark.Thread, x starlark.Value, name string, args starlark.Tuple) error {
	if len(args) == 0 {
		return nil
	}
	switch x := x.(type) {
	case *starlark.List:
		if name == "index" || name == "remove" {
			return chargeMembership(t, args[0], x)
		}
	case *starlark.Dict:
		if hashing(name) {
			return chargeKey(t, args[0])
		}
		if name == "update" {
			return chargeKeys(t, args[0])
		}
	}
	return nil
}

// affordMethod refuses methods of strings that would make too much text.
func affordMethod(t *starlark.Thread, s starlark.String, name string, args starlark.Tuple,
	kwargs []starlark.Tuple) error {
	switch name {
	case "join":
		if len(args) == 1 {
			return affordJoin(t, s, args[0])
		}
	case "replace":
		if len(args) < 2 {
			return nil
		}
		from, ok := args[0].(starlark.String)
		to, also := args[1].(starlark.String)
		if ok && also && len(s)+strings.Count(string(s), string(from))*len(to) > mostBytes {
			return textTooLong()
		}
	case "format":
		uses := strings.Count(string(s), "{") + 1
		left := (mostBytes - len(s)) / uses
		before := left
		for _, v := range args {
			if !weigh(v, &left, 0) {
				return textTooLong()
			}
		}
		for _, kv := range kwargs {
			if !weigh(kv[1], &left, 0) {
				return textTooLong()
			}
		}
		return charge(t, uses*(before-left)/16)
	default: // a list of parts, or of endings
		return chargeVisits(t, args...)
	}
	return nil
}

func affordJoin(t *starlark.Thread, separator starlark.String, parts starlark.Value) error {
	list, ok := parts.(starlark.Iterable)
	if !ok {
		return nil // the method itself says what is wrong
	}
	if err := charge(t, size(parts)); err != nil {
		return err
	}
	total := 0
	for v := range starlark.Elements(list) {
		if s, ok := v.(starlark.String); ok {
			total += len(s)
		}
		if total += len(separator); total > mostBytes {
			return textTooLong()
		}
	}
	return nil
}

// chargeCopy charges for a slice of its argument, or for spreading it.
func chargeCopy(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple,
	_ []starlark.Tuple) (starlark.Value, error) {
	return args[0], charge(t, size(args[0]))
}

// chargeDict charges for a new dict, which takes a lot of memory even if it is empty.
func chargeDict(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple,
	_ []starlark.Tuple) (starlark.Value, error) {
	return args[0], charge(t, emptyDict)
}

// affordElement charges for x[i] += y, where x[i] is not known.
func affordElement(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple,
	_ []starlark.Tuple) (starlark.Value, error) {
	switch y := args[0].(type) {
	case starlark.Int, starlark.Float:
		return y, nil
	case *starlark.List:
		return y, charge(t, y.Len())
	}
	return nil, fmt.Errorf("+= of %s to an element: write x[i] = x[i] + y", nameOf(args[0]))
}
