package p3

import (
	"context"
	"fmt"
	"math/bits"

	"github.com/seed-105a2da2/unknot/spec"
)

// Coarse Path Tables. The paper masks the low bits of coordinates that are far
// from the PE's region, so that one entry serves many targets and few entries have
// to be rewritten when a boundary moves. An entry is a block of targets (see
// blocks.go) that share one edge, and every target's edge is one that the rule
// permits: so masked tables send no packet another way than the rule may, and
// what holds of the rule however it chooses, as that no packet goes round, holds
// of them. Of such tables
// [pyramid.coarsest] has the fewest entries, exactly.

// coarsest makes the hops those of the coarsest masked tables, and returns the
// number of their entries.
func (f *Forwarding) coarsest(ctx context.Context) (entries int, err error) {
	p := newPyramid(f.lattice.width, f.lattice.height)
	ports := make([][]uint8, len(f.Plane.Regions)) // by PE and point of the lattice
	for pe := range ports {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		ports[pe] = make([]uint8, len(f.lattice.owner))
		for i, owner := range f.lattice.owner {
			switch {
			case owner < 0:
				p.common[0][i] = nobody
			case int(owner) == pe:
				p.common[0][i] = own
			default:
				p.common[0][i] = f.edges(pe, &f.Cells[owner][f.lattice.cell[i]])
			}
		}
		p.raise()
		entries += p.coarsest(func(m, x, y int) {
			w, _ := p.size(m)
			port := uint8(bits.TrailingZeros32(p.common[m][y*w+x]))
			p.targets(m, x, y, func(i int) { ports[pe][i] = port })
		})
	}
	return entries, f.classify(ctx, func(c *Cell, pe int) uint32 {
		at := c.point()
		return 1 << ports[pe][int(at.Y-f.lattice.lo.Y)*f.lattice.width+int(at.X-f.lattice.lo.X)]
	})
}

// CoarsestMasks decides: masking low bits for far targets saves entries of the
// Path Tables of integer targets, and no packet goes another way than the rule
// permits. Time and memory are linear in the pairs of PE and target.
func (f *Forwarding) CoarsestMasks(ctx context.Context) (Finding, error) {
	o := f.asked
	o.Targets, o.Masks = Integers, Blocks
	if err := o.check(); err != nil {
		return Finding{}, err
	}
	o.Masks = Unmasked
	plain, err := NewForwarding(ctx, o)
	if err != nil {
		return Finding{}, err
	}
	single := 0
	for _, cells := range plain.Cells {
		single += len(cells) * len(plain.Cells)
	}
	n, err := plain.coarsest(ctx)
	if err != nil {
		return Finding{}, err
	}
	fi := Finding{Verdict: spec.Violated, Because: "no masks save entries", Picture: plain.example()}
	if n < single {
		fi.Verdict = spec.Holds
		fi.Because = fmt.Sprintf("%d entries in place of %d, the fewest of all tables in which every target goes a way that the rule permits", n, single)
	}
	return fi, nil
}

// box returns the corners of the plane's rectangle.
func (p *Plane) box() (lo, hi Point) {
	lo, hi = p.border[0], p.border[0]
	for _, v := range p.border {
		lo.X, lo.Y, hi.X, hi.Y = min(lo.X, v.X), min(lo.Y, v.Y), max(hi.X, v.X), max(hi.Y, v.Y)
	}
	return lo, hi
}
