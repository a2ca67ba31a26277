// Package netgen draws small random networks for property tests with rapid:
// topologies ([Topology]), relations on them ([Minimal], [TurnRestricted],
// [Table]), assignments of VCs ([VCs]), scenarios ([Scenario]), and programs
// ([Program]). Everything shrinks: what rapid finally reports is a network with few nodes,
// links and hops. Only tests import it.
//
//	rapid.Check(t, func(rt *rapid.T) {
//		topo := netgen.Topology(rt, netgen.TopologyOptions{Shapes: []netgen.Shape{netgen.Torus}, Failures: 2})
//		checktest.Network(rt, myRouting(topo), checktest.Options{})
//	})
package netgen

import (
	"context"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// Options bounds what [Definition] and [Network] draw.
type Options struct {
	Nodes    int  // at most
	Channels int  // at most
	Tags     int  // at most
	MayFail  bool // also dead ends, wrong destinations and loops, not only minimal-looking routes
	Classes  int  // at most, up to 4, each with a relation of its own; 0 means 1
	Buffer   int  // at most; 0 means 1
	Dims     int  // of the links, at most; 0: none
	Ring     bool // perhaps a one-way ring of the nodes, and some more links
	Sparse   bool // only some nodes send, to some others
	Discards bool // at about one site in six a packet may also be discarded on purpose
	Commits  bool // at about half of the sites with several hops a packet is committed to one of them
	Rooms    bool // most hops into a channel need room for two packets, some for as many as fit
}

// Definition draws a network: a random multigraph with a random table as its relation. An
// option that is not set costs no draw.
func Definition(rt *rapid.T, o Options) routing.Definition {
	nodes := rapid.IntRange(2, o.Nodes).Draw(rt, "nodes")
	tags := rapid.IntRange(1, max(1, o.Tags)).Draw(rt, "tags")
	t := Multigraph(rt, nodes, o)
	def := routing.Definition{Name: "random", Topology: t, Tags: tags, Routing: Table(rt, t, tags, o.MayFail)}
	if o.Classes > 1 {
		parts := []routing.Relation{def.Routing}
		for range rapid.IntRange(0, o.Classes-1).Draw(rt, "more classes") {
			parts = append(parts, Table(rt, t, tags, o.MayFail))
		}
		def.Classes, def.Routing = []string{"a", "b", "c", "d"}[:len(parts)], byClass(parts)
	}
	if o.Buffer > 1 {
		def.Buffer = rapid.IntRange(1, o.Buffer).Draw(rt, "buffer")
	}
	if o.Sparse && rapid.Bool().Draw(rt, "sparse") {
		def.Flows = flows(rt, def)
	}
	if o.Rooms && def.Buffer > 1 {
		def.Routing = Rooms(rt, def.Routing, def.Buffer)
	}
	if o.Discards {
		def.Routing = Discards(rt, def.Routing)
	}
	if o.Commits {
		def.Routing = Commits(rt, def.Routing)
	}
	return def
}

// Multigraph draws the topology of a [Definition]: some links, which lead one way; several may join the same two
// nodes, and not every node need reach every other.
func Multigraph(rt *rapid.T, nodes int, o Options) *spec.Topology {
	t := spec.NewTopology()
	for range nodes {
		t.AddNode("")
	}
	link := func(l spec.Link) {
		if o.Dims > 0 {
			l.Dim = rapid.IntRange(1, o.Dims).Draw(rt, "dim")
		}
		t.AddLink(l)
	}
	if o.Ring && rapid.Bool().Draw(rt, "ring") {
		for v := range nodes {
			link(spec.Link{From: spec.NodeID(v), To: spec.NodeID((v + 1) % nodes), VCs: 1})
		}
	}
	for t.Channels() < o.Channels {
		from := rapid.IntRange(0, nodes-1).Draw(rt, "from")
		to := (from + rapid.IntRange(1, nodes-1).Draw(rt, "to")) % nodes
		link(spec.Link{From: spec.NodeID(from), To: spec.NodeID(to), VCs: 1 + rapid.IntRange(0, min(1, o.Channels-t.Channels()-1)).Draw(rt, "vcs")})
		if t.Channels() >= nodes && rapid.IntRange(0, 5).Draw(rt, "enough") == 0 {
			break
		}
	}
	return t
}

// byClass gives every class its own relation.
func byClass(parts []routing.Relation) routing.Relation {
	return routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
		dst, _ = parts[h.Class].AppendHops(dst, at, h) // tables do not fail
		return dst
	})
}

// flows draws who sends to whom.
func flows(rt *rapid.T, def routing.Definition) routing.Flows {
	sends := map[spec.Flow]bool{}
	for src := range spec.NodeID(def.Topology.Nodes()) {
		for dst := range spec.NodeID(def.Topology.Nodes()) {
			for c := range max(1, len(def.Classes)) {
				sends[spec.Flow{Source: src, Target: spec.Target{Dest: dst, Class: spec.Class(c)}}] = rapid.Bool().Draw(rt, "sends")
			}
		}
	}
	return func(src, dst spec.NodeID, c spec.Class) bool {
		return sends[spec.Flow{Source: src, Target: spec.Target{Dest: dst, Class: c}}]
	}
}

// Network draws and compiles a network.
func Network(rt *rapid.T, o Options, s spec.Switching) *spec.Network {
	def := Definition(rt, o)
	def.Switching = s
	n, err := routing.Compile(context.Background(), def, routing.CompileOptions{Workers: 2})
	if err != nil {
		rt.Fatalf("compiling a random network: %v", err)
	}
	return n
}
