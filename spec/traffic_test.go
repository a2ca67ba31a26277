package spec_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// stateSpace is what a plain breadth-first search over the reference machine counts.
type stateSpace struct {
	States, Transitions int
	Global, Weak, Local int // deadlocks, see DESIGN: nothing moves; nothing in flight moves; some packet never moves again
}

// explored walks the occupancies, and checks along the way that packing loses nothing
// and that packed and unpacked successors are the same.
func explored(t *testing.T, n *spec.Network, sc spec.Scenario) stateSpace {
	t.Helper()
	m, err := states.NewTraffic(n, sc)
	if err != nil {
		t.Fatal(err)
	}
	var c stateSpace
	queue := []spec.Occupancy{m.Empty()}
	seen := map[string]bool{fmt.Sprint(m.Encode(nil, queue[0])): true}
	for i := 0; i < len(queue); i++ {
		s := queue[i]
		queue[i] = spec.Occupancy{}
		moves := m.Moves(s)
		c.Transitions += len(moves)
		if slices.ContainsFunc(s.Channels, func(p []spec.Piece) bool { return len(p) > 0 }) {
			if len(moves) == 0 {
				c.Global++
			}
			if !slices.ContainsFunc(moves, func(m spec.Move) bool { return m.Kind != spec.Advance || !m.From.IsInjection() }) {
				c.Weak++
			}
			if len(m.Stuck(s)) > 0 {
				c.Local++
			}
		}
		packed := m.Encode(nil, s)
		if diff := cmp.Diff(packed, m.Encode(nil, m.Decode(packed))); diff != "" {
			t.Fatalf("%+v: packing is not unpacked (-packed +again):\n%s", s, diff)
		}
		next, err := m.AppendSuccessors(nil, packed)
		if err != nil {
			t.Fatal(err)
		}
		words := m.Layout().Words()
		for k, move := range moves {
			after, err := m.Step(s, move)
			if err != nil {
				t.Fatalf("Step refuses what Moves lists: %v", err)
			}
			p := m.Encode(nil, after)
			if !slices.Equal(p, next[k*words:(k+1)*words]) {
				t.Fatalf("successor %d of %s differs", k, m.Layout().Text(packed))
			}
			if key := fmt.Sprint(p); !seen[key] {
				seen[key] = true
				queue = append(queue, after)
			}
		}
	}
	c.States = len(queue)
	return c
}

// The one-way ring: n^n states, n^(n+1)+(n-2)n^(n-1) transitions, (n-2)^n
// deadlocks; with two packets a channel, 343 and 28561 states, 8 and 1296
// deadlocks; with a bubble 117 and 8704 states and none. All computed
// independently of this project. A deadlock of the ring is one by all three
// notions, but local deadlocks are all weak only because the
// ring is one cycle.
func TestRingCounts(t *testing.T) {
	for _, tt := range []struct {
		n, buffer int
		sc        spec.Scenario
		want      stateSpace
	}{
		{2, 1, spec.Scenario{}, stateSpace{4, 8, 0, 0, 0}},
		{3, 1, spec.Scenario{}, stateSpace{27, 90, 1, 1, 1}},
		{4, 1, spec.Scenario{}, stateSpace{256, 1152, 16, 16, 16}},
		{5, 1, spec.Scenario{}, stateSpace{3125, 17500, 243, 243, 243}},
		{3, 2, spec.Scenario{}, stateSpace{343, -1, 8, 8, 8}},
		{3, 2, spec.Scenario{Bubble: 2}, stateSpace{117, -1, 0, 0, 0}},
		{4, 2, spec.Scenario{Bubble: 2}, stateSpace{8704, -1, 0, 0, 0}},
	} {
		def := routingtest.OneWayRing(tt.n, 1)
		def.Buffer = tt.buffer
		got := explored(t, routingtest.Compile(t, def), tt.sc)
		if tt.want.Transitions < 0 {
			got.Transitions = -1
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("n=%d, buffer %d, %s (-want +got):\n%s", tt.n, tt.buffer, tt.sc, diff)
		}
	}
}
