package compiled_test

import (
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/checker/internal/compiled"
	"github.com/seed-105a2da2/unknot/checker/internal/walk"
	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/spec/program"
)

// BenchmarkSteps times only the steps of programs, from states that a walk finds, and the
// verdicts on the states they lead to, new or not.
func BenchmarkSteps(b *testing.B) {
	for _, bm := range []struct{ model, set string }{
		{"peterson", "n=5"},
		{"two-phase-commit", "managers=8"},
		{"invalidate-ack", "variant=defer homes=0,2 link=3 resharing=no overflow=marked"},
		{"fetch-add", "requesters=5 fan-out=3"},
		{"rwc1-machine", "n=3 window=5 streams=all@0"},
	} {
		set := map[string]string{}
		for _, s := range strings.Fields(bm.set) {
			name, value, _ := strings.Cut(s, "=")
			set[name] = value
		}
		e, _ := models.Find(bm.model)
		found, err := e.Machine(set)
		if err != nil {
			b.Fatal(err)
		}
		m := compiled.New(found.(*program.Machine))
		space, _, err := walk.Explore(b.Context(), m, walk.Options{Workers: 1, MaxStates: 100_000})
		if err != nil {
			b.Fatal(err)
		}
		defer space.Release()
		var all []uint64
		space.Each(0, 1, func(s []uint64) bool {
			all = append(all, s...)
			return true
		})
		var names []string
		for _, v := range m.Claims().Invariants {
			names = append(names, v.Name)
		}
		owed := m.Obligations(names)
		words := m.Layout().Words()
		for _, judged := range []bool{false, true} {
			name := bm.model
			if judged {
				name += "/judged"
			}
			b.Run(name, func(b *testing.B) {
				var next []uint64
				var kinds []uint32
				steps := 0
				for b.Loop() {
					for at := 0; at < len(all); at += words {
						next, kinds, err = m.Steps(next[:0], kinds[:0], all[at:at+words])
						if err != nil {
							b.Fatal(err)
						}
						steps += len(kinds)
						if judged {
							for i, k := range kinds {
								if owed.Broken(next[i*words:(i+1)*words], k) != 0 {
									b.Fatal("an invariant is broken")
								}
							}
						}
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(steps), "ns/step")
			})
		}
	}
}
