package star

import (
	"errors"
	"fmt"
	"strings"

	"go.starlark.net/starlark"
)

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
func (m *message) CompareSameType(op syntaxToken, other starlark.Value, depth int) (bool, error) {
	return compareRecords(op, m, other, depth)
}

// CompareSameType compares records of the state.
func (v *view) CompareSameType(op syntaxToken, other starlark.Value, depth int) (bool, error) {
	return compareRecords(op, v, other, depth)
}

func compareRecords(op syntaxToken, x, y starlark.Value, depth int) (bool, error) {
	a, isRecord := recordOf(x)
	b, also := recordOf(y)
	if !isRecord || !also {
		return false, mistakef("arrays cannot be compared: compare their elements")
	}
	if op != tokenEqual && op != tokenNotEqual {
		return false, mistakef("records have no order: compare them with == or !=")
	}
	same, err := a.equal(b, depth)
	return same == (op == tokenEqual), err
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
	if m.record != o.record {
		return false, nil
	}
	for i, f := range m.record.fields {
		same, err := starlark.EqualDepth(m.a.read(m.in[i], f), o.a.read(o.in[i], f), depth-1)
		if err != nil || !same {
			return false, err
		}
	}
	return true, nil
}
