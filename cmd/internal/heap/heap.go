// Package heap tunes Go's heap for commands, most of which end soon, while some fill gigabytes.
package heap

import (
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"unsafe"

	"github.com/seed-105a2da2/unknot/spec/support/pages"
)

// Prepare makes the heap grow in huge pages, if the system has them, and delays garbage
// collections. It does nothing if the user has set GOGC or GOMEMLIMIT.
func Prepare() {
	if os.Getenv("GOGC") == "" && os.Getenv("GOMEMLIMIT") == "" {
		debug.SetGCPercent(firstPercent)
		begin()
		collectNext(firstPercent, firstHeap, firstReady)
	}
}

// The first collection begins at 16 MiB and each later one a little later, up to 64 MiB; once that much is live,
// collections begin as usual. So a few still happen while a command reads and compiles, because reused memory is
// cheaper than new pages. Without the delay a sweep, whose cases become garbage one by one, spent a fifth of its time
// in collections.
const (
	firstHeap    = 16<<20 + chunk // begin skips up to a chunk
	longerHeap   = 1 << 20        // after each collection
	mostHeap     = 64 << 20
	firstPercent = firstHeap / longerHeap * 25 // of the 4 MiB that the runtime begins with
	firstReady   = 128 << 20                   // of huge pages
)

// begin does the work of grow for the first firstReady bytes, but without garbage collections, which take a tenth of
// the time of a short command. The memory of a stack is part of the heap and is free as soon as its goroutine ends, so
// a goroutine calls a function with a frame of that size, which leaves the frame untouched.
// begin reports whether the system has huge pages.
func begin() (huge bool) {
	if !roomFor(firstReady) {
		return false
	}
	for range chunk / piece { // to the end of the heap's first chunk, which has small pages
		if left := -skip(piece) % chunk; left < piece {
			break
		}
	}
	others, done := runtime.NumGoroutine(), make(chan struct{})
	go func() {
		defer close(done)
		var top byte
		deep(false)
		low := unsafe.Add(unsafe.Pointer(&top), -len(frame{})) // near the end of the stack
		low = unsafe.Add(low, -int(uintptr(low)%pages.HugePage))
		huge = pages.Huge(unsafe.Slice((*byte)(low), len(frame{})))
	}()
	<-done
	// Wait until its stack is free. Other goroutines may begin meanwhile, so give up in the end.
	for left := 1000; runtime.NumGoroutine() > others && left > 0; left-- {
		runtime.Gosched()
	}
	return huge
}

// A chunk is the unit in which Go's heap grows, and its alignment. A piece is too large for the pages that each
// processor keeps in reserve.
const (
	chunk = 4 << 20
	piece = 128 << 10
)

// skip allocates memory that becomes garbage at once and stays untouched, so the next allocations come from behind it.
// It returns the end of that memory.
func skip(size int) (end uintptr) {
	return uintptr(unsafe.Pointer(unsafe.SliceData(untouched(size)))) + uintptr(size)
}

// untouched allocates memory and writes only its first byte. make would zero all of it if any part had been in use.
func untouched(size int) []byte {
	var b strings.Builder
	b.Grow(size)
	b.WriteByte(0)
	return unsafe.Slice(unsafe.StringData(b.String()), size)
}

// frame is a little smaller than a stack of firstReady bytes, as the size of a stack is a power of two.
type frame [firstReady - 64<<10]byte

// deep has a frame that holds what fill returns, even if it does not call fill. It must call nothing else: a call
// touches the end of the frame.
//
//go:noinline
func deep(filled bool) {
	if filled {
		fill()
	}
}

//go:noinline
func fill() (f frame) { return f }

// grow extends the heap by size bytes of untouched huge pages, for the next allocations. A command that fills them
// faults once for every 2 MiB instead of every 4 KiB; in a virtual machine, a fault takes several times as long as
// zeroing its page. Go maps its heap piece by piece, and a request for huge pages is lost on pieces that are not yet
// mapped. So the request is made for an allocation, which becomes garbage at once.
func grow(size int) {
	if roomFor(size) {
		pages.Huge(untouched(size))
		runtime.GC()
	}
}

// collectNext makes the next collection schedule the one after it, unless other code, such as a
// memory budget, has changed the percentage since. ready bytes of the heap are in huge pages.
func collectNext(percent, heap, ready int) {
	runtime.AddCleanup(new([16]byte), func(percent int) {
		const usual = 100
		var counted runtime.MemStats
		runtime.ReadMemStats(&counted)
		live := int(counted.NextGC) * 100 / (100 + percent) // the base of the percentage
		later := min(heap+longerHeap, mostHeap)
		// Live memory may grow before the percentage is set again: hence the second bound.
		next := min(max(usual, later*100/max(1, live)-100), later/longerHeap*25)
		if before := debug.SetGCPercent(next); before != percent {
			debug.SetGCPercent(before)
			return
		}
		if goal := live + live/100*next; goal > ready {
			ready = 4 * goal
			grow(ready)
		}
		collectNext(next, later, ready)
	}, percent)
}
