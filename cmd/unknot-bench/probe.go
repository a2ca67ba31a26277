package main

import (
	"sync"
	"time"
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
			x := uint64(w)
			for range probes {
				x += 0x9e3779b97f4a7c15
				sum += table[mix(x)&uint64(length-1)]
			}
			sums[w*16] = sum // using the sum keeps the compiler from dropping the probes
		})
	}
	wg.Wait()
	return float64(probes*workers) / time.Since(began).Seconds()
}

// mix spreads the bits of a number, as the hash of a state does.
func mix(x uint64) uint64 {
	x *= 0xd1342543de82ef95
	x ^= x >> 32
	x *= 0xaf251af3b0f025b5
	return x ^ x>>29
}
