package sweep_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/sweep"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// TestMemoryOfACase: a case whose tables exceed the budget gets no result, which would depend on the
// budget: with a larger one the sweep continues there.
func TestMemoryOfACase(t *testing.T) {
	p, err := of(t, "ring", sweep.Question{Links: 1}).Plan(t.Context(), 100)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	var up *routing.BudgetError
	if err := p.Run(t.Context(), &out, nil, sweep.Options{Explore: checker.Never, Memory: 1}); !errors.As(err, &up) || out.Len() > 0 {
		t.Errorf("%v, results %q", err, &out)
	}
	if err := p.Run(t.Context(), &out, nil, sweep.Options{Explore: checker.Never, Memory: 1 << 30}); err != nil || out.Len() == 0 {
		t.Errorf("with room: %v", err)
	}
}
