package p3

import (
	"fmt"
	"math/rand/v2"
)

// GridOptions describes a grid of PEs whose boundaries have been moved to
// balance the load.
type GridOptions struct {
	Columns, Rows int    // at least 1
	Pitch         int64  // width and height of a region before any move; 0 means 64
	Moves         int    // number of boundaries moved, one after the other
	Seed          uint64 // of the moves; equal seeds give equal planes
}

// Grid returns a grid of PEs after the given number of moves. A move takes a boundary
// between two PEs and shifts both its ends by the same vector, up to a quarter of the
// pitch in either direction; an end on the plane's border only slides along it. A move
// that would leave a region not strictly convex is not made but counts: crowded
// boundaries stay.
func Grid(o GridOptions) *Plane {
	if o.Pitch == 0 {
		o.Pitch = 64
	}
	g := newMesh(o.Columns, o.Rows, o.Pitch)
	rng := rand.New(rand.NewPCG(o.Seed, 0x5033)) // the second half separates the seeds from those of other generators
	for range o.Moves {
		g.move(rng, o.Pitch)
	}
	return g.plane()
}

// mesh is a grid whose corners may move.
type mesh struct {
	columns, rows int
	corners       [][]Point // by row 0..rows, column 0..columns
}

func newMesh(columns, rows int, pitch int64) *mesh {
	g := &mesh{columns: columns, rows: rows}
	for y := range rows + 1 {
		line := make([]Point, columns+1)
		for x := range line {
			line[x] = Point{int64(x) * pitch, int64(y) * pitch}
		}
		g.corners = append(g.corners, line)
	}
	return g
}

// region returns the corners of a region: edge 0 is the lower one, 1 the right, 2 the
// upper, 3 the left.
func (g *mesh) region(x, y int) []Point {
	return []Point{g.corners[y][x], g.corners[y][x+1], g.corners[y+1][x+1], g.corners[y+1][x]}
}

func (g *mesh) plane() *Plane {
	var regions []Region
	for y := range g.rows {
		for x := range g.columns {
			regions = append(regions, Region{Name: fmt.Sprintf("(%d,%d)", x, y), Corners: g.region(x, y)})
		}
	}
	p := newPlane(regions)
	p.Columns, p.Rows = g.columns, g.rows
	return p
}

// move shifts one boundary, or leaves the grid as it is.
func (g *mesh) move(rng *rand.Rand, pitch int64) {
	upright := rng.IntN(2) == 0
	if upright && g.columns == 1 || !upright && g.rows == 1 {
		return
	}
	far := max(1, pitch/4)
	dx, dy := rng.Int64N(2*far+1)-far, rng.Int64N(2*far+1)-far
	var ends [2][2]int // column, row
	if upright {
		x, y := 1+rng.IntN(g.columns-1), rng.IntN(g.rows)
		ends = [2][2]int{{x, y}, {x, y + 1}}
	} else {
		x, y := rng.IntN(g.columns), 1+rng.IntN(g.rows-1)
		ends = [2][2]int{{x, y}, {x + 1, y}}
	}
	var old [2]Point
	for i, e := range ends {
		v := &g.corners[e[1]][e[0]]
		old[i] = *v
		if e[0] > 0 && e[0] < g.columns {
			v.X += dx
		}
		if e[1] > 0 && e[1] < g.rows {
			v.Y += dy
		}
	}
	for _, e := range ends {
		if !g.convexAround(e[0], e[1], 1) {
			for i, e := range ends {
				g.corners[e[1]][e[0]] = old[i]
			}
			return
		}
	}
}

// convexAround reports whether the regions at a corner are convex: strictly with least
// = 1, with flat corners allowed with least = 0.
func (g *mesh) convexAround(column, row int, least int64) bool {
	for y := max(row-1, 0); y < min(row+1, g.rows); y++ {
		for x := max(column-1, 0); x < min(column+1, g.columns); x++ {
			c := g.region(x, y)
			for i := range c {
				if turn(c[i], c[(i+1)%4], c[(i+2)%4]) < least {
					return false
				}
			}
		}
	}
	return true
}
