package rwc1

import (
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// processors is the relation of the static network of a machine: that of net, and the
// path through the injection buffers for the packets that processors send.
//
// A network has no packet from a node to itself, and a request that waits is one packet
// with its reply. So a sender of requests has a node of its own, joined to the
// processor by a link for which nothing else waits.
type processors struct {
	*net
	senders spec.NodeID // the first of the nodes that ask
	asking  spec.LinkID // the first of the links from them
}

// AppendHops implements routing.Relation.
func (m *processors) AppendHops(dst []spec.Hop, at spec.ChannelID, h spec.Header) ([]spec.Hop, error) {
	v, level := m.t.Head(at), m.classes[h.Class].level
	switch {
	case at.IsInjection() && v >= m.senders:
		return append(dst, spec.Hop{Channel: m.t.Channel(m.t.OutLinks(v)[0], m.set(level))}), nil
	case at.IsInjection() && v >= m.routers, !at.IsInjection() && m.t.LinkOf(at) >= m.asking:
		return append(dst, spec.Hop{Channel: m.injectionFIFO(v-m.routers, level)}), nil
	}
	return m.net.AppendHops(dst, at, h)
}

// Reason says what a hop is for.
func (m *processors) Reason(at spec.ChannelID, h spec.Header, hop spec.Hop) spec.Reason {
	if v := m.t.Head(at); at.IsInjection() && v >= m.routers || !at.IsInjection() && m.t.LinkOf(at) >= m.asking {
		return spec.Reason{Text: "the processor sends"}
	}
	return m.net.Reason(at, h, hop)
}

// Static returns the network of the same routers, processors and streams for the static
// decision. It does not model windows and counts (every stream sends without end),
// priority, arbiters, or depths. So a machine that it finds free of deadlock may
// deadlock by priority alone, and a machine with small windows may be free where it
// finds a deadlock.
func (o MachineOptions) Static() (routing.Definition, error) {
	inner, err := routersOf(Options{N: o.N, Topology: o.Fabric, VCs: o.VCs, Border: o.Border})
	if err != nil {
		return routing.Definition{}, err
	}
	m := &processors{net: &net{
		Options: Options{VCs: o.VCs, Buffers: o.Buffers, Finite: true}, t: spec.NewTopology(), inner: inner.Topology, routing: inner.Routing,
		routers: spec.NodeID(inner.Topology.Nodes()), links: spec.LinkID(inner.Topology.Links()),
	}}
	for _, s := range o.Streams {
		m.Levels = max(m.Levels, s.Level+1, s.Answer+1)
	}
	m.build()
	m.senders, m.asking = spec.NodeID(m.t.Nodes()), spec.LinkID(m.t.Links())
	def := routing.Definition{
		Name: "RWC-1 on " + TopologyNames[o.Fabric], Topology: m.t, Routing: m, Switching: spec.VirtualCutThrough, Tags: 2,
	}
	type flow struct {
		from, to spec.NodeID
		class    spec.Class
	}
	classes, flows, asking := map[class]spec.Class{}, map[flow]bool{}, map[spec.NodeID]spec.NodeID{}
	add := func(from, to spec.NodeID, c class) {
		if _, ok := classes[c]; !ok {
			classes[c] = spec.Class(len(m.classes))
			m.classes = append(m.classes, c)
			name := LevelNames[c.level]
			if c.asks {
				name += " asking " + inner.Topology.Node(c.server).Name + " for an answer of " + LevelNames[c.answered]
			}
			def.Classes = append(def.Classes, name)
		}
		flows[flow{from, m.routers + to, classes[c]}] = true
	}
	for _, s := range o.Streams {
		from, to := spec.NodeID(s.From), spec.NodeID(s.To)
		switch {
		case s.asks() && !o.Spill:
			v, ok := asking[from]
			if !ok {
				v = m.t.AddNode("asks"+inner.Topology.Node(from).Name, inner.Topology.Node(from).At...)
				m.t.AddLink(spec.Link{From: v, To: m.routers + from, VCs: m.set(m.Levels-1) + 1, Out: "ask"})
				asking[from] = v
			}
			add(v, from, class{kind{asks: true, level: s.Level, answered: s.Answer}, to})
		case s.asks():
			add(m.routers+to, from, class{kind: kind{level: s.Answer}})
			fallthrough
		default:
			add(m.routers+from, to, class{kind: kind{level: s.Level}})
		}
	}
	def.Flows = func(src, dst spec.NodeID, c spec.Class) bool { return flows[flow{src, dst, c}] }
	return def, nil
}
