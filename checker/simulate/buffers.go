package simulate

import (
	"fmt"

	"github.com/seed-105a2da2/unknot/spec"
)

// What is on its way arrives: flits at their buffers or destinations, credits at their senders. Packets reach the
// front of a buffer one after the other, are routed, and wait there for a VC.

// meet puts the head of a packet into the buffer of a channel, and routes it if it is at the front.
func (e *engine) meet(r *region, a *arrival) {
	v := int32(a.to)
	l, f := &e.lanes[v], &e.fronts[v]
	if int(e.now)-e.transit >= e.o.Warmup { // it was sent then
		f.given++
	}
	row := e.routes.row(a.table, v, l.in, a.tag)
	if f.packet == none && f.behind == none && !e.whole {
		f.packet, f.table, f.row, f.tag, l.rest = a.packet, a.table, row, a.tag, int16(a.length)
		put(e, r.routed, e.o.Delays.Route, v)
		return
	}
	m := &e.packets[a.packet]
	m.row, m.tag = row, a.tag
	e.follow(f, a.packet)
	e.advance(v, 0)
}

// follow puts a packet behind those in a lane.
func (e *engine) follow(f *front, packet int32) {
	if f.behind == none {
		e.packets[packet].next = packet
	} else {
		last := &e.packets[f.behind]
		e.packets[packet].next, last.next = last.next, packet
	}
	f.behind = packet
}

// advance moves a lane on to the next packet, if that has come, after a delay.
func (e *engine) advance(v int32, after int) {
	f := &e.fronts[v]
	if f.packet != none || f.behind == none {
		return
	}
	last := &e.packets[f.behind]
	first := last.next
	m := &e.packets[first]
	if e.whole && e.lanes[v].count < m.length {
		return
	}
	if last.next = m.next; m == last {
		f.behind = none
	}
	e.begin(v, first, after)
}

// begin starts to route the head of a packet, after a delay.
func (e *engine) begin(v, packet int32, after int) {
	l, f, m := &e.lanes[v], &e.fronts[v], &e.packets[packet]
	f.packet, f.table, f.row, f.tag, l.rest = packet, m.table, m.row, m.tag, int16(m.length)
	if v >= e.channels {
		l.count = m.length
	}
	put(e, e.regionOf(f.node).routed, e.o.Delays.Route+after, v)
}

// wait adds a routed head to those that wait at its node.
func (e *engine) wait(v int32) {
	f := &e.fronts[v]
	if len(e.routes.permitted(f.row)) == 0 {
		e.fail(f.node, fmt.Errorf("%s does not deliver everything: a packet for %s is at a dead end; see unknot "+
			"check --property delivery", e.n.Name(), e.topo.Node(e.n.Stored(int(f.table)).Dest).Name))
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

// leave takes flits out of the network that arrive at the nodes of a region now.
func (e *engine) leave(r *region) {
	gone := &r.leaving[int(e.now)&(len(r.leaving)-1)]
	e.m.flits(int64(*gone))
	*gone = 0
	leavers := slot(e, r.leavers, 0)
	for _, packet := range *leavers {
		e.deliver(packet)
	}
	*leavers = (*leavers)[:0]
}

// deliver ends a packet.
func (e *engine) deliver(at int32) {
	m := &e.packets[at]
	if e.alive--; m.discarded {
		e.lost++
		e.m.discard(m)
	} else {
		e.m.deliver(m, e.now)
	}
	if e.o.Window > 0 {
		e.delivered = append(e.delivered, *m)
	}
	m.next, e.free = e.free, at
}

// enter delivers credits and flits to the routers of a region.
func (e *engine) enter(r *region) {
	returned := slot(e, r.returning, 0)
	if e.ahead {
		e.touchLanes(*returned)
	}
	lanes := e.lanes
	for _, c := range *returned {
		l := &lanes[c]
		if l.credits++; l.credits <= e.room || l.credits == e.needed {
			e.credit(r, c, l)
		}
	}
	*returned = (*returned)[:0]
	arrived, followed := slot(e, r.arriving, 0), slot(e, r.following, 0)
	if e.ahead || e.far {
		e.touchArrivals(*arrived)
	}
	if e.ahead {
		e.touchLanes(*followed)
	}
	for i := range *arrived {
		e.arrive(r, &(*arrived)[i])
	}
	*arrived = (*arrived)[:0]
	for _, v := range *followed {
		l := &lanes[v]
		if l.count++; l.is(idle) {
			e.list(r, v)
		}
	}
	*followed = (*followed)[:0]
}

// credit lets the sender of a channel use a credit that it lacked.
func (e *engine) credit(r *region, c int32, l *lane) {
	switch {
	case l.owner == none:
		if sender := e.ends[l.in].sender; l.credits == e.needed { // and was not free before
			e.turned(c, sender, false)
		} else if l.credits > e.needed { // it was, but not for a hop that needs more room
			e.wake(sender)
		}
	case l.credits == 1:
		e.list(r, l.owner)
	}
}

// arrive puts a flit into its buffer.
func (e *engine) arrive(r *region, a *arrival) {
	v := int32(a.to)
	l := &e.lanes[v]
	l.count++
	switch {
	case a.packet != none:
		e.meet(r, a)
	case e.whole:
		e.advance(v, 0)
	}
	if l.is(idle) {
		e.list(r, v)
	}
}

// list adds a lane to the competing ones if its front flit may move. Once it may, only the
// lane's own moves change that.
func (e *engine) list(r *region, v int32) {
	l := &e.lanes[v]
	if !l.is(idle) || !e.moves(l) {
		return
	}
	l.flags &^= idle
	r.compete = append(r.compete, e.bidder(v))
}

// moves reports whether the front flit of a lane may move.
func (e *engine) moves(l *lane) bool {
	return l.count > 0 && l.out != none && (l.out == spec.Eject || e.inPackets || e.lanes[l.out].credits > 0)
}

// bidder returns the bid of a lane, once it has a VC.
func (e *engine) bidder(v int32) bidder {
	l := &e.lanes[v]
	return bidder{v, l.in, l.outPort}
}
