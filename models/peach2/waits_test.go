package peach2

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestWaitsOfTwoBoards: the waits of two boards, counted by hand. Writes wait
// twice on their way (from the host, between boards, to the host), reads as
// often and once more for the completion, which waits once: 12 in both
// directions. Posted writes are in each of the six links, and reads there, too,
// completions in four of them: 10 waits for writes that must not be passed, if
// buffers are apart, 6 if reads and completions share one.
func TestWaitsOfTwoBoards(t *testing.T) {
	c := generate(t, Options{Boards: 2})
	for _, tt := range []struct {
		reads                 Reads
		buffers, waits, cycle int
	}{
		{NoReads, 2, 0, 0},
		{Separate, 16, 12 + 10, 0},
		{Shared, 12, 4 + 6 + 6, 6}, // read and completion from link to link are one wait
		{FIFO, 6, 6, 6},
		{InOrder, 10, 4 + 2 + 2 + 4, 8}, // reads and writes are one wait; 4 completions behind them
	} {
		w, err := Waits(c, WaitsOptions{Reads: tt.reads})
		if err != nil {
			t.Fatal(err)
		}
		if got := [3]int{len(w.Buffers), w.Waits, len(w.Cycle)}; got != [3]int{tt.buffers, tt.waits, tt.cycle} {
			t.Errorf("%s: buffers, waits, cycle %d, want %d %d %d", tt.reads, got, tt.buffers, tt.waits, tt.cycle)
		}
		if (w.Ranks != nil) == (tt.cycle > 0) {
			t.Errorf("%s: ranks %v with a cycle of %d", tt.reads, w.Ranks, tt.cycle)
		}
	}
}

func TestShortestCycle(t *testing.T) {
	for _, tt := range []struct {
		next [][]int
		want []int
	}{
		{nil, nil},
		{[][]int{{1}, {2}, {}}, nil},
		{[][]int{{1}, {2}, {0}, {4}, {3}, {6}, {7}, {5}}, []int{3, 4}},
		{[][]int{{1, 2}, {2}, {0}}, []int{0, 2}},
		{[][]int{{1}, {1}}, []int{1}},
	} {
		if diff := cmp.Diff(tt.want, shortestCycle(tt.next)); diff != "" {
			t.Errorf("%v (-want +got):\n%s", tt.next, diff)
		}
		if _, ok := ranks(tt.next); ok != (tt.want == nil) {
			t.Errorf("%v: ranks %t", tt.next, ok)
		}
	}
}

// TestRanks: every wait goes to a lower rank.
func TestRanks(t *testing.T) {
	next := [][]int{{1, 3}, {2}, {3}, {}, {0}}
	rank, ok := ranks(next)
	if diff := cmp.Diff([]int{3, 2, 1, 0, 4}, rank); diff != "" || !ok {
		t.Errorf("%t (-want +got):\n%s", ok, diff)
	}
}
