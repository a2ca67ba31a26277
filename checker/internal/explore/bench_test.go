//go:build unix

package explore_test

import (
	"syscall"
	"testing"

	"github.com/seed-105a2da2/unknot/checker/internal/explore"
	"github.com/seed-105a2da2/unknot/checker/internal/walk"
	"github.com/seed-105a2da2/unknot/models/modeltest"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// subject is a network of the catalogue under a scenario.
type subject struct {
	name, model string
	set         map[string]string
	buffer      int
	sc          spec.Scenario
}

type set = map[string]string

func (x subject) traffic(b *testing.B) *states.Traffic {
	n := modeltest.Network(b, x.model, x.set, func(def *routing.Definition) {
		if def.Buffer = max(1, x.buffer); x.sc.Flits() {
			def.Switching = spec.Wormhole
		}
	})
	t, err := states.NewTraffic(n, x.sc)
	if err != nil {
		b.Fatal(err)
	}
	return t
}

// BenchmarkFlits explores the first states of messages of flits, of every kind.
func BenchmarkFlits(b *testing.B) {
	for _, x := range []subject{
		{"W1, 2 flits", "gadget", set{"name": "W1"}, 1, spec.Scenario{Length: 2}},
		{"W2, 3 flits, elastic", "gadget", set{"name": "W2"}, 1, spec.Scenario{Length: 3, Elastic: true}},
		{"W2, any length", "gadget", set{"name": "W2"}, 1, spec.Scenario{Length: spec.AnyLength}},
		{"W5, 4 flits in 2, shared", "gadget", set{"name": "W5"}, 2, spec.Scenario{Length: 4, Shared: true}},
		{"swap, 3 flits in 3", "gadget", set{"name": "swap"}, 3, spec.Scenario{Length: 3, Shared: true}},
		{"pigeonholes 6, 5; 2 flits", "gadget", set{"name": "pigeonholes", "pigeons": "6", "holes": "5"}, 1, spec.Scenario{Length: 2}},
		{"one-way ring of 6, any length", "ring", set{"n": "6"}, 1, spec.Scenario{Length: spec.AnyLength}},
		{"ring of 5, dateline, 1 flit", "ring", set{"n": "5", "variant": "dateline"}, 1, spec.Scenario{Length: 1}},
		{"two-way ring of 4, 2 flits, sinks", "ring", set{"n": "4", "variant": "two-way"}, 1, spec.Scenario{Length: 2, Sink: 1}},
		{"two-way ring of 6, 4 flits, 6 packets", "ring", set{"n": "6", "variant": "two-way"}, 1, spec.Scenario{Length: 4, Packets: 6}},
		{"one-way ring of 5, 3 flits in 8, shared", "ring", set{"n": "5"}, 8, spec.Scenario{Length: 3, Shared: true}},
		{"mesh 3x3, 3 flits, elastic", "mesh", set{"k": "3"}, 1, spec.Scenario{Length: 3, Elastic: true}},
		{"mesh 4x4, 4 flits in 2, shared", "mesh", nil, 2, spec.Scenario{Length: 4, Shared: true}},
		{"mesh 4x4 adaptive, any length, 4 packets", "mesh", set{"routing": "adaptive"}, 1, spec.Scenario{Length: spec.AnyLength, Packets: 4}},
		{"torus 3x3, 2 flits", "torus", set{"k": "3"}, 1, spec.Scenario{Length: 2}},
		{"torus 4x4, 4 flits in 4, 3 packets", "torus", nil, 4, spec.Scenario{Length: 4, Packets: 3}},
	} {
		b.Run(x.name, func(b *testing.B) {
			w, err := explore.Traffic(b.Context(), x.traffic(b), false, false)
			if err != nil {
				b.Fatal(err)
			}
			states, steps, seconds := int64(0), int64(0), 0.0
			for b.Loop() {
				space, r, cpu := timed(b, w, 500_000)
				space.Release()
				states, steps, seconds = states+r.Expanded, steps+r.Transitions, seconds+cpu
			}
			b.ReportMetric(float64(steps)/seconds/1e6, "Msteps/cpu-s")
			b.ReportMetric(float64(states)/float64(b.N), "states")
			b.ReportMetric(float64(w.Layout().Bits()), "bits")
			b.ReportMetric(float64(steps)/float64(b.N), "steps")
		})
	}
}

// timed explores with one worker, and reports how long that took.
func timed(b *testing.B, w *explore.Walk, most int64) (*walk.Space, *walk.Result, float64) {
	began := cpu(b)
	space, r, err := walk.Explore(b.Context(), w.Machine, walk.Options{Workers: 1, MaxStates: most, Inspect: w.Inspect, Judge: w.Judge, Free: w.Free, Sleep: w.Sleep})
	if err != nil {
		b.Fatal(err)
	}
	return space, r, cpu(b) - began
}

// cpu returns the CPU seconds of all threads.
func cpu(b *testing.B) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

// BenchmarkOrbits explores networks modulo their symmetries, and reports how much longer
// exploring all states takes, and how many more those are.
func BenchmarkOrbits(b *testing.B) {
	for _, x := range []subject{
		{"two-way ring of 5", "ring", set{"n": "5", "variant": "two-way"}, 1, spec.Scenario{}},
		{"two-way ring of 6, 5 packets", "ring", set{"n": "6", "variant": "two-way"}, 1, spec.Scenario{Packets: 5}},
		{"two-way ring of 7, 4 packets", "ring", set{"n": "7", "variant": "two-way"}, 1, spec.Scenario{Packets: 4}},
		{"two-way ring of 8, 4 packets", "ring", set{"n": "8", "variant": "two-way"}, 1, spec.Scenario{Packets: 4}},
		{"one-way ring of 7", "ring", set{"n": "7"}, 1, spec.Scenario{}},
		{"torus 3x3, 3 packets", "torus", set{"k": "3"}, 1, spec.Scenario{Packets: 3}},
		{"hypercube of 3, 4 packets", "hypercube", set{"n": "3"}, 1, spec.Scenario{Packets: 4}},
	} {
		b.Run(x.name, func(b *testing.B) {
			t := x.traffic(b)
			plain, err := explore.Traffic(b.Context(), t, false, false)
			if err != nil {
				b.Fatal(err)
			}
			modulo, err := explore.Traffic(b.Context(), t, true, false)
			if err != nil {
				b.Fatal(err)
			}
			b.Log(modulo.Orbits.How())
			var all, orbits float64
			for b.Loop() {
				space, whole, cost := timed(b, plain, 0)
				space.Release()
				all += cost
				space, r, cost := timed(b, modulo, 0)
				space.Release()
				orbits += cost
				b.ReportMetric(float64(whole.States)/float64(r.States), "fewer-states")
				b.ReportMetric(float64(r.Transitions), "steps")
			}
			b.ReportMetric(all/orbits, "less-time")
		})
	}
}
