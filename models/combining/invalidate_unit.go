package combining

import (
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/spec/program"
)

// What combining units do: steps 2, 4, 6 and 8 as far as wait buffers are
// concerned.

// combine lists the ways in which the unit of switch s deals with a message.
func (m *Invalidation) combine(s int, f fact) []way {
	switch {
	case f.what == request:
		return m.requestAt(s, f)
	case f.what == ack:
		return m.ackAt(s, f)
	case m.travels():
		return m.replyOrInterrupt(s, f)
	}
	// Step 8.
	out := m.exit(s, m.tree.Next(s, f.cluster))
	return []way{{program.And(), []*link{out}, append([]program.Stmt{out.Push(out.code(f))}, m.replied(s, f)...)}}
}

// exit returns where the unit of switch s puts what goes to a neighbour.
func (m *Invalidation) exit(s, to int) *link {
	switch m.Unit {
	case OnePlace:
		return m.registerAt[placeOf{unitOut, s, noNeighbour}]
	case PlaceEach:
		return m.registerAt[placeOf{unitOut, s, to}]
	}
	return m.link(s, to)
}

// unitIn returns the register in front of the unit for what comes from a
// neighbour.
func (m *Invalidation) unitIn(s, from int) *link {
	if m.Unit == OnePlace {
		from = noNeighbour
	}
	return m.registerAt[placeOf{unitIn, s, from}]
}

// placeOf names a register of a combining unit: in front or behind, the switch,
// and the neighbour, if there is a register for each.
type placeOf struct {
	kind          string
	node, through int
}

const (
	aLink   = "link"
	unitIn  = "unit"
	unitOut = "unit's answer"
)

// unitAt adds the rules of the unit of switch s, if that is apart.
func (m *Invalidation) unitAt(s int) {
	if m.Unit == Merged {
		return
	}
	for _, place := range m.registers {
		if place.from != s {
			continue
		}
		if place.kind == unitOut {
			for _, f := range place.messages {
				out := m.link(s, m.tree.Next(s, m.target(s, f)))
				m.step(step{
					name: fmt.Sprintf("%s: %s from its unit", m.tree.Name(s), f), from: subject{name: place.kind, node: s, to: place.to, block: -1},
					wants: place.Is(place.code(f)), to: []*link{out}, effect: []program.Stmt{place.Pop(), out.Push(out.code(f))},
				})
			}
			continue
		}
		for _, f := range place.messages {
			for _, w := range m.combine(s, f) {
				m.step(step{
					name: fmt.Sprintf("unit of %s: %s", m.tree.Name(s), f), from: subject{name: place.kind, node: s, to: place.to, block: -1},
					wants: program.And(place.Is(place.code(f)), w.when), to: w.to, effect: append([]program.Stmt{place.Pop()}, w.effect...),
				})
			}
		}
		m.sendDeferred(s, place.messages)
	}
}

// target returns the cluster that a message of the unit of switch s is for.
func (m *Invalidation) target(s int, f fact) int {
	switch {
	case f.by != direct:
		return m.nearest(s)
	case f.what == reply || f.what == returned:
		return f.cluster
	}
	return m.Homes[f.block]
}

// registersOf adds the registers of the unit of switch s.
func (m *Invalidation) registersOf(s int) {
	var into, out []fact
	for _, from := range m.tree.Neighbours(s) {
		var here []fact
		for _, f := range m.link(from, s).messages {
			switch {
			case f.forUnit():
				here = append(here, f)
			case f.what == invalidate && m.tree.Height(s) == f.distance:
				here = append(here, about(ack, f.block)) // the dummy
			}
		}
		here = distinct(here)
		if m.Unit == PlaceEach {
			m.register(unitIn, s, from, here)
		}
		into = append(into, here...)
	}
	into = distinct(into)
	for _, f := range into {
		out = append(out, f)
		if f.what == request && m.Variant == Returned {
			out = append(out, about(returned, f.block).to(f.cluster))
		}
	}
	if m.travels() {
		for b := range m.Homes {
			out = append(out, m.interrupts(s, b)...)
		}
	}
	out = distinct(out)
	if m.Unit == OnePlace {
		m.register(unitIn, s, noNeighbour, into)
		m.register(unitOut, s, noNeighbour, out)
		return
	}
	for _, to := range m.tree.Neighbours(s) {
		m.register(unitOut, s, to, slices.DeleteFunc(slices.Clone(out), func(f fact) bool { return m.tree.Next(s, m.target(s, f)) != to }))
	}
}

// register adds a register, which nothing may ever come to.
func (m *Invalidation) register(kind string, s, through int, messages []fact) {
	if len(messages) == 0 {
		return
	}
	l := &link{kind: kind, from: s, to: through, messages: messages, turns: &arbiter{kind: m.Arbiter}}
	l.FIFO = m.queueOf(l.name(), subject{name: kind, node: s, to: through, block: -1}, 1, messages)
	m.registerAt[placeOf{kind, s, through}] = l
	m.registers = append(m.registers, l)
}

func distinct(all []fact) (once []fact) {
	for _, f := range all {
		if !slices.Contains(once, f) {
			once = append(once, f)
		}
	}
	return once
}

// requestAt is step 2.
func (m *Invalidation) requestAt(s int, f fact) (all []way) {
	out := m.exit(s, m.tree.Next(s, m.Homes[f.block]))
	for _, st := range m.stores(s, f.block) {
		if m.travels() && st.place == 1 {
			all = append(all, m.interrupt(s, f, st.when))
			continue
		}
		e := m.entries[[3]int{s, f.block, st.place}]
		if m.Variant == Deferred {
			// sendDeferred sends it on.
			all = append(all, way{st.when, nil, []program.Stmt{e.requests.Push(e.code(f))}})
			continue
		}
		record, value := e.request, 1
		if m.Variant == Literal {
			record = e.one
		}
		before := program.Eq(record, value)
		all = append(all, way{
			program.And(st.when, program.Not(before)), []*link{out},
			[]program.Stmt{program.Set(record, value), out.Push(out.code(f))},
		})
		if m.Variant == Returned {
			back := m.exit(s, m.tree.Next(s, f.cluster))
			all = append(all, way{
				program.And(st.when, before), []*link{back},
				[]program.Stmt{back.Push(back.code(about(returned, f.block).to(f.cluster)))},
			})
			continue
		}
		all = append(all, way{program.And(st.when, before), nil, nil})
	}
	return all
}

// code returns the number of a request in the entry's queue.
func (e *entry) code(f fact) int { return slices.Index(e.writers, f) + 1 }

// sendDeferred sends a request from the queue of an entry on, if it is the first
// there and among the given messages.
func (m *Invalidation) sendDeferred(s int, messages []fact) {
	if m.Variant != Deferred {
		return
	}
	for _, f := range messages {
		if f.what != request || f.by != direct {
			continue
		}
		out := m.exit(s, m.tree.Next(s, m.Homes[f.block]))
		for place := range m.buffers[s].places() {
			if m.travels() && place == 1 {
				continue // the processor does
			}
			e := m.entries[[3]int{s, f.block, place}]
			m.step(step{
				name:  fmt.Sprintf("%s sends %s", m.tree.Name(s), f),
				from:  subject{name: "entry", node: s, to: noNeighbour, block: f.block, place: place},
				wants: program.And(e.requests.Is(e.code(f)), program.Eq(e.sent, 0)), to: []*link{out},
				effect: []program.Stmt{program.Set(e.sent, 1), out.Push(out.code(f))},
			})
		}
	}
}

// dummy is the Ack that stands for home at the top of a sharing area (step 4). If
// it is entered together with sending the invalidates, it is the first.
func (m *Invalidation) dummy(s int, in *link, f fact) delivery {
	if m.Unit != Merged || m.Copies {
		return m.toUnit(s, in, about(ack, f.block))
	}
	d := delivery{to: noNeighbour}
	for _, st := range m.buffers[s].Stores(f.block) {
		count, first := m.acks(s, f.block, st.place)
		d.ways = append(d.ways, way{st.when, nil, []program.Stmt{program.Set(count, first)}})
	}
	return d
}

// acks returns the variable that counts the Acks of an entry, and its value with
// one Ack.
func (m *Invalidation) acks(s, block, place int) (count program.Var, first int) {
	e := m.entries[[3]int{s, block, place}]
	if m.Variant == Literal {
		return e.one, 2
	}
	return e.acks, 1
}

// ackAt is step 6.
func (m *Invalidation) ackAt(s int, f fact) (all []way) {
	out := m.exit(s, m.tree.Next(s, m.Homes[f.block]))
	for _, st := range m.stores(s, f.block) {
		if m.travels() && st.place == 1 {
			all = append(all, m.interrupt(s, f, st.when))
			continue
		}
		count, first := m.acks(s, f.block, st.place)
		complete := program.Eq(count, first+m.answering()-2)
		all = append(all,
			way{program.And(st.when, complete), []*link{out}, []program.Stmt{program.Set(count, 0), out.Push(out.code(f))}},
			way{program.And(st.when, program.Not(complete)), nil, []program.Stmt{
				program.If(program.Lt(count, first), program.Set(count, first)).Otherwise(program.Set(count, program.Add(count, 1))),
			}})
	}
	return all
}

// replied clears what the entries of a switch keep of the request that comes
// back: all of an entry of Literal, the request part of the others.
func (m *Invalidation) replied(s int, f fact) (all []program.Stmt) {
	for place := range m.buffers[s].places() {
		all = append(all, m.cleared(s, f, place)...)
	}
	return all
}

// cleared clears what the entry at a place keeps of the request that comes back.
func (m *Invalidation) cleared(s int, f fact, place int) []program.Stmt {
	e := m.entries[[3]int{s, f.block, place}]
	switch m.Variant {
	case Literal:
		return []program.Stmt{program.Set(e.one, 0)}
	case Deferred:
		first := e.code(about(request, f.block).to(f.cluster))
		return []program.Stmt{program.If(program.And(program.Eq(e.sent, 1), e.requests.Is(first)), e.requests.Pop(), program.Set(e.sent, 0))}
	}
	return []program.Stmt{program.Set(e.request, 0)}
}
