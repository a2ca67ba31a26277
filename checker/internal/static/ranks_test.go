package static

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// TestRanksForMeasures: if ranks replace the measures of sites, verdicts and traces are the same,
// whether or not tables are stored in fragments; the certificates verify, and their bound is the same or, where the
// longest path is not looked for, no smaller.
func TestRanksForMeasures(t *testing.T) {
	ranked, bounded, traces, inFragments := 0, 0, 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		n := netgen.Network(rt, netgen.Options{Nodes: 5, Channels: 8, Tags: 2, MayFail: rapid.Bool().Draw(rt, "may fail")}, spec.Wormhole)
		of := [2]*spec.Network{n, n}
		if rapid.Bool().Draw(rt, "in fragments") {
			var err error
			if of[1], err = routing.Compile(t.Context(), routing.FromNetwork(n), routing.CompileOptions{Fragments: 1}); err != nil {
				rt.Fatal(err)
			}
		}
		measured := rapid.SampledFrom([]int{-1, 1 << 20}).Draw(rt, "measured")
		var decisions [2]*Decision
		for i := range decisions {
			var err error
			if decisions[i], err = New(t.Context(), of[i], Options{Workers: 1 + i, listed: []int{1 << 20, -1}[i], measured: measured}); err != nil {
				rt.Fatal(err)
			}
		}
		for _, p := range []spec.Property{spec.LivelockFreedom, spec.Delivery} {
			want, err := decisions[0].Decide(t.Context(), p)
			if err != nil {
				rt.Fatal(err)
			}
			got, err := decisions[1].Decide(t.Context(), p)
			if err != nil {
				rt.Fatal(err)
			}
			if violated, is := want.Evidence.(evidence.Trace); is {
				other, _ := got.Evidence.(evidence.Trace)
				if diff := cmp.Diff(violated.Trace, other.Trace); diff != "" {
					rt.Fatalf("%s: another trace by ranks (-want +got):\n%s", p, diff)
				}
				if decisions[1].ranks != nil {
					traces++
					inFragments += min(1, of[1].Fragments())
				}
			}
			c, certified := got.Evidence.(evidence.Certificate)
			switch {
			case want.Verdict != got.Verdict:
				rt.Fatalf("%s: %s, by ranks %s", p, want.Verdict, got.Verdict)
			case !certified || len(c.Certificate.Rank) == 0:
				if !want.Because.Equal(got.Because) || want.Longest != got.Longest {
					rt.Fatalf("%s: %s, by ranks %s", p, want.Because, got.Because)
				}
			default:
				ranked++
				if c.Certificate.Measure != nil {
					rt.Fatalf("%s: measures beside ranks", p)
				}
				if got.Bounded {
					bounded++
				}
				if got.Longest < want.Longest || got.Longest > want.Longest && !got.Bounded {
					rt.Fatalf("%s: at most %d hops (bounded: %t), by ranks %d", p, want.Longest, got.Bounded, got.Longest)
				}
			}
			if got.Evidence != nil {
				if err := got.Evidence.Verify(t.Context(), evidence.Options{}); err != nil {
					rt.Fatalf("%s: %v", p, err)
				}
			}
		}
	})
	if seedtest.Usual() && (ranked == bounded || bounded == 0 || traces == 0 || inFragments == 0) {
		t.Errorf("%d certificates were by ranks, %d of these bounded, %d traces compared, %d of networks in fragments", ranked, bounded, traces, inFragments)
	}
}
