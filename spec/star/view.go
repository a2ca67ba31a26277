package star

import (
	"errors"
	"fmt"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
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
			return nil, mistakef("the state has no %s: declare it with var(%q, ...) or fifo(%q, ...)", name, name, name)
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
	if !ok {
		return nil, fmt.Errorf("%s has no [%s]: its keys are %s", v.place.label, short(key), (&domain{values: k.keys.values}).String())
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
		return datum{}, fmt.Errorf("the value is %s: want a record, made by its type as in msg(kind = \"get\")", nameOf(v))
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
