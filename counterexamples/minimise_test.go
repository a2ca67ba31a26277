package counterexamples_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/checker/show/explain"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
)

// TestMinimise: parts that a trace does not need are removed: a packet that comes and
// goes, moves after the fault, all but one cycle of a stuck set.
func TestMinimise(t *testing.T) {
	n, deadlock := ringDeadlock(t)
	long := *deadlock
	long.Moves = slices.Concat([]spec.Move{inject(0, 1, 0), move(0, 1, spec.Eject), inject(1, 2, 1)}, deadlock.Moves[:1],
		[]spec.Move{move(1, 2, spec.Eject)}, deadlock.Moves[1:])
	got, err := explain.Minimise(t.Context(), evidence.Trace{Network: n, Trace: &long})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(deadlock, got.Trace); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	a := astray(t)
	loop := good(t)["loop"].t
	round := *loop
	round.Moves = slices.Concat(loop.Moves[:1], loop.Moves[1:], loop.Moves[1:]) // twice round
	if got, err = explain.Minimise(t.Context(), evidence.Trace{Network: a, Trace: &round}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(loop, got.Trace); diff != "" {
		t.Errorf("loop (-want +got):\n%s", diff)
	}
}

// TestMinimiseRefuses: a trace that does not replay is not made smaller.
func TestMinimiseRefuses(t *testing.T) {
	n, deadlock := ringDeadlock(t)
	deadlock.Moves = deadlock.Moves[:2]
	if got, err := explain.Minimise(t.Context(), evidence.Trace{Network: n, Trace: deadlock}); err == nil {
		t.Errorf("a trace that shows nothing became %v", got)
	}
}
