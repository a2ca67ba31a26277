package rwc1

import (
	"fmt"
	"strings"
)

// Hold is what holds a user packet back: readings of "user packets move only
// while the system buffers are empty".
type Hold uint8

const (
	ByRouter Hold = iota // a packet of a higher rank anywhere in the router's buffers
	ByFIFO               // one of the same input and VC
	ByPort               // one that can be sent over the same port now
	ByNone               // nothing: no priority, for comparison
)

// HoldNames are the names of those, in order.
var HoldNames = []string{"router", "fifo", "port", "none"}

// Arbiter is how buffers take turns at an output port. The paper: round-robin, "so
// that the channel that has won last has the lowest priority". If every buffer could
// send at any time, Rotate and Queue would both be round-robin. They are not the
// same, since a buffer is passed over for which there is no room beyond.
type Arbiter uint8

const (
	Rotate  Arbiter = iota // the order of the buffers is a fixed cyclic order from the one after the last winner
	Queue                  // the winner goes to the end of the list, the others keep their order
	Fixed                  // the lowest number wins: not round-robin, for comparison
	AnyTurn                // any of those that can be sent: what it never does wrong no arbiter does
)

// ArbiterNames are the names of the arbiters, in order.
var ArbiterNames = []string{"rotate", "queue", "fixed", "any"}

// MachineOptions describes a machine of whole routers.
type MachineOptions struct {
	Fabric  Topology
	N       int // of a ring its routers, 2 to 8; else the length of the rings, 2 to 4
	VCs     int // 1 to 4, for each set of buffers
	Border  Border
	Streams []Stream // 1 to 64
	Buffers Buffers
	Depth   int  // packets that a router's buffer holds, 1 to 4
	PIB     int  // packets that a PIB holds, 1 to 4
	Spill   bool // a full PIB is emptied into the APB
	// Window is how many packets of a processor, or requests without a reply, are
	// under way at most, 1 to 9. 0: as many as there is room for.
	Window  int
	Arbiter Arbiter // AnyTurn, too
	Hold    Hold
	ByLevel bool // every level has a rank of its own, instead of every mode
	Answers bool // a processor sends nothing of its own while a request is first in a PIB of its
	Watch   int  // the stream of which a packet is watched, from 0; -1: none
	Watch2  bool // two packets, for their order
}

func (o MachineOptions) check() error {
	switch {
	case o.Fabric != Ring && o.N > 4:
		return fmt.Errorf("rings of %d routers: want 2 to 4, or one of 2 to 8", o.N)
	case o.Window == 0 && o.Spill:
		return fmt.Errorf("an APB for any number of packets: with spilling want a window of 1 to 9")
	case o.ByLevel && (o.Buffers == PerMode || o.Hold == ByNone):
		return fmt.Errorf("a rank for every level: want a buffer for every level, and a priority")
	case o.Watch2 && o.Watch < 0:
		return fmt.Errorf("two packets are watched, of no stream")
	}
	return nil
}

// Routers returns how many routers the fabric has. They are numbered
// x + n*(y + 2^n*z), those of a ring by x.
func (o MachineOptions) Routers() int { return o.N << (o.N * Options{Topology: o.Fabric}.dims()) }

// set returns the number of the set of buffers that a level uses.
func (o MachineOptions) set(level int) int { return Options{Buffers: o.Buffers}.set(level) }

// rank returns the rank of the packets in a set.
func (o MachineOptions) rank(set int) int {
	switch {
	case o.Hold == ByNone:
		return 0
	case o.Buffers == PerMode || o.ByLevel:
		return set
	}
	return set / 2
}

// name tells machines apart.
func (o MachineOptions) name() string {
	var streams []string
	for _, s := range o.Streams {
		streams = append(streams, s.String())
	}
	return fmt.Sprintf("RWC-1, %s n=%d, %d VCs up %s the border, streams %s, buffers %s of %d, PIB %d, spill %t, window %d, arbiter %s, held by %s, rank by level %t, answers first %t, watch %d %t",
		TopologyNames[o.Fabric], o.N, o.VCs, BorderNames[o.Border], strings.Join(streams, ","), []string{"per level", "per mode"}[o.Buffers], o.Depth,
		o.PIB, o.Spill, o.Window, ArbiterNames[o.Arbiter], HoldNames[o.Hold], o.ByLevel, o.Answers, o.Watch, o.Watch2)
}
