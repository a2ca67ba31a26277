package star

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"go.starlark.net/starlark"

	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/star/internal/decision"
)

// FIFOs that arbitrate. A source waits for a FIFO if one of its steps that push into it
// lacks only room or turns in FIFOs that arbitrate. Whether it is a
// source's turn is a part of the step, like a call of also. The condition and the changes
// of that part depend on the conditions of the other sources' rules, so all rules are
// evaluated before any is written.

// arbiter decides who pushes into a FIFO: round-robin, or in batches, as on buses (the batching or
// assured-access protocols; Vernon and Manber, ISCA 1988).
type arbiter struct {
	fifo    *slot
	of      *slot // what was declared: the FIFO, or an array of FIFOs
	sources *keys
	turns   []*slot // batch, by source: whether it waited when another was served out of turn
	last    *slot   // round-robin: the one that was served last
	waits   map[int]waiting
}

func newArbiter(arbiting string, of, fifo *slot, sources *keys, memory *slot) *arbiter {
	a := &arbiter{fifo: fifo, of: of, sources: sources, waits: map[int]waiting{}}
	if arbiting == "round-robin" {
		a.last = memory
	} else {
		a.turns = memory.in
	}
	return a
}

// waiting is the condition under which a source waits.
type waiting struct {
	*program.Expr
	size int // operators
}

// turnOf is the part of a step in which a source takes its turn to push into a FIFO.
type turnOf struct {
	of     *arbiter
	source starlark.Value
	by     int // number of the source; -1: no source, which yields to all
	at     position
	guard  program.Expr
}

// lateArbiter is what the file says of FIFOs with arbiters whose sources are inferred.
type lateArbiter struct {
	name, arbiting string
	fifos          *slot
	every          []*slot         // one, or one for each key
	given          bool            // the file lists sources
	listed         map[*slot]*keys // by FIFO
	at             position
}

func (a *arbiter) number(source starlark.Value) int {
	if a.sources != nil { // which are not known while they are inferred
		if i, known := a.sources.number[keyText(source)]; known {
			return i
		}
	}
	return -1
}

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
			return errors.New(
				"the messages of a FIFO with an arbiter cannot have a field by: push(by = source) says who pushes; " +
					"give the field another name")
		}
	}
	l := lateArbiter{name: name, arbiting: arbiting, fifos: fifos, listed: map[*slot]*keys{},
		at: positionOf(t.Name, t.CallStack())}
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
func (m *machine) arbitrate(t *starlark.Thread, l lateArbiter,
	sources func(key starlark.Tuple, of *slot) (*keys, error)) error {
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
		all.keys.values, all.keys.args, all.elems = append(all.keys.values, key), append(all.keys.args, a.keys.args[i]),
			append(all.elems, memory)
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
		wrong := new(keysError)
		if errors.As(err, &wrong) {
			return nil, fmt.Errorf("sources: %s", wrong.why)
		}
		return nil, fmt.Errorf("sources: %v", err)
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

// Which source waits for room, from the trees of all rules and parts.

const mostWaiting = 1 << 22 // operators in the conditions of all pushes

// waits returns the condition under which a source waits for room in a FIFO.
func (m *machine) waits(a *arbiter, source int) waiting {
	if w, known := a.waits[source]; known {
		return w
	}
	var any []program.Expr
	for number, p := range m.parts {
		if p.turn == nil || p.turn.of != a || p.turn.by != source {
			continue
		}
		for i := range m.rules {
			for k := range m.rules[i].over.args {
				if t := m.rules[i].trees[k]; t != nil && m.reaches(t, number) {
					any = append(any, m.wanting(t, number))
				}
			}
		}
	}
	e := program.Or(any...)
	if len(any) == 1 {
		e = any[0]
	}
	a.waits[source] = waiting{&e, operators(&e)}
	return a.waits[source]
}

func operators(e *program.Expr) int {
	n := 1
	for i := range e.Args {
		n += operators(&e.Args[i])
	}
	return n
}

// wanting returns the condition under which a rule, or a part of one, is possible if room
// and turns in arbitrating FIFOs are ignored. Only steps that contain part count, or all
// steps if part is negative.
func (m *machine) wanting(t *decision.Tree, part int) program.Expr {
	return t.Possible(m.p, func(also []int) program.Expr {
		var all []program.Expr
		within := part < 0
		for _, i := range also {
			of := -1
			switch p := m.parts[i]; {
			case i == part:
				within = true
				continue
			case p.turn != nil, p.method != nil && p.method.name == "push" && m.arbiters[p.method.of] != nil:
				continue
			case part >= 0 && m.reaches(p.tree, part):
				within, of = true, part
			}
			if e := m.wanting(m.parts[i].tree, of); e.Op == program.Conjunction {
				all = append(all, e.Args...)
			} else {
				all = append(all, e)
			}
		}
		if !within {
			return program.Or()
		}
		return program.And(all...)
	})
}

// reaches reports whether a part is in some step of a rule, or of a part of one.
func (m *machine) reaches(t *decision.Tree, part int) bool {
	all, known := m.reached[t]
	if !known {
		all = map[int]bool{}
		m.reached[t] = all
		for _, i := range t.Named() {
			all[i] = true
			if of := m.parts[i].tree; of != nil {
				m.reaches(of, part)
				maps.Copy(all, m.reached[of])
			}
		}
	}
	return all[part]
}

// Pushing into a FIFO that arbitrates: the part of a step that needs its turn.

// splitSource splits the source off the arguments of push.
func (q *fifo) splitSource(kwargs []starlark.Tuple) (source starlark.Value, rest []starlark.Tuple) {
	if r, ok := q.kind().elem.(*record); ok && r.field("by") >= 0 {
		return starlark.None, kwargs
	}
	source = starlark.None
	for _, kv := range kwargs {
		if kv[0] == starlark.String("by") {
			source = kv[1]
		} else {
			rest = append(rest, kv)
		}
	}
	return source, rest
}

// pushInTurn adds two parts to a step in which a source pushes: the push, and the turn.
func (q *fifo) pushInTurn(t *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) error {
	if err := q.noteChange(byPart); err != nil {
		return err
	}
	args, kwargs = lookedAt(args, kwargs)
	by, kwargs := q.splitSource(kwargs)
	if len(args) == 1 {
		if fields := q.fieldsOf(args[0]); fields != nil {
			args, kwargs = nil, append(fields, kwargs...)
		}
	}
	q.noteSource(by, args)
	at := positionOf(t.Name, t.CallStack())
	push := declared{what: "rule", name: q.place.path + ".push", over: once(),
		method: &method{q.place, "push", kwargs, at}}
	if err := q.a.part(t, push, stepPartKey{of: q.place, args: "push"}, args, kwargs); err != nil {
		return err
	}
	a := q.a.m.arbiters[q.place]
	if a == nil {
		return nil
	}
	turn := declared{what: "rule", name: q.place.path + ".push", over: once(),
		turn: &turnOf{of: a, source: by, by: a.number(by), at: at}, method: &method{at: at}}
	return q.a.part(t, turn, stepPartKey{of: q.place, args: "turn"}, starlark.Tuple{by}, nil)
}

// fieldsOf reads the fields of a record of the FIFO's type; nil for any other value.
func (q *fifo) fieldsOf(v starlark.Value) (fields []starlark.Tuple) {
	r, records := q.kind().elem.(*record)
	if !records {
		return nil
	}
	var d datum
	switch v := v.(type) {
	case *message:
		if v.record != r {
			return nil
		}
		d = v.datum
	case *view:
		if v.place.kind != kind(r) {
			return nil
		}
		d = q.a.snapshot(v.place)
	default:
		return nil
	}
	for i, name := range r.names {
		if _, plain := r.fields[i].(*domain); !plain {
			return nil
		}
		fields = append(fields, starlark.Tuple{starlark.String(name), q.a.known(d.in[i])})
	}
	return fields
}

// turn writes the condition under which a source may push, and the update of the
// arbiter's memory.
func (b *builder) turn(of *turnOf) (out decision.Command, err error) {
	var others []int
	for y := range of.of.sources.values {
		if y != of.by {
			others = append(others, y)
		}
	}
	waits := map[int]program.Expr{}
	for _, y := range others {
		w := b.m.waits(of.of, y)
		waits[y] = *w.Expr
		if b.m.waiting += w.size; b.m.waiting > mostWaiting {
			at := of.at
			return out, place(at.file, int(at.line), int(at.col),
				"the conditions for waiting to push into %s exceed %d operators in all: want fewer sources, or fewer "+
					"rules that push", of.of.fifo.label, mostWaiting)
		}
	}
	var nobody []program.Expr // conditions: no other source is to be served first
	if of.of.last != nil {
		n := len(of.of.sources.values)
		for _, y := range others {
			var before []program.Expr // the sources served last after which y comes before
			for last := range n {
				if of.by < 0 || (y-last+n-1)%n < (of.by-last+n-1)%n {
					before = append(before, program.Eq(of.of.last.x, last))
				}
			}
			switch len(before) {
			case 0:
			case n:
				nobody = append(nobody, program.Not(waits[y]))
			default:
				nobody = append(nobody, program.Not(program.And(program.Or(before...), waits[y])))
			}
		}
		out.Guard = program.And(nobody...)
		if of.by >= 0 && n > 1 {
			out.Effect = []program.Stmt{program.Set(of.of.last.x, of.by)}
		}
		of.guard = out.Guard
		return out, nil
	}
	var batch []program.Stmt
	for _, y := range others {
		nobody = append(nobody, program.Not(program.And(program.Eq(of.of.turns[y].x, 1), waits[y])))
		batch = append(batch, program.If(waits[y], program.Set(of.of.turns[y].x, 1)))
	}
	out.Guard, out.Effect = program.And(nobody...), batch
	if of.by >= 0 {
		mine := of.of.turns[of.by].x
		out.Guard = program.Or(program.Eq(mine, 1), out.Guard)
		out.Effect = []program.Stmt{program.If(program.Eq(mine, 1), program.Set(mine, 0)).Otherwise(batch...)}
	}
	of.guard = out.Guard
	return out, nil
}

// noteSource notes that a source pushes in its turn.
func (q *fifo) noteSource(by starlark.Value, args starlark.Tuple) {
	n := q.a.m.noting
	if n == nil {
		return
	}
	if len(args) == 1 && plainValue(args[0]) == nil {
		if d, values := q.kind().elem.(*domain); values && d.of != nil {
			n.notePush(q.place, args[0])
		}
	}
	same := func(s source) bool { return s.fifo == q.place && keyText(s.name) == keyText(by) }
	if n.known[q.place] != nil && !slices.ContainsFunc(n.sources, same) {
		n.sources = append(n.sources, source{q.place, by})
	}
}
