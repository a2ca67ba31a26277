package star

import (
	"fmt"
	"slices"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// What a file finds in a FIFO, and the methods that change it: pop, take, push and clear.

// requires notes a condition of a method, as when does, and returns it.
func (q *fifo) requires(t *starlark.Thread, holds bool, what string) bool {
	if q.a.seen != nil {
		at := q.at
		if at == nil {
			here := positionOf(t.Name, t.CallStack())
			at = &here
		}
		q.a.seen.whens = append(q.a.seen.whens, whenCall{*at, holds, what})
	}
	return holds
}

// pop removes the head, or any message of an unordered FIFO, or message i. If it is not
// there, the step is refused.
func (q *fifo) pop(t *starlark.Thread, f *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	taken := -1
	if err := starlark.UnpackArgs(f.Name(), args, kwargs, "i?", &taken); err != nil {
		return nil, &mistake{err}
	}
	if len(args)+len(kwargs) > 0 && (taken < 0 || taken >= q.kind().size) {
		return nil, mistakef("%s.pop(%d): want 0 to %d, or nothing", q.place.label, taken, q.kind().size-1)
	}
	if !q.occupied(max(0, taken)) {
		return nil, &refusal{why: q.place.path + " is empty"}
	}
	if taken < 0 {
		if taken = 0; q.kind().unordered {
			taken = q.a.run.Choose(q.Len())
		}
	}
	return q.extract(taken)
}

// take is pop of a message that is one of those named, or has the named fields. If the
// head (of an unordered FIFO: the chosen message) is another one, the step is refused.
func (q *fifo) take(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	r, records := q.kind().elem.(*record)
	switch {
	case len(args)+len(kwargs) == 0:
		return nil, mistakef("take of nothing: name the messages to take, or their fields; pop takes any")
	case len(kwargs) > 0 && (len(args) > 0 || !records):
		return nil, mistakef("take names messages, or the fields of a record as name = value")
	}
	for _, m := range args {
		if list, is := m.(*starlark.List); is {
			return nil, mistakef("take of the list %s, but no message is a list: write its values as arguments, or take(*list)", short(list))
		}
		if plainValue(m) == nil && records {
			return nil, mistakef("take of %s: the messages are records; name their fields, as in take(%s = ...)", short(m), r.names[0])
		}
	}
	i := 0
	if q.kind().unordered && q.occupied(0) {
		i = q.a.run.Choose(q.Len())
	}
	is, err := len(kwargs) == 0 || q.occupied(i), error(nil)
	if len(kwargs) == 0 {
		is, err = q.holdsOneOf(i, args)
	}
	for k := 0; is && k < len(kwargs); k++ {
		is, err = q.fieldIs(t, r, i, string(kwargs[k][0].(starlark.String)), kwargs[k][1])
	}
	if err != nil {
		return nil, err
	}
	if !q.requires(t, is, "it is there") {
		return nil, &refusal{why: q.place.path + " has no such message to take"}
	}
	return q.extract(i)
}

// fieldIs reports whether a field of message i has a value; it tells no other values
// apart.
func (q *fifo) fieldIs(t *starlark.Thread, r *record, i int, name string, v starlark.Value) (bool, error) {
	f := r.field(name)
	if f < 0 {
		return false, mistakef("the record has no field %s: its fields are %s", name, strings.Join(r.names, ", "))
	}
	d := q.a.snapshot(q.place.in[i]).in[f]
	k, ok := r.fields[f].(*domain)
	if !ok {
		same, err := compare(t, syntax.EQL, q.a.read(d, r.fields[f]), v)
		return err == nil && bool(same.Truth()), err
	}
	if _, of := numbered(k.number, v); !of {
		return false, mistakef("field %s: invalid value %s to take: want %s", name, short(v), k)
	}
	same, err := compare(t, syntax.EQL, &cell{d, k, q.a}, v)
	return err == nil && bool(same.Truth()), err
}

// extract removes message i and returns it.
func (q *fifo) extract(i int) (starlark.Value, error) {
	if err := q.noteChange(byRest); err != nil {
		return nil, err
	}
	d := q.a.snapshot(q.place.in[i])
	q.note(Transfer{Place: i}, d)
	return q.a.read(d, q.kind().elem), q.remove(i)
}

func (q *fifo) remove(i int) error {
	for ; i < q.kind().size; i++ {
		next := vacant(q.place.in[i])
		if i+1 < q.kind().size {
			next = q.a.snapshot(q.place.in[i+1])
		}
		if err := q.a.write(q.place.in[i], next); err != nil {
			return err
		}
	}
	return nil
}

// push is push(...). Into a FIFO that arbitrates, a source pushes in its turn.
func (q *fifo) push(t *starlark.Thread, f *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if q.a.m.arbiters[q.place] != nil {
		return starlark.None, q.pushInTurn(t, args, kwargs)
	}
	_, kwargs = q.splitSource(kwargs)
	return q.put(t, f, args, kwargs)
}

// put appends a message. If the FIFO is full, the step is an error and has no successor
// or, if the FIFO is blocking, is refused.
func (q *fifo) put(t *starlark.Thread, f *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	d, err := q.message(args, kwargs)
	if err == nil {
		q.noteMessage(d)
		err = q.noteChange(byRest)
	}
	if err != nil {
		return nil, err
	}
	copies := 1
	if k := q.kind(); k.lossy || k.duplicating {
		ways := []int{1}
		if k.lossy {
			ways = append(ways, 0)
		}
		if k.duplicating {
			ways = append(ways, 2)
		}
		copies = ways[q.a.run.Choose(len(ways))]
	}
	if k := q.kind(); k.blocking && copies > 0 && !q.requires(t, copies <= k.size && !q.occupied(k.size-copies), "there is room") {
		return nil, &refusal{why: q.place.path + " is full"}
	}
	q.note(Transfer{Sent: true, Copies: copies}, d)
	for range copies {
		n := q.Len()
		if n == q.kind().size {
			return nil, &outOfRange{fmt.Errorf("%s is full: its size is %d", q.place.label, n)}
		}
		if err := q.a.write(q.place.in[n], d); err != nil {
			return nil, err
		}
	}
	return starlark.None, nil
}

// message reads what is pushed.
func (q *fifo) message(args starlark.Tuple, kwargs []starlark.Tuple) (datum, error) {
	if r, ok := q.kind().elem.(*record); ok && len(args) == 0 {
		return r.make(q.a, args, kwargs)
	}
	if len(args) != 1 || len(kwargs) > 0 {
		return datum{}, mistakef("push of %d values: push one, or the fields of a record as name = value", len(args)+len(kwargs))
	}
	k := q.kind().elem
	if d, ok := k.(*domain); ok {
		k = d.declared()
	}
	return q.a.m.datumOf(q.a, k, args[0])
}

func (q *fifo) clear(t *starlark.Thread, f *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if err := q.noteChange(byRest); err != nil {
		return nil, err
	}
	q.note(Transfer{Cleared: true}, datum{})
	for _, p := range q.place.in {
		if err := q.a.write(p, vacant(p)); err != nil {
			return nil, err
		}
	}
	return starlark.None, nil
}

func (q *fifo) Attr(name string) (starlark.Value, error) {
	switch name {
	case "empty":
		return starlark.Bool(!q.occupied(0)), nil
	case "full":
		return starlark.Bool(q.occupied(q.kind().size - 1)), nil
	case "head":
		if !q.occupied(0) {
			return starlark.None, nil
		}
		return q.Index(0), nil
	case "pop":
		return starlark.NewBuiltin(name, q.pop).BindReceiver(q), nil
	case "take":
		return starlark.NewBuiltin(name, q.take).BindReceiver(q), nil
	case "push":
		return starlark.NewBuiltin(name, q.push).BindReceiver(q), nil
	case "clear":
		return starlark.NewBuiltin(name, q.clear).BindReceiver(q), nil
	case "count":
		return starlark.NewBuiltin(name, q.count), nil
	case "holds":
		return starlark.NewBuiltin(name, q.holdsAt), nil
	}
	return nil, mistakef("a FIFO has no %s: it has %s, len(...) and [i]; push puts a message in, pop takes the first one out", name, strings.Join(q.AttrNames(), ", "))
}

// noteMessage notes that a step pushes a message.
func (q *fifo) noteMessage(d datum) {
	n := q.a.m.noting
	if k, values := q.kind().elem.(*domain); n == nil || !values || k.of == nil {
		return
	}
	if !slices.Contains(n.written, q.place) {
		n.written = append(n.written, q.place)
	}
	if d.from == nil || d.plus != nil {
		n.notePush(q.place, q.a.known(d))
		return
	}
	for _, number := range q.a.run.Domain(d.from.x) {
		if v := d.from.value(number); v != nil {
			n.notePush(q.place, v)
		}
	}
}

// note records a transfer, with the message, if transfers are wanted.
func (q *fifo) note(t Transfer, message datum) {
	if q.a.seen == nil || q.a.seen.transfers == nil {
		return
	}
	t.FIFO = q.place.path
	if !t.Cleared {
		t.Text = q.a.words(message, q.kind().elem)
	}
	*q.a.seen.transfers = append(*q.a.seen.transfers, t)
}

// words returns a message as text: its values.
func (a *evaluation) words(d datum, k kind) string {
	r, ok := k.(*record)
	if !ok {
		if v := a.known(d); v != nil && v != starlark.None {
			return shown(v)
		}
		return "-"
	}
	var parts []string
	for i, f := range r.fields {
		parts = append(parts, a.words(d.in[i], f))
	}
	return strings.Join(parts, " ")
}
