package p3

// Blocks of a masked Path Table. To mask m low bits of both coordinates is to let
// an aligned square of 2^m x 2^m targets share one entry, counted from the lower
// left point of the plane's rectangle. What a block's entry may hold is what
// every target in it may have: the intersections, level by level, are the
// pyramid.
//
// The fewest entries are then read off exactly. A block inside one that may be
// one entry may be one too, so a table of blocks of any sizes is coarsest when
// every block that may be one entry is, from the top: any other division of the
// rectangle into blocks that may be one entry each refines this one. The time is
// linear in the targets.

// Masks says which targets share entries.
type Masks uint8

const (
	// Unmasked: an entry for each target.
	Unmasked Masks = iota
	// Blocks: each block has its own number of masked bits, also within the PE's
	// own region.
	Blocks
)

// MasksNames are the names of the values of Masks, in order.
var MasksNames = []string{"none", "blocks"}

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
