package checker_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/models/modeltest"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// leastDeadlock visits all states with the reference step, breadth first, and returns the moves to
// the first deadlock, and the fewest messages and channels of any; zeros if there is none. known
// is false if there are more than most states.
func leastDeadlock(t *states.Traffic, most int) (moves, messages, channels int, known bool) {
	seen := map[string]bool{}
	var level, next []spec.Occupancy
	visit := func(s spec.Occupancy) {
		if key := fmt.Sprintf("%v", s); !seen[key] {
			seen[key] = true
			next = append(next, s)
		}
	}
	visit(t.Empty())
	for depth := 0; len(next) > 0; depth++ {
		if len(seen) > most {
			return 0, 0, 0, false
		}
		level, next = next, nil
		for _, s := range level {
			if stuck := t.Stuck(s); len(stuck) > 0 {
				if moves == 0 {
					moves = depth
				}
				if channels == 0 || len(stuck) < channels {
					channels = len(stuck)
				}
				if m := messagesIn(s, stuck); messages == 0 || m < messages {
					messages = m
				}
			}
			for _, m := range t.Moves(s) {
				after, err := t.Step(s, m)
				if err != nil {
					panic(err)
				}
				visit(after)
			}
		}
	}
	return moves, messages, channels, true
}

// messagesIn counts the messages with their heads in some channels.
func messagesIn(s spec.Occupancy, channels []spec.ChannelID) (count int) {
	for _, c := range channels {
		for _, p := range s.Channels[c] {
			if !p.Left {
				count++
			}
		}
	}
	return count
}

// TestFewestAgreesWithAllStates: in every scenario, a deadlock is called smallest only if no state
// has a smaller one; otherwise the fewest lie within the stated bounds, whatever cuts the
// exploration short.
func TestFewestAgreesWithAllStates(t *testing.T) {
	told := map[string]int{}
	seedtest.Sample(t, 12)
	rapid.Check(t, func(rt *rapid.T) {
		switching := rapid.SampledFrom([]spec.Switching{spec.StoreAndForward, spec.VirtualCutThrough, spec.Wormhole, spec.Wormhole}).Draw(rt, "switching")
		o := netgen.Options{Nodes: 4, Channels: 6, Tags: 2, Ring: true, Sparse: true}
		var sc spec.Scenario
		if switching == spec.Wormhole {
			sc.Length = rapid.SampledFrom([]int{0, spec.AnyLength, 1, 2, 3}).Draw(rt, "length")
			if sc.Flits() {
				sc.Shared = rapid.Bool().Draw(rt, "shared")
				sc.Elastic = rapid.Bool().Draw(rt, "elastic")
			}
		} else {
			o.Buffer = 2
			sc.Sink = rapid.IntRange(0, 1).Draw(rt, "sink")
		}
		if rapid.IntRange(0, 3).Draw(rt, "bounded") == 0 {
			sc.Packets = rapid.IntRange(1, 4).Draw(rt, "packets")
		}
		n := netgen.Network(rt, o, switching)
		if n.FlowCount() == 0 {
			return
		}
		unit := rapid.SampledFrom([]string{"packets", "channels", "moves"}).Draw(rt, "unit")
		opt := checker.Question{Properties: []string{"deadlock-freedom"}, Scenario: sc, Workers: 1,
			Smallest:  map[string]checker.Size{"packets": checker.FewestPackets, "channels": checker.FewestChannels, "moves": checker.FewestMoves}[unit],
			MaxStates: rapid.SampledFrom([]int64{0, 0, 1, 5, 30}).Draw(rt, "most states")}
		meant := sc // the scenario that sizes refer to
		if switching == spec.Wormhole && !sc.Flits() && (unit == "moves" || sc.Packets == 0) {
			meant.Length = spec.AnyLength
		}
		traffic, err := states.NewTraffic(n, meant)
		if err != nil {
			return
		}
		moves, messages, channels, known := leastDeadlock(traffic, 2000)
		if !known {
			return
		}
		least := map[string]int{"packets": messages, "channels": channels, "moves": moves}[unit]
		r, err := checker.Check(context.Background(), n, opt)
		if err != nil {
			rt.Fatal(err)
		}
		for _, f := range r.Findings[1:] {
			var of string
			var most int
			if _, err := fmt.Sscanf(f.Property, "no deadlock of at most %d %s", &most, &of); err != nil ||
				f.Evidence.Verify(context.Background(), evidence.Options{Recount: true}) != nil {
				rt.Fatalf("%s: %v", f.Property, err)
			}
			if fewest := map[byte]int{'p': messages, 'c': channels}[of[0]]; fewest > 0 && fewest <= most {
				rt.Fatalf("%s, but one has %d", f.Property, fewest)
			}
		}
		f, notes := r.Findings[0], strings.Join(words.Written(r.Findings[0].Notes), "\n")
		low, high := 0, 0
		for _, note := range words.Written(f.Notes) {
			_, _ = fmt.Sscanf(note, "the fewest are between %d and %d", &low, &high)
			_, _ = fmt.Sscanf(note, "if there is a deadlock, it has at least %d", &low)
			_, _ = fmt.Sscanf(note, "if there is a deadlock, at least %d", &low)
		}
		size := 0
		if trace := f.Trace(); trace != nil {
			_, end, err := counterexamples.End(context.Background(), n, trace)
			if err != nil {
				rt.Fatal(err)
			}
			size = map[string]int{"packets": messagesIn(end, trace.Stuck), "channels": len(trace.Stuck), "moves": len(trace.Moves)}[unit]
		}
		switch {
		case f.Verdict == spec.Holds && least == 0:
			told["none"]++
		case f.Verdict == spec.Violated && strings.Contains(notes, "no fewer ") && size == least:
			told["smallest of "+unit]++
		case f.Verdict == spec.Violated && low <= least && least <= size && (high == size && low > 0):
			told["between"]++
		case f.Verdict == spec.Unknown && (least == 0 || low <= least):
			told["unknown"]++
		default:
			rt.Fatalf("%s, %s: %s with %d, least %d: %s\n%s", meant, unit, f.Verdict, size, least, f.Because, notes)
		}
	})
	t.Log(told)
	for _, what := range []string{"none", "smallest of packets", "smallest of channels", "smallest of moves"} {
		if seedtest.Usual() && told[what] == 0 {
			t.Errorf("%s: never", what)
		}
	}
}

// TestFewestWithinStates: on an adaptive mesh, four messages that each turn left block each other after
// four moves. Fewer cannot, as each waits for another's channel around a cycle of four. With shared channels
// no unsatisfiability proof says so, and a bounded exploration leaves a lower bound by its levels.
func TestFewestWithinStates(t *testing.T) {
	n := modeltest.Network(t, "mesh", map[string]string{"k": "3", "routing": "adaptive"}, func(d *routing.Definition) { d.Switching = spec.Wormhole })
	for _, tt := range []struct {
		sc   spec.Scenario
		most int64
		want string
	}{
		{spec.Scenario{}, 0, "no fewer moves lead to a deadlock: each channel of a deadlock takes one"},
		{spec.Scenario{Packets: 4}, 0, "no fewer moves lead to a deadlock: each channel of a deadlock takes one"},
		{spec.Scenario{Length: 3}, 1, "no fewer moves lead to a deadlock: each channel of a deadlock takes one"},
		{spec.Scenario{Length: 2, Shared: true}, 20_000, "the fewest are between 2 and 4 moves: the limit of 20000 states is reached"},
	} {
		r, err := checker.Check(t.Context(), n, checker.Question{Properties: []string{"deadlock-freedom"},
			Scenario: tt.sc, Smallest: checker.FewestMoves, MaxStates: tt.most})
		if err != nil {
			t.Fatal(err)
		}
		f := r.Findings[0]
		if f.Verdict != spec.Violated || len(f.Trace().Moves) != 4 || !slices.Contains(words.Written(f.Notes), tt.want) {
			t.Errorf("%s: %s, %s: %q", tt.sc, f.Verdict, f.Because, f.Notes)
		}
		length := tt.sc.Length // 0 in a scenario, as in one without Shortest: a message fits into one channel
		if tt.sc.Equal(spec.Scenario{}) {
			length = spec.AnyLength
		}
		if got := f.Trace().Scenario.Length; got != length {
			t.Errorf("%s: messages of length %d, want %d", tt.sc, got, length)
		}
	}
}
