package combining

import (
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/spec/program"
)

// Design of interrupts that travel.
//
// "If an overflow is detected, an interrupt packet is made and sent to a nearby
// processor" (section 5; section 3.2: "the nearest"). The packet has the message
// in it. Every cluster below a switch is equally near, and the leftmost is taken.
// The packet goes down to it over the links, as messages of level 0 do, and
// shares them with all else. The processor has an entry of its own for the block
// and the switch, in memory, so there is always one; it does with the message
// what the unit would have done. Whatever the unit would have sent on goes back
// in an answer up to the switch, which sends it on from there. A reply is handed
// over, too, since it clears the entry, and comes back.
//
// The switch that forgets (Interrupt) looks into its own buffer for each message:
// if the block has an entry there, or there is room for one, the message is for
// the buffer, else for the processor. A mark (Marked) is set with the first
// message handed over, and all messages of the block follow it. Every one of them
// is answered, if with nothing, and an answer says whether the processor still
// keeps an entry. The invariant: the mark counts the messages that have not been
// answered. If none is left and the last answer said that nothing is kept, the
// processor has nothing and none is on its way to it, and the mark goes. A
// request that Deferred keeps and sends later is extra, and not counted: as long
// as it is under way, its entry is kept.
//
// With Owed the processor takes interrupts at any time into a queue in memory,
// which has room for all that can be under way; else only if its link has room
// for the answer, and so links down wait for links up.

// detour is what is under way of an interrupt.
type detour uint8

const (
	direct    detour = iota
	interrupt        // down to the processor
	answer           // back to the switch; the processor keeps no entry
	kept             // back; it keeps one
)

var detourNames = [...]string{"", "interrupt", "answer to", "answer, kept, to"}

// nearest returns the cluster whose processor takes over for a switch.
func (m *Invalidation) nearest(s int) int {
	for !m.tree.IsCluster(s) {
		s = m.tree.Children(s)[0]
	}
	return s
}

// inUnit lists the messages of a block that come to the unit of switch s.
func (m *Invalidation) inUnit(s, b int) []fact {
	all := []fact{about(ack, b)}
	for _, w := range m.Writers {
		if w != m.Homes[b] && slices.Contains(m.tree.Path(w, m.Homes[b]), s) {
			all = append(all, about(request, b).to(w), about(reply, b).to(w))
			if m.Variant == Returned {
				all = append(all, about(returned, b).to(w))
			}
		}
	}
	return all
}

// interrupts lists the interrupts that switch s sends about a block; answers
// what its processor sends back.
func (m *Invalidation) interrupts(s, b int) (all []fact) {
	for _, f := range m.inUnit(s, b) {
		all = append(all, f.detoured(interrupt, m.tree.Height(s)))
	}
	return all
}

func (m *Invalidation) answers(s, b int) (all []fact) {
	inner := m.inUnit(s, b)
	if m.Overflow == Marked {
		inner = append(inner, about(nothing, b))
	}
	for _, f := range inner {
		all = append(all, f.detoured(answer, m.tree.Height(s)))
		if m.Overflow == Marked {
			all = append(all, f.detoured(kept, m.tree.Height(s)))
		}
	}
	return all
}

func (f fact) detoured(by detour, height int) fact {
	f.by, f.distance = by, height
	return f
}

// inside returns what is in an interrupt or an answer.
func (f fact) inside() fact { return f.detoured(direct, -1) }

// detours lists the interrupts and answers about a block that take a link.
func (m *Invalidation) detours(b, from, to int) (all []fact) {
	if !m.travels() {
		return nil
	}
	for s := m.tree.Clusters(); s < m.tree.Nodes(); s++ {
		way := []int{s}
		for n := s; !m.tree.IsCluster(n); {
			n = m.tree.Children(n)[0]
			way = append(way, n)
		}
		if on(way, from, to) {
			all = append(all, m.interrupts(s, b)...)
		}
		if on(way, to, from) {
			all = append(all, m.answers(s, b)...)
		}
	}
	return all
}

// handedOver bounds the messages of a block at a switch that are handed over and
// not yet answered: a request of each writer, a reply to one of them and one that
// home has not yet forgotten, and Acks.
func (o InvalidateOptions) handedOver() int { return len(o.Writers) + 2 + o.FanOut }

// mostInterrupts bounds the queue of a processor: each rule that puts something
// in asks for every place.
const mostInterrupts = 64

// interruptsAtOnce is how many interrupts the queue of a processor has to hold, 0
// if it has none: cluster 0 works for a switch at each level, others for fewer.
func (o InvalidateOptions) interruptsAtOnce(t Tree) int {
	if !o.travels() || !o.complete().Owed {
		return 0
	}
	return t.Depth * len(o.Homes) * o.handedOver()
}

// interruptVariables adds the marks of switches and the queues of processors.
func (m *Invalidation) interruptVariables() {
	counts := []string{"-", "kept"}
	for i := range m.handedOver() {
		counts = append(counts, fmt.Sprintf("%d out", i+1))
	}
	for s := m.tree.Clusters(); s < m.tree.Nodes(); s++ {
		p := m.nearest(s)
		for b := range m.Homes {
			if m.Overflow == Marked {
				m.marks[[2]int{s, b}] = m.variable(m.p.Enum(fmt.Sprintf("mark %d of %d", b, s), counts...), subject{name: "mark", node: s, block: b}, nil)
			}
			if m.Owed {
				l := m.inbox[p]
				if l == nil {
					l = &link{kind: memory, from: p, to: noNeighbour, turns: &arbiter{kind: Any}}
					m.inbox[p] = l
					m.registers = append(m.registers, l)
				}
				l.messages = append(l.messages, m.interrupts(s, b)...)
			}
		}
	}
	for _, l := range m.registers {
		if l.kind == memory {
			heights := 0 // of the switches for which this processor works
			for s := m.tree.Clusters(); s < m.tree.Nodes(); s++ {
				if m.nearest(s) == l.from {
					heights++
				}
			}
			l.FIFO = m.queueOf(l.name(), subject{name: memory, node: l.from, to: noNeighbour, block: -1}, heights*len(m.Homes)*m.handedOver(), l.messages)
		}
	}
}

// memory is the kind of a processor's queue of interrupts.
const memory = "memory"

// stores is where a message of a block may be entered, or matched: see
// waitBuffer.Stores.
func (m *Invalidation) stores(s, b int) []store {
	if !m.travels() {
		return m.buffers[s].Stores(b)
	}
	fits := m.buffers[s].Fits(b)
	if m.Overflow == Marked {
		fits = program.And(program.Eq(m.marks[[2]int{s, b}], 0), fits)
	}
	return []store{{0, fits}, {1, program.Not(fits)}}
}

// interrupt is the way to hand a message over to the processor.
func (m *Invalidation) interrupt(s int, f fact, when program.Expr) way {
	out := m.exit(s, m.tree.Next(s, m.nearest(s)))
	w := way{when, []*link{out}, []program.Stmt{out.Push(out.code(f.detoured(interrupt, m.tree.Height(s))))}}
	if m.Overflow == Marked {
		mark := m.marks[[2]int{s, f.block}]
		w.effect = append(w.effect, program.If(program.Le(mark, 1), program.Set(mark, 2)).Otherwise(program.Set(mark, program.Add(mark, 1))))
	}
	return w
}

// replyOrInterrupt is step 8: the entry that a reply clears is here, or with the
// processor.
func (m *Invalidation) replyOrInterrupt(s int, f fact) []way {
	here := m.buffers[s].Has(f.block, 0)
	if m.Overflow == Marked {
		here = program.Eq(m.marks[[2]int{s, f.block}], 0)
	}
	out := m.exit(s, m.tree.Next(s, f.cluster))
	return []way{
		{here, []*link{out}, append([]program.Stmt{out.Push(out.code(f))}, m.cleared(s, f, 0)...)},
		m.interrupt(s, f, program.Not(here)),
	}
}

// detourAt adds the rules for interrupts and answers that come to a switch.
func (m *Invalidation) detourAt(s int, in *link, f fact) {
	switch {
	case f.by == interrupt:
		m.deliver(s, in, f, m.forward(m.link(s, m.tree.Children(s)[0]), f))
		return
	case m.tree.Height(s) != f.distance:
		m.deliver(s, in, f, m.forward(m.link(s, m.tree.Parent(s)), f))
		return
	}
	inner := f.inside()
	d := delivery{noNeighbour, []way{{when: program.And()}}}
	if inner.what != nothing {
		d = m.forward(m.link(s, m.tree.Next(s, m.target(s, inner))), inner)
	}
	if m.Overflow == Marked && !m.extra(inner) {
		mark := m.marks[[2]int{s, f.block}]
		last := program.Set(mark, 1)
		if f.by == answer {
			last = program.Set(mark, 0)
		}
		d.ways[0].effect = append(d.ways[0].effect, program.If(program.Eq(mark, 2), last).Otherwise(program.Set(mark, program.Sub(mark, 1))))
	}
	m.deliver(s, in, f, d)
}

// extra reports whether an answer is to no interrupt: a request that was kept.
func (m *Invalidation) extra(inner fact) bool { return m.Variant == Deferred && inner.what == request }

// processor adds the rules by which cluster c deals with an interrupt, which it
// takes from its link, or with Owed from its memory.
func (m *Invalidation) processor(c int, down *link, f fact) {
	from := down
	name := fmt.Sprintf("processor %d does %s", c, f)
	if m.Owed {
		from = m.inbox[c]
		m.p.Rule(fmt.Sprintf("processor %d takes %s", c, f), program.And(down.Is(down.code(f)), from.Room()), down.Pop(), from.Push(from.code(f)))
	}
	s, inner := m.tree.Ancestor(c, f.distance), f.inside()
	for _, w := range m.process(s, inner) {
		if w.answer.what == nothing && m.Overflow != Marked {
			m.p.Rule(name, program.And(from.Is(from.code(f)), w.when), append([]program.Stmt{from.Pop()}, w.effect...)...)
			continue
		}
		m.step(step{
			name: name, from: sends("interrupts", c, -1), wants: program.And(from.Is(from.code(f)), w.when), to: []*link{m.link(c, m.tree.Parent(c))},
			effect: append(append([]program.Stmt{from.Pop()}, w.effect...), m.answer(c, s, w.answer)),
		})
	}
}

// processed is one way to deal with an interrupt: what is sent back may be nothing.
type processed struct {
	when   program.Expr
	effect []program.Stmt
	answer fact
}

// process lists the ways in which a processor deals with a message for switch s:
// as combine, with its own entry.
func (m *Invalidation) process(s int, f fact) []processed {
	e := m.entries[[3]int{s, f.block, 1}]
	none := about(nothing, f.block)
	switch f.what {
	case request:
		if m.Variant == Deferred {
			return []processed{{program.And(), []program.Stmt{e.requests.Push(e.code(f))}, none}}
		}
		record, later := e.request, none
		if m.Variant == Literal {
			record = e.one
		}
		if m.Variant == Returned {
			later = about(returned, f.block).to(f.cluster)
		}
		before := program.Eq(record, 1)
		return []processed{{program.Not(before), []program.Stmt{program.Set(record, 1)}, f}, {before, nil, later}}
	case ack:
		count, first := m.acks(s, f.block, 1)
		complete := program.Eq(count, first+m.answering()-2)
		return []processed{
			{complete, []program.Stmt{program.Set(count, 0)}, f},
			{program.Not(complete), []program.Stmt{program.If(program.Lt(count, first), program.Set(count, first)).Otherwise(program.Set(count, program.Add(count, 1)))}, none},
		}
	}
	return []processed{{program.And(), m.cleared(s, f, 1), f}}
}

// answer sends something back to switch s.
func (m *Invalidation) answer(c, s int, f fact) program.Stmt {
	up, height := m.link(c, m.tree.Parent(c)), m.tree.Height(s)
	code := up.code(f.detoured(answer, height))
	if m.Overflow != Marked {
		return up.Push(code)
	}
	keeps := m.buffers[s].Has(f.block, 1)
	return up.Put(program.IfElse(keeps, up.code(f.detoured(kept, height)), code))
}

// sendKept adds the rules by which processor c sends on the requests that it has
// kept for switches, see sendDeferred.
func (m *Invalidation) sendKept(c int) {
	if m.Variant != Deferred || !m.travels() {
		return
	}
	for s := m.tree.Clusters(); s < m.tree.Nodes(); s++ {
		if m.nearest(s) != c {
			continue
		}
		for b := range m.Homes {
			e := m.entries[[3]int{s, b, 1}]
			for _, f := range e.writers {
				m.step(step{
					name:  fmt.Sprintf("processor %d sends %s for %d", c, f, s),
					from:  subject{name: "entry", node: c, to: s, block: b},
					wants: program.And(e.requests.Is(e.code(f)), program.Eq(e.sent, 0)), to: []*link{m.link(c, m.tree.Parent(c))},
					effect: []program.Stmt{program.Set(e.sent, 1), m.answer(c, s, f)},
				})
			}
		}
	}
}
