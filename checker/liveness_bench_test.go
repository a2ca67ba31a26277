//go:build unix

package checker_test

import (
	"syscall"
	"testing"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
	"github.com/seed-105a2da2/unknot/spec/star"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// BenchmarkLiveness explores spaces with and without their responses, on one core, and reports
// how often the latter would have fitted into the CPU time of the former.
func BenchmarkLiveness(b *testing.B) {
	type set = map[string]string
	elastic, unbounded := spec.Scenario{Length: 3, Elastic: true}, spec.Scenario{Length: spec.AnyLength, Packets: 5}
	for _, x := range []struct {
		name, model string
		set         set
		buffer      int
		source      string // "": all
		scenario    spec.Scenario
	}{
		{"ring of 6, dateline", "ring", set{"n": "6", "variant": "dateline"}, 1, "", spec.Scenario{}},
		{"ring of 6, dateline, 6 packets", "ring", set{"n": "6", "variant": "dateline"}, 1, "", spec.Scenario{Packets: 6}},
		{"mesh 3x3, 3 packets", "mesh", set{"k": "3"}, 1, "", spec.Scenario{Packets: 3}},
		{"ring of 4, dateline, buffers of 2", "ring", set{"n": "4", "variant": "dateline"}, 2, "", spec.Scenario{}},
		{"W2, 3 flits, elastic", "gadget", set{"name": "W2"}, 1, "", elastic},
		{"W2, any length", "gadget", set{"name": "W2"}, 1, "", spec.Scenario{Length: spec.AnyLength}},
		{"mesh 2x2, any length, 5 packets", "mesh", set{"k": "2"}, 1, "", unbounded},
		{"mesh 3x3 from (1,1), 3 flits, elastic", "mesh", set{"k": "3"}, 1, "(1,1)", elastic},
		{"mesh 3x3 from (0,0), 3 flits, elastic", "mesh", set{"k": "3"}, 1, "(0,0)", elastic},
		{"ring of 5, dateline, 1 flit", "ring", set{"n": "5", "variant": "dateline"}, 1, "", spec.Scenario{Length: 1}},
		{"ring of 5, dateline, 3 flits, 5 packets", "ring", set{"n": "5", "variant": "dateline"}, 1, "", spec.Scenario{Length: 3, Packets: 5}},
	} {
		b.Run(x.name, func(b *testing.B) {
			e, _ := models.Find(x.model)
			def, err := e.Define(x.set)
			if err != nil {
				b.Fatal(err)
			}
			if def.Buffer = x.buffer; x.scenario.Flits() {
				def.Switching = spec.Wormhole
			}
			if from, ok := def.Topology.NodeNamed(x.source); ok {
				def.Flows = func(src, dst spec.NodeID, _ spec.Class) bool { return src == from && src != dst }
			}
			n := routingtest.Compile(b, def)
			m, err := states.NewTraffic(n, x.scenario)
			if err != nil {
				b.Fatal(err)
			}
			benchmarkLiveness(b, m)
		})
	}
	for _, n := range []string{"4", "5", "6"} {
		b.Run("Peterson "+n, func(b *testing.B) {
			if testing.Short() && n == "6" {
				b.Skip("-short: half a minute")
			}
			e, _ := models.Find("peterson")
			text := e.Text() + `eventually("the first gets in", lambda s: s.at[0] in ["claim", "yield", "wait"])`
			f, err := star.Load(b.Context(), "peterson.star", []byte(text), star.Options{Set: set{"n": n}})
			if err != nil {
				b.Fatal(err)
			}
			m, err := f.Program.Machine()
			if err != nil {
				b.Fatal(err)
			}
			benchmarkLiveness(b, m)
		})
	}
}

func benchmarkLiveness(b *testing.B, m states.Machine) {
	var spent [2]float64
	var x *checker.Result
	for b.Loop() {
		for i := range spent {
			began, err := cpuSeconds(b), error(nil)
			if x, err = checker.Explore(b.Context(), m, checker.Question{Workers: 1, Explore: checker.Whole, Liveness: i == 1}); err != nil {
				b.Fatal(err)
			}
			spent[i] += cpuSeconds(b) - began
		}
	}
	b.ReportMetric(spent[1]/spent[0], "liveness/exploring")
	b.ReportMetric(float64(x.Transitions), "steps")
	b.ReportMetric(float64(x.Peak)/float64(x.States), "B/state")
}

// cpuSeconds returns the CPU seconds of all threads.
func cpuSeconds(b *testing.B) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}
