package models_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/show/explain"
	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/models/gadget"
	"github.com/seed-105a2da2/unknot/models/modeltest"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// space is what an exploration counts. -1 stands for a number that the oracle does not
// state.
type space struct{ States, Transitions, Global, Weak, Local int64 }

func exploredSpace(t *testing.T, m states.Machine, opt checker.Question) space {
	t.Helper()
	opt.Explore = checker.Whole
	x, err := checker.Explore(t.Context(), m, opt)
	if err != nil {
		t.Fatal(err)
	}
	if !x.Complete {
		t.Fatalf("%s: %s", x.Machine, x.Ended)
	}
	for _, f := range x.Findings {
		if f.Property == "deadlock-freedom" && (f.Verdict == spec.Violated) != (x.Local > 0) {
			t.Errorf("%s: %d states with a local deadlock, but the verdict is %s", x.Machine, x.Local, f.Verdict)
		}
	}
	return space{x.States, x.Transitions, x.Global, x.Weak, x.Local}
}

func traffic(t *testing.T, n *spec.Network, sc spec.Scenario) *states.Traffic {
	t.Helper()
	m, err := states.NewTraffic(n, sc)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func defined(t *testing.T, def routing.Definition, err error) *spec.Network {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return routingtest.Compile(t, def)
}

func power(x, n int64) int64 {
	p := int64(1)
	for range n {
		p *= x
	}
	return p
}

// TestOracleStates: reachable states, transitions and deadlocks that were
// computed independently of this project, or have a short proof.
func TestOracleStates(t *testing.T) {
	type set = map[string]string
	type row struct {
		model  string
		set    set
		buffer int
		sc     spec.Scenario
		want   space
	}
	rows := []row{
		{"ring", set{"n": "2"}, 1, spec.Scenario{}, space{4, 8, 0, 0, 0}},
		{"ring", set{"n": "3"}, 2, spec.Scenario{}, space{343, -1, 8, 8, 8}},
		{"ring", set{"n": "4"}, 2, spec.Scenario{}, space{28561, -1, 1296, 1296, 1296}},
		{"ring", set{"n": "3"}, 2, spec.Scenario{Bubble: 2}, space{117, -1, 0, 0, 0}},
		{"ring", set{"n": "4"}, 2, spec.Scenario{Bubble: 2}, space{8704, -1, 0, 0, 0}},
		{"ring", set{"variant": "crossing", "n": "3"}, 1, spec.Scenario{}, space{54, -1, 0, 0, 0}},
		{"ring", set{"variant": "crossing", "n": "4"}, 1, spec.Scenario{}, space{1536, -1, 0, 0, 0}},
		{"ring", set{"variant": "crossing", "n": "5"}, 1, spec.Scenario{}, space{75000, -1, 0, 0, 0}},
		{"ring", set{"variant": "position", "n": "4"}, 1, spec.Scenario{}, space{6144, -1, 0, 0, 0}},
		{"ring", set{"variant": "two-way", "n": "4"}, 1, spec.Scenario{}, space{1296, -1, -1, 1, -1}},
		{"ring", set{"variant": "two-way", "n": "4", "tie": "adaptive"}, 1, spec.Scenario{}, space{6561, -1, -1, 3, -1}},
		{"ring", set{"variant": "two-way", "n": "5"}, 1, spec.Scenario{}, space{59049, -1, -1, 3, -1}},
		{"mesh", set{"k": "2"}, 1, spec.Scenario{}, space{1296, 11232, 0, 0, 0}},
		{"mesh", set{"k": "2", "routing": "adaptive"}, 1, spec.Scenario{}, space{6561, 58320, -1, 3, -1}},
		{"detour", set{"vcs": "1"}, 1, spec.Scenario{}, space{729, -1, -1, 3, -1}},
		{"detour", set{"vcs": "2"}, 1, spec.Scenario{}, space{46656, -1, 0, 0, 0}},
	}
	// The one-way ring: each of n channels is empty or holds one of n-1
	// destinations, all combinations can be reached, and those in which every
	// packet wants to continue are deadlocks.
	for n := int64(3); n <= 7; n++ {
		dead := power(n-2, n)
		rows = append(rows, row{"ring", set{"n": fmt.Sprint(n)}, 1, spec.Scenario{},
			space{power(n, n), power(n, n+1) + (n-2)*power(n, n-1), dead, dead, dead}})
	}
	for _, r := range rows {
		if r.want.States > 10_000 && !seedtest.Whole() {
			continue
		}
		n := modeltest.SwitchedNetwork(t, r.model, r.set, spec.StoreAndForward)
		if r.buffer > 1 {
			def := routing.FromNetwork(n)
			def.Buffer = r.buffer
			n = routingtest.Compile(t, def)
		}
		got := exploredSpace(t, traffic(t, n, r.sc), checker.Question{})
		if diff := cmp.Diff(r.want, masked(got, r.want)); diff != "" {
			t.Errorf("%s %v, buffer %d, %s (-want +got):\n%s", r.model, r.set, r.buffer, r.sc, diff)
		}
	}
}

// TestRingModuloRotation: orbits and deadlocked orbits of the one-way ring,
// computed independently of this project.
func TestRingModuloRotation(t *testing.T) {
	for n, want := range map[string][2]int64{"3": {11, 1}, "4": {70, 6}, "5": {629, 51}} {
		m := traffic(t, modeltest.SwitchedNetwork(t, "ring", map[string]string{"n": n}, spec.StoreAndForward), spec.Scenario{})
		got := exploredSpace(t, m, checker.Question{Symmetry: true})
		if got.States != want[0] || got.Local != want[1] {
			t.Errorf("n=%s: %d orbits, %d of them deadlocks; want %d and %d", n, got.States, got.Local, want[0], want[1])
		}
	}
}

// TestReductionsAgree: on every model of the catalogue that is small enough, the
// verdicts with a reduction are those without, no reduction visits more states,
// and its traces replay (Explore has them replayed).
func TestReductionsAgree(t *testing.T) {
	compared := 0
	for _, e := range networks() {
		for i, x := range e.Described().Expect {
			if !seedtest.Sampled(i, 12) {
				continue
			}
			n := modeltest.SwitchedNetwork(t, e.Name, x.Set, spec.StoreAndForward)
			m := traffic(t, n, spec.Scenario{})
			plain, err := checker.Explore(t.Context(), m, checker.Question{Explore: checker.Whole, MaxStates: 20_000})
			if err != nil {
				t.Fatal(err)
			}
			if !plain.Complete {
				continue
			}
			compared++
			for _, opt := range []checker.Question{{Explore: checker.Whole, Symmetry: true}, {Explore: checker.Whole, PartialOrder: true}} {
				reduced, err := checker.Explore(t.Context(), m, opt)
				if err != nil {
					t.Fatal(err)
				}
				for i, f := range reduced.Findings {
					if want := plain.Findings[i].Verdict; f.Verdict != want {
						t.Errorf("%s %v, symmetry=%t: %s %s, without %s", e.Name, x.Set, opt.Symmetry, f.Property, f.Verdict, want)
					}
				}
				if reduced.States > plain.States {
					t.Errorf("%s %v, symmetry=%t: %d states, without %d", e.Name, x.Set, opt.Symmetry, reduced.States, plain.States)
				}
			}
		}
	}
	if compared < 5 {
		t.Errorf("only %d models were small enough", compared)
	}
}

// masked hides the numbers that the oracle does not state.
func masked(got, want space) space {
	for _, f := range []struct{ got, want *int64 }{
		{&got.Transitions, &want.Transitions}, {&got.Global, &want.Global}, {&got.Weak, &want.Weak}, {&got.Local, &want.Local},
	} {
		if *f.want < 0 {
			*f.got = -1
		}
	}
	return got
}

// TestThreeNotions: the packet switching networks distinguish the three notions of
// deadlock; the fourth has no global deadlock and 72 weak ones.
func TestThreeNotions(t *testing.T) {
	for _, tt := range []struct {
		terminals, ring string
		want            space
	}{
		{"1-2-3", "4", space{81, 288, 2, 2, 2}},
		{"2-4-6", "0", space{3888, 18792, 4, 6, 48}},
		{"1-3-5", "0", space{31104, 196992, 0, 0, 0}},
		{"11-12-13", "0", space{729, 2916, 8, 8, 8}},
		{"11-12-13-15", "0", space{12288, 75264, 0, 72, 288}},
	} {
		n := modeltest.SwitchedNetwork(t, "packet-switching", map[string]string{"terminals": tt.terminals, "ring": tt.ring}, spec.StoreAndForward)
		got := exploredSpace(t, traffic(t, n, spec.Scenario{}), checker.Question{})
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.terminals, diff)
		}
	}
}

// TestGadgetStates: messages of 1, 2 and 3 flits with buffers of one flit that
// shift as a whole. W1 deadlocks from two flits on; in W5 packets leave at
// nodes 0 and 1 themselves, not by sink channels as in the catalogue.
func TestGadgetStates(t *testing.T) {
	for _, tt := range []struct {
		name   string
		states [3]int64
		weak   [3]int64
	}{
		{"W1", [3]int64{560, 332, 400}, [3]int64{0, 1, 1}},
		{"W5", [3]int64{52, 87, 126}, [3]int64{}},
	} {
		def, err := gadget.Wormhole(tt.name)
		if err != nil {
			t.Fatal(err)
		}
		if tt.name == "W5" {
			def = withoutSinkChannels(def)
		}
		n := routingtest.Compile(t, def)
		for i := range tt.states {
			got := exploredSpace(t, traffic(t, n, spec.Scenario{Length: i + 1}), checker.Question{})
			if got.States != tt.states[i] || got.Weak != tt.weak[i] || (got.Local > 0) != (tt.weak[i] > 0) {
				t.Errorf("%s, %d flits: %+v, want %d states and %d weak deadlocks", tt.name, i+1, got, tt.states[i], tt.weak[i])
			}
		}
	}
	def, err := gadget.Wormhole("W2")
	n := defined(t, def, err)
	for length := 1; length <= 3; length++ {
		if got := exploredSpace(t, traffic(t, n, spec.Scenario{Length: length}), checker.Question{}); got.Local > 0 {
			t.Errorf("W2, %d flits: %+v, want no deadlock", length, got)
		}
	}
}

// withoutSinkChannels lets packets leave where they would enter a sink channel.
func withoutSinkChannels(def routing.Definition) routing.Definition {
	relation, topo := def.Routing, def.Topology
	def.Routing = routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
		hops, _ := relation.AppendHops(nil, at, h)
		for _, hop := range hops {
			if hop.Channel >= 0 && len(topo.OutLinks(topo.Head(hop.Channel))) == 0 {
				hop = spec.Hop{Channel: spec.Eject}
			}
			dst = append(dst, hop)
		}
		return dst
	})
	return def
}

// TestShortestTraces: the first trace to every deadlock that the catalogue states is
// 1-minimal and found without exploring (the limit is 0 states here), after a short search
// if necessary. Where a breadth-first search of the states ends soon, the trace is as short
// as the one that it finds, which is a shortest one.
func TestShortestTraces(t *testing.T) {
	searched := 0
	for _, e := range models.Catalogue() {
		for i, x := range e.Described().Expect {
			for k, s := range []spec.Switching{spec.StoreAndForward, spec.Wormhole} {
				if !seedtest.Sampled(i+k, 12) {
					continue
				}
				if x.Packets != spec.Violated || x.Deadlock(s) != spec.Violated {
					continue // deadlocks that only worms have need a search
				}
				n := modeltest.SwitchedNetwork(t, e.Name, x.Set, s)
				r, err := checker.Check(t.Context(), n, checker.Question{Properties: []string{"deadlock-freedom"}, Explore: checker.Never})
				if err != nil {
					t.Fatal(err)
				}
				trace := r.Findings[0].Trace()
				if trace == nil {
					t.Errorf("%s %v %s: no trace without a search", e.Name, x.Set, s)
					continue
				}
				small, err := explain.Minimise(t.Context(), evidence.Trace{Network: n, Trace: trace})
				if err != nil {
					t.Fatal(err)
				}
				if len(small.Moves) < len(trace.Moves) {
					t.Errorf("%s %v %s: a trace of %d moves, but %d will do", e.Name, x.Set, s, len(trace.Moves), len(small.Moves))
				}
				found, err := checker.Explore(t.Context(), traffic(t, n, spec.Scenario{}), checker.Question{MaxStates: 50_000})
				if err != nil {
					t.Fatal(err)
				}
				if shortest := found.Findings[0].Trace(); shortest != nil {
					searched++
					if len(trace.Moves) > len(shortest.Moves) {
						trace = report(t, n).Findings[0].Trace()
					}
					if len(trace.Moves) != len(shortest.Moves) {
						t.Errorf("%s %v %s: a trace of %d moves, the shortest has %d", e.Name, x.Set, s, len(trace.Moves), len(shortest.Moves))
					}
				}
			}
		}
	}
	if seedtest.Whole() && searched < 6 {
		t.Errorf("a search of the states found only %d deadlocks", searched)
	}
	// Seven packets, two hops from home each: hopeless for a search by levels.
	n := modeltest.SwitchedNetwork(t, "ring", map[string]string{"variant": "two-way", "n": "7"}, spec.StoreAndForward)
	if r := report(t, n).Findings[0]; r.Trace() == nil || len(r.Trace().Moves) != 7 {
		t.Errorf("two-way ring of 7: %s", r.Because)
	}
}
