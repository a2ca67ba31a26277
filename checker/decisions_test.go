package checker_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/models/modeltest"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// TestReductionsAreNamed: an exploration names the reductions that it was asked for and no other, for
// networks and programs.
func TestReductionsAreNamed(t *testing.T) {
	network := trafficOf(t, modeltest.Network(t, "ring", map[string]string{"n": "3"}, func(*routing.Definition) {}), spec.Scenario{})
	e, _ := models.Find("peterson")
	program, err := e.Machine(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []states.Machine{network, program} {
		for want, opt := range map[string]checker.Question{"": {}, "symmetry": {Symmetry: true}, "partial order": {PartialOrder: true}} {
			opt.Explore = checker.Whole
			r, err := checker.Explore(t.Context(), m, opt)
			if err != nil {
				t.Fatal(err)
			}
			said := strings.Join(words.Written(r.Reduced), "\n")
			for _, word := range []string{"symmetry", "partial order", "slice"} {
				if strings.Contains(said, word) != (word == want) {
					t.Errorf("%s, asked for %q: says %q", m.Name(), want, said)
				}
			}
		}
	}
}

// TestTraceOutsideTheScenario: of a network that loses packets to c, a scenario without such packets has no
// violation: what is shown without it is not possible there. The flows that a deadlock needs are those of the packets
// that its trace injects.
func TestTraceOutsideTheScenario(t *testing.T) {
	topo := spec.NewTopology()
	a, b, c := topo.AddNode("a"), topo.AddNode("b"), topo.AddNode("c")
	topo.AddLink(spec.Link{From: a, To: b, VCs: 1})
	topo.AddLink(spec.Link{From: b, To: c, VCs: 1})
	n := routingtest.Compile(t, routing.Definition{
		Name: "dead end", Topology: topo, Flows: func(src, _ spec.NodeID, _ spec.Class) bool { return src == a },
		Routing: routing.Deliver(topo, routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
			if topo.Head(at) == a {
				dst = append(dst, spec.Hop{Channel: 0})
			}
			return dst
		})),
	})
	for want, once := range map[string]spec.Flow{
		"that trace is not possible here":            {Source: a, Target: spec.Target{Dest: b}},
		"the routing function returns no hop toward": {Source: a, Target: spec.Target{Dest: c}},
	} {
		r, err := checker.Check(t.Context(), n, checker.Question{Properties: []string{"delivery"}, Scenario: spec.Scenario{Once: []spec.Flow{once}}})
		if err != nil {
			t.Fatal(err)
		}
		if f := r.Of("delivery"); !strings.Contains(f.Because.String(), want) ||
			strings.Contains(f.Because.String(), "interrupted") ||
			(f.Verdict == spec.Violated) != (once.Target.Dest == c) {
			t.Errorf("only %v: %s: %s, want %q", once, f.Verdict, f.Because, want)
		}
	}
	traced, err := checker.Check(t.Context(),
		modeltest.Network(t, "gadget", map[string]string{"name": "W1"}, func(*routing.Definition) {}),
		checker.Question{Properties: []string{"deadlock-freedom"}})
	if err != nil {
		t.Fatal(err)
	}
	ring, trace := traced.Network, traced.Findings[0].Trace()
	flows := map[spec.Flow]bool{}
	for _, s := range checker.FlowsOf(ring, trace) {
		flows[s] = true
		if !slices.ContainsFunc(ring.TableOf(s.Target).Sources, func(x spec.Source) bool { return x.Node == s.Source }) {
			t.Errorf("%v is no flow of the network", s)
		}
	}
	injected := 0
	for _, m := range trace.Moves {
		if m.From.IsInjection() && m.Kind == spec.Advance {
			injected++
		}
	}
	if injected != 2 || len(flows) != 2 || len(trace.Moves) == injected {
		t.Errorf("%d packets of %d flows, %d moves: want two of two, which go on", injected, len(flows), len(trace.Moves))
	}
}

// TestFewestUnderABound: with at most five packets a one-way ring of three still deadlocks with one in each channel, and
// that two do not suffice is a finding with evidence, whichever way it is looked for.
func TestFewestUnderABound(t *testing.T) {
	n := modeltest.Network(t, "ring", map[string]string{"n": "3"}, func(d *routing.Definition) { d.Switching = spec.StoreAndForward })
	for _, packets := range []int{0, 3, 5} {
		r, err := checker.Check(t.Context(), n, checker.Question{Properties: []string{"deadlock-freedom"},
			Smallest: checker.FewestPackets, Scenario: spec.Scenario{Packets: packets}})
		if err != nil {
			t.Fatal(err)
		}
		f := r.Of("deadlock-freedom")
		if f.Verdict != spec.Violated || !strings.Contains(f.Because.String(), "3 messages") && !strings.Contains(f.Because.String(), "3 packets") {
			t.Errorf("at most %d packets: %s: %s, want that 3 block each other", packets, f.Verdict, f.Because)
		}
		shown := slices.ContainsFunc(r.Findings, func(f checker.Finding) bool {
			return strings.HasPrefix(f.Property, "no deadlock of at most 2 ") && f.Verdict == spec.Holds && f.Evidence != nil
		})
		if !shown {
			t.Errorf("at most %d packets: nothing says that two do not suffice: %+v", packets, r.Findings)
		}
	}
}
