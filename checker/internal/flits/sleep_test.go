package flits_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker/internal/flits"
	"github.com/seed-105a2da2/unknot/checker/internal/walk"
	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// TestSleep: leaving out injections that sleep, a walk finds the same states in the same order with
// the same parents, and counts the same steps and conditions, with one worker and two, after a
// checkpoint, and with sleep sets of several words.
func TestSleep(t *testing.T) {
	var left atomic.Int64
	bounded, shared, wide, cut := 0, 0, 0, 0
	save := filepath.Join(t.TempDir(), "checkpoint")
	seedtest.Sample(t, 30)
	rapid.Check(t, func(rt *rapid.T) {
		def := netgen.Definition(rt, netgen.Options{Nodes: 4, Channels: 8, Tags: 2, MayFail: rapid.Bool().Draw(rt, "may fail")})
		if rapid.IntRange(0, 3).Draw(rt, "wide") == 0 {
			topo := netgen.Topology(rt, netgen.TopologyOptions{Nodes: 9, VCs: 4, Shapes: []netgen.Shape{netgen.Torus, netgen.Dragonfly}})
			def = routing.Definition{Name: "wide", Topology: topo, Tags: 1, Routing: netgen.Minimal(topo, netgen.AnyVC)}
		}
		def.Switching, def.Buffer = spec.Wormhole, rapid.IntRange(1, 6).Draw(rt, "buffer")
		n := routingtest.Compile(rt, def)
		if n.Tables() == 0 {
			rt.Skip("no traffic")
		}
		sc := netgen.Flits(rt, n)
		ref, err := states.NewTraffic(n, sc)
		if err != nil {
			rt.Fatal(err)
		}
		m, err := flits.New(rt.Context(), ref)
		if err != nil {
			rt.Fatal(err)
		}
		sleep := m.Sleep()
		steps := sleep.Steps
		sleep.Steps = func(dst []uint64, kinds []uint32, taken []bool, notes, s, asleep []uint64) ([]uint64, []uint32, int, error) {
			dst, kinds, n, err := steps(dst, kinds, taken, notes, s, asleep)
			left.Add(int64(n)) // two workers
			return dst, kinds, n, err
		}
		opt := walk.Options{Workers: 1, MaxStates: 1000}
		if sleep.Words > 2 {
			opt.MaxStates = 100 // has many successors each
			wide++
		}
		plain, want := opt, walked(rt, m, opt)
		opt.Sleep, opt.Workers = sleep, rapid.IntRange(1, 2).Draw(rt, "workers")
		if diff := cmp.Diff(want, walked(rt, m, opt)); diff != "" {
			rt.Fatalf("under %s: -whole +without those that sleep:\n%s", ref.Scenario(), diff)
		}
		if len(want) > 10 && rapid.IntRange(0, 3).Draw(rt, "cut") == 0 {
			var behind [2][]string // where a walk is cut depends on where it was before
			for i, opt := range []walk.Options{plain, opt} {
				before := opt
				before.MaxStates, before.Checkpoint.Save = int64(len(want)/2), save
				walked(rt, m, before)
				opt.Checkpoint.Resume = save
				behind[i] = walked(rt, m, opt)
			}
			if diff := cmp.Diff(behind[0], behind[1]); diff != "" {
				rt.Fatalf("under %s: -whole +from a checkpoint on:\n%s", ref.Scenario(), diff)
			}
			cut++
		}
		if sc.Packets > 0 {
			bounded++
		}
		if sc.Shared {
			shared++
		}
	})
	if seedtest.Usual() && (left.Load() < 5_000 || min(bounded, shared, wide, cut) == 0) {
		t.Errorf("%d steps were left out, of %d bounded, %d shared and %d wide networks, %d times from a checkpoint on: want more",
			left.Load(), bounded, shared, wide, cut)
	}
}

// walked lists everything a walk finds, one line for each state in the order of discovery.
func walked(t *rapid.T, m *flits.Machine, opt walk.Options) (all []string) {
	opt.Inspect = func(s []uint64, successors int) walk.Flags {
		c := m.Inspect(s)
		flags := walk.Flags(successors) << 4
		for i, is := range []bool{c.Empty, c.Stuck, c.Moves, c.Lost} {
			if is {
				flags |= 1 << i
			}
		}
		return flags
	}
	space, r, err := walk.Explore(t.Context(), m, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer space.Release()
	all = append(all, fmt.Sprint(r.Reason, r.States, r.Expanded, r.Transitions, r.Levels, r.Widest, r.Flagged, r.First))
	space.EachNumbered(func(id walk.ID, s []uint64) bool {
		chain, err := space.Chain(id)
		all = append(all, fmt.Sprint(id, slices.Clone(s), chain, err))
		return true
	})
	return all
}
