package study

import (
	"slices"
	"testing"

	"github.com/seed-105a2da2/unknot/checker/simulate"
	"github.com/seed-105a2da2/unknot/models/studies"
)

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

// TestParallelLinks: the load of a parallel link against that of the others, by hand: of two nodes in a ring, (0,0) and
// (1,0), the parallel link carries 0.3 and the cross link, which flips a bit of y, 0.2.
func TestParallelLinks(t *testing.T) {
	at := slices.IndexFunc(Figures(), func(f studies.Figure) bool { return f.Name == "mdce-parallel-1" })
	f := Figures()[at]
	for _, tt := range []struct {
		ring float64
		want studies.Outcome
	}{{0.3, studies.Confirmed}, {0.2, studies.Refuted}} {
		r := &simulate.Result{Finished: 1, Links: []simulate.Use{{Link: "(0,0)->(1,0)", Mean: tt.ring}, {Link: "(0,0)->(1,1)", Mean: 0.2}}}
		got := f.Judge([]simulate.Curve{{Name: "all pairs", Points: []*simulate.Result{r}}})
		if len(got) != 1 || got[0].Outcome != string(tt.want) {
			t.Errorf("a parallel link that carries %v: %v, want %s", tt.ring, got, tt.want)
		}
	}
}
