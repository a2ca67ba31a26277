package star

import (
	"context"
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
	in := &inference{grew: map[*slot]int{}, messages: map[*slot][]int{}, readers: map[*slot]map[int]bool{}, seekers: map[soughtMessage]map[int]bool{}, fifos: map[program.Var]*slot{}, by: map[*slot][]*pusher{}, known: map[*slot]map[string]int{}}
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
		if err := m.arbitrate(t, l, func(_ starlark.Tuple, of *slot) (*keys, error) { return m.pushingSources(t, in, l, of) }); err != nil {
			return fault(b.file, t, err)
		}
		compete := func(q *slot) bool { return len(in.by[q]) > 1 }
		arbitrates := func(q *slot) bool { return m.arbiters[q] != nil }
		if i := slices.IndexFunc(l.every, compete); i >= 0 && !slices.ContainsFunc(l.every, arbitrates) {
			return place(l.at.file, int(l.at.line), int(l.at.col), "none of the sources pushes into %s, so its arbiter decides nothing: name the one that pushes, as in push(..., by = source)", l.every[i].label)
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
	for _, p := range q.in {
		in.fifos[p.x] = q
		m.p.Variables[p.x].Values = 1
		if v := m.p.Variables[p.x].Initial; v > 0 {
			initial = append(initial, v-1)
		}
	}
	m.addMessages(in, q, slices.Values(initial))
}

// nameValues gives the values of the places of a FIFO their names.
func (m *machine) nameValues(q *slot) {
	d := q.kind.(*queue).elem.(*domain)
	for _, p := range q.in {
		x := &m.p.Variables[p.x]
		if x.Initial > 0 {
			x.Initial = 1 + d.number[d.of.texts[x.Initial-1]]
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
