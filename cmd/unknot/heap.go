package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// prepareHeap makes the first pages of the heap huge, where the system has such, and delays
// garbage collections. A user who sets GOGC gets Go's own heap.
func prepareHeap() {
	if os.Getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(-1) // or the collection that new memory sets off would keep it
	first := make([]byte, firstHeap)
	hugePages(first)
	runtime.GC() // first is garbage, and what is allocated next takes its place
	collectLate()
}

// collectLate delays garbage collections until the heap has 16 MiB, then a little longer each time, up to 64 MiB,
// and leaves them as usual once that much is live. So there are still a few collections while a command reads and
// compiles, since reused memory is cheaper than new pages. Without the delay a sweep, whose cases become garbage
// one by one, spent a fifth of its time in collections.
func collectLate() {
	debug.SetGCPercent(firstPercent)
	collectNext(firstPercent, firstHeap)
}

const (
	firstHeap    = 16 << 20
	longerHeap   = 1 << 20 // after each collection
	mostHeap     = 64 << 20
	firstPercent = firstHeap / longerHeap * 25 // of the 4 MiB that the runtime begins with
)

// collectNext makes the next collection set when the one after it comes, unless other code, such
// as a memory budget, has changed the percentage since.
func collectNext(percent, heap int) {
	runtime.AddCleanup(new([16]byte), func(percent int) {
		const usual = 100
		counted := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/gc/scan/globals:bytes"}, {Name: "/gc/scan/stack:bytes"}}
		metrics.Read(counted)
		live := counted[0].Value.Uint64() + counted[1].Value.Uint64() + counted[2].Value.Uint64() // as the percentage is of
		later := min(heap+longerHeap, mostHeap)
		next := min(max(usual, int(uint64(later)*100/max(1, live))-100), later/longerHeap*25) // what lives may grow before this is said again
		if before := debug.SetGCPercent(next); before != percent {
			debug.SetGCPercent(before)
			return
		}
		collectNext(next, later)
	}, percent)
}
