package rwc1

import (
	"bufio"
	"fmt"
	"html"
	"io"
	"math"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
)

// Picture draws the cyclic wait as SVG: the routers of the cycle in a ring, each
// channel an arrow with the packet that holds it and, in brackets, its place in
// the order of filling. Without a cycle it is an error.
//
// A place is computed with floating point and rounded to whole pixels; it
// decides nothing.
func (d *Dependencies) Picture(out io.Writer) error {
	if len(d.Cycle) == 0 {
		return fmt.Errorf("no cyclic wait to draw")
	}
	radius := 120 + 20*len(d.Cycle)
	width, height := 14*radius/5+360, 2*radius+200
	w := bufio.NewWriter(out)
	frame(w, width, height)
	fmt.Fprintf(w, `<text x="20" y="30" font-size="16">%d packets, each waiting for the channel that the next one holds</text>`+"\n", len(d.Cycle))
	fmt.Fprintln(w, `<text x="20" y="52">At each arrow: its VC, the packet that holds it, and in brackets its turn as the cycle is filled.</text>`)
	at := func(i, r int, half float64) (x, y int) {
		a := 2*math.Pi*(float64(i)+half)/float64(len(d.Cycle)) - math.Pi/2
		return width/2 + int(math.Round(float64(r)*1.4*math.Cos(a))), height/2 + 15 + int(math.Round(float64(r)*math.Sin(a)))
	}
	for i, x := range d.Cycle {
		x0, y0 := at(i, radius, 0)
		x1, y1 := at(i, radius, 1)
		dx, dy := short(x1-x0, y1-y0, 36), short(y1-y0, x1-x0, 36)
		fmt.Fprintf(w, `<line x1="%d" y1="%d" x2="%d" y2="%d" stroke="#b22" stroke-width="3" marker-end="url(#head)"/>`+"\n", x0+dx, y0+dy, x1-dx, y1-dy)
		tx, ty := at(i, radius-70, 0.5)
		label := d.Topology.VCName(d.Topology.VC(x.Holds))
		packet := fmt.Sprintf("%s to %s [%d]", d.Topology.Node(x.From).Name, d.Topology.Node(x.To).Name, x.Turn+1)
		fmt.Fprintf(w, `<text x="%d" y="%d" text-anchor="middle" stroke="#fff" stroke-width="4" paint-order="stroke"><tspan fill="#b22">%s</tspan><tspan x="%d" dy="16">%s</tspan></text>`+"\n", tx, ty, html.EscapeString(label), tx, html.EscapeString(packet))
	}
	for i, x := range d.Cycle {
		cx, cy := at(i, radius, 0)
		fmt.Fprintf(w, `<circle cx="%d" cy="%d" r="34" fill="#eef" stroke="#225"/>`+"\n", cx, cy)
		fmt.Fprintf(w, `<text x="%d" y="%d" text-anchor="middle">%s</text>`+"\n", cx, cy+5, html.EscapeString(d.Topology.Node(d.Topology.Tail(x.Holds)).Name))
	}
	fmt.Fprintln(w, "</svg>")
	return flushed(w)
}

// frame begins a picture.
func frame(w io.Writer, width, height int) {
	fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="sans-serif" font-size="13">`+"\n", width, height, width, height)
	fmt.Fprintln(w, `<defs><marker id="head" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="14" markerHeight="14" markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0L10 5L0 10z" fill="#b22"/></marker></defs>`)
	fmt.Fprintln(w, `<rect width="100%" height="100%" fill="#fff"/>`)
}

// short is how far to go in a direction, along which a line goes by d and across
// it by e, to be so many pixels along the line.
func short(d, e, pixels int) int {
	return int(math.Round(float64(pixels) * float64(d) / max(1, math.Hypot(float64(d), float64(e)))))
}

func flushed(w *bufio.Writer) error {
	if err := w.Flush(); err != nil {
		return fmt.Errorf("drawing: %w", err)
	}
	return nil
}

// Picture draws the first packet that leaves its partition as SVG: a column for
// each ring that it visits, a row for each x, nodes outside the partition in
// red. Without a leak it is an error.
func (p *Partitions) Picture(out io.Writer) error {
	if p.First == nil {
		return fmt.Errorf("no packet that leaves its partition")
	}
	const left, top, wide, high = 120, 110, 150, 90
	ring := func(v spec.NodeID) string { return spec.CoordinateName(p.Topology.Node(v).At[1:]...) }
	var rings []string
	for _, v := range p.First.Way {
		if !slices.Contains(rings, ring(v)) {
			rings = append(rings, ring(v))
		}
	}
	w := bufio.NewWriter(out)
	frame(w, max(700, left+wide*len(rings)), top+high*p.n)
	fmt.Fprintf(w, `<text x="20" y="30" font-size="16">from %s to %s, in the partition with %s</text>`+"\n",
		html.EscapeString(p.Topology.Node(p.First.From).Name), html.EscapeString(p.Topology.Node(p.First.To).Name), html.EscapeString(p.First.Block))
	for k, name := range rings {
		fmt.Fprintf(w, `<text x="%d" y="%d" text-anchor="middle">%s</text>`+"\n", left+k*wide, top-45, html.EscapeString(name))
	}
	for x := range p.n {
		fmt.Fprintf(w, `<text x="20" y="%d">x = %d</text>`+"\n", top+x*high+5, x)
	}
	place := func(v spec.NodeID) (x, y int) {
		return left + wide*slices.Index(rings, ring(v)), top + high*p.Topology.Node(v).At[0]
	}
	for i, v := range p.First.Way[1:] {
		x0, y0 := place(p.First.Way[i])
		x1, y1 := place(v)
		if x0 == x1 { // back along a ring: beside the column, where the way there does not hide it
			x0, x1 = x0+8*max(-1, min(1, y0-y1)), x1+8*max(-1, min(1, y0-y1))
		}
		fmt.Fprintf(w, `<line x1="%d" y1="%d" x2="%d" y2="%d" stroke="#b22" stroke-width="2" marker-end="url(#head)"/>`+"\n",
			x0, y0, x1-short(x1-x0, y1-y0, 14), y1-short(y1-y0, x1-x0, 14))
	}
	a := p.First.cut
	for _, v := range slices.Compact(slices.Sorted(slices.Values(p.First.Way))) {
		x, y := place(v)
		fill := "#eef"
		if _, out := a.leaves(p.Topology.Node(p.First.From).At, p.Topology.Node(p.First.To).At, p.Topology.Node(v).At); out {
			fill = "#fbb"
		}
		fmt.Fprintf(w, `<circle cx="%d" cy="%d" r="12" fill="%s" stroke="#225"/>`+"\n", x, y, fill)
		fmt.Fprintf(w, `<text x="%d" y="%d">%s</text>`+"\n", x+18, y-12, html.EscapeString(p.Topology.Node(v).Name))
	}
	fmt.Fprintln(w, "</svg>")
	return flushed(w)
}
