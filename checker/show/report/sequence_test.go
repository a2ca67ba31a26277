package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/checker/show/explain"
)

// A message is received, one is lost, one is still on its way.
func exchanged() *explain.Sequence {
	return &explain.Sequence{
		Actors: []string{"a <1>", "b"},
		Steps:  []explain.Turn{{Actor: 0, Text: "sends & waits"}, {Actor: 1, Text: "turns"}},
		Messages: []explain.Message{
			{Text: "get", From: 0, To: 1}, {Text: "x;y", From: 0, To: explain.Lost}, {Text: "put", From: 1, To: explain.OnItsWay},
		},
		End: "\"alone\" is violated",
	}
}

func TestSequenceMermaid(t *testing.T) {
	var b strings.Builder
	if err := writeSequenceMermaid(&b, exchanged()); err != nil {
		t.Fatal(err)
	}
	want := `sequenceDiagram
  participant a0 as a #60;1#62;
  participant a1 as b
  a0-xa0: x#59;y is lost
  Note over a0: 1. sends #38; waits
  a0->>a1: get (sent in 1)
  Note over a1: 2. turns
  a1--)a1: put is on its way (sent in 2)
  Note over a0: #34;alone#34; is violated
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestSequenceSVG: it is well-formed, has an arrow for each message from the row and column of the
// step that sends it to those of the step that receives it, and mentions every step that it leaves
// out.
func TestSequenceSVG(t *testing.T) {
	var b bytes.Buffer
	if err := writeSequenceSVG(&b, exchanged()); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	for d := xml.NewDecoder(&b); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{
		`<line class="sent" x1="100" y1="60" x2="300" y2="104" marker-end="url(#received)"/>`,
		`<line class="sent" x1="100" y1="60" x2="166" y2="71" marker-end="url(#lost)"/>`,
		`<line class="sent" x1="300" y1="104" x2="366" y2="115" stroke-dasharray="4 3" marker-end="url(#received)"/>`,
		`class="actor">a &lt;1&gt;</text>`, `class="step">1. sends &amp; waits</text>`,
		`class="step last">&#34;alone&#34; is violated</text>`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	wordy := exchanged()
	wordy.Steps[0].Text = strings.Repeat("m", 68)
	b.Reset()
	if err := writeSequenceSVG(&b, wordy); err != nil {
		t.Fatal(err)
	}
	// 70 letters have a column of 490 pixels, in whose middle they are.
	if want := `x="245" y="52" class="step">1. ` + strings.Repeat("m", 66) + "…</text>"; !strings.Contains(b.String(), want) {
		t.Errorf("no %s in\n%s", want, b.String())
	}
	long := exchanged()
	for range mostTurns {
		long.Steps = append(long.Steps, explain.Turn{})
	}
	for _, write := range []func(io.Writer, *explain.Sequence) error{writeSequenceSVG, writeSequenceMermaid} {
		b.Reset()
		if err := write(&b, long); err != nil || !strings.Contains(b.String(), "... and 2 more steps") {
			t.Errorf("of %d steps (%v) nothing is said to be left out", len(long.Steps), err)
		}
	}
}
