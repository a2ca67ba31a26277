package draw

import "github.com/seed-105a2da2/unknot/spec"

// Dependency is an edge of a channel dependency graph, as it is to be drawn.
type Dependency struct {
	From, To spec.ChannelID
	Kind     string // "direct", "indirect", "direct cross" or "indirect cross"; "" is "direct"
	Reason   string // the rule that makes it; "" if unknown
	Bold     bool   // part of the cycle
}

// Channels draws the dependencies among the given channels, coloured by VC; a
// dependency of any other channel is left out. A channel stands beside the
// middle of its link, if the nodes have coordinates. The graph has no name yet.
func Channels(t *spec.Topology, channels []spec.ChannelID, edges []Dependency) *Graph {
	panic("draw: to come")
}
