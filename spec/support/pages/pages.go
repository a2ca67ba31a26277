// Package pages, internal to unknot, asks the system for the pages of memory that will be filled.
package pages

import "unsafe"

// Provide has the system provide all pages of a slice that will be filled, at once where it can: a tenth of
// the cost of a fault for each on virtual machines. It reports whether it did. The values stay as they are.
// A slice of few pages is left alone, as the call would not pay.
func Provide[T any](all []T) bool {
	const few = 4 << 12 // bytes
	b := bytesOf(all)
	return len(b) >= few && populate(b)
}

// Make returns n zero values, on pages that are present if Provide can do that.
func Make[T any](n int) []T {
	all := make([]T, n)
	Provide(all)
	return all
}

// HugePage is the size of a huge page, in bytes.
const HugePage = 2 << 20

// Huge has the system back what is yet to be written of a slice by huge pages, as far as whole ones lie in it: a
// write then faults once for 2 MiB, and fewer addresses miss the TLB. It reports whether the system has huge
// pages, although it may be configured to provide none. The values stay as they are.
func Huge[T any](all []T) bool {
	b := bytesOf(all)
	skip := int(-uintptr(unsafe.Pointer(unsafe.SliceData(b))) % HugePage)
	return len(b) >= skip+HugePage && huge(b[skip:])
}

// Drop gives the pages of a slice that begins and ends with pages back to the system: its values are zeros again.
func Drop[T any](all []T) {
	if b := bytesOf(all); !drop(b) {
		clear(b)
	}
}

// LeastBudget is the least memory budget, in bytes, next to which huge pages are small: a process may fill several
// between two looks at what it has taken.
const LeastBudget = 1 << 30

// Small has the system give the process no more huge pages, where it can: memory then grows by steps that a
// small budget can be kept with.
func Small() { small() }

func bytesOf[T any](all []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(all))), len(all)*int(unsafe.Sizeof(*new(T))))
}
