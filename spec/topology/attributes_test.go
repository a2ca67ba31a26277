package topology

import (
	"math"
	"testing"
)

// TestWhole: what a format may write for an integer is one exactly if it has no fraction and fits
// into 32 bits, however it is written.
func TestWhole(t *testing.T) {
	const most = math.MaxInt32
	for _, tt := range []struct {
		value any
		want  int
		is    bool
	}{
		{3, 3, true}, {-3, -3, true}, {3.0, 3, true}, {-3.0, -3, true}, {0.0, 0, true}, {float64(most), most, true}, {-float64(most), -most, true},
		{" 7 ", 7, true}, {"-7", -7, true},
		{3.5, 0, false}, {-0.5, 0, false}, {float64(most) + 1, 0, false}, {-float64(most) - 1, 0, false}, {1e300, 0, false},
		{math.NaN(), 0, false}, {math.Inf(1), 0, false}, {"7.0", 0, false}, {"seven", 0, false}, {"", 0, false}, {nil, 0, false}, {true, 0, false},
	} {
		if got, is := whole(tt.value); is != tt.is || is && got != tt.want {
			t.Errorf("%T %v: %d, %t, want %d, %t", tt.value, tt.value, got, is, tt.want, tt.is)
		}
	}
}
