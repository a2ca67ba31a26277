// Package p3 models the forwarding of goals on the processing power plane (P³)
// of the Multi-PSI/V2 (Takeda, Nakashima, Masuda, Taki: Hardware Configuration
// of the Multi-PSI/Version-2).
//
// The plane is divided into convex regions, one a processing element (PE). A
// packet is addressed to a point of the plane. A PE knows only its own region:
// it erects at each corner the perpendiculars to the two edges there. A target
// in the strip of an edge (zone A) goes to the PE that shares the edge; one in
// the wedge at a corner (zone B) to either of the PEs that share the two edges
// there. The paper claims that the distance between the region and the target
// never grows and that the packet always arrives, which an arbitrary choice
// refutes; a Path Table for each input channel can choose better ([NeverBack]).
//
// All points of the plane are decided, not samples: each region is cut into
// cells in which every PE decides alike ([Cut]), and a cell becomes the class of
// an ordinary network ([New]). Where the machine's coordinates matter, targets are
// the integer points instead ([Integers]): so with Path Tables whose entries are
// shared by blocks of targets ([Masks]). Packets on their way while a boundary
// moves are a machine of their own ([Rebalancing]); what they wait for, however
// many they are and whatever the discipline, is a network ([Settling]). Everything
// is exact, in integers.
package p3

import (
	"fmt"
	"strconv"
)

// Point is a corner of a region. Coordinates have no unit; they lie within
// [MostCoordinate] of 0, so that no determinant overflows 64 bits.
type Point struct{ X, Y int64 }

// MostCoordinate is the largest absolute coordinate of a corner.
const MostCoordinate = 1 << 14

// MostCorners is the most corners that a region may have.
const MostCorners = 16

func (p Point) String() string {
	return "(" + strconv.FormatInt(p.X, 10) + "," + strconv.FormatInt(p.Y, 10) + ")"
}

// Region is the part of the plane that one PE serves: a convex polygon, its
// corners counter-clockwise. A corner may be flat (180°): where other regions
// meet in the middle of an edge, that point is a corner too.
type Region struct {
	Name    string // of the PE; unique
	Corners []Point
}

// edge returns the ends of edge i, from corner i to the next one.
func (r Region) edge(i int) (from, to Point) {
	return r.Corners[i], r.Corners[(i+1)%len(r.Corners)]
}

// before returns the number of the edge that ends at corner i.
func (r Region) before(i int) int { return (i + len(r.Corners) - 1) % len(r.Corners) }

// Plane is a subdivision that has been checked: the regions tile a simple
// polygon without gap or overlap. It does not change.
type Plane struct {
	Regions []Region
	// Across holds, by region and edge, the region at the other side, or Outside.
	Across [][]int
	// Columns and Rows are those of a grid, the regions numbered row by row from
	// the bottom; 0 if the plane is none.
	Columns, Rows int
	border        []Point // the outline, counter-clockwise
}

// Outside stands for the region beyond an edge of the plane's border.
const Outside = -1

// Fault says what is wrong with a subdivision, and where.
type Fault struct {
	Region, Corner int // of the regions given to [NewPlane]
	Msg            string
}

func (f *Fault) Error() string { return f.Msg }

// NewPlane checks a subdivision. Gaps, overlaps, regions that are not convex,
// edges with more than two regions and planes that are not one piece are a
// [*Fault]. The work is quadratic in the corners of the border, linear in the
// others.
func NewPlane(regions []Region) (*Plane, error) {
	p := &Plane{Regions: regions}
	if err := p.check(); err != nil {
		return nil, err
	}
	return p, nil
}

// Sideways reports whether edge i of a region parts left from right: the edge's
// number says so on a grid (bottom, right, top, left), else its slope.
func (p *Plane) Sideways(region, i int) bool {
	if p.Columns > 0 {
		return i%2 == 1
	}
	a, b := p.Regions[region].edge(i)
	return abs(b.Y-a.Y) >= abs(b.X-a.X)
}

// Convex reports whether the plane's outline is convex. The paper's is: it is
// drawn as a square.
func (p *Plane) Convex() bool {
	n := len(p.border)
	for i := range n {
		if turn(p.border[i], p.border[(i+1)%n], p.border[(i+2)%n]) < 0 {
			return false
		}
	}
	return true
}

func abs(x int64) int64 { return max(x, -x) }

// turn is positive if c lies to the left of the way from a to b, 0 if on its line.
func turn(a, b, c Point) int64 { return (b.X-a.X)*(c.Y-a.Y) - (b.Y-a.Y)*(c.X-a.X) }

func fault(region, corner int, format string, args ...any) *Fault {
	return &Fault{Region: region, Corner: corner, Msg: fmt.Sprintf(format, args...)}
}
