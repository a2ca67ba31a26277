package checker_test

import (
	"testing"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/spec"
)

// TestArgument: a verdict says what it rests on. Reasons: a line has no cyclic dependency, and a ring has one, which
// buffers of whole packets fill; with a dateline the VCs are ranked again; what is not decided rests on nothing.
func TestArgument(t *testing.T) {
	type arguments = map[string]checker.Argument // by property
	dateline := map[string]string{"variant": "dateline"}
	for name, tt := range map[string]struct {
		set  map[string]string
		q    checker.Question
		want arguments
	}{
		"ring": {nil, checker.Question{}, arguments{
			"deadlock": checker.Replayed, "livelock": checker.LowerMeasure, "delivery": checker.AlwaysReachable,
		}},
		"dateline": {dateline, checker.Question{}, arguments{"deadlock": checker.AcyclicDependencies}},
		"states": {dateline, checker.Question{Scenario: spec.Scenario{Packets: 1}, Liveness: true},
			arguments{"starvation": checker.AllFairRuns}},
		"unknown": {nil, checker.Question{Always: true, Liveness: true, MaxStates: 3},
			arguments{"starvation": checker.NoArgument}},
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
