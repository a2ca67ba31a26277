// Package rwc1, internal to unknot, models the router of the RWC-1 machine and what is attached to
// it, as described by Yokota et al., "A Prototype Router VLSI for Massively Parallel Computer
// RWC-1": the network with its endpoints for the static decision ([New]), whole routers joined by
// links, with processors that ask and answer (machine rwc1-machine), and the drain by which the
// operating system takes undelivered packets out of the routers and puts them back (machine
// rwc1-drain).
//
// The network itself is that of package mdce. What the paper adds is four
// execution levels, two of the user and two of the system, and an endpoint with
// a processor input buffer (PIB) for each level, which must look infinite:
// what does not fit is spilled to an auxiliary packet buffer (APB) in memory.
package rwc1

import (
	"fmt"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// Design of the network.
//
// Nodes 0..N-1 are the routers, numbered as in package mdce; links 0..L-1 are
// those of mdce. Only if the PIB is finite are there endpoints: node N+v is the
// processor of router v, joined by an input link, whose VCs are the PIBs of the
// levels, and an output link, whose VCs are the injection FIFOs.
//
// The VCs of a network link are those of mdce, once for every set of buffers: VC
// set*VCs + i is VC i of mdce in that set. The relation of mdce gets the VC without its set
// and never sees an endpoint.
//
// A request that waits in the PIB for room for its reply is a packet that has not
// ended: one packet is both request and reply. It is injected at the requester's router
// with tag 0, its class is the server, it goes through the server's PIB into the
// server's injection FIFO, has tag 1 from there on, and its destination is the
// requester's processor. If the server's memory absorbs requests (an infinite PIB, or
// a finite one that spills), requests and replies do not wait for each other: both are
// one-way packets.

// net is the relation: that of mdce between routers, and the path through endpoints.
type net struct {
	Options
	t       *spec.Topology
	inner   *spec.Topology   // of mdce
	routing routing.Relation // of mdce
	routers spec.NodeID
	links   spec.LinkID // between routers; then come the input and the output link of endpoints 0, 1, ...
	classes []class
}

// class is the meaning of a class number.
type class struct {
	kind
	server spec.NodeID // if it asks
}

// New returns the definition. Its switching is virtual cut-through.
//
// Every router sends to every other one; with a finite PIB the destinations are
// the processors.
func New(o Options) (routing.Definition, error) {
	if err := o.check(); err != nil {
		return routing.Definition{}, err
	}
	inner, err := routersOf(o)
	if err != nil {
		return routing.Definition{}, err
	}
	return attach(o, TopologyNames[o.Topology], inner)
}

// attach adds levels and endpoints to a network of routers. o.N and o.Topology play no
// part; o.VCs must be that of all links.
func attach(o Options, name string, inner routing.Definition) (routing.Definition, error) {
	m := &net{
		Options: o, t: spec.NewTopology(), inner: inner.Topology, routing: inner.Routing,
		routers: spec.NodeID(inner.Topology.Nodes()), links: spec.LinkID(inner.Topology.Links()),
	}
	m.build()
	def := routing.Definition{
		Name: "RWC-1 on " + name, Topology: m.t, Routing: m, Switching: spec.VirtualCutThrough,
		Flows: m.flows, Senders: m.senders, Tags: 1,
	}
	for _, k := range o.kinds() {
		if !k.asks {
			m.classes = append(m.classes, class{kind: k})
			def.Classes = append(def.Classes, LevelNames[k.level])
			continue
		}
		def.Tags = 2
		for v := range m.routers {
			m.classes = append(m.classes, class{k, v})
			def.Classes = append(def.Classes, fmt.Sprintf("%s asking %s", LevelNames[k.level], m.t.Node(v).Name))
		}
	}
	return def, nil
}

func (m *net) build() {
	sets := m.set(m.Levels-1) + 1
	for v := range m.routers {
		n := m.inner.Node(v)
		m.t.AddNode(n.Name, n.At...)
	}
	for l := range m.links {
		k := m.inner.Link(l)
		k.VCs *= sets
		m.t.AddLink(k)
	}
	if !m.Finite {
		return
	}
	for v := range m.routers {
		n := m.inner.Node(v)
		m.t.AddNode("PE"+n.Name, n.At...)
	}
	for v := range m.routers {
		m.t.AddLink(spec.Link{From: v, To: m.routers + v, VCs: m.Levels, Out: "PIB"})
		m.t.AddLink(spec.Link{From: m.routers + v, To: v, VCs: sets, Out: "inject"})
	}
}

func (m *net) flows(src, dst spec.NodeID, c spec.Class) bool {
	if !m.Finite {
		return true
	}
	if src >= m.routers || dst < m.routers {
		return false
	}
	requester := dst - m.routers
	if k := m.classes[c]; k.asks {
		return src == requester && k.server != requester
	}
	return src != requester
}

// senders lists the nodes that may send to a target: for requests, the requester alone.
func (m *net) senders(dst []spec.NodeID, to spec.Target) []spec.NodeID {
	switch {
	case m.Finite && to.Dest < m.routers:
		return dst
	case m.Finite && m.classes[to.Class].asks:
		return append(dst, to.Dest-m.routers)
	}
	for v := range m.routers {
		dst = append(dst, v)
	}
	return dst
}

// pib returns the channel that is the input buffer of a level at a router's
// processor.
func (m *net) pib(v spec.NodeID, level int) spec.ChannelID {
	return m.t.Channel(m.links+spec.LinkID(2*v), level)
}

// injectionFIFO returns the channel that is the injection FIFO of a processor.
func (m *net) injectionFIFO(v spec.NodeID, level int) spec.ChannelID {
	return m.t.Channel(m.links+spec.LinkID(2*v+1), m.set(level))
}

// AppendHops implements routing.Relation.
func (m *net) AppendHops(dst []spec.Hop, at spec.ChannelID, h spec.Header) ([]spec.Hop, error) {
	k := m.classes[h.Class]
	v := m.t.Head(at)
	if v >= m.routers { // in a PIB
		if k.asks && h.Tag == 0 {
			return append(dst, spec.Hop{Channel: m.injectionFIFO(v-m.routers, k.answered), Tag: 1}), nil
		}
		return append(dst, spec.Hop{Channel: spec.Eject}), nil
	}
	level, to := k.level, h.Dest
	if m.Finite {
		to -= m.routers
	}
	if k.asks && h.Tag == 0 {
		to = k.server
	} else if k.asks {
		level = k.answered
	}
	if v == to {
		if !m.Finite {
			return append(dst, spec.Hop{Channel: spec.Eject}), nil
		}
		return append(dst, spec.Hop{Channel: m.pib(v, level), Tag: h.Tag}), nil
	}
	return m.appendHopsToward(dst, at, to, level, h.Tag)
}

// appendHopsToward appends the hops that mdce permits on the way to another router.
func (m *net) appendHopsToward(
	dst []spec.Hop, at spec.ChannelID, to spec.NodeID, level int, tag spec.Tag,
) ([]spec.Hop, error) {
	first := m.set(level) * m.VCs
	from := spec.Injection(m.t.Head(at))
	if !at.IsInjection() && m.t.LinkOf(at) < m.links {
		from = m.inner.Channel(m.t.LinkOf(at), m.t.VC(at)%m.VCs)
	}
	before := len(dst)
	dst, err := m.routing.AppendHops(dst, from, spec.Header{Dest: to})
	for i := before; i < len(dst); i++ {
		c := dst[i].Channel
		dst[i] = spec.Hop{Channel: m.t.Channel(m.inner.LinkOf(c), first+m.inner.VC(c)), Tag: tag}
	}
	return dst, err
}

// Reason says what a hop is for.
func (m *net) Reason(at spec.ChannelID, h spec.Header, hop spec.Hop) spec.Reason {
	switch {
	case hop.Channel == spec.Eject:
		return spec.Reason{Text: "arrived"}
	case m.t.LinkOf(hop.Channel) < m.links:
		c := m.inner.Channel(m.t.LinkOf(hop.Channel), m.t.VC(hop.Channel)%m.VCs)
		why := routing.Reason(m.routing, spec.Injection(m.t.Head(at)), spec.Header{Dest: m.target(h)},
			spec.Hop{Channel: c})
		if why.Text == "" {
			why.Text = "towards the destination"
		}
		return why
	case m.t.Link(m.t.LinkOf(hop.Channel)).Out == "PIB":
		return spec.Reason{Text: "the router of the destination: into the processor input buffer"}
	}
	return spec.Reason{Text: "the reply, in place of the request that waited in the PIB"}
}

// target returns the router that a packet is on its way to.
func (m *net) target(h spec.Header) spec.NodeID {
	if k := m.classes[h.Class]; k.asks && h.Tag == 0 {
		return k.server
	}
	if m.Finite {
		return h.Dest - m.routers
	}
	return h.Dest
}
