package report

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/seed-105a2da2/unknot/checker/show/explain"
	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
)

// mostWide is how many letters wide a drawing of a cycle is.
const mostWide = 96

// CycleDrawing draws the cycle of packets that wait for each other at the end of a trace to a deadlock, that which
// [explain.WaitFor] lists first, in three lines; nil if there is none, or no room for it.
func CycleDrawing(e evidence.Evidence) []string {
	t, is := e.(evidence.Trace)
	if !is || t.Fault != counterexamples.Deadlock {
		return nil
	}
	waits, err := explain.Waits(t)
	if err != nil { // said where the waits are listed
		return nil
	}
	var cells []string
	for _, w := range waits {
		if w.Cyclic {
			cells = append(cells, cell(w.Packet, t.Network.Topology().ChannelName(w.Site.Channel)))
		}
	}
	return drawing(cells)
}

// drawnCycle draws a cycle of dependencies.
func drawnCycle(cycle []Dependency) []string {
	var cells []string
	for _, d := range cycle {
		cells = append(cells, cell(d.Number, d.Holds[len(d.Holds)-1].Name))
	}
	return drawing(cells)
}

func cell(packet int, channel string) string { return fmt.Sprintf("P%d in %s", packet, channel) }

// drawing draws a cycle of packets, each with the channel of its head, in three lines: there along the upper one, and
// back along the lower one. Packets that do not fit are counted. A cycle of one has no drawing, and neither have names
// too long for two packets in a line.
func drawing(cells []string) []string {
	if len(cells) < 2 {
		return nil
	}
	widest := 0
	for _, c := range cells {
		widest = max(widest, utf8.RuneCountInString(c))
	}
	const ends, arrow = 8, 5 // "+-> " and " --+", " --> "
	fit := func() int { return (mostWide - ends + arrow) / (widest + arrow) }
	if len(cells) > 2*fit() {
		widest = max(widest, len(fmt.Sprintf("... %d more", len(cells))))
	}
	columns := fit()
	if columns < 2 {
		return nil
	}
	if left := len(cells) - 2*columns; left > 0 {
		keep := 2*columns - 1
		cells = append(cells[:keep:keep], fmt.Sprintf("... %d more", left+1))
	}
	columns = (len(cells) + 1) / 2
	upper, lower := cells[:columns], cells[columns:]
	padded := func(text, fill string) string {
		return text + strings.Repeat(fill, max(0, widest-utf8.RuneCountInString(text)))
	}
	var there, back strings.Builder
	for i, c := range upper {
		if i > 0 {
			there.WriteString(" --> ")
			back.WriteString(" <-- ")
		}
		there.WriteString(padded(c, " "))
		below := "" // as the upper line may have one more
		if j := columns - 1 - i; j < len(lower) {
			below = lower[j]
		}
		fill := " "
		if below == "" {
			fill = "-"
		}
		back.WriteString(padded(below, fill))
	}
	return []string{
		"+-> " + there.String() + " --+",
		"|" + strings.Repeat(" ", utf8.RuneCountInString(there.String())+6) + "|",
		"+-- " + back.String() + " <-+",
	}
}
