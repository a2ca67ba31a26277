package checker_test

import (
	"testing"
	"time"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/proofs/machines"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// BenchmarkRecount times a recount, by the reference step, against an exploration
// on one core whose count it checks; both ask every state for deadlock.
func BenchmarkRecount(b *testing.B) {
	for _, bm := range []struct {
		name, model string
		set         map[string]string
		switching   spec.Switching
		scenario    spec.Scenario
	}{
		{"packets", "ring", map[string]string{"n": "5", "variant": "crossing"}, spec.StoreAndForward, spec.Scenario{}},
		{"flits", "gadget", map[string]string{"name": "W2"}, spec.Wormhole, spec.Scenario{Length: spec.AnyLength}},
		{"machine", "peterson", map[string]string{"n": "4"}, 0, spec.Scenario{}},
	} {
		b.Run(bm.name, func(b *testing.B) {
			e, _ := models.Find(bm.model)
			var m states.Machine
			var err error
			if e.IsMachine() {
				m, err = e.Machine(bm.set)
			} else {
				var def routing.Definition
				if def, err = e.Define(bm.set); err == nil {
					def.Switching = bm.switching
					m, err = trafficIn(b, def, bm.scenario)
				}
			}
			if err != nil {
				b.Fatal(err)
			}
			var explored, recounted time.Duration
			for b.Loop() {
				begin := time.Now()
				x, err := checker.Explore(b.Context(), m, checker.ExploreOptions{Workers: 1, Whole: true, Closed: -1, Properties: []string{"deadlock"}})
				if err != nil {
					b.Fatal(err)
				}
				explored += time.Since(begin)
				f := x.Of("deadlock")
				count, ok := f.Evidence.(evidence.Count)
				if !ok {
					b.Fatalf("no count: %s: %s", f.Verdict, f.Because)
				}
				safe, err := machines.Safe(m, "deadlock")
				if err != nil {
					b.Fatal(err)
				}
				begin = time.Now()
				if err := machines.Recount(b.Context(), m, safe, count.Count, machines.RecountOptions{}); err != nil {
					b.Fatal(err)
				}
				recounted += time.Since(begin)
			}
			b.ReportMetric(recounted.Seconds()/explored.Seconds(), "times/exploration")
		})
	}
}

func trafficIn(b testing.TB, def routing.Definition, sc spec.Scenario) (*states.Traffic, error) {
	n, err := routing.Compile(b.Context(), def, routing.CompileOptions{})
	if err != nil {
		b.Fatal(err)
	}
	return states.NewTraffic(n, sc)
}
