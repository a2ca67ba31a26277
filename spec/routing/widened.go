package routing

import (
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
)

// Widened returns a topology whose links have other numbers of VCs. If all links had equally
// many, the first VCs keep their names.
func Widened(old *spec.Topology, vcs func(spec.LinkID) int) *spec.Topology {
	had := make([]int, old.Links())
	for l := range had {
		had[l] = old.Link(spec.LinkID(l)).VCs
	}
	var names []string
	if len(had) > 0 && slices.Min(had) == slices.Max(had) {
		names = old.VCNames()
	}
	t := spec.NewTopology(names...)
	for v := range spec.NodeID(old.Nodes()) {
		t.AddNode(old.Node(v).Name, old.Node(v).At...)
	}
	for l := range spec.LinkID(old.Links()) {
		link := old.Link(l)
		link.VCs = vcs(l)
		t.AddLink(link)
	}
	return t
}
