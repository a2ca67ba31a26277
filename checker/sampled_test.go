package checker_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// TestSampled: orbits of Fetch&Add of five requesters take longer than the 12 states that one stands for (.ci/benchmarks.md,
// Symmetry), so with Symmetry all states are explored, with the verdict and evidence of a walk without, and the reason
// says so. With NoSample one state of each orbit is. Those of Peterson's algorithm pay.
func TestSampled(t *testing.T) {
	ask := func(model string, set map[string]string, q checker.Question) (*checker.Result, string) {
		t.Helper()
		e, _ := models.Find(model)
		m, err := e.Machine(set)
		if err != nil {
			t.Fatal(err)
		}
		q.Properties = []string{"deadlock-freedom"}
		x := explore(t, m, q)
		return x, x.Findings[0].Because.String()
	}
	const told = "without symmetry reduction: by a sample"
	fetchAdd := map[string]string{"requesters": "5", "fan-out": "3"}
	plain, _ := ask("fetch-add", fetchAdd, checker.Question{})
	sampled, why := ask("fetch-add", fetchAdd, checker.Question{Symmetry: true})
	if sampled.States != plain.States || sampled.Transitions != plain.Transitions || len(sampled.Reduced) > 0 ||
		sampled.Findings[0].Verdict != plain.Findings[0].Verdict || !strings.Contains(why, told) {
		t.Errorf("%d states and %d transitions, %q; without symmetries %d and %d", sampled.States, sampled.Transitions, why,
			plain.States, plain.Transitions)
	}
	if forced, why := ask("fetch-add", fetchAdd, checker.Question{Symmetry: true, NoSample: true}); forced.States*10 > plain.States ||
		strings.Contains(why, told) || len(forced.Reduced) == 0 {
		t.Errorf("NoSample: %d of %d states, %q", forced.States, plain.States, why)
	}
	if x, why := ask("peterson", map[string]string{"n": "5"}, checker.Question{Symmetry: true}); strings.Contains(why, told) || len(x.Reduced) == 0 {
		t.Errorf("Peterson 5: %d states, %q", x.States, why)
	}
}

// TestSampleOfIdentity: on a line on which A alone sends, nothing can be exchanged, so all states are explored, with their
// evidence, unless orbits are insisted on.
func TestSampleOfIdentity(t *testing.T) {
	const a, c = spec.NodeID(0), spec.NodeID(2)
	route := func(list []spec.Hop, here spec.ChannelID, _ spec.Header) []spec.Hop {
		next := map[spec.ChannelID]spec.ChannelID{spec.Injection(a): 0, 0: 2, 2: spec.Eject}
		return append(list, spec.Hop{Channel: next[here]})
	}
	line := trafficOf(t, lineOf(t, [][2]spec.NodeID{{a, c}}, spec.StoreAndForward, route), spec.Scenario{})
	for _, forced := range []bool{false, true} {
		x := explore(t, line, checker.Question{Symmetry: true, NoSample: forced, Explore: checker.Whole})
		if got := len(x.Reduced) > 0; got != forced {
			t.Errorf("NoSample %v: reduced %v", forced, got)
		}
	}
}

// TestSampleInterrupted: where the context ends in a sample, nothing is decided, and the reason says so.
func TestSampleInterrupted(t *testing.T) {
	e, _ := models.Find("fetch-add")
	m, err := e.Machine(map[string]string{"requesters": "5", "fan-out": "3"})
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range []checker.Question{{Symmetry: true}, {Symmetry: true, NoSample: true}, {PartialOrder: true}} {
		whole := newFuse(t, 0)
		ask := q
		ask.MaxStates = 1
		if _, err := checker.Explore(whole, m, ask); err != nil {
			t.Fatal(err)
		}
		for after := int64(1); after < whole.looks.Load(); after *= 4 {
			x, err := checker.Explore(newFuse(t, after), m, q)
			if err != nil {
				t.Fatalf("%+v, after %d looks: %v", q, after, err)
			}
			for _, f := range x.Findings {
				if f.Verdict != spec.Unknown || !strings.Contains(f.Because.String(), "interrupted") {
					t.Errorf("%+v, after %d looks: %s %v: %s", q, after, f.Property, f.Verdict, f.Because)
				}
			}
		}
	}
}

// TestSampleOutOfMemory: where memory ends a walk of all states, as a sample left orbits out, the reason names the option
// that keeps those, and with it the same memory is enough. It does not where nobody asked for orbits, or time was up.
func TestSampleOutOfMemory(t *testing.T) {
	e, _ := models.Find("fetch-add")
	m, err := e.Machine(map[string]string{"requesters": "5", "fan-out": "3"})
	if err != nil {
		t.Fatal(err)
	}
	const names = "--no-sample"
	memory, second := &routing.BudgetError{Memory: 1 << 20}, &routing.BudgetError{Time: time.Second}
	small := checker.Question{Symmetry: true, Memory: 48 << 20}
	for _, tt := range []struct {
		q     checker.Question
		up    error // what ends the context
		says  string
		names bool
	}{
		{small, nil, "out of memory", true},
		{checker.Question{Memory: small.Memory}, nil, "out of memory", false},
		{checker.Question{Symmetry: true}, memory, memory.Error(), true},
		{checker.Question{Symmetry: true}, second, second.Error(), false},
		{checker.Question{Symmetry: true, MaxStates: 20_000}, nil, "the limit of 20000 states", false},
	} {
		ctx, end := context.WithCancelCause(t.Context())
		if tt.up != nil {
			tt.q.Exploring = func(states.Progress) { end(tt.up) }
		}
		x, err := checker.Explore(ctx, m, tt.q)
		if end(nil); err != nil {
			t.Fatal(err)
		}
		if why := x.Ended.String(); !strings.HasPrefix(why, tt.says) || strings.Contains(why, names) != tt.names {
			t.Errorf("symmetry %v, memory %d, %v: %s", tt.q.Symmetry, tt.q.Memory, tt.up, why)
		}
	}
	small.NoSample = true
	if x := explore(t, m, small); !x.Complete {
		t.Errorf("%s: %s", names, x.Ended)
	}
}
