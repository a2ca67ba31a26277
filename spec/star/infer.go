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
// that some step can push. At first it can hold the former alone. All rules are evaluated,
// with the parts that also calls, and what they push is added. Rules that read a FIFO
// whose contents have grown are evaluated again, and so are rules that were refused for want of
// a message, once it is added. In the end no rule pushes anything else in any state, so the
// reachable states are those of the FIFO as declared; but its places have fewer values, and
// rules that take a message that never comes are left out.

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
	in := &inference{grew: map[*slot]int{}, messages: map[*slot][]int{}, readers: map[*slot]map[int]bool{},
		seekers: map[soughtMessage]map[int]bool{}, fifos: map[program.Var]*slot{}, by: map[*slot][]*pusher{},
		known: map[*slot]map[string]int{}}
	for _, q := range all {
		in.readers[q], in.known[q] = map[int]bool{}, map[string]int{}
		m.restrictToInitial(in, q)
	}
	leaves := m.leaves
	if err := b.evaluateUntilKnown(ctx, in); err != nil {
		return err
	}
	m.leaves = leaves
	m.parts, m.partNumber = nil, map[stepPartKey]int{}
	for _, q := range all {
		m.nameValues(q)
	}
	t := newThread(b.file, &run{limit: b.opt.MaxRouteSteps})
	for _, l := range m.late {
		if err := m.arbitrate(t, l, func(_ starlark.Tuple, of *slot) (*keys, error) {
			return m.pushingSources(t, in, l, of)
		}); err != nil {
			return fault(b.file, t, err)
		}
		compete := func(q *slot) bool { return len(in.by[q]) > 1 }
		arbitrates := func(q *slot) bool { return m.arbiters[q] != nil }
		if i := slices.IndexFunc(l.every, compete); i >= 0 && !slices.ContainsFunc(l.every, arbitrates) {
			return place(l.at.file, int(l.at.line), int(l.at.col),
				"none of the sources pushes into %s, so its arbiter decides nothing: name the one that pushes, as in "+
					"push(..., by = source)", l.every[i].label)
		}
	}
	b.keepAnswers(in)
	return nil
}

// restrictToInitial restricts a FIFO to its initial messages.
func (m *machine) restrictToInitial(in *inference, q *slot) {
	d := q.kind.(*queue).elem.(*domain)
	d.values, d.number = nil, map[string]int{}
	var initial []int
	states := m.p.Initials()
	for _, p := range q.in {
		in.fifos[p.x] = q
		m.p.Variables[p.x].Values = 1
		for _, s := range states {
			if v := s[p.x]; v > 0 {
				initial = append(initial, v-1)
			}
		}
	}
	m.addMessages(in, q, slices.Values(initial))
}

// nameValues gives the values of the places of a FIFO their names.
func (m *machine) nameValues(q *slot) {
	d := q.kind.(*queue).elem.(*domain)
	for _, p := range q.in {
		x := &m.p.Variables[p.x]
		renumbered := func(v *int) {
			if *v > 0 {
				*v = 1 + d.number[d.of.texts[*v-1]]
			}
		}
		renumbered(&x.Initial)
		for _, s := range m.p.Starts {
			renumbered(&s[p.x])
		}
		x.Names = p.names(d)
	}
}

// pushingSources returns the sources that push into a FIFO: of those that the file lists, or of all, in the
// order of the rules. If only one pushes, none takes turns, and it returns nil.
func (m *machine) pushingSources(t *starlark.Thread, in *inference, l lateArbiter, of *slot) (*keys, error) {
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

// How rules are evaluated while FIFOs are inferred: in rounds, on several cores, each on a machine of its own
// (see fork), which notes what it meets, while FIFOs stay as they are. What has been noted is then added in the
// order of the rules. What a round does not answer, for an error or a bound, is evaluated again by itself. Finally,
// answers that still hold are kept: most rules need not be evaluated again to make the program.

// inference is what is known between rounds.
type inference struct {
	instances []keyed
	due       []bool                         // by instance: whether it is to be evaluated again
	answers   []*precomputed                 // by instance: the last one
	parts     []*stepPart                    // those that are instances
	round     int                            // counts them
	messages  map[*slot][]int                // by FIFO: what it can hold, as numbers in its declared domain, ascending
	grew      map[*slot]int                  // by FIFO: the last round in which it got messages
	readers   map[*slot]map[int]bool         // by FIFO, what has looked at it
	seekers   map[soughtMessage]map[int]bool // what has found that a message never came
	fifos     map[program.Var]*slot          // by variable of a place
	by        map[*slot][]*pusher            // by FIFO with an arbiter, in the order met
	known     map[*slot]map[string]int       // by FIFO and keyText of a source: its number in by
}

// pusher is a source that pushes, and the first instance, in order, in which it does.
type pusher struct {
	source starlark.Value
	first  int
}

// evaluateUntilKnown evaluates rules, and what they call by also, until nothing new is pushed.
func (b *builder) evaluateUntilKnown(ctx context.Context, in *inference) error {
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
		var instances []keyed
		for i, is := range in.due {
			if is {
				due, instances = append(due, i), append(instances, in.instances[i])
			}
		}
		if len(due) == 0 {
			return nil
		}
		answers, _ := b.evaluateEach(ctx, instances, in.newNotes) // an error is met again in turn
		for k, i := range due {
			if e := answers[k]; e == nil || e.leaves > b.m.leaves || e.steps > b.m.steps {
				again, err := b.evaluateEach(ctx, instances[k:k+1], in.newNotes)
				if err != nil {
					return err
				}
				answers[k] = again[0]
			}
			b.m.leaves, b.m.steps = b.m.leaves-answers[k].leaves, b.m.steps-answers[k].steps
			in.due[i], in.answers[i] = false, answers[k]
			in.noteDependencies(i, answers[k].m.noting)
		}
		for _, i := range due {
			if err := b.learn(in, i); err != nil {
				return err
			}
		}
	}
}

// newNotes returns an empty note for an evaluation.
func (in *inference) newNotes() *notes {
	return &notes{fifos: in.fifos, known: in.known, round: in.round, looked: map[*slot]bool{},
		lacked: map[soughtMessage]bool{}, pushed: map[*slot]map[int]bool{}}
}

func (in *inference) add(q keyed) {
	in.instances, in.due, in.answers = append(in.instances, q), append(in.due, true), append(in.answers, nil)
}

// noteDependencies notes on what an answer depends.
func (in *inference) noteDependencies(instance int, n *notes) {
	for q := range n.looked {
		in.readers[q][instance] = true
	}
	for s := range n.lacked {
		if in.seekers[s] == nil {
			in.seekers[s] = map[int]bool{}
		}
		in.seekers[s][instance] = true
	}
}

// addMessages adds messages that a FIFO can hold, by their numbers in the domain that the file declares, and keeps
// that order. What has looked at the FIFO, or for one of the messages, is to be evaluated again.
func (m *machine) addMessages(in *inference, q *slot, messages iter.Seq[int]) {
	d := q.kind.(*queue).elem.(*domain)
	can := in.messages[q]
	for i := range messages {
		at, known := slices.BinarySearch(can, i)
		if known {
			continue
		}
		can = slices.Insert(can, at, i)
		for k := range in.seekers[soughtMessage{q, d.of.texts[i]}] {
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

// learn adds what an instance has pushed, and the parts of steps that it has met.
func (b *builder) learn(in *inference, instance int) error {
	of := in.answers[instance].m
	n := of.noting
	for q, messages := range n.pushed {
		b.m.addMessages(in, q, maps.Keys(messages))
	}
	for _, s := range n.sources {
		text := keyText(s.name)
		i, met := in.known[s.fifo][text]
		if !met {
			i = len(in.by[s.fifo])
			in.known[s.fifo][text] = i
			in.by[s.fifo] = append(in.by[s.fifo], &pusher{s.name, instance})
		}
		in.by[s.fifo][i].first = min(in.by[s.fifo][i].first, instance)
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

// keepAnswers keeps the answers that would be given again.
func (b *builder) keepAnswers(in *inference) {
	b.inferred = map[any]*precomputed{}
	parts := map[*declared]stepPartKey{}
	for _, p := range in.parts {
		parts[&p.declared] = p.key
	}
	for i, q := range in.instances {
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
			b.inferred[key] = e
		} else {
			b.inferred[q] = e
		}
	}
}

// changed reports whether an evaluation would now give another answer: the known one lacks a fault, or has
// numbers of messages that are others now, or a turn in a FIFO that needs no arbiter.
func (m *machine) changed(in *inference, e *precomputed) bool {
	grown := func(q *slot) bool { return in.grew[q] >= e.m.noting.round }
	unarbitrated := func(p *stepPart) bool { return p.turn != nil && m.arbiters[p.turn.of.fifo] == nil }
	return e.m.noting.failed || slices.ContainsFunc(e.m.noting.written, grown) ||
		slices.ContainsFunc(e.m.parts, unarbitrated)
}
