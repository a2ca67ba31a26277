package checker_test

import (
	"testing"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/proofs/refutation"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// TestSmallestDeadlock: the deadlock shown is one of the fewest, and that fewer do not
// do is a finding with evidence.
func TestSmallestDeadlock(t *testing.T) {
	for _, tt := range []struct {
		model, set, value string
		switching         spec.Switching
		of                refutation.Unit
		want              int
		why               string
	}{
		{"ring", "n", "4", spec.StoreAndForward, refutation.Messages, 4, "each of the four channels of the cycle holds a packet of its own"},
		{"ring", "n", "4", spec.Wormhole, refutation.Messages, 2, "0->3 and 2->1 hold two channels each and wait for the other's; one message would have to go round, further than any flow does"},
		{"ring", "n", "4", spec.Wormhole, refutation.Channels, 4, "who waits for a channel of the cycle has the next one waited for, too, so all four are held"},
		{"gadget", "name", "W1", spec.Wormhole, refutation.Messages, 2, "a message waits for a channel of the other, and leaves its own"},
		{"gadget", "name", "W1", spec.Wormhole, refutation.Channels, 4, "with its head in e1 or e2 a message may go on to a sink, so each holds one more"},
	} {
		e, _ := models.Find(tt.model)
		def, err := e.Define(map[string]string{tt.set: tt.value})
		if err != nil {
			t.Fatal(err)
		}
		def.Switching = tt.switching
		n, err := routing.Compile(t.Context(), def, routing.CompileOptions{})
		if err != nil {
			t.Fatal(err)
		}
		r, err := checker.Check(t.Context(), n, checker.CheckOptions{Smallest: tt.of})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Findings) != 4 {
			t.Fatalf("%s: %d findings, want one more than the three properties", n.Name(), len(r.Findings))
		}
		trace, none := r.Findings[0].Trace(), r.Findings[1].Evidence.(evidence.Refutation)
		got := 0 // messages injected
		for _, m := range trace.Moves {
			if m.From.IsInjection() && m.Kind == spec.Advance {
				got++
			}
		}
		if tt.of == refutation.Channels {
			got = len(trace.Stuck)
		}
		if want := (refutation.Bound{Of: tt.of, Most: tt.want - 1}); got != tt.want || none.Bound != want || none.Shown().Property != r.Findings[1].Property {
			t.Errorf("%s, %s: a trace with %d %s, and %s; want %d, for %s", n.Name(), tt.switching, got, tt.of, r.Findings[1].Property, tt.want, tt.why)
		}
	}
}
