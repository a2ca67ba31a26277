package p3

import (
	"context"
	"fmt"
	"math/big"
	"math/bits"

	"github.com/seed-105a2da2/unknot/spec"
)

// Distances, for all targets though computed at one point of each cell:
//
//   - A PE in zone A of an edge, or in zone B at one of its ends, has its point
//     nearest to the target on that edge. The edge belongs to the neighbour as
//     well, so the neighbour is not farther. This is checked hop by hop: the
//     edge is one that the zone names.
//   - The nearest point of a convex region is unique. So the neighbour is
//     strictly nearer unless both have the same nearest point. In a strip the
//     neighbour holds a piece of the way from the foot to the target, so then it
//     is a corner. Which corner is nearest is the same for all targets of a
//     cell, so equality at its inner point is equality in all of it.
//   - While the nearest point stays one corner v, the packet turns around v. A
//     region has two edges at v, so unless it goes straight back it leaves by
//     the other one and turns on in the same direction. It cannot come round: v
//     cannot be nearest for all regions around it, unless the target is v, whose
//     owner it then meets.
//
// An integer target is a single point, and its distances are computed.
//
// Hence: if no hop at equal distance is followed by the hop back, then (squared
// distance, regions left around the corner) falls at each hop, lexicographically,
// and every packet arrives.

// hop is a step that the rule permits to a packet for a target.
type hop struct {
	from, edge, to int
	target         *Cell
}

// eachHop visits every permitted hop of packets that may be sent, for every cell.
func (f *Forwarding) eachHop(ctx context.Context, visit func(h hop) (more bool)) error {
	for region := range f.Cells {
		for i := range f.Cells[region] {
			if i%256 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			if !f.hopsFor(&f.Cells[region][i], visit) {
				return nil
			}
		}
	}
	return ctx.Err()
}

// eachKind visits the same hops, for one cell of each class.
func (f *Forwarding) eachKind(ctx context.Context, visit func(h hop) (more bool)) error {
	for region, first := range f.first {
		if err := ctx.Err(); err != nil {
			return err
		}
		for _, i := range first {
			if !f.hopsFor(&f.Cells[region][i], visit) {
				return nil
			}
		}
	}
	return nil
}

func (f *Forwarding) hopsFor(c *Cell, visit func(h hop) (more bool)) bool {
	for pe, edges := range f.hops[c.Owner][c.class] {
		if f.asked.Rule == Forced && !f.forced(pe, c.Owner, int(c.class)) {
			continue // not sent
		}
		for ; edges != 0; edges &= edges - 1 {
			e := bits.TrailingZeros32(edges)
			if !visit(hop{pe, e, f.Plane.Across[pe][e], c}) {
				return false
			}
		}
	}
	return true
}

// distances remembers the squared distances of all regions from one cell: of
// integer targets in whole numbers, of others at the inner point.
type distances struct {
	plane *Plane
	cell  *Cell
	known []*big.Rat
	whole []squared
}

func (d *distances) of(region int, c *Cell) *big.Rat {
	d.turnTo(c)
	if d.known[region] == nil {
		d.known[region] = d.plane.Regions[region].distance(c)
	}
	return d.known[region]
}

func (d *distances) integer(region int, c *Cell) squared {
	d.turnTo(c)
	if d.whole[region].d == 0 {
		d.whole[region] = d.plane.Regions[region].from(c.point())
	}
	return d.whole[region]
}

func (d *distances) turnTo(c *Cell) {
	if d.cell == c {
		return
	}
	if d.cell == nil {
		d.known, d.whole = make([]*big.Rat, len(d.plane.Regions)), make([]squared, len(d.plane.Regions))
	}
	clear(d.known)
	clear(d.whole)
	d.cell = c
}

// compare returns how the squared distance changes over a hop: -1 nearer, 0
// equal, 1 farther. Where the zone names the edge and no target lies on a
// boundary it need not be computed: only the same nearest corner leaves it equal.
func (f *Forwarding) compare(h hop, d *distances) int {
	if f.lattice != nil {
		return d.integer(h.to, h.target).cmp(d.integer(h.from, h.target))
	}
	if f.asked.Border != Lean || !f.names(h) {
		return d.of(h.to, h.target).Cmp(d.of(h.from, h.target))
	}
	z, next := f.Zone(h.from, h.target), f.Zone(h.to, h.target)
	if z.Corner >= 0 && next.Corner >= 0 && f.Plane.Regions[h.from].Corners[z.Corner] == f.Plane.Regions[h.to].Corners[next.Corner] {
		return 0
	}
	return -1
}

// names reports whether the zone in which a PE finds the target names the edge
// of a hop.
func (f *Forwarding) names(h hop) bool { return f.Zone(h.from, h.target).Edges>>h.edge&1 == 1 }

// Distances decides: no permitted hop takes a packet to a region farther from its
// target; or, strictly, every one takes it to a region nearer to it.
func (f *Forwarding) Distances(ctx context.Context, strictly bool) (Finding, error) {
	nearer, equal := 0, 0
	var bad *Finding
	d := &distances{plane: f.Plane}
	err := f.eachHop(ctx, func(h hop) bool {
		change := f.compare(h, d)
		named := f.lattice != nil || f.names(h)
		switch {
		case change < 0 && named:
			nearer++
			return true
		case change == 0 && named && !strictly:
			equal++
			return true
		}
		bad = f.against(h, fmt.Sprintf("from %s to %s the squared distance from the target %s changes from %s to %s", f.name(h.from), f.name(h.to), h.target,
			d.of(h.from, h.target).RatString(), d.of(h.to, h.target).RatString()))
		if change < 0 || change == 0 && !strictly {
			bad.Verdict = spec.Unknown // the argument for all targets of the cell is missing
		}
		return false
	})
	if err != nil {
		return Finding{}, err
	}
	if bad != nil {
		return *bad, nil
	}
	because := "each hop crosses the edge on which the region's nearest point lies, and the neighbour has that edge too"
	if f.lattice != nil {
		because = "no hop leads to a region at a greater distance from an integer target"
	}
	if strictly {
		because = "the neighbour across never has the same nearest point"
	}
	return Finding{Verdict: spec.Holds, Because: because,
		Evidence: []string{fmt.Sprintf("of the hops, by PE and cell: %d come nearer, %d stay at the same distance", nearer, equal)},
		Picture:  f.example()}, nil
}

// against is a finding that one hop refutes.
func (f *Forwarding) against(h hop, because string) *Finding {
	return &Finding{Verdict: spec.Violated, Because: because, Evidence: []string{f.sees(h.from, h.target), f.sees(h.to, h.target)},
		Picture: &Picture{Plane: f.Plane, Zones: h.from, Target: h.target, Path: []int{h.from, h.to}, Loop: -1}}
}

// example draws the way of one packet across the plane.
func (f *Forwarding) example() *Picture {
	last := len(f.Cells) - 1
	pic := &Picture{Plane: f.Plane, Zones: 0, Loop: -1}
	if len(f.Cells[last]) == 0 {
		return pic
	}
	c := len(f.Cells[last]) / 2
	pic.Target, pic.Path = &f.Cells[last][c], []int{0}
	seen := map[int]bool{0: true}
	for pe := 0; pe != last; {
		edges := f.edges(pe, pic.Target)
		if edges == 0 {
			break
		}
		pe = f.over(pe, edges)
		pic.Path = append(pic.Path, pe)
		if seen[pe] {
			break // a choice that leads round; the question was another
		}
		seen[pe] = true
	}
	return pic
}
