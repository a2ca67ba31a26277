package spec_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/costtest"
)

// TestStuckShared: two channels a and b lead into each other, and a message in one only
// ever wants the other. Behind a tail there is room as soon as its message has
// contracted.
func TestStuckShared(t *testing.T) {
	topo := spec.NewTopology()
	for range 3 {
		topo.AddNode("")
	}
	topo.AddLink(spec.Link{From: 0, To: 1, VCs: 1})
	topo.AddLink(spec.Link{From: 1, To: 0, VCs: 1})
	const a, b = spec.ChannelID(0), spec.ChannelID(1)
	other := routing.Func(func(dst []spec.Hop, at spec.ChannelID, _ spec.Header) []spec.Hop {
		return append(dst, spec.Hop{Channel: topo.Channel(topo.OutLinks(topo.Head(at))[0], 0)})
	})
	head := func(flits int) spec.Piece { return spec.Piece{Header: spec.Header{Dest: 2}, Flits: flits} }
	tail := func(flits, rest int, to spec.ChannelID) spec.Piece {
		p := head(flits)
		p.Rest, p.Left, p.Out = rest, true, spec.Hop{Channel: to}
		return p
	}
	for _, tt := range []struct {
		name   string
		buffer int
		length int
		a, b   []spec.Piece
		want   []spec.ChannelID
	}{
		{"full of itself", 3, 6, []spec.Piece{tail(3, 0, b)}, []spec.Piece{head(3)}, []spec.ChannelID{a, b}},
		{"its head may follow its tail: 3 of 4 flits fit into b", 3, 4, []spec.Piece{tail(1, 2, b)}, []spec.Piece{head(1)}, nil},
		{"3 of 6 flits fit into b, 3 stay in a", 3, 6, []spec.Piece{tail(1, 4, b)}, []spec.Piece{head(1)}, []spec.ChannelID{a, b}},
		{"each behind the other's tail, no place is free", 3, 3, []spec.Piece{tail(1, 0, b), head(2)},
			[]spec.Piece{tail(1, 0, a), head(2)}, []spec.ChannelID{a, b}},
		{"one place is free: they go round", 4, spec.AnyLength, []spec.Piece{tail(2, 0, b), head(1)}, []spec.Piece{tail(2, 0, a), head(2)}, nil},
		{"a long message may end at any time", 3, spec.AnyLength, []spec.Piece{tail(1, 1, b)}, []spec.Piece{head(2)}, nil},
		{"but not before its flits", 3, spec.AnyLength, []spec.Piece{tail(3, 1, b)}, []spec.Piece{head(3)}, []spec.ChannelID{a, b}},
	} {
		n := routingtest.Compile(t, routing.Definition{Name: tt.name, Topology: topo, Routing: other, Switching: spec.Wormhole, Buffer: tt.buffer,
			Flows: func(_, dst spec.NodeID, _ spec.Class) bool { return dst == 2 }})
		m, err := states.NewTraffic(n, spec.Scenario{Length: tt.length, Shared: true})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, m.Stuck(m.Decode(m.Encode(nil, spec.Occupancy{Channels: [][]spec.Piece{tt.a, tt.b}})))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// TestWaits: what a message does not wait for, one condition in each case, asked as the
// verifier asks: every channel is claimed to be stuck.
func TestWaits(t *testing.T) {
	topo := spec.NewTopology()
	for range 3 {
		topo.AddNode("")
	}
	topo.AddLink(spec.Link{From: 0, To: 1, VCs: 1})
	topo.AddLink(spec.Link{From: 1, To: 0, VCs: 1})
	const a, b = spec.ChannelID(0), spec.ChannelID(1)
	// Packets for node 2 go round; those for node 1 find no hop in b.
	round := routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
		switch {
		case topo.Head(at) == h.Dest:
			return append(dst, spec.Hop{Channel: spec.Eject})
		case at == b && h.Dest == 1:
			return dst
		}
		return append(dst, spec.Hop{Channel: topo.Channel(topo.OutLinks(topo.Head(at))[0], 0)})
	})
	head := func(dest spec.NodeID) []spec.Piece {
		return []spec.Piece{{Header: spec.Header{Dest: dest}, Flits: 1}}
	}
	left := func(to spec.ChannelID) []spec.Piece {
		return []spec.Piece{{Header: spec.Header{Dest: 1}, Flits: 1, Left: true, Out: spec.Hop{Channel: to}}}
	}
	// A message of three flits, of which two are in b and one is left in a; what follows has sent one.
	last := spec.Piece{Header: spec.Header{Dest: 2}, Flits: 1, Left: true, Out: spec.Hop{Channel: b}}
	follows := spec.Piece{Header: spec.Header{Dest: 2}, Flits: 1, Rest: 2}
	two := []spec.Piece{{Header: spec.Header{Dest: 2}, Flits: 2}}
	for _, tt := range []struct {
		name   string
		shared bool
		of     spec.ChannelID
		a, b   []spec.Piece
		want   string // "" if the message waits
	}{
		{"one flit left, one place free ahead", true, a, []spec.Piece{last}, two, "fits into the channels ahead"},
		{"likewise, whatever is to follow", true, a, []spec.Piece{last, follows}, two, "fits into the channels ahead"},
		{"one flit left, no place free ahead", true, a, []spec.Piece{last}, []spec.Piece{{Header: spec.Header{Dest: 2}, Flits: 3}}, ""},
		{"one flit fills an atomic VC", false, a, head(2), head(2), ""},
		{"but not a shared one", true, a, head(2), head(2), "may still take 1->0 vc0"},
		{"into an empty one at once", false, a, head(2), nil, "may still take 1->0 vc0"},
		{"an empty channel", true, a, nil, head(2), "0->1 vc0 is empty"},
		{"a dead end", false, b, head(2), head(1), "a dead end, not a deadlock"},
		{"arrived", false, a, head(1), head(2), "may still take eject"},
		{"being ejected", true, a, left(spec.Eject), head(2), "is being ejected"},
		{"behind one that is being ejected", true, b, left(spec.Eject), left(a), "fits into the channels ahead"},
	} {
		n := routingtest.Compile(t, routing.Definition{Name: "round", Topology: topo, Routing: round, Switching: spec.Wormhole, Buffer: 3,
			Flows: func(src, dst spec.NodeID, _ spec.Class) bool { return src != 2 && src != dst }})
		length := 1
		if len(tt.a) > 0 && tt.a[0].Out == last.Out {
			length = 3
		}
		traffic, err := n.Traffic(spec.Scenario{Length: length, Shared: tt.shared})
		if err != nil {
			t.Fatal(err)
		}
		s := traffic.Empty()
		s.Channels = [][]spec.Piece{tt.a, tt.b}
		traffic.Feed(&s, []spec.ChannelID{0, 1})
		w, any := traffic.Waiting(s), func(c spec.ChannelID) bool { return c != spec.Eject }
		got := w.WhyNot(tt.of, any)
		if waits := w.Waits(tt.of, any); waits != (got == "") || waits != (tt.want == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestWaitsForAllBehind: a message lies in three channels of a line, and two places are free
// where its head is. Whether its flits in the second channel wait depends on all behind them.
func TestWaitsForAllBehind(t *testing.T) {
	topo := spec.NewTopology()
	topo.AddNode("")
	for i := range spec.NodeID(4) {
		topo.AddNode("")
		topo.AddLink(spec.Link{From: i, To: i + 1, VCs: 1})
	}
	n := routingtest.Compile(t, routing.Definition{Name: "line", Topology: topo, Switching: spec.Wormhole, Buffer: 3,
		Flows: func(src, dst spec.NodeID, _ spec.Class) bool { return src == 0 && dst == 4 },
		Routing: routing.Deliver(topo, routing.Func(func(dst []spec.Hop, at spec.ChannelID, _ spec.Header) []spec.Hop {
			return append(dst, spec.Hop{Channel: spec.ChannelID(topo.Head(at))})
		}))})
	to := func(flits, rest int, c spec.ChannelID) spec.Piece {
		return spec.Piece{Header: spec.Header{Dest: 4}, Flits: flits, Rest: rest, Left: true, Out: spec.Hop{Channel: c}}
	}
	head := func(flits, rest int) spec.Piece {
		return spec.Piece{Header: spec.Header{Dest: 4}, Flits: flits, Rest: rest}
	}
	for _, tt := range []struct {
		name        string
		length      int
		first, next []spec.Piece // in channels 0 and 1
		of          spec.ChannelID
		want        bool
	}{
		{"two flits are left, and two places", 3, []spec.Piece{to(1, 0, 1)}, []spec.Piece{to(1, 0, 2)}, 1, false},
		{"a third is in the first channel", 4, []spec.Piece{to(2, 0, 1)}, []spec.Piece{to(1, 0, 2)}, 1, true},
		{"a third is at the source", 4, []spec.Piece{to(1, 1, 1)}, []spec.Piece{to(1, 0, 2)}, 1, true},
		{"more is of the next message", 3, []spec.Piece{to(1, 0, 1), head(1, 2)}, []spec.Piece{to(1, 0, 2)}, 1, false},
		{"whatever is at the source may be the end", spec.AnyLength, []spec.Piece{to(1, 1, 1)}, []spec.Piece{to(1, 0, 2)}, 1, false},
	} {
		traffic, err := n.Traffic(spec.Scenario{Length: tt.length, Shared: true})
		if err != nil {
			t.Fatal(err)
		}
		s := traffic.Empty()
		s.Channels[0], s.Channels[1], s.Channels[2] = tt.first, tt.next, []spec.Piece{head(1, 0)}
		traffic.Feed(&s, []spec.ChannelID{0, 1, 2})
		w := traffic.Waiting(s)
		if got := w.Waits(tt.of, func(spec.ChannelID) bool { return true }); got != tt.want {
			t.Errorf("%s: waits is %v, want %v", tt.name, got, tt.want)
		}
	}
}

// TestLongWorm: a message that occupies 131,072 channels waits for the first of them.
// Following it to both ends from each takes 10^10 steps; a sum over each chain takes a
// few million.
func TestLongWorm(t *testing.T) {
	const vcs = 1 << 16
	topo := spec.NewTopology()
	for range 3 {
		topo.AddNode("")
	}
	topo.AddPair(0, 1, vcs)
	next := func(c spec.ChannelID) spec.ChannelID { // there and back by each VC
		if c < vcs {
			return c + vcs
		}
		return (c - vcs + 1) % vcs
	}
	n := routingtest.Compile(t, routing.Definition{Name: "to and fro", Topology: topo, Switching: spec.Wormhole, Buffer: 1,
		Flows: func(src, dst spec.NodeID, _ spec.Class) bool { return src == 0 && dst == 2 },
		Routing: routing.Func(func(dst []spec.Hop, at spec.ChannelID, _ spec.Header) []spec.Hop {
			if at.IsInjection() {
				return append(dst, spec.Hop{Channel: 0})
			}
			return append(dst, spec.Hop{Channel: next(at)})
		})})
	traffic, err := n.Traffic(spec.Scenario{Length: spec.AnyLength, Shared: true})
	if err != nil {
		t.Fatal(err)
	}
	s, held := traffic.Empty(), []spec.ChannelID(nil)
	for c := spec.ChannelID(0); len(s.Channels[c]) == 0; c = next(c) {
		held = append(held, c)
		s.Channels[c] = []spec.Piece{{Header: spec.Header{Dest: 2}, Flits: 1, Left: true, Out: spec.Hop{Channel: next(c)}}}
		if next(c) == 0 {
			s.Channels[c][0].Left, s.Channels[c][0].Out = false, spec.Hop{}
		}
	}
	traffic.Feed(&s, held)
	s.Channels[0][0].Rest = 1
	costtest.Within(t, 2*vcs, func() {
		waiting, waits := traffic.Waiting(s), 0
		for c := range s.Channels {
			if waiting.Waits(spec.ChannelID(c), func(spec.ChannelID) bool { return true }) {
				waits++
			}
		}
		if waits != 2*vcs {
			t.Errorf("%d of %d channels wait", waits, 2*vcs)
		}
	})
}
