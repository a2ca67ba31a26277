// Package spidergon, internal to unknot, models across-first routing on the Spidergon network on
// chip (Coppola, Locatelli, Maruccia, Pieralisi and Scandurra, 2004).
package spidergon

import (
	"fmt"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// New returns a Spidergon with an even number of nodes: a ring both ways and a link
// from each node to the one opposite. A packet whose destination is more than a quarter
// of the ring away goes across first, then the shorter way round. With one VC the ring
// deadlocks once its arcs have two hops; with two, a packet uses VC 0 as long as it
// still has to pass between the last node and node 0, and VC 1 otherwise.
func New(nodes, vcs int) (routing.Definition, error) {
	if nodes < 4 || nodes > 1<<14 || nodes%2 != 0 {
		return routing.Definition{}, fmt.Errorf("a Spidergon of %d nodes: want an even number from 4 to 16384", nodes)
	}
	if vcs != 1 && vcs != 2 {
		return routing.Definition{}, fmt.Errorf("a Spidergon with %d VCs: want 1 or 2", vcs)
	}
	const clockwise, counter, across = 0, 1, 2
	t := spec.NewTopology()
	for range nodes {
		t.AddNode("")
	}
	for v := range nodes {
		for port, to := range [...]int{v + 1, v + nodes - 1, v + nodes/2} {
			ringVCs := vcs
			if port == across {
				ringVCs = 1
			}
			t.AddLink(spec.Link{
				From: spec.NodeID(v), To: spec.NodeID(to % nodes), VCs: ringVCs, Dim: port + 1,
				Out: [...]string{"clockwise", "counter", "across"}[port],
			})
		}
	}
	return routing.Definition{Name: "Spidergon", Topology: t, Switching: spec.Wormhole,
		Routing: routing.Deliver(t, routing.Named("across first",
			routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
				v := t.Head(at)
				ahead := (int(h.Dest-v) + nodes) % nodes
				port, passes := across, false
				switch {
				case 4*ahead <= nodes:
					port, passes = clockwise, h.Dest < v
				case 4*ahead >= 3*nodes:
					port, passes = counter, h.Dest > v
				}
				vc := 0
				if vcs == 2 && port != across && !passes {
					vc = 1
				}
				return append(dst, spec.Hop{Channel: t.Channel(t.OutLinks(v)[port], vc)})
			})))}, nil
}
