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
		e.order(heads, func(v int32) int64 {
			if v > n.turn {
				return int64(v)
			}
			return int64(v) + math.MaxInt32
		})
		n.turn = heads[0]
	case Oldest:
		e.order(heads, func(v int32) int64 { return e.messages[e.fronts[v].message].serial })
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
	l, f := &e.lanes[v], &e.fronts[v]
	permitted := e.n.Row(f.row)
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
		hop = e.permit[e.choose(f, e.permit)]
		c := &e.lanes[hop.Channel]
		e.turned(int32(hop.Channel), true)
		c.owner = v
		if e.packets {
			c.credits--
		}
	}
	l.outPort = e.links + f.node
	if hop.Channel != spec.Eject {
		l.outPort = e.lanes[hop.Channel].in
	} else if dest := e.n.Table(int(e.messages[f.message].table)).Dest; int32(dest) != f.node {
		e.fail(fmt.Errorf("%s misdelivers: a packet for %s leaves at %s, see unknot check --property delivery", e.n.Name(), e.topo.Node(dest).Name, e.topo.Node(spec.NodeID(f.node)).Name))
	}
	l.out, f.outTag, f.waiting = hop.Channel, hop.Tag, false
	e.list(v, e.now+int32(e.o.Delays.Allocate))
	return true
}

func (e *engine) choose(f *front, free []spec.Hop) int {
	switch {
	case e.selector != nil: // also of one, for its history
	case len(free) == 1:
		return 0
	default:
		return e.random.IntN(len(free))
	}
	table := int(e.messages[f.message].table)
	e.view = View{e: e, table: table, Node: spec.NodeID(f.node), Target: e.n.Table(table).Target, Permitted: e.n.Row(f.row)}
	return e.selector.Choose(&e.view, free)
}

// cross has the lanes that compete win the crossbars: first one for each input port, then
// of those one for each output port.
func (e *engine) cross() {
	inputs, outputs := e.touchedIn[:0], e.inUse[:0]
	kept := e.compete[:0]
	for _, b := range e.compete {
		if b.lane == none {
			continue
		}
		at := int32(len(kept))
		kept = append(kept, b)
		if b.ready <= e.now && e.bid(&e.inputs[b.in], at, b.place, b.lane) {
			inputs = append(inputs, b.in)
		}
	}
	e.compete = kept
	for _, in := range inputs {
		at := e.inputs[in].best
		b := &kept[at]
		if e.bid(&e.outputs[b.out], at, in, b.lane) {
			outputs = append(outputs, b.out)
		}
	}
	returning := slot(e, e.returning, e.o.Delays.Credit)
	arriving := slot(e, e.arriving, e.transit)
	for _, out := range outputs {
		p := &e.outputs[out]
		b := &kept[p.best]
		p.last = b.in
		p.carried++
		e.inputs[b.in].last = b.place
		if !e.send(b.lane, returning, arriving) {
			b.lane = none
		}
	}
	e.touchedIn, e.inUse = inputs, outputs
}

// bid has a lane, of a number among those that compete for a port, try to win it, and
// reports whether it is the first in this clock.
func (e *engine) bid(p *port, at, number, lane int32) bool {
	key := uint32(number - p.last - 1) // from the one after the last, round
	if e.o.Arbiter != RoundRobin {
		key = e.rank(lane)
	}
	first := p.stamp != e.now
	if first || key < p.key {
		p.stamp, p.best, p.key = e.now, at, key
	}
	return first
}

// rank orders lanes that compete by their age, or anyhow; the first of equals wins.
func (e *engine) rank(lane int32) uint32 {
	if e.o.Arbiter == Oldest {
		return uint32(e.messages[e.fronts[lane].message].created)
	}
	return e.random.Uint32()
}

// send moves the front flit of a lane that has won, and reports whether the next may move.
func (e *engine) send(v int32, returning *[]int32, arriving *[]arrival) bool {
	l := &e.lanes[v]
	if e.record != nil {
		e.tell(v, l)
	}
	l.count--
	l.rest--
	tail := l.rest == 0
	switch {
	case v >= e.channels:
		e.injected++
	case tail || !e.packets:
		*returning = append(*returning, v)
	}
	a := arrival{l.out, none}
	if !l.left {
		l.left = true
		a.message = e.leave(v, l.out)
	}
	more := l.count > 0
	if l.out == spec.Eject {
		if a.message = none; tail {
			a.message = e.fronts[v].message
		}
	} else if !e.packets {
		to := &e.lanes[l.out]
		to.credits--
		more = more && to.credits > 0
	}
	*arriving = append(*arriving, a)
	if tail {
		e.finish(v, l)
		more = false
	}
	l.listed = more
	return more
}

// leave has the head of a message leave a lane, and returns the message.
func (e *engine) leave(v int32, out spec.ChannelID) int32 {
	f := &e.fronts[v]
	m := &e.messages[f.message]
	if v >= e.channels {
		m.entered = e.now
	}
	if out != spec.Eject {
		m.tag = f.outTag
		if e.m.on {
			e.fronts[out].given++
		}
	}
	return f.message
}

// finish gives the VC back after a tail, and turns to what is behind it.
func (e *engine) finish(v int32, l *lane) {
	if l.out != spec.Eject {
		to := &e.lanes[l.out]
		if to.owner = none; e.isFree(to) {
			e.turned(int32(l.out), false)
		}
	}
	l.out, l.left, e.fronts[v].message = none, false, none
	if v >= e.channels {
		e.source.next(v)
	} else if l.count > 0 {
		e.advance(v, 1)
	}
}

// tell records a move in the words of the reference step.
func (e *engine) tell(v int32, l *lane) {
	f := &e.fronts[v]
	m := &e.messages[f.message]
	t := e.n.Table(int(m.table))
	move := spec.Move{From: spec.ChannelID(v), Header: spec.Header{Dest: t.Dest, Class: t.Class, Tag: f.tag}, Hop: spec.Hop{Channel: l.out, Tag: f.outTag}}
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
