package checker_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/models/gadget"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
)

// TestGadgets: the verdict is that of brute force over all configurations. W1 deadlocks with worms only.
// W2 is free, which the head/tail fixpoint cannot see, but an unsatisfiability proof shows. W5 is free, although
// no set of channels is an escape in Duato's first sense (what R permits inside it has cyclic
// extended dependencies); the routing subfunction 0 -> 1, 1 -> 3, 3 -> 2
// is one.
func TestGadgets(t *testing.T) {
	type outcome struct {
		Packets, Worms           spec.Verdict // decided
		PacketsBlock, WormsBlock bool         // by brute force
	}
	for name, want := range map[string]outcome{
		"W1": {spec.Holds, spec.Violated, false, true},
		"W2": {spec.Holds, spec.Holds, false, false},
		"W5": {spec.Holds, spec.Holds, false, false},
	} {
		var got outcome
		for _, s := range []spec.Switching{spec.StoreAndForward, spec.Wormhole} {
			n := gadgetNetwork(t, name, s)
			verdict := decide(t, n, spec.DeadlockFreedom).Verdict
			if s == spec.StoreAndForward {
				got.Packets, got.PacketsBlock = verdict, packetsCanBlock(n)
			} else {
				got.Worms, got.WormsBlock = verdict, wormsCanBlock(n)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestUnknownNamesItsCandidate: without exploring, swap is undecided with whole packets.
func TestUnknownNamesItsCandidate(t *testing.T) {
	n := gadgetNetwork(t, "swap", spec.StoreAndForward)
	report, err := checker.Check(t.Context(), n, checker.Question{Properties: []string{"deadlock-freedom"}, Explore: checker.Never})
	if err != nil {
		t.Fatal(err)
	}
	if r := report.Findings[0]; r.Verdict != spec.Unknown || len(r.Candidate) == 0 {
		t.Errorf("verdict %s with %d candidate channels, want unknown with some", r.Verdict, len(r.Candidate))
	}
}

func gadgetNetwork(t *testing.T, name string, s spec.Switching) *spec.Network {
	t.Helper()
	def, err := gadget.Wormhole(name)
	if err != nil {
		t.Fatal(err)
	}
	def.Switching = s
	return routingtest.Compile(t, def)
}
