package simulate

import (
	"fmt"
	"math"

	"github.com/seed-105a2da2/unknot/spec"
)

// allocate grants free VCs to the heads that wait at a node. They are asked one after
// the other, each choosing among what is then free.
func (e *engine) allocate(r *region, v int32) {
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
		e.order(heads, func(v int32) int64 {
			r := e.draw(v, turns)
			return int64(r.next() >> 1)
		})
	}
	kept := heads[:0]
	for _, h := range heads {
		if !e.grant(r, h) {
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

// grant grants the head of lane v one of the permitted free VCs, if there is one.
func (e *engine) grant(r *region, v int32) bool {
	l, f := &e.lanes[v], &e.fronts[v]
	permitted := e.routes.permitted(f.row)
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
		hop = e.permit[e.choose(v, f, e.permit)]
		c := &e.lanes[hop.Channel]
		e.turned(int32(hop.Channel), f.node, true)
		c.owner, l.outPort = v, c.in
		if e.packets {
			c.credits--
		}
	}
	if hop.Channel == spec.Eject {
		if dest := e.n.Stored(int(f.table)).Target.Dest; int32(dest) != f.node {
			e.fail(f.node, fmt.Errorf("%s misdelivers: a packet for %s leaves at %s, see unknot check --property delivery", e.n.Name(), e.topo.Node(dest).Name, e.topo.Node(spec.NodeID(f.node)).Name))
		}
		l.outPort = e.links + f.node
	}
	l.out, f.outTag = hop.Channel, hop.Tag
	l.flags &^= waiting // nor idle, for there is a credit
	put(e, r.due, e.o.Delays.Allocate, e.bidder(v))
	return true
}

func (e *engine) choose(v int32, f *front, free []spec.Hop) int {
	switch {
	case e.selector != nil: // even for one, for its history
	case len(free) == 1:
		return 0
	default:
		x := e.draw(v, choices)
		return e.below(&x, len(free))
	}
	e.view = View{e: e, table: f.table, random: e.draw(v, choices), Node: spec.NodeID(f.node), Target: e.n.Stored(int(f.table)).Target, Permitted: e.routes.permitted(f.row)}
	return e.selector.Choose(&e.view, free)
}

// bidder returns the bid of a lane, once it has a VC.
func (e *engine) bidder(v int32) bidder {
	l := &e.lanes[v]
	return bidder{v, l.in, l.outPort}
}

// cross lets competing lanes win the crossbars: first one for each input port, then one of those
// for each output port; the winners send a flit. It does not branch on anything unpredictable.
func (e *engine) cross(r *region) {
	ports, compete := e.ports, r.compete
	kept := 0
	for i := range compete {
		b := &compete[i]
		k := &compete[kept]
		if k.lane, k.in, k.out = b.lane, b.in, b.out; k.lane != none {
			kept++
		}
	}
	compete = compete[:kept]
	r.compete = compete
	if e.ahead {
		e.touchBidders(compete)
	}
	if cap(e.asked) < kept {
		e.asked = make([]int32, 2*kept)
	}
	asked := e.asked[:kept] // input ports, then output ports
	if e.ranked {
		e.send(r, e.rankedCross(compete, asked))
		return
	}
	n := 0
	for i := range compete {
		b := &compete[i]
		p := &ports[b.in]
		old := p.in
		if asked[n] = b.in; old == noBid {
			n++
		}
		p.in = min(old, uint64(uint32(b.lane-p.lastIn-1))<<32|uint64(i))
	}
	won := 0 // of those read before
	for _, in := range asked[:n] {
		at := uint32(ports[in].in)
		ports[in].in = noBid
		out := compete[at].out
		p := &ports[out]
		old := p.out
		if asked[won] = out; old == noBid {
			won++
		}
		p.out = min(old, uint64(uint32(in-p.lastOut-1))<<32|uint64(at))
	}
	e.send(r, asked[:won])
}

// rankedCross does the same if the arbiter ranks messages; of equals, the next after the last winner wins.
func (e *engine) rankedCross(compete []bidder, asked []int32) []int32 {
	precedes := func(a, b *bidder, turnA, turnB int32) bool {
		if x, y := e.rank(a.lane), e.rank(b.lane); x != y {
			return x < y
		}
		return uint32(turnA-1) < uint32(turnB-1)
	}
	n := 0
	for i := range compete {
		b := &compete[i]
		p := &e.ports[b.in]
		if p.in == noBid {
			asked[n] = b.in
			n++
		} else if best := &compete[p.in]; !precedes(b, best, b.lane-p.lastIn, best.lane-p.lastIn) {
			continue
		}
		p.in = uint64(i)
	}
	won := 0
	for _, in := range asked[:n] {
		at := e.ports[in].in
		e.ports[in].in = noBid
		b := &compete[at]
		p := &e.ports[b.out]
		if p.out == noBid {
			asked[won] = b.out
			won++
		} else if best := &compete[p.out]; !precedes(b, best, in-p.lastOut, best.in-p.lastOut) {
			continue
		}
		p.out = at
	}
	return asked[:won]
}

// leaves makes the head of a message leave a lane, and returns its arrival in the next.
func (e *engine) leaves(v int32, l *lane) arrival {
	f := &e.fronts[v]
	l.flags |= left
	if v >= e.channels {
		e.messages[f.message].entered = e.now
	}
	return arrival{l.out, f.message, f.table, uint16(l.rest + 1), f.outTag}
}

// rank orders competing lanes by age, at random, or not at all.
func (e *engine) rank(lane int32) uint64 {
	switch e.o.Arbiter {
	case Oldest:
		return uint64(e.messages[e.fronts[lane].message].created)
	case Random:
		r := e.draw(lane, ranks)
		return r.next()
	}
	return 0
}

// finish returns the VC after a tail, and moves on to what is behind it.
func (e *engine) finish(v int32, l *lane) {
	f := &e.fronts[v]
	if l.out != spec.Eject {
		to := &e.lanes[l.out]
		if to.owner = none; e.isFree(to) {
			e.turned(int32(l.out), f.node, false)
		}
	}
	if v >= e.channels {
		e.injected += int64(e.messages[f.message].length)
	}
	l.out, f.message = none, none
	l.flags &^= left | streams | inside
	if v >= e.channels {
		e.source.next(v)
	} else if l.count > 0 {
		e.advance(v, 1)
	}
}

// tell records a move as the reference step writes it.
func (e *engine) tell(v int32, l *lane) {
	f := &e.fronts[v]
	m := &e.messages[f.message]
	t := e.n.Stored(int(f.table)).Target
	move := spec.Move{From: spec.ChannelID(v), Header: spec.Header{Dest: t.Dest, Class: t.Class, Tag: f.tag}, Hop: spec.Hop{Channel: l.out, Tag: f.outTag}}
	if v >= e.channels {
		move.From = spec.Injection(m.source)
	}
	if l.is(left) {
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
