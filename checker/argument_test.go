package checker_test

import (
	"testing"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/spec"
)

// TestArgument: a verdict says what it rests on. Reasons: the dependencies of a one-way ring close a cycle, which packets
// can fill, so a trace; none of its hops leads a packet back, but no order of its channels falls along all paths; at a
// dateline the cycle is cut (Dally and Seitz 1987); starvation is a question about runs; what is undecided rests on nothing.
func TestArgument(t *testing.T) {
	type arguments = map[string]checker.Argument // by property
	dateline := map[string]string{"variant": "dateline"}
	for name, tt := range map[string]struct {
		set  map[string]string
		q    checker.Question
		want arguments
	}{
		"ring": {nil, checker.Question{}, arguments{
			"deadlock-freedom": checker.Replayed, "livelock-freedom": checker.LowerMeasure, "delivery": checker.AlwaysReachable,
		}},
		"dateline": {dateline, checker.Question{}, arguments{"deadlock-freedom": checker.AcyclicDependencies}},
		"states": {dateline, checker.Question{Scenario: spec.Scenario{Packets: 1}, Liveness: true},
			arguments{"starvation-freedom": checker.AllFairRuns}},
		"unknown": {nil, checker.Question{Explore: checker.Always, Liveness: true, MaxStates: 3},
			arguments{"starvation-freedom": checker.NoArgument}},
	} {
		r, err := checker.Check(t.Context(), ringOf(t, tt.set), tt.q)
		if err != nil {
			t.Fatal(err)
		}
		for property, want := range tt.want {
			if f := r.Of(property); f == nil || f.Argument != want {
				t.Errorf("%s: %s rests on %+v, want %s", name, property, f, want)
			}
		}
	}
}
