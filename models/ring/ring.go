// Package ring, internal to unknot, models the rings with which the theory of deadlock begins.
package ring

import (
	"fmt"

	"github.com/seed-105a2da2/unknot/models/grid"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// Variant is one of the rings.
type Variant uint8

const (
	// OneWay: one VC, links i -> i+1. Deadlocks from three nodes on.
	OneWay Variant = iota
	// Dateline: one-way, two VCs; a packet changes from VC 0 to VC 1 where it
	// passes node 0 (Dally and Seitz, 1987).
	Dateline
	// Position: one-way, VC cA for every packet, VC cH only for destinations with a
	// higher number than the present node. Free, though the dependency graph has a
	// cycle (Duato, 1993): the ring inside star-channel.
	Position
	// TwoWay: links both ways, one VC, the shorter direction; ties by rule.
	TwoWay
	// Crossing: one-way, two VCs; a packet takes VC 1 from the link into node 0 on.
	Crossing
)

// VariantNames are the names of the variants, in order.
var VariantNames = []string{"one-way", "dateline", "position", "two-way", "crossing"}

// Options describes a ring.
type Options struct {
	Nodes   int
	Variant Variant
	Tie     grid.Tie // TwoWay
	Buffer  int      // packets a channel holds; 0 means 1
}

// New returns the definition.
func New(o Options) (routing.Definition, error) {
	if o.Nodes < 2 || o.Nodes > 1<<14 {
		return routing.Definition{}, fmt.Errorf("a ring of %d nodes: want 2 to 16384", o.Nodes)
	}
	if int(o.Variant) >= len(VariantNames) {
		return routing.Definition{}, fmt.Errorf("invalid variant %d", o.Variant)
	}
	def := routing.Definition{
		Name: VariantNames[o.Variant] + " ring", Switching: spec.StoreAndForward, Buffer: o.Buffer,
	}
	if o.Variant == TwoWay {
		return twoWay(def, o)
	}
	t := spec.NewTopology()
	vcs := 2
	switch o.Variant {
	case OneWay:
		vcs = 1
	case Position:
		t = spec.NewTopology("cA", "cH")
	}
	for range o.Nodes {
		t.AddNode("")
	}
	for i := range o.Nodes {
		t.AddLink(spec.Link{From: spec.NodeID(i), To: spec.NodeID((i + 1) % o.Nodes), VCs: vcs, Dim: 1})
	}
	next := func(at spec.ChannelID, vc int) spec.Hop {
		return spec.Hop{Channel: t.Channel(t.OutLinks(t.Head(at))[0], vc)}
	}
	var r routing.Relation
	switch o.Variant {
	case OneWay:
		r = routing.Named("the next node",
			routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
				return append(dst, next(at, 0))
			}))
	case Dateline:
		// A packet's place shows whether it has passed the dateline: it has not as long
		// as its destination has a lower number.
		r = routing.Union(
			routing.Named("VC 0 before the dateline",
				routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
					if h.Dest > t.Head(at) {
						return dst
					}
					return append(dst, next(at, 0))
				})),
			routing.Named("VC 1 behind the dateline", higher(t, next, 1)))
	case Crossing:
		r = routing.Named("VC 1 from the link into node 0 on",
			routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
				if int(t.Head(at)) == o.Nodes-1 || !at.IsInjection() && t.VC(at) == 1 {
					return append(dst, next(at, 1))
				}
				return append(dst, next(at, 0))
			}))
	case Position:
		r = routing.Union(
			routing.Named("cH for higher destinations", higher(t, next, 1)),
			routing.Named("cA for all", routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
				return append(dst, next(at, 0))
			})))
	}
	def.Topology, def.Routing = t, routing.Deliver(t, r)
	return def, nil
}

// higher permits a VC to packets whose destination has a higher number than the node
// where they are.
func higher(t *spec.Topology, next func(spec.ChannelID, int) spec.Hop, vc int) routing.Relation {
	return routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
		if h.Dest > t.Head(at) {
			return append(dst, next(at, vc))
		}
		return dst
	})
}

func twoWay(def routing.Definition, o Options) (routing.Definition, error) {
	g, err := grid.New(grid.Options{Sizes: []int{o.Nodes}, Wrap: true})
	if err != nil {
		return routing.Definition{}, err
	}
	minimal := routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
		v := g.Head(at)
		ways := g.Minimal(v, h.Dest, 0, o.Tie)
		for _, d := range [...]grid.Direction{grid.Plus, grid.Minus} {
			if ways.Has(d) {
				dst = append(dst, spec.Hop{Channel: g.Channel(g.Port(v, 0, d), 0)})
			}
		}
		return dst
	})
	def.Topology, def.Routing = g.Topology, routing.Deliver(g.Topology, routing.Named("the shorter way", minimal))
	return def, nil
}
