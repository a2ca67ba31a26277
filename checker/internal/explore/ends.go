package explore

import (
	"github.com/seed-105a2da2/unknot/checker/internal/graph"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// Ends reports whether it is known that every run of a network's traffic ends: what is ever
// injected is bounded, and no packet can come to a site twice. For each step injects a
// packet, of which there are finitely many; or takes a packet or some of its flits, of which there are
// finitely many, too, over a further hop of its way, which no site is on twice; or takes a packet
// out of a sink, once. Flits of messages of any length have no bound. Linear in the hops.
func Ends(t *states.Traffic) bool {
	sc := t.Scenario()
	if sc.Packets == 0 && len(sc.Once) == 0 || sc.Length == spec.AnyLength {
		return false
	}
	n := t.Network()
	channels := spec.ChannelID(n.Topology().Channels())
	first, sites := make([]int32, channels), int32(0)
	for c := range channels {
		headers, _ := t.Headers(c)
		first[c] = sites
		sites += int32(len(headers))
	}
	_, acyclic := graph.Heights(graph.Collect(int(sites), func(add func(from, to int32)) {
		for c := range channels {
			headers, rows := t.Headers(c)
			for k, h := range headers {
				for _, x := range n.Row(rows[k]) {
					if h.Tag = x.Tag; x.Channel != spec.Eject {
						add(first[c]+int32(k), first[x.Channel]+int32(t.Value(x.Channel, h))-1)
					}
				}
			}
		}
	}))
	return acyclic
}
