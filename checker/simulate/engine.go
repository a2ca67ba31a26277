package simulate

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
)

// Layout. Everything is a number into flat slices. A lane is a buffer with the state of
// the message at its front, in one line of the cache: lanes 0..channels-1 are the network channels, then each node
// has Options.Lanes more for what it is sending. Flits come and go in order, so of a buffer only their number is kept,
// and the messages that they belong to. What is on its way (flits, credits, heads that are being
// routed) is in wheels of slots by clock. Nothing is allocated in a clock, but
// where a list grows beyond what it has ever been.

const none = -2 // no lane, no channel (spec.Eject is -1), no message

// lane is a buffer, and what its sender knows of it.
type lane struct { // 64 bytes: a line of the cache
	out         spec.ChannelID // granted to the message at the front
	in          int32          // port that it is at
	owner       int32          // lane whose message it was given to
	credits     int32
	count, rest int32 // flits in the buffer, or at the source; flits of the message at the front that have not left

	message, behind int32 // at the front; last of those behind it, in a ring by message.next; or none
	row             spec.RowID
	since           int32 // clock from which its head waits
	changed         int32 // clock in which it last became free or ceased to be
	node, sender    int32 // routers at its two ends
	tag, outTag     spec.Tag
	place           int16 // its number within the port
	listed, left    bool  // it is in engine.compete, or has been allocated and will be; the head of its message has left
	waiting         bool  // it is one of the heads that wait at its node
	before          bool  // whether it was free until changed
}

// bidder is a lane that competes, or none: through which ports it goes, and its place in the input port.
type bidder struct{ lane, in, out, place int32 }

// message is one that is somewhere, or a free record.
type message struct {
	serial           int64
	created, entered int32
	source           spec.NodeID
	table            int32
	row              spec.RowID // where its head is, or comes
	length           int32      // flits
	next             int32      // in the queue of its source, or of free records
	tag              spec.Tag   // where its head is
	reply            bool
}

// node is a router and the source beside it.
type node struct {
	first, waiting int32 // of its heads that wait in engine.heads
	turn           int32 // who is first asked, see allocate
	dirty          bool
	head, tail     int32 // of the queue of messages
	queued         int32
	outstanding    int32 // requests
	held           bool  // the source waits for a reply
	bursting       bool
	sends          bool
}

// arrival is a flit that will be in a buffer, or ejected: the head or, where it is ejected, the tail of a message, or none.
type arrival struct {
	to      spec.ChannelID
	message int32
}

type engine struct {
	n      *spec.Network
	topo   *spec.Topology
	routes *routes
	o      Options
	now    int32

	channels, links int32
	credits         int32 // of a channel: flits, or packets
	needed          int32 // credits that a message needs to be given a channel
	transit         int   // clocks
	packets, whole  bool  // credits count packets; a packet is forwarded when it is all there

	lanes    []lane
	nodes    []node
	heads    []int32 // lanes whose head waits, by node
	messages []message
	free     int32 // first record that is free
	serial   int64
	alive    int   // messages generated and not delivered
	injected int64 // flits that have left their source

	dirty             []int32 // nodes where a head may get what it waits for
	compete           []bidder
	ports             []port  // by link, and then by node: where messages come from its source, and where they are delivered
	asked             []int32 // scratch
	arriving          [][]arrival
	returning         [][]int32 // credits, by channel
	routed, allocated [][]int32 // heads that have been routed, and those that have a VC, by lane

	random   *rand.Rand
	permit   []spec.Hop // scratch: what is free
	source   *sources
	selector Selector
	view     View
	sizes    []int // of the dimensions of coordinates
	m        *measures
	record   func(serial int64, m spec.Move) // is told each move; may be nil
	fault    error

	ahead   bool  // read memory ahead, see ahead.go
	touched int32 // sums of what was read ahead, lest the compiler drop the reads
}

// port is a link, with its sides of the crossbars at its two ends.
type port struct { // 32 bytes: half a line of the cache
	in, out side
	carried int64 // flits, out
}

// side of a crossbar: who would win it in this clock, and who won it last.
type side struct {
	best int32 // place in engine.compete, or none
	key  uint32
	last int32
}

func newEngine(n *spec.Network, o Options) (*engine, error) {
	o, err := o.settle(n)
	if err != nil {
		return nil, err
	}
	t := n.Topology()
	if o.routes == nil {
		o.routes = routesOf(n)
	}
	e := &engine{n: n, topo: t, routes: o.routes, o: o, free: none, random: rand.New(rand.NewPCG(o.Seed, 0))}
	e.channels, e.links = int32(t.Channels()), int32(t.Links())
	e.credits, e.needed = int32(n.Buffer()), int32(n.Buffer())
	flits := int64(e.credits)
	switch {
	case n.Switching() != spec.Wormhole:
		e.packets, e.whole = true, n.Switching() == spec.StoreAndForward
		e.credits = int32(n.Capacity())
		e.needed = 1
		flits = int64(e.credits) * int64(o.longest())
	case o.Shared:
		e.needed = 1
	}
	if int64(e.channels)*flits > 1<<30 {
		return nil, &spec.BoundError{What: "flits in all buffers", Limit: 1 << 30}
	}
	for l := range spec.LinkID(e.links) {
		if t.Link(l).VCs > math.MaxInt16 {
			return nil, &spec.BoundError{What: "VCs of a link", Limit: math.MaxInt16}
		}
	}
	e.build()
	if e.source, err = newSources(e); err != nil {
		return nil, err
	}
	if e.m = newMeasures(e); o.Select != nil {
		e.selector = o.Select()
	}
	return e, nil
}

// build lays out lanes, ports and nodes.
func (e *engine) build() {
	t, o := e.topo, &e.o
	nodes := int32(t.Nodes())
	e.lanes = make([]lane, e.channels+nodes*int32(o.Lanes))
	e.nodes = make([]node, nodes)
	e.ports = make([]port, e.links+nodes)
	hugePages(e.lanes)
	hugePages(e.ports)
	at := make([]int32, nodes)
	for v := range e.lanes {
		l := &e.lanes[v]
		*l = lane{out: none, owner: none, credits: e.credits, message: none, behind: none, changed: -1}
		if c := spec.ChannelID(v); v < int(e.channels) {
			l.node, l.sender = int32(t.Head(c)), int32(t.Tail(c))
			l.in, l.place = int32(t.LinkOf(c)), int16(t.VC(c))
		} else {
			l.node, l.place = (int32(v)-e.channels)/int32(o.Lanes), int16((int32(v)-e.channels)%int32(o.Lanes))
			l.in = e.links + l.node
		}
		at[l.node]++
	}
	e.heads = make([]int32, len(e.lanes))
	first := int32(0)
	for v := range e.nodes {
		e.nodes[v].first, e.nodes[v].head, e.nodes[v].tail = first, none, none
		first += at[v]
	}
	for i := range e.ports {
		e.ports[i] = port{in: side{best: none, last: -1}, out: side{best: none, last: -1}}
	}
	d := o.Delays
	e.transit, e.ahead = d.transit(), len(e.lanes) > large
	e.arriving = wheel[arrival](d.transit())
	e.returning = wheel[int32](d.Credit)
	e.routed, e.allocated = wheel[int32](d.Route+max(d.Source, 1)), wheel[int32](d.Allocate)
}

// wheel returns slots for what comes at most so many clocks later.
func wheel[T any](most int) [][]T { return make([][]T, 1<<bits.Len(uint(most))) }

// slot returns the slot of a wheel for a clock so many after now.
func slot[T any](e *engine, wheel [][]T, after int) *[]T {
	return &wheel[(int(e.now)+after)&(len(wheel)-1)]
}

func (e *engine) put(wheel [][]int32, after int, x int32) {
	s := &wheel[(int(e.now)+after)&(len(wheel)-1)]
	*s = append(*s, x)
}

// clock simulates one clock.
func (e *engine) clock() {
	returned := slot(e, e.returning, 0)
	for of := range slices.Chunk(*returned, block) {
		if e.ahead {
			e.touchCredits(of)
		}
		for _, c := range of {
			e.credit(c)
		}
	}
	*returned = (*returned)[:0]
	arrived := slot(e, e.arriving, 0)
	for of := range slices.Chunk(*arrived, block) {
		if e.ahead {
			e.touchArrivals(of)
		}
		e.route(of)
		for _, a := range of {
			e.arrive(a)
		}
	}
	*arrived = (*arrived)[:0]
	e.source.generate()
	routed := slot(e, e.routed, 0)
	for _, v := range *routed {
		e.wait(v)
	}
	*routed = (*routed)[:0]
	for _, v := range e.dirty {
		e.nodes[v].dirty = false
		e.allocate(v)
	}
	e.dirty = e.dirty[:0]
	allocated := slot(e, e.allocated, 0)
	for _, v := range *allocated {
		e.compete = append(e.compete, e.bidder(v))
	}
	*allocated = (*allocated)[:0]
	e.cross()
	e.m.clock()
	e.now++
}

// credit gives a channel's sender one back.
func (e *engine) credit(c int32) {
	l := &e.lanes[c]
	l.credits++
	switch {
	case l.owner == none:
		if l.credits == e.needed { // and was not free before
			e.turned(c, false)
		}
	case l.credits == 1:
		e.list(l.owner)
	}
}

// isFree reports whether a channel may be given to a message.
func (e *engine) isFree(l *lane) bool {
	return l.owner == none && l.credits >= e.needed
}

// turned records that channel c became free in this clock, or ceased to be.
func (e *engine) turned(c int32, was bool) {
	l := &e.lanes[c]
	if l.changed != e.now {
		l.changed, l.before = e.now, was
	}
	if !was {
		e.wake(l.sender)
	}
}

// wake has a node look at its heads again.
func (e *engine) wake(v int32) {
	if n := &e.nodes[v]; !n.dirty && n.waiting > 0 {
		n.dirty = true
		e.dirty = append(e.dirty, v)
	}
}

// route finds the rows of the heads that arrive in channels.
func (e *engine) route(arrived []arrival) {
	for _, a := range arrived {
		if a.message != none && a.to != spec.Eject {
			m := &e.messages[a.message]
			m.row = e.routes.row(m.table, int32(a.to), e.lanes[a.to].in, m.tag)
		}
	}
}

// arrive puts a flit into its buffer, or hands it to its destination.
func (e *engine) arrive(a arrival) {
	if a.to == spec.Eject {
		e.m.flit()
		if a.message != none {
			e.deliver(a.message)
		}
		return
	}
	v := int32(a.to)
	l := &e.lanes[v]
	l.count++
	if a.message != none {
		if l.behind == none {
			e.messages[a.message].next = a.message
		} else {
			last := &e.messages[l.behind]
			e.messages[a.message].next, last.next = last.next, a.message
		}
		l.behind = a.message
	}
	switch {
	case l.out != none:
		e.list(v)
	case a.message != none || e.whole:
		e.advance(v, 0)
	}
}

// advance turns a lane to the message behind the last, if that has come; after a delay.
func (e *engine) advance(v int32, after int) {
	l := &e.lanes[v]
	if l.message != none || l.behind == none {
		return
	}
	last := &e.messages[l.behind]
	first := last.next
	m := &e.messages[first]
	if e.whole && l.count < m.length {
		return
	}
	if last.next = m.next; m == last {
		l.behind = none
	}
	e.front(v, first, after)
}

// front has the head of a message routed, after a delay.
func (e *engine) front(v, message int32, after int) {
	l, m := &e.lanes[v], &e.messages[message]
	l.rest, l.message, l.row, l.tag = m.length, message, m.row, m.tag
	if v >= e.channels {
		l.count = m.length
	}
	e.put(e.routed, e.o.Delays.Route+after, v)
}

// wait adds a head that has been routed to those that wait at its node.
func (e *engine) wait(v int32) {
	l := &e.lanes[v]
	if len(e.n.Row(l.row)) == 0 {
		m := &e.messages[l.message]
		e.fail(fmt.Errorf("%s does not deliver everything: a packet for %s is at a dead end; see unknot check --property delivery", e.n.Name(), e.topo.Node(e.n.Table(int(m.table)).Dest).Name))
		return
	}
	n := &e.nodes[l.node]
	e.heads[n.first+n.waiting] = v
	n.waiting++
	l.waiting, l.since = true, e.now
	e.wake(l.node)
}

// fail ends the run; the first fault is kept.
func (e *engine) fail(err error) {
	if e.fault == nil {
		e.fault = err
	}
}

// list adds a lane to those that compete, if its front flit may move. Once it may, only
// its own moves change that.
func (e *engine) list(v int32) {
	l := &e.lanes[v]
	if l.listed || !e.moves(l) {
		return
	}
	l.listed = true
	e.compete = append(e.compete, e.bidder(v))
}

func (e *engine) bidder(v int32) bidder {
	l := &e.lanes[v]
	out := e.links + l.node
	if l.out != spec.Eject {
		out = e.lanes[l.out].in
	}
	return bidder{v, l.in, out, int32(l.place)}
}

// moves reports whether the front flit of a lane may move.
func (e *engine) moves(l *lane) bool {
	return l.count > 0 && l.out != none && (l.out == spec.Eject || e.packets || e.lanes[l.out].credits > 0)
}

// deliver ends a message.
func (e *engine) deliver(at int32) {
	m := &e.messages[at]
	e.m.deliver(m)
	e.alive--
	done := *m
	m.next, e.free = e.free, at
	e.source.delivered(&done)
}

// run simulates so many clocks, or until all of a trace has been delivered. Now and then it asks whether to stop.
func (e *engine) run(ctx context.Context, clocks int, stop func() bool) error {
	for range clocks {
		if e.now%64 == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if e.now%patience == 0 && stop() {
			return nil
		}
		if e.clock(); e.fault != nil || e.source.over() {
			return e.fault
		}
	}
	return nil
}
