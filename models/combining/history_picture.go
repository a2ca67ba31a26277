package combining

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"slices"
)

// Lines writes the history of a violation, an event a line, in the order of time.
func (h Histories) Lines() []string {
	if h.History == nil {
		return nil
	}
	lines := make([]string, 2*len(h.History))
	for _, op := range h.History {
		lines[op.Call] = fmt.Sprintf("cluster %d: %s", op.Process, h.show(op.Input))
		if op.Return != Pending {
			lines[op.Return] = fmt.Sprintf("cluster %d: %s is answered %d", op.Process, h.show(op.Input), op.Output)
		}
	}
	lines = slices.DeleteFunc(lines, func(line string) bool { return line == "" })
	return append(lines, fmt.Sprintf("the cell ends as %d", h.End))
}

// SVG draws the history of a violation: a lane for each cluster, a bar for each
// operation from its call to its reply, time from left to right.
func (h Histories) SVG(w io.Writer) error {
	const left, lane, event, bar = 90, 44, 72, 26
	var clusters []int
	for _, op := range h.History {
		if !slices.Contains(clusters, op.Process) {
			clusters = append(clusters, op.Process)
		}
	}
	slices.Sort(clusters)
	last := 2 * len(h.History)
	width, height := max(440, left+event*last+20), lane*(len(clusters)+1)+12
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="sans-serif" font-size="13">`+"\n", width, height, width, height)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="white"/>`+"\n", width, height)
	for i, c := range clusters {
		y := lane*i + lane/2
		fmt.Fprintf(&b, `<text x="8" y="%d">cluster %d</text><line x1="%d" y1="%d" x2="%d" y2="%d" stroke="#bbb"/>`+"\n", y+5, c, left, y, width-10, y)
	}
	for _, op := range h.History {
		y := lane*slices.Index(clusters, op.Process) + (lane-bar)/2
		end, label := op.Return, fmt.Sprintf("%s → %d", h.show(op.Input), op.Output)
		if op.Return == Pending {
			end, label = last, h.show(op.Input)
		}
		x, length := left+event*op.Call+event/4, event*(end-op.Call)+event/2
		fmt.Fprintf(&b, `<rect x="%d" y="%d" width="%d" height="%d" rx="4" fill="#dbe9f6" stroke="#2c6fab"/><text x="%d" y="%d">%s</text>`+"\n",
			x, y, length, bar, x+6, y+18, html.EscapeString(label))
	}
	fmt.Fprintf(&b, `<text x="8" y="%d">The cell ends as %d.</text><text x="8" y="%d">No order of these operations that keeps to real time answers them so.</text>`+"\n</svg>\n", height-34, h.End, height-14)
	_, err := w.Write(b.Bytes())
	return err
}
