package counterexamples_test

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/checker/show/explain"
	"github.com/seed-105a2da2/unknot/checker/write"
	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
)

// sketch is a network of directed links with a route by table: channel i is
// link i; routes["i d"] or routes["inject v d"] lists channels.
func sketch(t *testing.T, nodes int, links [][2]int, route func(at spec.ChannelID, node, dest spec.NodeID) []spec.ChannelID) *spec.Network {
	t.Helper()
	topo := spec.NewTopology()
	for range nodes {
		topo.AddNode("")
	}
	for _, l := range links {
		topo.AddLink(spec.Link{From: spec.NodeID(l[0]), To: spec.NodeID(l[1]), VCs: 1})
	}
	n, err := routing.Compile(context.Background(), routing.Definition{Name: "sketch", Topology: topo,
		Routing: routing.Named("the sketch", routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
			for _, c := range route(at, topo.Head(at), h.Dest) {
				dst = append(dst, spec.Hop{Channel: c})
			}
			return dst
		}))}, routing.CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// ring is a one-way ring of three nodes; channel i leads from i to i+1.
func ring(t *testing.T) *spec.Network {
	return sketch(t, 3, [][2]int{{0, 1}, {1, 2}, {2, 0}}, func(_ spec.ChannelID, node, dest spec.NodeID) []spec.ChannelID {
		if node == dest {
			return []spec.ChannelID{spec.Eject}
		}
		return []spec.ChannelID{spec.ChannelID(node)}
	})
}

func inject(node, dest spec.NodeID, c spec.ChannelID) spec.Move {
	return spec.Move{From: spec.Injection(node), Header: spec.Header{Dest: dest}, Hop: spec.Hop{Channel: c}}
}

func move(from spec.ChannelID, dest spec.NodeID, to spec.ChannelID) spec.Move {
	return spec.Move{From: from, Header: spec.Header{Dest: dest}, Hop: spec.Hop{Channel: to}}
}

// ringDeadlock: every node sends a packet two hops ahead; all wait.
func ringDeadlock(t *testing.T) (*spec.Network, *counterexamples.Trace) {
	n := ring(t)
	return n, &counterexamples.Trace{
		Network: n.Digest(), Property: spec.DeadlockFreedom, Fault: counterexamples.Deadlock,
		Moves: []spec.Move{inject(0, 2, 0), inject(1, 0, 1), inject(2, 1, 2)},
		Stuck: []spec.ChannelID{0, 1, 2},
	}
}

// astray is a network with every delivery fault and a loop. Links: 0: 0->1, 1: 1->2, 2:
// 2->1. For node 3, to which nothing leads, 0 has no first hop, and 1 and 2 send round
// the loop forever. For node 2, packets leave at 1. For node 0, packets of 2 come to 1
// and find no hop.
func astray(t *testing.T) *spec.Network {
	return sketch(t, 4, [][2]int{{0, 1}, {1, 2}, {2, 1}}, func(at spec.ChannelID, node, dest spec.NodeID) []spec.ChannelID {
		switch {
		case node == dest:
			return []spec.ChannelID{spec.Eject}
		case dest == 3 && node == 1:
			return []spec.ChannelID{1}
		case dest == 3 && node == 2, dest == 0 && node == 2, dest == 1 && node == 2:
			return []spec.ChannelID{2}
		case dest == 2 && node == 0, dest == 1 && node == 0:
			return []spec.ChannelID{0}
		case dest == 2 && node == 1 && !at.IsInjection():
			return []spec.ChannelID{spec.Eject}
		}
		return nil
	})
}

func good(t *testing.T) map[string]struct {
	n *spec.Network
	t *counterexamples.Trace
} {
	t.Helper()
	type pair = struct {
		n *spec.Network
		t *counterexamples.Trace
	}
	n, deadlock := ringDeadlock(t)
	a := astray(t)
	d := a.Digest()
	at := func(c spec.ChannelID, dest spec.NodeID) spec.Site {
		return spec.Site{Channel: c, Header: spec.Header{Dest: dest}}
	}
	return map[string]pair{
		"deadlock": {n, deadlock},
		"loop": {a, &counterexamples.Trace{Network: d, Property: spec.LivelockFreedom, Fault: counterexamples.Loop, Back: 1,
			Moves: []spec.Move{inject(1, 3, 1), move(1, 3, 2), move(2, 3, 1)}}},
		"dead end": {a, &counterexamples.Trace{Network: d, Property: spec.Delivery, Fault: counterexamples.DeadEnd, Site: at(2, 0),
			Moves: []spec.Move{inject(2, 0, 2)}}},
		"unrouted": {a, &counterexamples.Trace{Network: d, Property: spec.Delivery, Fault: counterexamples.Unrouted, Site: at(spec.Injection(0), 3)}},
		"misdelivery": {a, &counterexamples.Trace{Network: d, Property: spec.Delivery,
			Fault: counterexamples.Misdelivery, Moves: []spec.Move{inject(0, 2, 0), move(0, 2, spec.Eject)}}},
		"trap": {a, &counterexamples.Trace{Network: d, Property: spec.Delivery, Fault: counterexamples.Trap, Site: at(1, 3),
			Moves: []spec.Move{inject(1, 3, 1)}}},
	}
}

func TestReplay(t *testing.T) {
	for name, g := range good(t) {
		if err := counterexamples.Replay(t.Context(), g.n, g.t); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestReplayRefuses(t *testing.T) {
	for _, tt := range []struct {
		trace, name string
		change      func(*counterexamples.Trace)
		want        string
	}{
		{"deadlock", "empty", func(x *counterexamples.Trace) { *x = counterexamples.Trace{} }, "invalid fault"},
		{"deadlock", "a fault beyond all", func(x *counterexamples.Trace) { x.Fault = 99 }, "invalid fault 99"},
		{"deadlock", "the fault after the last", func(x *counterexamples.Trace) { x.Fault = counterexamples.Discarded + 1 }, "invalid fault"},
		{"deadlock", "other network", func(x *counterexamples.Trace) { x.Network[0] ^= 1 }, "another network"},
		{"deadlock", "other property", func(x *counterexamples.Trace) { x.Property = spec.Delivery }, "violates deadlock-freedom, not delivery"},
		{"deadlock", "one packet short", func(x *counterexamples.Trace) { x.Moves = x.Moves[:2] }, "may still take 2->0 vc0"},
		{"deadlock", "twice the same", func(x *counterexamples.Trace) { x.Moves[2] = x.Moves[0] }, "move 3 is not possible: 0->1 vc0 is full"},
		{"deadlock", "a packet that has arrived", func(x *counterexamples.Trace) { x.Moves[0] = inject(0, 1, 0) }, "may still take eject"},
		{"deadlock", "one channel not named", func(x *counterexamples.Trace) { x.Stuck = x.Stuck[:2] }, "may still take 2->0 vc0"},
		{"deadlock", "nothing named", func(x *counterexamples.Trace) { x.Stuck = nil }, "no channel is named"},
		{"deadlock", "named twice", func(x *counterexamples.Trace) { x.Stuck = []spec.ChannelID{0, 0, 1, 2} }, "ascending"},
		{"deadlock", "no such channel", func(x *counterexamples.Trace) { x.Stuck = []spec.ChannelID{0, 1, 2, 3} }, "exist"},
		{"deadlock", "a loop as well", func(x *counterexamples.Trace) { x.Back = 1 }, "means nothing there"},
		{"deadlock", "bounded", func(x *counterexamples.Trace) { x.Scenario.Packets = 9 }, "bounds no traffic"},
		{"deadlock", "no such scenario", func(x *counterexamples.Trace) { x.Scenario.Length = 2 }, "needs wormhole switching"},
		{"deadlock", "a site as well", func(x *counterexamples.Trace) { x.Site.Channel = 1 }, "means nothing there"},
		{"deadlock", "a channel below all", func(x *counterexamples.Trace) { x.Stuck = []spec.ChannelID{-1, 0, 1, 2} }, "exist"},
		{"loop", "a notion as well", func(x *counterexamples.Trace) { x.Notion = counterexamples.Weak }, "means nothing there"},
		{"loop", "stuck as well", func(x *counterexamples.Trace) { x.Stuck = []spec.ChannelID{0} }, "means nothing there"},
		{"misdelivery", "a site as well", func(x *counterexamples.Trace) { x.Site.Channel = 1 }, "means nothing there"},
		{"dead end", "at no channel", func(x *counterexamples.Trace) { x.Site.Channel = 99 }, "does not bring the packet"},
		{"dead end", "at the channel after the last", func(x *counterexamples.Trace) { x.Site.Channel = 3 }, "does not bring the packet"},
		{"dead end", "at its ejection", func(x *counterexamples.Trace) { x.Site.Channel = spec.Eject }, "does not bring the packet"},
		{"unrouted", "moves", func(x *counterexamples.Trace) { x.Moves = []spec.Move{inject(0, 2, 0)} }, ""},
		{"loop", "a site as well", func(x *counterexamples.Trace) { x.Site.Channel = 1 }, "means nothing there"},
		{"loop", "not closed", func(x *counterexamples.Trace) { x.Moves = x.Moves[:2] }, "does not come back"},
		{"loop", "no loop", func(x *counterexamples.Trace) { x.Back = 3 }, "want 2 to 3"},
		{"loop", "from the start", func(x *counterexamples.Trace) { x.Back = 0 }, "want 2 to 3"},
		{"loop", "a second packet", func(x *counterexamples.Trace) { x.Moves[2] = inject(1, 3, 1) }, "has no other"},
		{"dead end", "elsewhere", func(x *counterexamples.Trace) { x.Site.Channel = 1 }, "does not bring the packet"},
		{"dead end", "of another packet", func(x *counterexamples.Trace) { x.Moves = []spec.Move{inject(2, 3, 2)} }, "does not bring the packet"},
		{"dead end", "called a trap", func(x *counterexamples.Trace) { x.Fault = counterexamples.Trap }, "at a dead end, not in a trap"},
		{"trap", "called a dead end", func(x *counterexamples.Trace) { x.Fault = counterexamples.DeadEnd }, "has a permitted hop"},
		{"trap", "a packet that can arrive", func(x *counterexamples.Trace) {
			x.Moves = []spec.Move{inject(2, 1, 2)}
			x.Site = spec.Site{Channel: 2, Header: spec.Header{Dest: 1}}
		}, "can still arrive"},
		{"unrouted", "routed", func(x *counterexamples.Trace) { x.Site.Header.Dest = 2 }, "has a first hop"},
		{"unrouted", "not a source", func(x *counterexamples.Trace) { x.Site.Header.Dest = 0 }, "no source injects"},
		{"unrouted", "not an injection", func(x *counterexamples.Trace) { x.Site.Channel = 1 }, "no source injects"},
		{"misdelivery", "not ejected", func(x *counterexamples.Trace) { x.Moves = x.Moves[:1] }, "is not an ejection"},
		{"misdelivery", "rightly delivered", func(x *counterexamples.Trace) {
			x.Moves = []spec.Move{inject(0, 1, 0), move(0, 1, spec.Eject)}
		}, "its destination"},
		{"misdelivery", "consumed where it is to arrive", func(x *counterexamples.Trace) {
			x.Scenario.Sink = 1
			x.Moves = []spec.Move{inject(0, 1, 0), move(0, 1, spec.Eject), {Kind: spec.Consume, From: spec.Injection(1), Hop: spec.Hop{Channel: spec.Eject}}}
		}, "is not an ejection"},
		{"misdelivery", "no moves", func(x *counterexamples.Trace) { x.Moves = nil }, "without moves"},
	} {
		g := good(t)[tt.trace]
		tt.change(g.t)
		err := counterexamples.Replay(t.Context(), g.n, g.t)
		if err == nil {
			t.Errorf("%s, %s: accepted", tt.trace, tt.name)
		} else if !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s, %s: %q, want it to contain %q", tt.trace, tt.name, err, tt.want)
		}
	}
	if counterexamples.Replay(t.Context(), ring(t), nil) == nil {
		t.Error("no trace at all was accepted")
	}
}

// TestTraps: on a line of nodes 0 to 3, packets of node 0 go to the end of the line, or
// leave it at node 2, and then have no hop. A packet is in a trap if it never arrives,
// however far it can still go, and wherever else it may eject.
func TestTraps(t *testing.T) {
	for _, tt := range []struct {
		name string
		dest spec.NodeID
		want string // "" is a trap
	}{
		{"arrives after two more hops", 3, "can still arrive, by 2->3"},
		{"reaches a dead end", 4, ""},
		{"may eject at node 2, which is not its destination", 5, ""},
	} {
		n := sketch(t, 6, [][2]int{{0, 1}, {1, 2}, {2, 3}}, func(at spec.ChannelID, node, dest spec.NodeID) []spec.ChannelID {
			switch {
			case at == spec.Injection(0), at == 0:
				return []spec.ChannelID{spec.ChannelID(node)}
			case at == 1 && dest == 5, at == 2 && dest == 3:
				return []spec.ChannelID{spec.Eject}
			case at == 1 && dest == 3:
				return []spec.ChannelID{2}
			}
			return nil
		})
		x := &counterexamples.Trace{Network: n.Digest(), Property: spec.Delivery, Fault: counterexamples.Trap,
			Moves: []spec.Move{inject(0, tt.dest, 0)}, Site: spec.Site{Header: spec.Header{Dest: tt.dest}}}
		err := counterexamples.Replay(t.Context(), n, x)
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("a packet that %s: %v, want %q", tt.name, err, tt.want)
		}
	}
}

func written(t *testing.T, n *spec.Network, x *counterexamples.Trace) string {
	t.Helper()
	var b bytes.Buffer
	if err := write.Trace(&b, n, x); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestWrittenForm(t *testing.T) {
	n, x := ringDeadlock(t)
	want := "unknot-trace 2\nnetwork " + n.Digest().String() + `
property deadlock-freedom
fault deadlock
stuck 0 1 2
move -2 2 0 0 -> 0 0 # for 2: inject 0 -> 0->1 vc0
move -3 0 0 0 -> 1 0 # for 0: inject 1 -> 1->2 vc0
move -4 1 0 0 -> 2 0 # for 1: inject 2 -> 2->0 vc0
end
`
	if diff := cmp.Diff(want, written(t, n, x)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for name, g := range good(t) {
		again, err := counterexamples.Read("x", strings.NewReader(written(t, g.n, g.t)))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if diff := cmp.Diff(g.t, again); diff != "" {
			t.Errorf("%s (-before +after):\n%s", name, diff)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	n, x := ringDeadlock(t)
	text := written(t, n, x)
	for _, tt := range []struct{ name, old, new, want string }{
		{"empty", text, "", "x:1:1: unexpected end of file"},
		{"version", "trace 2", "trace 1", "x:1:1: want"},
		{"property", "property deadlock-freedom", "property peace", "x:3:10: invalid property"},
		{"fault", "fault deadlock", "fault mine", `x:4:7: invalid fault "mine": want deadlock, loop, dead-end, unrouted, misdelivery, trap or discarded`},
		{"former fault", "fault deadlock", "fault circular-" + "wait",
			`x:4:7: invalid fault "circular-` + `wait": want deadlock, loop, dead-end, unrouted, misdelivery, trap or discarded; it is now called deadlock`},
		{"former property", "property deadlock-freedom", "property dead" + "lock",
			`x:3:10: invalid property "dead` + `lock": want deadlock-freedom, livelock-freedom, delivery or no-discard; it is now called deadlock-freedom`},
		{"stuck", "stuck 0", "stuck -1", "x:5:1: "},
		{"field missing", "stuck 0 1 2\n", "", "x:5:1: want \"stuck\""},
		{"move", "move -2 2", "move -2", "x:6:1: want \"move"},
		{"tag", "-> 0 0", "-> 0 65536", "x:6:1: "},
		{"truncated", "end\n", "", "x:9:1: unexpected end of file"},
		{"trailing", "end\n", "end\nend\n", "x:10:1: text after the end"},
		{"plus sign", "-> 0 0", "-> +0 0", "x:6:1: "},
		{"another kind of move", "move -2", "jump -2", "x:6:1: want \"move"},
		{"arrow", "-> 0 0", "=> 0 0", "x:6:1: want \"move"},
	} {
		_, err := counterexamples.Read("x", strings.NewReader(strings.Replace(text, tt.old, tt.new, 1)))
		if err == nil {
			t.Errorf("%s: accepted", tt.name)
		} else if !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%s: %q, want it to begin with %q", tt.name, err, tt.want)
		}
	}
}

// TestScenarioForm: the scenario comes before the moves; the move of a sink has a form
// of its own.
func TestScenarioForm(t *testing.T) {
	n := ring(t)
	text := "unknot-trace 2\nnetwork " + n.Digest().String() +
		"\nproperty delivery\nfault misdelivery\nscenario sink 1\nmove -2 1 0 0 -> 0 0\nconsume -3\nend\n"
	x, err := counterexamples.Read("x", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	want := []spec.Move{inject(0, 1, 0), {Kind: spec.Consume, From: spec.Injection(1), Hop: spec.Hop{Channel: spec.Eject}}}
	if diff := cmp.Diff(want, x.Moves); diff != "" || x.Scenario.Sink != 1 {
		t.Errorf("%s (-want +got):\n%s", x.Scenario, diff)
	}
	for _, wrong := range []string{"sink x", "sink 1 packets 2", "quick"} {
		if _, err := counterexamples.Read("x", strings.NewReader(strings.Replace(text, "sink 1", wrong,
			1))); err == nil || !strings.HasPrefix(err.Error(), "x:5:10: ") {
			t.Errorf("scenario %s: %v, want it refused where it stands", wrong, err)
		}
	}
}

// TestFlippedBytes: a trace with any byte changed is refused, or still shows
// the fault (a byte of a comment).
func TestFlippedBytes(t *testing.T) {
	n, x := ringDeadlock(t)
	text := written(t, n, x)
	for i := range len(text) {
		flipped := []byte(text)
		flipped[i] ^= 1
		again, err := counterexamples.Read("x", bytes.NewReader(flipped))
		if err != nil || counterexamples.Replay(t.Context(), n, again) != nil {
			continue
		}
		if diff := cmp.Diff(x, again); diff != "" {
			t.Errorf("byte %d: accepted as another trace:\n%s", i, diff)
		}
	}
}

func TestWords(t *testing.T) {
	n, x := ringDeadlock(t)
	want := []string{
		"P1 for 2 holds 0->1 vc0 and waits for 1->2 vc0 (held by P2), by the sketch",
		"P2 for 0 holds 1->2 vc0 and waits for 2->0 vc0 (held by P3), by the sketch",
		"P3 for 1 holds 2->0 vc0 and waits for 0->1 vc0 (held by P1), by the sketch",
	}
	if diff := cmp.Diff(want, explain.WaitFor(evidence.Trace{Network: n, Trace: x})); diff != "" {
		t.Errorf("wait-for (-want +got):\n%s", diff)
	}
	g := good(t)["loop"]
	want = []string{
		"1. P1: packet for 3 enters at 1 into 1->2 vc0, by the sketch",
		"2. P1: packet for 3 moves from 1->2 vc0 to 2->1 vc0, by the sketch",
		"3. P1: packet for 3 moves from 2->1 vc0 to 1->2 vc0, by the sketch",
		"and so on from move 2",
	}
	if diff := cmp.Diff(want, explain.Transcript(evidence.Trace{Network: g.n, Trace: g.t}, explain.StepsOnly, 9)); diff != "" {
		t.Errorf("transcript (-want +got):\n%s", diff)
	}
}

// TestLoopComesBackWithItsTag: a packet that is back in its channel with another tag
// has not come back, since its next hops may differ.
func TestLoopComesBackWithItsTag(t *testing.T) {
	topo := spec.NewTopology()
	for range 3 {
		topo.AddNode("")
	}
	topo.AddLink(spec.Link{From: 0, To: 1, VCs: 1})
	topo.AddLink(spec.Link{From: 1, To: 0, VCs: 1})
	count := routing.Named("counts to 2", routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
		return append(dst, spec.Hop{Channel: topo.Channel(topo.OutLinks(topo.Head(at))[0], 0), Tag: min(h.Tag+1, 2)})
	}))
	n, err := routing.Compile(t.Context(), routing.Definition{Name: "count", Topology: topo, Tags: 3, Routing: count,
		Flows: func(_, dst spec.NodeID, _ spec.Class) bool { return dst == 2 }}, routing.CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	step := func(from, to spec.ChannelID, before, after spec.Tag) spec.Move {
		return spec.Move{From: from, Header: spec.Header{Dest: 2, Tag: before}, Hop: spec.Hop{Channel: to, Tag: after}}
	}
	x := &counterexamples.Trace{Network: n.Digest(), Property: spec.LivelockFreedom, Fault: counterexamples.Loop, Back: 1,
		Moves: []spec.Move{step(spec.Injection(0), 0, 0, 1), step(0, 1, 1, 2), step(1, 0, 2, 2)}}
	if err := counterexamples.Replay(t.Context(), n, x); err == nil || !strings.Contains(err.Error(), "does not come back") {
		t.Errorf("back in the channel with tag 2, not 1: %v", err)
	}
	x.Back, x.Moves = 2, append(x.Moves, step(0, 1, 2, 2))
	if err := counterexamples.Replay(t.Context(), n, x); err != nil {
		t.Errorf("move 3 starts with tag 2 in channel 1, where move 4 ends: %v", err)
	}
}

// TestNotionKeepsNoMoves: the memory for deciding the notion of a state does not grow with
// the flows of the network. Here 1,560 flows inject, except into the full channels.
func TestNotionKeepsNoMoves(t *testing.T) {
	const nodes = 40
	var links [][2]int
	for v := range nodes {
		links = append(links, [2]int{v, (v + 1) % nodes})
	}
	n := sketch(t, nodes, links, func(_ spec.ChannelID, node, dest spec.NodeID) []spec.ChannelID {
		if node == dest {
			return []spec.ChannelID{spec.Eject}
		}
		return []spec.ChannelID{spec.ChannelID(node)}
	})
	traffic, err := n.Traffic(spec.Scenario{})
	if err != nil {
		t.Fatal(err)
	}
	s := traffic.Empty()
	if got := counterexamples.NotionOf(traffic, s); got != counterexamples.Weak {
		t.Errorf("with injections alone: %s, want weak", got)
	}
	if got := testing.AllocsPerRun(10, func() { counterexamples.NotionOf(traffic, s) }); got > 2 {
		t.Errorf("%v allocations, want 2 at most", got)
	}
}

// TestNotions: two one-way rings of three nodes. If one of them is full, packets can
// still be injected into the other: a weak deadlock; with a packet there that can move,
// a local one; with both full, a global one. A trace may claim what it shows or less,
// and keeps its claim when it is made smaller.
func TestNotions(t *testing.T) {
	n := sketch(t, 6, [][2]int{{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5}, {5, 3}}, func(_ spec.ChannelID, node, dest spec.NodeID) []spec.ChannelID {
		switch {
		case node == dest:
			return []spec.ChannelID{spec.Eject}
		case node/3 == dest/3:
			return []spec.ChannelID{spec.ChannelID(node)}
		}
		return nil
	})
	one := []spec.Move{inject(0, 2, 0), inject(1, 0, 1), inject(2, 1, 2)}
	other := []spec.Move{inject(3, 5, 3), inject(4, 3, 4), inject(5, 4, 5)}
	for _, tt := range []struct {
		shows counterexamples.Notion
		moves []spec.Move
	}{
		{counterexamples.Local, slices.Concat(one, other[:1])},
		{counterexamples.Weak, one},
		{counterexamples.Global, slices.Concat(one, other)},
	} {
		for claims := counterexamples.Local; claims <= counterexamples.Global; claims++ {
			x := &counterexamples.Trace{Network: n.Digest(), Property: spec.DeadlockFreedom,
				Fault: counterexamples.Deadlock, Moves: tt.moves, Stuck: []spec.ChannelID{0, 1, 2}, Notion: claims}
			text := written(t, n, x)
			if strings.Contains(text, "\nnotion "+claims.String()+"\n") != (claims != counterexamples.Local) {
				t.Errorf("%s is written\n%s", claims, text)
			}
			read, err := counterexamples.Read("f", strings.NewReader(text))
			if err != nil || read.Notion != claims {
				t.Errorf("%s is read as %v, %v", claims, read, err)
			}
			err = counterexamples.Replay(t.Context(), n, x)
			if claims > tt.shows {
				if want := tt.shows.String() + " deadlock, not a " + claims.String() + " one"; err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%v, want %q", err, want)
				}
				continue
			}
			small, shrunk := explain.Minimise(t.Context(), evidence.Trace{Network: n, Trace: x})
			want := len(one)
			if claims != counterexamples.Local {
				want = len(tt.moves) // without any one packet something can move
			}
			if err != nil || shrunk != nil || len(small.Moves) != want || small.Notion != claims {
				t.Errorf("a %s deadlock that is said to be %s: %v, %v, %v", tt.shows, claims, err, shrunk, small.Trace)
			}
		}
	}
	// Heads of messages of two flits fill a ring of three, whose channels hold two: the
	// second flits can still enter, which is not an injection.
	worms := routing.FromNetwork(ring(t))
	worms.Switching, worms.Buffer = spec.Wormhole, 2
	n = routingtest.Compile(t, worms)
	x := &counterexamples.Trace{Network: n.Digest(), Scenario: spec.Scenario{Length: 2}, Property: spec.DeadlockFreedom, Fault: counterexamples.Deadlock,
		Moves: one, Stuck: []spec.ChannelID{0, 1, 2}}
	if err := counterexamples.Replay(t.Context(), n, x); err != nil {
		t.Error(err)
	}
	// Messages that fit into one channel have it to themselves, however deep it is.
	whole := *x
	whole.Scenario, whole.Moves = spec.Scenario{}, []spec.Move{one[0], one[0], one[1], one[2]}
	if err := counterexamples.Replay(t.Context(), n, &whole); err == nil || !strings.Contains(err.Error(), "move 2 is not possible: 0->1 vc0 is full") {
		t.Errorf("two messages in a channel: %v", err)
	}
	x.Notion = counterexamples.Weak
	if err := counterexamples.Replay(t.Context(), n, x); err == nil || !strings.Contains(err.Error(), "local deadlock, not a weak one") {
		t.Errorf("while flits may enter: %v", err)
	}
	text := written(t, n, &counterexamples.Trace{Property: spec.DeadlockFreedom, Fault: counterexamples.Deadlock, Notion: counterexamples.Weak})
	for _, other := range []string{"local", "loud"} {
		if _, err := counterexamples.Read("f", strings.NewReader(strings.Replace(text, "weak", other,
			1))); err == nil || err.Error() != "f:6:8: invalid notion \""+other+"\": want weak or global" {
			t.Errorf("notion %s: %v", other, err)
		}
	}
}
