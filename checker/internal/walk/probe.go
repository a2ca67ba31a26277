package walk

import (
	"sync"
	"time"
)

// ProbeRate measures random probes a second into a table of 32-bit slots for the given number
// of states, by the given number of workers.
func ProbeRate(states int64, workers int) float64 {
	length := firstTable
	for int64(length)*4/5 < states {
		length *= 2
	}
	table := allocate(length)
	defer release(table)
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
