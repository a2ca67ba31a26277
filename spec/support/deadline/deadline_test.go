package deadline_test

import (
	"testing"

	"github.com/seed-105a2da2/unknot/spec/support/contexttest"
	"github.com/seed-105a2da2/unknot/spec/support/deadline"
)

// TestPassed: a context, which takes a lock, is looked at once in 4096 steps, from the first on.
func TestPassed(t *testing.T) {
	ctx := contexttest.New(t.Context(), 2)
	for step := range 3 << 12 {
		if got, want := deadline.Passed(ctx, step), step == 2<<12; got != want { // the third look
			t.Fatalf("step %d: passed %t, want %t", step, got, want)
		}
	}
}
