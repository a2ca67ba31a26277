package walk

import (
	"unsafe"

	"github.com/seed-105a2da2/unknot/spec/support/pages"
)

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

// aligned returns zeroed words that begin a huge page and, to release them, the slab that they lie in.
func aligned(words int) (slab, all []uint32) {
	slab = allocate(words + pages.HugePage/4)
	before := int(-uintptr(unsafe.Pointer(unsafe.SliceData(slab))) % pages.HugePage / 4)
	return slab, slab[before : before+words]
}

// begin has the system provide the pages of new memory that will be filled, all at once where it can. Otherwise
// a page that is read before it is written is mapped to a page of zeros, which the system stops all cores to replace.
func begin[T uint32 | uint64](all []T) {
	if pages.Provide(all) {
		return
	}
	const page = 1 << 12 // bytes, at most
	size := int(unsafe.Sizeof(*new(T)))
	for i := 0; i < len(all); i += page / size {
		all[i] = 0
	}
}

// begun returns n zeros on pages that are already present.
func begun(n int) []uint32 {
	all := make([]uint32, n)
	begin(all)
	return all
}

// bytesOf returns the same memory as bytes.
func bytesOf(words []uint32) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), 4*len(words))
}

// own returns zeros that share neither a cache line with other memory, nor the adjacent line that a
// processor prefetches: writers to one line wait for each other.
func own[T any](n int) []T {
	line := 128 / int(unsafe.Sizeof(*new(T)))
	return make([]T, n, (n/line+1)*line)
}
