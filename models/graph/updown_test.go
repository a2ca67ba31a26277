package graph_test

import (
	"testing"

	"github.com/seed-105a2da2/unknot/models/graph"
	"github.com/seed-105a2da2/unknot/models/graph/censustest"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
)

// TestUpDown: on any connected graph every pair is routed and the dependency graph is
// acyclic, by the shortest legal paths and by all of them.
func TestUpDown(t *testing.T) {
	for seed := range uint64(30) {
		nodes := 2 + int(seed)%11
		g := graph.Random(nodes, int(seed)%9, seed)
		for _, route := range []func(graph.Graph, int) (routing.Definition, error){graph.UpDown, graph.UpDownAny} {
			n := routingtest.Network(t)(route(g, int(seed)%nodes))
			wantAllPairs(t, n.Name(), n)
			if !censustest.Count(n).Acyclic {
				t.Errorf("seed %d, %s: cyclic", seed, n.Name())
			}
		}
	}
}

// On a ring of 6 with root 0 the levels are 0 1 2 3 2 1, so node 3 is the only one at
// which a packet may not turn from down to up: paths through node 3 end there, all
// others are open. The packet from 2 to 4, 2 hops apart through 3, must go round by the
// root, 4 hops.
func TestUpDownAvoidsTheLowestNode(t *testing.T) {
	n := routingtest.Network(t)(graph.UpDown(ring(6), 0))
	through := 0
	err := routing.Sites(n, func(s spec.Site, hops []spec.Hop) error {
		if n.Topology().Head(s.Channel) == 3 && s.Header.Dest != 3 && !s.Channel.IsInjection() {
			through++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if through != 0 {
		t.Errorf("%d sites of packets passing through node 3, want none", through)
	}
	hops, at, dest := 0, spec.Injection(2), spec.NodeID(4)
	for {
		next, ok := n.Hops(spec.Site{Channel: at, Header: spec.Header{Dest: dest}})
		if !ok || len(next) != 1 {
			t.Fatalf("%d hops at %s, want 1", len(next), n.Topology().ChannelName(at))
		}
		if next[0].Channel == spec.Eject {
			break
		}
		at = next[0].Channel
		hops++
	}
	if hops != 4 {
		t.Errorf("%d hops from 2 to 4, want 4", hops)
	}
}

// There are more legal paths than shortest ones: on the complete graph of 4 with root
// 0, node 3 reaches node 2 directly, by 1, by 0, by 1 and 0 ... .
func TestUpDownAnyPermitsMore(t *testing.T) {
	shortest := routingtest.Network(t)(graph.UpDown(graph.Complete(4), 0))
	every := routingtest.Network(t)(graph.UpDownAny(graph.Complete(4), 0))
	from3 := spec.Site{Channel: spec.Injection(3), Header: spec.Header{Dest: 2}}
	few, _ := shortest.Hops(from3)
	more, _ := every.Hops(from3)
	if len(few) != 1 || len(more) != 3 {
		t.Errorf("hops from 3 for 2: %d by the shortest path, %d by every way; want 1 and 3", len(few), len(more))
	}
}
