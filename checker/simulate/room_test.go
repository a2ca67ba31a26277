package simulate

import (
	"testing"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
)

// TestRoom: at full load, a ring of five whose entries need room for two packets never holds more than nine of the ten
// that fit, and delivers; if one entry needs room for one only, it fills, and the run ends in a deadlock.
func TestRoom(t *testing.T) {
	topo := spec.NewTopology()
	for range 5 {
		topo.AddNode("")
	}
	for v := range spec.NodeID(5) {
		topo.AddLink(spec.Link{From: v, To: (v + 1) % 5, VCs: 1})
	}
	for _, forgets := range []bool{false, true} {
		n := routingtest.Compile(t, routing.Definition{
			Topology: topo, Buffer: 2, Switching: spec.VirtualCutThrough,
			Routing: routing.Router{Topology: topo, Route: func(p routing.Packet) routing.Choice {
				h := spec.Hop{Channel: spec.ChannelID(p.Node)}
				if p.Node == p.Dest {
					h.Channel = spec.Eject
				} else if p.At.IsInjection() && (p.Node > 0 || !forgets) {
					h.Room = 2
				}
				return routing.Adaptive(h)
			}},
		})
		o := Options{Load: 1, Lengths: flits(2), Injectors: 2, Clocks: 5000}
		r := simulated(t, n, o)
		if (r.Deadlock != nil) != forgets || !forgets && r.Delivered < 1000 {
			t.Errorf("an entry forgets: %t; %d packets delivered, deadlock: %t", forgets, r.Delivered, r.Deadlock != nil)
		}
		e, err := newEngine(n, o)
		if err != nil {
			t.Fatal(err)
		}
		whole, err := n.Traffic(spec.Scenario{})
		if err != nil {
			t.Fatal(err)
		}
		most := 0
		for range o.Clocks {
			e.clock()
			held := 0
			for _, c := range e.occupancy(whole).Channels {
				held += len(c)
			}
			most = max(most, held)
		}
		if most > 9 != forgets || most < 5 {
			t.Errorf("an entry forgets: %t; the ring held up to %d packets", forgets, most)
		}
	}
}
