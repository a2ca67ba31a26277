package flits_test

import (
	"context"
	"testing"

	"github.com/seed-105a2da2/unknot/checker/internal/flits"
	"github.com/seed-105a2da2/unknot/checker/internal/packets"
	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// BenchmarkNext expands and inspects the first states of a breadth-first search,
// by the packed step and by the reference, for worms that shift as a whole and
// for flits that move one at a time in a mesh and a ring.
func BenchmarkNext(b *testing.B) {
	for _, x := range []struct {
		name, model string
		set         map[string]string
		buffer      int
		sc          spec.Scenario
	}{
		{"ring of 6, any length", "ring", map[string]string{"n": "6", "variant": "one-way"}, 1, spec.Scenario{Length: spec.AnyLength}},
		{"mesh 3x3, 3 flits, elastic", "mesh", nil, 1, spec.Scenario{Length: 3, Elastic: true}},
		{"mesh 3x3, 4 flits, buffers of 2, shared", "mesh", nil, 2, spec.Scenario{Length: 4, Shared: true}},
	} {
		e, ok := models.Find(x.model)
		if !ok {
			b.Fatal("no such model")
		}
		def, err := e.Define(x.set)
		if err != nil {
			b.Fatal(err)
		}
		def.Switching, def.Buffer = spec.Wormhole, x.buffer
		n := routingtest.Compile(b, def)
		ref, err := states.NewTraffic(n, x.sc)
		if err != nil {
			b.Fatal(err)
		}
		states := first(b, ref, 5000)
		words := ref.Layout().Words()
		fast, err := flits.New(context.Background(), ref)
		if err != nil {
			b.Fatal(err)
		}
		var dst []uint64
		run := func(name string, next func(dst, s []uint64) ([]uint64, error), inspect func(s []uint64)) {
			b.Run(x.name+"/"+name, func(b *testing.B) {
				steps := 0
				for i := 0; b.Loop(); i++ {
					s := states[i%len(states)]
					if dst, err = next(dst[:0], s); err != nil {
						b.Fatal(err)
					}
					inspect(s)
					steps += len(dst) / words
				}
				b.ReportMetric(float64(steps)/b.Elapsed().Seconds(), "steps/s")
			})
		}
		run("packed", fast.AppendSuccessors, func(s []uint64) { fast.Inspect(s) })
		condition := packets.ConditionOf(ref)
		run("reference", ref.AppendSuccessors, func(s []uint64) { condition(s) })
	}
}

// first returns the first states of a breadth-first search.
func first(b *testing.B, m *states.Traffic, most int) [][]uint64 {
	b.Helper()
	words := m.Layout().Words()
	seen := map[string]bool{}
	var states [][]uint64
	add := func(s []uint64) {
		if k := m.Layout().Text(s); !seen[k] && len(states) < most {
			seen[k] = true
			states = append(states, s)
		}
	}
	add(m.Start(nil))
	for i := 0; i < len(states) && len(states) < most; i++ {
		next, err := m.AppendSuccessors(nil, states[i])
		if err != nil {
			b.Fatal(err)
		}
		for at := 0; at < len(next); at += words {
			add(next[at : at+words])
		}
	}
	return states
}
