package checker_test

import (
	"fmt"
	"testing"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// BenchmarkExplore times whole explorations, with every state inspected for three notions
// of deadlock and for delivery, and the set of states digested.
func BenchmarkExplore(b *testing.B) {
	for _, bm := range []struct {
		name, model string
		set         map[string]string
		to          []string
		states      int64
	}{
		{"torus-3x3", "torus", map[string]string{"k": "3", "routing": "crossing"}, []string{"(0,0)", "(0,1)", "(1,1)"}, 2985984},
		{"ring-8", "ring", map[string]string{"n": "8"}, nil, 16777216},
		{"dateline-ring-5", "ring", map[string]string{"n": "5", "variant": "crossing"}, nil, 75000},
	} {
		e, _ := models.Find(bm.model)
		def, err := e.Define(bm.set)
		if err != nil {
			b.Fatal(err)
		}
		def.Switching = spec.StoreAndForward
		if len(bm.to) > 0 {
			keep := map[spec.NodeID]bool{}
			for _, name := range bm.to {
				v, _ := def.Topology.NodeNamed(name)
				keep[v] = true
			}
			def.Flows = func(_, dst spec.NodeID, _ spec.Class) bool { return keep[dst] }
		}
		n := routingtest.Compile(b, def)
		m, err := states.NewTraffic(n, spec.Scenario{})
		if err != nil {
			b.Fatal(err)
		}
		for _, workers := range []int{1, 2} {
			b.Run(fmt.Sprintf("%s/workers=%d", bm.name, workers), func(b *testing.B) {
				var x *checker.Result
				for b.Loop() {
					if x, err = checker.Explore(b.Context(), m, checker.Question{Workers: workers, Explore: checker.Whole}); err != nil {
						b.Fatal(err)
					}
				}
				if x.States != bm.states {
					b.Fatalf("%d states, want %d", x.States, bm.states)
				}
				b.ReportMetric(float64(x.Transitions)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mtransitions/s")
				b.ReportMetric(float64(x.Peak)/float64(x.States), "B/state")
			})
		}
	}
}
