package checker_test

import (
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/models"
)

// BenchmarkPrograms times whole explorations of programs on one core, invariants on,
// the set of states digested.
func BenchmarkPrograms(b *testing.B) {
	for _, bm := range []struct {
		name, model, set string
		states           int64
	}{
		{"peterson-5", "peterson", "n=5", 628868},
		{"two-phase-8", "two-phase-commit", "managers=8", 1745408},
		{"invalidate-ack", "invalidate-ack", "variant=defer homes=0,2 link=3 resharing=no overflow=marked", 160905},
		{"fetch-add", "fetch-add", "requesters=5 fan-out=3", 1738692},
		{"rwc1-machine", "rwc1-machine", "n=3 window=5 streams=all@0", 217512},
	} {
		b.Run(bm.name, func(b *testing.B) {
			set := map[string]string{}
			for _, s := range strings.Fields(bm.set) {
				name, value, _ := strings.Cut(s, "=")
				set[name] = value
			}
			e, _ := models.Find(bm.model)
			m, err := e.Machine(set)
			if err != nil {
				b.Fatal(err)
			}
			var x *checker.Result
			for b.Loop() {
				if x, err = checker.Explore(b.Context(), m, checker.Question{Workers: 1, Explore: checker.Whole}); err != nil {
					b.Fatal(err)
				}
			}
			if x.States != bm.states {
				b.Fatalf("%d states, want %d", x.States, bm.states)
			}
			for unit, count := range map[string]int64{"Mstates/s": x.States, "Mtransitions/s": x.Transitions} {
				b.ReportMetric(float64(count)*float64(b.N)/b.Elapsed().Seconds()/1e6, unit)
			}
		})
	}
}
