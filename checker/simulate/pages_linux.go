package simulate

import (
	"syscall"
	"unsafe"
)

// hugePages asks the system to keep memory that is read in no order in huge pages, so that fewer addresses miss the TLB.
// It is best called before the memory is written. Only the time depends on whether the system complies.
func hugePages[T any](of []T) {
	const page, advice = 1 << 21, 14 // MADV_HUGEPAGE
	b := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(of))), len(of)*int(unsafe.Sizeof(*new(T))))
	if from := int(-uintptr(unsafe.Pointer(unsafe.SliceData(b))) % page); len(b) >= from+page {
		_ = syscall.Madvise(b[from:], advice)
	}
}
