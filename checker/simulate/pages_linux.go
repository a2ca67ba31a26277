package simulate

import (
	"syscall"
	"unsafe"
)

// hugePages asks the system for huge pages below memory that is read here and there, so that addresses are found in few
// steps. It says so best before the memory is written; whether the system does it changes nothing but the time.
func hugePages[T any](of []T) {
	const page, advice = 1 << 21, 14 // MADV_HUGEPAGE
	b := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(of))), len(of)*int(unsafe.Sizeof(*new(T))))
	if from := int(-uintptr(unsafe.Pointer(unsafe.SliceData(b))) % page); len(b) >= from+page {
		_ = syscall.Madvise(b[from:], advice)
	}
}
