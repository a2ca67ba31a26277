package states_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// TestPackedPacketsStepAsDefined: along random walks of whole packets, the successors
// of packed states, and what is stuck in them, are what Moves, Step and Stuck say of
// the states that they stand for, in the same order.
func TestPackedPacketsStepAsDefined(t *testing.T) {
	stuck, counts := 0, 0
	drawn := func(rt *rapid.T) {
		n := netgen.Network(rt, netgen.Options{Nodes: 4, Channels: 7, Tags: 2, Classes: 2, Buffer: 3, MayFail: true, Discards: true}, spec.StoreAndForward)
		m, err := states.NewTraffic(n, netgen.Packets(rt, n))
		if err != nil {
			rt.Skip(err.Error())
		}
		words := m.Layout().Words()
		for c := range n.Topology().Channels() {
			if m.Queue(spec.ChannelID(c)).Counts {
				counts++
			}
		}
		packed := m.Start(nil)
		for range 40 {
			s := m.Decode(packed)
			var want []uint64
			for _, move := range m.Moves(s) {
				after, err := m.Step(s, move)
				if err != nil {
					rt.Fatal(err)
				}
				want = m.Encode(want, after)
			}
			got, err := m.AppendSuccessors(nil, packed)
			if err != nil {
				rt.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				rt.Fatalf("under %s, from %s:\n%s", m.Scenario(), m.Layout().Text(packed), diff)
			}
			if diff := cmp.Diff(m.Stuck(s), m.StuckIn(packed)); diff != "" {
				rt.Fatalf("under %s, stuck in %s:\n%s", m.Scenario(), m.Layout().Text(packed), diff)
			}
			if len(m.StuckIn(packed)) > 0 {
				stuck++
			}
			if len(got) == 0 {
				return
			}
			// Prefer moves that fill the network: injections come first.
			k := len(got)/words - 1
			i := min(rapid.IntRange(0, k).Draw(rt, "i"), rapid.IntRange(0, k).Draw(rt, "j"))
			packed = slices.Clone(got[i*words : (i+1)*words])
		}
	}
	seedtest.Few(200, func() { rapid.Check(t, drawn) }) // of a hundred, none may get stuck
	if seedtest.Usual() && (stuck == 0 || counts == 0) {
		t.Errorf("stuck: %d states, counts: %d channels", stuck, counts)
	}
}

// TestStepsKeepStatesWhole: along random walks under every scenario, a move leaves the
// state before it unchanged, gives the same result when made in place, and gives what
// its packed form stands for: nothing derived from the rest of a state goes stale. The
// successors of packed states are the results of these steps.
func TestStepsKeepStatesWhole(t *testing.T) {
	fed, whole := 0, cmp.Options{cmpopts.EquateEmpty(), cmpopts.IgnoreFields(spec.Occupancy{}, "Changed")} // about a move, not a state
	seedtest.Sample(t, 20)
	rapid.Check(t, func(rt *rapid.T) {
		n := netgen.Network(rt, netgen.Options{Nodes: 4, Channels: 7, Tags: 2, Buffer: 3, MayFail: true, Discards: true}, spec.Wormhole)
		m, err := states.NewTraffic(n, netgen.Scenario(rt, n))
		if err != nil {
			rt.Skip(err.Error())
		}
		s := m.Empty()
		for range 40 {
			moves := m.Moves(s)
			if len(moves) == 0 {
				return
			}
			before := m.Encode(nil, s)
			var all []uint64 // by steps each in new memory
			for _, move := range moves {
				after, err := m.Step(s, move)
				if err != nil {
					rt.Fatal(err)
				}
				all = m.Encode(all, after)
			}
			if next, err := m.AppendSuccessors(nil, before); err != nil || !slices.Equal(all, next) {
				rt.Fatalf("under %s, from %s (%v):\n%s", m.Scenario(), m.Layout().Text(before), err, cmp.Diff(all, next))
			}
			if diff := cmp.Diff(m.Stuck(s), m.StuckIn(before)); diff != "" {
				rt.Fatalf("under %s, stuck in %s:\n%s", m.Scenario(), m.Layout().Text(before), diff)
			}
			move := moves[rapid.IntRange(0, len(moves)-1).Draw(rt, "move")]
			after, err := m.Step(s, move)
			if err != nil {
				rt.Fatal(err)
			}
			if diff := cmp.Diff(m.Decode(before), s, whole); diff != "" {
				rt.Fatalf("%s, under %s, changed the state before it:\n%s", m.Describe(move), m.Scenario(), diff)
			}
			want := m.Decode(m.Encode(nil, after))
			if diff := cmp.Diff(want, after, whole); diff != "" {
				rt.Fatalf("%s, under %s (-packed):\n%s", m.Describe(move), m.Scenario(), diff)
			}
			if after.Undo(&s); !cmp.Equal(s, after, whole) {
				rt.Fatalf("%s, under %s, is not taken back", m.Describe(move), m.Scenario())
			}
			if err := m.Apply(&s, move); err != nil {
				rt.Fatal(err)
			}
			if !cmp.Equal(want, s, whole) {
				rt.Fatalf("%s, under %s, in place:\n%s", m.Describe(move), m.Scenario(), cmp.Diff(want, s))
			}
			if slices.Max(append(s.Fed, spec.Eject)) >= 0 {
				fed++
			}
		}
	})
	if seedtest.Usual() && fed == 0 {
		t.Error("no message was ever in two channels")
	}
}

// TestNoMoreThanIsLeft: a packet that is sent once is not injected again, and if two
// packets are sent in all, no third is.
func TestNoMoreThanIsLeft(t *testing.T) {
	top := spec.NewTopology()
	for range 2 {
		top.AddNode("")
	}
	top.AddPair(0, 1, 3)
	def := routing.Definition{Topology: top, Routing: routing.Deliver(top, routing.Func(func(dst []spec.Hop, at spec.ChannelID, _ spec.Header) []spec.Hop {
		for vc := range 3 {
			dst = append(dst, spec.Hop{Channel: top.Channel(top.OutLinks(top.Head(at))[0], vc)})
		}
		return dst
	}))}
	n := routingtest.Compile(t, def)
	for most, sc := range map[int]spec.Scenario{
		1: {Once: []spec.Flow{{Source: 0, Target: spec.Target{Dest: 1}}}},
		2: {Packets: 2},
	} {
		m, err := states.NewTraffic(n, sc)
		if err != nil {
			t.Fatal(err)
		}
		s := m.Decode(m.Start(nil))
		// The other flow, which a scenario of single packets may leave out.
		_, err = m.Step(s, spec.Move{From: spec.Injection(1), Header: spec.Header{Dest: 0}, Hop: spec.Hop{Channel: 3}})
		if (err == nil) != (sc.Once == nil) || err != nil && err.Error() != "no packet for node 0 is left to inject" {
			t.Errorf("%s, a packet of another flow: %v", sc, err)
		}
		for i := range 3 {
			after, err := m.Step(s, spec.Move{From: spec.Injection(0), Header: spec.Header{Dest: 1}, Hop: spec.Hop{Channel: spec.ChannelID(i)}})
			if (err == nil) != (i < most) || err != nil && err.Error() != "no packet for node 1 is left to inject" {
				t.Errorf("%s, packet %d: %v", sc, i+1, err)
			}
			s = after
		}
	}
}

// TestEndsFarAhead: where flits are elastic and messages of any length, the last flit may
// have left several channels when the end of its message becomes known: all of them are
// released at once. In every state of one message on a line of four links, the successors
// of packed states are the results of Step.
func TestEndsFarAhead(t *testing.T) {
	m := line(t, 1, spec.Scenario{Length: spec.AnyLength, Elastic: true})
	words, most := m.Layout().Words(), 0
	for all, i := m.Start(nil), 0; i < len(all); i += words {
		packed := all[i : i+words]
		s := m.Decode(packed)
		var want []uint64
		for _, move := range m.Moves(s) {
			after, err := m.Step(s, move)
			if err != nil {
				t.Fatal(err)
			}
			want = m.Encode(want, after)
			given := 0
			for c, pieces := range s.Channels {
				given += len(pieces) - len(after.Channels[c])
			}
			most = max(most, given)
		}
		got, err := m.AppendSuccessors(nil, packed)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Fatalf("from %s (%v):\n%s", m.Layout().Text(packed), err, diff)
		}
		for next := range slices.Chunk(got, words) {
			if !slices.ContainsFunc(slices.Collect(slices.Chunk(all, words)), func(s []uint64) bool { return slices.Equal(s, next) }) {
				all = append(all, next...)
			}
		}
	}
	if most < 3 {
		t.Errorf("at most %d channels were given up at once", most)
	}
}

// line is the traffic of flits from end to end of a line of four links, one VC each.
func line(t *testing.T, buffer int, sc spec.Scenario) *states.Traffic {
	t.Helper()
	top := spec.NewTopology()
	for range 5 {
		top.AddNode("")
	}
	for v := range spec.NodeID(4) {
		top.AddLink(spec.Link{From: v, To: v + 1, VCs: 1})
	}
	def := routing.Definition{Topology: top, Switching: spec.Wormhole, Buffer: buffer,
		Flows: func(from, to spec.NodeID, _ spec.Class) bool { return from < 2 && to > 2 },
		Routing: routing.Deliver(top, routing.Func(func(dst []spec.Hop, at spec.ChannelID, _ spec.Header) []spec.Hop {
			return append(dst, spec.Hop{Channel: top.Channel(top.OutLinks(top.Head(at))[0], 0)})
		}))}
	n := routingtest.Compile(t, def)
	m, err := states.NewTraffic(n, sc)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestMorePacketsThanWereSent: a state from a file may have more packets than its scenario
// sends, so that a queue with as many places as packets is full. No step adds to it.
func TestMorePacketsThanWereSent(t *testing.T) {
	top := spec.NewTopology()
	for range 4 {
		top.AddNode("")
	}
	for v := range 3 {
		top.AddLink(spec.Link{From: spec.NodeID(v), To: spec.NodeID(v + 1), VCs: 1})
	}
	for _, tt := range []struct {
		name string
		dest func(dst spec.NodeID) bool
	}{
		{"several values of a place", func(dst spec.NodeID) bool { return dst >= 2 }},
		{"a count", func(dst spec.NodeID) bool { return dst == 3 }},
	} {
		n, err := routing.Compile(t.Context(), routing.Definition{
			Topology: top, Switching: spec.StoreAndForward, Buffer: 5,
			Flows: func(src, dst spec.NodeID, _ spec.Class) bool { return src < dst && tt.dest(dst) },
			Routing: routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
				if top.Head(at) == h.Dest {
					return append(dst, spec.Hop{Channel: spec.Eject})
				}
				return append(dst, spec.Hop{Channel: top.Channel(spec.LinkID(top.Head(at)), 0)})
			}),
		}, routing.CompileOptions{})
		if err != nil {
			t.Fatal(err)
		}
		m, err := states.NewTraffic(n, spec.Scenario{Packets: 2})
		if err != nil {
			t.Fatal(err)
		}
		s := m.Empty()
		p := spec.Piece{Header: spec.Header{Dest: 3}, Flits: 1}
		s.Channels[0], s.Channels[1], s.Sent[0] = []spec.Piece{p}, []spec.Piece{p, p}, 2
		packed := m.Encode(nil, s)
		if err := m.Valid(packed); err != nil {
			t.Fatal(err)
		}
		next, err := m.AppendSuccessors(nil, packed)
		if err != nil {
			t.Fatal(err)
		}
		s.Channels[1], s.Channels[2] = s.Channels[1][:1], []spec.Piece{p}
		if want := m.Encode(nil, s); !slices.Equal(next, want) { // the first packet of the full queue moves
			t.Errorf("%s: from %s the steps lead to %x, want %x", tt.name, m.Layout().Text(packed), next, want)
		}
	}
}
