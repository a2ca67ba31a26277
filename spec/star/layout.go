package star

import (
	"fmt"

	"go.starlark.net/starlark"

	"github.com/seed-105a2da2/unknot/spec/star/internal/decision"
)

// How the state is laid out as the variables of a program, and its initial contents.

// within says where in a FIFO something is kept.
type within int

const (
	elsewhere within = iota // in none
	firstPart               // the first field tells whether the place is free
	laterPart               // and so does a field of processes: renaming them would rename it in a free place, too
)

// layOut adds the variables of a place.
func (m *machine) layOut(path, label string, k kind, in within) (*slot, error) {
	p := &slot{path: path, label: label, kind: k, x: decision.None}
	inner := func(key, name string, k kind, in within) error {
		q, err := m.layOut(path+key, label+name, k, in)
		p.in = append(p.in, q)
		return err
	}
	switch k := k.(type) {
	case *domain:
		if in == firstPart || in == laterPart && k.like != nil && k.like.alike && k.values[0] != starlark.None {
			p.free = 1
		}
		p.zero = in == laterPart && p.free == 0
		return p, m.variable(p, k)
	case *record:
		for i, f := range k.fields {
			if err := inner("."+k.names[i], "."+k.names[i], f, in); err != nil {
				return nil, err
			}
			if in == firstPart {
				in = laterPart
			}
		}
	case *array:
		for i, key := range k.keys.values {
			if err := inner("["+shown(key)+"]", "", k.elems[i], elsewhere); err != nil {
				return nil, err
			}
		}
	case *queue:
		for i := range k.size {
			if err := inner(fmt.Sprintf(".%d", i), "", k.elem, firstPart); err != nil {
				return nil, err
			}
		}
	}
	return p, nil
}

const mostVariables = 1 << 14

func (m *machine) variable(p *slot, d *domain) error {
	if len(m.p.Variables) >= mostVariables {
		return bound(mostVariables, "variables", "make the machine smaller")
	}
	p.x = m.p.Var(p.path, len(d.values)+p.free)
	m.p.Variables[p.x].Names = p.names(d)
	return nil
}

// index lists the places of variables, in order.
func (m *machine) index(p *slot) {
	if _, ok := p.kind.(*domain); ok {
		m.places = append(m.places, p)
	}
	for _, q := range p.in {
		m.index(q)
	}
}

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
		return fmt.Errorf("init of %s is a function of a key, but the variable has no keys: give over=, or the value itself", p.path)
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
