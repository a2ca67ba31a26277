package each_test

import (
	"context"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/seed-105a2da2/unknot/spec/support/each"
)

// TestOneWorker: with one worker everything is done in the caller's goroutine, in order.
func TestOneWorker(t *testing.T) {
	var met []int
	before := goroutine()
	for _, workers := range []int{1, 0, -1} {
		met = met[:0]
		err := each.Do(context.Background(), workers, 100, func(w, i int) error {
			runtime.Gosched() // another worker would have its turn
			if g := goroutine(); w != 0 || g != before {
				t.Errorf("%d workers: job %d is done by worker %d in %s, want worker 0 in %s", workers, i, w, g, before)
			}
			met = append(met, i)
			return nil
		})
		if err != nil || len(met) != 100 || !slices.IsSorted(met) {
			t.Errorf("%d workers: %v, %v", workers, met, err)
		}
	}
}

// TestAllWorkers: jobs that wait for each other run side by side, on as many workers as requested.
func TestAllWorkers(t *testing.T) {
	var together sync.WaitGroup
	together.Add(3)
	var met [3]atomic.Bool
	err := each.Do(context.Background(), 3, 3, func(w, _ int) error {
		met[w].Store(true)
		together.Done()
		together.Wait()
		return nil
	})
	if err != nil || !met[0].Load() || !met[1].Load() || !met[2].Load() {
		t.Errorf("%v, %v", &met, err)
	}
}

// goroutine names the goroutine that calls it, as a stack trace does.
func goroutine() string {
	stack := make([]byte, 32)
	name, _, _ := strings.Cut(string(stack[:runtime.Stack(stack, false)]), " [")
	return name
}

// TestEachPanics: a panic in a worker reaches the caller, who may recover from it, with the stack of the job. An error that
// a job panics with stays what it is.
func TestEachPanics(t *testing.T) {
	defer func() {
		if v, is := recover().(*each.Panic); !is || v.Value != "broken" || !strings.Contains(v.Error(), "each_test.TestEachPanics") {
			t.Errorf("recovered %v, want broken, in this test", v)
		}
		defer func() {
			if v := recover(); v != context.Canceled {
				t.Errorf("recovered %v, want the error", v)
			}
		}()
		_ = each.Do(context.Background(), 1, 1, func(_, _ int) error { panic(context.Canceled) })
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
