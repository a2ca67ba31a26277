// Package each runs numbered jobs on several goroutines.
package each

import (
	"context"
	"sync"
	"sync/atomic"
)

// Do runs f(worker, 0..count-1). Numbers are handed out in order and what has
// begun is finished, so of several errors the one with the least number is
// always found: that one is returned.
func Do(ctx context.Context, workers, count int, f func(worker, i int) error) error {
	var (
		next   atomic.Int64
		failed atomic.Bool
		wg     sync.WaitGroup
		mu     sync.Mutex
		first  error
		at     = count
		fault  any
	)
	for w := range max(1, workers) {
		wg.Go(func() {
			defer func() {
				if v := recover(); v != nil {
					failed.Store(true)
					mu.Lock()
					fault = v
					mu.Unlock()
				}
			}()
			for ctx.Err() == nil && !failed.Load() {
				i := int(next.Add(1)) - 1
				if i >= count {
					return
				}
				if err := f(w, i); err != nil {
					failed.Store(true)
					mu.Lock()
					if i < at {
						at, first = i, err
					}
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	if fault != nil {
		panic(fault) // where the caller can recover it
	}
	if first != nil {
		return first
	}
	return context.Cause(ctx)
}
