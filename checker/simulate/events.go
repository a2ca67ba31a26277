package simulate

import (
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
)

// What is on its way arrives: flits at their buffers or destinations, credits at their senders.

// leave takes flits out of the network that arrive at the nodes of a region now.
func (e *engine) leave(r *region) {
	gone := &r.leaving[int(e.now)&(len(r.leaving)-1)]
	e.m.flits(int64(*gone))
	*gone = 0
	leavers := slot(e, r.leavers, 0)
	for _, message := range *leavers {
		e.deliver(message)
	}
	*leavers = (*leavers)[:0]
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
		if l.credits++; l.credits == 1 || l.credits == e.needed {
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
		if l.credits == e.needed { // and was not free before
			e.turned(c, e.ends[l.in].sender, false)
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
	case a.message != none:
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
	return l.count > 0 && l.out != none && (l.out == spec.Eject || e.packets || e.lanes[l.out].credits > 0)
}

// send sends the flits that won output ports.
func (e *engine) send(r *region, won []int32) {
	lanes, ports, compete := e.lanes, e.ports, r.compete
	returning, following := slot(e, r.returning, e.o.Delays.Credit), slot(e, r.following, e.transit)
	back, on := len(*returning), len(*following)
	credits, flits := slices.Grow(*returning, len(won))[:back+len(won)], slices.Grow(*following, len(won))[:on+len(won)]
	gone := 0
	for _, out := range won {
		p := &ports[out]
		b := &compete[uint32(p.out)]
		v := b.lane
		l := &lanes[v]
		if e.record != nil {
			e.tell(v, l)
		}
		p.out = noBid
		p.carried++
		p.lastOut = b.in - e.again
		ports[b.in].lastIn = v - e.again
		l.count--
		l.rest--
		// No branch depends on where the flit goes: the processor could not predict it.
		forwarded := int32(uint32(^l.out) >> 31) // 0: it leaves the network
		takes := forwarded & e.each
		to := &lanes[max(l.out, 0)]
		to.credits -= takes
		gone += int(1 - forwarded)
		more := l.count > 0 && to.credits >= takes
		credits[back], flits[on] = v, int32(l.out)
		if l.is(streams) && l.rest > 0 {
			if credit, flit := int(int32(l.flags/credited&1)&e.each), int(forwarded); l.is(inside) {
				back += credit
				on += flit
			} else {
				credit, flit = e.pass(v, l, credit, flit)
				back += credit
				on += flit
			}
			if !more {
				l.flags |= idle
				b.lane = none
			}
			continue
		}
		tail := l.rest == 0
		if tail {
			p.lastOut, ports[b.in].lastIn = b.in, v
		}
		credit, flit := e.turn(r, v, l, tail)
		back += credit
		on += flit
		if tail {
			b.lane = none
		} else if !more {
			l.flags |= idle
			b.lane = none
		}
	}
	*returning, *following = credits[:back], flits[:on]
	r.leaving[(int(e.now)+e.transit)&(len(r.leaving)-1)] += int32(gone)
}

// turn sends a flit that others must know about: a head, a tail, one that a packet waits for. It returns what is to be counted in the
// region, like pass.
func (e *engine) turn(r *region, v int32, l *lane, tail bool) (credit, flit int) {
	if l.is(credited) && (tail || !e.packets) {
		credit = 1
	}
	head := !l.is(left)
	stays := true
	if l.out == spec.Eject {
		if head {
			e.leaves(v, l)
		}
		if tail {
			put(e, r.leavers, e.transit, e.fronts[v].message)
		}
	} else {
		to := &e.lanes[l.out]
		stays = to.is(near)
		switch {
		case head:
			put(e, e.regions[to.to].arriving, e.transit, e.leaves(v, l))
		case e.whole:
			put(e, e.regions[to.to].arriving, e.transit, arrival{to: l.out, message: none})
		default:
			flit = 1
		}
	}
	credit, flit = e.pass(v, l, credit, flit)
	switch {
	case tail:
		e.finish(v, l)
	case !e.whole && e.record == nil:
		if l.flags |= streams; stays && l.is(near) {
			l.flags |= inside
		}
	}
	return credit, flit
}

// pass counts what a flit causes in other regions: the credit that it gives back and its arrival, if any. It returns what is left to
// be counted in the region.
func (e *engine) pass(v int32, l *lane, credit, flit int) (int, int) {
	if credit > 0 && !l.is(near) {
		put(e, e.regions[l.from].returning, e.o.Delays.Credit, v)
		credit = 0
	}
	if flit > 0 {
		if to := &e.lanes[l.out]; !to.is(near) {
			put(e, e.regions[to.to].following, e.transit, int32(l.out))
			flit = 0
		}
	}
	return credit, flit
}
