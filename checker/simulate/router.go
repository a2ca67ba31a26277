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
	case RoundRobin: // by lane, from the one after the last that was first
		e.order(heads, func(l *lane, v int32) int64 {
			if v > n.turn {
				return int64(v)
			}
			return int64(v) + math.MaxInt32
		})
		n.turn = heads[0]
	case Oldest:
		e.order(heads, func(l *lane, _ int32) int64 { return e.messages[l.message].serial })
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
func (e *engine) order(heads []int32, key func(*lane, int32) int64) {
	for i := 1; i < len(heads); i++ {
		x := heads[i]
		k := key(&e.lanes[x], x)
		at := i
		for ; at > 0 && key(&e.lanes[heads[at-1]], heads[at-1]) > k; at-- {
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
		e.turned(c, int32(hop.Channel), true)
		c.owner = v
		if e.packets {
			c.credits--
		}
	}
	if dest := e.n.Table(int(e.messages[l.message].table)).Dest; hop.Channel == spec.Eject && int32(dest) != l.node {
		e.fail(fmt.Errorf("%s misdelivers: a packet for %s leaves at %s, see unknot check --property delivery", e.n.Name(), e.topo.Node(dest).Name, e.topo.Node(spec.NodeID(l.node)).Name))
	}
	l.out, l.outTag, l.waiting = hop.Channel, hop.Tag, false
	l.ready = e.now + int32(e.o.Delays.Allocate)
	e.list(l, v)
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
	table := int(e.messages[l.message].table)
	e.view = View{e: e, table: table, Node: spec.NodeID(l.node), Target: e.n.Table(table).Target, Permitted: e.n.Row(l.row)}
	return e.selector.Choose(&e.view, free)
}

// cross has the lanes that compete win the crossbars: first one for each input port, then
// of those one for each output port.
func (e *engine) cross() {
	e.touchedIn, e.inUse = e.touchedIn[:0], e.inUse[:0]
	for i := range e.compete {
		b := &e.compete[i]
		if b.ready <= e.now && e.bid(&e.inputs[b.in], int32(i), b.place, b.lane) {
			e.touchedIn = append(e.touchedIn, b.in)
		}
	}
	for _, in := range e.touchedIn {
		best := e.inputs[in].best
		b := &e.compete[best]
		if e.bid(&e.outputs[b.out], best, in, b.lane) {
			e.inUse = append(e.inUse, b.out)
		}
	}
	for i, out := range e.inUse { // before any is struck, which moves others
		p := &e.outputs[out]
		b := &e.compete[p.best]
		p.last = b.in
		e.inputs[b.in].last = b.place
		e.inUse[i] = b.lane
	}
	for _, v := range e.inUse {
		e.send(v)
	}
}

// bid has a lane, of a number among those that compete for a port, try to win it, and
// reports whether it is the first in this clock.
func (e *engine) bid(p *port, at, number, lane int32) bool {
	first := p.stamp != e.now
	key, created := number, int64(0)
	switch e.o.Arbiter {
	case RoundRobin:
		if number <= p.last {
			key += math.MaxInt32 / 2
		}
	case Oldest:
		created = e.messages[e.lanes[lane].message].serial
	case Random:
		key = int32(e.random.Uint32() >> 1)
	}
	if first || created < p.created || created == p.created && key < p.key {
		p.stamp, p.best, p.key, p.created = e.now, at, key, created
	}
	return first
}

// send moves the front flit of a lane that has won.
func (e *engine) send(v int32) {
	l := &e.lanes[v]
	var f flit
	if v < e.channels {
		f = e.flits[v*e.depth+l.head]
		if l.head++; l.head == e.depth {
			l.head = 0
		}
		l.count--
		if !e.packets || f.tail() {
			e.put(e.returning, e.o.Delays.Credit, v)
		}
	} else {
		f = e.inject(l.message)
	}
	if e.record != nil {
		e.tell(v, l, f)
	}
	s := &e.arriving[(int(e.now)+e.transit)&(len(e.arriving)-1)]
	*s = append(*s, arrival{l.out, f})
	l.left = true
	if l.out != spec.Eject {
		to := &e.lanes[l.out]
		if !e.packets {
			to.credits--
		}
		if f.head() {
			e.messages[f.message].tag = l.outTag
			e.m.head(l.out)
		}
		e.carried[to.port]++
	}
	switch {
	case f.tail():
		e.strike(l)
		e.finish(v, l)
	case !e.moves(l, v):
		e.strike(l)
	}
}

// inject takes the next flit of a message from its source.
func (e *engine) inject(message int32) flit {
	m := &e.messages[message]
	f := flit{message, 2 * m.sent}
	if m.sent == 0 {
		m.entered = e.now
	}
	if m.sent++; m.sent == m.length {
		f.place++
	}
	e.injected++
	return f
}

// finish gives the VC back after a tail, and turns to what is behind it.
func (e *engine) finish(v int32, l *lane) {
	if c := l.out; c != spec.Eject {
		to := &e.lanes[c]
		to.owner = none
		if e.isFree(to) {
			e.turned(to, int32(c), false)
		}
	}
	l.out, l.message = none, none
	switch {
	case v >= e.channels:
		e.source.next(v)
	case l.count > 0:
		first := e.flits[v*e.depth+l.head].message
		if !e.whole || l.count >= e.messages[first].length {
			e.front(v, first, 1)
		}
	}
}

// tell records a move in the words of the reference step.
func (e *engine) tell(v int32, l *lane, f flit) {
	m := &e.messages[f.message]
	t := e.n.Table(int(m.table))
	move := spec.Move{From: spec.ChannelID(v), Header: spec.Header{Dest: t.Dest, Class: t.Class, Tag: l.tag}, Hop: spec.Hop{Channel: l.out, Tag: l.outTag}}
	if v >= e.channels {
		move.From = spec.Injection(m.source)
	}
	if !f.head() {
		if e.packets || move.From.IsInjection() && l.out == spec.Eject { // a message to its own node is one move
			return
		}
		move.Kind = spec.Follow
	}
	e.record(m.serial, move)
	if move.From.IsInjection() && l.out != spec.Eject && f.tail() && e.o.scenario(e.n).Length == spec.AnyLength {
		move.Kind = spec.Finish
		e.record(m.serial, move)
	}
}
