package statespace

import "unsafe"

// Allocate returns zeroed words from the system, which commits memory only for pages that
// are written.
func Allocate(words int) []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(allocate(2*words)))), words)
}

// Free returns memory from Allocate to the system.
func Free(words []uint64) {
	words = words[:cap(words)]
	release(unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(words))), 2*len(words)))
}

// begin writes to every page of a table that will be filled in random order. If a page is read
// before it is written, the system maps a page of zeros and stops all cores to replace it.
func begin[T uint32 | uint64](table []T) {
	const page = 1 << 12 // bytes, at most
	for i := 0; i < len(table); i += page / int(unsafe.Sizeof(table[0])) {
		table[i] = 0
	}
}

// bytesOf returns the same memory as bytes.
func bytesOf(words []uint32) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), 4*len(words))
}

// own returns zeros that share no cache line with other memory, nor the adjacent line that a processor
// prefetches: writers to one line wait for each other.
func own[T any](n int) []T {
	line := 128 / int(unsafe.Sizeof(*new(T)))
	return make([]T, n, (n/line+1)*line)
}
