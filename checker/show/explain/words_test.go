package explain_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/checker/show/explain"
	"github.com/seed-105a2da2/unknot/counterexamples/runs"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// TestLongTranscript: of many steps the first and the last ones are told.
func TestLongTranscript(t *testing.T) {
	p := program.New("count")
	x := p.Var("x", 1<<17)
	p.Rule("on", program.Lt(x, 1<<17-1), program.Set(x, program.Add(x, 1)))
	m, err := p.Machine()
	if err != nil {
		t.Fatal(err)
	}
	on := runs.Taken{Action: states.Action{Name: "on"}}
	run := evidence.Run{Machine: m, Run: &runs.Run{Machine: m.Name(), Property: "deadlock-freedom", Fault: runs.Halt,
		Steps: slices.Repeat([]runs.Taken{on}, 1<<17-1)}}
	if err := run.Verify(t.Context(), evidence.Options{}); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		changes bool
		want    []string
	}{
		{false, []string{"     1. on", "     2. on", "... 131066 steps left out", "131069. on", "131070. on", "131071. on", "no step is possible"}},
		{true, []string{"        -", "     1. on", "        x: 0 -> 1", "     2. on", "        x: 1 -> 2",
			"... 131066 steps left out", "131069. on", "        x: 131068 -> 131069", "131070. on",
			"        x: 131069 -> 131070", "131071. on", "        x: 131070 -> 131071", "no step is possible", "   in x=131071", "   on: x < 131071, where x=131071"}},
	} {
		if diff := cmp.Diff(tt.want, explain.Transcript(run, explain.Below(tt.changes), 5)); diff != "" {
			t.Errorf("changes=%t (-want +got):\n%s", tt.changes, diff)
		}
	}
	run.Steps = run.Steps[:5]
	if got := explain.Transcript(run, explain.StepsOnly, 5); len(got) != 6 {
		t.Errorf("of 5 steps: %q", got)
	}
}
