package spec_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
	"github.com/seed-105a2da2/unknot/spec/states"
)

func TestStepRefuses(t *testing.T) {
	n, err := states.NewTraffic(routingtest.Compile(t, routingtest.OneWayRing(3, 1)), spec.Scenario{})
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
		{"another packet", full, spec.Move{From: 0, Header: spec.Header{Dest: 1}, Hop: spec.Hop{Channel: spec.Eject}},
			"the packet for 1 is not at the head of 0->1 vc0"},
		{"not permitted", full, spec.Move{From: 0, Header: h, Hop: spec.Hop{Channel: spec.Eject}}, "the relation does not permit this hop from 0->1 vc0 for 2"},
		{"illegal header", full, spec.Move{From: 0, Header: spec.Header{Dest: 0}, Hop: spec.Hop{Channel: 1}},
			"no packet for 0 with that header reaches 0->1 vc0"},
		{"no such channel", full, spec.Move{From: 7, Header: h}, "channel 7 does not exist"},
		{"the channel after the last", full, spec.Move{From: 3, Header: h}, "channel 3 does not exist"},
		{"no such node", full, spec.Move{From: spec.Injection(9), Header: h}, "channel -11 does not exist"},
		{"from eject", full, spec.Move{From: spec.Eject, Header: h}, "channel -1 does not exist"},
		{"into an injection channel", full, spec.Move{From: 0, Header: h, Hop: spec.Hop{Channel: spec.Injection(0)}}, "no packet moves into channel -2"},
		{"nothing follows", full, spec.Move{Kind: spec.Follow, From: 0, Header: h, Hop: spec.Hop{Channel: 1}},
			"no flit in 0->1 vc0 follows its head by this hop"},
		{"nothing enters", full,
			spec.Move{Kind: spec.Follow, From: spec.Injection(0), Header: h, Hop: spec.Hop{Channel: 0}},
			"no flit for 2 is waiting to enter 0->1 vc0"},
		{"nothing to finish", full,
			spec.Move{Kind: spec.Finish, From: spec.Injection(0), Header: h, Hop: spec.Hop{Channel: 0}},
			"no flit for 2 is waiting to enter 0->1 vc0"},
		{"nothing to consume", full, spec.Move{Kind: spec.Consume, From: spec.Injection(0), Hop: spec.Hop{Channel: spec.Eject}}, "no packet to consume"},
		{"no such kind", full, spec.Move{Kind: 9, From: 0, Header: h}, "invalid kind of move 9"},
		{"a destination below all", full, spec.Move{From: 0, Header: spec.Header{Dest: -1}}, "no packet for node -1 with that header reaches 0->1 vc0"},
		{"no such destination", full, spec.Move{From: 0, Header: spec.Header{Dest: 9}}, "no packet for node 9 with that header reaches 0->1 vc0"},
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

// TestFlitStepsRefused: messages of flits move by the same rules; each rule, broken
// alone, is enforced. Channel 0 holds the head of a message for node 2 with two flits
// to come; then it has moved on to channel 1.
func TestFlitStepsRefused(t *testing.T) {
	def := routingtest.OneWayRing(3, 1)
	def.Switching = spec.Wormhole
	rigid := routingtest.Compile(t, def)
	def.Buffer = 2
	deep := routingtest.Compile(t, def)
	run := func(n *spec.Network, sc spec.Scenario, moves ...spec.Move) (*spec.Traffic, spec.Occupancy) {
		m, err := n.Traffic(sc)
		if err != nil {
			t.Fatal(err)
		}
		s := m.Empty()
		for _, move := range moves {
			if s, err = m.Step(s, move); err != nil {
				t.Fatal(err)
			}
		}
		return m, s
	}
	h := spec.Header{Dest: 2}
	to := func(c spec.ChannelID) spec.Hop { return spec.Hop{Channel: c} }
	inject := spec.Move{From: spec.Injection(0), Header: h, Hop: to(0)}
	enter := spec.Move{Kind: spec.Follow, From: spec.Injection(0), Header: h, Hop: to(0)}
	on := spec.Move{From: 0, Header: h, Hop: to(1)}
	follow := spec.Move{Kind: spec.Follow, From: 0, Header: h, Hop: to(1)}
	consume := spec.Move{Kind: spec.Consume, From: spec.Injection(2), Hop: to(spec.Eject)}
	with := func(m spec.Move, change func(*spec.Move)) spec.Move { change(&m); return m }
	long, one := spec.Scenario{Length: 3}, spec.Scenario{Sink: 1}
	through := []spec.Move{inject, on, {From: 1, Header: h, Hop: to(spec.Eject)}}
	for _, tt := range []struct {
		name   string
		n      *spec.Network
		sc     spec.Scenario
		before []spec.Move
		move   spec.Move
		want   string // "" accepts
	}{
		{"a flit enters", deep, long, []spec.Move{inject}, enter, ""},
		{"a flit follows", deep, long, []spec.Move{inject, on, enter}, follow, ""},
		{"a packet is consumed", deep, one, through, consume, ""},

		{"a head that has moved on", deep, long, []spec.Move{inject, on, enter}, on, "is not at the head"},
		{"no such channel", deep, long, []spec.Move{inject}, with(enter, func(m *spec.Move) { m.Hop = to(3) }), "no packet moves into channel 3"},
		{"no room", deep, long, []spec.Move{inject, enter}, enter, "0->1 vc0 is full"},
		{"a whole message shifts", rigid, long, []spec.Move{inject}, enter, "the flits of a rigid packet enter only as its head moves"},
		{"with a tag", deep, long, []spec.Move{inject}, with(enter, func(m *spec.Move) { m.Header.Tag = 1 }), "no flit for 2 is waiting"},
		{"of another message", deep, long, []spec.Move{inject}, with(enter, func(m *spec.Move) { m.Header.Dest = 1 }), "no flit for 1 is waiting"},
		{"out of the network", deep, long, []spec.Move{inject}, with(enter, func(m *spec.Move) { m.Hop = to(spec.Eject) }), "no packet is entering"},
		{"into an empty channel", deep, long, []spec.Move{inject},
			with(enter, func(m *spec.Move) { m.From, m.Hop = spec.Injection(1), to(1) }), "no packet is entering"},
		{"from another node", deep, long, []spec.Move{inject}, with(enter, func(m *spec.Move) { m.From = spec.Injection(1) }), "no packet is entering"},
		{"finish a length", deep, long, []spec.Move{inject}, with(enter, func(m *spec.Move) { m.Kind = spec.Finish }), "does not finish early"},
		{"finish from a channel", deep, long, []spec.Move{inject},
			with(enter, func(m *spec.Move) { m.Kind, m.From = spec.Finish, 0 }), "no packet is entering"},
		{"finish from a channel before it", deep, long, []spec.Move{inject},
			with(enter, func(m *spec.Move) { m.Kind, m.From = spec.Finish, 2 }), "no packet is entering"},
		{"into channel 0 behind a head that is here", deep, long, []spec.Move{{From: spec.Injection(2), Header: spec.Header{Dest: 1}, Hop: to(2)}},
			spec.Move{Kind: spec.Follow, From: 2, Header: spec.Header{Dest: 1}, Hop: to(0)}, "no flit in 2->0 vc0 follows"},
		{"behind a head that is here", deep, long, []spec.Move{inject}, follow, "no flit in 0->1 vc0 follows"},
		{"from an empty channel", deep, long, nil, follow, "no flit in 0->1 vc0 follows"},
		{"another way", deep, long, []spec.Move{inject, on, enter}, with(follow, func(m *spec.Move) { m.Hop = to(2) }), "no flit in 0->1 vc0 follows"},
		{"as another message", deep, long, []spec.Move{inject, on, enter},
			with(follow, func(m *spec.Move) { m.Header.Dest = 1 }), "no flit in 0->1 vc0 follows"},
		{"into a full channel", deep, long, []spec.Move{inject, on, enter, follow, enter}, follow, "no flit can follow from 0->1 vc0"},
		{"into a full sink", deep, one, append(through[:3:3], inject, on), through[2], "the sink of 2 is full"},
		{"from no sink", deep, one, through, with(consume, func(m *spec.Move) { m.From = 1 }), "no packet to consume"},
		{"for somebody", deep, one, through, with(consume, func(m *spec.Move) { m.Header = h }), "no packet to consume"},
		{"to a channel", deep, one, through, with(consume, func(m *spec.Move) { m.Hop = to(0) }), "no packet to consume"},
		{"from an empty sink", deep, one, nil, consume, "no packet to consume"},
		{"sinks that drain", deep, spec.Scenario{}, through, consume, "no packet to consume"},
	} {
		m, s := run(tt.n, tt.sc, tt.before...)
		_, err := m.Step(s, tt.move)
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}

// TestMovesTouchTheEnds: a message that shifts as a whole moves at its head and at its
// tail; the channels between, however many, are not looked at: here they hold nothing,
// and what feeds them does not exist. It occupies channels 0 to 4 of a ring, with no
// flit left at the source.
func TestMovesTouchTheEnds(t *testing.T) {
	def := routingtest.OneWayRing(8, 1)
	def.Switching = spec.Wormhole
	n, h := routingtest.Compile(t, def), spec.Header{Dest: 7}
	on := func(c spec.ChannelID) spec.Move {
		return spec.Move{From: c, Header: h, Hop: spec.Hop{Channel: c + 1}}
	}
	enter := spec.Move{From: spec.Injection(0), Header: h}
	finish := enter
	finish.Kind = spec.Finish
	for _, tt := range []struct {
		length int
		last   []spec.Move // the moves that take its last flit from the source
	}{{5, nil}, {spec.AnyLength, []spec.Move{finish}}} {
		m, err := n.Traffic(spec.Scenario{Length: tt.length})
		if err != nil {
			t.Fatal(err)
		}
		s := m.Empty()
		for _, move := range append([]spec.Move{enter, on(0), on(1), on(2), on(3)}, tt.last...) {
			if err := m.Apply(&s, move); err != nil {
				t.Fatal(err)
			}
		}
		const none = 1 << 20
		for c := 2; c <= 3; c++ {
			s.Channels[c], s.Fed[c] = nil, none
		}
		var before spec.Occupancy
		before.Copy(s)
		s.Changed = nil
		if err := m.Apply(&s, on(4)); err != nil {
			t.Fatal(err)
		}
		for c := range s.Channels { // the far tail is reported, too
			if (!cmp.Equal(before.Channels[c], s.Channels[c], cmpopts.EquateEmpty()) || before.Fed[c] != s.Fed[c]) &&
				!slices.Contains(s.Changed, spec.ChannelID(c)) {
				t.Errorf("length %d: channel %d has changed, told are %v", tt.length, c, s.Changed)
			}
		}
		want := m.Empty()
		want.Fed[2], want.Fed[3], want.Fed[4], want.Fed[5] = none, none, 3, 4
		want.Channels[1] = []spec.Piece{{Header: h, Flits: 1, Left: true, Out: spec.Hop{Channel: 2}}}
		want.Channels[4] = []spec.Piece{{Header: h, Flits: 1, Left: true, Out: spec.Hop{Channel: 5}}}
		want.Channels[5] = []spec.Piece{{Header: h, Flits: 1, Tail: 1}}
		if diff := cmp.Diff(want, s, cmpopts.EquateEmpty(), cmpopts.IgnoreFields(spec.Occupancy{}, "Changed")); diff != "" {
			t.Errorf("length %d (-want +got):\n%s", tt.length, diff)
		}
	}
}
