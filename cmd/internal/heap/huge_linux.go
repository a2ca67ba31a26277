//go:build amd64 || arm64

package heap

import "syscall"

// roomFor reports whether the system has huge pages of 2 MiB and lets the process map size bytes more: address space,
// or memory that is promised and not touched, may be limited.
func roomFor(size int) bool {
	if syscall.Getpagesize() != 4<<10 {
		return false // huge pages are of 512 MiB if pages are of 64 KiB
	}
	trial, err := syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	return err == nil && syscall.Munmap(trial) == nil
}
