package p3

import (
	"context"
	"fmt"
	"math/bits"
)

// Masked Path Tables. The machine's packets carry coordinates of some bits, so the
// integer points are all the targets that a Path Table knows. The paper masks the
// low bits of coordinates that are far from the PE's region, so that one entry
// serves many targets. To mask m low bits of both is to let an aligned square of
// 2^m x 2^m targets share one entry, counted from the lower left point of the
// plane's rectangle. Every target's edge is one that the rule permits: so masked
// tables send no packet another way than the rule may, and what holds of the rule
// however it chooses, as that no packet goes round, holds of them.
//
// What a block's entry may hold is what every target in it may have: the
// intersections, level by level, are the pyramid. A block inside one that may be
// one entry may be one too, so a table of blocks of any sizes is coarsest when
// every block that may be one entry is, from the top: any other division into
// blocks that may be one entry each refines this one. The time is linear in the
// targets.

// MostPairs bounds the pairs of PE and integer target: 8 x 8 PEs at a pitch of 64
// have as many.
const MostPairs = 1 << 24

// lattice is the rectangle of integer points around a plane, row by row from the
// lower left. A point on a boundary belongs where [Lean] puts it.
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

// coarsest makes the hops those of the coarsest masked tables, and counts their
// entries.
func (f *Forwarding) coarsest(ctx context.Context) error {
	p := newPyramid(f.lattice.width, f.lattice.height)
	ports := make([][]uint8, len(f.Plane.Regions)) // by PE and point of the lattice
	for pe := range ports {
		if err := ctx.Err(); err != nil {
			return err
		}
		ports[pe] = make([]uint8, len(f.lattice.owner))
		for i, owner := range f.lattice.owner {
			if owner < 0 {
				p.common[0][i] = nobody
				continue
			}
			f.Targets++
			if p.common[0][i] = own; int(owner) != pe {
				p.common[0][i] = f.edges(pe, &f.Cells[owner][f.lattice.cell[i]])
			}
		}
		p.raise()
		f.Entries += p.coarsest(func(m, x, y int) {
			w, _ := p.size(m)
			port := uint8(bits.TrailingZeros32(p.common[m][y*w+x]))
			p.targets(m, x, y, func(i int) { ports[pe][i] = port })
		})
	}
	return f.classify(ctx, func(c *Cell, pe int) uint32 {
		at := c.corners[0]
		return 1 << ports[pe][int(at.y-f.lattice.lo.Y)*f.lattice.width+int(at.x-f.lattice.lo.X)]
	})
}

// Sets of what an entry may hold: edges by number, or that the target is the
// PE's own; nobody asks for a point outside the plane.
const (
	own    uint32 = 1 << MostCorners
	nobody        = ^uint32(0)
)

// pyramid holds, for each number of masked bits, what the entries of one table
// may hold.
type pyramid struct {
	width, height int // of the lowest level
	common        [][]uint32
}

func newPyramid(width, height int) *pyramid {
	p := &pyramid{width: width, height: height}
	for m := 0; ; m++ {
		w, h := p.size(m)
		p.common = append(p.common, make([]uint32, w*h))
		if w == 1 && h == 1 {
			return p
		}
	}
}

// size returns how many blocks lie side by side and one above the other.
func (p *pyramid) size(m int) (width, height int) {
	return (p.width + 1<<m - 1) >> m, (p.height + 1<<m - 1) >> m
}

// raise fills the levels above the lowest.
func (p *pyramid) raise() {
	for m := 1; m < len(p.common); m++ {
		w, h := p.size(m)
		below, rows := p.size(m - 1)
		for y := range h {
			for x := range w {
				set := nobody
				for v := 2 * y; v < min(2*y+2, rows); v++ {
					for u := 2 * x; u < min(2*x+2, below); u++ {
						set &= p.common[m-1][v*below+u]
					}
				}
				p.common[m][y*w+x] = set
			}
		}
	}
}

// coarsest visits the blocks of the coarsest table, those outside the plane left
// out, and returns their number.
func (p *pyramid) coarsest(visit func(m, x, y int)) int {
	var divide func(m, x, y int) int
	divide = func(m, x, y int) int {
		w, h := p.size(m)
		if x >= w || y >= h {
			return 0
		}
		switch set := p.common[m][y*w+x]; {
		case set == nobody:
			return 0
		case set != 0 || m == 0:
			visit(m, x, y)
			return 1
		}
		return divide(m-1, 2*x, 2*y) + divide(m-1, 2*x+1, 2*y) + divide(m-1, 2*x, 2*y+1) + divide(m-1, 2*x+1, 2*y+1)
	}
	return divide(len(p.common)-1, 0, 0)
}

// targets visits the targets of a block that lie in the rectangle.
func (p *pyramid) targets(m, x, y int, visit func(i int)) {
	for v := y << m; v < min((y+1)<<m, p.height); v++ {
		for u := x << m; u < min((x+1)<<m, p.width); u++ {
			visit(v*p.width + u)
		}
	}
}
