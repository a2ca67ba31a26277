package repair

import (
	"fmt"
	"math"
	"testing"

	"github.com/seed-105a2da2/unknot/models/modeltest"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// TestRarely: for meshes with all shortest paths the search finds a set that cuts every cycle and needs fewer copies
// than the sets of all orders of the nodes; for one of 4 x 4 two copies, the least number.
func TestRarely(t *testing.T) {
	for i, k := range []int{4, 6, 8, 10} {
		if !seedtest.Sampled(i, 2) {
			continue
		}
		d := newDatelines(t.Context(), newConditions(t.Context(),
			modeltest.Network(t, "mesh", map[string]string{"k": fmt.Sprint(k), "routing": "adaptive"}), Turns))
		if d.breakout(t.Context(), math.MaxInt64); d.plan != nil {
			t.Error("a search without a beginning")
		}
		d.tryOrders(t.Context())
		was := d.cost
		d.breakout(t.Context(), DefaultEffort/2)
		if copies, _ := d.planFor(d.best).countCopies(t.Context(), d.paths, was-1); copies == nil || d.cost >= was ||
			len(d.g.cycleClauses(t.Context(), d.best, clausesPerTrial)) > 0 || k == 4 && d.cost != 2 {
			t.Errorf("k=%d: %d copies, want fewer than %d", k, d.cost, was)
		}
	}
}
