package states_test

import (
	"slices"
	"testing"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// TestMovesOn: a packet in a channel is required to move on, except at a dead end, where
// it counts as discarded; and a message that contracts does not count as an answer.
func TestMovesOn(t *testing.T) {
	topo := spec.NewTopology()
	for range 3 {
		topo.AddNode("")
	}
	topo.AddLink(spec.Link{From: 0, To: 1, VCs: 1})
	topo.AddLink(spec.Link{From: 1, To: 2, VCs: 1})
	n, err := routing.Compile(t.Context(), routing.Definition{Name: "line", Topology: topo, Switching: spec.Wormhole, Buffer: 3,
		Flows: func(src, dst spec.NodeID, _ spec.Class) bool { return src == 0 && dst > 0 },
		Routing: routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
			switch {
			case at.IsInjection():
				return append(dst, spec.Hop{Channel: 0})
			case h.Dest == 1:
				return append(dst, spec.Hop{Channel: spec.Eject})
			}
			return dst // a dead end
		})}, routing.CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	in := func(sc spec.Scenario, pieces ...spec.Piece) (*states.Traffic, []uint64) {
		m, err := states.NewTraffic(n, sc)
		if err != nil {
			t.Fatal(err)
		}
		return m, m.Encode(nil, spec.Occupancy{Channels: [][]spec.Piece{pieces, nil}})
	}
	packet := func(dest spec.NodeID) spec.Piece { return spec.Piece{Header: spec.Header{Dest: dest}, Flits: 1} }
	for _, tt := range []struct {
		name   string
		pieces []spec.Piece
		want   bool
	}{{"none", nil, false}, {"arrived", []spec.Piece{packet(1)}, true}, {"at a dead end", []spec.Piece{packet(2)}, false}} {
		m, s := in(spec.Scenario{}, tt.pieces...)
		if got := m.Claims().Responses[0].Pending(s); got != tt.want {
			t.Errorf("whole packets, %s: pending %v, want %v", tt.name, got, tt.want)
		}
	}
	flits := func(here, rest int, left bool) spec.Piece {
		p := packet(1)
		if p.Flits, p.Rest, p.Left = here, rest, left; left {
			p.Out.Channel = spec.Eject
		}
		return p
	}
	for _, tt := range []struct {
		name          string
		length        int
		before, after []spec.Piece
		want          bool
	}{
		{"the head has gone, and the rest is as long as before", spec.AnyLength, []spec.Piece{flits(1, 1, false)}, []spec.Piece{flits(1, 1, true)}, true},
		{"one more flit has come in", 3, []spec.Piece{flits(1, 2, false)}, []spec.Piece{flits(2, 1, false)}, false},
		{"one has gone and one has come in", 3, []spec.Piece{flits(2, 1, true)}, []spec.Piece{flits(2, 0, true)}, true},
		{"the head has gone", 3, []spec.Piece{flits(3, 0, false)}, []spec.Piece{flits(2, 0, true)}, true},
		{"all has gone", 3, []spec.Piece{flits(1, 0, true)}, nil, true},
		{"nothing has changed", 3, []spec.Piece{flits(3, 0, false)}, []spec.Piece{flits(3, 0, false)}, false},
	} {
		m, s := in(spec.Scenario{Length: tt.length}, tt.before...)
		_, after := in(spec.Scenario{Length: tt.length}, tt.after...)
		if got := m.Claims().Responses[0].Answered(s, 0, after); got != tt.want {
			t.Errorf("%s: answered %v, want %v", tt.name, got, tt.want)
		}
	}
}

// TestBroken: an invariant is broken where it applies and does not hold; one that does
// not say where it applies applies everywhere.
func TestBroken(t *testing.T) {
	at := func(n uint64) func([]uint64) bool { return func(s []uint64) bool { return s[0] == n } }
	for _, tt := range []struct {
		applies, holds func([]uint64) bool
		want           bool
	}{{nil, at(1), false}, {nil, at(2), true}, {at(1), at(1), false}, {at(1), at(2), true}, {at(2), at(1), false}, {at(2), at(2), false}} {
		v := states.Invariant{Applies: tt.applies, Holds: tt.holds}
		if got := v.Broken([]uint64{1}); got != tt.want {
			t.Errorf("applies %v, holds %v: broken %v", tt.applies == nil || tt.applies([]uint64{1}), tt.holds([]uint64{1}), got)
		}
	}
}

// TestFair: of a network's moves only injections need never happen, and all actions of a
// machine that says nothing of fairness are fair. A machine that claims nothing has no claims,
// and one that is not a network runs under no scenario.
func TestFair(t *testing.T) {
	m := line(t, 2, spec.Scenario{Packets: 2})
	fair := func(c states.Claims) (fair []bool) {
		for action := range 3 {
			fair = append(fair, c.IsFair(action))
		}
		return fair
	}
	if got := fair(states.ClaimsOf(m)); !slices.Equal(got, []bool{false, true, true}) {
		t.Errorf("of a network: %v", got)
	}
	if sc := states.Under(m); sc == nil || sc.Packets != 2 {
		t.Errorf("under %v", sc)
	}
	silent := struct{ states.Machine }{m}
	if c := states.ClaimsOf(silent); c.Responses != nil || !slices.Equal(fair(c), []bool{true, true, true}) {
		t.Errorf("of a machine that claims nothing: %d responses, fair %v", len(c.Responses), fair(c))
	}
	if sc := states.Under(silent); sc != nil {
		t.Errorf("another machine runs under %v", sc)
	}
}
