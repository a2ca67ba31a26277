package report

import (
	"fmt"
	"strings"
)

// mostDrawn is about how many channels of a cycle are drawn: a larger picture is
// unreadable, and Mermaid refuses to draw it.
const mostDrawn = 100

// mermaid draws a cycle as a Mermaid flowchart: a box for each channel, a thick
// arrow from each packet's head to what it waits for, thin ones along what it
// holds; the decisive dependency is marked.
func mermaid(cycle []Dependency, decisive int) string {
	var b strings.Builder
	b.WriteString("flowchart LR\n")
	number := map[Channel]int{}
	node := func(c Channel) string {
		i, known := number[c]
		if !known {
			i = len(number)
			number[c] = i
			fmt.Fprintf(&b, "  c%d[\"%s\"]\n", i, mermaidText(c.Name))
		}
		return fmt.Sprintf("c%d", i)
	}
	edges, marked := 0, -1
	for i, d := range cycle {
		if len(number) > mostDrawn {
			fmt.Fprintf(&b, "  more[\"... and %d more packets\"]\n", len(cycle)-i)
			break
		}
		for k := range d.Holds[1:] {
			from, to := node(d.Holds[k]), node(d.Holds[k+1])
			fmt.Fprintf(&b, "  %s -->|\"%s holds\"| %s\n", from, mermaidText(d.Packet), to)
			edges++
		}
		if d.Queued {
			continue // the next packet starts in the same channel
		}
		label, arrow := mermaidText(d.Packet)+" waits", "==>"
		if d.Moves {
			label, arrow = mermaidText(d.Packet)+" goes", "-->"
		}
		if d.Rule.Text != "" {
			label += "<br/>" + mermaidText(d.Rule.Text)
		}
		from, to := node(d.Holds[len(d.Holds)-1]), node(d.WaitsFor)
		fmt.Fprintf(&b, "  %s %s|\"%s\"| %s\n", from, arrow, label, to)
		if i == decisive {
			marked = edges
		}
		edges++
	}
	if marked >= 0 {
		fmt.Fprintf(&b, "  linkStyle %d stroke:#d55e00,stroke-width:4px\n", marked)
	}
	return b.String()
}

// mermaidText makes a text literal within double quotes: everything that Mermaid,
// Markdown or HTML might take for markup becomes an entity code.
func mermaidText(s string) string {
	var b strings.Builder
	var before rune
	for _, r := range oneLine(s) {
		switch {
		case strings.ContainsRune("\"#&<`\\*_;{}[]|~$%", r), r == '>' && before != '-':
			fmt.Fprintf(&b, "#%d;", r)
		case r < ' ':
			b.WriteRune(' ')
		default:
			b.WriteRune(r)
		}
		before = r
	}
	if strings.TrimSpace(b.String()) == "" {
		return "(no name)" // Mermaid accepts no empty label
	}
	return b.String()
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
