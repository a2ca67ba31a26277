package simulate

import "testing"

// TestTurns: after the warm-up, where nothing ends, a window ends every so many clocks, and a piece with each part of the
// rest.
func TestTurns(t *testing.T) {
	const warmup, clocks = 1000, 1000 + 7*window*pieces
	m := newMeasures(&Options{Warmup: warmup, Clocks: clocks}, nil, []float64{1})
	for clock := int32(0); clock < clocks; clock++ {
		past := int(clock) - warmup
		m.piece = max(0, (past-1)*pieces/(clocks-warmup)) // of the clock before
		want := past >= 0 && (past%window == 0 || past%(7*window) == 0)
		if got := m.turns(clock); got != want {
			t.Fatalf("clock %d: %t, want %t", clock, got, want)
		}
	}
}
