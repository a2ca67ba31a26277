package star

import (
	"errors"
	"slices"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

var (
	_ starlark.Indexable = (*fifo)(nil)
	_ starlark.Container = (*fifo)(nil)
)

func (q *fifo) String() string { return q.place.path }

func (q *fifo) Type() string { return "fifo" }

func (q *fifo) Freeze() {}

func (q *fifo) Truth() starlark.Bool { return starlark.Bool(q.occupied(0)) }

func (q *fifo) Hash() (uint32, error) { return 0, errors.New("a FIFO cannot be a dict key") }

func (q *fifo) AttrNames() []string {
	return []string{"clear", "count", "empty", "full", "head", "holds", "pop", "push", "take"}
}

func (q *fifo) kind() *queue { return q.place.kind.(*queue) }

// occupied reports whether place i holds a message. If it does, so do all places before
// it; if not, no later place does.
func (q *fifo) occupied(i int) bool {
	d := q.firstField(i)
	if d.from == nil {
		return d.value != nil
	}
	if d.plus != nil {
		return true
	}
	is := q.a.run.Is(d.from.x, d.from.occupied)
	like := q.place.in[i:]
	if is {
		like = q.place.in[:i+1]
	}
	for _, p := range like {
		q.assume(p, is)
	}
	return is
}

// assume restricts the variables of a place to the values that they can have if it is
// occupied, or if it is free.
func (q *fifo) assume(p *slot, occupied bool) {
	for _, field := range p.in {
		q.assume(field, occupied)
	}
	if p.free == 0 {
		return
	}
	if d := q.a.snapshot(p); d.from != nil && d.plus == nil {
		q.a.run.Assume(d.from.x, func(number int) bool { return occupied == d.from.occupied(number) })
	}
}

// firstField returns the first field of place i, which is 0 only if the place is free.
func (q *fifo) firstField(i int) datum {
	p := q.place.in[i]
	for len(p.in) > 0 {
		p = p.in[0]
	}
	return q.a.snapshot(p)
}

// Len returns the number of messages.
func (q *fifo) Len() int {
	n := 0
	for n < q.kind().size && q.occupied(n) {
		n++
	}
	return n
}

// Index returns message i, the head first.
func (q *fifo) Index(i int) starlark.Value {
	return q.a.read(q.a.snapshot(q.place.in[i]), q.kind().elem)
}

// checkComparable is checkRecordsComparable for a message that the FIFO may hold and another value.
func (q *fifo) checkComparable(m starlark.Value) error {
	o, is := recordOf(m)
	switch r, records := q.kind().elem.(*record); {
	case records && is:
		return r.checkSame(o.record)
	case is:
		return mistakef("a record is compared with a message of %s, which is no record: compare a field, as in m.kind", q.place.label)
	case records && m != starlark.None:
		return mistakef("a record of %s is compared with %s: compare a field, as in m.kind", q.place.label, typeName(m))
	}
	return nil
}

// holdsOneOf reports whether place i holds one of some messages. For messages that are single
// values it reads that place alone, not whether those before it are free.
func (q *fifo) holdsOneOf(i int, messages []starlark.Value) (bool, error) {
	for _, m := range messages {
		if err := q.checkComparable(m); err != nil {
			return false, err
		}
	}
	k, ok := q.kind().elem.(*domain)
	if !ok {
		for j := 0; j < len(messages) && q.occupied(i); j++ {
			if same, err := starlark.Equal(q.Index(i), messages[j]); same || err != nil {
				return same, err
			}
		}
		return false, nil
	}
	if err := q.a.checkValueInDomain(k, syntax.IN, starlark.Tuple(messages), false); err != nil {
		return false, err
	}
	q.seeks(messages)
	is := func(v starlark.Value) bool {
		return v != nil && slices.ContainsFunc(messages, func(m starlark.Value) bool { return keyText(m) == keyText(v) })
	}
	d := q.firstField(i)
	if d.from == nil || d.plus != nil {
		return is(q.a.known(d)), nil
	}
	if d.from.kind == kind(k) {
		among := make([]bool, len(k.values))
		for _, m := range messages {
			if n, can := numbered(k.number, m); can {
				among[n] = true
			}
		}
		return q.a.run.Is(d.from.x, func(number int) bool { return d.from.occupied(number) && among[number-d.from.free] }), nil
	}
	return q.a.run.Is(d.from.x, func(number int) bool { return is(d.from.value(number)) }), nil
}

// seeks notes that a step looks for some messages, and reports whether none of them ever comes.
func (q *fifo) seeks(messages []starlark.Value) (never bool) {
	d, values := q.kind().elem.(*domain)
	if !values || d.of == nil {
		return false
	}
	for _, v := range messages {
		_, declared := numbered(d.of.number, v)
		if _, comes := numbered(d.number, v); comes || !declared {
			return false
		}
	}
	if n := q.a.m.noting; n != nil { // until one of them comes, the answer stays
		for _, v := range messages {
			n.lacked[soughtMessage{q.place, keyText(v)}] = true
		}
	}
	q.a.lacks = true
	return true
}

// holdsAt is holds(i, m, ...): whether message i is one of the others.
func (q *fifo) holdsAt(t *starlark.Thread, f *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if len(args) < 2 || len(kwargs) > 0 {
		return nil, mistakef("holds takes the number of a message and what it may be")
	}
	i, err := starlark.AsInt32(args[0])
	if err != nil || i < 0 || i >= q.kind().size {
		return nil, mistakef("holds: invalid number %s: want 0 to %d", short(args[0]), q.kind().size-1)
	}
	is, err := q.holdsOneOf(i, args[1:])
	return starlark.Bool(is), err
}

// count is count(m, ...): how many messages are among those.
func (q *fifo) count(t *starlark.Thread, f *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if len(args) == 0 || len(kwargs) > 0 {
		return nil, mistakef("count takes the messages to count")
	}
	n := 0
	for i := range q.kind().size {
		is, err := q.holdsOneOf(i, args)
		if err != nil {
			return nil, err
		}
		if is {
			n++
		}
	}
	return starlark.MakeInt(n), nil
}

// Has is m in s.q.
func (q *fifo) Has(m starlark.Value) (bool, error) {
	for i := range q.kind().size {
		if is, err := q.holdsOneOf(i, []starlark.Value{m}); is || err != nil {
			return is, err
		}
	}
	return false, nil
}

func (q *fifo) Iterate() starlark.Iterator {
	all := make(starlark.Tuple, q.Len())
	for i := range all {
		all[i] = q.Index(i)
	}
	return all.Iterate()
}
