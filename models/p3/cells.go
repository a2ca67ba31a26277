package p3

import (
	"context"
	"fmt"
	"math/big"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
)

// Cells. The only lines at which a decision changes are the boundaries of zones: rays
// that start in a corner of some region, perpendicular to an edge there, and the edges
// themselves. Rules that depend on the edge beyond which a target lies add the prolongations of
// edges, where they cut a wedge in two: at corners of less than 90°. A ray starts on
// the border of its own region and leads away from it, so it has no end inside any
// other region: it cuts that region from side to side, or does not cut it. Cutting a region
// by all of them gives convex cells, and no line has points of a cell on both sides. So
// one point of a cell stands for all: an open cell lies on the same side of a line as
// any of its corners that is not on the line.
//
// Besides the open cells there are their sides and corners. If a point on a boundary counts
// as a point slightly to its right ([Lean]), these decide like the open cell there and are
// not considered. Otherwise they are cells of their own, and the same rule gives their side
// of a line.

// Border determines the zone and region of a point on a boundary, which the paper does not
// specify.
type Border uint8

const (
	// Lean: a target counts as moved slightly to the right, and upwards by very much
	// less, so it never lies on a boundary. Regions and zones are half open, as with
	// integer coordinates. Points of the plane's own right and upper border belong to no
	// PE.
	Lean Border = iota
	// Both: zones A and B are closed; a target on a perpendicular belongs to both. A
	// point on an edge belongs to the first PE, by number, whose closed region contains
	// it.
	Both
)

// BorderNames are the names of the values of Border, in order.
var BorderNames = []string{"lean", "both"}

// Cell is a set of targets for which every PE decides alike: a convex polygon
// without its border, a segment without its ends, or a point.
type Cell struct {
	Owner   int // the region in which it lies
	corners []place
	sides   []line // of a polygon: side i leads from corner i to the next
	class   spec.Class
}

// inner returns a point of the cell, exactly: the mean of its corners.
func (c *Cell) inner() (x, y *big.Rat) {
	x, y = new(big.Rat), new(big.Rat)
	for _, v := range c.corners {
		vx, vy := v.rats()
		x.Add(x, vx)
		y.Add(y, vy)
	}
	n := big.NewRat(int64(len(c.corners)), 1)
	return x.Quo(x, n), y.Quo(y, n)
}

// String names the cell by its inner point.
func (c *Cell) String() string {
	x, y := c.inner()
	return "(" + x.RatString() + "," + y.RatString() + ")"
}

// of returns the side of the line on which the cell lies; never 0 with Lean.
func (l line) of(c *Cell, border Border) int {
	for _, v := range c.corners {
		if s := l.side(v); s != 0 {
			return s
		}
	}
	if border == Lean {
		return l.lean()
	}
	return 0
}

// MostCells is the greatest number of cells in a plane.
const MostCells = 1 << 20

// Cut cuts every region into cells, in each of which every PE decides alike under the
// rule, and returns them by region. More than [MostCells] are an error. With n rays
// through it, a region has at most 1 + n + n(n-1)/2 open cells.
func Cut(ctx context.Context, p *Plane, border Border, rule Rule) ([][]Cell, error) {
	rays := p.rays(rule.looksBeyond())
	cells := make([][]Cell, len(p.Regions))
	total := 0
	for i := range p.Regions {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		open := p.open(i, rays)
		if border == Lean {
			cells[i] = open
		} else {
			cells[i] = p.withBorders(i, open)
		}
		if total += len(cells[i]); total > MostCells {
			return nil, fmt.Errorf("more than %d cells of targets: take fewer PEs or fewer moves", MostCells)
		}
	}
	return cells, nil
}

// ray is a boundary of zones: the points of on from which ahead is positive.
type ray struct {
	region    int
	on, ahead line
}

// rays lists the zone boundaries of all regions and, if asked for, the
// prolongations of edges that cut zones.
func (p *Plane) rays(prolonged bool) []ray {
	var rs []ray
	for i, r := range p.Regions {
		for e := range r.Corners {
			from, to := r.edge(e)
			along, outside := perpendicular(from, from, to), lineThrough(from, to)
			for _, v := range [...]Point{from, to} {
				rs = append(rs, ray{i, perpendicular(v, from, to), outside})
			}
			if !prolonged {
				continue
			}
			if r.sharp(e) {
				rs = append(rs, ray{i, outside, line{-along.a, -along.b, -along.c}})
			}
			if r.sharp((e + 1) % len(r.Corners)) {
				rs = append(rs, ray{i, outside, perpendicular(to, from, to)})
			}
		}
	}
	return rs
}

// sharp reports whether the region has an angle of less than 90° at corner i.
func (r Region) sharp(i int) bool {
	before, at := r.edge(r.edgeInto(i))
	_, after := r.edge(i)
	return (before.X-at.X)*(after.X-at.X)+(before.Y-at.Y)*(after.Y-at.Y) > 0
}

// open cuts region i by the rays of all others.
func (p *Plane) open(i int, rays []ray) []Cell {
	whole := p.whole(i)
	cells := []Cell{whole}
	done := map[line]bool{}
	for _, ray := range rays {
		if ray.region == i {
			continue
		}
		l := ray.on.plain()
		if done[l] || !ray.enters(&whole) {
			continue
		}
		done[l] = true
		for k, n := 0, len(cells); k < n; k++ {
			if left, right, ok := cells[k].split(l); ok {
				cells[k] = left
				cells = append(cells, right)
			}
		}
	}
	return cells
}

// whole is the open region as one cell.
func (p *Plane) whole(i int) Cell {
	r := p.Regions[i]
	c := Cell{Owner: i}
	for e, v := range r.Corners {
		c.corners, c.sides = append(c.corners, place{v.X, v.Y, 1}), append(c.sides, lineThrough(r.edge(e)))
	}
	return c
}

// plain returns the same line in lowest terms and with a fixed orientation, so
// that equal lines are equal.
func (l line) plain() line {
	g := gcd(gcd(abs(l.a), abs(l.b)), abs(l.c))
	if l.a < 0 || l.a == 0 && l.b < 0 {
		g = -g
	}
	return line{l.a / g, l.b / g, l.c / g}
}

// enters reports whether the ray cuts the open cell: its line does, ahead of the start
// of the ray, which lies outside the cell.
func (r ray) enters(c *Cell) bool {
	left, _, ok := c.split(r.on)
	if !ok {
		return false
	}
	return slices.ContainsFunc(left.corners, func(v place) bool { return r.on.side(v) == 0 && r.ahead.side(v) > 0 })
}

// split cuts an open polygon in two by a line; ok is false if the line misses it.
func (c *Cell) split(l line) (left, right Cell, ok bool) {
	n := len(c.corners)
	var plus, minus bool
	at := make([]int, n)
	for i, v := range c.corners {
		at[i] = l.side(v)
		plus, minus = plus || at[i] > 0, minus || at[i] < 0
	}
	if !plus || !minus {
		return left, right, false
	}
	part := func(sign int) Cell {
		half := Cell{Owner: c.Owner}
		for i, v := range c.corners {
			next := at[(i+1)%n]
			switch {
			case at[i]*sign > 0, at[i] == 0 && next*sign > 0:
				half.corners, half.sides = append(half.corners, v), append(half.sides, c.sides[i])
			case at[i] == 0: // the cut begins here
				if at[(i+n-1)%n]*sign > 0 {
					half.corners, half.sides = append(half.corners, v), append(half.sides, l)
				}
			}
			if at[i]*next < 0 {
				side := l
				if next*sign > 0 {
					side = c.sides[i]
				}
				half.corners, half.sides = append(half.corners, c.sides[i].meet(l)), append(half.sides, side)
			}
		}
		return half
	}
	return part(1), part(-1), true
}

// withBorders adds the sides and corners of the open cells of region i that
// belong to it: those in no closed region of a lower number.
func (p *Plane) withBorders(i int, open []Cell) []Cell {
	type segment struct{ from, to place }
	var more []Cell
	points, segments := map[place]bool{}, map[segment]bool{}
	add := func(c Cell) {
		for j := range i {
			if p.contains(j, &c) {
				return
			}
		}
		more = append(more, c)
	}
	for _, c := range open {
		for k, v := range c.corners {
			w := c.corners[(k+1)%len(c.corners)]
			if !points[v] {
				points[v] = true
				add(Cell{Owner: i, corners: []place{v}})
			}
			if !segments[segment{v, w}] && !segments[segment{w, v}] {
				segments[segment{v, w}] = true
				add(Cell{Owner: i, corners: []place{v, w}})
			}
		}
	}
	return append(open, more...)
}

// contains reports whether a cell lies in the closed region j.
func (p *Plane) contains(j int, c *Cell) bool {
	r := p.Regions[j]
	for e := range r.Corners {
		if lineThrough(r.edge(e)).of(c, Both) > 0 {
			return false
		}
	}
	return true
}
