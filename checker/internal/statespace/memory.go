package statespace

import "unsafe"

// Allocate returns zeroed words from the system, which commits memory only for pages that
// are written.
func Allocate(words int) []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(allocate(2*words)))), words)
}

// Free gives back what Allocate has returned.
func Free(words []uint64) {
	words = words[:cap(words)]
	release(unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(words))), 2*len(words)))
}

// bytesOf returns the same memory.
func bytesOf(words []uint32) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), 4*len(words))
}
