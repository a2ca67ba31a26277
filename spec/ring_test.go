package spec_test

import (
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// oneWayRing is a ring of n nodes with links i -> i+1 and the only routing there is.
func oneWayRing(n, vcs int) routing.Definition {
	t := spec.NewTopology()
	for range n {
		t.AddNode("")
	}
	for i := range n {
		t.AddLink(spec.Link{From: spec.NodeID(i), To: spec.NodeID((i + 1) % n), VCs: vcs})
	}
	next := routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
		return append(dst, spec.Hop{Channel: t.Channel(t.OutLinks(t.Head(at))[0], 0)})
	})
	return routing.Definition{Name: "ring", Topology: t, Routing: routing.Deliver(t, next)}
}
