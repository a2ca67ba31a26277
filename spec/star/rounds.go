package star

import (
	"context"
	"maps"
	"slices"

	"go.starlark.net/starlark"

	"github.com/seed-105a2da2/unknot/spec/program"
)

// How rules are evaluated while FIFOs are inferred: in rounds, on several cores, each on a machine of its own
// (see apart), which notes what it meets, while FIFOs stay as they are. What has been noted is then added in the
// order of the rules. What a round does not answer, for an error or a bound, is evaluated again by itself. At last,
// answers that still hold are kept: most rules need not be evaluated again to make the program.

// noted is what one evaluation meets.
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
		answers, _ := b.evaluateEach(ctx, instances, in) // an error is met again in turn
		for k, i := range due {
			if e := answers[k]; e == nil || e.leaves > b.m.leaves || e.steps > b.m.steps {
				again, err := b.evaluateEach(ctx, instances[k:k+1], in)
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

// note returns an empty note for an evaluation.
func (in *inference) note() *noted {
	if in == nil {
		return nil
	}
	return &noted{inference: in, round: in.round, looked: map[*slot]bool{}, lacked: map[sought]bool{}, pushed: map[*slot]map[int]bool{}}
}

func (in *inference) add(q keyed) {
	in.instances, in.due, in.answers = append(in.instances, q), append(in.due, true), append(in.answers, nil)
}

// depends notes on what an answer depends.
func (in *inference) depends(instance int, n *noted) {
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

// learn adds what an instance has pushed, and the parts of steps that it has met.
func (b *builder) learn(in *inference, instance int) error {
	of := in.answers[instance].m
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

// keep keeps the answers that would be given again.
func (b *builder) keep(in *inference) {
	b.kept = map[any]*early{}
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
			b.kept[key] = e
		} else {
			b.kept[q] = e
		}
	}
}

// changed reports whether an evaluation would now give another answer: the known one lacks a fault, or has
// numbers of messages that are others now, or a turn in a FIFO that needs no arbiter.
func (m *machine) changed(in *inference, e *early) bool {
	grown := func(q *slot) bool { return in.grew[q] >= e.m.noting.round }
	unarbitrated := func(p *stepPart) bool { return p.turn != nil && m.arbiters[p.turn.of.fifo] == nil }
	return e.m.noting.failed || slices.ContainsFunc(e.m.noting.written, grown) || slices.ContainsFunc(e.m.parts, unarbitrated)
}

// valuesOf returns how many values a variable has. The call counts as looking at its FIFO, if
// it is in one.
func (m *machine) valuesOf(x program.Var) int {
	if n := m.noting; n != nil {
		if q := n.fifos[x]; q != nil {
			n.looked[q] = true
		}
	}
	return m.p.Variables[x].Values
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
		return // the push is wrong, as the last evaluation says
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
