//go:build unix

package explore_test

import (
	"reflect"
	"slices"
	"syscall"
	"testing"

	"github.com/seed-105a2da2/unknot/checker/export"
	"github.com/seed-105a2da2/unknot/checker/internal/compiled"
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

// traffic is that of all flows, or of those to some nodes.
func (x subject) traffic(b *testing.B, to ...string) *states.Traffic {
	n := modeltest.Network(b, x.model, x.set, func(def *routing.Definition) {
		if def.Buffer = max(1, x.buffer); x.sc.Flits() {
			def.Switching = spec.Wormhole
		}
		if len(to) > 0 {
			def.Flows = func(_, dst spec.NodeID, _ spec.Class) bool { return slices.Contains(to, def.Topology.Node(dst).Name) }
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
			w, err := explore.Traffic(b.Context(), x.traffic(b), explore.Reductions{})
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

// BenchmarkTraffic explores networks with the machine of package packets and, as a program, with that of package
// compiled, prepares each time, and compares what they count.
func BenchmarkTraffic(b *testing.B) {
	crossing := set{"k": "3", "routing": "crossing"}
	for _, x := range []struct {
		subject
		to   []string
		most int64
	}{
		{subject{"torus 3x3", "torus", crossing, 1, spec.Scenario{}}, []string{"(0,0)", "(0,1)", "(1,1)"}, 0},
		{subject{"torus 3x3, four", "torus", crossing, 1, spec.Scenario{Packets: 6}}, []string{"(0,0)", "(0,1)", "(1,1)", "(2,2)"}, 0},
		{subject{"ring of 8, dateline", "ring", set{"n": "8", "variant": "dateline"}, 1, spec.Scenario{Packets: 5}}, nil, 0},
		{subject{"star-channel 3x3", "star-channel", set{"k": "3"}, 1, spec.Scenario{Packets: 5}}, []string{"(0,0)", "(1,1)"}, 0},
		{subject{"adaptive mesh 4x4", "mesh", set{"k": "4", "routing": "adaptive"}, 1, spec.Scenario{}}, nil, 1_000_000},
		{subject{"adaptive mesh 8x8", "mesh", set{"k": "8", "routing": "adaptive"}, 1, spec.Scenario{}}, nil, 50_000},
	} {
		t := x.traffic(b, x.to...)
		var counts []walk.Result
		for _, engine := range []string{"packets", "program"} {
			b.Run(x.name+"/"+engine, func(b *testing.B) {
				var r *walk.Result
				seconds := 0.0
				for b.Loop() {
					began := cpu(b)
					w, err := explore.Traffic(b.Context(), t, explore.Reductions{})
					if err == nil && engine == "program" {
						w.Machine, err = asProgram(t)
					}
					if err != nil {
						b.Fatal(err)
					}
					prepared := cpu(b) - began
					space, found, walked := timed(b, w, x.most)
					space.Release()
					r, seconds = found, seconds+prepared+walked
				}
				b.ReportMetric(seconds/float64(b.N), "cpu-s")
				counts = append(counts, walk.Result{States: r.States, Transitions: r.Transitions, Levels: r.Levels, Flagged: r.Flagged, First: r.First})
			})
		}
		if len(counts) == 2 && !reflect.DeepEqual(counts[0], counts[1]) {
			b.Errorf("%s: packets count %+v, the program %+v", x.name, counts[0], counts[1])
		}
	}
}

// asProgram returns the machine of a network's traffic as a compiled program.
func asProgram(t *states.Traffic) (walk.Machine, error) {
	p, err := export.Network(t.Network(), t.Scenario())
	if err != nil {
		return nil, err
	}
	m, err := p.Machine()
	if err != nil {
		return nil, err
	}
	return compiled.New(m), nil
}

// timed explores with one worker, and reports how long that took.
func timed(b *testing.B, w *explore.Walk, most int64) (*walk.Space, *walk.Result, float64) {
	began := cpu(b)
	space, r, err := walk.Explore(b.Context(), w.Machine,
		walk.Options{Workers: 1, MaxStates: most, Inspect: w.Inspect, Judge: w.Judge, Free: w.Free, Sleep: w.Sleep})
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
			plain, err := explore.Traffic(b.Context(), t, explore.Reductions{})
			if err != nil {
				b.Fatal(err)
			}
			modulo, err := explore.Traffic(b.Context(), t, explore.Reductions{Symmetry: true})
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
