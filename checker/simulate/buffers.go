package simulate

import "fmt"

// Messages reach the front of a buffer one after the other, are routed, and wait there for a VC.

// meet puts the head of a message into the buffer of a channel, and routes it if it is at the front.
func (e *engine) meet(r *region, a *arrival) {
	v := int32(a.to)
	l, f := &e.lanes[v], &e.fronts[v]
	if int(e.now)-e.transit >= e.o.Warmup { // it was sent then
		f.given++
	}
	row := e.routes.row(a.table, v, l.in, a.tag)
	if f.message == none && f.behind == none && !e.whole {
		f.message, f.table, f.row, f.tag, l.rest = a.message, a.table, row, a.tag, int16(a.length)
		put(e, r.routed, e.o.Delays.Route, v)
		return
	}
	m := &e.messages[a.message]
	m.row, m.tag = row, a.tag
	e.follow(f, a.message)
	e.advance(v, 0)
}

// follow puts a message behind those in a lane.
func (e *engine) follow(f *front, message int32) {
	if f.behind == none {
		e.messages[message].next = message
	} else {
		last := &e.messages[f.behind]
		e.messages[message].next, last.next = last.next, message
	}
	f.behind = message
}

// advance moves a lane on to the next message, if that has come, after a delay.
func (e *engine) advance(v int32, after int) {
	f := &e.fronts[v]
	if f.message != none || f.behind == none {
		return
	}
	last := &e.messages[f.behind]
	first := last.next
	m := &e.messages[first]
	if e.whole && e.lanes[v].count < m.length {
		return
	}
	if last.next = m.next; m == last {
		f.behind = none
	}
	e.begin(v, first, after)
}

// begin starts to route the head of a message, after a delay.
func (e *engine) begin(v, message int32, after int) {
	l, f, m := &e.lanes[v], &e.fronts[v], &e.messages[message]
	f.message, f.table, f.row, f.tag, l.rest = message, m.table, m.row, m.tag, int16(m.length)
	if v >= e.channels {
		l.count = m.length
	}
	put(e, e.regionOf(f.node).routed, e.o.Delays.Route+after, v)
}

// wait adds a routed head to those that wait at its node.
func (e *engine) wait(v int32) {
	f := &e.fronts[v]
	if len(e.routes.permitted(f.row)) == 0 {
		e.fail(f.node, fmt.Errorf("%s does not deliver everything: a packet for %s is at a dead end; see unknot check --property delivery", e.n.Name(), e.topo.Node(e.n.Stored(int(f.table)).Dest).Name))
		return
	}
	at := f.node
	n := &e.nodes[at]
	e.heads[n.first+n.waiting] = v
	n.waiting++
	e.lanes[v].flags |= waiting
	f.since = e.now
	e.wake(at)
}
