package graph

import (
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/support/bfs"
)

// distances returns, by destination and node, the length of a shortest path from the
// node to the destination, or bfs.Never.
func distances(t *spec.Topology) [][]int32 {
	dist := make([][]int32, t.Nodes())
	for dest := range dist {
		dist[dest] = distancesTo(t, spec.NodeID(dest))
	}
	return dist
}

func distancesTo(t *spec.Topology, dest spec.NodeID) []int32 {
	d, _ := bfs.Levels(t.Nodes(), []spec.NodeID{dest}, func(v spec.NodeID, visit func(spec.NodeID)) {
		for _, l := range t.InLinks(v) {
			visit(t.Link(l).From)
		}
	})
	return d
}

// shortest permits every hop on a shortest path, on VC 0.
func shortest(t *spec.Topology, dist [][]int32) routing.Func {
	return func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
		v := t.Head(at)
		for _, l := range t.OutLinks(v) {
			if dist[h.Dest][t.Link(l).To] < dist[h.Dest][v] {
				dst = append(dst, spec.Hop{Channel: t.Channel(l, 0)})
			}
		}
		return dst
	}
}

// anyShortest is shortest, with the reason.
func anyShortest(t *spec.Topology, dist [][]int32) routing.Relation {
	return routing.Named("a shortest path", shortest(t, dist))
}

// connected returns an error that names a node that cannot be reached, if there is one.
func connected(dist [][]int32) error {
	for dest, from := range dist {
		for v, d := range from {
			if d == bfs.Never {
				return fmt.Errorf("no path leads from node %d to node %d: want a strongly connected graph", v, dest)
			}
		}
	}
	return nil
}

// routed returns the topology with one VC and the distances in it; it fails if some
// node has no path to another.
func (g Graph) routed() (*spec.Topology, [][]int32, error) {
	if err := g.check(); err != nil {
		return nil, nil, err
	}
	t := g.topology(1)
	dist := distances(t)
	return t, dist, connected(dist)
}

// Minimal permits every hop on a shortest path, on one VC.
func Minimal(g Graph) (routing.Definition, error) {
	t, dist, err := g.routed()
	if err != nil {
		return routing.Definition{}, err
	}
	return routing.Definition{
		Name: "minimal on a graph", Topology: t, Switching: spec.Wormhole,
		Routing: routing.Deliver(t, anyShortest(t, dist)),
	}, nil
}

// Deterministic permits one hop on a shortest path, on one VC: of several, the one into
// the link that comes first in the graph.
func Deterministic(g Graph) (routing.Definition, error) {
	t, dist, err := g.routed()
	if err != nil {
		return routing.Definition{}, err
	}
	every := shortest(t, dist)
	first := routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
		before := len(dst)
		dst = every(dst, at, h)
		return dst[:min(before+1, len(dst))]
	})
	return routing.Definition{Name: "one shortest path on a graph", Topology: t, Switching: spec.Wormhole,
		Routing: routing.Deliver(t, routing.Named("the first shortest path", first))}, nil
}

// HopIndexed permits every hop on a shortest path, hop number i on VC i (Günther,
// 1981). It has as many VCs as the longest shortest path has hops, so it is free.
func HopIndexed(g Graph) (routing.Definition, error) {
	_, dist, err := g.routed()
	if err != nil {
		return routing.Definition{}, err
	}
	longest := int32(1)
	for _, d := range dist {
		longest = max(longest, slices.Max(d))
	}
	if channels := len(g.Links) * int(longest); channels > mostChannels {
		return routing.Definition{}, fmt.Errorf("%d links with %d VCs are %d channels: want at most %d",
			len(g.Links), longest, channels, mostChannels)
	}
	t := g.topology(int(longest))
	return routing.Definition{Name: "hop-indexed on a graph", Topology: t, Switching: spec.Wormhole,
		Tags:    int(longest) + 1,
		Routing: routing.Deliver(t, routing.VCByHopIndex(t, anyShortest(t, dist)))}, nil
}
