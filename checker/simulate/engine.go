package simulate

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
)

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
	packets, whole  bool  // credits count packets; a packet is forwarded once it has arrived completely
	each            int32 // credits that a flit takes: 1, or 0 if they count packets
	again           int32 // 1 if a message that won is the next to win

	lanes    []lane
	fronts   []front
	nodes    []node
	queues   []queue // by node
	heads    []int32 // lanes whose head waits, by node
	messages []message
	free     int32 // first free record
	serial   int64
	alive    int   // messages generated and not delivered
	injected int64 // flits of messages that have left their source

	ports   []port // by link, and then by node: where messages come from its source, and where they are delivered
	ends    []ends // of each
	regions []region
	span    int32   // number of clocks that regions are simulated for at a time
	within  int     // log2 of the nodes of a region
	asked   []int32 // scratch

	random    *rand.Rand // nil if there are several regions: see chance.go
	chance    chance
	permit    []spec.Hop // scratch: the free hops
	source    *sources
	delivered []message // in this clock, in a closed loop
	selector  Selector
	changed   []change // by channel, for the selector
	ranked    bool     // the arbiter orders by rank
	view      View
	sizes     []int // of the dimensions of coordinates
	m         *measures
	record    func(serial int64, m spec.Move) // called with each move; may be nil
	fault     error
	faulty    [2]int32 // clock and region of the fault

	ahead   bool  // lanes are read ahead; see ahead.go
	far     bool  // routes are, too
	touched int32 // sums of what was read ahead, so that the compiler keeps the reads
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
	if !e.packets {
		e.each = 1
	}
	if o.Arbiter == Message {
		e.again = 1
	}
	if int64(e.channels)*flits > 1<<30 {
		return nil, &spec.BoundError{What: "flits in all buffers", Limit: 1 << 30}
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

// clock simulates one clock.
func (e *engine) clock() {
	for i := range e.regions {
		e.leave(&e.regions[i])
	}
	e.answer()
	e.source.generate(e.now)
	for i := range e.regions {
		e.route(&e.regions[i])
	}
	e.m.clock()
	e.now++
}

// route simulates a clock of a region, except for what leaves the network.
func (e *engine) route(r *region) {
	e.enter(r)
	e.source.emit(r)
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

// isFree reports whether a channel may be granted to a message.
func (e *engine) isFree(l *lane) bool {
	return l.owner == none && l.credits >= e.needed
}

// turned records that channel c of node v became free in this clock, or ceased to be.
func (e *engine) turned(c, v int32, was bool) {
	if e.changed != nil && e.changed[c].clock != e.now {
		e.changed[c] = change{e.now, was}
	}
	if !was {
		e.wake(v)
	}
}

// wake makes a node look at its heads again.
func (e *engine) wake(v int32) {
	if n := &e.nodes[v]; !n.dirty && n.waiting > 0 {
		n.dirty = true
		r := e.regionOf(v)
		r.dirty = append(r.dirty, v)
	}
}

// fail ends the run; it keeps the first fault and, within a clock, that of the lowest region.
func (e *engine) fail(node int32, err error) {
	if x := [2]int32{e.now, e.regionOf(node).number}; e.fault == nil || x[0] < e.faulty[0] || x[0] == e.faulty[0] && x[1] < e.faulty[1] {
		e.fault, e.faulty = err, x
	}
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

// answer informs the sources of what was delivered in this clock, by node: each takes one message a clock.
func (e *engine) answer() {
	if e.random == nil {
		slices.SortFunc(e.delivered, func(a, b message) int {
			return int(e.n.Stored(int(a.table)).Dest - e.n.Stored(int(b.table)).Dest)
		})
	}
	for i := range e.delivered {
		e.source.delivered(&e.delivered[i])
	}
	e.delivered = e.delivered[:0]
}

// run simulates the given number of clocks, or until all of a trace has been delivered.
// Now and then it asks stop whether to end.
func (e *engine) run(ctx context.Context, clocks int, stop func() bool) error {
	for end := e.now + int32(clocks); e.now < end; {
		if e.now%64 == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if e.now%patience == 0 && stop() {
			return nil
		}
		e.clocks(min(end-e.now, 64-e.now%64, patience-e.now%patience))
		if e.fault != nil || e.source.over() {
			return e.fault
		}
	}
	return nil
}
