package rwc1

import (
	"fmt"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// ways follows packets through the network of routers, which offers each of
// them one way, without making a table.
type ways struct {
	t       *spec.Topology
	routing routing.Relation
	hops    []spec.Hop
	way     []spec.ChannelID
}

// follow returns the way of one packet.
func (w *ways) follow(from, to spec.NodeID) ([]spec.ChannelID, error) {
	w.way = w.way[:0]
	for at := spec.Injection(from); ; {
		var err error
		w.hops, err = w.routing.Next(w.hops[:0], at, spec.Header{Dest: to})
		if err != nil {
			return nil, err
		}
		if len(w.hops) != 1 || len(w.way) > w.t.Channels() {
			return nil, fmt.Errorf("from %s to %s: %d hops are permitted in %s after %d: want one, and an end",
				w.t.Node(from).Name, w.t.Node(to).Name, len(w.hops), w.t.ChannelName(at), len(w.way))
		}
		if at = w.hops[0].Channel; at == spec.Eject {
			return w.way, nil
		}
		w.way = append(w.way, at)
	}
}
