package star

import (
	"context"
	"iter"
	"maps"
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
//
// Rules are asked in rounds, on several cores: each on a machine of its own (see apart), which
// notes what it meets, while FIFOs stay as they are. What has been noted is then added in the
// order of the rules. If a round meets an error or a bound, its rules are asked one by one.

// inference is what is known between rounds.
type inference struct {
	questions []keyed
	messages  map[*slot][]int // by FIFO: what it can hold, as numbers in the domain that the file declares, ascending
	grew      map[*slot]int   // by FIFO: the last round that found messages
	round     int
	parts     []*stepPart
	due       []bool                   // by question: whether it is to be asked again
	answers   []*early                 // by question: the last one
	readers   map[*slot]map[int]bool   // by FIFO, what has looked at it
	seekers   map[sought]map[int]bool  // what has found that a message never came
	fifos     map[program.Var]*slot    // by variable of a place
	by        map[*slot][]*pusher      // by FIFO with an arbiter, in the order met
	known     map[*slot]map[string]int // by FIFO and keyText of a source: its number in by
}

// noted is what one question meets.
type noted struct {
	*inference                        // only read
	looked     map[*slot]bool         // what FIFOs hold
	lacked     map[sought]bool        // messages that never came
	pushed     map[*slot]map[int]bool // numbers of messages, in the domain that the file declares
	written    []*slot                // FIFOs of whose messages the answer has numbers
	sources    []source               // that push in their turn
	failed     bool                   // an error ended a run
	round      int
}

// sought is a message in a FIFO, by keyText.
type sought struct {
	fifo    *slot
	message string
}

// source pushes into a FIFO in its turn; None is a sender other than the sources.
type source struct {
	fifo *slot
	name starlark.Value
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
	in := &inference{grew: map[*slot]int{}, messages: map[*slot][]int{}, readers: map[*slot]map[int]bool{}, seekers: map[sought]map[int]bool{}, fifos: map[program.Var]*slot{}, by: map[*slot][]*pusher{}, known: map[*slot]map[string]int{}}
	for _, q := range all {
		in.readers[q], in.known[q] = map[int]bool{}, map[string]int{}
		m.beginWith(in, q)
	}
	leaves := m.leaves
	if err := b.askUntilKnown(ctx, in); err != nil {
		return err
	}
	m.leaves = leaves
	defer b.keep(in)
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
	b.m.heldStrings() // filled here, as filling it on first use would be a race
	for r := range b.m.rules {
		if d := &b.m.rules[r]; d.what == "rule" {
			for i := range d.over.args {
				in.add(keyed{d, i})
			}
		}
	}
	for ; ; in.round++ {
		var due []int
		var questions []keyed
		for i, is := range in.due {
			if is {
				due, questions = append(due, i), append(questions, in.questions[i])
			}
		}
		if len(due) == 0 {
			return nil
		}
		answers, _ := b.askEach(ctx, questions, in) // an error is met again in turn
		for k, i := range due {
			if e := answers[k]; e == nil || e.leaves > b.m.leaves || e.steps > b.m.steps {
				again, err := b.askEach(ctx, questions[k:k+1], in)
				if err != nil {
					return err
				}
				answers[k] = again[0]
			}
			b.m.leaves, b.m.steps = b.m.leaves-answers[k].leaves, b.m.steps-answers[k].steps
			in.due[i], in.answers[i] = false, answers[k]
			in.depends(i, answers[k].m.noting)
		}
		for _, i := range due {
			if err := b.learn(in, i); err != nil {
				return err
			}
		}
	}
}

// note returns an empty note for a question.
func (in *inference) note() *noted {
	if in == nil {
		return nil
	}
	return &noted{inference: in, round: in.round, looked: map[*slot]bool{}, lacked: map[sought]bool{}, pushed: map[*slot]map[int]bool{}}
}

func (in *inference) add(q keyed) {
	in.questions, in.due, in.answers = append(in.questions, q), append(in.due, true), append(in.answers, nil)
}

// depends notes on what an answer depends.
func (in *inference) depends(question int, n *noted) {
	for q := range n.looked {
		in.readers[q][question] = true
	}
	for s := range n.lacked {
		if in.seekers[s] == nil {
			in.seekers[s] = map[int]bool{}
		}
		in.seekers[s][question] = true
	}
}

// learn adds what a question has pushed, and the parts of steps that it has met.
func (b *builder) learn(in *inference, question int) error {
	of := in.answers[question].m
	n := of.noting
	for q, messages := range n.pushed {
		b.m.come(in, q, maps.Keys(messages))
	}
	for _, s := range n.sources {
		text := keyText(s.name)
		i, met := in.known[s.fifo][text]
		if !met {
			i = len(in.by[s.fifo])
			in.known[s.fifo][text] = i
			in.by[s.fifo] = append(in.by[s.fifo], &pusher{s.name, question})
		}
		in.by[s.fifo][i].first = min(in.by[s.fifo][i].first, question)
	}
	for _, p := range of.parts {
		if _, known := b.m.partNumber[p.key]; known {
			continue
		}
		b.m.number(p)
		if err := p.misfit(); err != nil {
			return err
		}
		if p.f != nil {
			in.parts = append(in.parts, p)
			in.add(keyed{&p.declared, 0})
		}
	}
	return nil
}

// keep puts the answers aside that would be given again.
func (b *builder) keep(in *inference) {
	b.kept = map[any]*early{}
	parts := map[*declared]stepPartKey{}
	for _, p := range in.parts {
		parts[&p.declared] = p.key
	}
	for i, q := range in.questions {
		e := in.answers[i]
		if b.m.changed(in, e) {
			continue
		}
		for _, p := range e.m.parts {
			if of := p.turn; of != nil {
				of.of = b.m.arbiters[of.of.fifo]
				of.by = of.of.number(of.source)
			}
		}
		if key, is := parts[q.d]; is {
			b.kept[key] = e
		} else {
			b.kept[q] = e
		}
	}
}

// changed reports whether a question would now be answered otherwise: its answer lacks a fault, or has
// numbers of messages that are others now, or a turn in a FIFO that needs no arbiter.
func (m *machine) changed(in *inference, e *early) bool {
	grown := func(q *slot) bool { return in.grew[q] >= e.m.noting.round }
	unarbitrated := func(p *stepPart) bool { return p.turn != nil && m.arbiters[p.turn.of.fifo] == nil }
	return e.m.noting.failed || slices.ContainsFunc(e.m.noting.written, grown) || slices.ContainsFunc(e.m.parts, unarbitrated)
}

// valuesOf returns how many values a variable has. Asking counts as looking at its FIFO, if
// it is in one.
func (m *machine) valuesOf(x program.Var) int {
	if n := m.noting; n != nil {
		if q := n.fifos[x]; q != nil {
			n.looked[q] = true
		}
	}
	return m.p.Variables[x].Values
}

// beginWith restricts a FIFO to its initial messages.
func (m *machine) beginWith(in *inference, q *slot) {
	d := q.kind.(*queue).elem.(*domain)
	d.values, d.number = nil, map[string]int{}
	var initial []int
	for _, p := range q.in {
		in.fifos[p.x] = q
		m.p.Variables[p.x].Values = 1
		if v := m.p.Variables[p.x].Initial; v > 0 {
			initial = append(initial, v-1)
		}
	}
	m.come(in, q, slices.Values(initial))
}

// come adds messages that a FIFO can hold, by their numbers in the domain that the file declares, and keeps
// that order. What has looked at the FIFO, or for one of the messages, is to be asked again.
func (m *machine) come(in *inference, q *slot, messages iter.Seq[int]) {
	d := q.kind.(*queue).elem.(*domain)
	can := in.messages[q]
	for i := range messages {
		at, known := slices.BinarySearch(can, i)
		if known {
			continue
		}
		can = slices.Insert(can, at, i)
		for k := range in.seekers[sought{q, d.of.texts[i]}] {
			in.due[k] = true
		}
	}
	if len(can) == len(d.values) {
		return
	}
	in.messages[q], in.grew[q], d.values = can, in.round, d.values[:0]
	for i, declared := range can {
		d.values = append(d.values, d.of.values[declared])
		d.number[d.of.texts[declared]] = i
	}
	for _, p := range q.in {
		m.p.Variables[p.x].Values = 1 + len(can)
	}
	for k := range in.readers[q] {
		in.due[k] = true
	}
}

// settle gives the values of the places of a FIFO their names.
func (m *machine) settle(q *slot) {
	d := q.kind.(*queue).elem.(*domain)
	for _, p := range q.in {
		x := &m.p.Variables[p.x]
		if x.Initial > 0 {
			x.Initial = 1 + d.number[d.of.texts[x.Initial-1]]
		}
		x.Names = p.names(d)
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
	if n := q.a.m.noting; n != nil { // until one of them comes, the answer stays
		for _, v := range messages {
			n.lacked[sought{q.place, keyText(v)}] = true
		}
	}
	q.a.lacks = true
	return true
}

// brings notes that a step pushes a message.
func (q *fifo) brings(d datum) {
	n := q.a.m.noting
	if k, values := q.kind().elem.(*domain); n == nil || !values || k.of == nil {
		return
	}
	if !slices.Contains(n.written, q.place) {
		n.written = append(n.written, q.place)
	}
	if d.from == nil || d.plus != nil {
		n.push(q.place, q.a.known(d))
		return
	}
	for _, number := range q.a.run.Domain(d.from.x) {
		if v := d.from.value(number); v != nil {
			n.push(q.place, v)
		}
	}
}

func (n *noted) push(q *slot, v starlark.Value) {
	i, declared := numbered(q.kind.(*queue).elem.(*domain).of.number, v)
	if !declared {
		return // the push is wrong, as asking at last says
	}
	if n.pushed[q] == nil {
		n.pushed[q] = map[int]bool{}
	}
	n.pushed[q][i] = true
}

// pushedBy notes that a source pushes in its turn.
func (q *fifo) pushedBy(by starlark.Value, args starlark.Tuple) {
	n := q.a.m.noting
	if n == nil {
		return
	}
	if len(args) == 1 && plainValue(args[0]) == nil {
		if d, values := q.kind().elem.(*domain); values && d.of != nil {
			n.push(q.place, args[0])
		}
	}
	same := func(s source) bool { return s.fifo == q.place && keyText(s.name) == keyText(by) }
	if n.known[q.place] != nil && !slices.ContainsFunc(n.sources, same) {
		n.sources = append(n.sources, source{q.place, by})
	}
}
