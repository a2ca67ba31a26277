package states_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// TestEveryPieceIsPacked: every piece that a channel may hold, of each header, hop taken,
// flits and rest, is the same after it is packed, in drawn networks and where there are
// more pieces than are kept by their codes.
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

// TestPiecesInWords: a state says of each piece for whom it is, its class and its tag but 0,
// and of flits how many are there, how many are to come, and where the head has gone.
func TestPiecesInWords(t *testing.T) {
	topo := spec.NewTopology()
	for _, name := range []string{"A", "B", "C"} {
		topo.AddNode(name)
	}
	topo.AddLink(spec.Link{From: 0, To: 1, VCs: 1})
	topo.AddLink(spec.Link{From: 1, To: 2, VCs: 1})
	def := routing.Definition{Topology: topo, Switching: spec.Wormhole, Buffer: 3, Classes: []string{"a", "b"}, Tags: 2,
		Flows: func(src, dst spec.NodeID, _ spec.Class) bool { return src == 0 && dst == 2 },
		Routing: routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
			hop := spec.Hop{Channel: spec.ChannelID(topo.Head(at)), Tag: spec.Tag(h.Class)}
			if hop.Channel == 2 {
				hop = spec.Hop{Channel: spec.Eject}
			}
			return append(dst, hop)
		})}
	machine := func(sc spec.Scenario) *states.Traffic {
		n, err := routing.Compile(t.Context(), def, routing.CompileOptions{})
		if err != nil {
			t.Fatal(err)
		}
		m, err := states.NewTraffic(n, sc)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	tagged := func(flits, rest int) spec.Piece {
		return spec.Piece{Header: spec.Header{Dest: 2, Class: 1, Tag: 1}, Flits: flits, Rest: rest}
	}
	gone := tagged(1, 0)
	gone.Left, gone.Out = true, spec.Hop{Channel: 1, Tag: 1}
	for _, tt := range []struct {
		length int
		p      spec.Piece
		want   string
	}{
		{0, tagged(1, 0), "A->B vc0=for C class 1 tag 1"},
		{0, spec.Piece{Header: spec.Header{Dest: 2}, Flits: 1}, "A->B vc0=for C"},
		{3, tagged(2, 1), "A->B vc0=for C class 1 tag 1 (flits: 2 here, 1 to come)"},
		{3, tagged(3, 0), "A->B vc0=for C class 1 tag 1 (flits: 3 here)"},
		{3, gone, "A->B vc0=for C class 1 tag 1 (flits: 1 here, head gone to B->C vc0)"},
		{spec.AnyLength, tagged(1, 1), "A->B vc0=for C class 1 tag 1 (flits: 1 here, any number to come)"},
		{spec.AnyLength, tagged(1, 0), "A->B vc0=for C class 1 tag 1 (flits: 1 here)"},
	} {
		m := machine(spec.Scenario{Length: tt.length})
		s := m.Empty()
		s.Channels[0] = []spec.Piece{tt.p}
		if got := m.Layout().Text(m.Encode(nil, s)); got != tt.want {
			t.Errorf("%s, want %s", got, tt.want)
		}
	}
	def.Classes, def.Switching = nil, spec.StoreAndForward // packets are equal, and counted
	m := machine(spec.Scenario{})
	s, packet := m.Empty(), spec.Piece{Header: spec.Header{Dest: 2}, Flits: 1}
	empty := m.Layout().Fields()[0].Text(m.Encode(nil, s))
	s.Channels[0] = []spec.Piece{packet, packet}
	if got, want := m.Layout().Text(m.Encode(nil, s)), "A->B vc0=2 for C"; got != want || empty != "empty" {
		t.Errorf("%s, want %s; %s, want empty", got, want, empty)
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
