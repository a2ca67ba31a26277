package combining

import (
	"bufio"
	"fmt"
	"html"
	"io"
)

// SVG draws the run as a message-sequence chart: a lane for every cluster and
// switch, in the order of the tree, and a row for every step. A message is a line
// from the step that sends it to the one that receives it, dashed if it is still
// under way at the end, red with a cross if it is discarded.
func (r *Run) SVG(out io.Writer) error {
	const (
		left, lane, row, top = 330, 190, 34, 90
		small, red, blue     = 11, "#b22", "#225"
	)
	lanes := r.of.tree.Lanes()
	x := make([]int, len(lanes))
	for i, n := range lanes {
		x[n] = left + lane/2 + i*lane
	}
	y := func(step int) int { return top + step*row }
	steps := len(r.Actions)
	width, height := left+lane*len(lanes)+40, y(steps+2)+row
	w := bufio.NewWriter(out)
	fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="sans-serif" font-size="13">`+"\n", width, height, width, height)
	fmt.Fprintf(w, `<defs><marker id="head" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0L10 5L0 10z" fill="%s"/></marker></defs>`+"\n", blue)
	fmt.Fprintln(w, `<rect width="100%" height="100%" fill="#fff"/>`)
	text := func(x, y int, style, s string) {
		// A white rim keeps lines out of the letters.
		fmt.Fprintf(w, `<text x="%d" y="%d" paint-order="stroke" stroke="#fff" stroke-width="3" %s>%s</text>`+"\n", x, y, style, html.EscapeString(s))
	}
	text(20, 28, `font-size="16"`, r.of.p.Name)
	for _, n := range lanes {
		fill := "#eef"
		if !r.of.tree.IsCluster(n) {
			fill = "#ffd"
		}
		fmt.Fprintf(w, `<line x1="%d" y1="%d" x2="%d" y2="%d" stroke="#bbb"/>`+"\n", x[n], top-10, x[n], y(steps+1))
		fmt.Fprintf(w, `<rect x="%d" y="%d" width="84" height="24" rx="4" fill="%s" stroke="%s"/>`+"\n", x[n]-42, top-34, fill, blue)
		text(x[n], top-17, `text-anchor="middle"`, r.of.tree.Name(n))
	}
	for i, action := range r.Actions {
		text(20, y(i+1)+4, fmt.Sprintf(`font-size="%d"`, small), fmt.Sprintf("%d. %s", i+1, action))
		fmt.Fprintf(w, `<line x1="%d" y1="%d" x2="%d" y2="%d" stroke="#f0f0f0"/>`+"\n", left, y(i+1), width, y(i+1))
	}
	arrows, notes := r.sequence()
	for _, a := range arrows {
		end, style, colour := a.received, ` marker-end="url(#head)"`, blue
		switch {
		case a.received == 0:
			end, style = steps+1, style+` stroke-dasharray="5 4"`
		case a.discarded:
			style, colour = "", red
		}
		fmt.Fprintf(w, `<line x1="%d" y1="%d" x2="%d" y2="%d" stroke="%s" stroke-width="1.5"%s/>`+"\n", x[a.from], y(a.sent), x[a.to], y(end), colour, style)
		if a.discarded {
			text(x[a.to], y(end)+5, fmt.Sprintf(`text-anchor="middle" fill="%s" font-weight="bold"`, red), "✕")
		}
		// The label lies on the line, a third of the way along it.
		text(x[a.from]+(x[a.to]-x[a.from])/3, y(a.sent)+(y(end)-y(a.sent))/3-4, fmt.Sprintf(`text-anchor="middle" font-size="%d" fill="%s"`, small, colour), a.message)
	}
	at := map[[2]int]int{} // notes of a node in a step stand one above the other
	for _, n := range notes {
		k := [2]int{n.step, n.node}
		text(x[n.node]+5, y(n.step)+13+at[k]*small, `font-size="10" fill="#555"`, n.text)
		at[k]++
	}
	text(20, y(steps+2), fmt.Sprintf(`fill="%s" font-weight="bold"`, red), r.Why)
	fmt.Fprintln(w, "</svg>")
	if err := w.Flush(); err != nil {
		return fmt.Errorf("drawing a run: %w", err)
	}
	return nil
}
