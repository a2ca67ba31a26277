package repair

import (
	"testing"

	"github.com/seed-105a2da2/unknot/checker/internal/sat"
	"github.com/seed-105a2da2/unknot/models/modeltest"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// TestPartsOfDatelines: that two copies do not suffice for datelines for the flows among some of the nodes of a mesh of
// 12 x 12, which is too large to be decided, is evidence about the whole.
func TestPartsOfDatelines(t *testing.T) {
	seedtest.InFull(t)
	u := &search{modeltest.Network(t, "mesh", map[string]string{"k": "12", "routing": "adaptive"}), Dateline, Options{Workers: 1}, nil}
	parts, err := u.datelineParts(t.Context(), newDatelines(t.Context(), newConditions(t.Context(), u.n, Turns)))
	if err != nil || len(parts) != 3 { // of 32, 64 and 128 nodes of 144
		t.Fatalf("%d parts: %v", len(parts), err)
	}
	if got, err := parts[0].solve(t.Context(), 2, DefaultEffort); got != sat.Refuted || err != nil || parts[0].least == nil {
		t.Errorf("%v, %v, evidence %v", got, err, parts[0].least)
	}
}
