package walk

import (
	"slices"
	"testing"
)

// TestBegin provides pages of memory that begins and ends within pages, next to memory in use: the former is
// still zero, the latter unchanged.
func TestBegin(t *testing.T) {
	const page = 1 << 10 // words
	for _, r := range []struct{ from, to int }{{0, 8 * page}, {1, 8*page - 1}, {page - 1, page + 1}, {5, 5}, {3*page + 7, 8 * page}} {
		all := make([]uint32, 8*page)
		for i := range all {
			if i < r.from || i >= r.to {
				all[i] = 7
			}
		}
		want := slices.Clone(all)
		begin(all[r.from:r.to])
		if !slices.Equal(all, want) {
			t.Errorf("words %d to %d: begin has changed memory", r.from, r.to)
		}
	}
}
