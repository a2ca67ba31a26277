package liveness

import (
	"context"
	"testing"

	"github.com/seed-105a2da2/unknot/checker/internal/graph"
)

// TestPath: in a line of states with a detour the path is the shorter way; a goal that no step reaches has none, and a search
// whose context has ended gives up within 65,536 states.
func TestPath(t *testing.T) {
	const n = 1 << 17
	g := &Graph{Graph: graph.Graph{First: []uint32{0}}, Components: graph.Components{Of: make([]int32, n)}}
	for i := range int32(n - 1) {
		if i == 0 {
			g.To = append(g.To, 1, 3) // the detour is by 1 and 2
		} else {
			g.To = append(g.To, i+1)
		}
		g.First = append(g.First, uint32(len(g.To)))
	}
	g.First = append(g.First, uint32(len(g.To)))
	f := &follower{g, map[int32][]int32{}}
	to := func(state int32) func(uint32, int32, int32) bool {
		return func(e uint32, _, _ int32) bool { return g.To[e] == state }
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tt := range []struct {
		ctx  context.Context
		goal int32
		want int // steps; 0: none
	}{{t.Context(), 1, 1}, {t.Context(), 3, 1}, {t.Context(), 10, 8}, {t.Context(), n - 1, n - 3}, {t.Context(), 0, 0}, {ended, n - 1, 0}, {ended, 10, 8}} {
		path := f.path(tt.ctx, 0, -1, to(tt.goal))
		if len(path) != tt.want {
			t.Errorf("to state %d: %d steps, want %d", tt.goal, len(path), tt.want)
		}
		for i, at := 0, int32(0); i < len(path); i, at = i+1, g.To[path[i]] {
			if from, end := g.steps(at); path[i] < from || path[i] >= end {
				t.Fatalf("step %d does not lead on from state %d", i, at)
			}
		}
	}
}
