package peach2_test

import (
	"context"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker/dependency"
	"github.com/seed-105a2da2/unknot/models/peach2"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
)

// waits returns the dependencies of the network of waits, and a shortest cycle's length.
func waits(t rapid.TB, c *peach2.Cluster, o peach2.NetworkOptions) (edges, cycle int) {
	t.Helper()
	n := routingtest.Network(t)(peach2.Waiting(context.Background(), c, o))
	g, err := dependency.Of(context.Background(), n)
	if err != nil {
		t.Fatal(err)
	}
	shortest, _ := g.ShortestCycle()
	return g.Edges(), len(shortest)
}

// TestWaitsOfTwoBoards: the waits of two boards, counted by hand, one direction of
// two. Writes wait twice on their way (from the host, between boards, to the
// host), reads as often and once more for the completion, which waits once. What
// must not pass writes waits for what those wait for: a read and a completion
// from the host for the writes between boards, there for those to the host. In
// the buffers of writes reads add nothing to that, and the completions alone wait
// further. If nothing passes, each of the three waits for what the two others do.
func TestWaitsOfTwoBoards(t *testing.T) {
	c := generate(t, peach2.Options{Boards: 2})
	for _, tt := range []struct {
		reads        peach2.Reads
		ordering     peach2.Ordering
		edges, cycle int
	}{
		{peach2.NoReads, peach2.Permitted, 0, 0},
		{peach2.Separate, peach2.Relaxed, 2 * 6, 0},
		{peach2.Separate, peach2.Permitted, 2 * (6 + 4), 0},
		{peach2.Separate, peach2.Strict, 2 * (3*3 + 3*2 + 2), 6}, // from the host: all of the next; between boards: both to the host; there: the answer
		{peach2.Shared, peach2.Permitted, 2 * (2 + 3 + 2), 6},
		{peach2.FIFO, peach2.Permitted, 2 * 3, 6},
		{peach2.InOrder, peach2.Relaxed, 2 * 4, 0},
		{peach2.InOrder, peach2.Permitted, 2 * (4 + 2), 6},
	} {
		if edges, cycle := waits(t, c, peach2.NetworkOptions{Reads: tt.reads, Ordering: tt.ordering}); edges != tt.edges || cycle != tt.cycle {
			t.Errorf("%s, %s: %d waits, a cycle of %d, want %d, %d", tt.reads, tt.ordering, edges, cycle, tt.edges, tt.cycle)
		}
	}
}
