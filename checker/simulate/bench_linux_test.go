package simulate

import (
	"fmt"
	"syscall"
	"testing"

	"github.com/seed-105a2da2/unknot/models/modeltest"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// BenchmarkFlitHops reports the flits that cross a link per second of CPU time and, apart, the CPU time of setting up the
// engine with the lookup of routes, of which many runs share most: dimension order, 4 VCs of 8 flits, packets of 8 flits, five stages.
func BenchmarkFlitHops(b *testing.B) {
	transpose := func(k int) func(src, dst spec.NodeID, _ spec.Class) bool {
		return func(src, dst spec.NodeID, _ spec.Class) bool {
			return int(dst) == int(src)%k*k+int(src)/k || dst == src+1
		} // all are terminals
	}
	for _, x := range []struct {
		name    string
		k       int
		wrap    bool
		load    float64
		pattern string
	}{
		{"mesh 8x8", 8, false, 0.2, "uniform"},
		{"torus 8x8", 8, true, 0.2, "uniform"},
		{"mesh 32x32", 32, false, 0.05, "uniform"},
		{"mesh 64x64", 64, false, 0.02, "uniform"},
		{"torus 128x128 transpose", 128, true, 0.01, "transpose-bits"},
	} {
		b.Run(x.name, func(b *testing.B) {
			n := dimensionOrder(b, x.k, 4, 8, x.wrap, spec.Wormhole,
				map[bool]func(src, dst spec.NodeID, _ spec.Class) bool{true: transpose(x.k)}[x.pattern != "uniform"])
			began := cpu(b)
			e, err := newEngine(n, Options{Traffic: Traffic{Pattern: x.pattern}, Load: x.load, Lengths: flits(8),
				Injectors: 4, Shared: true, Delays: FiveStages(), Clocks: 1 << 30})
			if err != nil {
				b.Fatal(err)
			}
			setUp := cpu(b) - began
			measureHops(b, e)
			b.ReportMetric(setUp, "setup-cpu-s")
		})
	}
}

// BenchmarkFigure reports the same for the paper's figures: 32x32, packets of 128 flits, below and above saturation.
func BenchmarkFigure(b *testing.B) {
	n := modeltest.Network(b, "star-channel", map[string]string{"k": "32", "n": "2"}, func(d *routing.Definition) { d.Buffer = 4 })
	for _, function := range []string{"ccb", "ld"} {
		for _, load := range []float64{0.08, 0.2} {
			b.Run(fmt.Sprintf("%s at %v", function, load), func(b *testing.B) {
				choose, _ := Function(function)
				e, err := newEngine(n, Options{Load: load, Lengths: flits(128), Injectors: 3, Select: choose, Clocks: 1 << 30})
				if err != nil {
					b.Fatal(err)
				}
				measureHops(b, e)
			})
		}
	}
}

// measureHops reports the flits that cross a link per second of CPU time, after a thousand clocks.
func measureHops(b *testing.B, e *engine) {
	for e.now < 1000 {
		e.clocks(1000 - e.now)
	}
	before, began := hops(e), cpu(b)
	b.ReportAllocs()
	b.ResetTimer()
	for b.Loop() {
		e.clocks(clocksOfBlock)
	}
	b.ReportMetric(float64(hops(e)-before)/(cpu(b)-began)/1e6, "Mflit-hops/cpu-s")
}

// cpu returns the CPU seconds that the process has taken.
func cpu(b *testing.B) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}
