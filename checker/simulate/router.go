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
	l.listed = true // it may move, for there is a credit
	if after := e.o.Delays.Allocate; after > 0 {
		e.put(e.allocated, after, v)
	} else {
		e.compete = append(e.compete, l.bidder(v))
	}
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
// of those one for each output port; the winners send a flit.
func (e *engine) cross() {
	now, inputs, outputs, ranked := e.now, e.inputs, e.outputs, e.o.Arbiter == Oldest || e.o.Arbiter == Random
	asked := e.asked[:0] // input ports, and then output ports
	kept := e.compete[:0]
	for _, b := range e.compete {
		if b.lane == none {
			continue
		}
		at := int32(len(kept))
		kept = append(kept, b)
		p := &inputs[b.in]
		key := uint32(b.place - p.last - 1) // from the one after the last, round
		if ranked {
			key = e.rank(b.lane)
		}
		if p.stamp != now {
			p.stamp, p.best, p.key = now, at, key
			asked = append(asked, b.in)
		} else if key < p.key {
			p.best, p.key = at, key
		}
	}
	e.compete = kept
	won := asked[:0] // of those read before
	for _, in := range asked {
		at := inputs[in].best
		b := &kept[at]
		p := &outputs[b.out]
		key := uint32(in - p.last - 1)
		if ranked {
			key = e.rank(b.lane)
		}
		if p.stamp != now {
			p.stamp, p.best, p.key = now, at, key
			won = append(won, b.out)
		} else if key < p.key {
			p.best, p.key = at, key
		}
	}
	returning := slot(e, e.returning, e.o.Delays.Credit)
	arriving := slot(e, e.arriving, e.transit)
	credits, flits := *returning, *arriving
	for _, out := range won {
		p := &outputs[out]
		b := &kept[p.best]
		p.carried++
		v := b.lane
		l := &e.lanes[v]
		if e.record != nil {
			e.tell(v, l)
		}
		l.count--
		l.rest--
		tail := l.rest == 0
		if p.last, inputs[b.in].last = b.in, b.place; e.o.Arbiter == Message && !tail { // then it is the next
			p.last--
			inputs[b.in].last--
		}
		if v >= e.channels {
			e.injected++
		} else if tail || !e.packets {
			credits = append(credits, v)
		}
		message := int32(none)
		if !l.left {
			l.left = true
			message = e.leave(v, l.out)
		}
		more := l.count > 0
		if l.out == spec.Eject {
			if message = none; tail {
				message = e.fronts[v].message
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
		return uint32(e.messages[e.fronts[lane].message].created)
	}
	return e.random.Uint32()
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
