package checker_test

import (
	"os"
	"testing"

	"github.com/seed-105a2da2/unknot/spec"
)

// TestWormThatMeetsItself: a random network in which a worm of two channels could block itself, but
// the only way to the place of its tail leads through that very channel, with another tag, two hops
// before: it would still be there. That plan must not pass for a trace. Searching the whole
// reference machine plainly finds no state with a stuck
// message.
func TestWormThatMeetsItself(t *testing.T) {
	const file = "testdata/worm-revisits-channel.json"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	n, err := spec.ReadClosed(t.Context(), file, text)
	if err != nil {
		t.Fatal(err)
	}
	if found, known := reachesDeadlock(n, spec.Scenario{Length: spec.AnyLength}, 1000); found || !known {
		t.Fatalf("a deadlock is reached: %t, known: %t", found, known)
	}
	if r := decide(t, n, spec.DeadlockFreedom); r.Verdict != spec.Holds {
		t.Errorf("deadlock %s: %s", r.Verdict, r.Because)
	}
}
