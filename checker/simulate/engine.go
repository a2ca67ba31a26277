package simulate

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"

	"github.com/seed-105a2da2/unknot/spec"
)

// Layout. Everything is a number into flat slices. A lane is a buffer with the state of
// the message at its front: lanes 0..channels-1 are the network channels, then each node
// has Options.Lanes more for what it is sending. What is on its way (flits, credits, heads that are being
// routed) is in wheels of slots by clock. Nothing is allocated in a clock, but
// where a queue grows beyond what it has ever been.

const none = -2 // no lane, no channel (spec.Eject is -1), no message

// lane is a buffer, and what its sender knows of it.
type lane struct { // 64 bytes: a line of the cache
	node, port    int32 // of the router that it is at; its input port
	head, count   int32 // of its flits in engine.flits
	message       int32 // at the front, if that is routed
	out           spec.ChannelID
	row           spec.RowID
	ready         int32 // clock from which its flits may compete
	since         int32 // clock from which its head waits
	listed        int32 // its place among those that compete, or none
	owner         int32 // lane whose message it was given to
	credits       int32
	changed       int32 // clock in which it last became free or ceased to be
	tag, outTag   spec.Tag
	place         int16 // its number within the port
	waiting, left bool  // it is one of the heads that wait at its node; the head of its message has been sent
	before        bool  // whether it was free until changed
}

// flit is a flit of a message: twice its number, from 0, and 1 more for the tail.
type flit struct{ message, place int32 }

func (f flit) head() bool { return f.place <= 1 }
func (f flit) tail() bool { return f.place&1 == 1 }

// bidder is a lane that competes: through which ports it goes, and from when.
type bidder struct{ lane, in, place, out, ready int32 }

// message is one that is somewhere, or a free record.
type message struct {
	serial           int64
	created, entered int32
	source           spec.NodeID
	table            int32
	row              spec.RowID // of its source
	length, sent     int32      // flits; those that have left the source
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

// arrival is a flit that will be in a buffer, or ejected.
type arrival struct {
	to spec.ChannelID
	flit
}

type engine struct {
	n      *spec.Network
	topo   *spec.Topology
	routes *routes
	o      Options
	now    int32

	channels, links int32
	depth           int32 // flits of a buffer
	credits         int32 // of a channel: flits, or packets
	transit         int   // clocks
	packets, whole  bool  // credits count packets; a packet is forwarded when it is all there

	lanes    []lane
	flits    []flit
	nodes    []node
	heads    []int32 // lanes whose head waits, by node
	messages []message
	free     int32 // first record that is free
	serial   int64
	alive    int   // messages generated and not delivered
	injected int64 // flits that have left their source

	dirty             []int32 // nodes where a head may get what it waits for
	compete           []bidder
	inputs, outputs   []port
	touchedIn, inUse  []int32
	arriving          [][]arrival
	returning, routed [][]int32 // credits, by channel; heads that have been routed, by lane

	carried  []int64 // flits, by link
	random   *rand.Rand
	permit   []spec.Hop // scratch: what is free
	source   *sources
	selector Selector
	view     View
	sizes    []int // of the dimensions of coordinates
	m        *measures
	record   func(serial int64, m spec.Move) // is told each move; may be nil
	fault    error
}

// port is a side of a crossbar: who would win it in clock stamp, and who won it last.
type port struct {
	stamp, best, key, last int32 // best: place in engine.compete
	created                int64
}

func newEngine(n *spec.Network, o Options) (*engine, error) {
	o, err := o.settle(n)
	if err != nil {
		return nil, err
	}
	t := n.Topology()
	e := &engine{n: n, topo: t, routes: routesOf(n), o: o, free: none, random: rand.New(rand.NewPCG(o.Seed, 0))}
	e.channels, e.links = int32(t.Channels()), int32(t.Links())
	e.depth, e.credits = int32(n.Buffer()), int32(n.Buffer())
	if n.Switching() != spec.Wormhole {
		e.packets, e.whole = true, n.Switching() == spec.StoreAndForward
		e.credits = int32(n.Capacity())
		e.depth = e.credits * int32(o.longest())
	}
	if int64(e.channels)*int64(e.depth) > 1<<30 {
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
	e.flits = make([]flit, e.channels*e.depth)
	e.nodes, e.carried = make([]node, nodes), make([]int64, e.links)
	e.inputs, e.outputs = make([]port, e.links+nodes), make([]port, e.links+nodes)
	at := make([]int32, nodes)
	for v := range e.lanes {
		l := &e.lanes[v]
		l.out, l.message, l.owner, l.credits, l.changed, l.listed = none, none, none, e.credits, -1, none
		if c := spec.ChannelID(v); v < int(e.channels) {
			l.node, l.port, l.place = int32(t.Head(c)), int32(t.LinkOf(c)), int16(t.VC(c))
		} else {
			l.node, l.place = (int32(v)-e.channels)/int32(o.Lanes), int16((int32(v)-e.channels)%int32(o.Lanes))
			l.port = e.links + l.node
		}
		at[l.node]++
	}
	e.heads = make([]int32, len(e.lanes))
	first := int32(0)
	for v := range e.nodes {
		e.nodes[v].first, e.nodes[v].head, e.nodes[v].tail = first, none, none
		first += at[v]
	}
	for i := range e.inputs {
		e.inputs[i] = port{stamp: -1, last: -1}
		e.outputs[i] = e.inputs[i]
	}
	d := o.Delays
	e.transit = d.transit()
	e.arriving = wheel[arrival](d.transit())
	e.returning = wheel[int32](d.Credit)
	e.routed = wheel[int32](d.Route + max(d.Source, 1))
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
	for _, c := range *returned {
		e.credit(c)
	}
	*returned = (*returned)[:0]
	arrived := slot(e, e.arriving, 0)
	for _, a := range *arrived {
		e.arrive(a)
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
	e.cross()
	e.m.clock()
	e.now++
}

// credit gives a channel's sender one back.
func (e *engine) credit(c int32) {
	l := &e.lanes[c]
	was := e.isFree(l)
	l.credits++
	if l.owner != none {
		e.list(&e.lanes[l.owner], l.owner)
	} else if !was && e.isFree(l) {
		e.turned(l, c, false)
	}
}

// isFree reports whether a channel may be given to a message.
func (e *engine) isFree(l *lane) bool {
	if e.packets || e.o.Shared {
		return l.owner == none && l.credits > 0
	}
	return l.owner == none && l.credits == e.credits
}

// turned keeps that channel c became free in this clock, or ceased to be.
func (e *engine) turned(l *lane, c int32, was bool) {
	if l.changed != e.now {
		l.changed, l.before = e.now, was
	}
	if !was {
		e.touch(int32(e.topo.Tail(spec.ChannelID(c))))
	}
}

// touch has a node look at its heads again.
func (e *engine) touch(v int32) {
	if n := &e.nodes[v]; !n.dirty && n.waiting > 0 {
		n.dirty = true
		e.dirty = append(e.dirty, v)
	}
}

// arrive puts a flit into its buffer, or hands it to its destination.
func (e *engine) arrive(a arrival) {
	if a.to == spec.Eject {
		e.m.flit()
		if a.tail() {
			e.deliver(a.message)
		}
		return
	}
	l := &e.lanes[a.to]
	at := l.head + l.count
	if at >= e.depth {
		at -= e.depth
	}
	e.flits[int32(a.to)*e.depth+at] = a.flit
	l.count++
	switch {
	case l.out != none:
		e.list(l, int32(a.to))
	case l.message == none:
		first := e.flits[int32(a.to)*e.depth+l.head]
		if first.head() && (!e.whole || first.message == a.message && a.tail()) {
			e.front(int32(a.to), first.message, 0)
		}
	}
}

// front has the head of a message routed, after a delay.
func (e *engine) front(v, message int32, after int) {
	l := &e.lanes[v]
	m := &e.messages[message]
	l.message, l.tag, l.left = message, m.tag, false
	if v >= e.channels {
		l.row = m.row
	} else {
		row, legal := e.routes.row(int(m.table), spec.ChannelID(v), m.tag)
		if !legal {
			panic("a message is where no table has it")
		}
		l.row = row
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
	e.touch(l.node)
}

// fail ends the run; the first fault is kept.
func (e *engine) fail(err error) {
	if e.fault == nil {
		e.fault = err
	}
}

// list adds a lane to those that compete, if its front flit may move.
func (e *engine) list(l *lane, v int32) {
	if l.listed != none || !e.moves(l, v) {
		return
	}
	out := e.links + l.node
	if l.out != spec.Eject {
		out = e.lanes[l.out].port
	}
	l.listed = int32(len(e.compete))
	e.compete = append(e.compete, bidder{v, l.port, int32(l.place), out, l.ready})
}

// strike takes a lane from those that compete.
func (e *engine) strike(l *lane) {
	last := len(e.compete) - 1
	moved := e.compete[last]
	e.compete[l.listed] = moved
	e.lanes[moved.lane].listed = l.listed
	e.compete = e.compete[:last]
	l.listed = none
}

// moves reports whether the front flit of a lane may move. Once it may, only its own moves
// change that.
func (e *engine) moves(l *lane, v int32) bool {
	if l.out == none || v < e.channels && l.count == 0 {
		return false
	}
	return l.out == spec.Eject || e.packets || e.lanes[l.out].credits > 0
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

// run simulates so many clocks. Now and then it asks whether to stop.
func (e *engine) run(ctx context.Context, clocks int, stop func() bool) error {
	for range clocks {
		if e.now%64 == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if e.now%patience == 0 && stop() {
			return nil
		}
		if e.clock(); e.fault != nil {
			return e.fault
		}
	}
	return nil
}
