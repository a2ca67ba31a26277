package figure

import (
	"math"

	"github.com/seed-105a2da2/unknot/checker/show/draw"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/bfs"
)

// Where vertices without coordinates are placed.
//
// Stress majorization (Gansner, Koren and North 2004, after de Leeuw's SMACOF): every pair
// of vertices should be as far apart as the shortest path between them is long, near pairs
// especially. Starting with the vertices on a circle, in order, a fixed number of rounds
// moves each to the mean of where the others want it; no round raises the stress. Nothing is
// random, products are rounded before they are added (so that no machine fuses the two), and
// the result is rounded to whole pixels: the same graph is always drawn the same, byte for
// byte.
//
// A library (gonum's graph/layout) was considered: its spring layout starts at random, and
// its other one brings a linear algebra package along for what takes fifty lines
// here.

// spread places vertices 0..n-1 about unit apart, given who is next to whom,
// with y downwards.
func spread(n int, next [][]int, unit float64) []draw.Point {
	at := onCircle(n, unit)
	if n < 3 {
		return at
	}
	far := distances(n, next)
	const rounds = 80
	moved := make([]draw.Point, n)
	for range rounds {
		for i := range at {
			var x, y, total float64
			for j := range at {
				if i == j {
					continue
				}
				want := float64(far[i*n+j]) * unit
				dx, dy := at[i].X-at[j].X, at[i].Y-at[j].Y
				is := math.Sqrt(float64(dx*dx) + float64(dy*dy))
				w := 1 / float64(want*want)
				if is > 0 {
					x += float64(w * (at[j].X + float64(want*dx)/is))
					y += float64(w * (at[j].Y + float64(want*dy)/is))
				} else {
					x += float64(w * at[j].X)
					y += float64(w * at[j].Y)
				}
				total += w
			}
			moved[i] = draw.Point{X: x / total, Y: y / total}
		}
		at, moved = moved, at
	}
	return apart(at, unit)
}

// onCircle places vertices clockwise, the first at the top.
func onCircle(n int, unit float64) []draw.Point {
	at := make([]draw.Point, n)
	if n < 2 {
		return at
	}
	radius := unit / 2 / math.Sin(math.Pi/float64(n))
	for i := range at {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(n))
		at[i] = draw.Point{X: float64(radius * sin), Y: -float64(radius * cos)}
	}
	return at
}

// distances returns the length of a shortest path between any two vertices,
// along or against edges; one more than the longest where no path exists.
func distances(n int, next [][]int) []int32 {
	both := make([][]int, n)
	for i, js := range next {
		for _, j := range js {
			both[i] = append(both[i], j)
			both[j] = append(both[j], i)
		}
	}
	var far []int32
	longest := int32(1)
	for i := range n {
		row, met := bfs.Levels(n, []int{i}, func(v int, visit func(int)) {
			for _, w := range both[v] {
				visit(w)
			}
		})
		far, longest = append(far, row...), max(longest, row[met[len(met)-1]])
	}
	for i := range far {
		far[i] = min(far[i], longest+1)
	}
	return far
}

// apart enlarges a layout whose nearest vertices are closer than 0.7 unit, at most three
// times.
func apart(at []draw.Point, unit float64) []draw.Point {
	nearest := math.Inf(1)
	for i := range at {
		for j := range i {
			nearest = min(nearest, math.Hypot(at[i].X-at[j].X, at[i].Y-at[j].Y))
		}
	}
	if nearest >= 0.7*unit || nearest == 0 {
		return at
	}
	by := min(3, 0.7*unit/nearest)
	for i := range at {
		at[i].X *= by
		at[i].Y *= by
	}
	return at
}

// placeNodes returns the places of a topology's nodes, with y downwards, and how its wrap
// links leave their tails.
func placeNodes(t *spec.Topology, unit float64) (at []draw.Point, wraps func(spec.Link) (half draw.Point, ok bool)) {
	if p := draw.Place(t, unit); p != nil {
		for v := range p.At {
			p.At[v] = down(p.At[v])
		}
		return p.At, func(l spec.Link) (draw.Point, bool) {
			half, ok := p.Wraps(l)
			return down(half), ok
		}
	}
	next := make([][]int, t.Nodes())
	for l := range spec.LinkID(t.Links()) {
		link := t.Link(l)
		next[link.From] = append(next[link.From], int(link.To))
	}
	return spread(t.Nodes(), next, unit), func(spec.Link) (draw.Point, bool) { return draw.Point{}, false }
}

func down(p draw.Point) draw.Point { return draw.Point{X: p.X, Y: -p.Y} }
