package main

import (
	"syscall"
	"unsafe"
)

// hugePages asks the kernel to back memory, of more than 2 MiB, that nobody has touched by pages of 2 MiB, each upon its first use. A
// command that fills the first heap then faults 8 times, not 4,096; where page tables are those of a virtual machine,
// a fault takes longer than zeroing its page. A kernel without such pages, or one that is told not to give them,
// ignores the request.
func hugePages(memory []byte) {
	const page = 2 << 20
	skip := -uintptr(unsafe.Pointer(unsafe.SliceData(memory))) % page
	syscall.Madvise(memory[skip:], syscall.MADV_HUGEPAGE)
}
