package selection_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/models/selection"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/star"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// explored is what the two forms of a router share.
type explored struct {
	States, Transitions int64
	Verdicts            map[string]spec.Verdict
}

func exploredOf(t *testing.T, m states.Machine) explored {
	t.Helper()
	x, err := checker.Explore(t.Context(), m, checker.Question{Explore: checker.Whole, Closed: -1})
	if err != nil {
		t.Fatal(err)
	}
	out := explored{x.States, x.Transitions, map[string]spec.Verdict{}}
	for _, f := range x.Findings {
		out.Verdicts[f.Property] = f.Verdict
	}
	return out
}

// TestReadableRouter: the file that stands beside the paper has the states, steps and verdicts of the machine that Go
// builds, for each function, one and two dimensions, links one way and both.
func TestReadableRouter(t *testing.T) {
	text, err := os.ReadFile("router.star")
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(string(text), "\n"); lines > 100 {
		t.Errorf("the file has %d lines: want at most 100, to be read beside the paper", lines)
	}
	number := 0
	for _, function := range selection.Names {
		for _, more := range []catalogue.Set{
			{"k": "3"}, {"k": "2", "tie": "parity"}, {"k": "3", "way": "one"}, {"k": "4", "n": "1", "tie": "negative"},
		} {
			if number++; !seedtest.Sampled(number, 3) {
				continue
			}
			set := catalogue.Set{"function": function}
			for name, value := range more {
				set[name] = value
			}
			f, err := star.Load(t.Context(), "router.star", text, star.Options{Set: set, Open: os.ReadFile})
			if err != nil {
				t.Fatal(err)
			}
			file, err := f.Program.Machine()
			if err != nil {
				t.Fatal(err)
			}
			model, err := selection.RouterEntry().Machine(set)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(exploredOf(t, model), exploredOf(t, file)); diff != "" {
				t.Errorf("%v (-Go +file):\n%s", set, diff)
			}
		}
	}
}
