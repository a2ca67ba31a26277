package models_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// BenchmarkScale compiles each family in two sizes and prints by which power of its
// sites the time grows: 1 is linear. What is far above asks something again and again.
func BenchmarkScale(b *testing.B) {
	type set = map[string]string
	for _, family := range []struct {
		name         string
		small, large set
	}{
		{"mesh", set{"k": "16"}, set{"k": "32"}},
		{"turn-model", set{"k": "16"}, set{"k": "32"}},
		{"turn-model", set{"k": "16", "model": "odd-even"}, set{"k": "32", "model": "odd-even"}},
		{"torus", set{"k": "16"}, set{"k": "32"}},
		{"torus", set{"k": "6", "n": "3"}, set{"k": "12", "n": "3"}},
		{"star-channel", set{"k": "16"}, set{"k": "32"}},
		{"hypercube", set{"n": "8"}, set{"n": "11"}},
		{"k-ary-n-tree", set{"k": "6"}, set{"k": "12"}},
		{"dragonfly", set{"a": "4", "h": "2", "g": "9"}, set{"a": "16", "h": "8", "g": "129"}},
		{"cccb", set{"n": "3"}, set{"n": "4"}},
	} {
		b.Run(fmt.Sprint(family.name, family.large), func(b *testing.B) {
			e, ok := models.Find(family.name)
			if !ok {
				b.Fatal("no such model")
			}
			var sites [2]int
			var times [2]time.Duration
			for b.Loop() {
				for i, size := range []set{family.small, family.large} {
					def, err := e.Define(size)
					if err != nil {
						b.Fatal(err)
					}
					begin := time.Now()
					n, err := routing.Compile(b.Context(), def, routing.CompileOptions{})
					if err != nil {
						b.Fatal(err)
					}
					times[i] += time.Since(begin)
					sites[i] = n.SiteCount()
				}
			}
			b.ReportMetric(float64(sites[1]), "sites")
			b.ReportMetric(float64(b.N)*float64(sites[1])/times[1].Seconds()/1e6, "Msites/s")
			b.ReportMetric(math.Log(times[1].Seconds()/times[0].Seconds())/math.Log(float64(sites[1])/float64(sites[0])), "exponent")
		})
	}
}
