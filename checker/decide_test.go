package checker_test

import (
	"context"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/internal/netgen"
	"github.com/seed-105a2da2/unknot/spec"
)

func decide(t interface {
	Helper()
	Fatal(...any)
}, n *spec.Network, p spec.Property) checker.Result {
	t.Helper()
	r, err := checker.Decide(context.Background(), n, checker.Options{Properties: []spec.Property{p}, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	return r.Results[0]
}

// TestPacketDeadlockEqualsBruteForce: the deletion fixpoint is exact, so "holds"
// must come out exactly when no configuration blocks, and what it calls
// violated must be reachable by exploration.
func TestPacketDeadlockEqualsBruteForce(t *testing.T) {
	verdicts := map[spec.Verdict]int{}
	rapid.Check(t, func(rt *rapid.T) {
		n := netgen.Network(rt, netgen.Options{Nodes: 4, Channels: 8, Tags: 2, MayFail: true}, spec.StoreAndForward)
		r := decide(rt, n, spec.Deadlock)
		verdicts[r.Verdict]++
		if n.SiteCount() == 0 {
			return
		}
		if got, want := r.Verdict == spec.Holds, !packetsCanBlock(n); got != want {
			rt.Fatalf("holds: got %v, want %v (%s)", got, want, r.Because)
		}
		if found, known := reachesDeadlock(n, 20000); known && (r.Verdict == spec.Violated && !found || r.Verdict == spec.Holds && found) {
			rt.Fatalf("%s, but exploration finds a deadlock: %v", r.Verdict, found)
		}
	})
	if verdicts[spec.Holds] == 0 || verdicts[spec.Violated] == 0 {
		t.Errorf("the random networks are no test: verdicts %v", verdicts)
	}
}

// TestWormDeadlockIsSound: "holds" must never be said when some set of worms
// blocks; "violated" only when one does.
func TestWormDeadlockIsSound(t *testing.T) {
	verdicts := map[spec.Verdict]int{}
	rapid.Check(t, func(rt *rapid.T) {
		n := netgen.Network(rt, netgen.Options{Nodes: 4, Channels: 8, Tags: 1, MayFail: rapid.Bool().Draw(rt, "may fail")}, spec.Wormhole)
		r := decide(rt, n, spec.Deadlock)
		verdicts[r.Verdict]++
		if n.SiteCount() == 0 || r.Verdict == spec.Unknown {
			return
		}
		if got, want := r.Verdict == spec.Violated, wormsCanBlock(n); got != want {
			rt.Fatalf("violated: got %v, want %v (%s)", got, want, r.Because)
		}
	})
	if verdicts[spec.Holds] == 0 || verdicts[spec.Violated] == 0 {
		t.Errorf("the random networks are no test: verdicts %v", verdicts)
	}
}
