package selection

import (
	"testing"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/export/enginetest"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// TestEngines: SPIN and Rumur agree with unknot on the exported programs: one with a clock,
// one for each kind of history, and commitments on a ring, which violate an invariant.
func TestEngines(t *testing.T) {
	corners := []Packet{{From: 0, To: 3}, {From: 1, To: 2}, {From: 2, To: 1}, {From: 3, To: 0}}
	ring := []Packet{{From: 0, To: 2}, {From: 1, To: 0}, {From: 2, To: 1}}
	for i, tt := range []struct {
		name string
		o    torus
		t    Traffic
	}{
		{"lru", torus{K: 2, N: 2, Function: LRU, History: Exact}, Traffic{Packets: corners[:2], Again: true, InFlight: 3}},
		{"ccb, its status a clock old", torus{K: 2, N: 2, Function: CCB}, Traffic{Packets: corners[:3], Again: true, InFlight: 2}},
		{"ld", torus{K: 2, N: 2, Function: LD, History: Exact}, Traffic{Packets: corners[:3]}},
		{"commit", torus{K: 3, N: 1, OneWay: true, Form: Commit}, Traffic{Packets: ring, Again: true, Ready: true, InFlight: 5}},
		{"stale", torus{K: 2, N: 2, Function: Zigzag, Form: Stale}, Traffic{Packets: corners[:3]}},
		{"lfu", torus{K: 2, N: 2, Function: LFU, History: Exact, Bound: 1}, Traffic{Packets: corners[:2], Again: true, InFlight: 2}},
	} {
		if !seedtest.Sampled(i, 3) {
			continue
		}
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := machine(t, tt.o, tt.t)
			x, err := checker.Explore(t.Context(), m, checker.Question{Explore: checker.Whole})
			if err != nil {
				t.Fatal(err)
			}
			want := enginetest.Counts{States: int(x.States), Transitions: int(x.Transitions)}
			for _, f := range x.Findings {
				if f.Verdict == spec.Violated && f.Property != spec.DeadlockFreedom.String() {
					want.Broken = enginetest.Some
				}
			}
			if (want.Broken != 0) != (tt.name == "commit") {
				t.Errorf("%s: %+v", m.Name(), want)
			}
			t.Logf("%+v", want)
			enginetest.Compare(t, m.Program(), want)
		})
	}
}
