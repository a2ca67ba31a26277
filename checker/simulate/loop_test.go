package simulate

import (
	"testing"

	"github.com/seed-105a2da2/unknot/spec"
)

// TestRepliesAreNotRefused: a full queue refuses requests, but no replies: in a closed loop each request that is open is
// on its way, or its reply is. If a reply was lost, its request would be open for ever, and nobody would notice: the other
// nodes go on.
func TestRepliesAreNotRefused(t *testing.T) {
	n := dimensionOrder(t, 3, 2, 4, false, spec.Wormhole, nil)
	e, err := newEngine(n, Options{Load: 1, Window: 3, Queue: 1, Lengths: flits(4), Clocks: 5000})
	if err != nil {
		t.Fatal(err)
	}
	answered := 0
	for range e.o.Clocks {
		before := e.m.delivered
		e.clock()
		answered += int(e.m.delivered - before)
		open, onTheirWay := 0, e.alive
		for v := range e.queues {
			open += int(e.queues[v].outstanding)
		}
		for i := range e.regions {
			for _, m := range e.regions[i].coming {
				if m.reply {
					onTheirWay++
				}
			}
		}
		if e.fault != nil || open != onTheirWay {
			t.Fatalf("clock %d: %d requests are open, %d packets on their way: %v", e.now, open, onTheirWay, e.fault)
		}
	}
	if e.source.missed == 0 || answered < 1000 {
		t.Errorf("%d requests were refused, %d packets arrived: want some, and 1000", e.source.missed, answered)
	}
}
