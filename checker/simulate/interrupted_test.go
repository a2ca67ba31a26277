package simulate

import (
	"context"
	"errors"
	"testing"

	"github.com/seed-105a2da2/unknot/spec/support/contexttest"
)

// TestRunInterrupted: whenever the context ends, before the first clock or after thousands, a run ends with
// its error, after some clocks more.
func TestRunInterrupted(t *testing.T) {
	n := funnel(t)
	const clocks = 10_000
	whole := contexttest.New(t.Context(), 1<<30)
	if _, err := Run(whole, n, Options{Load: 0.5, Lengths: flits(5), Clocks: clocks}); err != nil {
		t.Fatal(err)
	}
	// A look takes a lock, so there is one in 64 clocks, from the first on, and few before and after.
	const least = (clocks + 63) / 64
	if looks := 1<<30 - whole.Left(); looks < least || looks > least+10 {
		t.Errorf("looked %d times in %d clocks, want %d and a few more", looks, clocks, least)
	}
	for _, looks := range []int{0, 1, 2, 50} {
		ctx := contexttest.New(t.Context(), looks)
		r, err := Run(ctx, n, Options{Load: 0.5, Lengths: flits(5), Clocks: clocks})
		if r != nil || !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("ended at look %d: %v", looks, err)
		}
		if ctx.Left() < -2 {
			t.Errorf("ended at look %d, looked %d times more", looks, -ctx.Left())
		}
	}
}
