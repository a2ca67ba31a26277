package study

import "testing"

// TestWords: section 3.2 gives units: data of 64 bits, words of 48, a header of one word and a part of the second. So for
// every such header the longest packet has 12 or 13 words, the shortest 3 or 4, and a FIFO of 64 words holds 5 or 4 of the
// longest; both headers of the figures are among them, one on either side.
func TestWords(t *testing.T) {
	for header := 49; header < 96; header++ {
		longest, shortest := Words(8, header), Words(1, header)
		if longest != 12 && longest != 13 || shortest != 3 && shortest != 4 || 64/longest != 17-longest {
			t.Errorf("header of %d bits: %d to %d words, %d in a FIFO", header, shortest, longest, 64/longest)
		}
	}
	for _, tt := range []struct{ header, shortest, longest int }{{shortHeader, 3, 12}, {longHeader, 4, 13}} {
		// 64 + 64 = 128 and 64 + 512 = 576 bits are 2.67 and 12 words; 88 + 64 = 152 and 88 + 512 = 600 are 3.17 and 12.5.
		if got := [2]int{Words(1, tt.header), Words(8, tt.header)}; got != [2]int{tt.shortest, tt.longest} {
			t.Errorf("header of %d bits: %v words, want %d and %d", tt.header, got, tt.shortest, tt.longest)
		}
	}
}
