package each_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/seed-105a2da2/unknot/spec/each"
)

// TestEachPanics: a panic of a worker reaches the caller, who may recover it.
func TestEachPanics(t *testing.T) {
	defer func() {
		if v := recover(); v != "broken" {
			t.Errorf("recovered %v, want broken", v)
		}
	}()
	err := each.Do(context.Background(), 2, 3, func(_, i int) error {
		if i == 1 {
			panic("broken")
		}
		return nil
	})
	t.Errorf("returned %v", err)
}

// TestEachWorker: every number is handed out once, to workers 0..workers-1; one worker, or none, is the caller.
func TestEachWorker(t *testing.T) {
	for workers := range 4 {
		var times [10]atomic.Int32
		err := each.Do(context.Background(), workers, len(times), func(w, i int) error {
			if w < 0 || w >= max(1, workers) {
				t.Errorf("worker %d of %d", w, workers)
			}
			times[i].Add(1)
			return nil
		})
		for i := range times {
			if n := times[i].Load(); n != 1 || err != nil {
				t.Errorf("%d workers: %d was done %d times, %v", workers, i, n, err)
			}
		}
	}
}
