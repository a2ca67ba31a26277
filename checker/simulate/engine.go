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

// Layout. Everything is a number into flat slices. A lane is a buffer: lanes 0..channels-1 are the network channels, then each node
// has Options.Lanes more for what it is sending. What each flit changes of it is in a lane, what only heads do in a front. Flits come and go in order, so of a buffer only their number is kept,
// and the messages that they belong to. What is on its way (flits, credits, heads that are being
// routed) is in wheels of slots by clock. Nothing is allocated in a clock, but
// where a list grows beyond what it has ever been.

// nodesOfRegion is log2 of the routers of a region, so that its state fits into a cache of a megabyte.
const nodesOfRegion = 10

const none = -2 // no lane, no channel (spec.Eject is -1), no message

// lane is a buffer, and what its sender knows of it.
type lane struct { // 32 bytes: half a line of the cache
	out         spec.ChannelID // granted to the message at the front
	in, outPort int32          // port that it is at; port of out
	owner       int32          // lane whose message it was given to
	credits     int32
	count, rest int32 // flits in the buffer, or at the source; flits of the message at the front that have not left
	place       int16 // its number within the port
	flags       uint8
}

// front is the message at the front of a lane, and those behind it.
type front struct { // 32 bytes
	message, behind int32 // at the front; last of those behind it, in a ring by message.next; or none
	table           int32
	row             spec.RowID
	tag, outTag     spec.Tag
	node            int32 // router at the end of the lane
	since           int32 // clock from which the head waits
	given           int32 // messages that came, of those sent since the warm-up
}

// Flags of a lane.
const (
	listed  uint8 = 1 << iota // it is in region.compete, or will be
	left                      // the head of its message has left
	waiting                   // it is one of the heads that wait at its node
)

func (l *lane) is(flag uint8) bool { return l.flags&flag != 0 }

// bidder is a lane that competes, or none: its number within its port, and through which ports its flit goes.
type bidder struct{ lane, place, in, out int32 }

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

// arrival is a flit that will be in a buffer: the head of a message, or none.
type arrival struct { // 16 bytes
	to             spec.ChannelID
	message, table int32
	length         uint16
	tag            spec.Tag
}

// region is some routers that are simulated together: all that happens in a clock at one of them depends only on what happened at
// others before. So the state of a region is read from memory once a clock.
type region struct {
	number    int32
	returning [][]int32   // credits, by channel
	arriving  [][]arrival // heads; with store-and-forward all flits
	following [][]int32   // flits behind a head, by channel
	routed    [][]int32   // heads that have been routed, by lane
	due       [][]bidder  // that will compete
	dirty     []int32     // nodes where a head may get what it waits for
	compete   []bidder
}

// change is when a channel last became free or ceased to be, and which it was until then.
type change struct {
	clock int32
	was   bool
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
	fronts   []front
	nodes    []node
	heads    []int32 // lanes whose head waits, by node
	messages []message
	free     int32 // first record that is free
	serial   int64
	alive    int   // messages generated and not delivered
	injected int64 // flits that have left their source

	ports   []port // by link, and then by node: where messages come from its source, and where they are delivered
	regions []region
	within  int     // log2 of the nodes of a region
	asked   []int32 // scratch

	leaving []int32   // flits that will have left the network, by clock
	leavers [][]int32 // and the messages of the tails among them

	random    *rand.Rand // nil if there are several regions: see chance.go
	chance    chance
	permit    []spec.Hop // scratch: what is free
	source    *sources
	delivered []message // in this clock, in a closed loop
	selector  Selector
	changed   []change // by channel, for the selector
	ranked    bool     // the arbiter orders by rank
	view      View
	sizes     []int // of the dimensions of coordinates
	m         *measures
	record    func(serial int64, m spec.Move) // is told each move; may be nil
	fault     error

	ahead   bool  // lanes are read ahead, see ahead.go
	far     bool  // routes are
	touched int32 // sums of what was read ahead, lest the compiler drop the reads
}

// port is a link, with its sides of the crossbars at its two ends: who would win it in this clock (a place in
// region.compete, or none), and who won it last.
type port struct { // 32 bytes: half a line of the cache
	bestIn, lastIn, bestOut, lastOut int32
	sender, receiver                 int32 // routers at its ends; one, for what is between a source and its router
	carried                          int64 // flits, out
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
	e := &engine{n: n, topo: t, routes: o.routes, o: o, free: none, chance: chance(spread(o.Seed)), random: rand.New(rand.NewPCG(o.Seed, 0))}
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
	e.ranked = o.Arbiter == Oldest || o.Arbiter == Random
	e.build()
	if e.source, err = newSources(e); err != nil {
		return nil, err
	}
	if e.m = newMeasures(e); o.Select != nil {
		e.selector, e.changed = o.Select(), make([]change, e.channels)
		for c := range e.changed {
			e.changed[c].clock = -1
		}
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
	e.fronts = make([]front, len(e.lanes))
	hugePages(e.lanes)
	hugePages(e.fronts)
	hugePages(e.ports)
	for i := range e.ports {
		e.ports[i] = port{bestIn: none, lastIn: -1, bestOut: none, lastOut: -1}
	}
	at := make([]int32, nodes)
	for v := range e.lanes {
		l, f := &e.lanes[v], &e.fronts[v]
		*l, *f = lane{out: none, owner: none, credits: e.credits}, front{message: none, behind: none}
		if c := spec.ChannelID(v); v < int(e.channels) {
			l.in, l.place = int32(t.LinkOf(c)), int16(t.VC(c))
			f.node = int32(t.Head(c))
			e.ports[l.in].sender, e.ports[l.in].receiver = int32(t.Tail(c)), f.node
		} else {
			f.node = (int32(v) - e.channels) / int32(o.Lanes)
			l.in, l.place = e.links+f.node, int16((int32(v)-e.channels)%int32(o.Lanes))
			e.ports[l.in].sender, e.ports[l.in].receiver = f.node, f.node
		}
		at[f.node]++
	}
	e.heads = make([]int32, len(e.lanes))
	first := int32(0)
	for v := range e.nodes {
		e.nodes[v].first, e.nodes[v].head, e.nodes[v].tail = first, none, none
		first += at[v]
	}
	d := o.Delays
	e.transit, e.ahead, e.far = d.transit(), len(e.lanes) > large, len(e.routes.sites) > large
	e.leavers = wheel[int32](e.transit)
	e.leaving = make([]int32, len(e.leavers))
	if e.within = nodesOfRegion; o.within > 0 {
		e.within = o.within - 1
	}
	if e.regions = make([]region, (nodes-1)>>e.within+1); len(e.regions) > 1 || o.within > 0 {
		e.random = nil
	}
	for i := range e.regions {
		e.regions[i] = region{
			number:    int32(i),
			returning: wheel[int32](d.Credit), arriving: wheel[arrival](e.transit), following: wheel[int32](e.transit),
			routed: wheel[int32](d.Route + max(d.Source, 1)), due: wheel[bidder](d.Allocate),
		}
	}
}

// wheel returns slots for what comes at most so many clocks later.
func wheel[T any](most int) [][]T { return make([][]T, 1<<bits.Len(uint(most))) }

// slot returns the slot of a wheel for a clock so many after now.
func slot[T any](e *engine, wheel [][]T, after int) *[]T {
	return &wheel[(int(e.now)+after)&(len(wheel)-1)]
}

// put puts something into a slot of a wheel.
func put[T any](e *engine, wheel [][]T, after int, x T) {
	s := slot(e, wheel, after)
	*s = append(*s, x)
}

// regionOf returns the region of a node.
func (e *engine) regionOf(node int32) *region { return &e.regions[node>>e.within] }

// clock simulates one clock.
func (e *engine) clock() {
	e.leave()
	if e.random != nil {
		e.enter(&e.regions[0])
	}
	e.answer()
	e.source.generate()
	for i := range e.regions {
		r := &e.regions[i]
		if e.random == nil {
			e.enter(r)
		}
		routed := slot(e, r.routed, 0)
		if e.ahead {
			e.touchRouted(*routed)
		}
		for _, v := range *routed {
			e.wait(v)
		}
		*routed = (*routed)[:0]
		if len(r.dirty) > 0 {
			for _, v := range r.dirty {
				e.nodes[v].dirty = false
				e.allocate(r, v)
			}
			r.dirty = r.dirty[:0]
		}
		due := slot(e, r.due, 0)
		r.compete = append(r.compete, *due...)
		*due = (*due)[:0]
		if len(r.compete) > 0 {
			e.cross(r)
		}
	}
	e.m.clock()
	e.now++
}

// isFree reports whether a channel may be given to a message.
func (e *engine) isFree(l *lane) bool {
	return l.owner == none && l.credits >= e.needed
}

// turned records that channel c became free in this clock, or ceased to be.
func (e *engine) turned(c int32, was bool) {
	if e.changed != nil && e.changed[c].clock != e.now {
		e.changed[c] = change{e.now, was}
	}
	if !was {
		e.wake(e.ports[e.lanes[c].in].sender)
	}
}

// wake has a node look at its heads again.
func (e *engine) wake(v int32) {
	if n := &e.nodes[v]; !n.dirty && n.waiting > 0 {
		n.dirty = true
		r := e.regionOf(v)
		r.dirty = append(r.dirty, v)
	}
}

// meet puts the head of a message into the buffer of a channel, and has it routed if it is at the front.
func (e *engine) meet(r *region, a *arrival) {
	v := int32(a.to)
	l, f := &e.lanes[v], &e.fronts[v]
	if int(e.now)-e.transit >= e.o.Warmup { // it was sent then
		f.given++
	}
	row := e.routes.row(a.table, v, l.in, a.tag)
	if f.message == none && f.behind == none && !e.whole {
		f.message, f.table, f.row, f.tag, l.rest = a.message, a.table, row, a.tag, int32(a.length)
		put(e, r.routed, e.o.Delays.Route, v)
		return
	}
	m := &e.messages[a.message]
	m.row, m.tag = row, a.tag
	e.follow(f, a.message)
	e.advance(v, 0)
}

// follow puts a message behind those in a lane.
func (e *engine) follow(f *front, message int32) {
	if f.behind == none {
		e.messages[message].next = message
	} else {
		last := &e.messages[f.behind]
		e.messages[message].next, last.next = last.next, message
	}
	f.behind = message
}

// advance turns a lane to the message behind the last, if that has come; after a delay.
func (e *engine) advance(v int32, after int) {
	f := &e.fronts[v]
	if f.message != none || f.behind == none {
		return
	}
	last := &e.messages[f.behind]
	first := last.next
	m := &e.messages[first]
	if e.whole && e.lanes[v].count < m.length {
		return
	}
	if last.next = m.next; m == last {
		f.behind = none
	}
	e.begin(v, first, after)
}

// begin has the head of a message routed, after a delay.
func (e *engine) begin(v, message int32, after int) {
	l, f, m := &e.lanes[v], &e.fronts[v], &e.messages[message]
	f.message, f.table, f.row, f.tag, l.rest = message, m.table, m.row, m.tag, m.length
	if v >= e.channels {
		l.count = m.length
	}
	put(e, e.regionOf(f.node).routed, e.o.Delays.Route+after, v)
}

// wait adds a head that has been routed to those that wait at its node.
func (e *engine) wait(v int32) {
	f := &e.fronts[v]
	if len(e.n.Row(f.row)) == 0 {
		e.fail(fmt.Errorf("%s does not deliver everything: a packet for %s is at a dead end; see unknot check --property delivery", e.n.Name(), e.topo.Node(e.n.Table(int(f.table)).Dest).Name))
		return
	}
	at := f.node
	n := &e.nodes[at]
	e.heads[n.first+n.waiting] = v
	n.waiting++
	e.lanes[v].flags |= waiting
	f.since = e.now
	e.wake(at)
}

// fail ends the run; the first fault is kept.
func (e *engine) fail(err error) {
	if e.fault == nil {
		e.fault = err
	}
}

// bidder returns what a lane competes with, once it has a VC.
func (e *engine) bidder(v int32) bidder {
	l := &e.lanes[v]
	return bidder{v, int32(l.place), l.in, l.outPort}
}

// deliver ends a message.
func (e *engine) deliver(at int32) {
	m := &e.messages[at]
	e.m.deliver(m)
	e.alive--
	if e.o.Window > 0 {
		e.delivered = append(e.delivered, *m)
	}
	m.next, e.free = e.free, at
}

// answer tells the sources what has been delivered in this clock, by node: each takes one message in a clock.
func (e *engine) answer() {
	if e.random == nil {
		slices.SortFunc(e.delivered, func(a, b message) int {
			return int(e.n.Table(int(a.table)).Dest - e.n.Table(int(b.table)).Dest)
		})
	}
	for i := range e.delivered {
		e.source.delivered(&e.delivered[i])
	}
	e.delivered = e.delivered[:0]
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
