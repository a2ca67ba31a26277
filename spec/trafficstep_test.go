package spec_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/states"
)

func TestStepRefuses(t *testing.T) {
	n, err := states.NewTraffic(compile(t, oneWayRing(3, 1)), spec.Scenario{})
	if err != nil {
		t.Fatal(err)
	}
	h := spec.Header{Dest: 2}
	inject := spec.Move{From: spec.Injection(0), Header: h, Hop: spec.Hop{Channel: 0}}
	full, err := n.Step(n.Empty(), inject)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name  string
		state spec.Occupancy
		move  spec.Move
		want  string
	}{
		{"full", full, inject, "0->1 vc0 is full"},
		{"nobody there", n.Empty(), spec.Move{From: 0, Header: h, Hop: spec.Hop{Channel: 1}}, "the packet for 2 is not at the head of 0->1 vc0"},
		{"not permitted", full, spec.Move{From: 0, Header: h, Hop: spec.Hop{Channel: spec.Eject}}, "the relation does not permit this hop from 0->1 vc0 for 2"},
		{"illegal header", full, spec.Move{From: 0, Header: spec.Header{Dest: 0}, Hop: spec.Hop{Channel: 1}}, "no packet for 0 with that header comes to 0->1 vc0"},
		{"no such channel", full, spec.Move{From: 7, Header: h}, "channel 7 does not exist"},
		{"no such node", full, spec.Move{From: spec.Injection(9), Header: h}, "channel -11 does not exist"},
		{"from eject", full, spec.Move{From: spec.Eject, Header: h}, "channel -1 does not exist"},
		{"into an injection channel", full, spec.Move{From: 0, Header: h, Hop: spec.Hop{Channel: spec.Injection(0)}}, "no packet moves into channel -2"},
		{"nothing follows", full, spec.Move{Kind: spec.Follow, From: 0, Header: h, Hop: spec.Hop{Channel: 1}}, "no flit in 0->1 vc0 follows a head there"},
		{"nothing enters", full, spec.Move{Kind: spec.Follow, From: spec.Injection(0), Header: h, Hop: spec.Hop{Channel: 0}}, "no flit for 2 is waiting to enter 0->1 vc0"},
		{"nothing to finish", full, spec.Move{Kind: spec.Finish, From: spec.Injection(0), Header: h, Hop: spec.Hop{Channel: 0}}, "no flit for 2 is waiting to enter 0->1 vc0"},
		{"nothing to consume", full, spec.Move{Kind: spec.Consume, From: spec.Injection(0), Hop: spec.Hop{Channel: spec.Eject}}, "no packet to consume"},
		{"no such kind", full, spec.Move{Kind: 9, From: 0, Header: h}, "invalid kind of move 9"},
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
