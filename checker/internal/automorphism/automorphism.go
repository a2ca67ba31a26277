// Package automorphism finds the symmetries of a compiled network: permutations
// of its nodes and channels that commute with the routing relation. Such a
// permutation maps every step of the network to a step, so a checker may look
// at one state of each orbit (Emerson and Sistla, 1996; Ip and Dill, 1996).
//
// [Find] finds them; [Isomorphism] recognises two networks that differ only in names.
//
// Both search by colour refinement and backtracking. They return products of permutations
// that an exact check (check.go), which does not trust the search, has accepted.
package automorphism

import (
	"github.com/seed-105a2da2/unknot/checker/internal/graph"
	"github.com/seed-105a2da2/unknot/spec"
)

// Symmetry says where every node and every network channel goes. Headers follow:
// a destination goes to its image; class and tag stay. Injection channels follow
// their nodes.
type Symmetry struct {
	Nodes    []spec.NodeID    // by node
	Channels []spec.ChannelID // by channel
}

// Identity returns the symmetry that moves nothing.
func Identity(t *spec.Topology) Symmetry {
	return Symmetry{graph.Identity[spec.NodeID](t.Nodes()), graph.Identity[spec.ChannelID](t.Channels())}
}
