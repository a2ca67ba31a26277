package simulate

import (
	"testing"

	"github.com/seed-105a2da2/unknot/spec"
)

// TestRepliesAreNotRefused: a full queue refuses requests, but no replies: in a closed loop each node with a request that
// was sent is answered and sends the next, for as long as the run takes.
func TestRepliesAreNotRefused(t *testing.T) {
	n := dimensionOrder(t, 3, 2, 4, false, spec.Wormhole, nil)
	const clocks, window = 20_000, 3
	r := simulated(t, n, Options{Load: 1, Window: window, Queue: 1, Lengths: flits(4), Clocks: clocks})
	late := simulated(t, n, Options{Load: 1, Window: window, Queue: 1, Lengths: flits(4), Clocks: 2 * clocks})
	if r.Delivered < 1000 || late.Delivered < 3*r.Delivered/2 {
		t.Errorf("%d messages were delivered in %d clocks, %d in twice as many: nodes wait for replies that never come", r.Delivered, clocks, late.Delivered)
	}
}
