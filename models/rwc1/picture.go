package rwc1

import (
	"bufio"
	"fmt"
	"html"
	"io"
	"math"
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
	const width, height, radius = 860, 620, 190
	w := bufio.NewWriter(out)
	fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="sans-serif" font-size="13">`+"\n", width, height, width, height)
	fmt.Fprintln(w, `<defs><marker id="head" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0L10 5L0 10z" fill="#b22"/></marker></defs>`)
	fmt.Fprintln(w, `<rect width="100%" height="100%" fill="#fff"/>`)
	fmt.Fprintf(w, `<text x="20" y="30" font-size="16">%d packets, each waiting for the channel that the next one holds</text>`+"\n", len(d.Cycle))
	at := func(i, r int, half float64) (x, y int) {
		a := 2*math.Pi*(float64(i)+half)/float64(len(d.Cycle)) - math.Pi/2
		return width/2 + int(math.Round(float64(r)*1.4*math.Cos(a))), height/2 + 15 + int(math.Round(float64(r)*math.Sin(a)))
	}
	for i, x := range d.Cycle {
		x0, y0 := at(i, radius, 0.12)
		x1, y1 := at(i, radius, 0.88)
		fmt.Fprintf(w, `<line x1="%d" y1="%d" x2="%d" y2="%d" stroke="#b22" stroke-width="3" marker-end="url(#head)"/>`+"\n", x0, y0, x1, y1)
		tx, ty := at(i, radius-60, 0.5)
		label := d.Topology.VCName(d.Topology.VC(x.Holds))
		packet := fmt.Sprintf("%s to %s [%d]", d.Topology.Node(x.From).Name, d.Topology.Node(x.To).Name, x.Turn+1)
		fmt.Fprintf(w, `<text x="%d" y="%d" text-anchor="middle"><tspan fill="#b22">%s</tspan><tspan x="%d" dy="16">%s</tspan></text>`+"\n", tx, ty, html.EscapeString(label), tx, html.EscapeString(packet))
	}
	for i, x := range d.Cycle {
		cx, cy := at(i, radius, 0)
		fmt.Fprintf(w, `<circle cx="%d" cy="%d" r="34" fill="#eef" stroke="#225"/>`+"\n", cx, cy)
		fmt.Fprintf(w, `<text x="%d" y="%d" text-anchor="middle">%s</text>`+"\n", cx, cy+5, html.EscapeString(d.Topology.Node(d.Topology.Tail(x.Holds)).Name))
	}
	fmt.Fprintln(w, "</svg>")
	if err := w.Flush(); err != nil {
		return fmt.Errorf("drawing a cyclic wait: %w", err)
	}
	return nil
}
