package deadline_test

import (
	"context"
	"errors"
	"strings"
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

// TestWriter: what is written before the context ends arrives, and what is written afterwards fails with the cause.
func TestWriter(t *testing.T) {
	full := errors.New("the time is up")
	ctx, end := context.WithCancelCause(t.Context())
	var b strings.Builder
	w := deadline.Writer(ctx, &b)
	if n, err := w.Write([]byte("early")); n != 5 || err != nil {
		t.Errorf("%d bytes, %v", n, err)
	}
	end(full)
	if n, err := w.Write([]byte("late")); n != 0 || !errors.Is(err, full) {
		t.Errorf("%d bytes, %v, want none and %v", n, err, full)
	}
	if b.String() != "early" {
		t.Errorf("%q is written", b.String())
	}
}
