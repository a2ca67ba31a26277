package pages

import (
	"slices"
	"testing"
	"unsafe"
)

// TestKept: whatever stretch of memory is asked for, nothing in it or next to it changes.
func TestKept(t *testing.T) {
	all := make([]uint32, 1<<20)
	for i := range all {
		all[i] = uint32(i) * 2654435761
	}
	before := slices.Clone(all)
	for _, r := range [][2]int{{0, 0}, {0, 1}, {0, len(all)}, {1, len(all)}, {1023, 9217}, {5000, 5001}, {777, len(all) - 3}, {1 << 18, 1<<19 + 5}} {
		Provide(all[r[0]:r[1]])
		Huge(all[r[0]:r[1]])
		if !slices.Equal(all, before) {
			t.Fatalf("elements %d to %d: memory has changed", r[0], r[1])
		}
	}
	if Provide(all[:8]) || Huge(all[:8]) {
		t.Error("a few bytes were worth a call")
	}
}

func TestMake(t *testing.T) {
	for _, n := range []int{0, 1, 4095, 1 << 20} {
		if all := Make[int32](n); len(all) != n || slices.ContainsFunc(all, func(x int32) bool { return x != 0 }) {
			t.Errorf("%d zeros: got %d elements, or others", n, len(all))
		}
	}
}

// TestDrop: what is given back is zeros, and nothing next to it changes.
func TestDrop(t *testing.T) {
	const page = 64 << 10 / 4 // words, at most
	all := make([]uint32, 8*page)
	for i := range all {
		all[i] = uint32(i) + 1
	}
	from := int(-uintptr(unsafe.Pointer(unsafe.SliceData(all)))%(4*page)) / 4
	Drop(all[from : from+5*page])
	for i, x := range all {
		if want := uint32(i) + 1; i >= from && i < from+5*page && x != 0 || (i < from || i >= from+5*page) && x != want {
			t.Fatalf("element %d of %d to %d is %d", i, from, from+5*page, x)
		}
	}
}
