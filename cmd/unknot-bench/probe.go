package main

import (
	"sync"
	"time"

	"github.com/seed-105a2da2/unknot/spec/support/hash"
)

// probeRate measures how many random probes a second the workers make into a table of 32-bit slots as large as that
// of an exploration of this many states: the ceiling on transitions a second for any search that looks up
// every successor in one table.
func probeRate(states int64, workers int) float64 {
	length := 64
	for int64(length)*4/5 < states {
		length *= 2
	}
	table := make([]uint32, length)
	for i := range table {
		table[i] = uint32(i)
	}
	const probes = 1 << 24
	began := time.Now()
	var wg sync.WaitGroup
	sums := make([]uint32, workers*16)
	for w := range workers {
		wg.Go(func() {
			sum := uint32(0)
			random := hash.SplitMix(w)
			for range probes {
				sum += table[random.Draw()&uint64(length-1)]
			}
			sums[w*16] = sum // using the sum keeps the compiler from dropping the probes
		})
	}
	wg.Wait()
	return float64(probes*workers) / time.Since(began).Seconds()
}
