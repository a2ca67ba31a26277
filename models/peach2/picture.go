package peach2

import (
	"bytes"
	"fmt"
	"html"
	"io"
)

// Measures of a picture, in pixels.
const (
	margin   = 60
	pitch    = 120 // from board to board
	boxWide  = 64
	boxHigh  = 44
	hostHigh = 22
	hostGap  = 30  // from a board to its host
	rowGap   = 150 // from ring to ring
	lineHigh = 18
	apart    = 7 // of the two directions of a cable, each way
)

// Draw writes an SVG picture of a cluster: a ring a row, its cables with the
// roles of their ends, hosts outside. The links that begin at marked jacks are
// emphasised, and lines listed below. Errors are those of w.
func Draw(w io.Writer, c *Cluster, marked []Jack, list []string) error {
	d := &drawing{c: c, at: make([][2]int, len(c.Boards)), up: make([]bool, len(c.Boards)), marked: map[Jack]bool{}}
	for _, j := range marked {
		d.marked[j] = true
	}
	rings := c.rings()
	wide := 0
	for r, ring := range rings {
		wide = max(wide, len(ring))
		for i, b := range ring {
			d.at[b] = [2]int{margin + pitch*i + boxWide/2, 2*margin + hostGap + hostHigh + rowGap*r}
			d.up[b] = r == 0
		}
	}
	width := 2*margin + pitch*max(wide, 4)
	foot := 3*margin + hostGap + hostHigh + rowGap*(len(rings)-1)
	if len(rings) > 1 { // the hosts of the last row are below it
		foot += hostGap + hostHigh + margin
	}
	high := foot + lineHigh*(len(list)+1)
	d.printf(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">`, width, high, width, high)
	d.printf(`<defs><marker id="free" markerUnits="userSpaceOnUse" markerWidth="8" markerHeight="8" refX="7" refY="3" orient="auto"><path d="M0,0 L7,3 L0,6 z" fill="#555"/></marker>` +
		`<marker id="waits" markerUnits="userSpaceOnUse" markerWidth="12" markerHeight="12" refX="11" refY="5" orient="auto"><path d="M0,0 L11,5 L0,10 z" fill="#c00"/></marker></defs>`)
	d.printf(`<rect width="%d" height="%d" fill="white"/>`, width, high)
	d.text(margin, margin/2, "start", "#000", fmt.Sprintf("%d PEACH2 boards, a part of %#x bytes each", len(c.Boards), c.Map.Part))
	for _, k := range c.Cables {
		d.link(k.A, k.B)
		d.link(k.B, k.A)
	}
	for b := range c.Boards {
		d.board(b)
	}
	for i, line := range list {
		d.text(margin, foot+lineHigh*i, "start", "#c00", line)
	}
	d.printf(`</svg>`)
	_, err := w.Write(d.out.Bytes())
	return err
}

type drawing struct {
	out    bytes.Buffer
	c      *Cluster
	at     [][2]int // by board: its middle
	up     []bool   // by board: the host is drawn above, not below
	marked map[Jack]bool
}

func (d *drawing) printf(format string, args ...any) {
	fmt.Fprintf(&d.out, format, args...)
	d.out.WriteByte('\n')
}

func (d *drawing) text(x, y int, anchor, color, s string) {
	d.printf(`<text x="%d" y="%d" text-anchor="%s" fill="%s">%s</text>`, x, y, anchor, color, html.EscapeString(s))
}

// stroke is how a link is drawn.
func (d *drawing) stroke(from Jack) string {
	if d.marked[from] {
		return `stroke="#c00" stroke-width="3" fill="none" marker-end="url(#waits)"`
	}
	return `stroke="#555" stroke-width="1" fill="none" marker-end="url(#free)"`
}

// outwards is the direction, in y, away from the other rings.
func (d *drawing) outwards(b int) int {
	if d.up[b] {
		return -1
	}
	return 1
}

func (d *drawing) board(b int) {
	x, y := d.at[b][0], d.at[b][1]
	d.printf(`<rect x="%d" y="%d" width="%d" height="%d" rx="4" fill="#eef" stroke="#336"/>`, x-boxWide/2, y-boxHigh/2, boxWide, boxHigh)
	d.text(x, y+5, "middle", "#000", fmt.Sprintf("board %d", b))
	out := d.outwards(b)
	near, far := y+out*boxHigh/2, y+out*(boxHigh/2+hostGap)
	d.printf(`<path d="M%d,%d L%d,%d" %s/>`, x-apart, near, x-apart, far, d.stroke(Jack{b, North}))
	d.printf(`<path d="M%d,%d L%d,%d" %s/>`, x+apart, far, x+apart, near, d.stroke(Jack{b, Internal}))
	top := min(far, far+out*hostHigh)
	d.printf(`<rect x="%d" y="%d" width="%d" height="%d" fill="#efe" stroke="#363"/>`, x-boxWide/2, top, boxWide, hostHigh)
	d.text(x, top+hostHigh-6, "middle", "#000", fmt.Sprintf("host %d", b))
}

// link draws one direction of a cable and the role of its beginning: straight
// to the next board of the row, along the outer side of the row if that is the
// way back to its beginning, straight down or up to another row.
func (d *drawing) link(from, to Jack) {
	a, b := d.at[from.Board], d.at[to.Board]
	role := d.c.Boards[from.Board].Role(from.Port)
	label := fmt.Sprintf("%s %s", from.Port, role)
	stroke := d.stroke(from)
	switch {
	case a[1] != b[1]:
		side := 1
		if a[1] > b[1] {
			side = -1
		}
		x, y := a[0]+side*apart, a[1]+side*boxHigh/2
		d.printf(`<path d="M%d,%d L%d,%d" %s/>`, x, y, b[0]+side*apart, b[1]-side*boxHigh/2, stroke)
		d.text(a[0]-side*(apart+16), y+side*14+4, "middle", "#555", label)
	case from.Port == East && b[0]-a[0] == pitch, from.Port != East && a[0]-b[0] == pitch && to.Port == East:
		side := 1
		if b[0] < a[0] {
			side = -1
		}
		x, y := a[0]+side*boxWide/2, a[1]-side*apart
		d.printf(`<path d="M%d,%d L%d,%d" %s/>`, x, y, b[0]-side*boxWide/2, y, stroke)
		d.text(x+side*15, a[1]-side*(apart+5)+4-side*2, "middle", "#555", label)
	default:
		side, out := 1, d.outwards(from.Board) // side: the way out of the box
		if from.Port == West {
			side = -1
		}
		lane := margin - 24
		if from.Port == West {
			lane -= 2 * apart
		}
		y := a[1] - side*apart
		edge := a[1] + out*(boxHigh/2+hostGap+hostHigh+lane-margin/4)
		turn := boxWide/2 + 24 - apart*out*side
		d.printf(`<path d="M%d,%d L%d,%d L%d,%d L%d,%d L%d,%d L%d,%d" %s/>`, a[0]+side*boxWide/2, y, a[0]+side*turn, y, a[0]+side*turn, edge, b[0]-side*turn, edge, b[0]-side*turn, y, b[0]-side*boxWide/2, y, stroke)
		d.text(a[0]+side*(boxWide/2+15), a[1]-side*(apart+5)+4-side*2, "middle", "#555", label)
	}
}
