package netgen

import (
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/spec"
)

// Bound draws how much is sent into a network in a scenario, and sets that: any
// number of messages, 1 to 4 of them, or 1 to 4 of drawn flows once each. The
// network must have traffic (spec.Network.Tables is not 0).
func Bound(rt *rapid.T, n *spec.Network, sc *spec.Scenario) {
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
