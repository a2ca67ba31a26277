package explain

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// traffic draws a small network and a scenario.
func traffic(t *rapid.T) *states.Traffic {
	s := rapid.SampledFrom([]spec.Switching{spec.StoreAndForward, spec.Wormhole}).Draw(t, "switching")
	return netgen.Traffic(t, netgen.Options{Nodes: 4, Channels: 9, Tags: 2, Classes: 2, Buffer: 3, MayFail: true, Ring: true}, s)
}

// turning draws a one-way ring and a scenario.
func turning(t *rapid.T) *states.Traffic {
	s, sc := spec.StoreAndForward, spec.Scenario{}
	if rapid.Bool().Draw(t, "worms") {
		s = spec.Wormhole
		sc.Length = rapid.SampledFrom([]int{1, 2, 3, spec.AnyLength}).Draw(t, "length")
		sc.Elastic = rapid.Bool().Draw(t, "elastic")
		sc.Shared = rapid.Bool().Draw(t, "shared")
	}
	sc.Sink = rapid.IntRange(0, 1).Draw(t, "sink")
	nodes, vcs, buffer := rapid.IntRange(2, 4).Draw(t, "nodes"), rapid.IntRange(1, 2).Draw(t, "vcs"), rapid.IntRange(1, 3).Draw(t, "buffer")
	def := ring(spec.NodeID(nodes), vcs)
	def.Routing = routing.Deliver(def.Topology, def.Routing)
	def.Switching, def.Buffer = s, buffer
	return compiled(t, def, sc)
}

// ring is a one-way ring that never lets a packet out.
func ring(nodes spec.NodeID, vcs int) routing.Definition {
	top := spec.NewTopology()
	for range nodes {
		top.AddNode("")
	}
	for i := range nodes {
		top.AddLink(spec.Link{From: i, To: (i + 1) % nodes, VCs: vcs})
	}
	round := routing.Func(func(dst []spec.Hop, at spec.ChannelID, _ spec.Header) []spec.Hop {
		for vc := range vcs {
			dst = append(dst, spec.Hop{Channel: top.Channel(top.OutLinks(top.Head(at))[0], vc)})
		}
		return dst
	})
	return routing.Definition{Topology: top, Routing: round}
}

// compiled makes the traffic of a network under a scenario.
func compiled(t interface{ Fatal(...any) }, def routing.Definition, sc spec.Scenario) *states.Traffic {
	n, err := routing.Compile(context.Background(), def, routing.CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := states.NewTraffic(n, sc)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// After any moves: the state is that of the reference step; every piece has a number; the
// pieces of one number are one message, with the same destination, in consecutive channels
// along the hops that its head took.
func TestNumbersFollowPackets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := traffic(t)
		k := Track(m)
		top := m.Network().Topology()
		dest := map[int]spec.NodeID{}
		for range rapid.IntRange(0, 25).Draw(t, "steps") {
			moves := m.Moves(k.State())
			if len(moves) == 0 {
				break
			}
			move := rapid.SampledFrom(moves).Draw(t, "move")
			want, err := m.Step(k.State(), move)
			if err != nil {
				t.Fatal(err)
			}
			before := m.Encode(nil, k.State())
			packet, changed, err := k.Step(move)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(m.Encode(nil, want), m.Encode(nil, k.State())) {
				t.Fatalf("%s leads elsewhere", m.Describe(move))
			}
			if (packet == 0) != (move.Kind == spec.Consume) {
				t.Fatalf("%s moves P%d", m.Describe(move), packet)
			}
			if packet > 0 {
				if d, known := dest[packet]; known && d != move.Header.Dest {
					t.Fatalf("P%d was for %d and is for %d", packet, d, move.Header.Dest)
				}
				dest[packet] = move.Header.Dest
			}
			check(t, k, top, dest, changed, m.Decode(before))
		}
		if _, _, err := k.Step(spec.Move{From: spec.Eject}); err == nil {
			t.Fatal("a move that is not possible was taken")
		}
	})
}

func check(t *rapid.T, k *Tracker, top *spec.Topology, dest map[int]spec.NodeID, changed []spec.ChannelID, was spec.Occupancy) {
	places := map[int][]spec.ChannelID{}
	for i, pieces := range k.State().Channels {
		c := spec.ChannelID(i)
		if len(k.numbers[c]) != len(pieces) {
			t.Fatalf("%d numbers for %d pieces in %s", len(k.numbers[c]), len(pieces), top.ChannelName(c))
		}
		if slices.Equal(was.Channels[c], pieces) == slices.Contains(changed, c) {
			t.Fatalf("%s: changed is %v", top.ChannelName(c), changed)
		}
		for j, number := range k.numbers[c] {
			if dest[number] != pieces[j].Header.Dest {
				t.Fatalf("P%d is for %d, its piece for %d", number, dest[number], pieces[j].Header.Dest)
			}
			places[number] = append(places[number], c)
		}
		text, _ := k.Short(c)
		if (text == "") != (len(pieces) == 0) || (k.Long(c) == "") != (len(pieces) == 0) {
			t.Fatalf("%v is told as %q, %q", pieces, text, k.Long(c))
		}
	}
	for number, cs := range places {
		held := k.held[number]
		sorted := slices.Clone(held)
		slices.Sort(sorted)
		slices.Sort(cs)
		if !slices.Equal(sorted, cs) {
			t.Fatalf("P%d holds %v, is in %v", number, held, cs)
		}
		seen := map[spec.ChannelID]int{} // how often on the way so far
		for i := range len(held) - 1 {
			pieces := piecesOf(k, held[i], number)
			p := pieces[seen[held[i]]]
			seen[held[i]]++
			if !p.Left || p.Out.Channel != held[i+1] {
				t.Fatalf("P%d holds %v, but its head went from %d to %v", number, held, held[i], p.Out)
			}
		}
	}
}

// piecesOf returns the pieces of a packet in a channel, first in first.
func piecesOf(k *Tracker, c spec.ChannelID, number int) (out []spec.Piece) {
	for i, x := range k.numbers[c] {
		if x == number {
			out = append(out, k.State().Channels[c][i])
		}
	}
	return out
}

// Every packet of a stuck set is listed once; each waits for listed packets, and the cycle is a
// single one: each of its packets waits for the next, the last for the first.
func TestWaitsAreClosed(t *testing.T) {
	seen := 0
	rapid.Check(t, func(t *rapid.T) {
		draw := turning
		if rapid.IntRange(0, 3).Draw(t, "round") == 0 {
			draw = traffic
		}
		m := draw(t)
		k := Track(m)
		for range 40 {
			moves := m.Moves(k.State())
			if len(moves) == 0 {
				break
			}
			// What gets stuck is packets that have not arrived yet.
			if far := slices.DeleteFunc(slices.Clone(moves), func(x spec.Move) bool {
				return x.Hop.Channel == spec.Eject || m.Network().Topology().Head(x.Hop.Channel) == x.Header.Dest
			}); len(far) > 0 {
				moves = far
			}
			if _, _, err := k.Step(rapid.SampledFrom(moves).Draw(t, "move")); err != nil {
				t.Fatal(err)
			}
		}
		stuck := m.Stuck(k.State())
		rows := k.Waits(stuck)
		if len(stuck) == 0 {
			if len(rows) > 0 {
				t.Fatalf("%v wait, nothing is stuck", rows)
			}
			return
		}
		seen++
		told := map[int]bool{}
		var cycle []Waiting
		for i, w := range rows {
			if told[w.Packet] {
				t.Fatalf("P%d is told twice", w.Packet)
			}
			told[w.Packet] = true
			if w.Cyclic {
				if i != len(cycle) {
					t.Fatal("the cycle does not come first")
				}
				cycle = append(cycle, w)
			}
		}
		for _, c := range stuck {
			if !told[k.numbers[c][0]] {
				t.Fatalf("P%d in %d is stuck and not told", k.numbers[c][0], c)
			}
		}
		for _, w := range rows {
			at := w.Site.Channel
			before := 0
			for i, number := range k.numbers[at] {
				if number == w.Packet && i > 0 { // the last time that it is there counts
					before = k.numbers[at][0]
				}
			}
			hops, legal := m.Network().Hops(w.Site)
			if w.Behind != before || !legal || (before > 0) != (len(w.For) == 0) || before == 0 && len(w.For) != len(hops) {
				t.Fatalf("%v, but P%d is before it and its hops are %v", w, before, hops)
			}
			for _, b := range blockers(w) {
				if !told[b] {
					t.Fatalf("P%d waits for P%d, which is not told", w.Packet, b)
				}
			}
		}
		if len(cycle) == 0 {
			t.Fatal("no cycle")
		}
		for i, w := range cycle {
			if next := cycle[(i+1)%len(cycle)].Packet; !slices.Contains(blockers(w), next) {
				t.Fatalf("P%d does not wait for P%d", w.Packet, next)
			}
		}
	})
	if seedtest.Usual() && seen < 10 {
		t.Errorf("only %d drawn networks got stuck", seen)
	}
}

// A one-way ring of three nodes, messages of 2 flits, channels of 2 flits that messages share.
// P1 has its head in 2->0 and its tail in 1->2; P2 has its tail in 0->1 and its head in 1->2,
// behind P1's tail, which is all that it waits for.
func TestBehindAnother(t *testing.T) {
	m := roundTraffic(t, 3, spec.Wormhole, 2, spec.Scenario{Length: 2, Shared: true})
	k := Track(m)
	enter := func(i spec.NodeID) {
		t.Helper()
		h := spec.Header{Dest: (i + 2) % 3}
		hop := spec.Hop{Channel: spec.ChannelID(i)}
		for _, kind := range []spec.MoveKind{spec.Advance, spec.Follow} {
			if _, _, err := k.Step(spec.Move{From: spec.Injection(i), Header: h, Hop: hop, Kind: kind}); err != nil {
				t.Fatal(err)
			}
		}
	}
	enter(1) // P1, 1->2, for 0
	if _, _, err := k.Step(spec.Move{From: 1, Header: spec.Header{Dest: 0}, Hop: spec.Hop{Channel: 2}}); err != nil {
		t.Fatal(err)
	}
	enter(0) // P2, 0->1, for 2
	if _, _, err := k.Step(spec.Move{From: 0, Header: spec.Header{Dest: 2}, Hop: spec.Hop{Channel: 1}}); err != nil {
		t.Fatal(err)
	}
	w := k.waiting(2)
	if w.Behind != 1 || len(w.For) > 0 || !slices.Equal(w.Holds, []spec.ChannelID{0, 1}) || w.Site.Channel != 1 {
		t.Errorf("%+v", w)
	}
	if w := k.waiting(1); w.Behind != 0 || len(w.For) != 1 || !slices.Equal(w.Holds, []spec.ChannelID{1, 2}) {
		t.Errorf("%+v", w)
	}
}

// A message of 5 flits goes around a ring of three channels of 2 flits that never lets it
// out: its head comes to wait behind its own tail.
func TestBehindItself(t *testing.T) {
	def := ring(3, 1)
	def.Switching, def.Buffer = spec.Wormhole, 2
	m := compiled(t, def, spec.Scenario{Length: 5, Shared: true, Once: []spec.Flow{{Source: 0, Target: spec.Target{Dest: 2}}}})
	k := Track(m)
	for range 30 {
		if slices.Equal(k.numbers[0], []int{1, 1}) {
			break
		}
		moves := m.Moves(k.State())
		if len(moves) == 0 {
			break
		}
		if _, _, err := k.Step(moves[0]); err != nil {
			t.Fatal(err)
		}
	}
	w := k.waiting(1)
	if !slices.Equal(k.numbers[0], []int{1, 1}) || !slices.Equal(w.Holds, []spec.ChannelID{0, 1, 2, 0}) || w.Behind != 1 || len(w.For) > 0 {
		t.Errorf("%v in 0->1, %+v", k.numbers[0], w)
	}
}

// roundTraffic returns the traffic of a one-way ring, which ejects packets at their destinations.
func roundTraffic(t *testing.T, nodes spec.NodeID, s spec.Switching, buffer int, sc spec.Scenario) *states.Traffic {
	t.Helper()
	def := ring(nodes, 1)
	def.Routing, def.Switching, def.Buffer = routing.Deliver(def.Topology, def.Routing), s, buffer
	return compiled(t, def, sc)
}

// Four packets in a one-way ring of four: P1 to P4, each for the node after
// next, wait for each other in the order of the ring.
func TestWaitsOfARing(t *testing.T) {
	const nodes = 4
	m := roundTraffic(t, nodes, spec.StoreAndForward, 1, spec.Scenario{})
	k := Track(m)
	for i := range spec.NodeID(nodes) {
		move := spec.Move{From: spec.Injection(i), Header: spec.Header{Dest: (i + 2) % nodes}, Hop: spec.Hop{Channel: spec.ChannelID(i)}}
		if packet, _, err := k.Step(move); err != nil || packet != int(i)+1 {
			t.Fatalf("P%d: %v", packet, err)
		}
	}
	var got string
	for _, w := range k.Waits(m.Stuck(k.State())) {
		got += fmt.Sprintf("P%d holds %v for P%d %v\n", w.Packet, w.Holds, w.For[0].Holder, w.Cyclic)
	}
	const want = "P1 holds [0] for P2 true\nP2 holds [1] for P3 true\nP3 holds [2] for P4 true\nP4 holds [3] for P1 true\n"
	if got != want {
		t.Errorf("got:\n%swant:\n%s", got, want)
	}
}

// TestWaitsOfATrace: in a one-way ring of three, where the packets enter in the order 1, 2, 0, the cycle begins with the one that
// holds channel 0. A trace with a move that is not possible, or of traffic that the network cannot have, has no waits.
func TestWaitsOfATrace(t *testing.T) {
	m := roundTraffic(t, 3, spec.StoreAndForward, 1, spec.Scenario{})
	trace := &counterexamples.Trace{Stuck: []spec.ChannelID{0, 1, 2}}
	for _, i := range []spec.NodeID{1, 2, 0} {
		trace.Moves = append(trace.Moves, spec.Move{From: spec.Injection(i), Header: spec.Header{Dest: (i + 2) % 3}, Hop: spec.Hop{Channel: spec.ChannelID(i)}})
	}
	waits, err := Waits(evidence.Trace{Network: m.Network(), Trace: trace})
	if err != nil {
		t.Fatal(err)
	}
	var got string
	for _, w := range waits {
		got += fmt.Sprintf("P%d holds %v for P%d\n", w.Packet, w.Holds, w.For[0].Holder)
	}
	if want := "P3 holds [0] for P1\nP1 holds [1] for P2\nP2 holds [2] for P3\n"; got != want {
		t.Errorf("got:\n%swant:\n%s", got, want)
	}
	twice, long := *trace, *trace
	twice.Moves = append(slices.Clone(trace.Moves), trace.Moves[0])
	long.Scenario.Length = 3 // flits, of a packet that moves whole
	for _, bad := range []*counterexamples.Trace{&twice, &long} {
		if waits, err := Waits(evidence.Trace{Network: m.Network(), Trace: bad}); err == nil || waits != nil {
			t.Errorf("%d moves, %s: %v, %v", len(bad.Moves), bad.Scenario, waits, err)
		}
	}
}
