package combining

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"slices"
	"strings"
)

// Lines writes the history of a violation, an event a line, in the order of time.
func (h Histories) Lines() []string {
	if h.History == nil {
		return nil
	}
	lines := make([]string, 2*len(h.History))
	for _, op := range h.History {
		lines[op.Call] = fmt.Sprintf("cluster %d: %s", op.Process, h.operation(op))
		if op.Return != Pending {
			lines[op.Return] = fmt.Sprintf("cluster %d: %s is answered %d", op.Process, h.operation(op), op.Output)
		}
	}
	lines = slices.DeleteFunc(lines, func(line string) bool { return line == "" })
	return append(lines, h.ends())
}

// operation is what people call one: with its cell, if there are several.
func (h Histories) operation(op Operation) string {
	if len(h.End) == 1 {
		return h.show(op.Input)
	}
	return fmt.Sprintf("%s, cell %d", h.show(op.Input), op.Cell)
}

// ends is a sentence of what the cells hold in the end.
func (h Histories) ends() string {
	if len(h.End) == 1 {
		return fmt.Sprintf("the cell ends as %d", h.End[0])
	}
	var each []string
	for _, x := range h.End {
		each = append(each, fmt.Sprint(x))
	}
	return fmt.Sprintf("the cells end as %s; cells %v alone are not linearizable", strings.Join(each, ", "), h.Cells)
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
		end, label := op.Return, fmt.Sprintf("%s → %d", h.operation(op), op.Output)
		if op.Return == Pending {
			end, label = last, h.operation(op)
		}
		x, length := left+event*op.Call+event/4, event*(end-op.Call)+event/2
		fmt.Fprintf(&b, `<rect x="%d" y="%d" width="%d" height="%d" rx="4" fill="#dbe9f6" stroke="#2c6fab"/><text x="%d" y="%d">%s</text>`+"\n",
			x, y, length, bar, x+6, y+18, html.EscapeString(label))
	}
	fmt.Fprintf(&b, `<text x="8" y="%d">T%s.</text><text x="8" y="%d">No order of these operations that keeps to real time answers them so.</text>`+"\n</svg>\n", height-34, h.ends()[1:], height-14)
	_, err := w.Write(b.Bytes())
	return err
}
