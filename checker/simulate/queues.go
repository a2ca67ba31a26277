package simulate

import (
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
)

// generate makes the packets of the clocks up to and including last.
func (e *engine) generate(last int32) {
	s := e.source
	for len(s.due) > 0 && s.due[0]>>31 <= int64(last) {
		clock, v := s.due[0]>>31, int32(s.due[0]&(1<<31-1))
		n := &e.queues[v]
		if e.o.Window > 0 && int(n.outstanding) >= e.o.Window {
			n.held = true
			s.due.drop()
			continue
		}
		f := s.to.draw(v)
		e.start(v, f, int32(clock), s.length())
		s.due.replace(s.drawNext(clock, v))
	}
	for len(s.events) > 0 && s.events[0].Clock <= int(last) {
		x := s.events[0]
		s.events = s.events[1:]
		f := s.to.flows.flowsTo(e.n, x.Source, x.Dest).from
		e.start(int32(x.Source), f, int32(x.Clock), int32(x.Flits))
	}
}

// start makes a node generate a packet of a flow.
func (e *engine) start(v, f, clock, flits int32) {
	of := e.source.to.flows
	m := packet{created: clock, length: flits}
	m.table, m.row, m.tag = of.start(v, f)
	if of.alternatives != nil {
		rows := of.alternatives[f]
		k := e.committed(e.serial, spec.NodeID(v), m.table, v, clock, len(rows))
		m.row, m.tag = rows[k], m.tag+spec.Tag(k)
	}
	e.create(v, m)
}

// create makes a node generate a packet.
func (e *engine) create(v int32, m packet) {
	r := e.regionOf(v)
	m.serial, m.source, m.next = e.serial, spec.NodeID(v), none
	e.serial++
	r.coming = append(r.coming, m)
}

// emit puts the packets of this clock into the queues of their nodes.
func (e *engine) emit(r *region) {
	n := 0
	for ; n < len(r.coming) && r.coming[n].created == e.now; n++ {
		e.enqueue(&r.coming[n])
	}
	r.coming = r.coming[:copy(r.coming, r.coming[n:])]
}

// enqueue puts a packet into the queue of its node, unless that is full.
func (e *engine) enqueue(m *packet) {
	v := int32(m.source)
	n := &e.queues[v]
	e.m.generate(m.source, int(m.length))
	if e.o.Queue > 0 && int(n.queued) >= e.o.Queue && !m.reply {
		e.m.refuse()
		e.source.missed++
		return
	}
	if !m.reply {
		n.outstanding++
	}
	at := e.free
	if at == none {
		at = int32(len(e.packets))
		e.packets = append(e.packets, packet{})
	} else {
		e.free = e.packets[at].next
	}
	e.packets[at] = *m
	e.alive++
	if n.queued++; n.tail == none {
		n.head = at
	} else {
		e.packets[n.tail].next = at
	}
	n.tail = at
	for i := range int32(e.o.Injectors) {
		if v := e.channels + v*int32(e.o.Injectors) + i; e.fronts[v].packet == none {
			e.load(v, e.o.Delays.Source)
			break
		}
	}
	e.m.longest = max(e.m.longest, int(n.queued))
}

// sendNext makes a lane of a node send the next packet of the queue, from the next clock on.
func (e *engine) sendNext(lane int32) {
	if e.queues[e.nodeOf(lane)].head != none {
		e.load(lane, 1)
	}
}

// nodeOf returns the node that a source lane belongs to.
func (e *engine) nodeOf(lane int32) int32 { return (lane - e.channels) / int32(e.o.Injectors) }

func (e *engine) load(lane int32, after int) {
	n := &e.queues[e.nodeOf(lane)]
	at := n.head
	n.head = e.packets[at].next
	if n.queued--; n.head == none {
		n.tail = none
	}
	e.begin(lane, at, after)
}

// answer informs the sources of what was delivered in this clock, by node: each takes one packet a clock.
func (e *engine) answer() {
	if e.random == nil {
		slices.SortFunc(e.delivered, func(a, b packet) int {
			return int(e.n.Stored(int(a.table)).Dest - e.n.Stored(int(b.table)).Dest)
		})
	}
	for i := range e.delivered {
		e.replyTo(&e.delivered[i])
	}
	e.delivered = e.delivered[:0]
}

// replyTo answers a request, and lets a source go on that waited for the answer.
func (e *engine) replyTo(m *packet) {
	dest := e.n.Stored(int(m.table)).Dest
	if !m.reply && dest != m.source { // a transaction of the network, which ends where it began, is its own reply
		if table, found := e.n.Find(spec.Target{Dest: m.source, Class: e.o.Replies}); found {
			if sources := e.sourcesOf(table, dest); len(sources) > 0 {
				k := int(e.now) % len(sources) // the data choose
				e.create(int32(dest), packet{
					created: e.now, table: int32(table), row: e.routes.number[sources[k].Row],
					tag: spec.Tag(k), length: e.source.length(), reply: true,
				})
				return
			}
		}
		e.fail(0, fmt.Errorf("%s has no flow for the reply from %s to %s",
			e.n.Name(), e.topo.Node(dest).Name, e.topo.Node(m.source).Name))
		return
	}
	v := int32(dest)
	n := &e.queues[v]
	n.outstanding--
	if n.held {
		n.held = false
		e.source.due.add(int64(e.now)<<31 | int64(v))
	}
}

// sourcesOf returns the sources of a node in a table.
func (e *engine) sourcesOf(table int, v spec.NodeID) []spec.Source {
	if e.routes.search != nil {
		return e.routes.search.sourcesOf(int32(table), v)
	}
	return e.n.Stored(table).SourcesOf(v)
}

// finished reports whether all packets of a trace have arrived.
func (e *engine) finished() bool { return e.source.traced && len(e.source.events) == 0 && e.alive == 0 }
