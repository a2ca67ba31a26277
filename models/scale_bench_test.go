package models_test

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
)

// scaled are the families of networks, each in two sizes.
var scaled = []family{
	{"ring", set{"n": "256"}, set{"n": "1024"}},
	{"mesh", set{"k": "16"}, set{"k": "32"}},
	{"turn-model", set{"k": "16"}, set{"k": "32"}},
	{"turn-model", set{"k": "16", "model": "odd-even"}, set{"k": "32", "model": "odd-even"}},
	{"torus", set{"k": "16"}, set{"k": "32"}},
	{"torus", set{"k": "6", "n": "3"}, set{"k": "12", "n": "3"}},
	{"star-channel", set{"k": "16"}, set{"k": "32"}},
	{"selection", set{"k": "8"}, set{"k": "16"}},
	{"hypercube", set{"n": "8"}, set{"n": "11"}},
	{"hyperx", set{"k": "12"}, set{"k": "24"}},
	{"dragonfly", set{"a": "4", "h": "2", "g": "9"}, set{"a": "16", "h": "8", "g": "129"}},
	{"leaf-spine", set{"leaves": "16", "spines": "8", "hosts": "4"}, set{"leaves": "64", "spines": "32", "hosts": "16"}},
	{"k-ary-n-tree", set{"k": "6"}, set{"k": "12"}},
	{"clos", set{"pods": "4", "leaves": "4"}, set{"pods": "16", "leaves": "16", "spines": "4", "cores": "4"}},
	{"spidergon", set{"n": "128"}, set{"n": "512"}},
	{"graph", set{"graph": "random", "n": "128", "more": "128"}, set{"graph": "random", "n": "512", "more": "512"}},
	{"circular-omega", set{"n": "4"}, set{"n": "7"}},
	{"cccb", set{"n": "3"}, set{"n": "4"}},
	{"mdce", set{"n": "3", "ccc": "1"}, set{"n": "4", "ccc": "1"}},
	{"rwc1", set{"n": "3"}, set{"n": "4"}},
	{"rwc1-partition", set{"n": "2"}, set{"n": "3"}},
	{"peach2", set{"n": "4"}, set{"n": "16"}},
	{"peach2-hosts", set{"n": "3"}, set{"n": "4"}},
	{"p3", set{"columns": "3", "rows": "3"}, set{"columns": "6", "rows": "6"}},
	{"p3-move", set{"columns": "2"}, set{"columns": "4", "rows": "4"}},
	{"combining-classes", set{"depth": "2"}, set{"depth": "4"}},
	{"detour", set{"n": "16"}, set{"n": "48"}},
	{"packet-switching", set{"ring": "16", "terminals": "all"}, set{"ring": "48", "terminals": "all"}},
}

type family struct {
	name         string
	small, large set
}

type set = map[string]string

// TestEveryFamilyIsScaled: except the gadgets, which have no sizes.
func TestEveryFamilyIsScaled(t *testing.T) {
	for _, e := range models.Catalogue() {
		if e.Name != "gadget" && !e.IsMachine() && !slices.ContainsFunc(scaled, func(f family) bool { return f.name == e.Name }) {
			t.Errorf("no sizes of %s for BenchmarkScale", e.Name)
		}
	}
}

// BenchmarkScale compiles each family in two sizes and prints the exponent with which the
// time grows in the number of sites: 1 is linear. Far above that, something is computed
// again and again.
func BenchmarkScale(b *testing.B) {
	for _, family := range scaled {
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
					n := routingtest.Compile(b, def)
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
