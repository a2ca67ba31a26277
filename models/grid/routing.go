package grid

import (
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

var both = [...]Direction{Plus, Minus}

// AppendMinimal appends the minimal hops of a packet at v along a dimension, on the VC that vc
// gives for a direction.
func (g *Grid) AppendMinimal(
	dst []spec.Hop, v, dest spec.NodeID, dim int, tie Tie, vc func(d Direction) int,
) []spec.Hop {
	ways := g.Minimal(v, dest, dim, tie)
	for _, d := range both {
		if ways.Has(d) {
			dst = append(dst, spec.Hop{Channel: g.Channel(g.Port(v, dim, d), vc(d))})
		}
	}
	return dst
}

// On is the same VC for both directions.
func On(vc int) func(Direction) int { return func(Direction) int { return vc } }

// DimensionOrder routes in the lowest dimension with hops left (e-cube, XY; Sullivan
// and Bashkow, 1977) on the VC that vc gives.
func (g *Grid) DimensionOrder(tie Tie, vc func(v, dest spec.NodeID, dim int, d Direction) int) routing.Relation {
	return routing.NodeFunc{Topology: g.Topology, Hops: func(dst []spec.Hop, v spec.NodeID, h spec.Header) []spec.Hop {
		dim := g.Lowest(v, h.Dest)
		if dim < 0 {
			return dst
		}
		return g.AppendMinimal(dst, v, h.Dest, dim, tie, func(d Direction) int { return vc(v, h.Dest, dim, d) })
	}}
}

// Adaptive routes along any minimal hop, on the given VC.
func (g *Grid) Adaptive(tie Tie, vc int) routing.Relation {
	return routing.NodeFunc{Topology: g.Topology, Hops: func(dst []spec.Hop, v spec.NodeID, h spec.Header) []spec.Hop {
		for dim := range g.Sizes {
			dst = g.AppendMinimal(dst, v, h.Dest, dim, tie, On(vc))
		}
		return dst
	}}
}

// VC chooses the same VC everywhere.
func VC(vc int) func(v, dest spec.NodeID, dim int, d Direction) int {
	return func(spec.NodeID, spec.NodeID, int, Direction) int { return vc }
}

// Dateline is the choice of VC that cuts each ring of a torus at its wrap-around links
// (Dally and Seitz, 1987): VC 0 while the packet still has to pass the wrap-around link
// of the dimension, VC 1 after it, or if it never passes it.
func (g *Grid) Dateline(v, dest spec.NodeID, dim int, d Direction) int {
	if g.WrapsAhead(v, dest, dim, d) {
		return 0
	}
	return 1
}

// Crossing is minimal dimension order on two VCs: VC 0 in each dimension, and VC 1 from
// its wrap-around link on, that link included. Unlike Dateline it has to look at the
// channel in which a packet stands.
func (g *Grid) Crossing(tie Tie) routing.Relation {
	return routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
		v := g.Head(at)
		dim := g.Lowest(v, h.Dest)
		if dim < 0 {
			return dst
		}
		crossed := !at.IsInjection() && g.Topology.Link(g.LinkOf(at)).Dim == dim+1 && g.VC(at) == 1
		return g.AppendMinimal(dst, v, h.Dest, dim, tie, func(d Direction) int {
			if x := g.Coordinate(v, dim); crossed || d == Plus && x == g.Sizes[dim]-1 || d == Minus && x == 0 {
				return 1
			}
			return 0
		})
	})
}

// Bubbles is minimal dimension order on VC 0 that keeps a bubble in every ring: a packet that enters one, from its source,
// another dimension or another VC, needs room for two packets (Carrión et al. 1997).
func (g *Grid) Bubbles(tie Tie) routing.Relation {
	return routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
		v := g.Head(at)
		dim := g.Lowest(v, h.Dest)
		if dim < 0 {
			return dst
		}
		began := len(dst)
		dst = g.AppendMinimal(dst, v, h.Dest, dim, tie, On(0))
		for i, hop := range dst[began:] {
			if at.IsInjection() || g.VC(at) != 0 || !g.goesOn(at, hop.Channel) {
				dst[began+i].Room = 2
			}
		}
		return dst
	})
}

// goesOn reports whether two channels run in the same dimension and direction.
func (g *Grid) goesOn(at, next spec.ChannelID) bool {
	dim, d := g.Direction(at)
	nextDim, nextD := g.Direction(next)
	return dim == nextDim && d == nextD
}

// Direction returns the dimension and direction in which a network channel runs.
func (g *Grid) Direction(c spec.ChannelID) (dim int, d Direction) {
	l := g.Topology.Link(g.LinkOf(c))
	dim = l.Dim - 1
	if g.Port(l.From, dim, Plus) == g.LinkOf(c) {
		return dim, Plus
	}
	return dim, Minus
}
