package checker

import (
	"context"
	"sync"

	"github.com/seed-105a2da2/unknot/proofs/machines"
)

// digest adds up the states, all cores side by side, unless ctx ends.
func digest(ctx context.Context, space visited, workers int) (machines.SetDigest, bool) {
	const often = 1 << 12
	sums := make([]machines.SetDigest, workers)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			var sum machines.SetDigest // here, since those of all would share a cache line
			count := 0
			space.EachSomehow(w, workers, func(s []uint64) bool {
				sum.Add(s)
				count++
				return count%often != 0 || ctx.Err() == nil
			})
			sums[w] = sum
		})
	}
	wg.Wait()
	for _, sum := range sums[1:] {
		sums[0].Join(sum)
	}
	return sums[0], ctx.Err() == nil
}
