package star

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// The state as values of the file: its arrays and records, values that are not looked at, FIFOs.

// view is a place of the state as a value of the file: the state itself, an array, or
// a record. Reading a value of a domain through it looks at the value.
type view struct {
	place *slot
	a     *evaluation
}

var (
	_ starlark.HasSetField = (*view)(nil)
	_ starlark.HasSetKey   = (*view)(nil)
	_ starlark.Comparable  = (*view)(nil)
)

func (v *view) String() string       { return v.place.path }
func (v *view) Type() string         { return strings.TrimSuffix(kindName(v.place.kind), "s") }
func (v *view) Freeze()              {}
func (v *view) Truth() starlark.Bool { return true }
func (v *view) Hash() (uint32, error) {
	return 0, errors.New("a part of the state cannot be a dict key")
}

func (v *view) AttrNames() []string {
	if r, ok := v.place.kind.(*record); ok {
		return r.names
	}
	return nil
}

// Attr is s.name: a field of a record, or a variable.
func (v *view) Attr(name string) (starlark.Value, error) {
	p, err := v.field(name)
	if err != nil {
		return nil, err
	}
	return v.a.look(p), nil
}

func (v *view) field(name string) (*slot, error) {
	r, ok := v.place.kind.(*record)
	if !ok {
		return nil, mistakef("%s is an array: write %s[key].%s", v.place.label, v.place.label, name)
	}
	i := r.field(name)
	if i < 0 {
		if v.place == v.a.m.root {
			return nil, mistakef("the state has no variable %s: declare it with var(%q, ...) or fifo(%q, ...)", name, name, name)
		}
		return nil, mistakef("%s has no field %s: its fields are %s", v.place.label, name, strings.Join(r.names, ", "))
	}
	return v.place.in[i], nil
}

// SetField is s.name = x.
func (v *view) SetField(name string, x starlark.Value) error {
	p, err := v.field(name)
	if err != nil {
		return err
	}
	return v.a.assign(p, x)
}

// Get is s[key].
func (v *view) Get(key starlark.Value) (starlark.Value, bool, error) {
	p, err := v.element(key)
	if err != nil {
		return nil, false, err
	}
	return v.a.look(p), true, nil
}

func (v *view) element(key starlark.Value) (*slot, error) {
	k, ok := v.place.kind.(*array)
	if v.place == v.a.m.root {
		return nil, mistakef("the state has no [%s]: write its variables after a dot, as in s.x", short(key))
	}
	if !ok {
		return nil, mistakef("%s is not an array: it has no [%s]", v.place.label, short(key))
	}
	i, ok := numbered(k.keys.number, key)
	if len(k.keys.values) == 0 {
		return nil, fmt.Errorf("%s has no [%s]: it has no keys", v.place.label, short(key))
	}
	if !ok {
		return nil, fmt.Errorf("%s has no [%s]: its keys are %s", v.place.label, short(key),
			(&domain{values: k.keys.values}).String())
	}
	return v.place.in[i], nil
}

// SetKey is s[key] = x.
func (v *view) SetKey(key, x starlark.Value) error {
	p, err := v.element(key)
	if err != nil {
		return err
	}
	return v.a.assign(p, x)
}

// look returns what a place holds, or a view of it.
func (a *evaluation) look(p *slot) starlark.Value {
	switch p.kind.(type) {
	case *domain:
		return a.known(a.snapshot(p))
	case *queue:
		return &fifo{place: p, a: a}
	}
	return &view{p, a}
}

func (a *evaluation) assign(p *slot, x starlark.Value) error {
	d, err := a.m.datumOf(a, p.kind, x)
	if err != nil {
		return fmt.Errorf("%s: %w", p.label, err)
	}
	return a.write(p, d)
}

// message is a record outside the state: one that the file makes, or that was taken out
// of a FIFO. It does not change.
type message struct {
	datum
	record *record
	a      *evaluation
}

var _ starlark.Comparable = (*message)(nil)

func (m *message) Type() string          { return "record" }
func (m *message) Freeze()               {}
func (m *message) Truth() starlark.Bool  { return true }
func (m *message) AttrNames() []string   { return m.record.names }
func (m *message) Hash() (uint32, error) { return 0, errors.New("a record cannot be a dict key") }

func (m *message) String() string {
	s := ""
	for i, name := range m.record.names {
		s += fmt.Sprintf(", %s = %s", name, m.a.read(m.in[i], m.record.fields[i]))
	}
	return "(" + s[min(2, len(s)):] + ")"
}

func (m *message) Attr(name string) (starlark.Value, error) {
	i := m.record.field(name)
	if i < 0 {
		return nil, mistakef("the record has no field %s: its fields are %s", name, strings.Join(m.record.names, ", "))
	}
	return m.a.read(m.in[i], m.record.fields[i]), nil
}

// read returns a datum as a value of the file.
func (a *evaluation) read(d datum, k kind) starlark.Value {
	if r, ok := k.(*record); ok {
		return &message{d, r, a}
	}
	v := a.known(d)
	if text, is := v.(starlark.String); is && a != nil { // a is nil for records that are made at top level
		if a.stringsRead == nil {
			a.stringsRead = map[starlark.String]bool{}
		}
		a.stringsRead[text] = true
	}
	return v
}

// CompareSameType compares records field by field, wherever they are.
func (m *message) CompareSameType(op syntax.Token, other starlark.Value, depth int) (bool, error) {
	return compareRecords(op, m, other, depth)
}

// CompareSameType compares records of the state.
func (v *view) CompareSameType(op syntax.Token, other starlark.Value, depth int) (bool, error) {
	return compareRecords(op, v, other, depth)
}

func compareRecords(op syntax.Token, x, y starlark.Value, depth int) (bool, error) {
	a, isRecord := recordOf(x)
	b, also := recordOf(y)
	if !isRecord || !also {
		return false, mistakef("arrays cannot be compared: compare their elements")
	}
	if op != syntax.EQL && op != syntax.NEQ {
		return false, mistakef("records have no order: compare them with == or !=")
	}
	same, err := a.equal(b, depth)
	return same == (op == syntax.EQL), err
}

// recordOf returns a message, or what a record of the state holds now.
func recordOf(v starlark.Value) (*message, bool) {
	switch v := v.(type) {
	case *message:
		return v, true
	case *view:
		if r, ok := v.place.kind.(*record); ok {
			return &message{v.a.snapshot(v.place), r, v.a}, true
		}
	}
	return nil, false
}

func (m *message) equal(o *message, depth int) (bool, error) {
	if err := m.record.checkSame(o.record); err != nil {
		return false, err
	}
	for i, f := range m.record.fields {
		same, err := starlark.EqualDepth(m.a.read(m.in[i], f), o.a.read(o.in[i], f), depth-1)
		if err != nil || !same {
			return false, err
		}
	}
	return true, nil
}

// cell is a value of a domain that was not looked at.
type cell struct {
	datum
	kind *domain
	a    *evaluation
}

func (c *cell) String() string        { return c.a.known(c.datum).String() }
func (c *cell) Type() string          { return "value" }
func (c *cell) Freeze()               {}
func (c *cell) Truth() starlark.Bool  { return c.a.known(c.datum).Truth() }
func (c *cell) Hash() (uint32, error) { return c.a.known(c.datum).Hash() }

// fifo is a FIFO of the state as a value of the file. Places that are not free come
// first; free ones hold zeros, so that equal contents are equal states.
type fifo struct {
	place *slot
	a     *evaluation
	at    *position // where also calls its method; nil: where it is called
}

// datumOf reads a value that the file gives for something of kind k.
func (m *machine) datumOf(a *evaluation, k kind, v starlark.Value) (datum, error) {
	switch k := k.(type) {
	case *domain:
		if c, ok := v.(*cell); ok {
			return c.datum, nil
		}
		if _, known := numbered(k.number, v); !known {
			if _, text := v.(starlark.String); text { // which cannot be a number that went too far
				return datum{}, mistakef("invalid value %s: want %s", short(v), k)
			}
			return datum{}, k.invalidValue(v)
		}
		return datum{value: v}, nil
	case *record:
		if v, ok := recordOf(v); ok {
			return v.datum, k.checkSame(v.record)
		}
		return datum{}, fmt.Errorf("the value is %s: want a record, made by its type as in msg(kind = \"get\")",
			nameOf(v))
	}
	if _, is := k.(*queue); is {
		return datum{}, mistakef("a FIFO cannot be assigned: push, pop and clear change it")
	}
	return datum{}, mistakef("an array is assigned element by element, as in s.x[i] = y; a for loop assigns to all")
}

// make reads the fields of a record; those that are left out have their first values.
func (r *record) make(a *evaluation, args starlark.Tuple, kwargs []starlark.Tuple) (datum, error) {
	if len(args) > 0 {
		return datum{}, errors.New("a record takes named arguments only: write its fields as name = value")
	}
	d := first(r)
	for _, kv := range kwargs {
		name := string(kv[0].(starlark.String))
		i := r.field(name)
		if i < 0 {
			return datum{}, mistakef("the record has no field %s: its fields are %s", name, strings.Join(r.names, ", "))
		}
		x, err := (*machine)(nil).datumOf(a, r.fields[i], kv[1])
		if err != nil {
			return datum{}, fmt.Errorf("field %s: %w", name, err)
		}
		d.in[i] = x
	}
	return d, nil
}

func kindName(k kind) string {
	switch k.(type) {
	case *array:
		return "arrays"
	case *queue:
		return "FIFOs"
	case *record:
		return "records"
	}
	return "values"
}

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
func lazyAttr(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple,
	_ []starlark.Tuple) (starlark.Value, error) {
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
		q.noteLook(".head", false)
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
			return nil, mistakef("%s is a record, which is always true: write a field, as in %s.kind", v.place.label,
				v.place.label)
		}
		return nil, mistakef("%s is an array, which is always true: write an element, as in %s[i]", v.place.label,
			v.place.label)
	}
	c, ok := args[0].(*cell)
	if !ok {
		return args[0], nil
	}
	_, none := numbered(c.kind.number, starlark.None)
	_, zero := numbered(c.kind.number, starlark.MakeInt(0))
	if none && zero && !c.computed() {
		return nil, mistakef("0 and None both count as false: write == None or != None")
	}
	return c.a.known(c.datum), nil
}

// lazyIndex is x[i].
func lazyIndex(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple,
	_ []starlark.Tuple) (starlark.Value, error) {
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
		i, err := starlark.AsInt32(args[1])
		x.noteLook(fmt.Sprintf("[%s]", short(args[1])), i != 0)
		if err == nil && i >= 0 && i < len(x.place.in) && x.occupied(i) {
			return x.a.lazily(x.place.in[i]), nil
		}
		return nil, fmt.Errorf("%s has no message %s: its size is %d, and it may hold fewer; test len(...) first",
			x.place.label, short(args[1]), len(x.place.in))
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
	return nil, mistakef("a value of type %s has no [%s]: a variable has elements if it is declared with over=",
		args[0].Type(), short(args[1]))
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
	if v, err, done := comparedAsSums(op, x, y); done {
		return v, err
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
		if (op == syntax.EQL || op == syntax.NEQ) && !slices.ContainsFunc(o.kind.types,
			func(of string) bool { return slices.Contains(c.kind.types, of) }) {
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
	if c.from == nil || c.computed() && !c.split() {
		b, err := holds(c.a.known(c.datum))
		return starlark.Bool(b), err
	}
	if n, alone := c.from.equalling(op, other); alone && !c.computed() {
		return starlark.Bool(c.a.run.Test(c.from.x,
			func(number int) bool { return (number == n) == (op == syntax.EQL) })), nil
	}
	var those []int
	for i, number := range c.a.run.Domain(c.from.x) {
		value := c.valueOf(number)
		if err := chargeValue(t, op, i, value, other); err != nil {
			return nil, err
		}
		b, err := holds(value)
		if err != nil {
			b, err := holds(c.a.known(c.datum)) // some values give the error, others may not
			return starlark.Bool(b), err
		}
		if b {
			those = append(those, number)
		}
	}
	return starlark.Bool(c.a.run.Test(c.from.x, func(number int) bool {
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
			return nil, mistakef("invalid value %s to compare with: no variable and no message can be that%s", short(v),
				words.Suggestion(string(text), known))
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

func lazyLen(t *starlark.Thread, f *starlark.Builtin, args starlark.Tuple,
	kwargs []starlark.Tuple) (starlark.Value, error) {
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
	l.of.noteLook("len(...)", k != 0 && !(k == 1 && (op == syntax.GE || op == syntax.LT)))
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

// Comparisons that would be False, or True, in every state: Starlark silently finds values
// of two types unequal. An array without a key, a FIFO in place of its head, a record in
// place of a field and a misspelt string are mistakes in the file.

// checkComparable refuses to compare an array, a FIFO or a record with a value, and records of two types.
func checkComparable(op syntax.Token, x, y starlark.Value) error {
	if op == syntax.IN || op == syntax.NOT_IN {
		if err := checkElementsComparable(x, y); err != nil {
			return err
		}
	}
	for i, v := range []starlark.Value{x, y} {
		other := []starlark.Value{y, x}[i]
		if _, isRecord := recordOf(v); isRecord {
			if op != syntax.EQL && op != syntax.NEQ {
				continue
			}
			if err := checkRecordsComparable(v, other); err != nil {
				return err
			}
			continue
		}
		switch v := v.(type) {
		case *starlark.Builtin:
			if v.Receiver() != nil && other != starlark.None { // such as pop of a FIFO
				return mistakef("%s is a function: compare what it returns, as in .%s(...)", v.Name(), v.Name())
			}
		case *view:
			return mistakef("%s is an array: compare an element, as in %s[i], or any([%s[i] == x for i in keys])",
				v.place.label, v.place.label, v.place.label)
		case *fifo:
			if i == 0 || op != syntax.IN && op != syntax.NOT_IN {
				return mistakef("%s is a FIFO: compare its head or its length, as in %s.head and len(%s)",
					v.place.label, v.place.label, v.place.label)
			}
		}
	}
	return nil
}

// checkRecordsComparable refuses to compare a record with a value that is not one, except None, or with a record of
// another type.
func checkRecordsComparable(x, y starlark.Value) error {
	a, isRecord := recordOf(x)
	b, also := recordOf(y)
	switch {
	case isRecord && also:
		return a.record.checkSame(b.record)
	case isRecord && y != starlark.None:
		return mistakef("a record is compared with %s: compare a field, as in m.kind", typeName(y))
	case also && x != starlark.None:
		return mistakef("a record is compared with %s: compare a field, as in m.kind", typeName(x))
	}
	return nil
}

// checkElementsComparable is checkRecordsComparable for x and each element of a list, or each message of a FIFO, even
// one that is empty.
func checkElementsComparable(x, y starlark.Value) error {
	if q, ok := y.(*fifo); ok {
		return q.checkComparable(x)
	}
	switch y.(type) {
	case *starlark.List, starlark.Tuple:
	default:
		if _, isRecord := recordOf(x); !isRecord { // a range may be long
			return nil
		}
	}
	list, _ := elements(y)
	for _, e := range list {
		if err := checkRecordsComparable(x, e); err != nil {
			return err
		}
	}
	return nil
}

func typeName(v starlark.Value) string {
	if c, ok := v.(*cell); ok {
		v = c.kind.values[0]
	}
	return v.Type()
}

// checkValueInDomain refuses to compare with a string that the file writes and that is not a value
// of the domain, as a misspelt name would go unnoticed, and with a number or a bool if the
// domain has none. Strings that were read from the state may be compared with anything.
func (a *evaluation) checkValueInDomain(d *domain, op syntax.Token, other starlark.Value, swapped bool) error {
	against := []starlark.Value{other}
	switch op {
	case syntax.EQL, syntax.NEQ:
	case syntax.IN, syntax.NOT_IN:
		if _, state := other.(*fifo); state || swapped {
			return nil
		}
		against, _ = elements(other)
	default:
		return nil
	}
	for _, v := range against {
		if t := v.Type(); (t == "int" || t == "bool") && !slices.Contains(d.types, t) {
			return mistakef("invalid value %s to compare with: want %s", short(v), d)
		}
		text, is := v.(starlark.String)
		if !is || a.stringsRead[text] {
			continue
		}
		if _, known := numbered(d.declared().number, v); !known {
			return mistakef("invalid value %s to compare with: want %s", short(v), d)
		}
	}
	return nil
}

// heldStrings returns the strings that, as the file declares, variables and FIFOs may hold.
func (m *machine) heldStrings() map[string]bool {
	if m.strings == nil {
		m.strings = map[string]bool{}
		m.root.kind.(*record).addStrings(m.strings)
	}
	return m.strings
}

func (r *record) addStrings(into map[string]bool) {
	for _, k := range r.fields {
		addStringsOf(k, into)
	}
}

func addStringsOf(k kind, into map[string]bool) {
	switch k := k.(type) {
	case *domain:
		for _, v := range k.declared().values {
			if text, is := v.(starlark.String); is {
				into[string(text)] = true
			}
		}
	case *record:
		k.addStrings(into)
	case *array:
		for _, e := range k.elems {
			addStringsOf(e, into)
		}
	case *queue:
		addStringsOf(k.elem, into)
	}
}
