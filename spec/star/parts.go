package star

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.starlark.net/starlark"
)

// Parts of a step are evaluated separately. So combinations of values of two independent
// parts are never enumerated: the cost of a step of n parts, and the size of its command,
// is the sum over their trees, not the product. All parts read the state before the step,
// so they can be evaluated in any order, and each once for all rules that contain it.

// noteChange notes that a step changes a FIFO. If a part of the step does, nothing else may: its change would be lost, or
// two equal ones done once.
func (q *fifo) noteChange(what changer) error {
	if before := q.a.fifos[q.place]; before == byPart || before == byRest && what == byPart {
		return mistakef("%s is changed twice in one step: also, and a push into a FIFO with an arbiter, see it as it was before the step, so nothing else in the step may change it", q.place.label)
	}
	q.a.fifos[q.place] = what
	return nil
}

// part adds a part to the step.
func (a *evaluation) part(t *starlark.Thread, d declared, key stepPartKey, args starlark.Tuple, kwargs []starlark.Tuple) error {
	for _, x := range append(slices.Clone(args), flat(kwargs)...) {
		if err := plainValue(x); err != nil {
			what := "also"
			if key.of != nil {
				what = d.name[strings.LastIndex(d.name, ".")+1:]
			}
			return &mistake{fmt.Errorf("%s: %w", what, err)}
		}
		key.args += strconv.Quote(keyText(x))
	}
	i, known := a.m.partNumber[key]
	if !known {
		p := &stepPart{declared: d, key: key}
		p.over.args[0] = args
		i = a.m.number(p)
	}
	a.also[i] = true
	return charge(t, emptyDict)
}

// lookedAt replaces arguments that are values of the state by what they hold: a part is evaluated for
// each value.
func lookedAt(args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Tuple, []starlark.Tuple) {
	look := func(v starlark.Value) starlark.Value {
		if c, ok := v.(*cell); ok {
			return c.a.known(c.datum)
		}
		return v
	}
	args, kwargs = slices.Clone(args), slices.Clone(kwargs)
	for i, v := range args {
		args[i] = look(v)
	}
	for i, kv := range kwargs {
		kwargs[i] = starlark.Tuple{kv[0], look(kv[1])}
	}
	return args, kwargs
}

// flat lists the names and values of keyword arguments.
func flat(kwargs []starlark.Tuple) starlark.Tuple {
	var all starlark.Tuple
	for _, kv := range kwargs {
		all = append(all, kv...)
	}
	return all
}

// number returns the number of a part of a step, a new one if need be.
func (m *machine) number(p *stepPart) int {
	i, known := m.partNumber[p.key]
	if !known {
		i = len(m.parts)
		m.partNumber[p.key] = i
		m.parts = append(m.parts, p)
	}
	return i
}
