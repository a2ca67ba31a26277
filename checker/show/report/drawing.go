package report

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
)

// mostWide is how many letters wide a drawing of a cycle is.
const mostWide = 96

// CycleDrawing draws a shortest cycle of packets that wait for each other at the end of a trace to a deadlock, in three
// lines; nil if there is none, or no room for it.
func CycleDrawing(e evidence.Evidence) []string {
	t, is := e.(evidence.Trace)
	if !is || t.Fault != counterexamples.Deadlock {
		return nil
	}
	cycle, err := WaitCycle(t)
	if err != nil { // which whoever lists the waits says
		return nil
	}
	return drawing(cycle)
}

// drawing draws a cycle of packets that wait for each other in three lines: each packet with the channel of its head,
// there along the upper line and back along the lower one. Packets that do not fit are counted. A cycle of one has no
// drawing, and neither have names too long for two packets in a line.
func drawing(cycle []Dependency) []string {
	if len(cycle) < 2 {
		return nil
	}
	cells := make([]string, len(cycle))
	widest := 0
	for i, d := range cycle {
		name, _, _ := strings.Cut(d.Name, " ")
		cells[i] = name + " in " + d.Holds[len(d.Holds)-1].Name
		widest = max(widest, utf8.RuneCountInString(cells[i]))
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
