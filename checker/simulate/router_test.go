package simulate

import (
	"testing"

	"github.com/seed-105a2da2/unknot/spec"
)

// TestPacketArbiter: a packet that has begun to leave a buffer sends a flit in each clock until its tail, whatever
// else waits; round-robin interrupts some. This holds at saturation, and for sources, too.
func TestPacketArbiter(t *testing.T) {
	n := dimensionOrder(t, 4, 2, 4, true, spec.VirtualCutThrough, nil)
	for arbiter, never := range map[Arbiter]bool{Packet: true, RoundRobin: false} {
		e, err := newEngine(n, Options{Load: 1, Lengths: []Length{{1, 1}, {7, 1}}, Injectors: 2, Delays: FiveStages(), Arbiter: arbiter, Clocks: 1 << 20})
		if err != nil {
			t.Fatal(err)
		}
		stopped, before := 0, make([]int32, len(e.lanes)) // flits left of packets that have begun; else 0
		for range 3000 {
			e.clock()
			for v := range e.lanes {
				l := &e.lanes[v]
				now := map[bool]int32{true: int32(l.rest)}[l.is(left)]
				if before[v] > 0 && now == before[v] {
					stopped++
				}
				before[v] = now
			}
		}
		if (stopped == 0) != never {
			t.Errorf("%s: packets were stopped %d times", ArbiterNames[arbiter], stopped)
		}
	}
}
