package heap

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/seed-105a2da2/unknot/spec/support/pages"
)

// begin and grow leave a heap that is larger by the stated size and has no more live memory.
func TestGrow(t *testing.T) {
	if !roomFor(2 * firstReady) {
		t.Skip("no huge pages of 2 MiB, or no room for 512 MiB, on this system")
	}
	for name, test := range map[string]struct {
		size int
		grow func()
	}{
		"a stack": {firstReady, func() {
			if !begin() && pages.Huge(make([]byte, 2*pages.HugePage)) {
				t.Error("no huge pages were asked for")
			}
		}},
		"garbage": {firstReady, func() { grow(firstReady) }},
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			test.grow()
			runtime.GC() // begin leaves a little garbage, and so may other tests
			for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
				if runtime.ReadMemStats(&after); after.StackInuse < uint64(test.size) { // a goroutine that has closed its channel may not have ended
					break
				}
			}
			const other = 8 << 20 // what else the test's process allocates and frees
			if after.HeapAlloc > before.HeapAlloc+other {
				t.Errorf("%d bytes live before, %d after: the allocation is kept", before.HeapAlloc, after.HeapAlloc)
			}
			if sys := int(after.HeapSys); sys < test.size-other || sys > int(before.HeapSys)+test.size+other {
				t.Errorf("a heap of %d bytes, want %d, or as much more than the %d before", after.HeapSys, test.size, before.HeapSys)
			}
			if after.StackInuse > before.StackInuse+other {
				t.Errorf("stacks of %d bytes before, %d after: the stack is kept", before.StackInuse, after.StackInuse)
			}
		})
	}
}

// TestGrowTouchesNothing: memory that was in use before stays with the system while the heap grows over it.
func TestGrowTouchesNothing(t *testing.T) {
	const size = 64 << 20
	resident := func() int {
		text, err := os.ReadFile("/proc/self/statm")
		if err != nil {
			t.Skip("the system does not say how much memory a process holds")
		}
		var all, pages int
		if _, err := fmt.Sscan(string(text), &all, &pages); err != nil {
			t.Fatal(err)
		}
		return pages * os.Getpagesize()
	}
	debug.FreeOSMemory()
	before := resident()
	for range 4 { // over memory that is new, then over what the first has given back
		grow(size)
	}
	if more := resident() - before; more > size/2 {
		t.Errorf("growing by %d bytes took %d bytes of memory", size, more)
	}
}
