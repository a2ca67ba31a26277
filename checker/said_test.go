package checker_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/models/modeltest"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// TestNothingIsLeft: a search that stops at a violation when it has expanded every state leaves nothing. Each of four
// channels is empty or holds a packet for one of three nodes: 256 states, of which those with four packets come last.
func TestNothingIsLeft(t *testing.T) {
	n := modeltest.Network(t, "ring", map[string]string{"n": "4"}, func(*routing.Definition) {})
	x, err := checker.Check(t.Context(), n, checker.CheckOptions{Properties: []string{"deadlock"}, Explore: checker.ExploreOptions{Notion: counterexamples.Weak}})
	if err != nil {
		t.Fatal(err)
	}
	if x.States != 256 || x.Expanded != 256 || x.Ended != "stopped at the violation, when all states had been explored" {
		t.Errorf("%d of %d states expanded: %s", x.Expanded, x.States, x.Ended)
	}
}

// TestBubbleOfWhat: links without a dimension count as one dimension, so no hop between them asks for a bubble,
// whatever rings they form; the assumptions say so.
func TestBubbleOfWhat(t *testing.T) {
	for _, tt := range []struct {
		dims [2]int
		want string
	}{
		{[2]int{1, 1}, "bubble: a packet enters a dimension only if 2 buffers there are free"},
		{[2]int{0, 0}, "bubble: a packet is injected (links have no dimension, so that no hop turns into one) only if 2 buffers there are free"},
		{[2]int{0, 1}, "bubble: a packet enters a dimension (links without one count as one) only if 2 buffers there are free"},
	} {
		topo := spec.NewTopology()
		a, b := topo.AddNode("a"), topo.AddNode("b")
		topo.AddLink(spec.Link{From: a, To: b, VCs: 1, Dim: tt.dims[0]})
		topo.AddLink(spec.Link{From: b, To: a, VCs: 1, Dim: tt.dims[1]})
		n, err := routing.Compile(t.Context(), routing.Definition{Name: "pair", Topology: topo, Buffer: 2,
			Routing: routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
				if topo.Head(at) == h.Dest {
					return append(dst, spec.Hop{Channel: spec.Eject})
				}
				return append(dst, spec.Hop{Channel: spec.ChannelID(topo.Head(at))})
			})}, routing.CompileOptions{})
		if err != nil {
			t.Fatal(err)
		}
		x, err := checker.Check(t.Context(), n, checker.CheckOptions{Properties: []string{"deadlock"}, Scenario: spec.Scenario{Bubble: 2}})
		if err != nil {
			t.Fatal(err)
		}
		if as := x.Findings[0].Assumptions; !slices.ContainsFunc(as, func(a string) bool { return strings.HasPrefix(a, tt.want) }) {
			t.Errorf("%v: %q", tt.dims, as)
		}
	}
}
