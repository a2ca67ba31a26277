package draw

import "github.com/seed-105a2da2/unknot/spec"

// Topology draws the nodes of a network and an edge for every link, coloured by
// dimension. Nodes are placed by their coordinates if all have some.
func Topology(n *spec.Network) *Graph { panic("draw: to come") }
