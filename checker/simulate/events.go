package simulate

import "github.com/seed-105a2da2/unknot/spec"

// What is on its way arrives: flits at their buffers or destinations, credits at their senders.

// leave has flits leave the network that arrive now at the nodes of a region.
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

// enter has credits and flits arrive at the routers of a region.
func (e *engine) enter(r *region) {
	returned := slot(e, r.returning, 0)
	if e.ahead {
		e.touchLanes(*returned)
	}
	for _, c := range *returned {
		e.credit(r, c)
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
		l := &e.lanes[v]
		if l.count++; l.out != none && !l.is(listed) {
			e.list(r, v)
		}
	}
	*followed = (*followed)[:0]
}

// credit gives a channel's sender one back.
func (e *engine) credit(r *region, c int32) {
	l := &e.lanes[c]
	l.credits++
	switch {
	case l.owner == none:
		if l.credits == e.needed { // and was not free before
			e.turned(c, false)
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
	if l.out != none {
		e.list(r, v)
	}
}

// list adds a lane to those that compete, if its front flit may move. Once it may, only
// its own moves change that.
func (e *engine) list(r *region, v int32) {
	l := &e.lanes[v]
	if l.is(listed) || !e.moves(l) {
		return
	}
	l.flags |= listed
	r.compete = append(r.compete, e.bidder(v))
}

// moves reports whether the front flit of a lane may move.
func (e *engine) moves(l *lane) bool {
	return l.count > 0 && l.out != none && (l.out == spec.Eject || e.packets || e.lanes[l.out].credits > 0)
}

// send has the winners of output ports send a flit.
func (e *engine) send(r *region, won []int32) {
	returning, following := slot(e, r.returning, e.o.Delays.Credit), slot(e, r.following, e.transit)
	credits, flits, compete := *returning, *following, r.compete
	leaving := &r.leaving[(int(e.now)+e.transit)&(len(r.leaving)-1)]
	for _, out := range won {
		p := &e.ports[out]
		b := &compete[p.bestOut]
		p.bestOut = none
		p.carried++
		v := b.lane
		l, in := &e.lanes[v], &e.ports[b.in]
		if e.record != nil {
			e.tell(v, l)
		}
		l.count--
		l.rest--
		tail := l.rest == 0
		if p.lastOut, in.lastIn = b.in, int32(l.place); e.o.Arbiter == Message && !tail { // then it is the next
			p.lastOut--
			in.lastIn--
		}
		if v >= e.channels {
			e.injected++
		} else if tail || !e.packets {
			if in.sender>>e.within == r.number {
				credits = append(credits, v)
			} else {
				put(e, e.regionOf(in.sender).returning, e.o.Delays.Credit, v)
			}
		}
		more := l.count > 0
		head := !l.is(left)
		if l.out == spec.Eject {
			if head {
				e.leaves(v, l)
			}
			if *leaving++; tail {
				put(e, r.leavers, e.transit, e.fronts[v].message)
			}
		} else {
			to := &e.lanes[l.out]
			switch near := p.receiver>>e.within == r.number; {
			case head:
				put(e, e.regionOf(p.receiver).arriving, e.transit, e.leaves(v, l))
			case e.whole:
				put(e, e.regionOf(p.receiver).arriving, e.transit, arrival{to: l.out, message: none})
			case near:
				flits = append(flits, int32(l.out))
			default:
				put(e, e.regionOf(p.receiver).following, e.transit, int32(l.out))
			}
			if !e.packets {
				to.credits--
				more = more && to.credits > 0
			}
		}
		if tail {
			e.finish(v, l)
		}
		if tail || !more {
			l.flags &^= listed
			b.lane = none
		}
	}
	*returning, *following = credits, flits
}
