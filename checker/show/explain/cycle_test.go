package explain

import (
	"slices"
	"testing"
)

// TestShortestCycleOfWaits: packet 1 waits for 2, which waits for 3 or for 1, and 3 for 1: the
// cycle shown is that of two.
func TestShortestCycleOfWaits(t *testing.T) {
	wait := func(holders ...int) (w Waiting) {
		for _, h := range holders {
			w.For = append(w.For, Want{Holder: h})
		}
		return w
	}
	got := cycleOf(map[int]Waiting{1: wait(2), 2: wait(3, 1), 3: wait(1), 4: wait(1), 5: {Behind: 4}}, []int{1, 2, 3, 4, 5})
	if !slices.Equal(got, []int{1, 2}) {
		t.Errorf("the cycle of %v", got)
	}
	if got := cycleOf(map[int]Waiting{1: wait(2), 2: wait(3), 3: wait(3)}, []int{1, 2, 3}); !slices.Equal(got, []int{3}) {
		t.Errorf("the cycle of %v: 3 waits for itself", got)
	}
	if got := cycleOf(nil, nil); len(got) > 0 {
		t.Errorf("nobody waits, but there is the cycle of %v", got)
	}
}
