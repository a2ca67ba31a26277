package netgen

import (
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// Scenario draws how a network is run: whole packets or, with wormhole switching, also
// messages of flits. The network must have traffic
// (spec.Network.Tables is not 0).
func Scenario(rt *rapid.T, n *spec.Network) spec.Scenario {
	if n.Switching() == spec.Wormhole && rapid.IntRange(0, 3).Draw(rt, "flits") > 0 {
		return Flits(rt, n)
	}
	return Packets(rt, n)
}

// Traffic draws a network and how it is run. A scenario that does not fit the network is
// skipped.
func Traffic(rt *rapid.T, o Options, s spec.Switching) *states.Traffic {
	n := Network(rt, o, s)
	m, err := states.NewTraffic(n, Scenario(rt, n))
	if err != nil {
		rt.Skip(err.Error())
	}
	return m
}

// Packets draws a scenario of whole packets for a network with traffic.
func Packets(rt *rapid.T, n *spec.Network) spec.Scenario {
	sc := spec.Scenario{Bubble: rapid.IntRange(0, n.Capacity()).Draw(rt, "bubble"), Sink: rapid.IntRange(0, 2).Draw(rt, "sink")}
	bound(rt, n, &sc)
	return sc
}

// Flits draws a scenario of messages of flits for a network with traffic and wormhole
// switching.
func Flits(rt *rapid.T, n *spec.Network) spec.Scenario {
	sc := spec.Scenario{
		Length:  rapid.SampledFrom([]int{spec.AnyLength, 1, 2, 3, 4, 5}).Draw(rt, "length"),
		Elastic: rapid.Bool().Draw(rt, "elastic"), Shared: rapid.Bool().Draw(rt, "shared"),
		Sink: rapid.IntRange(0, 2).Draw(rt, "sink"),
	}
	bound(rt, n, &sc)
	return sc
}

// bound draws and sets how much is sent into a network: any number of messages, 1 to 4 of
// them, or 1 to 4 drawn flows once each.
func bound(rt *rapid.T, n *spec.Network, sc *spec.Scenario) {
	switch rapid.IntRange(0, 2).Draw(rt, "bound") {
	case 1:
		sc.Packets = rapid.IntRange(1, 4).Draw(rt, "packets")
	case 2:
		for range rapid.IntRange(1, 4).Draw(rt, "once") {
			table := n.Table(rapid.IntRange(0, n.Tables()-1).Draw(rt, "table"))
			src := table.Sources[rapid.IntRange(0, len(table.Sources)-1).Draw(rt, "source")]
			sc.Once = append(sc.Once, spec.Flow{Source: src.Node, Target: table.Target})
		}
	}
}
