package checker_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// What is explored to settle a network leaves what it comes to, not a set that
// nobody asked for; and it stays small. W2 has 8 channels, each empty or with one
// of at most 2 headers in a few positions: fewer than 100,000 states are reached.
func TestSettlingStaysSmall(t *testing.T) {
	for name, most := range map[string]int64{"W1": 0, "W2": 100_000, "W5": 0} {
		r, err := checker.Decide(t.Context(), gadgetNetwork(t, name, spec.Wormhole), checker.Options{})
		if err != nil {
			t.Fatal(err)
		}
		explored := int64(0)
		if r.Space != nil {
			explored = r.States
		}
		f := r.Of("deadlock")
		_, isSet := f.Evidence.(evidence.ClosedSet)
		c, counted := f.Evidence.(evidence.Count)
		if explored > most || isSet || explored > 0 && (!counted || c.States != explored) {
			t.Errorf("%s: %d states explored, at most %d were expected; %d of them kept", name, explored, most, kept(f))
		}
	}
}

func kept(f *checker.Finding) int {
	if set, ok := f.Evidence.(evidence.ClosedSet); ok {
		return len(set.States)
	}
	return 0
}

// A signal ends settling within a second, in whatever phase it comes, and what is
// not decided then is unknown. The bound leaves room for a busy machine.
func TestSettlingHeedsTheContext(t *testing.T) {
	const generous = 10 * time.Second
	n := gadgetNetwork(t, "W2", spec.Wormhole)
	for _, after := range []time.Duration{0, time.Millisecond, 50 * time.Millisecond, 300 * time.Millisecond} {
		ctx, cancel := context.WithTimeout(t.Context(), after)
		begin := time.Now()
		r, err := checker.Decide(ctx, n, checker.Options{Settle: 10_000_000, Explore: checker.ExploreOptions{Closed: 10_000_000}})
		took := time.Since(begin) - after
		cancel()
		if err != nil {
			t.Fatalf("after %s: %v", after, err)
		}
		if len(r.Findings) != 3 || took > generous {
			t.Errorf("after %s: %d rows, %s later", after, len(r.Findings), took)
		}
		if f := r.Of("deadlock"); f.Verdict == spec.Unknown && f.Because == "" || f.Verdict == spec.Holds && f.Evidence == nil {
			t.Errorf("after %s: %s without a reason or evidence", after, f.Verdict)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r, err := checker.Decide(ctx, n, checker.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Findings {
		if f.Verdict != spec.Unknown || f.Because != "interrupted" {
			t.Errorf("%s: %s: %s", f.Property, f.Verdict, f.Because)
		}
	}
}

// What the tables decide is decided before anything is explored, so that a budget
// that exploring uses up takes no row with it.
func TestSettlingComesLast(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, err := checker.Decide(ctx, gadgetNetwork(t, "W2", spec.Wormhole), checker.Options{Progress: func(p routing.Progress) {
		if p.Stage == "exploring the candidate" {
			cancel()
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range r.Findings {
		got = append(got, f.Property+" "+f.Verdict.String())
	}
	if diff := cmp.Diff([]string{"deadlock unknown", "livelock holds", "delivery holds"}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
