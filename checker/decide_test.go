package checker_test

import (
	"context"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

type fataler interface {
	Helper()
	Fatal(...any)
}

func decide(t fataler, n *spec.Network, p spec.Property) checker.Finding {
	t.Helper()
	return decideWithin(t, n, p, 0)
}

// decideWithin explores at most the given number of states to settle a candidate.
func decideWithin(t fataler, n *spec.Network, p spec.Property, states int64) checker.Finding {
	t.Helper()
	r, err := checker.Check(context.Background(), n, checker.Question{Properties: []string{p.String()}, Workers: 2, MaxStates: states})
	if err != nil {
		t.Fatal(err)
	}
	return r.Findings[0]
}

// TestPacketDeadlockEqualsBruteForce: the deletion fixpoint is exact, so "holds" must be
// the verdict exactly when no configuration blocks, unless exploration shows that those
// that do are out of reach; and what is called violated must be reachable by
// exploration.
func TestPacketDeadlockEqualsBruteForce(t *testing.T) {
	verdicts := map[spec.Verdict]int{}
	rapid.Check(t, func(rt *rapid.T) {
		n := netgen.Network(rt, netgen.Options{Nodes: 4, Channels: 8, Tags: 2, MayFail: true}, spec.StoreAndForward)
		r := decideWithin(rt, n, spec.DeadlockFreedom, 20_000)
		verdicts[r.Verdict]++
		if n.SiteCount() == 0 {
			return
		}
		if got, want := r.Verdict == spec.Holds && r.Method == checker.Static, !packetsCanBlock(n); got != want {
			rt.Fatalf("holds: got %v, want %v (%s)", got, want, r.Because)
		}
		if found, known := reachesDeadlock(n, spec.Scenario{}, 20000); known && (r.Verdict == spec.Violated && !found || r.Verdict == spec.Holds && found) {
			rt.Fatalf("%s, but exploration finds a deadlock: %v", r.Verdict, found)
		}
	})
	if seedtest.Usual() && (verdicts[spec.Holds] == 0 || verdicts[spec.Violated] == 0) {
		t.Errorf("the random networks test nothing: verdicts %v", verdicts)
	}
}

// TestWormDeadlockIsSound: "violated" may be the verdict only if some set of worms blocks,
// and "holds" only if none does, or if exploration of the plain reference machine never
// reaches one.
func TestWormDeadlockIsSound(t *testing.T) {
	verdicts := map[spec.Verdict]int{}
	rapid.Check(t, func(rt *rapid.T) {
		n := netgen.Network(rt, netgen.Options{Nodes: 4, Channels: 8, Tags: 1, MayFail: rapid.Bool().Draw(rt, "may fail")}, spec.Wormhole)
		r := decideWithin(rt, n, spec.DeadlockFreedom, 20_000)
		verdicts[r.Verdict]++
		if n.SiteCount() == 0 || r.Verdict == spec.Unknown {
			return
		}
		switch can := wormsCanBlock(n); {
		case r.Verdict == spec.Violated && !can, r.Verdict == spec.Holds && can && r.Method != checker.Explored:
			rt.Fatalf("%s, but worms can block: %v (%s)", r.Verdict, can, r.Because)
		case r.Method == checker.Explored && r.Verdict == spec.Holds:
			if found, known := reachesDeadlock(n, spec.Scenario{Length: spec.AnyLength}, 20000); known && found {
				rt.Fatalf("%s, but exploration finds a deadlock (%s)", r.Verdict, r.Because)
			}
		}
	})
	if seedtest.Usual() && (verdicts[spec.Holds] == 0 || verdicts[spec.Violated] == 0) {
		t.Errorf("the random networks test nothing: verdicts %v", verdicts)
	}
}
