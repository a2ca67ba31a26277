package counterexamples_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
)

// exchange is a one-way ring of four nodes, a to d, where a asks d and c asks b, each with so many requests outstanding.
// Channel i leaves node i.
func exchange(t testing.TB, outstanding int) *spec.Network {
	topo := spec.NewTopology()
	for _, name := range []string{"a", "b", "c", "d"} {
		topo.AddNode(name)
	}
	for i := range spec.NodeID(4) {
		topo.AddLink(spec.Link{From: i, To: (i + 1) % 4, VCs: 1})
	}
	return routingtest.Compile(t, routing.Definition{
		Name: "exchange", Topology: topo, Classes: []string{"request", "reply"}, Replies: []routing.Reply{{Request: 0, Reply: 1, Outstanding: outstanding}},
		Flows: func(src, dst spec.NodeID, _ spec.Class) bool { return src == 0 && dst == 3 || src == 2 && dst == 1 },
		Routing: routing.Deliver(topo, routing.Func(func(dst []spec.Hop, at spec.ChannelID, _ spec.Header) []spec.Hop {
			return append(dst, spec.Hop{Channel: topo.Channel(topo.OutLinks(topo.Head(at))[0], 0)})
		})),
	})
}

// TestWindows: a trace to a deadlock has its requests before its replies, and no more of them outstanding than
// declared. The ring of four holds four packets: both requests twice. Replies go one hop, so they are never stuck:
// moves that are possible end in a state that is refused.
func TestWindows(t *testing.T) {
	send := func(from, to spec.NodeID, class spec.Class) []spec.Move {
		return []spec.Move{{From: spec.Injection(from), Header: spec.Header{Dest: to, Class: class}, Hop: spec.Hop{Channel: spec.ChannelID(from)}}}
	}
	on := func(at spec.ChannelID, to spec.NodeID, class spec.Class, hops int) (moves []spec.Move) {
		for range hops {
			next := spec.Hop{Channel: (at + 1) % 4}
			if spec.NodeID(next.Channel) == to {
				next.Channel = spec.Eject
			}
			moves = append(moves, spec.Move{From: at, Header: spec.Header{Dest: to, Class: class}, Hop: next})
			at = next.Channel
		}
		return moves
	}
	askA, askC := slices.Concat(send(0, 3, 0), on(0, 3, 0, 3)), slices.Concat(send(2, 1, 0), on(2, 1, 0, 3)) // to the end
	requests := slices.Concat(send(0, 3, 0), on(0, 3, 0, 1), send(0, 3, 0), send(2, 1, 0), on(2, 1, 0, 1), send(2, 1, 0))
	replies := slices.Concat(send(0, 3, 0), send(2, 1, 0), send(3, 0, 1), send(1, 2, 1))
	for _, tt := range []struct {
		name        string
		outstanding int
		moves       []spec.Move
		want        string
	}{
		{"two requests of each, of two", 2, requests, ""},
		{"two requests of each, of one", 1, requests, "a has 1 requests outstanding already, as many as its window allows"},
		{"a move that is not permitted", 2, slices.Concat(requests, on(0, 2, 0, 1)), "move 7 is not possible: no packet for c with that header"},
		{"replies to nothing", 2, replies, "no request has arrived at d that the packet for a answers"},
		{"replies to requests, of two", 2, slices.Concat(askA, askC, replies), "the packet in b->c vc0 may still take eject"},
		{"replies to requests, of one", 1, slices.Concat(askA, askC, replies), "a has 1 requests outstanding already"},
		{"one request for two replies", 2, slices.Concat(askA, askC, send(3, 0, 1), on(3, 0, 1, 1), replies), "no request has arrived at d"},
		{"a request again once it is answered, of one", 1,
			slices.Concat(askA, send(3, 0, 1), on(3, 0, 1, 1), send(0, 3, 0)),
			"the packet in a->b vc0 may still take b->c vc0"},
		{"a request again before the reply has arrived, of one", 1, slices.Concat(askA, send(3, 0, 1), send(0, 3, 0)), "a has 1 requests outstanding already"},
	} {
		n := exchange(t, tt.outstanding)
		trace := &counterexamples.Trace{Network: n.Digest(), Property: spec.DeadlockFreedom,
			Fault: counterexamples.Deadlock, Stuck: []spec.ChannelID{0, 1, 2, 3}, Moves: tt.moves}
		err := counterexamples.Replay(t.Context(), n, trace)
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}

// TestWindowsOfFewerFlows: with fewer flows, the windows of those that are left stay.
func TestWindowsOfFewerFlows(t *testing.T) {
	n := exchange(t, 1)
	def := routing.FromNetwork(n)
	all := def.Flows
	def.Flows = func(src, dst spec.NodeID, c spec.Class) bool { return src == 0 && all(src, dst, c) }
	fewer := routingtest.Compile(t, def)
	if got := fewer.Exchanges(); len(got) != 1 || got[0] != n.Exchanges()[3] {
		t.Errorf("exchanges %v, want that of a alone: %v", got, n.Exchanges()[3])
	}
	if len(fewer.Windows()) != 2 {
		t.Errorf("windows %v, want both", fewer.Windows())
	}
}

// TestWindowsInFiles: windows and exchanges are part of the closed form and its digest, and every number of them is checked.
func TestWindowsInFiles(t *testing.T) {
	n := exchange(t, 1)
	var b bytes.Buffer
	if err := spec.WriteClosed(&b, n); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	read, err := spec.ReadClosed(t.Context(), "exchange.json", b.Bytes())
	if err != nil || read.Digest() != n.Digest() {
		t.Fatalf("read again: %v", err)
	}
	if n.Digest() == exchange(t, 2).Digest() {
		t.Error("networks with different windows have one digest")
	}
	// Written by hand from the documentation: a (0) to d (3) is kind 0 of window 0; c (2) to b (1) kind 1 of window 1; the
	// replies to them come from d and b.
	const exchanges = "\"windows\":[1,1],\n\"exchanges\":[\n0,1,3,0,0,-1,-1,\n1,0,2,0,-1,1,1,\n2,1,1,0,1,-1,-1,\n3,0,0,0,-1,0,0]"
	if !strings.Contains(text, exchanges) {
		t.Fatalf("no\n%s\nin\n%s", exchanges, text)
	}
	for _, tt := range []struct{ name, old, new, want string }{
		{"no request may be outstanding", `"windows":[1,1]`, `"windows":[0,1]`, "0 is out of range: want 1 to"},
		{"a window that does not exist", "3,0,0,0,-1,0,0]", "3,0,0,0,-1,0,2]", "exchange 3 has window 2: want -1 to 1"},
		{"no flow", "3,0,0,0,-1,0,0]", "3,0,1,0,-1,0,0]", "exchange 3 is no flow of the network"},
		{"no alternative", "3,0,0,0,-1,0,0]", "3,0,0,1,-1,0,0]", "exchange 3 is no flow of the network"},
		{"twice", "3,0,0,0,-1,0,0]", "3,0,0,0,-1,0,0,3,0,0,0,-1,0,0]", "exchange 4: exchanges must be ascending"},
		{"without windows", "\"windows\":[1,1],\n", "", "exchanges without windows"},
		{"in version 1", "network-2", "network-1", "want"},
	} {
		wrong := strings.Replace(text, tt.old, tt.new, 1)
		if wrong == text {
			t.Fatalf("%s: %q does not occur", tt.name, tt.old)
		}
		if _, err := spec.ReadClosed(t.Context(), "exchange.json", []byte(wrong)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}
