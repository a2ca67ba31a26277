package star

import (
	"errors"
	"fmt"
	"strings"

	"go.starlark.net/starlark"
)

// initial gives a place its initial contents.
func (m *machine) initial(t *starlark.Thread, p *slot, v starlark.Value) error {
	if f, ok := v.(starlark.Callable); ok {
		if a, is := p.kind.(*array); is {
			for i, q := range p.in {
				x, err := starlark.Call(t, f, a.keys.args[i], nil)
				if err != nil {
					return err
				}
				if err := m.initial(t, q, x); err != nil {
					return err
				}
			}
			return nil
		}
		return fmt.Errorf("init of %s is a function of a key, but the variable has no keys: say over=, or give the value", p.path)
	}
	switch k := p.kind.(type) {
	case *array:
		list, isList := v.(*starlark.List)
		if isList && list.Len() != len(p.in) {
			return fmt.Errorf("init of %s has %d entries: want %d, one for each key", p.path, list.Len(), len(p.in))
		}
		for i, q := range p.in {
			x := v
			if isList {
				x = list.Index(i)
			}
			if err := m.initial(t, q, x); err != nil {
				return err
			}
		}
		return nil
	case *queue:
		list, ok := elements(v)
		if !ok || len(list) > k.size {
			return fmt.Errorf("init of %s: want a list of at most %d messages", p.path, k.size)
		}
		for i, x := range list {
			if err := m.initial(t, p.in[i], x); err != nil {
				return err
			}
		}
		return nil
	}
	d, err := m.datumOf(nil, p.kind, v)
	if err != nil {
		return fmt.Errorf("init of %s: %w", p.path, err)
	}
	m.start(p, d)
	return nil
}

func (m *machine) start(p *slot, d datum) {
	if k, ok := p.kind.(*domain); ok {
		m.p.Init(p.x, k.number[keyText(d.value)]+p.free)
	}
	for i, q := range p.in {
		m.start(q, d.in[i])
	}
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
		switch v := v.(type) {
		case *message:
			if v.record == k {
				return v.datum, nil
			}
			return datum{}, errors.New("the record has another type: make it with the type that the variable is declared with")
		case *view:
			if v.place.kind == kind(k) {
				return a.snapshot(v.place), nil
			}
		}
		return datum{}, fmt.Errorf("the value is %s: want a record, made by its type as in msg(kind = \"get\")", nameOf(v))
	}
	if _, is := k.(*queue); is {
		return datum{}, mistakef("a FIFO cannot be assigned: push, pop and clear change it")
	}
	return datum{}, mistakef("an array is assigned element by element, as in s.x[i] = y; a for loop assigns to all")
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

func (r *record) field(name string) int {
	for i, n := range r.names {
		if n == name {
			return i
		}
	}
	return -1
}
