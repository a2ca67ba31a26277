package checker_test

import (
	"testing"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
)

// BenchmarkCheck times the whole check of a catalogue model: definition, compilation, all
// three decisions, every certificate verified.
func BenchmarkCheck(b *testing.B) {
	for _, bm := range []struct {
		name, model string
		set         map[string]string
	}{
		{"mesh-64x64-xy", "mesh", map[string]string{"k": "64"}},
		{"torus-64x64-dateline", "torus", map[string]string{"k": "64"}},
		{"star-channel-32x32", "star-channel", map[string]string{"k": "32"}},
		{"star-channel-64x64", "star-channel", map[string]string{"k": "64"}},
		{"cccb-n4", "cccb", map[string]string{"n": "4"}},
	} {
		b.Run(bm.name, func(b *testing.B) {
			if testing.Short() && bm.name == "star-channel-64x64" {
				b.Skip("-short: 2.4 GiB and half a minute")
			}
			e, _ := models.Find(bm.model)
			sites := 0
			for b.Loop() {
				n := routingtest.Network(b)(e.Define(bm.set))
				r, err := checker.Check(b.Context(), n, checker.Question{})
				if err != nil {
					b.Fatal(err)
				}
				for _, res := range r.Findings {
					if res.Verdict != spec.Holds {
						b.Fatalf("%s: %s", res.Property, res.Verdict)
					}
				}
				sites = n.SiteCount()
			}
			b.ReportMetric(float64(sites)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Msites/s")
		})
	}
}
