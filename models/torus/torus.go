// Package torus, internal to unknot, models routing on tori.
package torus

import (
	"fmt"

	"github.com/seed-105a2da2/unknot/models/grid"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// Options describes a torus of N dimensions of K nodes.
type Options struct {
	K, N int
	Tie  grid.Tie
}

func (o Options) grid(vcs int) (*grid.Grid, error) {
	return grid.New(grid.Options{
		Sizes: grid.Square(o.K, o.N), Wrap: true, VCs: func(int, grid.Direction) int { return vcs },
	})
}

func definition(name string, g *grid.Grid, r routing.Relation) routing.Definition {
	return routing.Definition{
		Name: name, Topology: g.Topology, Routing: routing.Deliver(g.Topology, r), Switching: spec.Wormhole,
	}
}

// DimensionOrder is minimal dimension-order routing on one VC. It deadlocks for k >= 5,
// and for k = 4 unless ties go by parity.
func DimensionOrder(o Options) (routing.Definition, error) {
	g, err := o.grid(1)
	if err != nil {
		return routing.Definition{}, err
	}
	return definition("torus dimension order", g,
		routing.Named("dimension order", g.DimensionOrder(o.Tie, grid.VC(0)))), nil
}

// Dateline is minimal dimension-order routing on two VCs, which change at the
// wrap-around links (Dally and Seitz, 1987).
func Dateline(o Options) (routing.Definition, error) {
	g, err := o.grid(2)
	if err != nil {
		return routing.Definition{}, err
	}
	return definition("torus dateline", g,
		routing.Named("dimension order, VC by dateline", g.DimensionOrder(o.Tie, g.Dateline))), nil
}

// Crossing is minimal dimension-order routing on two VCs: a packet takes VC 1
// from the wrap-around link of a dimension on.
func Crossing(o Options) (routing.Definition, error) {
	g, err := o.grid(2)
	if err != nil {
		return routing.Definition{}, err
	}
	return definition("torus crossing", g,
		routing.Named("dimension order, VC 1 from the wrap-around link on", g.Crossing(o.Tie))), nil
}

// Duato is the dateline network on VC 0 and VC 1 as escape, with any minimal hop on VC
// 2 (Duato, 1993).
func Duato(o Options) (routing.Definition, error) {
	g, err := o.grid(3)
	if err != nil {
		return routing.Definition{}, err
	}
	return definition("torus Duato", g, routing.EscapeAdaptive(
		routing.Named("dateline escape on vc0, vc1", g.DimensionOrder(o.Tie, g.Dateline)),
		routing.Named("any minimal hop on vc2", g.Adaptive(o.Tie, 2)))), nil
}

// Adaptive permits any minimal hop on one VC; it deadlocks.
func Adaptive(o Options) (routing.Definition, error) {
	g, err := o.grid(1)
	if err != nil {
		return routing.Definition{}, err
	}
	return definition("torus adaptive", g, routing.Named("any minimal hop", g.Adaptive(o.Tie, 0))), nil
}

// Bubbles is minimal dimension-order routing on VC 0 of packets that move as a whole, and enter a ring only if two of its
// places are free (Carrión et al., 1997). Adaptive more VCs take any minimal hop (Puente et al., 2001).
func Bubbles(o Options, adaptive int) (routing.Definition, error) {
	g, err := o.grid(1 + adaptive)
	if err != nil {
		return routing.Definition{}, err
	}
	relations := []routing.Relation{routing.Named("dimension order on vc0, bubbles in its rings", g.Bubbles(o.Tie))}
	for vc := 1; vc <= adaptive; vc++ {
		relations = append(relations, routing.Named(fmt.Sprintf("any minimal hop on vc%d", vc), g.Adaptive(o.Tie, vc)))
	}
	def := definition("torus bubbles", g, routing.Union(relations...))
	def.Switching, def.Buffer = spec.VirtualCutThrough, 2
	return def, nil
}
