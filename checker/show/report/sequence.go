package report

import (
	"errors"
	"fmt"
	"html"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/seed-105a2da2/unknot/checker/show/explain"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// mostTurns is how many steps a sequence chart shows.
const mostTurns = 200

// ErrNoMessages is the error for a trace or run in which nobody sends a message, or none that a protocol file
// declares: it has no sequence chart.
var ErrNoMessages = errors.New("no messages are sent")

// WriteSequenceMermaid writes the sequence chart of a run for Mermaid. An arrow is where the message is
// received, with the number of the step that sent it; one still on its way is at the end.
func WriteSequenceMermaid(w io.Writer, e evidence.Evidence) error {
	s, err := sequenceOf(e)
	if err != nil {
		return err
	}
	return writeSequenceMermaid(w, s)
}

func sequenceOf(e evidence.Evidence) (*explain.Sequence, error) {
	x, err := executionOf(e)
	if err != nil {
		return nil, err
	}
	s, err := explain.SequenceOf(x)
	if err == nil && s == nil {
		err = ErrNoMessages
	}
	return s, err
}

func writeSequenceMermaid(w io.Writer, s *explain.Sequence) error {
	var b strings.Builder
	b.WriteString("sequenceDiagram\n")
	for i, a := range s.Actors {
		fmt.Fprintf(&b, "  participant a%d as %s\n", i, mermaidText(a))
	}
	for i, turn := range s.Steps[:min(mostTurns, len(s.Steps))] {
		for _, m := range s.Messages {
			from := s.Steps[m.From].Actor
			switch {
			case m.To == i:
				fmt.Fprintf(&b, "  a%d->>a%d: %s (sent in %d)\n", from, turn.Actor, mermaidText(m.Text), m.From+1)
			case m.From == i && m.To == explain.Lost:
				fmt.Fprintf(&b, "  a%d-xa%d: %s is lost\n", from, from, mermaidText(m.Text))
			}
		}
		fmt.Fprintf(&b, "  Note over a%d: %d. %s\n", turn.Actor, i+1, mermaidText(turn.Text))
	}
	if left := len(s.Steps) - mostTurns; left > 0 {
		fmt.Fprintf(&b, "  Note over a0: ... and %s\n", words.Plural(left, "more step"))
		_, err := io.WriteString(w, b.String())
		return err
	}
	for _, m := range s.Messages {
		if m.To == explain.OnItsWay {
			from := s.Steps[m.From].Actor
			fmt.Fprintf(&b, "  a%d--)a%d: %s is on its way (sent in %d)\n", from, from, mermaidText(m.Text), m.From+1)
		}
	}
	if s.End != "" {
		fmt.Fprintf(&b, "  Note over a0: %s\n", mermaidText(s.End))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteSequenceSVG draws the sequence chart of a run: a column for each actor, a row for each step, and an
// arrow from where a message is sent to where it is received. A dashed arrow is still on its
// way at the end; one that ends in a cross is lost.
func WriteSequenceSVG(w io.Writer, e evidence.Evidence) error {
	s, err := sequenceOf(e)
	if err != nil {
		return err
	}
	return writeSequenceSVG(w, s)
}

// sequenceStyle follows the tag of the picture.
//   - It has classes alone, as the styles of a page that it is in take precedence over attributes.
//   - Around letters there is the ground, so that lines do not cross them.
const sequenceStyle = `<style>.sequence line{stroke:currentColor}.sequence text{fill:currentColor;` +
	`font:12px sans-serif;text-anchor:middle;paint-order:stroke;stroke:var(--ground,#fff);stroke-width:4px}` +
	`.sequence .last{text-anchor:start}` +
	`.sequence .lifeline{opacity:.3}.sequence .sent{stroke-width:1.5}` +
	`.sequence .actor{font-weight:bold}.sequence .message{font-style:italic}</style>` + "\n" +
	`<defs><marker id="received" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto">` +
	`<path d="M0 0 8 4 0 8z" fill="currentColor"/></marker>` +
	`<marker id="lost" viewBox="0 0 8 8" refX="4" refY="4" markerWidth="8" markerHeight="8" orient="auto">` +
	`<path d="M0 0 8 8M0 8 8 0" stroke="currentColor"/></marker></defs>` + "\n"

func writeSequenceSVG(w io.Writer, s *explain.Sequence) error {
	const row, top, letter = 44, 60, 7
	const mostLetters = 70 // of a step; a list of steps has the rest
	turns := s.Steps[:min(mostTurns, len(s.Steps))]
	column, done := 200, make([]string, len(turns))
	for i, turn := range turns {
		done[i] = fmt.Sprintf("%d. %s", i+1, turn.Text)
		if r := []rune(done[i]); len(r) > mostLetters {
			done[i] = string(r[:mostLetters-1]) + "…"
		}
		column = max(column, letter*utf8.RuneCountInString(done[i]))
	}
	x := func(actor int) int { return column/2 + column*actor }
	y := func(step int) int { return top + row*step }
	last := s.End
	if left := len(s.Steps) - len(turns); left > 0 {
		last = "... and " + words.Plural(left, "more step")
	}
	width, height := max(column*len(s.Actors), 20+letter*len(last)), y(len(turns))+20
	var b, texts strings.Builder // texts are above all lines
	text := func(x, y int, class, t string) {
		fmt.Fprintf(&texts, "<text x=\"%d\" y=\"%d\" class=\"%s\">%s</text>\n",
			x, y, class, html.EscapeString(spec.Printable(t)))
	}
	b.WriteString(`<svg xmlns="http://www.w3.org/2000/svg" class="sequence" role="img"` +
		` aria-label="Who sends what to whom"`)
	fmt.Fprintf(&b, ` viewBox="0 0 %d %d" width="%d" height="%d" style="min-width:%dpx">`+"\n",
		width, height, width, height, width*3/4)
	b.WriteString(sequenceStyle)
	for i, a := range s.Actors {
		text(x(i), 24, "actor", a)
		fmt.Fprintf(&b, "<line class=\"lifeline\" x1=\"%d\" y1=\"34\" x2=\"%[1]d\" y2=\"%d\"/>\n", x(i), height)
	}
	for _, m := range s.Messages {
		if m.From >= len(turns) {
			break
		}
		x1, y1 := x(s.Steps[m.From].Actor), y(m.From)
		x2, y2, end, dashes := x1+column/3, y1+row/4, "lost", ""
		switch {
		case m.To == explain.OnItsWay || m.To >= len(turns):
			end, dashes = "received", ` stroke-dasharray="4 3"`
		case m.To >= 0:
			x2, y2, end = x(s.Steps[m.To].Actor), y(m.To), "received"
		}
		fmt.Fprintf(&b, "<line class=\"sent\" x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\"%s marker-end=\"url(#%s)\"/>\n",
			x1, y1, x2, y2, dashes, end)
		text((x1+x2)/2, (y1+y2)/2-3, "message", m.Text)
	}
	for i, turn := range turns {
		text(x(turn.Actor), y(i)-8, "step", done[i])
		fmt.Fprintf(&b, "<circle cx=\"%d\" cy=\"%d\" r=\"3\" fill=\"currentColor\"/>\n", x(turn.Actor), y(i))
	}
	if last != "" {
		text(10, height-4, "step last", last)
	}
	_, err := io.WriteString(w, b.String()+texts.String()+"</svg>\n")
	return err
}
