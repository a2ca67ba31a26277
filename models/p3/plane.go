// Package p3, internal to unknot, models the forwarding of goals on the processing power plane (P³)
// of the Multi-PSI/V2 (Takeda, Nakashima, Masuda, Taki: Hardware Configuration of the
// Multi-PSI/Version-2).
//
// The plane is divided into convex regions, one for each processing element (PE). A
// packet is addressed to a point of the plane. A PE knows only its own region: at each
// corner, it erects the perpendiculars to the two edges there. A target in the strip of
// an edge (zone A) goes to the PE that shares the edge; one in the wedge at a corner
// (zone B) to either of the PEs that share the two edges there. The paper claims that
// the distance between the region and the target never grows and that the packet always
// arrives, which an arbitrary choice refutes; a Path Table for each input channel can
// choose better ([NeverBack]).
//
// All points of the plane are decided, not a sample: each region is cut into cells in which every PE
// decides alike ([Cut]), and a cell becomes the class of an ordinary network
// ([Forwarding.Definition]). With Path Tables whose entries are shared by blocks of targets (masks),
// the targets are the integer points instead. Packets that travel while a boundary moves are a
// separate machine (p3-rebalance.star); a network ([Moved]) has what any number
// of them waits for. Everything is exact, in integers.
package p3

import "strconv"

// Point is a corner of a region. Coordinates have no unit; they lie within
// [MostCoordinate] of 0, so that no determinant overflows 64 bits.
type Point struct{ X, Y int64 }

// MostCoordinate is the largest absolute coordinate of a corner.
const MostCoordinate = 1 << 14

// MostCorners is the greatest number of corners of a region.
const MostCorners = 16

func (p Point) String() string {
	return "(" + strconv.FormatInt(p.X, 10) + "," + strconv.FormatInt(p.Y, 10) + ")"
}

// Region is the part of the plane that one PE serves: a convex polygon with its corners
// counter-clockwise. A corner may be flat (180°): where other regions meet in the
// middle of an edge, that point is a corner, too.
type Region struct {
	Name    string // of the PE; unique
	Corners []Point
}

// edge returns the ends of edge i, from corner i to the next one.
func (r Region) edge(i int) (from, to Point) {
	return r.Corners[i], r.Corners[(i+1)%len(r.Corners)]
}

// edgeInto returns the number of the edge that ends at corner i.
func (r Region) edgeInto(i int) int { return (i + len(r.Corners) - 1) % len(r.Corners) }

// Plane is a set of regions that tile a simple polygon without gap or overlap, which a
// test checks for all planes made here. It does not change.
type Plane struct {
	Regions []Region
	// Across holds, by region and edge, the region at the other side, or Outside.
	Across [][]int
	// Columns and Rows are those of a grid, with the regions numbered row by row from
	// the bottom; 0 if the plane is not a grid.
	Columns, Rows int
}

// Outside stands for the region beyond an edge of the plane's border.
const Outside = -1

// newPlane finds the neighbours: two regions traverse their common edge in opposite
// directions.
func newPlane(regions []Region) *Plane {
	type side struct{ from, to Point }
	sides := map[side]int{}
	for i, r := range regions {
		for e := range r.Corners {
			from, to := r.edge(e)
			sides[side{from, to}] = i
		}
	}
	p := &Plane{Regions: regions, Across: make([][]int, len(regions))}
	for i, r := range regions {
		for e := range r.Corners {
			from, to := r.edge(e)
			other, ok := sides[side{to, from}]
			if !ok {
				other = Outside
			}
			p.Across[i] = append(p.Across[i], other)
		}
	}
	return p
}

// Sideways reports whether edge i of a region separates left from right: on a grid by
// the edge's number (bottom, right, top, left), else by its slope.
func (p *Plane) Sideways(region, i int) bool {
	if p.Columns > 0 {
		return i%2 == 1
	}
	a, b := p.Regions[region].edge(i)
	return abs(b.Y-a.Y) >= abs(b.X-a.X)
}

// box returns the corners of the plane's rectangle.
func (p *Plane) box() (lo, hi Point) {
	lo, hi = p.Regions[0].Corners[0], p.Regions[0].Corners[0]
	for _, r := range p.Regions {
		for _, v := range r.Corners {
			lo.X, lo.Y, hi.X, hi.Y = min(lo.X, v.X), min(lo.Y, v.Y), max(hi.X, v.X), max(hi.Y, v.Y)
		}
	}
	return lo, hi
}

func abs(x int64) int64 { return max(x, -x) }

// turn is positive if c lies to the left of the line from a to b, 0 if on it.
func turn(a, b, c Point) int64 { return (b.X-a.X)*(c.Y-a.Y) - (b.Y-a.Y)*(c.X-a.X) }
