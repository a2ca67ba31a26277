package states_test

import (
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// TestValid: states to which packets of three flits cannot come, one for each clause of
// [states.Traffic.Valid]. Nodes 0 and 1 send to each other and to 2 and 3 round a ring of
// four, with two VCs of two flits for each link, and no packet ever leaves it; so channel
// 2l+v leads from node l. Packets enter only the first VC.
func TestValid(t *testing.T) {
	top := spec.NewTopology()
	for range 4 {
		top.AddNode("")
	}
	for v := range 4 {
		top.AddLink(spec.Link{From: spec.NodeID(v), To: spec.NodeID((v + 1) % 4), VCs: 2})
	}
	def := routing.Definition{
		Topology: top, Switching: spec.Wormhole,
		Flows: func(src, dst spec.NodeID, _ spec.Class) bool { return src < 2 && dst != src },
		Routing: routing.Func(func(dst []spec.Hop, at spec.ChannelID, _ spec.Header) []spec.Hop {
			next := spec.LinkID(top.Head(at))
			dst = append(dst, spec.Hop{Channel: top.Channel(next, 0)})
			if !at.IsInjection() {
				dst = append(dst, spec.Hop{Channel: top.Channel(next, 1)})
			}
			return dst
		}),
	}
	machine := func(buffer int) *states.Traffic {
		def.Buffer = buffer
		n := routingtest.Compile(t, def)
		m, err := states.NewTraffic(n, spec.Scenario{Length: 3, Shared: buffer > 1})
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	head := func(flits, rest int) spec.Piece {
		return spec.Piece{Header: spec.Header{Dest: 3}, Flits: flits, Rest: rest}
	}
	gone := func(flits, rest int, to spec.ChannelID) spec.Piece {
		p := head(flits, rest)
		p.Left, p.Out = true, spec.Hop{Channel: to}
		return p
	}
	type channels = map[spec.ChannelID][]spec.Piece
	for _, tt := range []struct {
		name   string
		buffer int // with one flit a packet moves as a whole
		in     channels
		want   string // "" if the state is valid
	}{
		{"nothing", 2, nil, ""},
		{"two flits, one to come", 2, channels{0: {head(2, 1)}}, ""},
		{"three flits in two channels", 2, channels{0: {gone(1, 0, 2)}, 2: {head(2, 0)}}, ""},
		{"no flit", 2, channels{0: {head(0, 2)}}, "0->1 vc0: a packet has no flit there"},
		{"no flit, the head gone", 1, channels{0: {gone(0, 1, 2)}, 2: {head(1, 0)}}, "a packet has no flit there"},
		{"no flit in between", 2, channels{0: {gone(0, 1, 2)}, 2: {head(2, 0)}}, ""},
		{"no flit at the end", 2, channels{0: {gone(0, 0, 2)}, 2: {gone(1, 0, 4)}, 4: {head(2, 0)}}, "0->1 vc0: a packet has no flit there"},
		{"head gone from behind", 2, channels{0: {head(1, 0), gone(1, 0, 2)}, 2: {head(2, 0)}}, "a packet has overtaken another one"},
		{"entering before another", 2, channels{0: {head(1, 2), head(1, 2)}}, "a packet is still entering ahead of another one"},
		{"entering where nobody sends", 2, channels{4: {head(2, 1)}}, "2->3 vc0: no source sends such a packet into it"},
		{"entering at a node that sends elsewhere", 2, channels{0: {{Header: spec.Header{Dest: 0}, Flits: 2, Rest: 1}}},
			"0->1 vc0: no source sends such a packet into it"},
		{"entering a VC where nobody enters", 2, channels{1: {head(2, 1)}}, "0->1 vc1: no source sends such a packet into it"},
		{"three flits", 2, channels{0: {gone(2, 0, 2), head(1, 2)}, 2: {head(1, 0)}}, "3 flits: there is room for 2"},
		{"head nowhere", 2, channels{0: {gone(2, 1, 2)}}, "the head of its packet is not where its body follows"},
		{"another head there", 2, channels{0: {gone(1, 0, 2)}, 2: {{Header: spec.Header{Dest: 2}, Flits: 2}}},
			"the head of its packet is not where its body follows"},
		{"two heads gone to one channel", 2, channels{0: {gone(1, 0, 2)}, 1: {gone(1, 0, 2)}, 2: {head(2, 0)}}, "two packets enter the same channel"},
		{"entering from two sides", 2, channels{0: {gone(1, 0, 2)}, 2: {head(1, 1)}}, "its packet is also still entering from a source"},
		{"one flit of three", 2, channels{0: {head(1, 0)}}, "a packet of 1 flits: want 3"},
		{"four flits of three", 2, channels{0: {gone(2, 0, 2)}, 2: {head(2, 0)}}, "a packet of 4 flits: want 3"},
		{"one after the other, the second short", 2, channels{0: {gone(1, 0, 2), head(1, 0)}, 2: {head(2, 0)}}, "a packet of 1 flits: want 3"},
		{"no end", 2, channels{0: {gone(1, 0, 2)}, 2: {gone(1, 0, 4)}, 4: {gone(1, 0, 6)}, 6: {gone(1, 0, 0)}}, "a packet follows itself"},
	} {
		m := machine(tt.buffer)
		s := m.Empty()
		for c, pieces := range tt.in {
			s.Channels[c] = pieces
		}
		err := m.Valid(m.Encode(nil, s))
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
	m := machine(2)
	hole := make([]uint64, m.Layout().Words())
	q := m.Queue(0)
	q.Put(hole, 1, 1)
	if err := m.Valid(hole); err == nil || !strings.Contains(err.Error(), "a free slot comes before an occupied one") {
		t.Errorf("a hole: %v", err)
	}
}
