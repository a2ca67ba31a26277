package star

import (
	"context"
	"slices"

	"go.starlark.net/starlark"

	"github.com/seed-105a2da2/unknot/spec/program"
)

// An inferred FIFO can hold those of the declared messages that it begins with and those
// that some step can push. At first it can hold the former alone. All rules are asked,
// with the parts that also calls, and what they push is added. Rules that read a FIFO
// whose contents have grown are asked again, and so are rules that were refused for want of
// a message, once it is added. At last no rule pushes anything else in any state, so the
// reachable states are those of the FIFO as declared; but its places have fewer values, and
// rules that take a message that never comes are left out.

// inference is what is known while rules are asked over and over.
type inference struct {
	asked   int                      // what is being asked
	due     []bool                   // what is to be asked again
	readers map[*slot]map[int]bool   // by FIFO, what has looked at it
	seekers map[sought]map[int]bool  // what has found that a message never came
	fifos   map[program.Var]*slot    // by variable of a place
	by      map[*slot][]*pusher      // by FIFO with an arbiter, in the order met
	known   map[*slot]map[string]int // by FIFO and keyText of a source: its number in by
}

// sought is a message in a FIFO, by keyText.
type sought struct {
	fifo    *slot
	message string
}

// pusher is a source that pushes, and the first question, in order, in which it does.
type pusher struct {
	source starlark.Value
	first  int
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

// inferredFIFOs lists them in the order of their declaration.
func (m *machine) inferredFIFOs() (all []*slot) {
	for _, p := range m.root.in {
		every := []*slot{p}
		if _, array := p.kind.(*array); array {
			every = p.in
		}
		for _, q := range every {
			if k, fifo := q.kind.(*queue); fifo && k.inferred {
				all = append(all, q)
			}
		}
	}
	return all
}

// infer finds out what FIFOs can hold, and who takes turns to push into them.
func (b *builder) infer(ctx context.Context) error {
	m := b.m
	all := m.inferredFIFOs()
	if len(all) == 0 {
		return nil
	}
	in := &inference{readers: map[*slot]map[int]bool{}, seekers: map[sought]map[int]bool{}, fifos: map[program.Var]*slot{}, by: map[*slot][]*pusher{}, known: map[*slot]map[string]int{}}
	for _, q := range all {
		in.readers[q], in.known[q] = map[int]bool{}, map[string]int{}
		m.beginWith(in, q)
	}
	leaves := m.leaves
	m.inferring = in
	if err := b.askUntilKnown(ctx, in); err != nil {
		return err
	}
	m.inferring, m.leaves = nil, leaves
	m.parts, m.partNumber = nil, map[stepPartKey]int{}
	for _, q := range all {
		m.settle(q)
	}
	t := newThread(b.file, &run{limit: b.opt.MaxRouteSteps})
	for _, l := range m.late {
		if err := m.arbitrate(t, l, func(_ starlark.Tuple, of *slot) (*keys, error) { return m.turns(t, in, l, of) }); err != nil {
			return fault(b.file, t, err)
		}
		compete := func(q *slot) bool { return len(in.by[q]) > 1 }
		arbitrates := func(q *slot) bool { return m.arbiters[q] != nil }
		if i := slices.IndexFunc(l.every, compete); i >= 0 && !slices.ContainsFunc(l.every, arbitrates) {
			return place(l.at.file, int(l.at.line), int(l.at.col), "none of the sources pushes into %s, so its arbiter decides nothing: say which of them pushes, push(..., by = source)", l.every[i].label)
		}
	}
	return nil
}

// askUntilKnown asks rules, and what they call by also, until nothing new is pushed.
func (b *builder) askUntilKnown(ctx context.Context, in *inference) error {
	type question struct {
		d        *declared
		instance int
	}
	var all []question
	for r := range b.m.rules {
		if d := &b.m.rules[r]; d.what == "rule" {
			for i := range d.over.args {
				all = append(all, question{d, i})
			}
		}
	}
	for range all {
		in.due = append(in.due, true)
	}
	parts := 0
	for again := true; again; {
		again = false
		for i := 0; i < len(all); i++ {
			if !in.due[i] {
				continue
			}
			in.asked, in.due[i], again = i, false, true
			if _, err := b.ask(ctx, all[i].d, all[i].instance); err != nil {
				return err
			}
			for ; parts < len(b.m.parts); parts++ {
				p := b.m.parts[parts]
				if err := p.misfit(); err != nil {
					return err
				}
				if p.f != nil {
					all, in.due = append(all, question{&p.declared, 0}), append(in.due, true)
				}
			}
		}
	}
	return nil
}

// valuesOf returns how many values a variable has. Asking counts as looking at its FIFO, if
// it is in one.
func (m *machine) valuesOf(x program.Var) int {
	if in := m.inferring; in != nil {
		if q := in.fifos[x]; q != nil {
			in.readers[q][in.asked] = true
		}
	}
	return m.p.Variables[x].Values
}

// beginWith restricts a FIFO to its initial messages.
func (m *machine) beginWith(in *inference, q *slot) {
	d := q.kind.(*queue).elem.(*domain)
	d.values, d.number = nil, map[string]int{}
	for _, p := range q.in {
		in.fifos[p.x] = q
		m.p.Variables[p.x].Values = 1
		if v := m.p.Variables[p.x].Initial; v > 0 {
			m.comes(in, q, d.of.values[v-1])
		}
	}
}

// comes adds a message that a FIFO can hold.
func (m *machine) comes(in *inference, q *slot, v starlark.Value) {
	d := q.kind.(*queue).elem.(*domain)
	if _, declared := numbered(d.of.number, v); !declared {
		return // the push is wrong, as asking at last says
	}
	if _, known := numbered(d.number, v); known {
		return
	}
	text := keyText(v)
	d.number[text] = len(d.values)
	d.values = append(d.values, v)
	for _, p := range q.in {
		m.p.Variables[p.x].Values = 1 + len(d.values)
	}
	for i := range in.readers[q] {
		in.due[i] = true
	}
	for i := range in.seekers[sought{q, text}] {
		in.due[i] = true
	}
}

// settle puts what a FIFO can hold into the order in which it was declared.
func (m *machine) settle(q *slot) {
	d := q.kind.(*queue).elem.(*domain)
	slices.SortFunc(d.values, func(v, w starlark.Value) int { return d.of.number[keyText(v)] - d.of.number[keyText(w)] })
	for i, v := range d.values {
		d.number[keyText(v)] = i
	}
	for _, p := range q.in {
		x := &m.p.Variables[p.x]
		if x.Initial > 0 {
			x.Initial = 1 + d.number[keyText(d.of.values[x.Initial-1])]
		}
		x.Values, x.Names = 1+len(d.values), p.names(d)
	}
}

// turns returns the sources that push into a FIFO: of those that the file lists, or of all, in the
// order of the rules. If only one pushes, nobody takes turns, and it returns nil.
func (m *machine) turns(t *starlark.Thread, in *inference, l lateArbiter, of *slot) (*keys, error) {
	delete(m.arbiters, of)
	pushers := in.by[of]
	slices.SortStableFunc(pushers, func(p, q *pusher) int { return p.first - q.first })
	var who []starlark.Value
	for _, p := range pushers {
		if p.source != starlark.None {
			who = append(who, p.source)
		}
	}
	if listed := l.listed[of]; l.given {
		who = nil
		for i := 0; listed != nil && i < len(listed.values); i++ {
			if _, pushes := in.known[of][keyText(listed.values[i])]; pushes {
				who = append(who, listed.values[i])
			}
		}
	}
	if len(who) == 0 || len(pushers) < 2 {
		return nil, nil
	}
	return sourcesOf(t, starlark.NewList(who), nil)
}

// looksFor notes that a step looks for some messages, and reports whether none of them ever comes.
func (q *fifo) looksFor(messages []starlark.Value) (never bool) {
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
	if in := q.a.m.inferring; in != nil { // until one of them comes, the answer stays
		for _, v := range messages {
			key := sought{q.place, keyText(v)}
			if in.seekers[key] == nil {
				in.seekers[key] = map[int]bool{}
			}
			in.seekers[key][in.asked] = true
		}
	}
	q.a.lacks = true
	return true
}

// brings notes that a step pushes a message.
func (q *fifo) brings(d datum) {
	in := q.a.m.inferring
	if k, values := q.kind().elem.(*domain); in == nil || !values || k.of == nil {
		return
	}
	if d.from == nil || d.plus != nil {
		q.a.m.comes(in, q.place, q.a.known(d))
		return
	}
	for _, number := range q.a.run.Domain(d.from.x) {
		if v := d.from.value(number); v != nil {
			q.a.m.comes(in, q.place, v)
		}
	}
}

// pushedBy notes that a source pushes in its turn; None is a sender other than the sources.
func (q *fifo) pushedBy(source starlark.Value, args starlark.Tuple) {
	in := q.a.m.inferring
	if in == nil {
		return
	}
	if len(args) == 1 && plainValue(args[0]) == nil {
		q.brings(datum{value: args[0]})
	}
	known := in.known[q.place]
	if known == nil {
		return
	}
	i, met := known[keyText(source)]
	if !met {
		i = len(in.by[q.place])
		known[keyText(source)] = i
		in.by[q.place] = append(in.by[q.place], &pusher{source, in.asked})
	}
	in.by[q.place][i].first = min(in.by[q.place][i].first, in.asked)
}
