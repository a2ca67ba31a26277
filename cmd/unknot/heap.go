package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"unsafe"

	"github.com/seed-105a2da2/unknot/spec/pages"
)

// prepareHeap has the heap grow by huge pages, where the system has such, and delays
// garbage collections. A user who sets GOGC or GOMEMLIMIT gets Go's own heap.
func prepareHeap() {
	if os.Getenv("GOGC") == "" && os.Getenv("GOMEMLIMIT") == "" {
		begin()
		debug.SetGCPercent(firstPercent)
		collectNext(firstPercent, firstHeap, firstReady)
	}
}

// Garbage is collected when the heap has 16 MiB, then a little later each time, up to 64 MiB, and as usual once that
// much is live. So there are still a few collections while a command reads and compiles, since reused memory is
// cheaper than new pages. Without the delay a sweep, whose cases become garbage one by one, spent a fifth of its time
// in collections.
const (
	firstHeap    = 16 << 20
	longerHeap   = 1 << 20 // after each collection
	mostHeap     = 64 << 20
	firstPercent = firstHeap / longerHeap * 25 // of the 4 MiB that the runtime begins with
	firstReady   = 256 << 20                   // of huge pages
)

// begin does the work of grow for the first firstReady bytes, without the garbage collections, which take a tenth of
// a short command: the memory of a stack is part of the heap, and is free as soon as its goroutine ends. So a
// goroutine calls a function whose frame is that large, which leaves the frame untouched.
// It reports whether the system knows of huge pages.
func begin() (huge bool) {
	if roomFor(firstReady) {
		ended := make(chan struct{})
		go func() {
			huge = deep(false)
			close(ended)
		}()
		<-ended
	}
	return huge
}

// frame is a little smaller than a stack of firstReady bytes, as the size of a stack is a power of two.
type frame [firstReady - 64<<10]byte

// deep asks for huge pages for its own frame. Room for what fill returns makes the frame large, even if fill is not called.
//
//go:noinline
func deep(filled bool) (huge bool) {
	var top byte
	huge = pages.Huge(unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(&top), -len(frame{}))), len(frame{})))
	if filled {
		fill()
	}
	return huge
}

//go:noinline
func fill() (f frame) { return f }

// grow makes the heap larger by size bytes, untouched and of huge pages, for what is allocated next. A command that
// fills it then faults once for 2 MiB, not for 4 KiB; where page tables are those of a virtual machine, a fault takes
// several times as long as zeroing its page. Go maps its heap piece by piece and forgets what was asked for pieces
// that it has yet to map, so the request is made for an allocation, which is garbage at once.
func grow(size int) {
	if roomFor(size) {
		pages.Huge(make([]byte, size))
		runtime.GC()
	}
}

// collectNext makes the next collection set when the one after it comes, unless other code, such
// as a memory budget, has changed the percentage since. ready bytes of the heap are of huge pages.
func collectNext(percent, heap, ready int) {
	runtime.AddCleanup(new([16]byte), func(percent int) {
		const usual = 100
		counted := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/gc/scan/globals:bytes"}, {Name: "/gc/scan/stack:bytes"}}
		metrics.Read(counted)
		live := int(counted[0].Value.Uint64() + counted[1].Value.Uint64() + counted[2].Value.Uint64()) // as the percentage is of
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
