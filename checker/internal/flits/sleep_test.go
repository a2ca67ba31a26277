package flits_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker/internal/flits"
	"github.com/seed-105a2da2/unknot/checker/internal/statespace"
	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/fixedseed"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// TestSleep: with injections left out that sleep, a walk finds the same states in the same
// order with the same parents, and counts the same steps and conditions.
func TestSleep(t *testing.T) {
	left, bounded, shared := 0, 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		def := netgen.Definition(rt, netgen.Options{Nodes: 4, Channels: 8, Tags: 2, MayFail: rapid.Bool().Draw(rt, "may fail")})
		def.Switching, def.Buffer = spec.Wormhole, rapid.IntRange(1, 6).Draw(rt, "buffer")
		n, err := routing.Compile(rt.Context(), def, routing.CompileOptions{})
		if err != nil {
			rt.Fatal(err)
		}
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
		sleep.Steps = func(dst []uint64, kinds []uint32, taken []bool, s, asleep []uint64) ([]uint64, []uint32, int, error) {
			dst, kinds, n, err := steps(dst, kinds, taken, s, asleep)
			left += n
			return dst, kinds, n, err
		}
		opt := statespace.Options{Workers: 1, MaxStates: 1000}
		want := walked(rt, m, opt)
		opt.Sleep = sleep
		if diff := cmp.Diff(want, walked(rt, m, opt)); diff != "" {
			rt.Fatalf("under %s: -whole +without those that sleep:\n%s", ref.Scenario(), diff)
		}
		if sc.Packets > 0 {
			bounded++
		}
		if sc.Shared {
			shared++
		}
	})
	if fixedseed.Usual() && (left < 5_000 || bounded == 0 || shared == 0) {
		t.Errorf("%d steps were left out, of %d bounded and %d shared networks: want more", left, bounded, shared)
	}
}

// walked tells all that a walk finds, by one line for each state in the order of discovery.
func walked(t *rapid.T, m *flits.Machine, opt statespace.Options) (all []string) {
	opt.Inspect = func(s []uint64, successors int) statespace.Flags {
		c := m.Inspect(s)
		flags := statespace.Flags(successors) << 4
		for i, is := range []bool{c.Empty, c.Stuck, c.Moves, c.Lost} {
			if is {
				flags |= 1 << i
			}
		}
		return flags
	}
	space, r, err := statespace.Explore(t.Context(), m, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer space.Release()
	all = append(all, fmt.Sprint(r.Reason, r.States, r.Expanded, r.Transitions, r.Levels, r.Widest, r.Flagged, r.First))
	space.Each(func(id statespace.ID, s []uint64) bool {
		chain, err := space.Chain(id)
		all = append(all, fmt.Sprint(id, slices.Clone(s), chain, err))
		return true
	})
	return all
}
