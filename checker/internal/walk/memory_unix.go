//go:build unix

package walk

import (
	"syscall"
	"unsafe"
)

// Large tables come straight from the system and go straight back to it, so
// that a table that has been outgrown takes no memory until the next garbage
// collection.
const fromSystem = 1 << 14 // words

func allocate(words int) []uint32 {
	if words < fromSystem {
		return make([]uint32, words)
	}
	b, err := syscall.Mmap(-1, 0, words*4, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return make([]uint32, words)
	}
	return unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(b))), words)
}

func release(t []uint32) {
	if len(t) >= fromSystem {
		// A table that came from make after all is left to the garbage collector.
		_ = syscall.Munmap(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(t))), len(t)*4))
	}
}
