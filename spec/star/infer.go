package star

import (
	"context"
	"iter"
	"slices"

	"go.starlark.net/starlark"

	"github.com/seed-105a2da2/unknot/spec/program"
)

// An inferred FIFO can hold those of the declared messages that it begins with and those
// that some step can push. At first it can hold the former alone. All rules are evaluated,
// with the parts that also calls, and what they push is added. Rules that read a FIFO
// whose contents have grown are evaluated again, and so are rules that were refused for want of
// a message, once it is added. At last no rule pushes anything else in any state, so the
// reachable states are those of the FIFO as declared; but its places have fewer values, and
// rules that take a message that never comes are left out.

// inference is what is known between rounds.
type inference struct {
	instances []keyed
	due       []bool                   // by instance: whether it is to be evaluated again
	answers   []*early                 // by instance: the last one
	parts     []*stepPart              // those that are instances
	round     int                      // counts them
	messages  map[*slot][]int          // by FIFO: what it can hold, as numbers in the domain that the file declares, ascending
	grew      map[*slot]int            // by FIFO: the last round in which it got messages
	readers   map[*slot]map[int]bool   // by FIFO, what has looked at it
	seekers   map[sought]map[int]bool  // what has found that a message never came
	fifos     map[program.Var]*slot    // by variable of a place
	by        map[*slot][]*pusher      // by FIFO with an arbiter, in the order met
	known     map[*slot]map[string]int // by FIFO and keyText of a source: its number in by
}

// pusher is a source that pushes, and the first instance, in order, in which it does.
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
	if err := b.evaluateUntilKnown(ctx, in); err != nil {
		return err
	}
	m.leaves = leaves
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
	b.keep(in)
	return nil
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
// that order. What has looked at the FIFO, or for one of the messages, is to be evaluated again.
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
