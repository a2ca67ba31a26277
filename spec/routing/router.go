package routing

import "github.com/seed-105a2da2/unknot/spec"

// Router is a routing relation as most people write one: a function from a packet to
// the hops that it may take. Packets that have arrived leave the network; Route is not
// asked about them unless Arrivals is set.
//
// Each call of Route makes a slice. [Func] appends to one instead, for relations of
// millions of sites.
type Router struct {
	Topology *spec.Topology
	Route    func(Packet) Choice
	Arrivals bool // Route is asked at the destination, too: see [Arrive]
}

// Packet is what a router sees of a packet that asks where to go.
type Packet struct {
	At          spec.ChannelID // the channel whose buffer it is in, perhaps an injection channel
	Node        spec.NodeID    // the node whose router it asks: the head of At
	spec.Header                // Dest, Class and Tag
}

// Choice is what a router permits a packet. The zero Choice permits nothing: a dead end.
type Choice struct {
	hops    []spec.Hop
	several [][]spec.Hop // alternatives, at least two; nil: hops are the only one
}

// Adaptive permits hops: the packet takes one of them that is free, and while none is, it
// waits for all of them. One hop is deterministic routing.
func Adaptive(hops ...spec.Hop) Choice { return Choice{hops: hops} }

// Arrive has the packet leave the network.
func Arrive() Choice { return Adaptive(spec.Hop{Channel: spec.Eject}) }

// Discard ends the packet on purpose, wherever it is. Adaptive(a, spec.Discard()) permits a router to drop a packet at any
// time, so that it never waits; Oblivious(Adaptive(a), Discard()) drops it or has it wait for a, by choice of the
// environment.
func Discard() Choice { return Adaptive(spec.Discard()) }

// AppendHops asks Route.
func (r Router) AppendHops(dst []spec.Hop, at spec.ChannelID, h spec.Header) ([]spec.Hop, error) {
	c := r.choice(at, h)
	if c.several != nil {
		return dst, ErrCommits
	}
	return append(dst, c.hops...), nil
}

// Alternatives asks Route.
func (r Router) Alternatives(at spec.ChannelID, h spec.Header) ([][]spec.Hop, error) {
	return r.choice(at, h).alternatives(), nil
}

func (r Router) choice(at spec.ChannelID, h spec.Header) Choice {
	p := Packet{At: at, Node: r.Topology.Head(at), Header: h}
	if p.Node == p.Dest && !r.Arrivals {
		return Arrive()
	}
	return r.Route(p)
}
