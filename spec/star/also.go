package star

import "go.starlark.net/starlark"

func (m *method) call(a *evaluation, t *starlark.Thread, args starlark.Tuple) (starlark.Value, error) {
	q := &fifo{m.of, a, &m.at}
	f, err := q.Attr(m.name)
	if m.name == "push" { // the turn is a part of its own
		f = starlark.NewBuiltin(m.name, q.put)
	}
	if err == nil {
		_, err = starlark.Call(t, f, args, m.kwargs)
	}
	if err != nil {
		return nil, &misplaced{err, m.at}
	}
	return starlark.None, nil
}

// also is also(f, ...): f(s, ...), or a method such as s.q.push(...), is done in the same
// step.
func also(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	a := evaluationOf(t)
	switch {
	case a == nil || !a.rule:
		return nil, mistakef("also outside a rule: only a rule has steps")
	case len(args) == 0:
		return nil, mistakef("also takes a function and its arguments after the state")
	}
	args, kwargs = lookedAt(args, kwargs)
	d := declared{what: "rule", over: once()}
	key := stepPartKey{}
	switch f := args[0].(type) {
	case *starlark.Function:
		d.name, d.f, key.f = f.Name(), f, f
	case *starlark.Builtin:
		if q, ok := f.Receiver().(*fifo); ok {
			if f.Name() == "push" {
				return starlark.None, q.pushInTurn(t, args[1:], kwargs)
			}
			if err := q.noteChange(byPart); err != nil {
				return nil, err
			}
			if f.Name() == "take" && q.seeks(args[1:]) {
				return nil, &refusal{why: q.place.path + ": no step pushes such a message"}
			}
			d.name = q.place.path + "." + f.Name()
			d.method = &method{q.place, f.Name(), kwargs, positionOf(t.Name, t.CallStack())}
			key.of, key.args = q.place, f.Name()
		}
	}
	switch {
	case d.name == "":
		return nil, mistakef("also of %s: want a function, or push, pop, take or clear of a FIFO", nameOf(args[0]))
	case d.f != nil && len(kwargs) > 0:
		return nil, mistakef("also: %s = names a field of a message: pass the arguments of a function in order", string(kwargs[0][0].(starlark.String)))
	}
	return starlark.None, a.part(t, d, key, args[1:], kwargs)
}
