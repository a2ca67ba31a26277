// Package hyperx, internal to unknot, models routing on HyperX networks (Ahn, Binkert, Davis,
// McLaren and Schreiber, 2009): grids in which every line is a complete graph.
package hyperx

import (
	"fmt"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// Variant is a routing relation.
type Variant uint8

const (
	DimensionOrder Variant = iota // lowest dimension first, one VC
	Adaptive                      // any minimal hop, one VC; deadlocks
	Escape                        // dimension order on VC 0, any minimal hop on VC 1 (Duato, 1993)
)

// VariantNames are the names of the variants, in order.
var VariantNames = []string{"dor", "adaptive", "escape"}

// New returns a HyperX of the given sizes.
func New(sizes []int, variant Variant) (routing.Definition, error) {
	nodes, links := 1, 0
	for _, k := range sizes {
		if k < 2 || k > 1024 {
			return routing.Definition{}, fmt.Errorf("%d nodes in a dimension: want 2 to 1024", k)
		}
		nodes *= k
		links += k - 1
		if nodes > 1<<16 || nodes*links > 1<<23 {
			return routing.Definition{}, fmt.Errorf("sizes %v make more than 65536 nodes or 8388608 links", sizes)
		}
	}
	if len(sizes) == 0 || int(variant) >= len(VariantNames) {
		return routing.Definition{}, fmt.Errorf("a HyperX of %d dimensions, variant %d: want at least one and %q",
			len(sizes), variant, VariantNames)
	}
	vcs := 1
	if variant == Escape {
		vcs = 2
	}
	t, coord := topologyOf(sizes, nodes, vcs)
	// In dimension d, the link of v to coordinate y is v's link number start[d] + y,
	// minus one if y is greater than v's own coordinate.
	start := make([]int, len(sizes))
	for d := 1; d < len(sizes); d++ {
		start[d] = start[d-1] + sizes[d-1] - 1
	}
	// minimal permits the hop that corrects a dimension: in all of them, or only in the
	// first.
	minimal := func(all bool, vc int) routing.Relation {
		return routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
			v := t.Head(at)
			for d := range sizes {
				x, y := coord[int(v)*len(sizes)+d], coord[int(h.Dest)*len(sizes)+d]
				if x == y {
					continue
				}
				port := start[d] + y
				if y > x {
					port--
				}
				dst = append(dst, spec.Hop{Channel: t.Channel(t.OutLinks(v)[port], vc)})
				if !all {
					break
				}
			}
			return dst
		})
	}
	var r routing.Relation
	switch variant {
	case DimensionOrder:
		r = routing.Named("dimension order", minimal(false, 0))
	case Adaptive:
		r = routing.Named("any minimal hop", minimal(true, 0))
	case Escape:
		r = routing.EscapeAdaptive(routing.Named("dimension order escape on vc0", minimal(false, 0)),
			routing.Named("any minimal hop on vc1", minimal(true, 1)))
	}
	return routing.Definition{
		Name: "HyperX " + VariantNames[variant], Topology: t, Routing: routing.Deliver(t, r), Switching: spec.Wormhole,
	}, nil
}

// topologyOf returns the links of a HyperX, and the coordinates of all nodes, one after the other.
func topologyOf(sizes []int, nodes, vcs int) (t *spec.Topology, coord []int) {
	t, coord = spec.NewTopology(), make([]int, nodes*len(sizes))
	for v := range nodes {
		rest := v
		at := coord[v*len(sizes) : (v+1)*len(sizes)]
		for d, k := range sizes {
			at[d] = rest % k
			rest /= k
		}
		t.AddNode(routing.CoordinateName(at...), at...)
	}
	for v := range nodes {
		stride := 1
		for d, k := range sizes {
			x := coord[v*len(sizes)+d]
			for y := range k {
				if y != x {
					t.AddLink(spec.Link{From: spec.NodeID(v), To: spec.NodeID(v + (y-x)*stride), VCs: vcs, Dim: d + 1})
				}
			}
			stride *= k
		}
	}
	return t, coord
}
