package combining

import (
	"fmt"

	"github.com/seed-105a2da2/unknot/spec/program"
)

// What switches do: steps 2, 4, 6 and 8.

// switchAt adds the rules of switch s: one for every message that can come to
// it, or some where the wait buffer decides.
func (m *Invalidation) switchAt(s int) {
	for _, from := range m.tree.Neighbours(s) {
		in := m.link(from, s)
		for _, f := range in.messages {
			switch f.what {
			case request:
				m.requestAt(s, in, f)
			case invalidate:
				m.invalidateAt(s, in, f)
			case ack:
				m.ackAt(s, in, f)
			case reply, returned:
				// Step 8.
				m.forward(s, in, f, f.cluster, m.replied(s, f)...)
			case done:
				m.forward(s, in, f, m.Homes[f.block])
			case data:
				m.forward(s, in, f, f.cluster)
			}
		}
		m.sendDeferred(s, in)
	}
}

// name is what a rule of a switch is called. All rules for one message are one
// action: which of them applies is for the wait buffer to say.
func (m *Invalidation) name(s int, in *link, f fact) string {
	return fmt.Sprintf("%s: %s from %d", m.tree.Name(s), f, in.from)
}

// forward adds the rule that sends a message on towards a cluster.
func (m *Invalidation) forward(s int, in *link, f fact, to int, effect ...program.Stmt) {
	out := m.link(s, m.tree.Next(s, to))
	m.p.Rule(m.name(s, in, f), program.And(in.Is(in.code(f)), out.Room()),
		append(append(in.Pop(), out.Push(out.code(f))), effect...)...)
}

// requestAt is step 2.
func (m *Invalidation) requestAt(s int, in *link, f fact) {
	out := m.link(s, m.tree.Next(s, m.Homes[f.block]))
	for _, st := range m.buffers[s].Stores(f.block) {
		e := m.entries[[3]int{s, f.block, st.place}]
		guard := program.And(in.Is(in.code(f)), st.when)
		if m.Variant == Deferred {
			// sendDeferred sends it on.
			m.p.Rule(m.name(s, in, f), guard, append(in.Pop(), push(e.requests, e.code(f)))...)
			continue
		}
		record, value := e.request, 1
		if m.Variant == Literal {
			record = e.one
		}
		before := program.Eq(record, value)
		m.p.Rule(m.name(s, in, f), program.And(guard, program.Not(before), out.Room()),
			append(in.Pop(), program.Set(record, value), out.Push(out.code(f)))...)
		if m.Variant == Returned {
			back := m.link(s, in.from)
			m.p.Rule(m.name(s, in, f), program.And(guard, before, back.Room()),
				append(in.Pop(), back.Push(back.code(fact{returned, f.block, f.cluster, -1})))...)
			continue
		}
		m.p.Rule(m.name(s, in, f), program.And(guard, before), in.Pop()...)
	}
}

// code returns the number of a request in the entry's queue.
func (e *entry) code(f fact) int {
	for i, w := range e.writers {
		if w == f {
			return i + 1
		}
	}
	return 0
}

// sendDeferred sends a request from the queue of an entry on, if it is the first
// there and came by the given link.
func (m *Invalidation) sendDeferred(s int, in *link) {
	if m.Variant != Deferred {
		return
	}
	for _, f := range in.messages {
		if f.what != request {
			continue
		}
		out := m.link(s, m.tree.Next(s, m.Homes[f.block]))
		for place := range m.buffers[s].places() {
			e := m.entries[[3]int{s, f.block, place}]
			m.p.Rule(fmt.Sprintf("%s sends %s", m.tree.Name(s), f),
				program.And(e.requests.Is(e.code(f)), program.Eq(e.sent, 0), out.Room()),
				program.Set(e.sent, 1), out.Push(out.code(f)))
		}
	}
}

// invalidateAt is step 4. A distance comes with what is on its way up from home.
func (m *Invalidation) invalidateAt(s int, in *link, f fact) {
	below := fact{invalidate, f.block, f.cluster, -1}
	guard, effect := []program.Expr{in.Is(in.code(f))}, in.Pop()
	for _, to := range m.tree.Neighbours(s) {
		if to == in.from {
			continue
		}
		g := below
		if to == m.tree.Parent(s) {
			if m.tree.Height(s) == f.distance {
				continue // the root of the sharing area
			}
			g = f
		}
		out := m.link(s, to)
		guard, effect = append(guard, out.Room()), append(effect, out.Push(out.code(g)))
	}
	if m.tree.Height(s) != f.distance {
		m.p.Rule(m.name(s, in, f), program.And(guard...), effect...)
		return
	}
	for _, st := range m.buffers[s].Stores(f.block) {
		count, first := m.acks(s, f.block, st.place)
		dummy := []program.Stmt{program.Set(count, first)}
		if m.Variant != Literal {
			// An entry without Acks, or none.
			dummy = []program.Stmt{program.Set(count, 1)}
		}
		m.p.Rule(m.name(s, in, f), program.And(append(guard[:len(guard):len(guard)], st.when)...),
			append(effect[:len(effect):len(effect)], dummy...)...)
	}
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
func (m *Invalidation) ackAt(s int, in *link, f fact) {
	out := m.link(s, m.tree.Next(s, m.Homes[f.block]))
	for _, st := range m.buffers[s].Stores(f.block) {
		count, first := m.acks(s, f.block, st.place)
		last := first + m.answering() - 2
		guard := program.And(in.Is(in.code(f)), st.when)
		complete := program.Eq(count, last)
		m.p.Rule(m.name(s, in, f), program.And(guard, complete, out.Room()),
			append(in.Pop(), program.Set(count, 0), out.Push(out.code(f)))...)
		m.p.Rule(m.name(s, in, f), program.And(guard, program.Not(complete)),
			append(in.Pop(), program.If(program.Lt(count, first), program.Set(count, first)).
				Otherwise(program.Set(count, program.Add(count, 1))))...)
	}
}

// replied clears what the entries of a switch keep of the request that comes
// back: all of an entry of Literal, the request part of the others.
func (m *Invalidation) replied(s int, f fact) (all []program.Stmt) {
	for place := range m.buffers[s].places() {
		e := m.entries[[3]int{s, f.block, place}]
		switch m.Variant {
		case Literal:
			all = append(all, program.Set(e.one, 0))
		case Deferred:
			first := e.code(about(request, f.block).to(f.cluster))
			all = append(all, program.If(program.And(program.Eq(e.sent, 1), e.requests.Is(first)),
				append(e.requests.Pop(), program.Set(e.sent, 0))...))
		default:
			all = append(all, program.Set(e.request, 0))
		}
	}
	return all
}
