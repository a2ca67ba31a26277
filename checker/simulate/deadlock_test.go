package simulate

import (
	"context"
	"errors"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/models/modeltest"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// TestDeadlocksAreViolations: what the checker proves free never ends in a deadlock, under any load; if a
// run does, its trace replays (Run refuses one that does not). The proof is about channels that belong to
// one packet, so no VC is shared.
func TestDeadlocksAreViolations(t *testing.T) {
	free, deadlocks := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		n := drawnNetwork(rt, false)
		o := drawnOptions(rt, n)
		o.Shared, o.Clocks = false, 4*patience
		r, err := Run(context.Background(), n, o)
		if err != nil {
			return
		}
		decided, err := checker.Check(context.Background(), n, checker.Question{Properties: []string{"deadlock-freedom"}, Workers: 1, MaxStates: 5000})
		if err != nil {
			rt.Fatal(err)
		}
		switch verdict := decided.Findings[0].Verdict; {
		case r.Deadlock != nil && verdict == spec.Holds:
			rt.Fatalf("a deadlock in clock %d of a network that is proved free", r.Deadlock.Clock)
		case r.Deadlock != nil:
			deadlocks++
		case verdict == spec.Holds:
			free++
		}
	})
	if seedtest.Usual() && (free == 0 || deadlocks == 0) {
		t.Errorf("only %d networks were proved free, and %d runs ended in a deadlock", free, deadlocks)
	}
}

// TestStarChannel: as published, *-channel never deadlocks, however overloaded; without CH, its escape has no
// path past the wrap-around links, and it does.
func TestStarChannel(t *testing.T) {
	o := Options{Load: 1, Lengths: flits(4), Injectors: 4, Clocks: 30_000, Warmup: 1000, Seed: 1}
	r := simulated(t, modeltest.Network(t, "star-channel", map[string]string{"k": "4", "n": "2"}), o)
	if r.Deadlock != nil || !r.Saturated || r.FlitHops < 100_000 {
		t.Errorf("as published: saturated %v, %d flit-hops, %+v", r.Saturated, r.FlitHops, r.Deadlock)
	}
	n := modeltest.Network(t, "star-channel", map[string]string{"k": "4", "n": "2", "ch": "never"})
	r = simulated(t, n, o)
	if r.Deadlock == nil {
		t.Fatalf("without CH: no deadlock in %d clocks", r.Clocks)
	}
	trace := r.Deadlock.Trace
	if err := counterexamples.Replay(context.Background(), n, trace); err != nil {
		t.Error(err)
	}
	if len(trace.Stuck) < 2 || r.Deadlock.Packets < 2 || r.Deadlock.Clock > r.Clocks {
		t.Errorf("%d stuck channels, %d packets in clock %d of %d", len(trace.Stuck), r.Deadlock.Packets, r.Deadlock.Clock, r.Clocks)
	}
}

// TestRingDeadlocks: a one-way ring with one VC deadlocks under each switching once every node's packets fill it,
// in all of its channels.
func TestRingDeadlocks(t *testing.T) {
	for _, s := range []spec.Switching{spec.Wormhole, spec.VirtualCutThrough, spec.StoreAndForward} {
		for _, lengths := range [][]Length{flits(9), {{2, 3}, {9, 1}}} {
			n := modeltest.Network(t, "ring", map[string]string{"n": "4"})
			n = routingtest.Compile(t, switched(n, s))
			r := simulated(t, n, Options{Load: 1, Lengths: lengths, Clocks: 20_000, Seed: 2})
			if r.Deadlock == nil {
				t.Errorf("%s, lengths %v: no deadlock", s, lengths)
			} else if stuck := len(r.Deadlock.Trace.Stuck); stuck != 4 {
				t.Errorf("%s, lengths %v: %d channels are stuck, want the ring's 4", s, lengths, stuck)
			}
		}
	}
}

// TestWhoEndedIt: a run that was ended says why.
func TestWhoEndedIt(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("the time is up")
	cancel(why)
	if _, err := Run(ctx, dimensionOrder(t, 2, 1, 1, false, spec.Wormhole, nil), Options{Load: 0.1, Lengths: flits(1), Clocks: 100}); !errors.Is(err, why) {
		t.Errorf("%v, want %v", err, why)
	}
}

// TestSeedOfADeadlock: for several runs the deadlock names the seed that led to it: run again, it deadlocks again.
func TestSeedOfADeadlock(t *testing.T) {
	n := modeltest.Network(t, "ring", map[string]string{"n": "4"})
	o := Options{Load: 0.09, Lengths: flits(8), Clocks: 1000, Seed: 1}
	points, err := Points(t.Context(), []Job{{Network: n, Options: o, Seeds: 20}}, 2, nil)
	if err != nil || points[0].Deadlock == nil {
		t.Fatalf("no deadlock: %v", err)
	}
	d := points[0].Deadlock
	o.Seed = d.Seed
	if again := simulated(t, n, o).Deadlock; again == nil || again.Clock != d.Clock {
		t.Errorf("seed %d: %+v, want %+v", d.Seed, again, d)
	}
}

// TestDeadlockAtTheEnd: if a deadlock has existed only since the last clock, its last head has not begun to wait.
func TestDeadlockAtTheEnd(t *testing.T) {
	n := modeltest.Network(t, "ring", map[string]string{"n": "3"})
	for clocks := 2; ; clocks++ {
		if r := simulated(t, n, Options{Load: 0.3, Lengths: flits(2), Clocks: clocks}); r.Deadlock != nil {
			if r.Deadlock.Clock < clocks-1 {
				t.Errorf("deadlock in clock %d, but after %d clocks there was none", r.Deadlock.Clock, clocks-1)
			}
			return
		}
	}
}
