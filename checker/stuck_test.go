package checker_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// anyTraffic draws a network and a scenario of any kind: packets, messages of some flits or of any
// length, shifting or elastic, shared channels, bubbles, deep buffers, sinks that fill,
// bounds.
func anyTraffic(t *rapid.T, o netgen.Options) *states.Traffic {
	o.MayFail, o.Buffer = rapid.Bool().Draw(t, "may fail"), 3
	n := netgen.Network(t, o, rapid.SampledFrom([]spec.Switching{spec.StoreAndForward, spec.Wormhole}).Draw(t, "switching"))
	if n.Tables() == 0 {
		t.Skip("no traffic")
	}
	return trafficOf(t, n, netgen.Scenario(t, n))
}

// stays checks that after one move the first messages of stuck channels are
// still there, and still stuck.
func stays(t *rapid.T, m *states.Traffic, s spec.Occupancy, stuck []spec.ChannelID, mv spec.Move) spec.Occupancy {
	after, err := m.Step(s, mv)
	if err != nil {
		t.Fatal(err)
	}
	if len(stuck) == 0 {
		return after
	}
	still := m.Stuck(after)
	for _, c := range stuck {
		pieces := len(s.Channels[c])
		if mv.Kind == spec.Advance && mv.Hop.Channel == c {
			pieces++
		}
		if len(after.Channels[c]) != pieces || !slices.Contains(still, c) {
			t.Fatalf("under %s, in %s:\n%v is stuck, but %s frees channel %d: %s", m.Scenario(), text(m, s), stuck, m.Describe(mv), c, text(m, after))
		}
	}
	return after
}

func text(m *states.Traffic, s spec.Occupancy) string { return m.Layout().Text(m.Encode(nil, s)) }

// inFlight reports whether a move is anything but an injection.
func inFlight(mv spec.Move) bool { return mv.Kind != spec.Advance || !mv.From.IsInjection() }

// TestStuckStaysStuck walks at random: no move frees what is stuck.
func TestStuckStaysStuck(t *testing.T) {
	seen := 0
	rapid.Check(t, func(t *rapid.T) {
		m := anyTraffic(t, netgen.Options{Nodes: 5, Channels: 8, Tags: 2, Dims: 2})
		s := m.Empty()
		for range 60 {
			stuck := m.Stuck(s)
			seen += min(len(stuck), 1)
			moves := m.Moves(s)
			if len(moves) == 0 {
				return
			}
			var all []spec.Occupancy
			for _, mv := range moves {
				all = append(all, stays(t, m, s, stuck, mv))
			}
			// Prefer what fills the network.
			s = all[min(rapid.IntRange(0, len(all)-1).Draw(t, "i"), rapid.IntRange(0, len(all)-1).Draw(t, "j"))]
		}
	})
	if seedtest.Usual() && seen == 0 {
		t.Error("nothing was ever stuck")
	}
}

// TestDrawnTogether: two messages of four flits meet in two channels of three. Whatever waits, each
// can pull its flits together, so that the other's head has room behind its tail: no state with
// packets in flight is at rest, none can go on forever, and so nothing is ever
// stuck.
func TestDrawnTogether(t *testing.T) {
	const file = "testdata/drawn-together.json"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	n, err := spec.ReadClosed(t.Context(), file, text)
	if err != nil {
		t.Fatal(err)
	}
	x := explore(t, trafficOf(t, n, spec.Scenario{Length: 4, Shared: true, Packets: 2}), checker.Question{Explore: checker.Whole})
	if !x.Complete || x.Weak > 0 || x.Local > 0 || decide(t, n, spec.LivelockFreedom).Verdict != spec.Holds {
		t.Errorf("%d states, %d weak and %d local deadlocks", x.States, x.Weak, x.Local)
	}
}

// TestDeadEnds: if the only packet in flight is at a dead end, nothing can move, but nothing is
// stuck either, by any notion: only delivery is violated.
func TestDeadEnds(t *testing.T) {
	topo := spec.NewTopology()
	a, b, c := topo.AddNode("A"), topo.AddNode("B"), topo.AddNode("C")
	ab := topo.Channel(topo.AddLink(spec.Link{From: a, To: b, VCs: 1}), 0)
	topo.AddLink(spec.Link{From: b, To: c, VCs: 1})
	def := routing.Definition{Name: "dead end", Topology: topo,
		Flows: func(src, dst spec.NodeID, _ spec.Class) bool { return src == a && dst == c },
		Routing: routing.Deliver(topo, routing.Func(func(dst []spec.Hop, at spec.ChannelID, _ spec.Header) []spec.Hop {
			if at.IsInjection() {
				dst = append(dst, spec.Hop{Channel: ab})
			}
			return dst
		}))}
	for _, length := range []int{0, 2} {
		if length > 0 {
			def.Switching = spec.Wormhole
		}
		n := routingtest.Compile(t, def)
		m := trafficOf(t, n, spec.Scenario{Length: length})
		for _, notion := range []checker.Notion{checker.Local, checker.Weak, checker.Global} {
			x := explore(t, m, checker.Question{Notion: notion, Explore: checker.Whole})
			if x.Local+x.Weak+x.Global > 0 || finding(t, x, "deadlock-freedom").Verdict != spec.Holds || finding(t, x, "delivery").Verdict != spec.Violated {
				t.Errorf("length %d, %s: %+v", length, notion, x)
			}
			if !slices.ContainsFunc(words.Written(x.Findings[0].Assumptions), func(s string) bool { return strings.Contains(s, "dead end") }) {
				t.Errorf("length %d, %s: what becomes of packets at dead ends is not among %q", length, notion, x.Findings[0].Assumptions)
			}
		}
		if r := decide(t, n, spec.DeadlockFreedom); r.Verdict != spec.Holds {
			t.Errorf("decided %s", r.Verdict)
		}
	}
}

// live returns, for a state at rest, the channels that would stay occupied if packets at dead ends
// were removed: those whose first message neither is at a dead end nor waits for one that would
// leave, in one or more steps.
func live(m *states.Traffic, s spec.Occupancy) []spec.ChannelID {
	out := make([]bool, len(s.Channels))
	leaves := func(c spec.ChannelID) bool {
		first := s.Channels[c][0]
		if first.Left {
			return out[first.Out.Channel]
		}
		hops, _ := m.Network().Hops(spec.Site{Channel: c, Header: first.Header})
		return len(hops) == 0 || slices.ContainsFunc(hops, func(h spec.Hop) bool { return out[h.Channel] })
	}
	for again := true; again; {
		again = false
		for c, pieces := range s.Channels {
			if len(pieces) > 0 && !out[c] && leaves(spec.ChannelID(c)) {
				out[c], again = true, true
			}
		}
	}
	var set []spec.ChannelID
	for c, pieces := range s.Channels {
		if len(pieces) > 0 && !out[c] {
			set = append(set, spec.ChannelID(c))
		}
	}
	return set
}

// TestStuckAtRest visits all states of small spaces. No move frees what is stuck; at rest everything
// live is stuck; and unless packets can move forever, moves in flight lead from each state with
// something stuck to one at rest. For each notion, the exploration counts the same deadlocks as
// the plain reading.
func TestStuckAtRest(t *testing.T) {
	var sum space
	rapid.Check(t, func(t *rapid.T) {
		m := anyTraffic(t, netgen.Options{Nodes: 4, Channels: 5, Tags: 1})
		x, ok := visitAll(t, m)
		if !ok {
			return
		}
		sum.add(x)
		sameNotions(t, m, x)
		if x.unsettled > 0 && decide(t, m.Network(), spec.LivelockFreedom).Verdict == spec.Holds {
			t.Fatalf("under %s packets cannot move forever, but %d states with something stuck come to none at rest", m.Scenario(), x.unsettled)
		}
	})
	t.Logf("%+v", sum)
	if seedtest.Usual() && (sum.Local == 0 || sum.Weak == 0 || sum.dead == 0) {
		t.Error("the spaces are too tame")
	}
}

// sameNotions explores with each notion of deadlock, and has the evidence checked.
func sameNotions(t *rapid.T, m *states.Traffic, want space) {
	for notion, deadlocks := range [...]int{checker.Local: want.Local, checker.Weak: want.Weak, checker.Global: want.Global} {
		x := explore(t, m, checker.Question{Notion: checker.Notion(notion), Explore: checker.Whole, Workers: 1})
		if got := [3]int64{x.Local, x.Weak, x.Global}; got != [3]int64{int64(want.Local), int64(want.Weak), int64(want.Global)} {
			t.Fatalf("under %s, in %d states %v local, weak and global deadlocks, want %+v", m.Scenario(), x.States, got, want)
		}
		f := finding(t, x, "deadlock-freedom")
		if got := f.Verdict == spec.Violated; got != (deadlocks > 0) {
			t.Fatalf("%d %s deadlocks, violated is %v", deadlocks, checker.Notion(notion), got)
		}
		if trace := f.Trace(); trace != nil && trace.Notion != checker.Notion(notion) && !m.Scenario().Bounded() {
			t.Fatalf("the trace to a %s deadlock says %s", checker.Notion(notion), trace.Notion)
		}
	}
}

// space is what visitAll counts.
type space struct {
	Local, Weak, Global int // deadlocks of each notion
	dead                int // states at rest in which packets only wait for dead ends
	unsettled           int // states with something stuck from which moves in flight lead to none at rest
}

func (x *space) add(y space) {
	x.Local, x.Weak, x.Global = x.Local+y.Local, x.Weak+y.Weak, x.Global+y.Global
	x.dead, x.unsettled = x.dead+y.dead, x.unsettled+y.unsettled
}

// visitAll visits all states of a machine by the reference, or gives up.
func visitAll(t *rapid.T, m *states.Traffic) (x space, ok bool) {
	const most = 1500
	number := map[string]int{}
	var states []spec.Occupancy
	var before [][]int // by state: those from which a move in flight leads to it
	visit := func(s spec.Occupancy) int {
		key := fmt.Sprint(m.Encode(nil, s))
		i, known := number[key]
		if !known {
			i = len(states)
			number[key] = i
			states, before = append(states, s), append(before, nil)
		}
		return i
	}
	visit(m.Empty())
	var stuck, settled []int
	for i := 0; i < len(states); i++ {
		if len(states) > most {
			return x, false
		}
		s := states[i]
		set, moves := m.Stuck(s), m.Moves(s)
		rest := true
		for _, mv := range moves {
			j := visit(stays(t, m, s, set, mv))
			if inFlight(mv) {
				rest = false
				before[j] = append(before[j], i)
			}
		}
		if len(set) > 0 {
			stuck = append(stuck, i)
		}
		if rest {
			settled = append(settled, i)
			x.atRest(t, m, s, set, len(moves) > 0)
		}
	}
	x.Local = len(stuck)
	settles := make([]bool, len(states))
	for len(settled) > 0 {
		i := settled[len(settled)-1]
		settled = settled[:len(settled)-1]
		if !settles[i] {
			settles[i] = true
			settled = append(settled, before[i]...)
		}
	}
	for _, i := range stuck {
		if !settles[i] {
			x.unsettled++
		}
	}
	return x, true
}

// atRest compares the stuck set of a state at rest with what is live there.
func (x *space) atRest(t *rapid.T, m *states.Traffic, s spec.Occupancy, stuck []spec.ChannelID, injects bool) {
	alive := live(m, s)
	if diff := cmp.Diff(alive, stuck); diff != "" {
		t.Fatalf("under %s, at rest in %s, stuck channels (-want +got):\n%s", m.Scenario(), text(m, s), diff)
	}
	switch {
	case len(alive) > 0 && !injects:
		x.Global++
		x.Weak++
	case len(alive) > 0:
		x.Weak++
	case slices.ContainsFunc(s.Channels, func(p []spec.Piece) bool { return len(p) > 0 }):
		x.dead++
	}
}

// TestNotionOfTrace: the trace to a global deadlock says so, unless only the bounds on traffic make
// it one: three packets fill one of two rings, and no more are sent.
func TestNotionOfTrace(t *testing.T) {
	topo := spec.NewTopology()
	for range 6 {
		topo.AddNode("")
	}
	for v := range spec.NodeID(6) {
		topo.AddLink(spec.Link{From: v, To: v/3*3 + (v+1)%3, VCs: 1})
	}
	def := routing.Definition{Name: "two rings", Topology: topo,
		Flows: func(src, dst spec.NodeID, _ spec.Class) bool { return src != dst && src/3 == dst/3 },
		Routing: routing.Named("ahead", routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
			if v := topo.Head(at); v != h.Dest {
				return append(dst, spec.Hop{Channel: spec.ChannelID(v)})
			}
			return append(dst, spec.Hop{Channel: spec.Eject})
		}))}
	for _, tt := range []struct {
		packets int
		want    checker.Notion
	}{{0, checker.Global}, {3, checker.Weak}, {6, checker.Global}} {
		m, err := trafficIn(t, def, spec.Scenario{Packets: tt.packets})
		if err != nil {
			t.Fatal(err)
		}
		f := finding(t, explore(t, m, checker.Question{Notion: checker.Global, Workers: 1}), "deadlock-freedom")
		told := strings.Contains(strings.Join(words.Written(f.Notes), "\n"), "the trace shows a weak deadlock: that nothing more may be injected is unchecked")
		if trace := f.Trace(); trace == nil || trace.Notion != tt.want || told != (tt.want == checker.Weak) {
			t.Errorf("of %d packets: %v, want a %s deadlock\n%q", tt.packets, trace, tt.want, f.Notes)
		}
	}
}
