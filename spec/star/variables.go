package star

import (
	"errors"
	"fmt"
	"math"

	"go.starlark.net/starlark"
)

// What a machine keeps: variables, FIFOs, and the kinds of values that they hold.

func (b *builder) processes(t *starlark.Thread, f *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var n int
	s := &members{alike: true, at: positionOf(t.Name, t.CallStack())}
	if err := starlark.UnpackArgs(f.Name(), args, kwargs, "name", &s.name, "n", &n); err != nil {
		return nil, err
	}
	if n < 1 || n > 1<<10 {
		return nil, fmt.Errorf("%d processes: want 1 to 1024", n)
	}
	for i := range n {
		s.values = append(s.values, starlark.MakeInt(i))
	}
	b.m.sets = append(b.m.sets, s)
	return s, charge(t, n)
}

// domain names a set of values for symmetry.
func (b *builder) domain(t *starlark.Thread, f *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var of starlark.Value
	s := &members{}
	if err := starlark.UnpackArgs(f.Name(), args, kwargs, "name", &s.name, "values", &of); err != nil {
		return nil, err
	}
	d, err := domainOf(t, f, of)
	if err != nil {
		return nil, err
	}
	s.values = d.values
	return s, nil
}

// domainOf reads the values with which a function is called.
func domainOf(t *starlark.Thread, f *starlark.Builtin, of starlark.Value) (*domain, error) {
	k, err := kindOf(t, of)
	if err != nil {
		return nil, err
	}
	d, ok := k.(*domain)
	if _, of := k.(*record); of && f.Name() == "optional" {
		return nil, errors.New("optional of a record type: only values can be None; make one of its fields optional, or keep it in fifo(name, type), which may be empty")
	}
	if !ok {
		return nil, fmt.Errorf("%s of %s: want values", f.Name(), kindName(k))
	}
	return d, nil
}

// kindOf reads what a variable can hold: a list of values, a range, bool, a set of
// values, optional(...) or record(...).
func kindOf(t *starlark.Thread, v starlark.Value) (kind, error) {
	switch v := v.(type) {
	case *kindValue:
		return v.kind, nil
	case *members:
		return newDomain(t, v.values, v)
	case *starlark.Builtin:
		if v.Name() == "bool" {
			return newDomain(t, []starlark.Value{starlark.False, starlark.True}, nil)
		}
	}
	if err := countable(v); err != nil {
		return nil, err
	}
	list, ok := elements(v)
	if !ok {
		return nil, fmt.Errorf("values are given as %s: want a list of values, as in [\"idle\", \"busy\"], or range(n), bool, processes(...), domain(...), optional(...), record(...)", nameOf(v))
	}
	return newDomain(t, list, nil)
}

// kindValue is a type as a value of the file. A type of records is called to make a
// record.
type kindValue struct{ kind }

func (k *kindValue) String() string        { return "type" }
func (k *kindValue) Type() string          { return "type" }
func (k *kindValue) Freeze()               {}
func (k *kindValue) Truth() starlark.Bool  { return true }
func (k *kindValue) Hash() (uint32, error) { return 0, errors.New("a type cannot be a dict key") }
func (k *kindValue) Name() string          { return "record" }

func (k *kindValue) CallInternal(t *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	r, ok := k.kind.(*record)
	if !ok {
		return nil, errors.New("only a record type can be called")
	}
	d, err := r.make(evaluationOf(t), args, kwargs)
	return &message{d, r, evaluationOf(t)}, err
}

func (b *builder) record(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if len(args) > 0 || len(kwargs) == 0 {
		return nil, errors.New("record takes fields: write record(kind = [\"get\", \"put\"], src = procs)")
	}
	r := &record{at: positionOf(t.Name, t.CallStack())}
	for _, kv := range kwargs {
		k, err := kindOf(t, kv[1])
		if err != nil {
			return nil, fmt.Errorf("field %s: %w", string(kv[0].(starlark.String)), err)
		}
		switch k.(type) {
		case *array, *queue:
			return nil, fmt.Errorf("field %s: want values or a record", string(kv[0].(starlark.String)))
		}
		r.names = append(r.names, string(kv[0].(starlark.String)))
		r.fields = append(r.fields, k)
		r.extent = r.extent.plus(extentOf(k), 1)
	}
	if r.extent.variables > mostVariables {
		return nil, bound(mostVariables, "variables", "make the record smaller")
	}
	return &kindValue{r}, nil
}

func (b *builder) optional(t *starlark.Thread, f *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var of starlark.Value
	if err := starlark.UnpackArgs(f.Name(), args, kwargs, "values", &of); err != nil {
		return nil, err
	}
	d, err := domainOf(t, f, of)
	if err != nil {
		return nil, err
	}
	d, err = newDomain(t, append([]starlark.Value{starlark.None}, d.values...), d.like)
	return &kindValue{d}, err
}

func (b *builder) variable(t *starlark.Thread, f *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var (
		name               string
		values, over, init starlark.Value
	)
	if err := starlark.UnpackArgs(f.Name(), args, kwargs, "name", &name, "values", &values, "over?", &over, "init?", &init); err != nil {
		return nil, err
	}
	return starlark.None, b.m.declare(t, name, values, func(k kind, _ starlark.Tuple) (kind, error) { return k, nil }, over, init)
}

func (b *builder) fifo(t *starlark.Thread, f *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var (
		name, arbiting           string
		values, size, over, init starlark.Value
		sources                  starlark.Value
		q                        queue
	)
	err := starlark.UnpackArgs(f.Name(), args, kwargs, "name", &name, "values", &values, "size?", &size, "over?", &over, "init?", &init,
		"lossy?", &q.lossy, "duplicating?", &q.duplicating, "unordered?", &q.unordered, "blocking?", &q.blocking, "inferred?", &q.inferred, "arbiter?", &arbiting, "sources?", &sources)
	if err != nil {
		return nil, err
	}
	err = b.m.declare(t, name, values, func(k kind, key starlark.Tuple) (kind, error) {
		of := q
		of.elem = k
		if q.inferred {
			d, values := k.(*domain)
			if !values {
				return nil, errors.New("inferred = True with records: inferred messages are single values; name them by strings, or leave inferred out")
			}
			of.elem = &domain{values: d.values, number: d.number, like: d.like, types: d.types, of: d}
		}
		return &of, of.sized(t, size, key)
	}, over, init)
	if err != nil {
		return nil, err
	}
	return starlark.None, b.m.arbitrated(t, name, arbiting, q, sources)
}

// sized reads the size of a FIFO: a number, or a function of its key.
func (q *queue) sized(t *starlark.Thread, size starlark.Value, key starlark.Tuple) (err error) {
	if f, each := size.(*starlark.Function); each && key != nil {
		if size, err = starlark.Call(t, f, key, nil); err != nil {
			return err
		}
	}
	if q.size = 1; size != nil {
		if q.size, err = starlark.AsInt32(size); err != nil {
			return fmt.Errorf("size: %w", err)
		}
	}
	if q.size < 1 || q.size > 1<<10 {
		return fmt.Errorf("invalid size %d: want 1 to 1024", q.size)
	}
	return nil
}

// declare adds a variable to the state, of the kind that made returns for values.
func (m *machine) declare(t *starlark.Thread, name string, values starlark.Value, made func(of kind, key starlark.Tuple) (kind, error), over, init starlark.Value) error {
	state := m.root.kind.(*record)
	switch {
	case !identifier(name):
		return fmt.Errorf("the name %.40q: want letters, digits and _, since it is read as s.%s", name, "name")
	case costly(name):
		return fmt.Errorf("%s is a method of Starlark: choose another name", name)
	case state.field(name) >= 0:
		return fmt.Errorf("%s is already declared: names must differ", name)
	}
	k, err := m.kinds(t, values, made, over)
	if err != nil {
		return err
	}
	e := extentOf(k)
	if int64(len(m.p.Variables))+e.variables > mostVariables {
		return bound(mostVariables, "variables", "make the machine smaller")
	}
	if err := charge(t, int(min(10*e.variables+e.names, math.MaxInt))); err != nil {
		return err
	}
	p, err := m.layOut(name, name, k, elsewhere)
	if err != nil {
		return err
	}
	m.index(p)
	state.names, state.fields = append(state.names, name), append(state.fields, k)
	m.root.in = append(m.root.in, p)
	if init == nil {
		return nil
	}
	return m.initial(t, p, init)
}

// kinds reads what a variable can hold: with over an array, in which values may be a
// function of the key.
func (m *machine) kinds(t *starlark.Thread, values starlark.Value, made func(of kind, key starlark.Tuple) (kind, error), over starlark.Value) (kind, error) {
	if !given(over) {
		k, err := kindOf(t, values)
		if err != nil {
			return nil, err
		}
		return made(k, nil)
	}
	keys, err := keysOf(t, over)
	if err != nil {
		return nil, err
	}
	a := &array{keys: keys}
	var k kind
	f, each := values.(*starlark.Function)
	for i, key := range keys.values {
		if each {
			if values, err = starlark.Call(t, f, keys.args[i], nil); err != nil {
				return nil, err
			}
		}
		if each || i == 0 {
			if k, err = kindOf(t, values); err != nil && each {
				return nil, fmt.Errorf("values of %s: %w", short(key), err)
			} else if err != nil {
				return nil, err
			}
		}
		elem, err := made(k, keys.args[i])
		if err != nil {
			return nil, err
		}
		a.elems = append(a.elems, elem)
	}
	return a, nil
}

func identifier(name string) bool {
	for i, c := range name {
		letter := c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != ""
}
