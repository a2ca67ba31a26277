package simulate

import (
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
)

// send sends the flits that won output ports.
func (e *engine) send(r *region, won []int32) {
	lanes, ports, compete := e.lanes, e.ports, r.compete
	returning, following := slot(e, r.returning, e.o.Delays.Credit), slot(e, r.following, e.transit)
	back, on := len(*returning), len(*following)
	credits, flits := slices.Grow(*returning, len(won))[:back+len(won)], slices.Grow(*following, len(won))[:on+len(won)]
	gone, lost := 0, 0
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
		drop := int(1-forwarded) & int(l.flags/discards)
		gone += int(1-forwarded) - drop
		lost += drop
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
	e.m.dropped(int64(lost))
}

// turn sends a flit that others must know about: a head, a tail, one that a packet waits for. It returns what is to
// be counted in the region, like pass.
func (e *engine) turn(r *region, v int32, l *lane, tail bool) (credit, flit int) {
	if l.is(credited) && (tail || !e.inPackets) {
		credit = 1
	}
	head := !l.is(left)
	stays := true
	if l.out == spec.Eject {
		if head {
			e.leaves(v, l)
		}
		if tail {
			put(e, r.leavers, e.transit, e.fronts[v].packet)
		}
	} else {
		to := &e.lanes[l.out]
		stays = to.is(near)
		switch {
		case head:
			put(e, e.regions[to.to].arriving, e.transit, e.leaves(v, l))
		case e.whole:
			put(e, e.regions[to.to].arriving, e.transit, arrival{to: l.out, packet: none})
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

// pass counts what a flit causes in other regions: the credit that it gives back and its arrival, if any. It returns
// what is left to be counted in the region.
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

// leaves makes the head of a packet leave a lane, and returns its arrival in the next.
func (e *engine) leaves(v int32, l *lane) arrival {
	f := &e.fronts[v]
	l.flags |= left
	if v >= e.channels {
		e.packets[f.packet].entered = e.now
	}
	return arrival{l.out, f.packet, f.table, uint16(l.rest + 1), f.outTag}
}

// finish returns the VC after a tail, and moves on to what is behind it.
func (e *engine) finish(v int32, l *lane) {
	f := &e.fronts[v]
	if l.out != spec.Eject {
		to := &e.lanes[l.out]
		if to.owner = none; to.isFree(e.needed) {
			e.turned(int32(l.out), f.node, false)
		}
	}
	if v >= e.channels {
		e.injected += int64(e.packets[f.packet].length)
	}
	l.out, f.packet = none, none
	l.flags &^= left | streams | inside | discards
	if v >= e.channels {
		e.sendNext(v)
	} else if l.count > 0 {
		e.advance(v, 1)
	}
}

// tell records a move as the reference step writes it.
func (e *engine) tell(v int32, l *lane) {
	f := &e.fronts[v]
	m := &e.packets[f.packet]
	t := e.n.Stored(int(f.table)).Target
	move := spec.Move{
		From:   spec.ChannelID(v),
		Header: spec.Header{Dest: t.Dest, Class: t.Class, Tag: f.tag},
		Hop:    spec.Hop{Channel: l.out, Tag: f.outTag},
	}
	if v >= e.channels {
		move.From = spec.Injection(m.source)
	}
	if l.is(left) {
		if e.inPackets || move.From.IsInjection() && l.out == spec.Eject { // a packet to its own node is one move
			return
		}
		move.Kind = spec.Follow
	}
	if move.Kind == spec.Follow && move.From.IsInjection() {
		move.Header.Tag = 0 // only the head chooses an alternative
	}
	e.record(m.serial, move)
	if move.From.IsInjection() && l.out != spec.Eject && l.rest == 1 && e.o.scenario(e.n).Length == spec.AnyLength {
		move.Kind, move.Header.Tag = spec.Finish, 0
		e.record(m.serial, move)
	}
}
