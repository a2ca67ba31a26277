package simulate

import (
	"syscall"
	"unsafe"
)

// hugePages asks the system to use huge pages for memory that is read in random order, so that fewer addresses miss the TLB.
// Call it before the memory is written. Whether the system complies affects only the time.
func hugePages[T any](of []T) {
	const page, advice = 1 << 21, 14 // MADV_HUGEPAGE
	b := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(of))), len(of)*int(unsafe.Sizeof(*new(T))))
	if from := int(-uintptr(unsafe.Pointer(unsafe.SliceData(b))) % page); len(b) >= from+page {
		_ = syscall.Madvise(b[from:], advice)
	}
}
