package combining_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/star"
)

// TestPassedOver: how often others are served before one of n sources that waits for room in
// a link. With batches: the rest of the previous batch, one that is served out of turn, and
// those of its own batch, once each: n-2 + 1 + n-1 = 2n-2. With round-robin, each of the
// others once. Without an arbiter there is no bound.
func TestPassedOver(t *testing.T) {
	text, err := os.ReadFile("testdata/turns.star")
	if err != nil {
		t.Fatal(err)
	}
	const bound = 10
	for n := 2; n <= 5; n++ {
		for arbiter, want := range map[string]int{"any": bound, "batch": 2*n - 2, "round-robin": n - 1} {
			f, err := star.Load(t.Context(), "turns.star", text, star.Options{
				Set: map[string]string{"n": fmt.Sprint(n), "arbiter": arbiter},
			})
			if err != nil {
				t.Fatal(err)
			}
			x := searchedProgram(t, f.Program, checker.Question{Explore: checker.Whole})
			most := 0
			for _, f := range x.Findings {
				var times int
				if _, err := fmt.Sscanf(f.Property, "passed over %d times", &times); err == nil && f.Verdict == spec.Holds {
					most = max(most, times)
				} else if f.Verdict == spec.Unknown {
					t.Errorf("n=%d, %s: %s %s: %s", n, arbiter, f.Property, f.Verdict, f.Because)
				}
			}
			if most != want {
				t.Errorf("n=%d, %s: passed over %d times, want %d", n, arbiter, most, want)
			}
		}
	}
}
