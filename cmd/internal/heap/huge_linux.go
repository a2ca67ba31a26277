//go:build amd64 || arm64

package heap

import "syscall"

// roomFor reports whether the system has huge pages of 2 MiB and lets the process map size bytes more: its address
// space or its committed memory may be limited.
func roomFor(size int) bool {
	if syscall.Getpagesize() != 4<<10 {
		return false // with pages of 64 KiB, huge pages have 512 MiB
	}
	trial, err := syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	return err == nil && syscall.Munmap(trial) == nil
}
