package checker_test

import (
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/spec"
)

// TestSampled: orbits of Fetch&Add of five requesters take longer than the 12 states that one stands for (.ci/benchmarks.md,
// Symmetry), so with Symmetry all states are explored, with the verdict and evidence of a walk without, and the reason
// says so. With NoSample one state of each orbit is. Those of Peterson's algorithm pay.
func TestSampled(t *testing.T) {
	ask := func(model string, set map[string]string, q checker.Question) (*checker.Result, string) {
		t.Helper()
		e, _ := models.Find(model)
		m, err := e.Machine(set)
		if err != nil {
			t.Fatal(err)
		}
		q.Properties = []string{"deadlock-freedom"}
		x := explore(t, m, q)
		return x, x.Findings[0].Because.String()
	}
	const told = "without symmetry reduction: by a sample"
	fetchAdd := map[string]string{"requesters": "5", "fan-out": "3"}
	plain, _ := ask("fetch-add", fetchAdd, checker.Question{})
	sampled, why := ask("fetch-add", fetchAdd, checker.Question{Symmetry: true})
	if sampled.States != plain.States || sampled.Transitions != plain.Transitions || len(sampled.Reduced) > 0 ||
		sampled.Findings[0].Verdict != plain.Findings[0].Verdict || !strings.Contains(why, told) {
		t.Errorf("%d states and %d transitions, %q; without symmetries %d and %d", sampled.States, sampled.Transitions, why,
			plain.States, plain.Transitions)
	}
	if forced, why := ask("fetch-add", fetchAdd, checker.Question{Symmetry: true, NoSample: true}); forced.States*10 > plain.States ||
		strings.Contains(why, told) || len(forced.Reduced) == 0 {
		t.Errorf("NoSample: %d of %d states, %q", forced.States, plain.States, why)
	}
	if x, why := ask("peterson", map[string]string{"n": "5"}, checker.Question{Symmetry: true}); strings.Contains(why, told) || len(x.Reduced) == 0 {
		t.Errorf("Peterson 5: %d states, %q", x.States, why)
	}
}

// TestSampleInterrupted: where the context ends in a sample, nothing is decided, and the reason says so.
func TestSampleInterrupted(t *testing.T) {
	e, _ := models.Find("fetch-add")
	m, err := e.Machine(map[string]string{"requesters": "5", "fan-out": "3"})
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range []checker.Question{{Symmetry: true}, {Symmetry: true, NoSample: true}, {PartialOrder: true}} {
		whole := newFuse(t, 0)
		ask := q
		ask.MaxStates = 1
		if _, err := checker.Explore(whole, m, ask); err != nil {
			t.Fatal(err)
		}
		for after := int64(1); after < whole.looks.Load(); after *= 4 {
			x, err := checker.Explore(newFuse(t, after), m, q)
			if err != nil {
				t.Fatalf("%+v, after %d looks: %v", q, after, err)
			}
			for _, f := range x.Findings {
				if f.Verdict != spec.Unknown || !strings.Contains(f.Because.String(), "interrupted") {
					t.Errorf("%+v, after %d looks: %s %v: %s", q, after, f.Property, f.Verdict, f.Because)
				}
			}
		}
	}
}
