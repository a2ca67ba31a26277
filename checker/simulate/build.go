package simulate

import (
	"math"
	"math/bits"
	"math/rand/v2"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/hash"
	"github.com/seed-105a2da2/unknot/spec/support/pages"
)

// newEngine builds the engine of a run, in which nothing has happened.
func newEngine(n *spec.Network, o Options) (*engine, error) {
	o, err := o.settle(n)
	if err != nil {
		return nil, err
	}
	t := n.Topology()
	if o.routes == nil {
		o.routes = routesOf(n)
	}
	e := &engine{
		n: n, topo: t, routes: o.routes, o: o, free: none, chance: chance(hash.Finish(o.Seed)),
		random: rand.New(rand.NewPCG(o.Seed, 0)),
	}
	e.room = int32(n.Room())
	e.channels, e.links = int32(t.Channels()), int32(t.Links())
	e.credits, e.needed = int32(n.Buffer()), int32(n.Buffer())
	flits := int64(e.credits)
	switch {
	case n.Switching() != spec.Wormhole:
		e.inPackets, e.whole = true, n.Switching() == spec.StoreAndForward
		e.credits = int32(n.Capacity())
		e.needed = 1
		flits = int64(e.credits) * int64(o.longest())
	case o.Shared:
		e.needed = 1
	}
	if !e.inPackets {
		e.each = 1
	}
	if o.Arbiter == Packet {
		e.again = 1
	}
	if int64(e.channels)*flits > 1<<30 {
		return nil, &spec.BoundError{What: "flits in all buffers", Limit: 1 << 30}
	}
	e.ranked = o.Arbiter == Oldest || o.Arbiter == Random
	e.build()
	if e.source, err = newSources(n, &e.o, e.queues, e.routes.number); err != nil {
		return nil, err
	}
	if e.m = newMeasures(&e.o, e.ports[:e.links], e.source.to.rate); o.Select != nil {
		e.selector, e.changed = o.Select(), make([]change, e.channels)
		for c := range e.changed {
			e.changed[c].clock = -1
		}
	}
	e.view = View{
		topo: t, routes: e.routes, lanes: e.lanes, ports: e.ports, changed: e.changed, needed: e.needed,
		stream: e.random, commit: e.commit,
	}
	return e, nil
}

const (
	nodesOfOne    = 1024 // routers that form a single region: their state fits into a cache of a megabyte
	nodesOfRegion = 7    // log2 of the routers of a region in a larger network; see clocks.go
)

// build lays out lanes, ports and nodes.
func (e *engine) build() {
	t, o := e.topo, &e.o
	nodes := int32(t.Nodes())
	e.lanes = make([]lane, e.channels+nodes*int32(o.Injectors))
	e.nodes, e.queues = make([]node, nodes), make([]queue, nodes)
	e.ports, e.ends = make([]port, e.links+nodes), make([]ends, e.links+nodes)
	if e.n.Discards() { // for each input port one more that nothing else asks for
		e.ports = make([]port, 2*(e.links+nodes))
	}
	e.fronts = make([]front, len(e.lanes))
	pages.Huge(e.lanes)
	pages.Huge(e.fronts)
	pages.Huge(e.ports)
	for i := range e.ports {
		e.ports[i] = port{in: noBid, out: noBid, lastOut: -1}
	}
	at := make([]int32, nodes)
	for v := range e.lanes {
		l, f := &e.lanes[v], &e.fronts[v]
		*l, *f = lane{out: none, owner: none, credits: e.credits}, front{packet: none, behind: none}
		if c := spec.ChannelID(v); v < int(e.channels) {
			l.in, f.node = int32(t.LinkOf(c)), int32(t.Head(c))
			e.ends[l.in] = ends{int32(t.Tail(c)), f.node}
		} else {
			f.node = e.nodeOf(int32(v))
			l.in, e.ends[e.links+f.node] = e.links+f.node, ends{f.node, f.node}
		}
		if v == 0 || l.in != e.lanes[v-1].in {
			e.ports[l.in].lastIn = int32(v) - 1
		}
		at[f.node]++
	}
	e.heads = make([]int32, len(e.lanes))
	first := int32(0)
	for v := range e.nodes {
		e.nodes[v].first, e.queues[v] = first, queue{head: none, tail: none}
		first += at[v]
	}
	d := o.Delays
	e.transit, e.ahead, e.far = d.transit(), len(e.lanes) > large, e.routes.search != nil || len(e.routes.sites) > large
	switch small := nodes <= nodesOfOne; {
	case o.within > 0:
		e.within = o.within - 1
	case small:
		e.within = bits.Len(nodesOfOne)
	default:
		e.within = nodesOfRegion
	}
	for (nodes-1)>>e.within > math.MaxUint16 {
		e.within++
	}
	if e.regions = make([]region, (nodes-1)>>e.within+1); len(e.regions) > 1 || o.within > 0 {
		e.random = nil
	}
	for i := range e.regions {
		e.regions[i] = region{
			number:    int32(i),
			returning: wheel[int32](d.Credit), arriving: wheel[arrival](e.transit), following: wheel[int32](e.transit),
			routed: wheel[int32](d.Route + max(d.Source, 1)), due: wheel[bidder](d.Allocate),
			leavers: wheel[int32](e.transit),
		}
		e.regions[i].leaving = make([]int32, len(e.regions[i].leavers))
	}
	for v := range e.lanes {
		l := &e.lanes[v]
		x := e.ends[l.in]
		if l.from, l.to = uint16(e.regionOf(x.sender).number), uint16(e.regionOf(x.receiver).number); l.from == l.to {
			l.flags |= near
		}
		if v < int(e.channels) {
			l.flags |= credited
		}
	}
	e.block()
}

// wheel returns slots for events up to the given number of clocks ahead.
func wheel[T any](most int) [][]T { return make([][]T, 1<<bits.Len(uint(most))) }
