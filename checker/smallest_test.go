package checker_test

import (
	"bytes"
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/models/modeltest"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/proofs/unsat"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/support/contexttest"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// TestSmallestDeadlock: the deadlock shown is one of the fewest, and a finding with evidence says
// that fewer do not suffice.
func TestSmallestDeadlock(t *testing.T) {
	for _, tt := range []struct {
		model, set, value string
		switching         spec.Switching
		of                checker.Size
		want              int
		why               string
	}{
		{"ring", "n", "4", spec.StoreAndForward, checker.FewestPackets, 4, "each of the four channels of the cycle holds a packet of its own"},
		{"ring", "n", "4", spec.Wormhole, checker.FewestPackets, 2,
			"0->3 and 2->1 hold two channels each and wait for the other's; one message would have to go round, further than any flow does"},
		{"ring", "n", "4", spec.Wormhole, checker.FewestChannels, 4,
			"a message that waits for a channel of the cycle holds one that another waits for, so all four are held"},
		{"gadget", "name", "W1", spec.Wormhole, checker.FewestPackets, 2, "a message waits for a channel of the other, and leaves its own"},
		{"ring", "n", "3", spec.VirtualCutThrough, checker.FewestPackets, 3, "as with whole packets stored"},
		{"gadget", "name", "W1", spec.Wormhole, checker.FewestChannels, 4, "with its head in e1 or e2 a message may go on to a sink, so each holds one more"},
	} {
		n := modeltest.Network(t, tt.model, map[string]string{tt.set: tt.value}, func(d *routing.Definition) { d.Switching = tt.switching })
		r, err := checker.Check(t.Context(), n, checker.Question{Smallest: tt.of})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Findings) != 4 {
			t.Fatalf("%s: %d findings, want one more than the three properties", n.Name(), len(r.Findings))
		}
		var notes []string // of all findings
		for _, f := range r.Findings {
			notes = append(notes, words.Written(f.Notes)...)
		}
		could := func(note string) bool { return strings.Contains(note, "would wait") }
		if !slices.Contains(notes, "no fewer can") || slices.ContainsFunc(notes, could) {
			t.Errorf("%s: %q of packets that do block each other: want that no fewer can, and of none that they could", n.Name(), notes)
		}
		trace, none := r.Findings[0].Trace(), r.Findings[1].Evidence.(evidence.Unsatisfiability)
		got := 0 // messages injected
		for _, m := range trace.Moves {
			if m.From.IsInjection() && m.Kind == spec.Advance {
				got++
			}
		}
		if tt.of == checker.FewestChannels {
			got = len(trace.Stuck)
		}
		if want := (unsat.Bound{Of: unsat.Unit(tt.of), Most: tt.want - 1}); got != tt.want || none.Bound != want ||
			none.Shown().Property != r.Findings[1].Property {
			t.Errorf("%s, %s: a trace with %d %s, and %s; want %d, for %s", n.Name(), tt.switching, got,
				unsat.Unit(tt.of), r.Findings[1].Property, tt.want, tt.why)
		}
	}
}

// TestSmallestInterrupted: whenever it is interrupted, it reports what was found and shown until
// then, with evidence that verifies. On a torus of 4x4 without CH the eight VCs of a ring
// are held.
func TestSmallestInterrupted(t *testing.T) {
	n := modeltest.Network(t, "star-channel", map[string]string{"k": "4", "ch": "never"}, func(d *routing.Definition) { d.Switching = spec.Wormhole })
	between := 0
	for looks := 1; ; looks += 1 + looks {
		ctx := contexttest.New(t.Context(), looks)
		r, err := checker.Check(ctx, n, checker.Question{Workers: 1, Smallest: checker.FewestChannels})
		if ctx.Left() >= 0 {
			break
		}
		if err != nil {
			continue // not even the digest is known
		}
		f, none := r.Findings[0], 0
		if f.Evidence == nil {
			continue // not even a deadlock is
		}
		if err := f.Evidence.Verify(t.Context(), evidence.Options{}); err != nil {
			t.Errorf("after %d looks: %v", looks, err)
		}
		if e, ok := r.Findings[1].Evidence.(evidence.Unsatisfiability); ok {
			none = e.Bound.Most
			if err := e.Verify(t.Context(), evidence.Options{}); err != nil {
				t.Errorf("after %d looks: %v", looks, err)
			}
		}
		want := "no fewer can"
		if best := len(f.Trace().Stuck); best > none+1 {
			want = fmt.Sprintf("the fewest are between %d and %s: interrupted", none+1, words.Plural(best, "channel"))
			between++
		}
		if !slices.Contains(words.Written(f.Notes), want) {
			t.Errorf("after %d looks: %q, want %q", looks, f.Notes, want)
		}
	}
	if between < 3 {
		t.Errorf("interrupted %d times while sizes were open: want 3", between)
	}
}

// TestSmallestEndsInTime: the end of time is seen while the formula is built, which takes seconds for large networks, and while the trace to
// the smallest deadlock is replayed; the evidence left is right.
func TestSmallestEndsInTime(t *testing.T) {
	n := modeltest.Network(t, "ring", map[string]string{"n": "4"}, func(d *routing.Definition) { d.Switching = spec.Wormhole })
	for _, in := range [][]string{
		{"counterexamples.End", "evidence.Trace.Verify", "static.(*Decision).Smallest"},
		{"wormhole.(*places).restrict", "wormhole.newSizedQuestion"},
		{"sat.(*Solver).Grow", "wormhole.newSizedQuestion"},
		{"deadline.Passed", "wormhole.newFormula", "wormhole.newSizedQuestion"},
	} {
		ctx := &endsIn{Context: t.Context(), in: in}
		r, err := checker.Check(ctx, n, checker.Question{Workers: 1, Smallest: checker.FewestPackets})
		if err != nil || !ctx.ended {
			t.Errorf("%s: ended %t, %v", in, ctx.ended, err)
			continue
		}
		f := r.Findings[0]
		if f.Verdict != spec.Violated || f.Evidence.Verify(t.Context(), evidence.Options{}) != nil || slices.Contains(words.Written(f.Notes), "no fewer can") {
			t.Errorf("%s: %s, %q", in, f.Verdict, f.Notes)
		}
	}
}

// endsIn is a context that ends when all of some functions ask together, called by each other.
type endsIn struct {
	context.Context
	in    []string
	ended bool
}

func (c *endsIn) Err() error {
	if stack := debug.Stack(); !c.ended {
		c.ended = !slices.ContainsFunc(c.in, func(f string) bool { return !bytes.Contains(stack, []byte(f+"(")) })
	}
	if c.ended {
		return context.Canceled
	}
	return nil
}

// TestSmallestInDeepBuffers: a packet that waits for a channel waits for all packets in it, so four
// channels of a ring with two places each hold eight.
func TestSmallestInDeepBuffers(t *testing.T) {
	for _, switching := range []spec.Switching{spec.StoreAndForward, spec.VirtualCutThrough} {
		n := modeltest.Network(t, "ring", map[string]string{"n": "4"}, func(d *routing.Definition) { d.Switching, d.Buffer = switching, 2 })
		r, err := checker.Check(t.Context(), n, checker.Question{Smallest: checker.FewestPackets})
		if err != nil {
			t.Fatal(err)
		}
		f, none := r.Findings[0], r.Findings[1]
		if f.Because.String() != "8 packets in 4 channels wait for each other and can never move" ||
			none.Property != "no deadlock of at most 3 channels" ||
			!slices.Contains(words.Written(f.Notes), "no fewer can") {
			t.Errorf("%s: %s, %s, %s", switching, f.Because, f.Notes, none.Property)
		}
	}
}
