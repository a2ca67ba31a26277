package p3

import (
	"bufio"
	"fmt"
	"html"
	"io"
	"math/big"

	"github.com/seed-105a2da2/unknot/spec"
)

// Picture shows a plane: its regions, the zones of one PE (strips blue, wedges
// yellow), a target, and a packet's way; what of the way is a cycle is red.
type Picture struct {
	Plane  *Plane
	Zones  int   // the PE whose zones are drawn, or -1
	Target *Cell // nil: none
	Path   []int // regions
	Loop   int   // the cycle begins at Path[Loop] and ends with the path; -1: none
}

// Way draws the way of a packet for targets of a class at a PE; if cycle, the way
// is one.
func (f *Forwarding) Way(dest int, class spec.Class, path []int, cycle bool) *Picture {
	p := &Picture{Plane: f.Plane, Zones: path[len(path)-1], Target: &f.Cells[dest][f.first[dest][class]], Path: path, Loop: -1}
	if cycle {
		p.Loop = 0
	}
	return p
}

// SVG writes the picture. Its coordinates are those of the plane, upside down,
// rounded to two decimals.
func (p *Picture) SVG(w io.Writer) error {
	b := bufio.NewWriter(w)
	lo, hi := p.Plane.box()
	side := max(hi.X-lo.X, hi.Y-lo.Y)
	unit := big.NewRat(side, 400) // of strokes and letters
	d := drawing{b, unit}
	margin := d.units(8)
	box := []*big.Rat{
		new(big.Rat).Sub(big.NewRat(lo.X, 1), margin), new(big.Rat).Sub(big.NewRat(-hi.Y, 1), margin),
		new(big.Rat).Add(big.NewRat(hi.X-lo.X, 1), d.units(16)), new(big.Rat).Add(big.NewRat(hi.Y-lo.Y, 1), d.units(16)),
	}
	fmt.Fprintf(b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="%s %s %s %s" width="800" font-family="sans-serif" font-size="%s">`+"\n",
		two(box[0]), two(box[1]), two(box[2]), two(box[3]), two(d.units(9)))
	fmt.Fprintf(b, `<defs><marker id="to" viewBox="0 0 6 6" refX="5" refY="3" markerWidth="5" markerHeight="5" orient="auto"><path d="M0,0 L6,3 L0,6 z" fill="context-stroke"/></marker></defs>`+"\n")
	for i, r := range p.Plane.Regions {
		fill := "#f4f4f4"
		if i == p.Zones {
			fill = "#cfe8cf"
		}
		d.polygon(corners(r), fill, "none")
	}
	if p.Zones >= 0 {
		p.zones(d, lo, hi)
	}
	for _, r := range p.Plane.Regions {
		d.polygon(corners(r), "none", "#444")
		x, y := middle(r)
		fmt.Fprintf(b, `<text x="%s" y="%s" text-anchor="middle" fill="#444">%s</text>`+"\n", two(x), two(minus(y)), html.EscapeString(r.Name))
	}
	p.way(d)
	fmt.Fprintln(b, "</svg>")
	return b.Flush()
}

// zones draws the strips and wedges of one PE, cut off at the plane's rectangle.
func (p *Picture) zones(d drawing, lo, hi Point) {
	rectangle := Region{Corners: []Point{lo, {hi.X, lo.Y}, hi, {lo.X, hi.Y}}}
	box := Cell{}
	for e, v := range rectangle.Corners {
		box.corners, box.sides = append(box.corners, placeOf(v)), append(box.sides, lineThrough(rectangle.edge(e)))
	}
	v := p.Plane.views()[p.Zones]
	for e := range v.out {
		if strip, ok := clip(box, v.out[e], 1, v.start[e], 1, v.end[e], -1); ok {
			d.polygon(strip.corners, "#4a90d9", "#4a90d9")
		}
		before := (e + len(v.out) - 1) % len(v.out)
		if wedge, ok := clip(box, v.start[e], -1, v.end[before], 1, line{}, 0); ok && !v.flat[e] {
			d.polygon(wedge.corners, "#e8c33c", "#e8c33c")
		}
	}
}

// clip keeps the part of a cell on the given sides of three lines; a side of 0
// means any.
func clip(c Cell, l1 line, s1 int, l2 line, s2 int, l3 line, s3 int) (Cell, bool) {
	for _, k := range [...]struct {
		l    line
		side int
	}{{l1, s1}, {l2, s2}, {l3, s3}} {
		if k.side == 0 {
			continue
		}
		plus, minus, cut := c.split(k.l)
		switch {
		case cut && k.side > 0:
			c = plus
		case cut:
			c = minus
		case k.l.of(&c, Both) != k.side:
			return c, false
		}
	}
	return c, true
}

// way draws the packet's way through the middles of regions, and the target.
func (p *Picture) way(d drawing) {
	point := func(i int) (x, y *big.Rat) { return middle(p.Plane.Regions[p.Path[i]]) }
	for i := range p.Path {
		if i+1 == len(p.Path) {
			break
		}
		x1, y1 := point(i)
		x2, y2 := point(i + 1)
		if p.Loop < 0 || i < p.Loop {
			d.arrow(x1, y1, x2, y2, "#222")
			continue
		}
		// There and back lie beside each other: shifted to the right of the way.
		sx, sy := new(big.Rat).Sub(y2, y1), new(big.Rat).Sub(x1, x2)
		shift := func(a, s *big.Rat) *big.Rat { return new(big.Rat).Add(a, new(big.Rat).Mul(s, big.NewRat(1, 12))) }
		d.arrow(shift(x1, sx), shift(y1, sy), shift(x2, sx), shift(y2, sy), "#d0021b")
	}
	if p.Target == nil {
		return
	}
	x, y := p.Target.Inner()
	if n := len(p.Path); n > 0 && p.Loop < 0 && p.Path[n-1] == p.Target.Owner {
		x1, y1 := point(n - 1)
		d.arrow(x1, y1, x, y, "#222")
	}
	fmt.Fprintf(d.w, `<circle cx="%s" cy="%s" r="%s" fill="#d0021b"/>`+"\n", two(x), two(minus(y)), two(d.units(4)))
}

// drawing writes shapes, strokes in units.
type drawing struct {
	w    io.Writer
	unit *big.Rat
}

func (d drawing) units(n int64) *big.Rat { return new(big.Rat).Mul(d.unit, big.NewRat(n, 1)) }

func (d drawing) polygon(at []place, fill, stroke string) {
	fmt.Fprint(d.w, `<polygon points="`)
	for i, v := range at {
		if i > 0 {
			fmt.Fprint(d.w, " ")
		}
		x, y := v.rats()
		fmt.Fprintf(d.w, "%s,%s", two(x), two(minus(y)))
	}
	opacity := "1"
	if fill == stroke {
		opacity = "0.35" // zones lie over regions
	}
	fmt.Fprintf(d.w, `" fill="%s" fill-opacity="%s" stroke="%s" stroke-width="%s"/>`+"\n", fill, opacity, stroke, two(d.unit))
}

func (d drawing) arrow(x1, y1, x2, y2 *big.Rat, colour string) {
	fmt.Fprintf(d.w, `<line x1="%s" y1="%s" x2="%s" y2="%s" stroke="%s" stroke-width="%s" marker-end="url(#to)"/>`+"\n",
		two(x1), two(minus(y1)), two(x2), two(minus(y2)), colour, two(d.units(2)))
}

func corners(r Region) []place {
	at := make([]place, len(r.Corners))
	for i, v := range r.Corners {
		at[i] = placeOf(v)
	}
	return at
}

// middle is the mean of a region's corners.
func middle(r Region) (x, y *big.Rat) { return (&Cell{corners: corners(r)}).Inner() }

func minus(x *big.Rat) *big.Rat { return new(big.Rat).Neg(x) }

func two(x *big.Rat) string { return x.FloatString(2) }
