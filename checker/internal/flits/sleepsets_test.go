package flits

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// TestSleepSets walks at random through networks of 60 to 150 channels, whose sleep sets take several
// words: which injections sleep is checked one by one against the comment in sleep.go.
func TestSleepSets(t *testing.T) {
	wide, left := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		topo := netgen.Topology(t, netgen.TopologyOptions{Nodes: 9, VCs: 4, Shapes: []netgen.Shape{netgen.Torus, netgen.Dragonfly}})
		def := routing.Definition{Name: "wide", Topology: topo, Tags: 1, Switching: spec.Wormhole, Buffer: 3, Routing: netgen.Minimal(topo, netgen.AnyVC)}
		n := routingtest.Compile(t, def)
		ref, err := states.NewTraffic(n, spec.Scenario{Length: rapid.IntRange(1, 2).Draw(t, "length"), Shared: rapid.Bool().Draw(t, "shared")})
		if err != nil {
			t.Fatal(err)
		}
		m, err := New(t.Context(), ref)
		if err != nil {
			t.Fatal(err)
		}
		sleep, words := m.Sleep(), ref.Layout().Words()
		if sleep.Words > 2 {
			wide++
		}
		s, asleep := m.Start(nil), make([]uint64, sleep.Words)
		sleeps, before := make([]bool, len(m.inject)), 0
		for range 20 {
			x := m.look(s)
			open := slices.Clone(x.open)
			m.scratch.Put(x)
			notes := make([]uint64, sleep.Notes)
			next, kinds, count, err := sleep.Steps(nil, nil, make([]bool, sleep.Kinds), notes, s, asleep)
			if err != nil {
				t.Fatal(err)
			}
			var awake []uint32
			for i, g := range m.gates {
				if possible := open[g[0]]&open[g[1]] == 1; possible && sleeps[i] {
					count--
					left++
				} else if possible {
					awake = append(awake, uint32(i)+1)
				}
			}
			if got := kinds[:min(len(awake), len(kinds))]; count != 0 || !slices.Equal(got, awake) ||
				len(kinds) > len(awake) && int(kinds[len(awake)]) <= len(m.inject) {
				t.Fatalf("injections %d are awake, %d too many asleep, want %d", kinds, count, awake)
			}
			if len(kinds) == 0 {
				return
			}
			k := rapid.IntRange(0, len(kinds)-1).Draw(t, "step")
			i, to := len(m.inject), int(kinds[k])-m.heads-1
			if int(kinds[k]) <= len(m.inject) {
				i, to = int(kinds[k])-1, int(m.inject[kinds[k]-1].to)
			}
			for a := range sleeps {
				into := int(m.inject[a].to)
				sleeps[a] = (sleeps[a] || i >= before && a < i) && into >= 0 && into != to && open[max(into, 0)] == 1
				if i >= before && a >= i {
					sleeps[a] = false
				}
			}
			before = max(before, i)
			after := make([]uint64, sleep.Words)
			sleep.After(after, notes, kinds[k])
			s, asleep = next[k*words:(k+1)*words], after
		}
	})
	if seedtest.Usual() && min(wide, left) == 0 {
		t.Errorf("%d networks with sets of several words, %d injections that slept: want some", wide, left)
	}
}
