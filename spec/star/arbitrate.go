package star

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.starlark.net/starlark"
)

// arbitrated applies fifo(arbiter=, sources=) to the FIFO that was declared last, and
// adds the memory of its arbiters to the state.
func (m *machine) arbitrated(t *starlark.Thread, name, arbiting string, q queue, sources starlark.Value) error {
	switch {
	case !slices.Contains([]string{"", "any", "round-robin", "batch"}, arbiting):
		return fmt.Errorf("invalid arbiter %.40q: want any, round-robin or batch", arbiting)
	case arbiting == "" && given(sources):
		return errors.New(`sources without arbiter: set arbiter = "round-robin" or "batch"`)
	case arbiting == "" || arbiting == "any":
		return nil
	case !given(sources) && !q.inferred:
		return fmt.Errorf("arbiter = %q without sources: list those that take turns, or set inferred = True", arbiting)
	case !q.blocking:
		return errors.New("a FIFO with an arbiter must be blocking, or none waits for room in it: set blocking = True")
	case q.lossy || q.duplicating:
		return errors.New("a FIFO with an arbiter cannot be lossy or duplicating: leave out one of them")
	}
	fifos := m.root.in[len(m.root.in)-1]
	a, isArray := fifos.kind.(*array)
	every := []*slot{fifos}
	if isArray {
		every = fifos.in
	}
	for _, p := range every {
		if r, ok := p.kind.(*queue).elem.(*record); ok && r.field("by") >= 0 {
			return errors.New("the messages of a FIFO with an arbiter cannot have a field by: push(by = source) says who pushes; give the field another name")
		}
	}
	l := lateArbiter{name: name, arbiting: arbiting, fifos: fifos, listed: map[*slot]*keys{}, at: positionOf(t.Name, t.CallStack())}
	if !q.inferred {
		return m.arbitrate(t, l, func(key starlark.Tuple, _ *slot) (*keys, error) { return sourcesOf(t, sources, key) })
	}
	for i, p := range every {
		m.arbiters[p] = &arbiter{fifo: p, of: fifos}
		if !given(sources) {
			continue
		}
		var key starlark.Tuple
		if isArray {
			key = a.keys.args[i]
		}
		var err error
		if l.listed[p], err = sourcesOf(t, sources, key); err != nil {
			return err
		}
	}
	l.every, l.given = every, given(sources)
	m.late = append(m.late, l)
	return nil
}

// arbitrate gives an arbiter to each FIFO that has sources.
func (m *machine) arbitrate(t *starlark.Thread, l lateArbiter, sources func(key starlark.Tuple, of *slot) (*keys, error)) error {
	a, isArray := l.fifos.kind.(*array)
	if !isArray {
		k, err := sources(nil, l.fifos)
		if err != nil || k == nil {
			return err
		}
		memory, err := memoryOf(t, l.arbiting, k)
		if err != nil {
			return err
		}
		p, err := m.remember(l.name, memory)
		if err == nil {
			m.arbiters[l.fifos] = newArbiter(l.arbiting, l.fifos, l.fifos, k, p)
		}
		return err
	}
	all, of := &array{keys: &keys{number: map[string]int{}, like: a.keys.like}}, []*keys(nil)
	var places []*slot
	for i, key := range a.keys.values {
		k, err := sources(a.keys.args[i], l.fifos.in[i])
		if err != nil {
			return err
		}
		if k == nil {
			continue
		}
		memory, err := memoryOf(t, l.arbiting, k)
		if err != nil {
			return err
		}
		all.keys.number[keyText(key)] = len(places)
		all.keys.values, all.keys.args, all.elems = append(all.keys.values, key), append(all.keys.args, a.keys.args[i]), append(all.elems, memory)
		places, of = append(places, l.fifos.in[i]), append(of, k)
	}
	if len(places) == 0 {
		return nil
	}
	p, err := m.remember(l.name, all)
	if err != nil {
		return err
	}
	for i, fifo := range places {
		m.arbiters[fifo] = newArbiter(l.arbiting, l.fifos, fifo, of[i], p.in[i])
	}
	return charge(t, 10*len(places))
}

// sourcesOf returns the sources of a FIFO; nil if no source takes turns.
func sourcesOf(t *starlark.Thread, sources starlark.Value, key starlark.Tuple) (*keys, error) {
	if f, each := sources.(*starlark.Function); each {
		var err error
		if sources, err = starlark.Call(t, f, key, nil); err != nil {
			return nil, err
		}
	}
	k, err := keysOf(t, sources)
	if err != nil {
		return nil, fmt.Errorf("sources: %s", strings.TrimPrefix(strings.TrimPrefix(err.Error(), "over has "), "over is "))
	}
	if len(k.values) == 0 {
		return nil, nil
	}
	return k, nil
}

// memoryOf returns the kind of an arbiter's memory.
func memoryOf(t *starlark.Thread, arbiting string, k *keys) (kind, error) {
	var like *members
	if len(k.like) > 0 {
		like = k.like[0]
	}
	if arbiting == "round-robin" {
		return newDomain(t, k.values, like)
	}
	marked, err := newDomain(t, []starlark.Value{starlark.False, starlark.True}, nil)
	return &array{keys: k, elems: slices.Repeat([]kind{marked}, len(k.values))}, err
}

// remember adds the memory of arbiters to the state.
func (m *machine) remember(name string, k kind) (*slot, error) {
	name += ".turn"
	p, err := m.layOut(name, name, k, elsewhere)
	if err != nil {
		return nil, err
	}
	m.index(p)
	state := m.root.kind.(*record)
	state.names, state.fields = append(state.names, name), append(state.fields, k)
	m.root.in = append(m.root.in, p)
	return p, nil
}
