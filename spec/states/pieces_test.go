package states_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// TestEveryPieceIsPacked: every piece that a channel may hold, for each header, hop
// taken, flits and rest, is the same after packing, in drawn networks and where there are
// more pieces than have a code.
func TestEveryPieceIsPacked(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		m := drawTraffic(rt)
		if m.Scenario().Flits() {
			packEveryPiece(rt, m)
		}
	})
	// Two hops, 0 to 40 flits, 0 to 39 to come: 3,280 pieces in a channel.
	packEveryPiece(t, line(t, 40, spec.Scenario{Length: 40}))
}

func packEveryPiece(t rapid.TB, m *states.Traffic) {
	s, rests := m.Empty(), max(2*spec.AnyLength*m.Scenario().Length, m.Scenario().Length)
	for c := range s.Channels {
		headers, rows := m.Headers(spec.ChannelID(c))
		for i, h := range headers {
			for out, hop := range append([]spec.Hop{{}}, m.Network().Row(rows[i])...) {
				for flits := range m.PieceFlits() + 1 {
					for rest := range rests {
						want := []spec.Piece{{Header: h, Flits: flits, Rest: rest, Left: out > 0, Out: hop}}
						s.Channels[c] = want
						got := m.Decode(m.Encode(nil, s)).Channels[c]
						if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(spec.Piece{}, "Tail")); diff != "" {
							t.Fatalf("channel %d:\n%s", c, diff)
						}
					}
				}
			}
		}
		s.Channels[c] = nil
	}
}

// TestPiecesInWords: the text of a state gives, for each piece, its destination, its class
// and its tag unless 0, and for flits how many are there, how many are to come, and where
// the head has gone.
func TestPiecesInWords(t *testing.T) {
	machine := tagged(t, "a", "b")
	piece := func(flits, rest int) spec.Piece {
		return spec.Piece{Header: spec.Header{Dest: 2, Class: 1, Tag: 1}, Flits: flits, Rest: rest}
	}
	gone := piece(1, 0)
	gone.Left, gone.Out = true, spec.Hop{Channel: 1, Tag: 1}
	for _, tt := range []struct {
		length int
		p      spec.Piece
		want   string
	}{
		{0, piece(1, 0), "A->B vc0=for C class 1 tag 1"},
		{0, spec.Piece{Header: spec.Header{Dest: 2}, Flits: 1}, "A->B vc0=for C"},
		{3, piece(2, 1), "A->B vc0=for C class 1 tag 1 (flits: 2 here, 1 to come)"},
		{3, piece(3, 0), "A->B vc0=for C class 1 tag 1 (flits: 3 here)"},
		{3, gone, "A->B vc0=for C class 1 tag 1 (flits: 1 here, head gone to B->C vc0)"},
		{spec.AnyLength, piece(1, 1), "A->B vc0=for C class 1 tag 1 (flits: 1 here, any number to come)"},
		{spec.AnyLength, piece(1, 0), "A->B vc0=for C class 1 tag 1 (flits: 1 here)"},
	} {
		m := machine(spec.Wormhole, spec.Scenario{Length: tt.length})
		s := m.Empty()
		s.Channels[0] = []spec.Piece{tt.p}
		if got := m.Layout().Text(m.Encode(nil, s)); got != tt.want {
			t.Errorf("%s, want %s", got, tt.want)
		}
	}
	m := tagged(t)(spec.StoreAndForward, spec.Scenario{}) // packets are equal, and counted
	s, packet := m.Empty(), spec.Piece{Header: spec.Header{Dest: 2}, Flits: 1}
	empty := m.Layout().Fields()[0].Text(m.Encode(nil, s))
	s.Channels[0] = []spec.Piece{packet, packet}
	if got, want := m.Layout().Text(m.Encode(nil, s)), "A->B vc0=2 for C"; got != want || empty != "empty" {
		t.Errorf("%s, want %s; %s, want empty", got, want, empty)
	}
}

// tagged makes machines of a line from A over B to C, where packets of the second class
// have tag 1.
func tagged(t *testing.T, classes ...string) func(spec.Switching, spec.Scenario) *states.Traffic {
	topo := spec.NewTopology()
	for _, name := range []string{"A", "B", "C"} {
		topo.AddNode(name)
	}
	topo.AddLink(spec.Link{From: 0, To: 1, VCs: 1})
	topo.AddLink(spec.Link{From: 1, To: 2, VCs: 1})
	def := routing.Definition{Topology: topo, Buffer: 3, Classes: classes, Tags: 2,
		Flows: func(src, dst spec.NodeID, _ spec.Class) bool { return src == 0 && dst == 2 },
		Routing: routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
			hop := spec.Hop{Channel: spec.ChannelID(topo.Head(at)), Tag: spec.Tag(h.Class)}
			if hop.Channel == 2 {
				hop = spec.Hop{Channel: spec.Eject}
			}
			return append(dst, hop)
		})}
	return func(s spec.Switching, sc spec.Scenario) *states.Traffic {
		def.Switching = s
		n := routingtest.Compile(t, def)
		m, err := states.NewTraffic(n, sc)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
}

// TestMovesInWords: the text of a move gives the packet's destination, its class if there
// are several, its tag unless 0, from where and to where it goes, and the tag that it gets
// there if that differs.
func TestMovesInWords(t *testing.T) {
	source, h := spec.Injection(0), spec.Header{Dest: 2, Class: 1, Tag: 1}
	for _, tt := range []struct {
		classes []string
		move    spec.Move
		want    string
	}{
		{nil, spec.Move{Kind: spec.Consume, From: spec.Injection(2), Hop: spec.Hop{Channel: spec.Eject}}, "the sink of C consumes a packet"},
		{nil, spec.Move{Kind: spec.Finish, From: source, Header: h, Hop: spec.Hop{Channel: 0, Tag: 1}}, "the packet for C that enters A->B vc0 ends"},
		{nil, spec.Move{Kind: spec.Follow, From: 0, Header: h, Hop: spec.Hop{Channel: 1, Tag: 1}}, "flit for C: A->B vc0 -> B->C vc0"},
		{nil, spec.Move{From: 0, Header: spec.Header{Dest: 2}, Hop: spec.Hop{Channel: 1}}, "packet for C: A->B vc0 -> B->C vc0"},
		{[]string{"a", "b"}, spec.Move{From: 0, Header: h, Hop: spec.Hop{Channel: 1, Tag: 1}}, "packet for C, class b, tag 1: A->B vc0 -> B->C vc0"},
		{[]string{"a", "b"}, spec.Move{From: 0, Header: spec.Header{Dest: 2}, Hop: spec.Hop{Channel: 1, Tag: 1}},
			"packet for C, class a: A->B vc0 -> B->C vc0, tag 1"},
		{[]string{"a", "b"}, spec.Move{From: 1, Header: h, Hop: spec.Hop{Channel: spec.Eject}}, "packet for C, class b, tag 1: B->C vc0 -> eject"},
	} {
		if got := tagged(t, tt.classes...)(spec.Wormhole, spec.Scenario{}).Describe(tt.move); got != tt.want {
			t.Errorf("%s, want %s", got, tt.want)
		}
	}
}

// TestPacked: states of up to 2^20 places can be packed: four channels of 2 + (b-2)/2 each.
func TestPacked(t *testing.T) {
	for buffer, want := range map[int]bool{1<<19 - 2: true, 1 << 19: false} {
		err := line(t, buffer, spec.Scenario{Length: 2, Shared: true}).Packed()
		if bound := new(spec.BoundError); (err == nil) != want || err != nil && !errors.As(err, &bound) {
			t.Errorf("buffers of %d flits: %v", buffer, err)
		}
	}
}

// TestComesAgain: a packet that goes round enters a channel in which it still is,
// behind itself, so one packet has several pieces there, whatever the bound on
// packets.
func TestComesAgain(t *testing.T) {
	topo := spec.NewTopology()
	for range 3 {
		topo.AddNode("")
	}
	for _, ends := range [][2]spec.NodeID{{0, 1}, {1, 0}, {1, 2}} {
		topo.AddLink(spec.Link{From: ends[0], To: ends[1], VCs: 1})
	}
	n, err := routing.Compile(t.Context(), routing.Definition{Topology: topo, Switching: spec.Wormhole, Buffer: 2,
		Flows: func(src, dst spec.NodeID, _ spec.Class) bool { return src == 0 && dst == 2 },
		Routing: routing.Func(func(dst []spec.Hop, at spec.ChannelID, _ spec.Header) []spec.Hop {
			return append(dst, spec.Hop{Channel: spec.ChannelID(topo.Head(at))}) // round and round
		})}, routing.CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := states.NewTraffic(n, spec.Scenario{Length: spec.AnyLength, Shared: true, Packets: 1})
	if err != nil {
		t.Fatal(err)
	}
	again, seen := 0, map[string]bool{}
	for todo := []spec.Occupancy{m.Empty()}; len(todo) > 0; todo = todo[1:] {
		s := todo[0]
		packed := m.Encode(nil, s)
		if name := m.Layout().Text(packed); seen[name] {
			continue
		} else {
			seen[name] = true
		}
		if diff := cmp.Diff(s.Channels, m.Decode(packed).Channels, cmpopts.EquateEmpty()); diff != "" {
			t.Fatal(diff)
		}
		if len(s.Channels[0]) > 1 {
			again++
		}
		for _, move := range m.Moves(s) {
			after, err := m.Step(s, move)
			if err != nil {
				t.Fatal(err)
			}
			todo = append(todo, after)
		}
	}
	if again == 0 {
		t.Error("the packet never came again")
	}
}

// TestQuotas: single packets are counted by flow, all others together, and without a bound
// none is counted.
func TestQuotas(t *testing.T) {
	flow := func(from, to spec.NodeID) spec.Flow { return spec.Flow{Source: from, Target: spec.Target{Dest: to}} }
	type quota struct {
		Field, Limit int
		OK           bool
	}
	for _, tt := range []struct {
		sc   spec.Scenario
		want []quota // of 0->3, 0->4 and 1->4
	}{
		{spec.Scenario{}, []quota{{-1, 0, true}, {-1, 0, true}, {-1, 0, true}}},
		{spec.Scenario{Packets: 3}, []quota{{0, 3, true}, {0, 3, true}, {0, 3, true}}},
		{spec.Scenario{Once: []spec.Flow{flow(1, 4), flow(0, 3), flow(1, 4)}}, []quota{{0, 1, true}, {-1, 0, false}, {1, 2, true}}},
	} {
		m := line(t, 2, tt.sc)
		var got []quota
		for _, f := range []spec.Flow{flow(0, 3), flow(0, 4), flow(1, 4)} {
			field, limit, ok := m.Quota(f)
			got = append(got, quota{field, limit, ok})
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.sc, diff)
		}
		sum := 0
		for _, field := range m.SentFields() {
			sum += int(field.Values) - 1
		}
		if flows, times := m.SentOnce(); sum != tt.sc.Packets+len(tt.sc.Once) || len(flows) != len(times) ||
			len(tt.sc.Once) > 0 && (!cmp.Equal(flows, []spec.Flow{flow(0, 3), flow(1, 4)}) || !cmp.Equal(times, []int{1, 2})) {
			t.Errorf("%s: %d counted, %v sent %v times", tt.sc, sum, flows, times)
		}
	}
}
