package simulate

import (
	"math/rand/v2"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/hash"
)

// engine is the state of a run.
type engine struct {
	n      *spec.Network
	topo   *spec.Topology
	routes *routes
	o      Options
	now    int32

	channels, links  int32
	credits          int32 // of a channel: flits, or packets
	needed           int32 // credits that a packet needs to be given a channel
	room             int32 // the most that a hop needs
	transit          int   // clocks
	inPackets, whole bool  // credits count packets; one is forwarded once it has arrived completely
	each             int32 // credits that a flit takes: 1, or 0 if they count packets
	again            int32 // 1 if a packet that won is the next to win

	lanes    []lane
	fronts   []front
	nodes    []node
	queues   []queue // by node
	heads    []int32 // lanes whose head waits, by node
	packets  []packet
	free     int32 // first free record
	serial   int64
	alive    int   // packets generated and not delivered
	lost     int   // packets discarded
	injected int64 // flits of packets that have left their source

	ports   []port // by link, and then by node: where packets come from its source, and where they are delivered
	ends    []ends // of each
	regions []region
	span    int32   // number of clocks that regions are simulated for at a time
	within  int     // log2 of the nodes of a region
	asked   []int32 // scratch

	random    *rand.Rand // nil if there are several regions: see chance.go
	chance    chance
	permit    []spec.Hop // scratch: the free hops
	source    *sources
	delivered []packet // in this clock, in a closed loop
	selector  Selector
	changed   []change // by channel, for the selector
	ranked    bool     // the arbiter orders by rank
	view      View
	m         *measures
	record    func(serial int64, m spec.Move) // called with each move; may be nil
	fault     error
	faulty    [2]int32 // clock and region of the fault

	ahead   bool  // lanes are read ahead; see ahead.go
	far     bool  // routes are, too
	touched int32 // sums of what was read ahead, so that the compiler keeps the reads
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
	if x := [2]int32{e.now, e.regionOf(node).number}; e.fault == nil || x[0] < e.faulty[0] ||
		x[0] == e.faulty[0] && x[1] < e.faulty[1] {
		e.fault, e.faulty = err, x
	}
}

// slot returns the slot of a wheel for the clock that lies after clocks ahead.
func slot[T any](e *engine, wheel [][]T, after int) *[]T {
	return &wheel[(int(e.now)+after)&(len(wheel)-1)]
}

// put adds something to a slot of a wheel.
func put[T any](e *engine, wheel [][]T, after int, x T) {
	s := slot(e, wheel, after)
	*s = append(*s, x)
}

// regionOf returns the region of a node.
func (e *engine) regionOf(node int32) *region { return &e.regions[node>>e.within] }

// draw returns the generator of a lane for this clock.
func (e *engine) draw(v int32, what uint64) chance {
	return e.chance ^ chance(hash.Finish(uint64(e.now)<<34^uint64(v)<<2^what))
}
