package star

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// FIFOs, as a rule of a file sees them: a lazy view of the state.
//
// A FIFO of n places is n slots; place i+1 is occupied only if place i is. A file that asks for the length, or for a
// message, reads only the places that the answer depends on, as each variable that a run reads splits the cases of the
// program that is made from it. An answer about one place therefore tells of others (occupied): once place i is known
// to be occupied so are all before it, and once it is known to be free so are all after it; assume records that
// without a further case.
//
// A method that changes a FIFO has a condition (requires), which refuses the step exactly as when does: pop of an
// empty one, push into a full one that blocks. Pushing into a full one that does not block is an error in the model.
// Invariant: free places hold zeros, so equal contents are equal states.

var (
	_ starlark.Indexable = (*fifo)(nil)
	_ starlark.Container = (*fifo)(nil)
)

func (q *fifo) String() string { return q.place.path }

func (q *fifo) Type() string { return "fifo" }

func (q *fifo) Freeze() {}

func (q *fifo) Truth() starlark.Bool {
	q.noteLook("its truth", false)
	return starlark.Bool(q.occupied(0))
}

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
	if d.computed() {
		return true
	}
	is := q.a.run.Test(d.from.x, d.from.occupied)
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
	if d := q.a.snapshot(p); d.from != nil && !d.computed() {
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
	q.noteLook("len(...)", true)
	return q.length()
}

func (q *fifo) length() int {
	n := 0
	for n < q.kind().size && q.occupied(n) {
		n++
	}
	return n
}

// Index returns message i, the head first.
func (q *fifo) Index(i int) starlark.Value {
	q.noteLook(fmt.Sprintf("[%d]", i), i > 0)
	return q.entry(i)
}

func (q *fifo) entry(i int) starlark.Value {
	return q.a.read(q.a.snapshot(q.place.in[i]), q.kind().elem)
}

// checkComparable is checkRecordsComparable for a message that the FIFO may hold and another value.
func (q *fifo) checkComparable(m starlark.Value) error {
	o, is := recordOf(m)
	switch r, records := q.kind().elem.(*record); {
	case records && is:
		return r.checkSame(o.record)
	case is:
		return mistakef("a record is compared with a message of %s, which is no record: compare a field, as in m.kind",
			q.place.label)
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
			if same, err := starlark.Equal(q.entry(i), messages[j]); same || err != nil {
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
		return v != nil &&
			slices.ContainsFunc(messages, func(m starlark.Value) bool { return keyText(m) == keyText(v) })
	}
	d := q.firstField(i)
	if d.from == nil || d.computed() {
		return is(q.a.known(d)), nil
	}
	if d.from.kind == kind(k) {
		among := make([]bool, len(k.values))
		for _, m := range messages {
			if n, can := numbered(k.number, m); can {
				among[n] = true
			}
		}
		return q.a.run.Test(d.from.x,
			func(number int) bool { return d.from.occupied(number) && among[number-d.from.free] }), nil
	}
	return q.a.run.Test(d.from.x, func(number int) bool { return is(d.from.value(number)) }), nil
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
func (q *fifo) holdsAt(t *starlark.Thread, f *starlark.Builtin, args starlark.Tuple,
	kwargs []starlark.Tuple) (starlark.Value, error) {
	if len(args) < 2 || len(kwargs) > 0 {
		return nil, mistakef("holds takes the number of a message and what it may be")
	}
	i, err := starlark.AsInt32(args[0])
	if err != nil || i < 0 || i >= q.kind().size {
		return nil, mistakef("holds: invalid number %s: want 0 to %d", short(args[0]), q.kind().size-1)
	}
	q.noteLook(fmt.Sprintf("holds(%d, ...)", i), i > 0)
	is, err := q.holdsOneOf(i, args[1:])
	return starlark.Bool(is), err
}

// count is count(m, ...): how many messages are among those.
func (q *fifo) count(t *starlark.Thread, f *starlark.Builtin, args starlark.Tuple,
	kwargs []starlark.Tuple) (starlark.Value, error) {
	if len(args) == 0 || len(kwargs) > 0 {
		return nil, mistakef("count takes the messages to count")
	}
	q.noteLook("count(...)", true)
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
	q.noteLook("in", true)
	for i := range q.kind().size {
		if is, err := q.holdsOneOf(i, []starlark.Value{m}); is || err != nil {
			return is, err
		}
	}
	return false, nil
}

func (q *fifo) Iterate() starlark.Iterator {
	q.noteLook("its messages", true)
	all := make(starlark.Tuple, q.length())
	for i := range all {
		all[i] = q.entry(i)
	}
	return all.Iterate()
}

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
func (q *fifo) pop(t *starlark.Thread, f *starlark.Builtin, args starlark.Tuple,
	kwargs []starlark.Tuple) (starlark.Value, error) {
	taken := -1
	if err := starlark.UnpackArgs(f.Name(), args, kwargs, "i?", &taken); err != nil {
		return nil, &mistake{err}
	}
	if len(args)+len(kwargs) > 0 && (taken < 0 || taken >= q.kind().size) {
		return nil, mistakef("%s.pop(%d): want 0 to %d, or nothing", q.place.label, taken, q.kind().size-1)
	}
	if taken > 0 {
		q.noteLook(fmt.Sprintf("pop(%d)", taken), true)
	}
	if !q.occupied(max(0, taken)) {
		return nil, &refusal{why: q.place.path + " is empty", empty: true}
	}
	if taken < 0 {
		if taken = 0; q.kind().unordered {
			taken = q.a.run.Choose(q.length())
		}
	}
	return q.extract(t, taken)
}

// take is pop of a message that is one of those named, or has the named fields. If the
// head (of an unordered FIFO: the chosen message) is another one, the step is refused.
func (q *fifo) take(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple,
	kwargs []starlark.Tuple) (starlark.Value, error) {
	r, records := q.kind().elem.(*record)
	switch {
	case len(args)+len(kwargs) == 0:
		return nil, mistakef("take of nothing: name the messages to take, or their fields; pop takes any")
	case len(kwargs) > 0 && (len(args) > 0 || !records):
		return nil, mistakef("take names messages, or the fields of a record as name = value")
	}
	for _, m := range args {
		if list, is := m.(*starlark.List); is {
			return nil, mistakef(
				"take of the list %s, but no message is a list: write its values as arguments, or take(*list)",
				short(list))
		}
		if plainValue(m) == nil && records {
			return nil, mistakef("take of %s: the messages are records; name their fields, as in take(%s = ...)",
				short(m), r.names[0])
		}
	}
	i := 0
	if q.kind().unordered && q.occupied(0) {
		q.noteLook("take(...) among messages in any order", true)
		i = q.a.run.Choose(q.length())
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
		return nil, &refusal{why: q.place.path + " has no such message to take", of: q.place}
	}
	return q.extract(t, i)
}

// fieldIs reports whether a field of message i has a value; it distinguishes no other values
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
func (q *fifo) extract(t *starlark.Thread, i int) (starlark.Value, error) {
	if err := q.noteChange(byRest); err != nil {
		return nil, err
	}
	d := q.a.snapshot(q.place.in[i])
	if err := q.noteTransfer(t, false, d); err != nil {
		return nil, err
	}
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
func (q *fifo) push(t *starlark.Thread, f *starlark.Builtin, args starlark.Tuple,
	kwargs []starlark.Tuple) (starlark.Value, error) {
	if q.a.m.arbiters[q.place] != nil {
		return starlark.None, q.pushInTurn(t, args, kwargs)
	}
	_, kwargs = q.splitSource(kwargs)
	return q.put(t, f, args, kwargs)
}

// put appends a message. If the FIFO is full, the step is an error and has no successor
// or, if the FIFO is blocking, is refused.
func (q *fifo) put(t *starlark.Thread, f *starlark.Builtin, args starlark.Tuple,
	kwargs []starlark.Tuple) (starlark.Value, error) {
	d, err := q.message(args, kwargs)
	if err == nil {
		err = q.noteTransfer(t, true, d)
	}
	if err == nil {
		d, err = q.a.pushed(q.place.in[0], d) // a FIFO that is full, or loses the message, does not hide the error
	}
	if err == nil && q.a.m.routes != nil {
		if r, is := q.kind().elem.(*record); !is || !q.a.m.routes.carries(r) {
			return q.dispatch(t, d)
		}
	}
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
	if k := q.kind(); k.blocking && copies > 0 && !q.requires(t, copies <= k.size && !q.occupied(k.size-copies),
		"there is room") {
		return nil, &refusal{why: q.place.path + " is full", full: true}
	}
	q.note(Transfer{Sent: true, Copies: copies}, d)
	for range copies {
		n := q.length()
		if n == q.kind().size {
			name, key := q.place.label, ""
			if q.place.path != name {
				key = "[key]"
			}
			return nil, &outOfRange{fmt.Errorf("%s is full: its size is %d; blocking = True, or when(not s.%[1]s%[3]s.full), waits",
				name, n, key), q.place}
		}
		if err := q.a.write(q.place.in[n], d); err != nil {
			return nil, err
		}
	}
	return starlark.None, nil
}

// pushed is a message as the places of a FIFO are set to it, of which one is given. It fails if they cannot hold it.
func (a *evaluation) pushed(p *slot, d datum) (datum, error) {
	if k, is := p.kind.(*domain); is {
		return a.admitted(p, k, d)
	}
	of := slices.Clone(d.in)
	for i, q := range p.in {
		var err error
		if of[i], err = a.pushed(q, of[i]); err != nil {
			return datum{}, err
		}
	}
	return datum{in: of}, nil
}

// message reads what is pushed.
func (q *fifo) message(args starlark.Tuple, kwargs []starlark.Tuple) (datum, error) {
	if r, ok := q.kind().elem.(*record); ok && len(args) == 0 {
		return r.make(q.a, args, kwargs)
	}
	if len(args) != 1 || len(kwargs) > 0 {
		return datum{}, mistakef("push of %d values: push one, or the fields of a record as name = value",
			len(args)+len(kwargs))
	}
	k := q.kind().elem
	if d, ok := k.(*domain); ok {
		k = d.declared()
	}
	return q.a.m.datumOf(q.a, k, args[0])
}

func (q *fifo) clear(t *starlark.Thread, f *starlark.Builtin, args starlark.Tuple,
	kwargs []starlark.Tuple) (starlark.Value, error) {
	if err := q.noteChange(byRest); err != nil {
		return nil, err
	}
	q.noteLook("clear()", true)
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
		q.noteLook(".empty", false)
		return starlark.Bool(!q.occupied(0)), nil
	case "full":
		q.noteLook(".full", true)
		return starlark.Bool(q.occupied(q.kind().size - 1)), nil
	case "head":
		q.noteLook(".head", false)
		if !q.occupied(0) {
			return starlark.None, nil
		}
		return q.entry(0), nil
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
	return nil, mistakef(
		"a FIFO has no %s: it has %s, len(...) and [i]; push puts a message in, pop takes the first one out", name,
		strings.Join(q.AttrNames(), ", "))
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
	if d.from == nil || d.computed() {
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
	if a.m.routes != nil && r == a.m.routes.packet {
		return a.packetWords(d)
	}
	var parts []string
	for i, f := range r.fields {
		parts = append(parts, a.words(d.in[i], f))
	}
	return strings.Join(parts, " ")
}
