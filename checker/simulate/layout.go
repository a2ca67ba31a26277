package simulate

import (
	"math"
	"math/bits"

	"github.com/seed-105a2da2/unknot/spec"
)

// Layout. Everything is a number into flat slices. A lane is a buffer: lanes
// 0..channels-1 are the network channels, then each node has Options.Lanes more for what
// it is sending. What each flit changes of it is in a lane, what only heads do in a
// front. Flits come and go in order, so of a buffer only their number is kept, and the
// messages that they belong to. What is on its way (flits, credits, heads that are being
// routed) is in wheels of slots by clock. A clock allocates nothing, unless a list grows
// beyond its largest size so far.

const (
	nodesOfOne    = 1024 // routers that are one region: their state fits into a cache of a megabyte
	nodesOfRegion = 7    // log2 of the routers of a region of a larger network, see block.go
)

const none = -2 // no lane, no channel (spec.Eject is -1), no message

// lane is a buffer, and what its sender knows of it.
type lane struct { // 32 bytes: half a line of the cache
	out         spec.ChannelID // granted to the message at the front
	in, outPort int32          // port that it is at; port of out
	owner       int32          // lane whose message it was given to
	credits     int32
	count       int32  // flits in the buffer, or at the source
	rest        int16  // flits of the message at the front that have not left
	from, to    uint16 // regions at the ends of its link
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
	idle     uint8 = 1 << iota // it has a VC, and is not in region.compete
	left                       // the head of its message has left
	streams                    // so has it, and flits behind it need nothing but to be counted
	inside                     // in the region
	waiting                    // it is one of the heads that wait at its node
	near                       // both ends of its link are in one region
	credited                   // flits that leave it give a credit back: it is not a source
)

func (l *lane) is(flag uint8) bool { return l.flags&flag != 0 }

// bidder is a lane that competes, or none, and through which ports its flit goes.
type bidder struct{ lane, in, out int32 }

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

// node is a router: the heads that wait at it.
type node struct { // 16 bytes
	first, waiting int32 // in engine.heads
	turn           int32 // who is first asked, see allocate
	dirty          bool
}

// queue is the source beside a router.
type queue struct {
	head, tail  int32 // of the messages
	queued      int32
	outstanding int32 // requests
	held        bool  // the source waits for a reply
	bursting    bool
	sends       bool
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
	now       int32       // clock that it is simulated in next
	near      []*region   // those that are a link away
	returning [][]int32   // credits, by channel
	arriving  [][]arrival // heads; with store-and-forward all flits
	following [][]int32   // flits behind a head, by channel
	routed    [][]int32   // heads that have been routed, by lane
	leaving   []int32     // flits that will have left the network here
	leavers   [][]int32   // and the messages of the tails among them
	coming    []message   // that sources generate, by clock
	due       [][]bidder  // that will compete
	dirty     []int32     // nodes where a head may get what it waits for
	compete   []bidder
}

// change is when a channel last became free or ceased to be, and which it was until then.
type change struct {
	clock int32
	was   bool
}

// port is a link, with its sides of the crossbars at its two ends: the best bid for it in this clock, and who won it last.
type port struct { // 32 bytes: half a line of the cache
	in, out uint64 // turns until the bidder's, in the upper half, and its place in region.compete; or noBid
	lastIn  int32  // lane
	lastOut int32  // port
	carried int64  // flits, out
}

const noBid = math.MaxUint64

// ends are the routers at the ends of a link; one, for what is between a source and its router.
type ends struct{ sender, receiver int32 }

// build lays out lanes, ports and nodes.
func (e *engine) build() {
	t, o := e.topo, &e.o
	nodes := int32(t.Nodes())
	e.lanes = make([]lane, e.channels+nodes*int32(o.Lanes))
	e.nodes, e.queues = make([]node, nodes), make([]queue, nodes)
	e.ports, e.ends = make([]port, e.links+nodes), make([]ends, e.links+nodes)
	e.fronts = make([]front, len(e.lanes))
	hugePages(e.lanes)
	hugePages(e.fronts)
	hugePages(e.ports)
	for i := range e.ports {
		e.ports[i] = port{in: noBid, out: noBid, lastOut: -1}
	}
	at := make([]int32, nodes)
	for v := range e.lanes {
		l, f := &e.lanes[v], &e.fronts[v]
		*l, *f = lane{out: none, owner: none, credits: e.credits}, front{message: none, behind: none}
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
	e.transit, e.ahead, e.far = d.transit(), len(e.lanes) > large, len(e.routes.sites) > large
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
			routed: wheel[int32](d.Route + max(d.Source, 1)), due: wheel[bidder](d.Allocate), leavers: wheel[int32](e.transit),
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

// wheel returns slots for events at most the given number of clocks ahead.
func wheel[T any](most int) [][]T { return make([][]T, 1<<bits.Len(uint(most))) }

// slot returns the slot of a wheel for the clock that lies after clocks ahead.
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
