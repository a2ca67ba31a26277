package main

import (
	"runtime"
	"testing"
)

// grow leaves a heap that is larger and in which nothing more lives.
func TestGrow(t *testing.T) {
	const size = 64 << 20
	if !roomFor(size) {
		t.Skip("no huge pages of 2 MiB, or no room for 64 MiB, on this system")
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	grow(size)
	runtime.ReadMemStats(&after)
	const other = 8 << 20 // what else the test's process allocates and frees
	if after.HeapAlloc > before.HeapAlloc+other {
		t.Errorf("%d bytes live before, %d after: the allocation is kept", before.HeapAlloc, after.HeapAlloc)
	}
	if after.HeapSys < size {
		t.Errorf("a heap of %d bytes, want %d at least", after.HeapSys, size)
	}
}
