// Package hypercube, internal to unknot, models routing on binary n-cubes.
package hypercube

import (
	"fmt"
	"math/bits"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// Variant is a routing relation.
type Variant uint8

const (
	ECube Variant = iota // lowest dimension first (Sullivan and Bashkow, 1977); one VC
	// PCube first permits all hops that clear a bit, in any order, then all that set one (Glass and Ni, 1992); one VC.
	PCube
	Adaptive // any minimal hop, one VC; deadlocks
	Duato    // e-cube on VC 0, any minimal hop on VC 1 (Duato, 1993)
)

// VariantNames are the names of the variants, in order.
var VariantNames = []string{"e-cube", "p-cube", "adaptive", "duato"}

// New returns the n-cube, 1 <= n <= 16. Node v has a link to v xor 1<<i for each
// dimension i.
func New(n int, variant Variant) (routing.Definition, error) {
	if n < 1 || n > 16 {
		return routing.Definition{}, fmt.Errorf("a hypercube of %d dimensions: want 1 to 16", n)
	}
	if int(variant) >= len(VariantNames) {
		return routing.Definition{}, fmt.Errorf("invalid variant %d", variant)
	}
	vcs := 1
	if variant == Duato {
		vcs = 2
	}
	t := spec.NewTopology()
	for v := range 1 << n {
		at := make([]int, n)
		for i := range n {
			at[i] = v >> i & 1
		}
		t.AddNode(fmt.Sprintf("%0*b", n, v), at...)
	}
	for v := range spec.NodeID(1 << n) {
		for i := range n {
			t.AddLink(spec.Link{
				From: v, To: v ^ 1<<i, VCs: vcs, Dim: i + 1, Out: fmt.Sprintf("d%d", i), In: fmt.Sprintf("d%d", i),
			})
		}
	}
	// hops permits the dimensions whose bits are set.
	hops := func(dst []spec.Hop, v spec.NodeID, dims spec.NodeID, vc int) []spec.Hop {
		for ; dims != 0; dims &= dims - 1 {
			l := t.OutLinks(v)[bits.TrailingZeros32(uint32(dims))]
			dst = append(dst, spec.Hop{Channel: t.Channel(l, vc)})
		}
		return dst
	}
	lowest := routing.Named("lowest dimension",
		routing.NodeFunc{Topology: t, Hops: func(dst []spec.Hop, v spec.NodeID, h spec.Header) []spec.Hop {
			differ := v ^ h.Dest
			return hops(dst, v, differ&-differ, 0)
		}})
	any := func(vc int) routing.Relation {
		return routing.Named("any minimal hop",
			routing.NodeFunc{Topology: t, Hops: func(dst []spec.Hop, v spec.NodeID, h spec.Header) []spec.Hop {
				return hops(dst, v, v^h.Dest, vc)
			}})
	}
	var r routing.Relation
	switch variant {
	case ECube:
		r = lowest
	case PCube:
		r = routing.Named("clear bits, then set bits",
			routing.NodeFunc{Topology: t, Hops: func(dst []spec.Hop, v spec.NodeID, h spec.Header) []spec.Hop {
				if down := v &^ h.Dest; down != 0 {
					return hops(dst, v, down, 0)
				}
				return hops(dst, v, h.Dest&^v, 0)
			}})
	case Adaptive:
		r = any(0)
	case Duato:
		r = routing.EscapeAdaptive(lowest, any(1))
	}
	return routing.Definition{
		Name: "hypercube " + VariantNames[variant], Topology: t, Routing: routing.Deliver(t, r),
		Switching: spec.Wormhole,
	}, nil
}
