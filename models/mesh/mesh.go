// Package mesh models routing on meshes.
package mesh

import (
	"fmt"

	"github.com/seed-105a2da2/unknot/models/grid"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// Options describes a mesh of N dimensions of K nodes.
type Options struct{ K, N int }

func (o Options) grid(vcs func(dim int, d grid.Direction) int) (*grid.Grid, error) {
	return grid.New(grid.Options{Sizes: grid.Square(o.K, o.N), VCs: vcs})
}

func each(vcs int) func(int, grid.Direction) int {
	return func(int, grid.Direction) int { return vcs }
}

func definition(name string, g *grid.Grid, r routing.Relation) routing.Definition {
	return routing.Definition{Name: name, Topology: g.Topology, Routing: routing.Deliver(g.Topology, r), Switching: spec.Wormhole}
}

// DimensionOrder is XY routing in any number of dimensions, one VC (Sullivan
// and Bashkow, 1977).
func DimensionOrder(o Options) (routing.Definition, error) {
	g, err := o.grid(each(1))
	if err != nil {
		return routing.Definition{}, err
	}
	return definition("mesh XY", g, routing.Named("dimension order", g.DimensionOrder(grid.TiePositive, grid.VC(0)))), nil
}

// Adaptive permits any minimal hop on one VC; it deadlocks from 2x2 on.
func Adaptive(o Options) (routing.Definition, error) {
	g, err := o.grid(each(1))
	if err != nil {
		return routing.Definition{}, err
	}
	return definition("mesh adaptive", g, routing.Named("any minimal hop", g.Adaptive(grid.TiePositive, 0))), nil
}

// Duato is XY on VC 0 and any minimal hop on VC 1 (Duato, 1993).
func Duato(o Options) (routing.Definition, error) {
	g, err := o.grid(each(2))
	if err != nil {
		return routing.Definition{}, err
	}
	return definition("mesh Duato", g, routing.EscapeAdaptive(
		routing.Named("XY escape on vc0", g.DimensionOrder(grid.TiePositive, grid.VC(0))),
		routing.Named("any minimal hop on vc1", g.Adaptive(grid.TiePositive, 1)))), nil
}

// O1TURN routes each packet XY or YX as chosen at its first hop (Seo, Ali, Lim,
// Rafique and Thottethodi, 2005). With two VCs each order has its own; with one
// they share it and deadlock. The order is the tag: 1 XY, 2 YX.
func O1TURN(o Options, vcs int) (routing.Definition, error) {
	if vcs != 1 && vcs != 2 {
		return routing.Definition{}, fmt.Errorf("O1TURN with %d VCs: want 1 or 2", vcs)
	}
	if o.N != 2 {
		return routing.Definition{}, fmt.Errorf("O1TURN in %d dimensions: want 2", o.N)
	}
	g, err := o.grid(each(vcs))
	if err != nil {
		return routing.Definition{}, err
	}
	const xy, yx = 1, 2
	hop := func(dst []spec.Hop, at spec.ChannelID, h spec.Header, order spec.Tag) []spec.Hop {
		v := g.Head(at)
		dims := [2]int{0, 1}
		if order == yx {
			dims = [2]int{1, 0}
		}
		for _, dim := range dims {
			ways := g.Minimal(v, h.Dest, dim, grid.TiePositive)
			for _, d := range [...]grid.Direction{grid.Plus, grid.Minus} {
				if ways.Has(d) {
					return append(dst, spec.Hop{Channel: g.Channel(g.Port(v, dim, d), int(order-1)%vcs), Tag: order})
				}
			}
		}
		return dst
	}
	def := definition("mesh O1TURN", g, routing.Named("XY or YX, as chosen", routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
		if at.IsInjection() {
			return hop(hop(dst, at, h, xy), at, h, yx)
		}
		return hop(dst, at, h, h.Tag)
	})))
	def.Tags = 3
	return def, nil
}

// DoubleY is fully adaptive minimal routing with one VC in x and two in y
// (Linder and Harden, 1991; Glass and Ni, 1994): a packet that has to go east
// uses VC 0 in y, one that has to go west VC 1, and stays with it once it is in
// its column; a packet for its own column uses VC 0. The two virtual networks
// share no channel, and the dependency graph is acyclic.
func DoubleY(o Options) (routing.Definition, error) {
	if o.N != 2 {
		return routing.Definition{}, fmt.Errorf("double-y in %d dimensions: want 2", o.N)
	}
	g, err := o.grid(func(dim int, _ grid.Direction) int { return 1 + dim })
	if err != nil {
		return routing.Definition{}, err
	}
	return definition("mesh double-y", g, routing.Named("any minimal hop, y by east or west", routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
		v := g.Head(at)
		vc := eastOrWest(g, at, h.Dest)
		for dim := range 2 {
			ways := g.Minimal(v, h.Dest, dim, grid.TiePositive)
			for _, d := range [...]grid.Direction{grid.Plus, grid.Minus} {
				if ways.Has(d) {
					dst = append(dst, spec.Hop{Channel: g.Channel(g.Port(v, dim, d), vc*dim)})
				}
			}
		}
		return dst
	}))), nil
}

// eastOrWest returns the y VC of a packet: 0 if it has to go or has gone east, 1
// for west.
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

// Deflection permits any neighbour on VC 1, nearer or not, and XY on VC 0: free
// from deadlock, but packets can livelock.
func Deflection(o Options) (routing.Definition, error) {
	g, err := o.grid(each(2))
	if err != nil {
		return routing.Definition{}, err
	}
	return definition("mesh deflection", g, routing.EscapeAdaptive(
		routing.Named("XY escape on vc0", g.DimensionOrder(grid.TiePositive, grid.VC(0))),
		routing.Named("any neighbour on vc1", routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
			for _, l := range g.Topology.Out(g.Head(at)) {
				dst = append(dst, spec.Hop{Channel: g.Channel(l, 1)})
			}
			return dst
		})))), nil
}
