package p3

import (
	"context"
	"fmt"
	"math/bits"
)

// Integer targets. The machine's packets carry coordinates of some bits, and a
// Path Table has an entry for each; so the integer points are all the targets
// that it knows. Some questions need them: which of two regions is nearer (the
// border is curved), and what a table does whose entries are shared by blocks of
// points. Each point is a cell of its own, a point on a boundary belongs where
// [Lean] puts it, and distances are those of the point itself, as fractions of
// integers:
//
//	|target - corner|^2                       at most 2 * (2^15)^2 = 2^31
//	(a x + b y - c)^2 / (a^2 + b^2)           the root of the numerator is twice
//	                                          the area of a triangle in the plane,
//	                                          at most 2^30 * 2 = 2^31
//
// so numerators fit 62 bits, denominators 31, and two of them are compared by
// products of 128 bits.

// Targets says for which targets forwarding is decided.
type Targets uint8

const (
	// Everywhere: all points of the plane, by cells in which every PE decides
	// alike.
	Everywhere Targets = iota
	// Integers: the points with integer coordinates, one by one.
	Integers
)

// TargetNames are the names of the values of Targets, in order.
var TargetNames = []string{"all", "integers"}

// MostPairs bounds the pairs of PE and integer target: 8 x 8 PEs at a pitch of 64
// have as many.
const MostPairs = 1 << 24

// lattice is the rectangle of integer points around a plane, row by row from the
// lower left.
type lattice struct {
	lo            Point
	width, height int
	owner         []int16 // by point; -1 outside the plane
	cell          []int32 // by point: its number among the cells of its owner
}

// integers makes each integer point of the plane a cell.
func integers(ctx context.Context, p *Plane, views []view) (*lattice, [][]Cell, error) {
	lo, hi := p.box()
	l := &lattice{lo: lo, width: int(hi.X - lo.X), height: int(hi.Y - lo.Y)}
	if n := l.width * l.height * len(p.Regions); n > MostPairs {
		return nil, nil, fmt.Errorf("%d pairs of PE and integer target: want at most %d; a smaller pitch will do", n, MostPairs)
	}
	l.owner, l.cell = make([]int16, l.width*l.height), make([]int32, l.width*l.height)
	cells := make([][]Cell, len(p.Regions))
	last := 0 // neighbouring points mostly have the same owner
	places := make([]place, len(l.owner))
	for i := range l.owner {
		if i%l.width == 0 && ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		places[i] = place{lo.X + int64(i%l.width), lo.Y + int64(i/l.width), 1}
		c := Cell{corners: places[i : i+1 : i+1]}
		l.owner[i] = -1
		for k := range views {
			pe := (last + k) % len(views)
			if views[pe].owns(&c) {
				last, c.Owner = pe, pe
				l.owner[i], l.cell[i] = int16(pe), int32(len(cells[pe]))
				cells[pe] = append(cells[pe], c)
				break
			}
		}
	}
	return l, cells, nil
}

// owns reports whether a target lies in the region, with borders as with [Lean].
func (v *view) owns(c *Cell) bool {
	for _, l := range v.out {
		if l.of(c, Lean) > 0 {
			return false
		}
	}
	return true
}

// point returns the target of a cell that is an integer point.
func (c *Cell) point() Point { return Point{c.corners[0].x, c.corners[0].y} }

// squared is the square of a distance, n / d.
type squared struct{ n, d uint64 }

func (a squared) cmp(b squared) int {
	h1, l1 := bits.Mul64(a.n, b.d)
	h2, l2 := bits.Mul64(b.n, a.d)
	switch {
	case h1 < h2 || h1 == h2 && l1 < l2:
		return -1
	case h1 == h2 && l1 == l2:
		return 0
	}
	return 1
}

// from returns the squared distance of the closed region from an integer point
// of the plane.
func (r Region) from(t Point) squared {
	best := squared{1, 0}
	inside := true
	for e := range r.Corners {
		a, b := r.edge(e)
		dx, dy, ux, uy := t.X-a.X, t.Y-a.Y, b.X-a.X, b.Y-a.Y
		along, across, length := ux*dx+uy*dy, uy*dx-ux*dy, ux*ux+uy*uy
		inside = inside && across <= 0
		var d squared
		switch {
		case along <= 0:
			d = squared{uint64(dx*dx + dy*dy), 1}
		case along >= length:
			d = squared{uint64((dx-ux)*(dx-ux) + (dy-uy)*(dy-uy)), 1}
		default:
			d = squared{uint64(across * across), uint64(length)}
		}
		if d.cmp(best) < 0 {
			best = d
		}
	}
	if inside {
		return squared{0, 1}
	}
	return best
}
