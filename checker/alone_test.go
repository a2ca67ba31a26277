package checker_test

import (
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// alone is a network in which a packet for c may return from b to a: one long enough to reach through both links waits
// there for its own tail. A shorter one lets others pass, and at b any may go on to c.
func alone(t *testing.T) *spec.Network {
	t.Helper()
	topo := spec.NewTopology()
	a, b := topo.AddNode("a"), topo.AddNode("b")
	topo.AddLink(spec.Link{From: a, To: b, VCs: 1})
	topo.AddLink(spec.Link{From: b, To: a, VCs: 1})
	c := topo.AddNode("c")
	topo.AddLink(spec.Link{From: b, To: c, VCs: 1})
	n, err := routing.Compile(t.Context(), routing.Definition{Name: "alone", Topology: topo, Switching: spec.Wormhole,
		Flows: func(src, dst spec.NodeID, _ spec.Class) bool { return src == a && dst == c },
		Routing: routing.Func(func(dst []spec.Hop, at spec.ChannelID, _ spec.Header) []spec.Hop {
			switch topo.Head(at) {
			case a:
				return append(dst, spec.Hop{Channel: 0})
			case b:
				return append(dst, spec.Hop{Channel: 1}, spec.Hop{Channel: 2})
			}
			return append(dst, spec.Hop{Channel: spec.Eject})
		})}, routing.CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestOneMessageAlone: a message that waits for itself is not several that wait for each other.
func TestOneMessageAlone(t *testing.T) {
	n := alone(t)
	r := decide(t, n, spec.DeadlockFreedom)
	if r.Verdict != spec.Violated || !strings.HasPrefix(r.Because.String(), "a packet waits for itself and can never move (length 2)") {
		t.Errorf("%s: %s", r.Verdict, r.Because)
	}
	x, err := checker.Check(t.Context(), n, checker.Question{Properties: []string{"deadlock-freedom"}, Smallest: checker.FewestPackets})
	if err != nil {
		t.Fatal(err)
	}
	if f := x.Findings[0]; f.Because.String() != "a packet waits for itself and can never move" {
		t.Errorf("%s: %s", f.Verdict, f.Because)
	}
}

// TestShortMessagesExplored: that messages of one channel were explored says nothing about longer ones, which
// deadlock here.
func TestShortMessagesExplored(t *testing.T) {
	n := alone(t)
	x, err := checker.Check(t.Context(), n, checker.Question{Properties: []string{"deadlock-freedom"}, Explore: checker.Always})
	if err != nil {
		t.Fatal(err)
	}
	if f := x.Findings[0]; f.Verdict != spec.Holds || !strings.Contains(f.Because.String(), "of packets that fit into one channel") {
		t.Errorf("%s: %s", f.Verdict, f.Because)
	}
}
