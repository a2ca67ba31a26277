package checker_test

import (
	"runtime"
	"testing"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// TestDeepBuffers: a line of three nodes, the first two of which send to the last. Both links
// have one kind of packet, so a state is two numbers: with a million places each it is one
// word, and is stepped, described and inspected without making a packet. Alone, a buffer of b
// places has b+1 states. In 64 MiB 100,000 states of the line fit; each once took
// 250 kB.
func TestDeepBuffers(t *testing.T) {
	const deep = 1_000_000
	line := func(senders, buffer int) *states.Traffic {
		topo := spec.NewTopology()
		for range senders + 1 {
			topo.AddNode("")
		}
		for v := range senders {
			topo.AddLink(spec.Link{From: spec.NodeID(v), To: spec.NodeID(v + 1), VCs: 1})
		}
		n, err := routing.Compile(t.Context(), routing.Definition{Name: "line", Topology: topo, Buffer: buffer,
			Flows: func(_, to spec.NodeID, _ spec.Class) bool { return int(to) == senders },
			Routing: routing.Deliver(topo, routing.Func(func(dst []spec.Hop, at spec.ChannelID, _ spec.Header) []spec.Hop {
				return append(dst, spec.Hop{Channel: spec.ChannelID(topo.Head(at))})
			}))}, routing.CompileOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return trafficOf(t, n, spec.Scenario{})
	}
	m := line(2, deep)
	if bits := m.Layout().Bits(); bits != 2*20 { // 2^20 is the power of two above a million
		t.Errorf("a state has %d bits", bits)
	}
	s := m.Start(nil)
	for c, packets := range []uint64{deep, deep - 1} {
		m.Queue(spec.ChannelID(c)).FieldAt(0).Put(s, packets)
	}
	if text, want := m.Layout().Text(s), "0->1 vc0=1000000 for 2 1->2 vc0=999999 for 2"; text != want {
		t.Errorf("it reads %q, want %q", text, want)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	next, err := m.AppendSuccessors(nil, s)
	if err != nil || len(next) != 3 || m.Valid(s) != nil || len(m.StuckIn(s)) > 0 || m.Action(s, 1).Name != "packet for 2: 0->1 vc0 -> 1->2 vc0" {
		t.Errorf("%d successors, %v; %v; %v; %q", len(next), err, m.Valid(s), m.StuckIn(s), m.Action(s, 1).Name)
	}
	runtime.ReadMemStats(&after)
	if bytes := after.TotalAlloc - before.TotalAlloc; bytes > 1<<16 {
		t.Errorf("%d bytes are allocated for one of its states", bytes)
	}
	x := explore(t, line(1, 10_000), checker.Question{Explore: checker.Whole})
	if x.Space == nil || x.Space.States != 10_001 {
		t.Errorf("explored %+v", x.Space)
	}
	x = explore(t, m, checker.Question{Explore: checker.Whole, Memory: 64 << 20, MaxStates: 100_000})
	if x.Space == nil || x.Space.States < 100_000 || x.Space.Peak > 64<<20 {
		t.Errorf("explored %+v", x.Space)
	}
}
