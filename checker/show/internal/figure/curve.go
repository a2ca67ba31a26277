package figure

import (
	"fmt"
	"math"

	"github.com/seed-105a2da2/unknot/checker/show/draw"
)

// box is a vertex as drawn: a rectangle around its centre.
type box struct {
	centre        draw.Point
	width, height float64
}

// edge returns where a ray from the centre towards p leaves the box.
func (b box) edge(p draw.Point) draw.Point {
	d := p.Minus(b.centre)
	k := min(b.width/2/math.Abs(d.X), b.height/2/math.Abs(d.Y)) // infinite along an axis
	if !(k < 1) {
		return p
	}
	return b.centre.Plus(d.Times(k))
}

// frame rounds the box to pixels.
func (b box) frame() Frame {
	return Frame{px(b.centre.X), px(b.centre.Y), px(b.width), px(b.height)}
}

// Frame is a box in whole pixels: its centre and its size.
type Frame struct{ X, Y, Width, Height int }

// Left returns the left edge.
func (f Frame) Left() int { return f.X - f.Width/2 }

// Top returns the upper edge.
func (f Frame) Top() int { return f.Y - f.Height/2 }

// Baseline returns the baseline of text in it.
func (f Frame) Baseline() int { return f.Y + 4 }

// curve is an arrow between two boxes: a quadratic Bézier curve to the right of the
// straight line, as its packets see it, so that opposite links do not
// coincide.
type curve struct{ from, by, to draw.Point }

// between returns the curve from a to b that passes aside to the right of the
// middle.
func between(a, b box, aside float64) curve {
	d, length := way(a.centre, b.centre)
	by := draw.Point{
		X: (a.centre.X+b.centre.X)/2 - 2*aside*d.Y/length,
		Y: (a.centre.Y+b.centre.Y)/2 + 2*aside*d.X/length,
	}
	return curve{a.edge(by), by, b.edge(by)}
}

// way returns the vector from one point to another, and its length, at least a pixel.
func way(from, to draw.Point) (d draw.Point, length float64) {
	d = to.Minus(from)
	return d, max(1, math.Hypot(d.X, d.Y))
}

// loop returns a curve from a box to itself, one of several of different sizes.
func loop(b box, size float64) curve {
	at := func(x, y float64) draw.Point { return b.centre.Plus(draw.Point{X: x * size, Y: -y}) }
	return curve{at(-12, b.height/2), at(0, (1+size)*b.height), at(12, b.height/2)}
}

// corner returns a curve from a box to itself by a point above it to the right, away from
// the slots of links to neighbours in a row or column.
func corner(b box, by draw.Point) curve {
	from := b.centre.Plus(draw.Point{X: b.width / 4, Y: -b.height / 2})
	to := b.centre.Plus(draw.Point{X: b.width / 2, Y: -b.height / 4})
	return curve{from, b.centre.Plus(by).Times(2).Minus(from.Plus(to).Times(0.5)), to}
}

// straight returns the line between two points.
func straight(from, to draw.Point) curve {
	return curve{from, from.Plus(to).Times(0.5), to}
}

// point returns the point at t, 0 to 1.
func (c curve) point(t float64) draw.Point {
	u := 1 - t
	return c.from.Times(u * u).Plus(c.by.Times(2 * u * t)).Plus(c.to.Times(t * t))
}

// path writes the curve as SVG does, in whole pixels.
func (c curve) path() string {
	return fmt.Sprintf("M%d %dQ%d %d %d %d", px(c.from.X), px(c.from.Y), px(c.by.X), px(c.by.Y), px(c.to.X), px(c.to.Y))
}

func px(x float64) int { return int(math.Round(x)) }

// Box is the part of the plane that a drawing takes, in pixels.
type Box struct{ X, Y, Width, Height int }

// String writes a viewBox.
func (b Box) String() string { return fmt.Sprintf("%d %d %d %d", b.X, b.Y, b.Width, b.Height) }

// Least returns the width below which it should not be shown: there, letters of 12 pixels have 9.
func (b Box) Least() int { return b.Width * 3 / 4 }

// extent grows to include what is drawn.
type extent struct {
	least, most draw.Point
	any         bool
}

func (e *extent) add(p draw.Point, wide, high float64) {
	lo := draw.Point{X: p.X - wide/2, Y: p.Y - high/2}
	hi := draw.Point{X: p.X + wide/2, Y: p.Y + high/2}
	if !e.any {
		e.least, e.most, e.any = lo, hi, true
		return
	}
	e.least = draw.Point{X: min(e.least.X, lo.X), Y: min(e.least.Y, lo.Y)}
	e.most = draw.Point{X: max(e.most.X, hi.X), Y: max(e.most.Y, hi.Y)}
}

func (e *extent) addBox(b box) { e.add(b.centre, b.width, b.height) }

func (e *extent) addCurve(c curve) {
	for t := 0.0; t <= 1; t += 0.25 {
		e.add(c.point(t), 0, 0)
	}
}

// grow adds a margin all around.
func (e *extent) grow(margin float64) {
	by := draw.Point{X: margin, Y: margin}
	e.least, e.most = e.least.Minus(by), e.most.Plus(by)
}

// box returns the extent with a margin all around.
func (e *extent) box(margin float64) Box {
	return Box{
		X: px(e.least.X - margin), Y: px(e.least.Y - margin),
		Width: px(e.most.X-e.least.X+2*margin) + 1, Height: px(e.most.Y-e.least.Y+2*margin) + 1,
	}
}
