package simulate

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// TestEstimate: with few batches, or seeds, the interval is wider: 1, 2 and 3 have a deviation of 1, and Student's quantile with two
// degrees of freedom is 4.303; with one value there is no interval. Three batches may be dependent with a correlation
// of up to a third, which widens it by the root of (1+1/3)/(1-1/3).
func TestEstimate(t *testing.T) {
	want := Estimate{2, 4.303 / math.Sqrt(3)}
	of := func(batches int) Estimate {
		all := make([]ratio, pieces)
		for b := range batches {
			all[b*pieces/20] = ratio{float64(b + 1), 1}
		}
		e, _ := estimate(all)
		return e
	}
	batches := of(3)
	batches.Half /= math.Sqrt(2)
	for _, got := range []Estimate{batches, MeanOf([]float64{1, 2, 3})} {
		if math.Abs(got.Mean-want.Mean)+math.Abs(got.Half-want.Half) > 1e-9 {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	if one := of(1); one != (Estimate{1, -1}) || MeanOf([]float64{1}) != one {
		t.Errorf("of one: %+v", one)
	}
}

// TestDependence: of autoregressive sequences of mean 0, whatever they remember from one piece to the next, at most one in twelve has an
// interval that does not hold 0. Without memory all have one; with a memory as long as the sequence next to none.
func TestDependence(t *testing.T) {
	for _, tt := range []struct {
		memory      float64
		least, most int // of 1,000 that have an interval
	}{{0, 1000, 1000}, {0.1, 990, 1000}, {0.5, 400, 1000}, {0.8, 0, 1000}, {0.9, 0, 1000}, {0.99, 0, 200}, {0.999, 0, 20}, {1, 0, 20}} {
		random := rand.New(rand.NewPCG(1, uint64(1000*tt.memory)))
		shown, wrong := 0, 0
		for range 1000 {
			all := make([]ratio, pieces)
			x := 0.0
			if tt.memory < 1 {
				x = random.NormFloat64() / math.Sqrt(1-tt.memory*tt.memory)
			}
			for i := range all {
				all[i] = ratio{x, 1}
				x = tt.memory*x + random.NormFloat64()
			}
			e, independent := estimate(all)
			if independent != (e.Half >= 0) {
				t.Fatalf("independent %v, %+v", independent, e)
			}
			if independent {
				if shown++; !e.Contains(0) {
					wrong++
				}
			}
		}
		t.Logf("memory %v: %d intervals, %d wrong", tt.memory, shown, wrong)
		if wrong > 1000/12 || shown < tt.least || shown > tt.most {
			t.Errorf("memory %v: %d intervals, %d wrong: want %d to %d, of which at most %d are wrong", tt.memory, shown, wrong, tt.least, tt.most, 1000/12)
		}
	}
}

// link is a link of one VC.
func link(t testing.TB, buffer int) *spec.Network {
	return dimensionOrder(t, 2, 1, buffer, false, spec.Wormhole, func(src, dst spec.NodeID, _ spec.Class) bool { return src == 0 && dst == 1 })
}

// service returns the clocks from one packet of a VC to the next if both wait. The head of the second is routed, and given its VC, only once it
// is at the front of its buffer, behind the tail of the first: no flit of the VC crosses in these clocks. With the three clocks of Sugiyama and
// Funahashi's router it is the one for routing, so that packets of 16 flits take 17 clocks: the capacity is 16/17.
func service(d Delays, length int) float64 { return float64(length + d.Route + d.Allocate) }

// TestIntervalsHold: intervals hold the mean of the closed form, whatever the load of a single link: the queue Geo/D/1 (see TestSingleLink)
// with the service of the router. At most 5 of 40 runs print an interval that does not (of 40, 5 % are 2, and 5 or more have a
// chance of 5 %). Light loads have intervals, those near saturation none. What is accepted is the load, or the capacity.
func TestIntervalsHold(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: 280 runs")
	}
	const length, seeds = 16, 40
	n, d := link(t, 16), ThreeClocks()
	s := service(d, length)
	for i, tt := range []struct {
		load   float64
		clocks int
		least  int // intervals of latency
		most   int
	}{{0.3, 5000, 20, 40}, {0.3, 50_000, 38, 40}, {0.6, 50_000, 30, 40}, {0.75, 50_000, 0, 40}, {0.85, 50_000, 0, 20},
		{0.93, 50_000, 0, 1}, {1, 50_000, 0, 1}} {
		if !seedtest.Sampled(i, 4) {
			continue
		}
		p := tt.load / length
		latency := p*s*(s-1)/2/(1-p*s) + float64(2*d.Hop()+length-1)
		accepted := min(tt.load, length/s)
		shown, wrong, off := 0, 0, 0
		for seed := range uint64(seeds) {
			r := simulated(t, n, Options{Load: tt.load, Lengths: flits(length), Delays: d, Shared: true,
				Clocks: tt.clocks, Warmup: tt.clocks / 10, Seed: seed + 41})
			if r.Correlated != (r.Total.Half < 0) {
				t.Errorf("load %v, seed %d: correlated %v, %+v", tt.load, seed, r.Correlated, r.Total.Estimate)
			}
			if r.Total.Half >= 0 {
				if shown++; !r.Total.Contains(latency) {
					wrong++
				}
			}
			if r.Accepted.Half >= 0 && !r.Accepted.Contains(accepted) {
				off++
			}
		}
		t.Logf("load %v, %d clocks: %d intervals, %d wrong; accepted: %d wrong", tt.load, tt.clocks, shown, wrong, off)
		if wrong > 5 || off > 5 || shown < tt.least || shown > tt.most {
			t.Errorf("load %v, %d clocks: %d of %d have an interval, %d do not hold %.1f, and %d do not hold an accepted load of %.4f; want %d to %d, and at most 5",
				tt.load, tt.clocks, shown, seeds, wrong, latency, off, accepted, tt.least, tt.most)
		}
	}
}

// TestIntervalsOfANetwork: so they do on a mesh, where the mean is that of other, longer runs; their own error is left out of the comparison.
func TestIntervalsOfANetwork(t *testing.T) {
	seedtest.InFull(t)
	if testing.Short() {
		t.Skip("-short: 100 runs")
	}
	n := dimensionOrder(t, 4, 1, 8, false, spec.Wormhole, nil)
	for _, load := range []float64{0.2, 0.33} { // it saturates at 0.39
		of := func(clocks, seeds int, first uint64) (all []*Result) {
			for seed := range uint64(seeds) {
				all = append(all, simulated(t, n, Options{Load: load, Lengths: flits(8), Delays: ThreeClocks(),
					Clocks: clocks, Warmup: clocks / 10, Seed: first + seed}))
			}
			return all
		}
		var means []float64
		for _, r := range of(200_000, 5, 1000) {
			means = append(means, r.Total.Mean)
		}
		want := MeanOf(means)
		shown, wrong, off := 0, 0, 0
		for _, r := range of(20_000, 40, 1) {
			if r.Total.Half >= 0 {
				if shown++; math.Abs(r.Total.Mean-want.Mean) > r.Total.Half+want.Half {
					wrong++
				}
			}
			if r.Accepted.Half >= 0 && !r.Accepted.Contains(load) {
				off++
			}
		}
		t.Logf("load %v: latency %+v; %d intervals, %d wrong; accepted: %d wrong", load, want, shown, wrong, off)
		if wrong > 5 || off > 5 || load < 0.3 && shown < 30 {
			t.Errorf("load %v: %d of 40 have an interval, %d do not hold %v, and %d not the load", load, shown, wrong, want, off)
		}
	}
}
