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

// What static arguments decide is not explored, and what is explored to settle a network leaves a
// small set or counts. swap has 4 channels, each empty or with one of at most 2 headers: at most
// 3^4 states are reachable.
func TestSettlingStaysSmall(t *testing.T) {
	for name, most := range map[string]int64{"W1": 0, "W2": 0, "W5": 0, "swap": 81} {
		switching := spec.Wormhole
		if name == "swap" {
			switching = spec.StoreAndForward
		}
		r, err := checker.Check(t.Context(), gadgetNetwork(t, name, switching), checker.Question{})
		if err != nil {
			t.Fatal(err)
		}
		explored := int64(0)
		if r.Space != nil {
			explored = r.States
		}
		f := r.Of("deadlock-freedom")
		_, isSet := f.Evidence.(evidence.ClosedSet)
		c, counted := f.Evidence.(evidence.Count)
		if explored > most || explored > 0 && !isSet && (!counted || c.States != explored) {
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

// A signal ends settling within a second, whatever the phase, and what is undecided then is
// unknown. The bound leaves room for a busy machine.
func TestSettlingHeedsTheContext(t *testing.T) {
	const generous = 10 * time.Second
	n := gadgetNetwork(t, "swap", spec.StoreAndForward)
	for _, after := range []time.Duration{0, time.Millisecond, 50 * time.Millisecond, 300 * time.Millisecond} {
		ctx, cancel := context.WithTimeout(t.Context(), after)
		begin := time.Now()
		r, err := checker.Check(ctx, n, checker.Question{MaxStates: 10_000_000, Closed: 10_000_000})
		took := time.Since(begin) - after
		cancel()
		if err != nil {
			t.Fatalf("after %s: %v", after, err)
		}
		if len(r.Findings) != 3 || took > generous {
			t.Errorf("after %s: %d rows, %s later", after, len(r.Findings), took)
		}
		if f := r.Of("deadlock-freedom"); f.Verdict == spec.Unknown && f.Because.String() == "" || f.Verdict == spec.Holds && f.Evidence == nil {
			t.Errorf("after %s: %s without a reason or evidence", after, f.Verdict)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r, err := checker.Check(ctx, n, checker.Question{})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Findings {
		if f.Verdict != spec.Unknown || f.Because.String() != "interrupted" {
			t.Errorf("%s: %s: %s", f.Property, f.Verdict, f.Because)
		}
	}
}

// What the tables decide is decided before anything is explored, so an exploration that uses up
// the budget does not cost a row.
func TestSettlingComesLast(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, err := checker.Check(ctx, gadgetNetwork(t, "swap", spec.StoreAndForward), checker.Question{Progress: func(p routing.Progress) {
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
	if diff := cmp.Diff([]string{"deadlock-freedom unknown", "livelock-freedom violated", "delivery holds"}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
