package simulate

import (
	"fmt"
	"math"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/hash"
)

// allocate grants free VCs to the heads that wait at a node. They choose one after
// the other, each among what is then free.
func (e *engine) allocate(r *region, v int32) {
	n := &e.nodes[v]
	if n.waiting == 0 {
		return
	}
	heads := e.heads[n.first:][:n.waiting]
	switch e.o.Arbiter {
	case RoundRobin, Packet: // by lane, from the one after the last that was first
		e.order(heads, func(v int32) int64 {
			if v > n.turn {
				return int64(v)
			}
			return int64(v) + math.MaxInt32
		})
		n.turn = heads[0]
	case Oldest:
		e.order(heads, func(v int32) int64 { return e.packets[e.fronts[v].packet].serial })
	case Random:
		e.order(heads, func(v int32) int64 {
			r := e.draw(v, turns)
			return int64(r.draw() >> 1)
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

// grant grants the head of lane v one of the permitted free VCs, if there is one. A packet that may be discarded is, if
// there is none (tail drop).
func (e *engine) grant(r *region, v int32) bool {
	l, f := &e.lanes[v], &e.fronts[v]
	permitted := e.routes.permitted(f.row)
	hop, lossy := permitted[0], permitted[0].Discards()
	if lossy {
		permitted = permitted[1:]
	}
	if hop.Channel != spec.Eject || lossy {
		e.permit = e.permit[:0]
		for _, h := range permitted {
			if e.lanes[h.Channel].isFree(max(e.needed, int32(h.Room))) {
				e.permit = append(e.permit, h)
			}
		}
		if len(e.permit) == 0 && !lossy {
			return false
		}
	}
	switch {
	case len(permitted) > 0 && permitted[0].Channel != spec.Eject && len(e.permit) > 0:
		hop = e.permit[e.choose(v, f, permitted, e.permit)]
		c := &e.lanes[hop.Channel]
		e.turned(int32(hop.Channel), f.node, true)
		c.owner, l.outPort = v, c.in
		if e.inPackets {
			c.credits--
		}
		hop = e.commit(f, hop)
	case lossy:
		l.outPort = e.links + int32(len(e.nodes)) + l.in
		l.flags |= discards
		e.packets[f.packet].discarded = true
	default:
		if dest := e.n.Stored(int(f.table)).Target.Dest; int32(dest) != f.node {
			e.fail(f.node, fmt.Errorf("%s misdelivers: a packet for %s leaves at %s, see unknot check --property "+
				"delivery", e.n.Name(), e.topo.Node(dest).Name, e.topo.Node(spec.NodeID(f.node)).Name))
		}
		l.outPort = e.links + f.node
	}
	l.out, f.outTag = hop.Channel, hop.Tag
	l.flags &^= waiting // nor idle, for there is a credit
	put(e, r.due, e.o.Delays.Allocate, e.bidder(v))
	return true
}

// commit returns a hop with the tag of the alternative to which the packet in front is committed if it takes it now.
func (e *engine) commit(f *front, hop spec.Hop) spec.Hop {
	if of := e.routes.alternatives(f.row, hop); of > 1 {
		m, to := &e.packets[f.packet], e.fronts[hop.Channel].node
		hop.Tag += spec.Tag(e.committed(m.serial, m.source, f.table, to, e.now, of) * e.routes.own)
	}
	return hop
}

// committed draws the alternative to which a packet is committed as it is sent to a node, or begins there.
func (e *engine) committed(serial int64, source spec.NodeID, table, node, clock int32, of int) int {
	what := uint64(source)<<32 | uint64(uint32(table))
	if e.o.Choice == ByPacket {
		what = uint64(serial)<<31 ^ uint64(clock)
	}
	c := e.chance ^ chance(hash.Finish(hash.Finish(what)^uint64(node)<<2^commitments))
	return c.lessThan(of, nil)
}

func (e *engine) choose(v int32, f *front, permitted, free []spec.Hop) int {
	switch {
	case e.selector != nil: // even for one, for its history
	case len(free) == 1:
		return 0
	default:
		random := e.draw(v, choices)
		return random.lessThan(len(free), e.random)
	}
	x := &e.view
	x.now, x.table, x.front, x.chance = e.now, f.table, f, e.draw(v, choices)
	x.Node, x.Target, x.Permitted = spec.NodeID(f.node), e.n.Stored(int(f.table)).Target, permitted
	return e.selector.Choose(x, free)
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

// rankedCross does the same if the arbiter ranks packets; of equals, the next after the last winner wins.
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

// rank orders competing lanes by age, at random, or not at all.
func (e *engine) rank(lane int32) uint64 {
	switch e.o.Arbiter {
	case Oldest:
		return uint64(e.packets[e.fronts[lane].packet].created)
	case Random:
		r := e.draw(lane, ranks)
		return r.draw()
	}
	return 0
}
