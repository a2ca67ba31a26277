package pages

import (
	"syscall"
	"unsafe"
)

// populate has the system provide all pages of b at once, and reports whether it did.
func populate(b []byte) bool {
	const advice = 23 // MADV_POPULATE_WRITE, from Linux 5.14 on
	from := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	before := from % uintptr(syscall.Getpagesize())
	_, _, failed := syscall.Syscall(syscall.SYS_MADVISE, from-before, before+uintptr(len(b)), advice)
	return failed == 0
}

func huge(b []byte) bool { return syscall.Madvise(b, syscall.MADV_HUGEPAGE) == nil }

func drop(b []byte) bool { return syscall.Madvise(b, syscall.MADV_DONTNEED) == nil }

func small() {
	const thpDisable = 41 // PR_SET_THP_DISABLE
	_, _, _ = syscall.Syscall(syscall.SYS_PRCTL, thpDisable, 1, 0)
}
