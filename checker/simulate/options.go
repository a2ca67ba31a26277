package simulate

import (
	"fmt"
	"math"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// Delays are in clocks. A head reaches the next buffer Route + Allocate + Switch + Cross + Link
// clocks after it reached this one, if nothing holds it up: that is one hop. Leaving the network
// takes as long as another hop.
type Delays struct {
	Route    int // from the front of the buffer to the first look for a VC
	Allocate int // from the grant of a VC to the crossbar
	Switch   int // allocation of the crossbar
	Cross    int // through the crossbar
	Link     int // on the link; with Switch and Cross at least 1
	Credit   int // back to the sender, from the clock in which the flit wins the crossbar; at least 1
	Source   int // from the generation of a packet until it is at its node's router
}

// Hop returns the clocks from channel to channel without contention.
func (d Delays) Hop() int { return d.Route + d.Allocate + d.Switch + d.Cross + d.Link }

// transit is how long a flit takes after it has won the crossbar.
func (d Delays) transit() int { return d.Switch + d.Cross + d.Link }

// ThreeClocks is the router of Sugiyama and Funahashi: routing, crossbar, link.
func ThreeClocks() Delays { return Delays{Route: 1, Cross: 1, Link: 1, Credit: 1} }

// FiveStages is a router with separate stages for VC and switch allocation, as in BookSim
// 2.
func FiveStages() Delays {
	return Delays{Route: 1, Allocate: 1, Switch: 1, Cross: 1, Link: 1, Credit: 1}
}

// Arbiter says who wins among several competitors.
type Arbiter uint8

const (
	RoundRobin Arbiter = iota // the next after the last winner
	Oldest                    // whose packet was generated first
	Random                    // anyone
	Packet                    // round-robin, but a packet that has begun continues while its next flit may move
)

// ArbiterNames are the names of the arbiters, in order.
var ArbiterNames = []string{"round-robin", "oldest", "random", "packet"}

// Choice says what commits a packet to one of several alternatives of its routing (oblivious).
type Choice uint8

const (
	ByFlow   Choice = iota // a hash of source, destination, class and router, from the seed, as ECMP's
	ByPacket               // chance: each alternative equally likely, for each packet and router
)

// ChoiceNames are the names of the choices, in order.
var ChoiceNames = []string{"flow", "packet"}

// Length is a length of packets and how often it occurs, relative to the others.
type Length struct {
	Flits  int
	Weight float64
}

func (l Length) possible() bool {
	return l.Flits >= 1 && l.Flits <= mostFlits && l.Weight > 0 && l.Weight <= math.MaxFloat32
}

// Options says how a network is run.
type Options struct {
	Traffic Traffic
	Load    float64 // flits that a sending node generates per clock, on average: above 0, at most 1
	Lengths []Length
	Burst   float64 // packets per burst, on average; 0 or 1: Bernoulli sources
	Window  int     // most unanswered requests of a node; 0: an open loop, without replies
	Replies spec.Class
	Queue   int  // most packets waiting at a node; further ones are refused; 0: no bound
	Stop    bool // a packet that is refused ends the run, and the network counts as saturated only then

	Delays    Delays
	Injectors int // packets that a node may be sending at once, each into its own VC; 0 means 1
	Arbiter   Arbiter
	Select    func() Selector `json:"-"` // makes the selection function of a run; nil: any free VC, each equally likely
	Choice    Choice
	Shared    bool // a VC takes a packet behind the tail of another; see spec.Scenario.Shared

	Clocks int    // to simulate
	Warmup int    // how many of them, at the start, are not measured
	Seed   uint64 // of everything random

	routes *routes // of the network; nil: Run makes them
	within int     // log2 of the nodes of a region, plus 1; 0: a default; affects only the time
}

// LikeBookSim returns the options with the router that BookSim 2 has by default: five stages, a VC that takes a packet
// behind the tail of another, round-robin arbiters, and a source that sends a packet on each VC. A packet passes a
// channel of two clocks into its first router. TestBookSim compares latencies: with random arbiters they are up to 7 %
// above BookSim's, with these 4 %. In a torus, BookSim's links take two clocks, and so do their credits: set Link and Credit
// of the Delays there, as TestBookSimTorus does, whose latencies differ by less than a clock, and what is accepted beyond
// saturation by less than 0.015 flits a clock. That holds for BookSim's routing, not for that of another torus.
func (o Options) LikeBookSim(n *spec.Network) Options {
	o.Delays = FiveStages()
	o.Delays.Source = 2
	o.Shared, o.Arbiter, o.Injectors = true, RoundRobin, 1
	for l := range n.Topology().Links() {
		o.Injectors = max(o.Injectors, n.Topology().Link(spec.LinkID(l)).VCs)
	}
	return o
}

// Limits of options: clocks fit into 31 bits, buffers into memory.
const (
	mostClocks = 1 << 30
	mostFlits  = 4096 // of a packet, as in spec.Scenario
	mostDelay  = 1000
)

// settle checks options against a network and fills in defaults.
func (o Options) settle(n *spec.Network) (Options, error) {
	o.Injectors = max(o.Injectors, 1)
	o.Burst = max(o.Burst, 1)
	if o.Delays == (Delays{}) {
		o.Delays = ThreeClocks()
	}
	d := o.Delays
	switch {
	case !(o.Load > 0 && o.Load <= 1):
		return o, fmt.Errorf("invalid load %v: want more than 0 and at most 1 flit per node and clock", o.Load)
	case len(o.Lengths) == 0:
		return o, fmt.Errorf("invalid lengths: want at least one")
	case o.Clocks < 1 || o.Clocks > mostClocks:
		return o, fmt.Errorf("invalid clocks %d: want 1 to %d", o.Clocks, mostClocks)
	case o.Warmup < 0 || o.Warmup >= o.Clocks:
		return o, fmt.Errorf("invalid warm-up %d: want 0 to %d of %d clocks", o.Warmup, o.Clocks-1, o.Clocks)
	case min(d.Route, d.Allocate, d.Switch, d.Cross, d.Link, d.Source) < 0 ||
		max(d.Route, d.Allocate, d.Switch, d.Cross, d.Link, d.Source, d.Credit) > mostDelay:
		return o, fmt.Errorf("invalid delays %+v: want 0 to %d clocks", d, mostDelay)
	case d.transit() < 1 || d.Credit < 1:
		return o, fmt.Errorf("invalid delays %+v: want at least a clock from router to router, and for a credit", d)
	case o.Burst > 1e6 || math.IsNaN(o.Burst):
		return o, fmt.Errorf("invalid burst %v: want 1 to 1000000 packets", o.Burst)
	case o.Injectors > 64:
		return o, fmt.Errorf("invalid injectors %d: want 1 to 64", o.Injectors)
	case o.Window < 0 || o.Queue < 0:
		return o, fmt.Errorf("invalid window %d or queue %d: want at least 0", o.Window, o.Queue)
	case int(o.Arbiter) >= len(ArbiterNames):
		return o, fmt.Errorf("invalid arbiter %d: want 0 to %d", o.Arbiter, len(ArbiterNames)-1)
	case o.Window > 0 && int(o.Replies) >= len(n.Classes()):
		return o, fmt.Errorf("invalid class of replies %d: %s has %d", o.Replies, n.Name(), len(n.Classes()))
	case len(o.Traffic.Events) > 0 && o.Window > 0:
		return o, fmt.Errorf("invalid window %d: want 0 for a trace, whose packets are not answered", o.Window)
	case int(o.Choice) >= len(ChoiceNames):
		return o, fmt.Errorf("invalid choice %d: want 0 to %d", o.Choice, len(ChoiceNames)-1)
	case o.Window > 0 && n.Discards():
		return o, fmt.Errorf("invalid window %d: %s discards packets, and a request that is discarded is never answered",
			o.Window, n.Name())
	case n.FlowCount() == 0:
		return o, fmt.Errorf("%s has no flows: nothing is sent", n.Name())
	}
	for _, l := range o.Lengths {
		if !l.possible() {
			return o, fmt.Errorf("invalid length %d (weight %v): want 1 to %d flits, of a weight above 0",
				l.Flits, l.Weight, mostFlits)
		}
	}
	return o, nil
}

// longest returns the flits of the longest packets.
func (o *Options) longest() int {
	most := 0
	for _, l := range o.Lengths {
		most = max(most, l.Flits)
	}
	return most
}

// mean returns the average number of flits of a packet.
func (o *Options) mean() float64 {
	sum, weight := 0.0, 0.0
	for _, l := range o.Lengths {
		sum, weight = sum+l.Weight*float64(l.Flits), weight+l.Weight
	}
	return sum / weight
}

// clump returns the flits that come together: the mean length of a burst as seen by a flit.
func (o *Options) clump() float64 {
	squares, sum := 0.0, 0.0
	for _, l := range o.Lengths {
		flits := float64(l.Flits)
		squares, sum = squares+l.Weight*flits*flits, sum+l.Weight*flits
	}
	return o.Burst * squares / sum
}

// ceiling returns the share of a link's bandwidth that the buffer of a VC lets it carry, at most 1, and the buffer
// that lets it carry all. A unit of buffer is taken when a flit, or a packet, is sent to it, and again when its
// credit is back: an otherwise idle router holds it for a round trip (Dally and Towles 2004, 16.3).
func (o Options) ceiling(n *spec.Network) (share float64, enough int) {
	d := o.Delays
	unit, trip := 1.0, float64(d.transit()+d.Credit)
	if n.Switching() != spec.Wormhole { // from the grant of the VC until the tail has left the buffer
		unit, trip = o.mean(), float64(d.Allocate+d.Hop()+d.Credit)+o.mean()-1
		if n.Switching() == spec.StoreAndForward {
			trip += o.mean() - 1
		}
	}
	return min(float64(n.Buffer())*unit/trip, 1), int(math.Ceil(trip / unit))
}

// Warning says what of the setup may hide what was asked for, if anything does.
func (o Options) Warning(n *spec.Network) string {
	o.Load = 1
	o, err := o.settle(n)
	if err != nil {
		return ""
	}
	if share, enough := o.ceiling(n); share < 1 {
		return fmt.Sprintf("buffers of %s are shorter than a credit's round trip: a VC of %s carries at most %.2f of "+
			"the bandwidth of its link; --buffer %d lets it carry all",
			words.Plural(n.Buffer(), unitOf(n)), n.Name(), share, enough)
	}
	return ""
}

// scenario is the reference step's scenario that the run belongs to.
func (o *Options) scenario(n *spec.Network) spec.Scenario {
	if n.Switching() != spec.Wormhole {
		return spec.Scenario{}
	}
	sc := spec.Scenario{Length: o.Lengths[0].Flits, Elastic: true, Shared: o.Shared}
	for _, l := range o.Lengths {
		if l.Flits != sc.Length {
			sc.Length = spec.AnyLength
		}
	}
	return sc
}
