package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/models"
)

// TestPaper: the models that stand beside their paper print its sentences by section, each with a place in a file that
// has at most 100 lines; the nine steps come in their order.
func TestPaper(t *testing.T) {
	for _, name := range []string{"nine-steps", "star-channel", "cccb", "p3", "peach2", "selection-router"} {
		e, _ := models.Find(name)
		if len(e.Quotations()) < 2 || name != "nine-steps" && !e.IsBeside() {
			t.Errorf("%s quotes %d sentences", name, len(e.Quotations()))
		}
		code, out, errs := unknot(t, "models", name, "--paper")
		if code != 0 || errs != "" || !strings.HasPrefix(out, "# "+name+"\n\n"+e.Described().Source+"\n\n"+paperHead) {
			t.Errorf("%s: exit %d, %s%s", name, code, out, errs)
		}
		last := "1"
		for _, r := range paperRows(e) {
			if r.section == "" || compareSections(last, r.section) > 0 {
				t.Errorf("%s: section %q after %q: %s", name, r.section, last, r.says)
			}
			last = r.section
		}
	}
	_, out, _ := unknot(t, "models", "nine-steps", "--paper")
	for i := 1; i <= 9; i++ {
		_, rest, found := strings.Cut(out, fmt.Sprintf("| 6 | “%d. ", i))
		if !found {
			t.Fatalf("step %d is missing, or not in its place", i)
		}
		out = rest
	}
}

func TestCompareSections(t *testing.T) {
	inOrder := []string{"2", "2.1", "2.2", "2.10", "3", "10", "abstract", "figure 3"}
	for i, a := range inOrder {
		for j, b := range inOrder {
			if c := compareSections(a, b); (c < 0) != (i < j) || (c == 0) != (i == j) {
				t.Errorf("%q and %q: %d", a, b, c)
			}
		}
	}
}
