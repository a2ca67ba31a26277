package walk

import "testing"

// TestLengthFor: a table grows when its states fill it, to the least length that they do not fill; to twice that while
// levels widen. One that is not full keeps its length.
func TestLengthFor(t *testing.T) {
	for count := uint32(1); count < 100_000; count += count/3 + 1 {
		least := firstTable
		for full(count, least) {
			least *= 2
		}
		for _, tt := range []struct {
			length   int
			widening bool
			want     int
		}{
			{0, false, least}, {0, true, 2 * least}, {least / 2, true, 2 * least}, {least / 2, false, least},
			{least, false, least}, {least, true, least}, {4 * least, true, 4 * least},
		} {
			if got := lengthFor(make([]uint32, tt.length), count, tt.widening); got != tt.want {
				t.Errorf("%d states in a table of %d, widening %t: %d, want %d", count, tt.length, tt.widening, got, tt.want)
			}
		}
	}
}
