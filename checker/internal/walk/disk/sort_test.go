package disk

import (
	"slices"
	"testing"
)

// TestSortAsks: sorting asks whether to stop before it moves anything, of 65,536 words on; for fewer it
// never asks, as that takes longer than a part of them.
func TestSortAsks(t *testing.T) {
	for _, words := range []int{1, 3} {
		for _, tt := range []struct {
			states int
			asked  bool
		}{{1<<16/words - 1, false}, {1<<16/words + 1, true}} {
			a := make([]uint64, tt.states*words)
			for i := range a {
				a[i] = uint64(len(a)-i) * 0x9e3779b97f4a7c15
			}
			before, asks := slices.Clone(a), 0
			done := sortStatesUntil(func() bool { asks++; return true }, a, words)
			if done == tt.asked || (asks > 0) != tt.asked || tt.asked && !slices.Equal(a, before) {
				t.Errorf("%d states of %d words: done %t, asked %d times, want that it asks: %t", tt.states, words, done, asks, tt.asked)
			}
		}
	}
}
