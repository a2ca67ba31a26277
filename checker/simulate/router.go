package simulate

import (
	"fmt"
	"math"

	"github.com/seed-105a2da2/unknot/spec"
)

// allocate gives free VCs to the heads that wait at a node. They are asked one after
// the other, each choosing again among what is free.
func (e *engine) allocate(v int32) {
	n := &e.nodes[v]
	if n.waiting == 0 {
		return
	}
	heads := e.heads[n.first:][:n.waiting]
	switch e.o.Arbiter {
	case RoundRobin, Message: // by lane, from the one after the last that was first
		e.order(heads, func(v int32) int64 {
			if v > n.turn {
				return int64(v)
			}
			return int64(v) + math.MaxInt32
		})
		n.turn = heads[0]
	case Oldest:
		e.order(heads, func(v int32) int64 { return e.messages[e.lanes[v].message].serial })
	case Random:
		e.random.Shuffle(len(heads), func(i, k int) { heads[i], heads[k] = heads[k], heads[i] })
	}
	kept := heads[:0]
	for _, h := range heads {
		if !e.grant(h) {
			kept = append(kept, h)
		}
	}
	n.waiting = int32(len(kept))
}

// order sorts the few heads of a node by a key, ascending.
func (e *engine) order(heads []int32, key func(int32) int64) {
	for i := 1; i < len(heads); i++ {
		x := heads[i]
		k := key(x)
		at := i
		for ; at > 0 && key(heads[at-1]) > k; at-- {
			heads[at] = heads[at-1]
		}
		heads[at] = x
	}
}

// grant gives the head of lane v one of the free VCs that are permitted, if there is one.
func (e *engine) grant(v int32) bool {
	l := &e.lanes[v]
	permitted := e.n.Row(l.row)
	hop := permitted[0]
	if hop.Channel != spec.Eject {
		e.permit = e.permit[:0]
		for _, h := range permitted {
			if e.isFree(&e.lanes[h.Channel]) {
				e.permit = append(e.permit, h)
			}
		}
		if len(e.permit) == 0 {
			return false
		}
		hop = e.permit[e.choose(l, e.permit)]
		c := &e.lanes[hop.Channel]
		e.turned(int32(hop.Channel), true)
		c.owner = v
		if e.packets {
			c.credits--
		}
	}
	if hop.Channel == spec.Eject {
		if dest := e.n.Table(int(e.messages[l.message].table)).Dest; int32(dest) != l.node {
			e.fail(fmt.Errorf("%s misdelivers: a packet for %s leaves at %s, see unknot check --property delivery", e.n.Name(), e.topo.Node(dest).Name, e.topo.Node(spec.NodeID(l.node)).Name))
		}
	}
	l.out, l.outTag, l.waiting = hop.Channel, hop.Tag, false
	l.listed = true // it may move, for there is a credit
	if after := e.o.Delays.Allocate; after > 0 {
		e.put(e.allocated, after, v)
	} else {
		e.compete = append(e.compete, e.bidder(v))
	}
	return true
}

func (e *engine) choose(l *lane, free []spec.Hop) int {
	switch {
	case e.selector != nil: // also of one, for its history
	case len(free) == 1:
		return 0
	default:
		return e.random.IntN(len(free))
	}
	table := e.messages[l.message].table
	e.view = View{e: e, table: table, Node: spec.NodeID(l.node), Target: e.n.Table(int(table)).Target, Permitted: e.n.Row(l.row)}
	return e.selector.Choose(&e.view, free)
}

// cross has the lanes that compete win the crossbars: first one for each input port, then
// of those one for each output port; the winners send a flit.
func (e *engine) cross() {
	ports, ranked := e.ports, e.o.Arbiter == Oldest || e.o.Arbiter == Random
	asked := e.asked[:0] // input ports, and then output ports
	kept := e.compete[:0]
	for _, b := range e.compete {
		if b.lane == none {
			continue
		}
		at := int32(len(kept))
		kept = append(kept, b)
		p := &ports[b.in].in
		key := uint32(b.place - p.last - 1) // from the one after the last, round
		if ranked {
			key = e.rank(b.lane)
		}
		if p.best == none {
			p.best, p.key = at, key
			asked = append(asked, b.in)
		} else if key < p.key {
			p.best, p.key = at, key
		}
	}
	e.compete = kept
	won := asked[:0] // of those read before
	for _, in := range asked {
		at := ports[in].in.best
		ports[in].in.best = none
		b := &kept[at]
		p := &ports[b.out].out
		key := uint32(in - p.last - 1)
		if ranked {
			key = e.rank(b.lane)
		}
		if p.best == none {
			p.best, p.key = at, key
			won = append(won, b.out)
		} else if key < p.key {
			p.best, p.key = at, key
		}
	}
	returning := slot(e, e.returning, e.o.Delays.Credit)
	arriving := slot(e, e.arriving, e.transit)
	credits, flits := *returning, *arriving
	for i, out := range won {
		if e.ahead && i%block == 0 {
			e.touchWinners(won[i:min(i+block, len(won))])
		}
		p := &ports[out]
		b := &kept[p.out.best]
		p.out.best = none
		p.carried++
		v := b.lane
		l := &e.lanes[v]
		if e.record != nil {
			e.tell(v, l)
		}
		l.count--
		l.rest--
		tail := l.rest == 0
		in := &ports[b.in].in
		if p.out.last, in.last = b.in, b.place; e.o.Arbiter == Message && !tail { // then it is the next
			p.out.last--
			in.last--
		}
		if v >= e.channels {
			e.injected++
		} else if tail || !e.packets {
			credits = append(credits, v)
		}
		message := int32(none)
		if !l.left {
			l.left = true
			message = e.leave(v, l)
		}
		more := l.count > 0
		if l.out == spec.Eject {
			if message = none; tail {
				message = l.message
			}
		} else if !e.packets {
			to := &e.lanes[l.out]
			to.credits--
			more = more && to.credits > 0
		}
		flits = append(flits, arrival{l.out, message})
		if tail {
			e.finish(v, l)
			more = false
		}
		if !more {
			l.listed, b.lane = false, none
		}
	}
	*returning, *arriving, e.asked = credits, flits, asked
}

// rank orders lanes that compete by their age, or anyhow; the first of equals wins.
func (e *engine) rank(lane int32) uint32 {
	if e.o.Arbiter == Oldest {
		return uint32(e.messages[e.lanes[lane].message].created)
	}
	return e.random.Uint32()
}

// leave has the head of a message leave a lane, and returns the message.
func (e *engine) leave(v int32, l *lane) int32 {
	m := &e.messages[l.message]
	if v >= e.channels {
		m.entered = e.now
	}
	if l.out != spec.Eject {
		m.tag = l.outTag
		if e.m.on {
			e.m.given[l.out]++
		}
	}
	return l.message
}

// finish gives the VC back after a tail, and turns to what is behind it.
func (e *engine) finish(v int32, l *lane) {
	if l.out != spec.Eject {
		to := &e.lanes[l.out]
		if to.owner = none; e.isFree(to) {
			e.turned(int32(l.out), false)
		}
	}
	l.out, l.left, l.message = none, false, none
	if v >= e.channels {
		e.source.next(v)
	} else if l.count > 0 {
		e.advance(v, 1)
	}
}

// tell records a move in the words of the reference step.
func (e *engine) tell(v int32, l *lane) {
	m := &e.messages[l.message]
	t := e.n.Table(int(m.table))
	move := spec.Move{From: spec.ChannelID(v), Header: spec.Header{Dest: t.Dest, Class: t.Class, Tag: l.tag}, Hop: spec.Hop{Channel: l.out, Tag: l.outTag}}
	if v >= e.channels {
		move.From = spec.Injection(m.source)
	}
	if l.left {
		if e.packets || move.From.IsInjection() && l.out == spec.Eject { // a message to its own node is one move
			return
		}
		move.Kind = spec.Follow
	}
	e.record(m.serial, move)
	if move.From.IsInjection() && l.out != spec.Eject && l.rest == 1 && e.o.scenario(e.n).Length == spec.AnyLength {
		move.Kind = spec.Finish
		e.record(m.serial, move)
	}
}
