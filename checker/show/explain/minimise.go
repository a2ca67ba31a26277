// Package explain, internal to unknot, makes counterexamples small and explains them in words.
// Whatever it returns is replayed by package counterexamples, which does not depend on it.
package explain

import (
	"context"
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// Minimise returns a trace or run to a fault of the same kind that is 1-minimal: no single
// packet and no single move can be left out, and no channel of a stuck set. In a run with a
// loop, only the path to the loop becomes shorter. Packets of any length get a definite
// length, and with one flit fewer there is no deadlock; a given length is part of the question and stays.
// What is given must replay.
//
// Packets are dropped first, each with all its moves, then single moves; after each
// success it starts over (delta debugging, Zeller and Hildebrandt 2002, with the
// domain's own pieces). Every attempt is replayed, so time is quadratic in the moves
// for most traces. When ctx ends, it returns the smallest that has been replayed; the
// error is ctx's if none has.
func Minimise[E evidence.Evidence](ctx context.Context, e E) (E, error) {
	if err := e.Verify(ctx, evidence.Options{}); err != nil {
		return e, err
	}
	small := evidence.Evidence(e)
	switch e := small.(type) {
	case evidence.Trace:
		small = minimiseTrace(ctx, e)
	case evidence.Run:
		small = minimiseRun(ctx, e)
	default:
		return small.(E), fmt.Errorf("a %s has no steps", e.Kind())
	}
	return small.(E), nil
}

func minimiseTrace(ctx context.Context, t evidence.Trace) evidence.Trace {
	best, anyLength := shrinkStuck(ctx, t.Network, t.Trace), t.Trace.Scenario.Length == spec.AnyLength
	for {
		smaller := smallerTrace(ctx, t.Network, best)
		if smaller == nil && anyLength {
			smaller = shorterPackets(ctx, t.Network, best)
		}
		if smaller == nil {
			return evidence.Trace{Network: t.Network, Trace: best}
		}
		best = shrinkStuck(ctx, t.Network, smaller)
	}
}

func minimiseRun(ctx context.Context, r evidence.Run) evidence.Run {
	for i := 0; i < len(r.Steps) && ctx.Err() == nil; {
		s := *r.Run
		s.Steps = slices.Delete(slices.Clone(r.Steps), i, i+1)
		if r.Fault.Loops() && i < r.Back {
			s.Back--
		}
		if fewer := (evidence.Run{Machine: r.Machine, Run: &s}); fewer.Verify(ctx, evidence.Options{}) == nil {
			r, i = fewer, 0
		} else {
			i++
		}
	}
	return r
}

// smallerTrace returns a trace with one packet, one move or one round of a loop
// fewer, or nil if none still shows the fault.
func smallerTrace(ctx context.Context, n *spec.Network, t *counterexamples.Trace) *counterexamples.Trace {
	drop := packetsOf(ctx, n, t)
	for i := range slices.Backward(t.Moves) {
		drop = append(drop, []int{i})
	}
	for _, moves := range drop {
		if ctx.Err() != nil {
			return nil
		}
		if s := without(ctx, n, t, moves); s != nil {
			return s
		}
	}
	return shortcut(ctx, n, t)
}

// packetsOf returns the moves of each packet, in the order of injection, and each move of
// a sink by itself.
func packetsOf(ctx context.Context, n *spec.Network, t *counterexamples.Trace) [][]int {
	traffic, err := n.Traffic(t.Scenario)
	if err != nil {
		return nil
	}
	var packets [][]int
	at := map[int]int{} // by number
	k := Track(traffic)
	for i, m := range t.Moves {
		packet, _, err := k.Step(m)
		if err != nil || ctx.Err() != nil {
			return nil
		}
		p, known := at[packet]
		if !known || packet == 0 {
			p = len(packets)
			at[packet] = p
			packets = append(packets, nil)
		}
		packets[p] = append(packets[p], i)
	}
	return packets
}

// without returns the trace without some moves.
func without(ctx context.Context, n *spec.Network, t *counterexamples.Trace, drop []int) *counterexamples.Trace {
	s := *t
	s.Moves = nil
	for i, m := range t.Moves {
		if !slices.Contains(drop, i) {
			s.Moves = append(s.Moves, m)
		} else if i < t.Back {
			s.Back--
		}
	}
	return accepted(ctx, n, &s)
}

// shortcut leaves out a part of a single packet's path that begins and ends at
// one site.
func shortcut(ctx context.Context, n *spec.Network, t *counterexamples.Trace) *counterexamples.Trace {
	if !onePacket(t.Moves) {
		return nil
	}
	for length := len(t.Moves) - 1; length > 0 && ctx.Err() == nil; length-- {
		for i := 0; i+length < len(t.Moves); i++ {
			a, b := t.Moves[i], t.Moves[i+length]
			if a.From != b.From || a.Header != b.Header ||
				t.Fault == counterexamples.Loop && (i+length > t.Back && i < t.Back) {
				continue
			}
			s := *t
			s.Moves = slices.Concat(t.Moves[:i], t.Moves[i+length:])
			if t.Fault == counterexamples.Loop && i+length <= t.Back {
				s.Back -= length
			}
			if s := accepted(ctx, n, &s); s != nil {
				return s
			}
		}
	}
	return nil
}

// shorterPackets tries the same moves with packets one flit shorter or, if they have any
// length, with the shortest length that suffices for all, leaving out the moves of the
// missing flits.
func shorterPackets(ctx context.Context, n *spec.Network, t *counterexamples.Trace) *counterexamples.Trace {
	least, most := t.Scenario.Length-1, t.Scenario.Length-1
	if t.Scenario.Length == spec.AnyLength {
		least, most = 1, min(len(t.Moves), longestTried)
	}
	for length := max(least, 1); length <= most; length++ {
		s := *t
		s.Scenario.Length = length
		s.Moves = nil
		traffic, err := n.Traffic(s.Scenario)
		if err != nil {
			return nil
		}
		state := traffic.Empty()
		for _, m := range t.Moves {
			after, err := traffic.Step(state, m)
			if ctx.Err() != nil {
				return nil
			}
			if err != nil {
				continue
			}
			s.Moves, state = append(s.Moves, m), after
		}
		if s := accepted(ctx, n, &s); s != nil {
			return s
		}
	}
	return nil
}

// longestTried bounds the lengths tried for packets of any length.
const longestTried = 64

// accepted returns the trace, with the channels stuck at its end, if it still shows its
// fault.
func accepted(ctx context.Context, n *spec.Network, t *counterexamples.Trace) *counterexamples.Trace {
	if t.Fault == counterexamples.Deadlock {
		traffic, state, err := counterexamples.End(ctx, n, t)
		if err != nil {
			return nil
		}
		t.Stuck = states.Stuck(traffic, state)
	}
	if counterexamples.Replay(ctx, n, t) != nil {
		return nil
	}
	return t
}

// shrinkStuck makes the stuck set of a deadlock as small as leaving out single
// channels can.
func shrinkStuck(ctx context.Context, n *spec.Network, t *counterexamples.Trace) *counterexamples.Trace {
	if t.Fault != counterexamples.Deadlock {
		return t
	}
	traffic, state, err := counterexamples.End(ctx, n, t)
	if err != nil {
		return t
	}
	stuck := t.Stuck
	for i := 0; i < len(stuck) && ctx.Err() == nil; {
		if smaller := stuckWithin(ctx, traffic, state, slices.Delete(slices.Clone(stuck), i, i+1)); len(smaller) > 0 {
			stuck, i = smaller, 0
		} else {
			i++
		}
	}
	s := *t
	s.Stuck = stuck
	return &s
}

// stuckWithin returns the largest stuck set within an ascending set of channels; nil
// if ctx ends.
func stuckWithin(
	ctx context.Context, traffic *spec.Traffic, state spec.Occupancy, set []spec.ChannelID,
) []spec.ChannelID {
	has := func(c spec.ChannelID) bool {
		_, in := slices.BinarySearch(set, c)
		return in
	}
	for waiting := traffic.Waiting(state); ctx.Err() == nil; {
		rest := slices.DeleteFunc(slices.Clone(set), func(c spec.ChannelID) bool { return !waiting.Waits(c, has) })
		if len(rest) == len(set) {
			return set
		}
		set = rest
	}
	return nil
}

// onePacket reports whether all moves are of one packet that moves whole.
func onePacket(moves []spec.Move) bool {
	for i, m := range moves {
		if m.Kind != spec.Advance || m.From.IsInjection() != (i == 0) || i > 0 && m.From != moves[i-1].Hop.Channel {
			return false
		}
	}
	return true
}
