// Package costtest, internal to unknot, bounds what an input may cost in a test.
package costtest

import (
	"runtime"
	"time"
)

// Within calls f on an input of the given size in bytes. It reports to t unless f comes back
// within ten seconds, having allocated at most 64 MiB and 4 KiB a byte of input, in total
// and not only at its peak. Nothing else may allocate meanwhile.
func Within(t interface {
	Helper()
	Errorf(format string, args ...any)
}, size int, f func()) {
	t.Helper()
	const seconds, once, each = 10, 64 << 20, 4 << 10
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	begun := time.Now()
	f()
	took := time.Since(begun)
	runtime.ReadMemStats(&after)
	if bytes, most := after.TotalAlloc-before.TotalAlloc, uint64(once+each*size); bytes > most || took > seconds*time.Second {
		t.Errorf("an input of %d bytes took %v and %d bytes: want at most %d s and %d bytes", size, took, bytes, seconds, most)
	}
}
