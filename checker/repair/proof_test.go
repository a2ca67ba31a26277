package repair

import (
	"testing"

	"github.com/seed-105a2da2/unknot/models/modeltest"
	"github.com/seed-105a2da2/unknot/proofs/unsat"
)

// TestLongProofsAreNotChecked: the least repair by turns of three nodes joined by cables of two VCs, all hops permitted, is found
// in a second with 206,523 learned clauses, the check of which took 100 seconds. The clauses here say that turn 0 is forbidden,
// which nothing shows: so a check would fail.
func TestLongProofsAreNotChecked(t *testing.T) {
	n := modeltest.Network(t, "ring", map[string]string{"n": "4"})
	for _, c := range []struct {
		learned int
		checked bool
	}{{2, true}, {mostLearned, true}, {mostLearned + 1, false}} {
		steps := make([]unsat.Step, c.learned)
		for i := range steps {
			steps[i] = unsat.Step{Clause: true, List: []int32{0}}
		}
		e, err := verified(t.Context(), n, unsat.Bound{Of: unsat.Turns}, steps, oneVisit)
		if e != nil || (err != nil) != c.checked {
			t.Errorf("%d clauses: %v, %v", c.learned, e, err)
		}
	}
}
