// Package each, internal to unknot, runs numbered jobs on several goroutines.
package each

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// Panic is what a job panicked with, and where: the caller's own stack shows neither.
type Panic struct {
	Value any
	Stack []byte
}

// Error tells the value and the stack of the job.
func (p *Panic) Error() string { return fmt.Sprintf("%v\n\n%s", p.Value, p.Stack) }

// Do runs f(worker, 0..count-1). Numbers are handed out in order and every call
// that has begun finishes, so of several errors the one with the least number is
// always found, and returned. If a job panics with text or a runtime error, Do panics with a [Panic]; with any other value,
// with the same.
func Do(ctx context.Context, workers, count int, f func(worker, i int) error) error {
	var (
		next   atomic.Int64
		failed atomic.Bool
		wg     sync.WaitGroup
		mu     sync.Mutex
		first  error
		at     = count
		fault  atomic.Pointer[any]
	)
	work := func(w int) {
		defer func() {
			if v := recover(); v != nil {
				failed.Store(true)
				_, runtimeError := v.(runtime.Error)
				if _, text := v.(string); text || runtimeError {
					v = &Panic{v, debug.Stack()}
				}
				fault.Store(&v)
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
	}
	for w := 1; w < workers; w++ {
		wg.Go(func() { work(w) })
	}
	work(0) // here: what takes one worker takes no other goroutine
	wg.Wait()
	if v := fault.Load(); v != nil {
		panic(*v) // where the caller can recover it
	}
	if first != nil {
		return first
	}
	return context.Cause(ctx)
}
