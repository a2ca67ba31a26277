package spec_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/spec"
)

// explore counts the states and transitions of the reference machine, and the
// states in which no packet in flight can move.
func explore(t *testing.T, n *spec.Network) (states, transitions, dead int) {
	t.Helper()
	seen := map[string]bool{}
	queue := []spec.State{n.EmptyState()}
	seen[fmt.Sprint(queue[0])] = true
	for i := 0; i < len(queue); i++ {
		moves := n.Moves(queue[i])
		inFlight := false
		for _, m := range moves {
			inFlight = inFlight || !m.From.IsInjection()
			next, err := n.Step(queue[i], m)
			if err != nil {
				t.Fatalf("Step refuses what Moves lists: %v", err)
			}
			if key := fmt.Sprint(next); !seen[key] {
				seen[key] = true
				queue = append(queue, next)
			}
		}
		transitions += len(moves)
		if i > 0 && !inFlight {
			dead++
		}
	}
	return len(queue), transitions, dead
}

// A one-way ring of n nodes, one packet a channel: n^n states (each channel is
// empty or holds one of n-1 destinations), n^(n+1)+(n-2)n^(n-1) transitions,
// and (n-2)^n states in which every packet wants to go on. With two packets a
// channel, n=3: 343 states, 8 of them dead. Computed independently.
func TestStepCountsOfTheRing(t *testing.T) {
	type counts struct{ States, Transitions, Dead int }
	for _, tt := range []struct {
		n, buffer int
		want      counts
	}{
		{2, 1, counts{4, 8, 0}},
		{3, 1, counts{27, 90, 1}},
		{4, 1, counts{256, 1152, 16}},
		{5, 1, counts{3125, 17500, 243}},
		{3, 2, counts{343, -1, 8}},
	} {
		def := oneWayRing(tt.n, 1)
		def.Buffer = tt.buffer
		var got counts
		got.States, got.Transitions, got.Dead = explore(t, compile(t, def))
		if tt.want.Transitions < 0 {
			got.Transitions = -1
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("n=%d, buffer %d (-want +got):\n%s", tt.n, tt.buffer, diff)
		}
	}
}

func TestStepRefuses(t *testing.T) {
	n := compile(t, oneWayRing(3, 1))
	h := spec.Header{Dest: 2}
	inject := spec.Move{From: spec.Injection(0), Header: h, Hop: spec.Hop{Channel: 0}}
	full, err := n.Step(n.EmptyState(), inject)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name  string
		state spec.State
		move  spec.Move
		want  string
	}{
		{"full", full, inject, "0->1 vc0 is full"},
		{"nobody there", n.EmptyState(), spec.Move{From: 0, Header: h, Hop: spec.Hop{Channel: 1}}, "the packet for 2 is not at the head of 0->1 vc0"},
		{"not permitted", full, spec.Move{From: 0, Header: h, Hop: spec.Hop{Channel: spec.Eject}}, "the relation does not permit this hop from 0->1 vc0 for 2"},
		{"illegal header", full, spec.Move{From: 0, Header: spec.Header{Dest: 0}, Hop: spec.Hop{Channel: 1}}, "no packet for 0 with that header comes to 0->1 vc0"},
		{"no such channel", full, spec.Move{From: 7, Header: h}, "channel 7 does not exist"},
		{"no such node", full, spec.Move{From: spec.Injection(9), Header: h}, "channel -11 does not exist"},
		{"from eject", full, spec.Move{From: spec.Eject, Header: h}, "channel -1 does not exist"},
		{"no such destination", full, spec.Move{From: 0, Header: spec.Header{Dest: 9}}, "no packet for node 9 with that header comes to 0->1 vc0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := n.Step(tt.state, tt.move)
			if err == nil {
				t.Fatal("accepted")
			}
			if diff := cmp.Diff(tt.want, err.Error()); diff != "" {
				t.Error(diff)
			}
		})
	}
}
