// Package mesh, internal to unknot, models routing on meshes.
package mesh

import (
	"fmt"

	"github.com/seed-105a2da2/unknot/models/grid"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// Options describes a mesh of N dimensions of K nodes.
type Options struct{ K, N int }

// define routes on the mesh with vcs[d] VCs in dimension d.
func (o Options) define(
	name string, vcs func(dim int) int, relation func(g *grid.Grid) routing.Relation,
) (routing.Definition, error) {
	g, err := grid.New(grid.Options{Sizes: grid.Square(o.K, o.N), VCs: func(dim int, _ grid.Direction) int {
		return vcs(dim)
	}})
	if err != nil {
		return routing.Definition{}, err
	}
	return routing.Definition{
		Name: name, Topology: g.Topology, Routing: routing.Deliver(g.Topology, relation(g)), Switching: spec.Wormhole,
	}, nil
}

// flat returns an error unless the mesh is a plane.
func (o Options) flat(what string) error {
	if o.N != 2 {
		return fmt.Errorf("%s in %d dimensions: want 2", what, o.N)
	}
	return nil
}

func each(vcs int) func(int) int { return func(int) int { return vcs } }

// DimensionOrder is XY routing in any number of dimensions, one VC (Sullivan
// and Bashkow, 1977).
func DimensionOrder(o Options) (routing.Definition, error) {
	return o.define("mesh XY", each(1), func(g *grid.Grid) routing.Relation {
		return routing.Named("dimension order", g.DimensionOrder(grid.TiePositive, grid.VC(0)))
	})
}

// Adaptive permits any minimal hop on one VC; it deadlocks from 2x2 on.
func Adaptive(o Options) (routing.Definition, error) {
	return o.define("mesh adaptive", each(1), func(g *grid.Grid) routing.Relation {
		return routing.Named("any minimal hop", g.Adaptive(grid.TiePositive, 0))
	})
}

// escaping is XY on VC 0 and another relation on VC 1.
func (o Options) escaping(name, why string, other func(g *grid.Grid) routing.Relation) (routing.Definition, error) {
	return o.define(name, each(2), func(g *grid.Grid) routing.Relation {
		return routing.EscapeAdaptive(
			routing.Named("XY escape on vc0", g.DimensionOrder(grid.TiePositive, grid.VC(0))),
			routing.Named(why, other(g)))
	})
}

// Duato is XY on VC 0 and any minimal hop on VC 1 (Duato, 1993).
func Duato(o Options) (routing.Definition, error) {
	return o.escaping("mesh Duato", "any minimal hop on vc1",
		func(g *grid.Grid) routing.Relation { return g.Adaptive(grid.TiePositive, 1) })
}

// Deflection permits any neighbour on VC 1, nearer or not, and XY on VC 0: free
// from deadlock, but packets can livelock.
func Deflection(o Options) (routing.Definition, error) {
	return o.escaping("mesh deflection", "any neighbour on vc1", func(g *grid.Grid) routing.Relation {
		return routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
			for _, l := range g.Topology.OutLinks(g.Head(at)) {
				dst = append(dst, spec.Hop{Channel: g.Channel(l, 1)})
			}
			return dst
		})
	})
}

// O1TURN routes each packet XY or YX, as chosen at its first hop (Seo, Ali, Lim,
// Rafique and Thottethodi, 2005). With two VCs each order has its own; with one they
// share it and deadlock. The order is the tag: 1 for XY, 2 for YX.
func O1TURN(o Options, vcs int) (routing.Definition, error) {
	if err := o.flat("O1TURN"); err != nil {
		return routing.Definition{}, err
	}
	def, err := o.define("mesh O1TURN", each(vcs), func(g *grid.Grid) routing.Relation {
		hop := func(dst []spec.Hop, at spec.ChannelID, h spec.Header, order spec.Tag) []spec.Hop {
			before := len(dst)
			for i := range 2 {
				dim := (i + int(order) - 1) % 2 // y first in order 2
				dst = g.AppendMinimal(dst, g.Head(at), h.Dest, dim, grid.TiePositive, grid.On(int(order-1)%vcs))
				if len(dst) > before {
					dst[before].Tag = order
					break
				}
			}
			return dst
		}
		return routing.Named("XY or YX, as chosen",
			routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
				if at.IsInjection() {
					return hop(hop(dst, at, h, 1), at, h, 2)
				}
				return hop(dst, at, h, h.Tag)
			}))
	})
	def.Tags = 3
	return def, err
}

// DoubleY is fully adaptive minimal routing with one VC in x and two in y (Linder and
// Harden, 1991; Glass and Ni, 1994): a packet that has to go east uses VC 0 in y, one
// that has to go west VC 1, which it keeps in its column; a packet for its own column
// uses VC 0. The two virtual networks share no channel, and the dependency graph is
// acyclic.
func DoubleY(o Options) (routing.Definition, error) {
	if err := o.flat("double-y"); err != nil {
		return routing.Definition{}, err
	}
	return o.define("mesh double-y", func(dim int) int { return 1 + dim }, func(g *grid.Grid) routing.Relation {
		return routing.Named("any minimal hop, y by east or west",
			routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
				dst = g.AppendMinimal(dst, g.Head(at), h.Dest, 0, grid.TiePositive, grid.On(0))
				return g.AppendMinimal(dst, g.Head(at), h.Dest, 1, grid.TiePositive, grid.On(eastOrWest(g, at, h.Dest)))
			}))
	})
}

// eastOrWest returns the y VC of a packet: 0 if it has to go or has gone east, 1 if
// west.
func eastOrWest(g *grid.Grid, at spec.ChannelID, dest spec.NodeID) int {
	v := g.Head(at)
	switch ways := g.Minimal(v, dest, 0, grid.TiePositive); {
	case ways.Has(grid.Plus):
		return 0
	case ways.Has(grid.Minus):
		return 1
	case at.IsInjection():
		return 0
	}
	dim, d := g.Direction(at)
	if dim == 1 {
		return g.VC(at)
	}
	return int(d)
}
