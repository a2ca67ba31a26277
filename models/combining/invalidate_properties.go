package combining

import (
	"fmt"
	"maps"
	"slices"

	"github.com/seed-105a2da2/unknot/spec/program"
)

// What is to hold of invalidate/Ack, see Invalidation.

func (m *Invalidation) claims() {
	var alone, single, once, kept, awaited []program.Expr
	for b := range m.Homes {
		alone = append(alone, m.noCopyBeside(b)...)
		single = append(single, program.Le(m.sum(m.writing(b)...), 1))
		once = append(once, m.oneAck(b)...)
		awaited = append(awaited, m.ackComes(b))
		for _, w := range m.Writers {
			kept = append(kept, program.Implies(m.is(m.phase[w], about(waits, b)), program.Eq(m.places(b, w), 1)))
		}
	}
	m.p.Invariant("no copy beside a writer", program.And(alone...))
	m.p.Invariant("one writer", program.And(single...))
	m.p.Invariant("one Ack a request", program.And(once...))
	m.p.Invariant("nothing lost", program.And(kept...))
	m.p.Invariant("no Ack lost", program.And(awaited...))
	m.p.Invariant("empty at rest", program.Implies(m.rest(), m.unused()))
	for _, w := range m.Writers {
		var asks, wants []program.Expr
		for b := range m.Homes {
			asks = append(asks, m.is(m.phase[w], about(waits, b)))
			if m.asksAgain(w, m.Homes[b]) {
				wants = append(wants, m.is(m.phase[w], about(again, b)))
			}
		}
		m.p.Response(fmt.Sprintf("the request of %d is answered", w), program.Or(asks...))
		m.p.Response(fmt.Sprintf("cluster %d writes", w), program.Or(append(asks, wants...)...))
	}
}

func (m *Invalidation) sum(conditions ...program.Expr) program.Expr {
	n := program.Const(0)
	for _, c := range conditions {
		n = program.Add(n, program.IfElse(c, 1, 0))
	}
	return n
}

// writing lists the conditions that a writer has been told to write b.
func (m *Invalidation) writing(b int) (all []program.Expr) {
	for _, w := range m.Writers {
		all = append(all, m.is(m.phase[w], about(writes, b)))
	}
	return all
}

// noCopyBeside says that nobody else has a copy, or gets one, when a writer has
// been told.
func (m *Invalidation) noCopyBeside(b int) (all []program.Expr) {
	for _, w := range m.Writers {
		var none []program.Expr
		for c := range m.tree.Clusters() {
			if c != w {
				none = append(none, m.is(m.copies[c][b], about(nothing, b)))
			}
		}
		all = append(all, program.Implies(m.is(m.phase[w], about(writes, b)), program.And(none...)))
	}
	return all
}

// oneAck says that Acks and invalidates are about only while home collects; and
// that a reply, a told writer or a Done is there, once, exactly while the block
// is owned.
func (m *Invalidation) oneAck(b int) []program.Expr {
	var asked, collecting, owns []program.Expr
	replies := m.sum(m.writing(b)...)
	for _, l := range m.ports() {
		for i, f := range l.messages {
			switch {
			case f.block != b:
			case f.what == ack || f.what == invalidate:
				asked = append(asked, l.Holds(i+1))
			case f.what == reply || f.what == done:
				replies = program.Add(replies, l.Count(i+1))
			}
		}
	}
	asked = append(asked, m.owing(b)...)
	for _, e := range m.entriesOf(b) {
		if m.Variant == Literal {
			asked = append(asked, program.Le(2, e.one))
		} else {
			asked = append(asked, program.Ne(e.acks, 0))
		}
	}
	for _, w := range m.Writers {
		collecting = append(collecting, m.is(m.home[b], about(collects, b).to(w)))
		owns = append(owns, m.is(m.home[b], about(owned, b).to(w)))
	}
	all := []program.Expr{program.Implies(program.Or(asked...), program.Or(collecting...))}
	if m.Reopened {
		return all
	}
	return append(all, program.Eq(replies, program.IfElse(program.Or(owns...), 1, 0)))
}

// owing lists the conditions that a cluster owes an Ack of b.
func (m *Invalidation) owing(b int) (all []program.Expr) {
	for c := range m.owed {
		if m.Owed {
			all = append(all, m.is(m.owed[c][b], about(owes, b)))
		}
	}
	return all
}

// ackComes says that as long as home collects, a message is about that will bring
// it the Ack, or owed: entries alone never do.
func (m *Invalidation) ackComes(b int) program.Expr {
	asked, collecting := m.owing(b), []program.Expr(nil)
	for _, l := range m.ports() {
		for i, f := range l.messages {
			if f.block == b && (f.what == ack || f.what == invalidate) {
				asked = append(asked, l.Holds(i+1))
			}
		}
	}
	for _, w := range m.Writers {
		collecting = append(collecting, m.is(m.home[b], about(collects, b).to(w)))
	}
	return program.Implies(program.Or(collecting...), program.Or(asked...))
}

// entriesOf returns the entries of a block at all switches, in their order.
func (m *Invalidation) entriesOf(b int) (all []*entry) {
	for _, key := range slices.SortedFunc(maps.Keys(m.entries), func(a, b [3]int) int { return slices.Compare(a[:], b[:]) }) {
		if key[1] == b {
			all = append(all, m.entries[key])
		}
	}
	return all
}

// places is in how many places the request of a writer for a block is, or what
// has become of it.
func (m *Invalidation) places(b, w int) program.Expr {
	n := m.queue[b].Count(m.queued(b, w))
	n = program.Add(n, m.sum(m.is(m.home[b], about(collects, b).to(w)), m.is(m.home[b], about(answers, b).to(w))))
	for _, l := range m.ports() {
		for i, f := range l.messages {
			if f.block == b && f.cluster == w && (f.what == request || f.what == reply || f.what == returned) {
				n = program.Add(n, l.Count(i+1))
			}
		}
	}
	for _, e := range m.entriesOf(b) {
		if code := e.code(about(request, b).to(w)); code > 0 {
			// Of those in an entry's queue the first, if it has been sent on, is elsewhere, too.
			n = program.Add(n, program.Sub(e.requests.Count(code),
				m.sum(program.And(program.Eq(e.sent, 1), e.requests.Is(code)))))
		}
	}
	return n
}

// rest holds if no message is under way and nothing is to be done.
func (m *Invalidation) rest() program.Expr {
	var all []program.Expr
	for _, l := range m.ports() {
		all = append(all, l.Empty())
	}
	for b := range m.Homes {
		var idle []program.Expr
		for d := range m.tree.Depth + 1 {
			idle = append(idle, m.is(m.home[b], about(shared, b).within(d)))
		}
		all = append(all, program.Or(idle...), m.queue[b].Empty(), program.Not(program.Or(m.owing(b)...)))
		for _, w := range m.Writers {
			if m.asksAgain(w, m.Homes[b]) {
				all = append(all, program.Not(m.is(m.phase[w], about(again, b))))
			}
		}
		for _, e := range m.entriesOf(b) {
			if len(e.requests) > 0 {
				all = append(all, program.Or(e.requests.Empty(), program.Eq(e.sent, 1)))
			}
		}
	}
	return program.And(all...)
}

// unused holds if no wait buffer has an entry.
func (m *Invalidation) unused() program.Expr {
	var all []program.Expr
	for s := m.tree.Clusters(); s < m.tree.Nodes(); s++ {
		all = append(all, m.buffers[s].Idle())
		for b := range m.Homes {
			if mark, marked := m.marks[[2]int{s, b}]; marked {
				all = append(all, program.Eq(mark, 0))
			}
		}
	}
	return program.And(all...)
}
