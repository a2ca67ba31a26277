package p3

import (
	"context"
	"fmt"
	"math/big"
	"strings"

	"github.com/seed-105a2da2/unknot/spec"
)

// Finding is the answer to a question about a plane and its forwarding.
type Finding struct {
	Verdict  spec.Verdict // of the sentence in the doc comment of the question's function
	Because  string
	Evidence []string
	Picture  *Picture // nil if there is nothing to draw
}

// Covers decides: the regions tile the plane, every PE finds each target of
// another region in exactly one zone (with closed borders: at least one), and
// some neighbour lies across it.
//
// That the regions tile the plane has been checked by [NewPlane]. A target in
// zone A of an edge of the plane's border has no neighbour to go to: a dead end.
// In zone B at a corner on the border only one of the two PEs exists, and the
// packet goes there. Inside a convex plane the former cannot happen: the plane
// lies on one side of each of its edges.
func (f *Forwarding) Covers(ctx context.Context) (Finding, error) {
	targets, pairs, single, several := 0, 0, 0, 0
	for region := range f.Cells {
		if err := ctx.Err(); err != nil {
			return Finding{}, err
		}
		for i := range f.Cells[region] {
			c := &f.Cells[region][i]
			targets++
			for pe := range f.Plane.Regions {
				if pe == region {
					continue
				}
				z := f.Zone(pe, c)
				pairs++
				switch {
				case z.Inside || f.asked.Border == Lean && z.Zones != 1:
					return f.at(pe, c, spec.Violated, fmt.Sprintf("PE %s finds the target %s in %d zones", f.name(pe), c, z.Zones)), nil
				case f.known(pe, z.Edges) == 0:
					return f.at(pe, c, spec.Violated, fmt.Sprintf("PE %s finds the target %s of %s in zone A of an edge of the plane's border, where it has no neighbour",
						f.name(pe), c, f.name(region))), nil
				}
				if z.Zones > 1 {
					several++
				}
				if z.Corner >= 0 && f.known(pe, z.Edges) == 1 {
					single++
				}
			}
		}
	}
	return Finding{
		Verdict: spec.Holds,
		Because: "the edges of the regions cancel but for one loop, the border, and every other PE finds each cell in a zone with a neighbour",
		Evidence: []string{
			fmt.Sprintf("%d regions, a border of %d edges, convex: %t", len(f.Plane.Regions), len(f.Plane.border), f.Plane.Convex()),
			fmt.Sprintf("%d cells of targets, %d pairs of PE and cell, in more than one zone: %d", targets, pairs, several),
			fmt.Sprintf("in zone B at a corner of the plane's border, with one neighbour only: %d", single),
		},
		Picture: &Picture{Plane: f.Plane, Zones: len(f.Plane.Regions) / 2, Loop: -1},
	}, nil
}

// known counts the edges of a set that have a neighbour.
func (f *Forwarding) known(pe int, edges uint32) int {
	n := 0
	for e, across := range f.Plane.Across[pe] {
		if edges>>e&1 == 1 && across != Outside {
			n++
		}
	}
	return n
}

// at is a finding about one PE and one target, with its picture.
func (f *Forwarding) at(pe int, c *Cell, v spec.Verdict, because string) Finding {
	return Finding{Verdict: v, Because: because, Evidence: []string{f.sees(pe, c)},
		Picture: &Picture{Plane: f.Plane, Zones: pe, Target: c, Path: []int{pe}, Loop: -1}}
}

func (f *Forwarding) name(pe int) string { return f.Plane.Regions[pe].Name }

// sees describes what a PE makes of a target.
func (f *Forwarding) sees(pe int, c *Cell) string {
	z, edges := f.Zone(pe, c), f.edges(pe, c)
	zone := "zone A"
	switch {
	case z.Inside:
		zone = "no zone"
	case z.Zones > 1:
		zone = fmt.Sprintf("%d zones", z.Zones)
	case z.Corner >= 0:
		zone = fmt.Sprintf("zone B at %v", f.Plane.Regions[pe].Corners[z.Corner])
	}
	way := "nowhere"
	if edges != 0 {
		way = f.neighbourNames(pe, edges)
	}
	return fmt.Sprintf("PE %s, target %s at squared distance %s: %s, may go to %s", f.name(pe), c, f.Plane.Regions[pe].distance(c).RatString(), zone, way)
}

func (f *Forwarding) neighbourNames(pe int, edges uint32) string {
	var names []string
	for e, across := range f.Plane.Across[pe] {
		if edges>>e&1 == 1 && across != Outside {
			names = append(names, f.name(across))
		}
	}
	return strings.Join(names, " or ")
}

// String names the cell by its inner point.
func (c *Cell) String() string {
	x, y := c.Inner()
	return "(" + x.RatString() + "," + y.RatString() + ")"
}

// distance returns the squared distance between the region and the inner point
// of a cell: 0 inside; else that of the nearest point of the nearest edge.
func (r Region) distance(c *Cell) *big.Rat {
	x, y := c.Inner()
	var best *big.Rat
	inside := true
	for e := range r.Corners {
		a, b := r.edge(e)
		dx, dy := new(big.Rat).Sub(x, big.NewRat(a.X, 1)), new(big.Rat).Sub(y, big.NewRat(a.Y, 1))
		ux, uy := big.NewRat(b.X-a.X, 1), big.NewRat(b.Y-a.Y, 1)
		along, across := sum(ux, dx, uy, dy), new(big.Rat).Sub(new(big.Rat).Mul(uy, dx), new(big.Rat).Mul(ux, dy))
		length := sum(ux, ux, uy, uy)
		inside = inside && across.Sign() <= 0
		var d *big.Rat
		switch {
		case along.Sign() <= 0:
			d = sum(dx, dx, dy, dy)
		case along.Cmp(length) >= 0:
			dx.Sub(dx, ux)
			dy.Sub(dy, uy)
			d = sum(dx, dx, dy, dy)
		default: // the height over the edge: across / |u|
			d = new(big.Rat).Mul(across, across)
			d.Quo(d, length)
		}
		if best == nil || d.Cmp(best) < 0 {
			best = d
		}
	}
	if inside {
		return new(big.Rat)
	}
	return best
}

// sum returns a b + c d.
func sum(a, b, c, d *big.Rat) *big.Rat {
	x := new(big.Rat).Mul(a, b)
	return x.Add(x, new(big.Rat).Mul(c, d))
}
