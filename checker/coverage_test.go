package checker_test

import (
	"testing"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/models"
)

// TestFired: the steps of all rules add up to the transitions, and each rule is listed once.
func TestFired(t *testing.T) {
	for _, name := range []string{"peterson", "two-phase-commit", "rwc1-machine"} {
		e, ok := models.Find(name)
		if !ok {
			t.Fatalf("%s is not in the catalogue", name)
		}
		m, err := e.Machine(nil)
		if err != nil {
			t.Fatal(err)
		}
		x := explore(t, m, checker.Question{Coverage: true, Explore: checker.Whole})
		steps, seen := int64(0), map[string]bool{}
		for _, f := range x.Fired {
			if seen[f.Rule] {
				t.Errorf("%s: the rule %q twice", name, f.Rule)
			}
			seen[f.Rule] = true
			steps += f.Steps
		}
		if !x.Complete || steps != x.Transitions || steps == 0 {
			t.Errorf("%s: %d steps of rules in %d transitions (complete: %v)", name, steps, x.Transitions, x.Complete)
		}
	}
}
