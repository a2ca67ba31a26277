package fabric

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestBitsetSorts: numbers sorted by their bits are in the order that comparing gives,
// in one call after another.
func TestBitsetSorts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.IntRange(1, 2000).Draw(t, "most")
		b := make(bitset, most/64+1)
		for range 3 {
			keys := rapid.SliceOfDistinct(rapid.Int32Range(0, int32(most)-1), rapid.ID[int32]).Draw(t, "keys")
			want := slices.Sorted(slices.Values(keys))
			b.sort(keys)
			if len(keys) > 0 && !slices.Equal(keys, want) {
				t.Fatal(cmp.Diff(want, keys))
			}
		}
	})
}
