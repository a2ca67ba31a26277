package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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

// TestFigureCommand: the command beside a figure runs that figure alone again, with the settings that differ from the
// paper's.
func TestFigureCommand(t *testing.T) {
	run := func(to any, args ...string) {
		t.Helper()
		code, out, errs := unknot(t, append(args, "--json")...)
		if err := json.Unmarshal([]byte(out), to); code != 0 || err != nil {
			t.Fatalf("%v: exit %d, %v: %s", args, code, err, errs)
		}
	}
	type study struct {
		Command string
		Curves  []any
	}
	var paper struct{ Figures []study }
	run(&paper, "simulate", "star-channel", "--paper", "fig8,fig12", "--set", "k=4", "--load", "0.02,0.03",
		"--length", "4", "--clocks", "200", "--queue", "8", "--seeds", "2")
	if len(paper.Figures) != 2 {
		t.Fatalf("%d figures", len(paper.Figures))
	}
	for _, f := range paper.Figures {
		var alone study
		run(&alone, strings.Fields(f.Command)[1:]...)
		if diff := cmp.Diff(f.Curves, alone.Curves); diff != "" || len(f.Curves) == 0 {
			t.Errorf("%s:\n%s", f.Command, diff)
		}
	}
}
