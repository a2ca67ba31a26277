package simulate

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/models/modeltest"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// TestRegions: however routers are grouped, and even if some are ahead of others, a run moves the same flits in the same clocks and
// measures the same, byte for byte. So it does if flits behind their head are sent like all others, as they are when moves are recorded,
// and if arbiters rank all packets equally.
func TestRegions(t *testing.T) {
	type move struct {
		clock  int32
		packet int64
		spec.Move
	}
	compared, blocks := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		n := drawnNetwork(rt, rapid.Bool().Draw(rt, "may fail"))
		o := drawnOptions(rt, n)
		o.Clocks *= 2
		if rapid.Bool().Draw(rt, "long delays") {
			o.Delays.Link, o.Delays.Credit = rapid.IntRange(4, 14).Draw(rt, "link"), rapid.IntRange(1, 20).Draw(rt, "credit")
		}
		if name := rapid.SampledFrom(Functions).Draw(rt, "function").Name; name != "zigzag" {
			o.Select, _ = Function(name)
		}
		if rapid.Bool().Draw(rt, "closed loop") {
			o.Window = 2
		}
		var runs [2]map[move]bool
		var results [4]string
		failed := false // with one of several faults of a clock
		regions := rapid.IntRange(1, 3).Draw(rt, "in regions of")
		for i, within := range []int{regions, 32, regions, 32} {
			o.within = within
			e, err := newEngine(n, o)
			if err != nil {
				return
			}
			if i == 1 {
				e.ranked = true
			}
			if i >= 2 { // several clocks at a time, in which moves are in another order
				if err := e.run(context.Background(), o.Clocks, func() bool { return false }); err != nil {
					results[i] = err.Error()
					continue
				}
			} else {
				moves := map[move]bool{}
				e.record = func(packet int64, m spec.Move) { moves[move{e.now, packet, m}] = true }
				for range e.o.Clocks {
					if e.clock(); e.fault != nil || e.finished() {
						break
					}
				}
				runs[i] = moves
				compared += len(moves)
				if failed = e.fault != nil; failed {
					results[i] = e.fault.Error()
					continue
				}
			}
			text, err := json.Marshal(e.result())
			if err != nil {
				rt.Fatal(err)
			}
			results[i] = string(text)
			blocks += int(min(e.span, 2) - 1)
		}
		if diff := cmp.Diff(runs[1], runs[0]); diff != "" {
			rt.Fatalf("moves (-one +regions):\n%s", diff)
		}
		if diff := cmp.Diff(results[1], results[0]); diff != "" && !failed {
			rt.Fatalf("results (-one +regions):\n%s", diff)
		}
		if diff := cmp.Diff(results[0], results[2]); diff != "" {
			rt.Fatalf("results (-clock by clock +blocks):\n%s", diff)
		}
		if diff := cmp.Diff(results[1], results[3]); diff != "" && !failed {
			rt.Fatalf("results (-one by one +streams):\n%s", diff)
		}
	})
	if seedtest.Usual() && (compared < 1_000 || blocks < 10) {
		t.Errorf("only %d moves, and %d runs in blocks", compared, blocks)
	}
}

// TestRegionsOfANetwork: the same for networks at saturation, and up to a deadlock.
func TestRegionsOfANetwork(t *testing.T) {
	for name, n := range map[string]*spec.Network{
		"mesh":   dimensionOrder(t, 5, 3, 4, false, spec.Wormhole, nil),
		"torus":  dimensionOrder(t, 4, 2, 4, true, spec.VirtualCutThrough, nil),
		"cycles": modeltest.Network(t, "star-channel", map[string]string{"k": "4", "n": "2", "ch": "never"}),
	} {
		ccb, _ := Function("ccb")
		for _, o := range []Options{
			{Load: 0.3, Lengths: flits(8), Injectors: 2, Delays: FiveStages(), Shared: true},
			{Load: 1, Lengths: []Length{{1, 1}, {9, 1}}, Injectors: 4, Select: ccb},
		} {
			o.Clocks, o.Seed = 3000, 1
			var results [2]string
			for i, within := range []int{3, 32} {
				o.within = within
				r, err := Run(context.Background(), n, o)
				if err != nil {
					t.Fatal(err)
				}
				text, err := json.Marshal(r)
				if err != nil {
					t.Fatal(err)
				}
				if results[i] = string(text); r.Deadlock != nil {
					results[i] += fmt.Sprint(r.Deadlock.Trace.Stuck, len(r.Deadlock.Trace.Moves)) // in a clock in any order
				}
			}
			if results[1] != results[0] {
				t.Errorf("%s: %s", name, cmp.Diff(results[1], results[0]))
			}
		}
	}
}
