package states_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/spec"
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
