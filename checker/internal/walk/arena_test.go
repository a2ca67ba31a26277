package walk

import (
	"testing"
	"unsafe"

	"pgregory.net/rapid"
)

// TestArena: memory from an arena, and from none, is zero at
// first, begins at a cache line and keeps what is written.
func TestArena(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		own := &arena{plain: rapid.IntRange(0, 3).Draw(t, "plain") == 0}
		defer own.release()
		for _, a := range []*arena{own, nil} {
			var all [][]uint32
			for _, n := range rapid.SliceOfN(rapid.IntRange(1, 1<<15), 1, 12).Draw(t, "sizes") {
				if n%37 == 0 {
					n += slabWords - 1<<14
				}
				piece := a.begun(n)
				if len(piece) != n || cap(piece) != n && a != nil && !a.plain {
					t.Fatalf("%d words, room for %d, in place of %d", len(piece), cap(piece), n)
				}
				if at := uintptr(unsafe.Pointer(unsafe.SliceData(piece))); a != nil && !a.plain && at%128 != 0 {
					t.Fatalf("memory begins at %#x", at)
				}
				for i := 0; i < n; i += max(1, n>>12) {
					if piece[i] != 0 {
						t.Fatalf("word %d of %d is %d", i, n, piece[i])
					}
					piece[i] = uint32(len(all) + 1)
				}
				all = append(all, piece)
			}
			for k, piece := range all {
				for i := 0; i < len(piece); i += max(1, len(piece)>>12) {
					if piece[i] != uint32(k+1) {
						t.Fatalf("word %d of piece %d has become %d", i, k, piece[i])
					}
				}
			}
		}
	})
}
