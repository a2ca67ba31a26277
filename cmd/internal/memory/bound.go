package memory

import (
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// Bound bounds the memory of the process, as the system counts it, until end is called. It looks every so often: beyond
// most bytes it calls over, and a sixteenth beyond that far, once; in between there is room for what is allocated
// between two looks. The garbage collector works harder from seven eighths on, or from the user's GOMEMLIMIT if that is
// less.
func Bound(most int64, every time.Duration, over, far func()) (end func()) {
	before, done := debug.SetMemoryLimit(-1), make(chan struct{})
	debug.SetMemoryLimit(min(before, most-most/8))
	go watch(done, most, every, over, far)
	return func() {
		close(done)
		debug.SetMemoryLimit(before)
	}
}

func watch(done <-chan struct{}, most int64, every time.Duration, over, far func()) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return
		case <-tick.C:
		}
		taken := Resident()
		if most < small {
			taken = max(taken, committed())
		}
		if taken > most {
			over()
			if taken > most+most/16 {
				far()
				return
			}
		}
	}
}

// small is the budget, in bytes, below which what a program allocates at once is not small.
const small = 1 << 30

// committed returns the bytes that the process takes once its heap is filled. A slice of 30 MB can be filled in less
// time than passes between two looks: next to a small budget it counts as soon as it is allocated.
func committed() int64 {
	heap := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(heap)
	return int64(heap[0].Value.Uint64()-heap[1].Value.Uint64()) + statm(shared)
}
