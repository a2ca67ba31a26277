package evidence

import (
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
)

// oneWay is a one-way ring of three nodes, in which each sends to the one two ahead.
func oneWay(t *testing.T) (*spec.Topology, *spec.Network) {
	topo := spec.NewTopology()
	for range 3 {
		topo.AddNode("")
	}
	for v := range spec.NodeID(3) {
		topo.AddLink(spec.Link{From: v, To: (v + 1) % 3, VCs: 1})
	}
	t.Helper()
	return topo, routingtest.Compile(t, routing.Definition{Name: "ring", Topology: topo, Switching: spec.StoreAndForward, Buffer: 1,
		Flows: func(src, dst spec.NodeID, _ spec.Class) bool { return dst == (src+2)%3 },
		Routing: routing.Named("on", routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
			if topo.Head(at) == h.Dest {
				return append(dst, spec.Hop{Channel: spec.Eject})
			}
			return append(dst, spec.Hop{Channel: spec.ChannelID(topo.Head(at))})
		}))})
}

// TestCycleIs: in the one-way ring each packet waits for the next channel.
// A result may tell this cycle from any of its packets on, and no other: none that leaves a packet out, in which a packet
// holds what it does not, or is queued in the only channel that it is said to hold.
func TestCycleIs(t *testing.T) {
	topo, n := oneWay(t)
	trace := &counterexamples.Trace{Network: n.Digest(), Property: spec.DeadlockFreedom,
		Fault: counterexamples.Deadlock, Stuck: []spec.ChannelID{0, 1, 2}, Notion: counterexamples.Global}
	for v := range spec.NodeID(3) {
		trace.Moves = append(trace.Moves, spec.Move{From: spec.Injection(v), Header: spec.Header{Dest: (v + 2) % 3}, Hop: spec.Hop{Channel: spec.ChannelID(v)}})
	}
	if err := counterexamples.Replay(t.Context(), n, trace); err != nil {
		t.Fatal(err)
	}
	channel := func(c spec.ChannelID) any {
		return map[string]any{"id": c, "name": topo.ChannelName(c)}
	}
	packet := func(waits spec.ChannelID, queued bool, holds ...spec.ChannelID) any {
		p := map[string]any{"waits_for": channel(waits)}
		if queued {
			p["queued"] = true
		}
		var list []any
		for _, c := range holds {
			list = append(list, channel(c))
		}
		p["holds"] = list
		return p
	}
	for name, tt := range map[string]struct {
		cycle []any
		want  string // what is wrong
	}{
		"all":                     {[]any{packet(1, false, 0), packet(2, false, 1), packet(0, false, 2)}, ""},
		"from another on":         {[]any{packet(0, false, 2), packet(1, false, 0), packet(2, false, 1)}, ""},
		"one left out":            {[]any{packet(2, false, 0), packet(0, false, 2)}, "packet 1 of its cycle does not hold or wait so"},
		"backwards":               {[]any{packet(2, false, 0), packet(1, false, 2), packet(0, false, 1)}, "packet 1 of its cycle does not hold or wait so"},
		"for its own channel":     {[]any{packet(0, false, 0)}, "packet 1 of its cycle does not hold or wait so"},
		"queued in what it holds": {[]any{packet(0, true, 0)}, "packet 1 of its cycle is not queued in the channel that it waits for"},
		"queued, and holds another": {[]any{packet(1, true, 0), packet(2, false, 1), packet(0, false, 2)},
			"packet 1 of its cycle is not queued in the channel that it waits for"},
		"open":  {[]any{packet(1, false, 0), packet(2, false, 1)}, "packet 2 of its cycle does not wait for the next"},
		"empty": {[]any{}, "its cycle is not that of the evidence here"},
	} {
		var read []any // as the result is
		if list, is := decoded(map[string]any{"cycle": tt.cycle})["cycle"].([]any); is {
			read = list
		}
		err := Trace{Network: n, Trace: trace}.cycleIs(t.Context(), read)
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
}

// TestCycleCommits: a packet of a cycle has the alternative that the cycle says. In the ring, each packet in the first
// VC waits for that of the next link, to which it is committed.
func TestCycleCommits(t *testing.T) {
	topo := spec.NewTopology()
	for range 3 {
		topo.AddNode("")
	}
	for v := range spec.NodeID(3) {
		topo.AddLink(spec.Link{From: v, To: (v + 1) % 3, VCs: 2})
	}
	n := routingtest.Compile(t, routing.Definition{Name: "ring", Topology: topo, Switching: spec.StoreAndForward, Buffer: 1,
		Routing: routing.Router{Topology: topo, Route: func(p routing.Packet) routing.Choice {
			vc := func(i int) routing.Choice {
				return routing.Adaptive(spec.Hop{Channel: topo.Channel(spec.LinkID(p.Node), i)})
			}
			return routing.Oblivious(vc(0), vc(1))
		}}})
	trace := &counterexamples.Trace{Network: n.Digest(), Property: spec.DeadlockFreedom, Fault: counterexamples.Deadlock,
		Stuck: []spec.ChannelID{0, 2, 4}, Notion: counterexamples.Local}
	for v := range spec.NodeID(3) {
		trace.Moves = append(trace.Moves, spec.Move{
			From: spec.Injection(v), Header: spec.Header{Dest: (v + 2) % 3}, Hop: spec.Hop{Channel: spec.ChannelID(2 * v)}})
	}
	if err := counterexamples.Replay(t.Context(), n, trace); err != nil {
		t.Fatal(err)
	}
	channel := func(c spec.ChannelID) any { return map[string]any{"id": c, "name": topo.ChannelName(c)} }
	for _, tt := range []struct {
		says any
		want bool
	}{
		{map[string]any{"number": 1, "of": 2}, true},
		{map[string]any{"number": 2, "of": 2}, false},
		{map[string]any{"number": 1, "of": 3}, false},
		{map[string]any{"number": 1}, false},
		{map[string]any{"number": 1, "of": 2, "by": 3}, false},
		{"1 of 2", false},
	} {
		var cycle []any
		for c := range spec.ChannelID(3) {
			cycle = append(cycle, map[string]any{
				"holds": []any{channel(2 * c)}, "waits_for": channel((2*c + 2) % 6), "alternative": tt.says})
		}
		read := decoded(map[string]any{"cycle": cycle})["cycle"].([]any)
		err := Trace{Network: n, Trace: trace}.cycleIs(t.Context(), read)
		if (err == nil) != tt.want || err != nil && !strings.Contains(err.Error(), "is not committed so") {
			t.Errorf("%v: %v, want it accepted: %t", tt.says, err, tt.want)
		}
	}
}

// TestLeads: in the one-way ring, a packet that is whole in a channel may take the next one, and one that has left it has taken what its
// hop says; both channels must be among those that are stuck.
func TestLeads(t *testing.T) {
	_, n := oneWay(t)
	here := func(dest spec.NodeID) spec.Piece { return spec.Piece{Header: spec.Header{Dest: dest}, Flits: 1} }
	gone := here(2)
	gone.Left, gone.Out = true, spec.Hop{Channel: 2} // not where a packet that is there would go
	for _, tt := range []struct {
		name     string
		stuck    []spec.ChannelID
		in       []spec.Piece // channel 0
		from, to spec.ChannelID
		want     bool
	}{
		{"may take the next", []spec.ChannelID{0, 1, 2}, []spec.Piece{here(2)}, 0, 1, true},
		{"may not take another", []spec.ChannelID{0, 1, 2}, []spec.Piece{here(2)}, 0, 2, false},
		{"arrives", []spec.ChannelID{0, 1, 2}, []spec.Piece{here(1)}, 0, 1, false},
		{"has taken", []spec.ChannelID{0, 1, 2}, []spec.Piece{gone}, 0, 2, true},
		{"has taken another", []spec.ChannelID{0, 1, 2}, []spec.Piece{gone}, 0, 1, false},
		{"the second of two", []spec.ChannelID{0, 1, 2}, []spec.Piece{gone, here(2)}, 0, 1, true},
		{"from what is not stuck", []spec.ChannelID{1, 2}, []spec.Piece{here(2)}, 0, 1, false},
		{"to what is not stuck", []spec.ChannelID{0, 2}, []spec.Piece{here(2)}, 0, 1, false},
		{"nobody there", []spec.ChannelID{0, 1, 2}, nil, 0, 1, false},
	} {
		e := Trace{Network: n, Trace: &counterexamples.Trace{Fault: counterexamples.Deadlock, Stuck: tt.stuck}}
		if got := e.leads(spec.Occupancy{Channels: [][]spec.Piece{tt.in, nil, nil}}, tt.from, tt.to); got != tt.want {
			t.Errorf("%s: %t, want %t", tt.name, got, tt.want)
		}
	}
}
