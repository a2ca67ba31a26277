package memory

import (
	"runtime/debug"
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
		if taken := Resident(); taken > most {
			over()
			if taken > most+most/16 {
				far()
				return
			}
		}
	}
}
