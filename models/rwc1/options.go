package rwc1

import (
	"fmt"

	"github.com/seed-105a2da2/unknot/models/mdce"
	"github.com/seed-105a2da2/unknot/spec"
)

// Topology says which network of DCE type the routers form, or one ring of it.
type Topology uint8

const (
	CCCB   Topology = iota // (1,1,1)-MDCE, as in the machine
	Banyan                 // circular banyan alone, (1,0,1)-MDCE
	CCC                    // directed-ring cube-connected cycles alone, (0,1,1)-MDCE
	Ring                   // routers 0..n-1 in one directed ring: the part common to all the others
)

// TopologyNames are the names of the topologies, in order.
var TopologyNames = []string{"cccb", "c-banyan", "ccc", "ring"}

// Border is the VC that a packet uses on the link from x = n-1 to x = 0. The paper says
// that the index goes up when a packet passes there, which can be read in two ways.
type Border uint8

const (
	// Over: the channel across the border already has the higher index, as the buffer
	// at its end belongs to x = 0. This is what package mdce does.
	Over Border = iota
	// After: the channel across the border has the old index, and the next channel has
	// the higher one. A packet that ends at x = 0 does not need it.
	After
)

// BorderNames are the names of the readings, in order.
var BorderNames = []string{"over", "after"}

// Traffic is what the endpoints send.
type Traffic uint8

const (
	OneWay       Traffic = iota // packets that are consumed on arrival
	RequestReply                // requests that are consumed when there is room for their reply
)

// Reply says at which level a request is answered.
type Reply uint8

const (
	SameLevel Reply = iota // at the level of the request
	// LevelAbove: requests at levels 0 and 2 are answered at 1 and 3. If the number of
	// levels is odd, the last carries one-way packets.
	LevelAbove
)

// Buffers says which levels the routers keep apart. The paper's have two sets (sections 3.3 and
// 4.3): the upper two levels are system, the lower two user, and each pair has a buffer
// of its own; only the processor's input buffer has four.
type Buffers uint8

const (
	PerLevel Buffers = iota // a set for each level, which is not in the paper
	PerMode                 // as in the paper: levels 0 and 1 share, and so do 2 and 3
)

// Options describes a network.
type Options struct {
	N        int // length of the rings, 2 to 8; the machine has 4
	Topology Topology
	VCs      int // 1 to 16, for each set of buffers; the machine has 3
	Border   Border
	Order    mdce.Precedence // of the two dimensions
	Levels   int             // execution levels in use, 1 to 4: user, user, system, system
	Buffers  Buffers
	Traffic  Traffic
	Reply    Reply // with RequestReply
	Finite   bool  // the PIB holds one packet of each level, and is modelled as channels
	Spill    bool  // a finite PIB that is full is spilled into the APB
}

// LevelNames are the names of the execution levels, the lowest first.
var LevelNames = []string{"user0", "user1", "system0", "system1"}

// check returns an error if the network is too large.
func (o Options) check() error {
	const mostTargets = 1 << 23
	// A server is a class, so they must be numbered in 16 bits, and every pair of
	// requester and server is a table.
	if routers := o.N << (o.N * o.dims()); o.waits() && 2*routers*routers*len(o.kinds()) > mostTargets {
		return fmt.Errorf(
			"%d nodes that wait for each other's replies at %d levels are too many: want fewer nodes or levels",
			routers, o.Levels)
	}
	return nil
}

// dims returns the number of dimensions of n bits.
func (o Options) dims() int {
	m := o.ring()
	return m.Banyan + m.CCC
}

// ring returns the options of the network of routers.
func (o Options) ring() mdce.Options {
	m := mdce.Options{N: o.N, Parallel: 1, VCs: o.VCs, Precedence: o.Order, Switching: spec.VirtualCutThrough}
	if o.Topology == CCCB || o.Topology == Banyan {
		m.Banyan = 1
	}
	if o.Topology == CCCB || o.Topology == CCC {
		m.CCC = 1
	}
	return m
}

// waits reports whether a request can wait in the PIB for room for its reply.
func (o Options) waits() bool { return o.Finite && !o.Spill && o.Traffic == RequestReply }

// set returns the number of the set of buffers that a level uses.
func (o Options) set(level int) int {
	if o.Buffers == PerMode {
		return level / 2
	}
	return level
}

// kind is a kind of packets: one-way packets at a level, or requests at a level that are
// answered at another.
type kind struct {
	asks            bool
	level, answered int
}

// kinds lists the kinds of packets.
func (o Options) kinds() []kind {
	var ks []kind
	for l := 0; l < o.Levels; l++ {
		switch {
		case !o.waits():
			ks = append(ks, kind{level: l})
		case o.Reply == SameLevel:
			ks = append(ks, kind{asks: true, level: l, answered: l})
		case l+1 < o.Levels:
			ks = append(ks, kind{asks: true, level: l, answered: l + 1})
			l++ // the level above carries replies alone
		default:
			ks = append(ks, kind{level: l})
		}
	}
	return ks
}
