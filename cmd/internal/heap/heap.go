// Package heap suits Go's heap to commands, of which most end soon and some fill gigabytes.
package heap

import (
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"unsafe"

	"github.com/seed-105a2da2/unknot/spec/pages"
)

// Prepare has the heap grow by huge pages, where the system has such, and delays
// garbage collections. A user who sets GOGC or GOMEMLIMIT gets Go's own heap.
func Prepare() {
	if os.Getenv("GOGC") == "" && os.Getenv("GOMEMLIMIT") == "" {
		debug.SetGCPercent(firstPercent)
		begin()
		collectNext(firstPercent, firstHeap, firstReady)
	}
}

// Garbage is collected when the heap has 16 MiB, then a little later each time, up to 64 MiB, and as usual once that
// much is live. So there are still a few collections while a command reads and compiles, since reused memory is
// cheaper than new pages. Without the delay a sweep, whose cases become garbage one by one, spent a fifth of its time
// in collections.
const (
	firstHeap    = 16<<20 + chunk // begin skips up to a chunk
	longerHeap   = 1 << 20        // after each collection
	mostHeap     = 64 << 20
	firstPercent = firstHeap / longerHeap * 25 // of the 4 MiB that the runtime begins with
	firstReady   = 128 << 20                   // of huge pages
)

// begin does the work of grow for the first firstReady bytes, without the garbage collections, which take a tenth of
// a short command: the memory of a stack is part of the heap, and is free as soon as its goroutine ends. So a
// goroutine calls a function whose frame is that large, which leaves the frame untouched.
// It reports whether the system knows of huge pages.
func begin() (huge bool) {
	if !roomFor(firstReady) {
		return false
	}
	for range chunk / piece { // to the end of the chunk that the heap began with, which is of small pages
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
	for left := 1000; runtime.NumGoroutine() > others && left > 0; left-- { // until its stack is free, unless others begin
		runtime.Gosched()
	}
	return huge
}

// A chunk is the least by which Go's heap grows, and to which it is aligned. A piece is too large for the pages that each
// processor has in reserve.
const (
	chunk = 4 << 20
	piece = 128 << 10
)

// skip allocates memory that is garbage at once and stays untouched, so that what is allocated next comes from behind it.
// It returns the end of that memory.
func skip(size int) (end uintptr) {
	return uintptr(unsafe.Pointer(unsafe.SliceData(untouched(size)))) + uintptr(size)
}

// untouched allocates memory of which only the first byte is written. Make would zero all of it if a part has been in use before.
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

// grow makes the heap larger by size bytes, untouched and of huge pages, for what is allocated next. A command that
// fills it then faults once for 2 MiB, not for 4 KiB; where page tables are those of a virtual machine, a fault takes
// several times as long as zeroing its page. Go maps its heap piece by piece and forgets what was asked for pieces
// that it has yet to map, so the request is made for an allocation, which is garbage at once.
func grow(size int) {
	if roomFor(size) {
		pages.Huge(untouched(size))
		runtime.GC()
	}
}

// collectNext makes the next collection set when the one after it comes, unless other code, such
// as a memory budget, has changed the percentage since. ready bytes of the heap are of huge pages.
func collectNext(percent, heap, ready int) {
	runtime.AddCleanup(new([16]byte), func(percent int) {
		const usual = 100
		var counted runtime.MemStats
		runtime.ReadMemStats(&counted)
		live := int(counted.NextGC) * 100 / (100 + percent) // what the percentage is of
		later := min(heap+longerHeap, mostHeap)
		next := min(max(usual, later*100/max(1, live)-100), later/longerHeap*25) // what lives may grow before this is said again
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
