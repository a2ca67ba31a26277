package star_test

import (
	"context"
	"os"
	"syscall"
	"testing"

	"github.com/seed-105a2da2/unknot/spec/star"
)

// BenchmarkRelations compiles networks whose relations differ in what they look at, and reports
// sites per second of CPU time.
func BenchmarkRelations(b *testing.B) {
	const examples = "../../models/examples/"
	for _, c := range []struct {
		name, file string
		set        map[string]string
	}{
		{"dimension order, torus 40x40", examples + "torus.star", map[string]string{"k": "40"}},
		{"hypercube of 1024", examples + "hypercube.star", map[string]string{"n": "10"}},
		{"dragonfly of 1190", examples + "dragonfly.star", map[string]string{"a": "14", "h": "6"}},
		{"Valiant, dragonfly of 264", "testdata/valiant_dragonfly.star", nil},
		{"Valiant, mesh 10x10", "testdata/valiant_mesh.star", map[string]string{"k": "10"}},
		{"tables, graph of 300", "testdata/tables.star", map[string]string{"n": "300"}},
		{"by source, mesh 12x12", "testdata/by_source.star", map[string]string{"k": "12"}},
		{"slow route, mesh 8x8", "testdata/walks.star", nil},
	} {
		b.Run(c.name, func(b *testing.B) {
			text, err := os.ReadFile(c.file)
			if err != nil {
				b.Fatal(err)
			}
			sites, before := 0, cpu(b)
			for b.Loop() {
				f, err := star.Load(context.Background(), "n.star", text, star.Options{Set: c.set})
				if err != nil {
					b.Fatal(err)
				}
				sites += compile(b, f, 0).SiteCount()
			}
			b.ReportMetric(float64(sites)/(cpu(b)-before)/1e6, "Msites/cpu-s")
		})
	}
}

// cpu returns the seconds of CPU that the process has used.
func cpu(b *testing.B) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}
