package draw

import (
	"math"

	"github.com/seed-105a2da2/unknot/spec"
)

// Layout places the nodes of a topology by their coordinates: on a grid, dimension 1 to the
// right and dimension 2 upwards, or on a circle if a single dimension forms a
// ring.
type Layout struct {
	At []Point // by node, y upwards

	rank [][]int // by node and dimension: the rank of its coordinate among those in use
	size []int   // by dimension: how many coordinates are in use
	step []Point // by dimension: from one coordinate to the next; nil if the nodes are placed otherwise
	rows bool    // the nodes are in tiers
}

// isLine reports whether every link of a one-dimensional topology joins
// neighbours on the line.
func isLine(t *spec.Topology, l *Layout) bool {
	for k := range spec.LinkID(t.Links()) {
		link := t.Link(k)
		if d := l.rank[link.From][0] - l.rank[link.To][0]; d < -1 || d > 1 {
			return false
		}
	}
	return true
}

// circle places the nodes clockwise, the first at the top.
func (l *Layout) circle(unit float64) {
	n := float64(l.size[0])
	radius := max(unit/2/math.Sin(math.Pi/max(n, 2)), 0.9*unit)
	for _, rank := range l.rank {
		sin, cos := math.Sincos(2 * math.Pi * float64(rank[0]) / n)
		l.At = append(l.At, Point{radius * sin, radius * cos})
	}
}

// grid places the nodes on a grid: dimension 1 to the right and dimension 2 upwards,
// dimension 3 obliquely within the cells, and each further dimension as copies of all
// that, alternately side by side and one above the other. A slight slant keeps the links
// between copies off the nodes that they pass.
func (l *Layout) grid(unit float64) {
	oblique := Point{0.62 * unit, 0.44 * unit}
	cell := Point{unit, unit}
	if len(l.size) > 2 {
		deep := float64(l.size[2] - 1)
		cell = Point{max(1.3*unit, oblique.X*deep+0.7*unit), max(1.3*unit, oblique.Y*deep+0.7*unit)}
	}
	block := Point{cell.X * float64(l.size[0]), cell.Y}
	if len(l.size) > 1 {
		block.Y *= float64(l.size[1])
	}
	for d := range l.size {
		n := float64(l.size[d])
		switch {
		case d == 0:
			l.step = append(l.step, Point{cell.X, 0})
		case d == 1:
			l.step = append(l.step, Point{0, cell.Y})
		case d == 2:
			l.step = append(l.step, oblique)
		case d%2 == 1:
			l.step = append(l.step, Point{block.X + 0.5*unit, 0.22 * unit})
			block = Point{(block.X + 0.5*unit) * n, block.Y + 0.22*unit*(n-1)}
		default:
			l.step = append(l.step, Point{-0.27 * unit, block.Y + 0.5*unit})
			block = Point{block.X + 0.27*unit*(n-1), (block.Y + 0.5*unit) * n}
		}
	}
	for _, rank := range l.rank {
		var p Point
		for d, x := range rank {
			p = p.Plus(l.step[d].Times(float64(x)))
		}
		l.At = append(l.At, p)
	}
}

// Wraps reports whether a link joins the two ends of one dimension, like the wrap links
// of a torus, and returns half a step in the direction in which it leaves its tail.
func (l *Layout) Wraps(link spec.Link) (half Point, ok bool) {
	if l.step == nil {
		return Point{}, false
	}
	from, to := l.rank[link.From], l.rank[link.To]
	dim := -1
	for d := range from {
		if from[d] != to[d] {
			if dim >= 0 {
				return Point{}, false
			}
			dim = d
		}
	}
	if dim < 0 || l.size[dim] < 3 {
		return Point{}, false
	}
	switch to[dim] - from[dim] {
	case l.size[dim] - 1:
		return l.step[dim].Times(-0.5), true
	case 1 - l.size[dim]:
		return l.step[dim].Times(0.5), true
	}
	return Point{}, false
}
