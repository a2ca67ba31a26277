package report

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func waiting(n, length int) (cycle []Dependency) {
	for i := range n {
		name := fmt.Sprintf("c%d", i)
		cycle = append(cycle, Dependency{
			Number: i + 1,
			Holds:  []Channel{{Name: "tail"}, {Name: name + strings.Repeat("x", length)}},
		})
	}
	return cycle
}

// TestDrawing: there along the upper line, back along the lower one; the head's channel stands with its packet.
func TestDrawing(t *testing.T) {
	for _, c := range []struct {
		n, length int
		want      string
	}{
		{1, 0, ""},
		{2, 0, `
+-> P1 in c0 --+
|              |
+-- P2 in c1 <-+`},
		{3, 0, `
+-> P1 in c0 --> P2 in c1 --+
|                           |
+-- -------- <-- P3 in c2 <-+`},
		{4, 0, `
+-> P1 in c0 --> P2 in c1 --+
|                           |
+-- P4 in c3 <-- P3 in c2 <-+`},
		{9, 20, `
+-> P1 in c0xxxxxxxxxxxxxxxxxxxx --> P2 in c1xxxxxxxxxxxxxxxxxxxx --+
|                                                                   |
+-- ... 6 more                   <-- P3 in c2xxxxxxxxxxxxxxxxxxxx <-+`},
		{4, 50, ""},
	} {
		if diff := cmp.Diff(strings.TrimPrefix(c.want, "\n"), strings.Join(drawnCycle(waiting(c.n, c.length)), "\n")); diff != "" {
			t.Errorf("%d packets, %d letters more:\n%s", c.n, c.length, diff)
		}
	}
}

// TestDrawingIsSmall: however many packets with names however long, every packet is drawn or counted, and the lines have
// the same width, which is bounded.
func TestDrawingIsSmall(t *testing.T) {
	for n := range 40 {
		for length := range 60 {
			lines := drawnCycle(waiting(n, length))
			for _, line := range lines {
				if wide := utf8.RuneCountInString(line); wide > mostWide || wide != utf8.RuneCountInString(lines[0]) {
					t.Fatalf("%d packets, %d letters more: %d wide\n%s", n, length, wide, strings.Join(lines, "\n"))
				}
			}
			text := strings.Join(lines, "\n")
			drawn, left := strings.Count(text, " in "), 0
			if at := strings.Index(text, "... "); at >= 0 {
				if _, err := fmt.Sscanf(text[at:], "... %d more", &left); err != nil {
					t.Fatal(err)
				}
			}
			if len(lines) > 0 && drawn+left != n {
				t.Errorf("%d packets, %d letters more: %d drawn, %d counted", n, length, drawn, left)
			}
		}
	}
}
