package graph

import (
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// PacketSwitching is the network of 17 nodes with which three notions of
// deadlock (global, weak, local) are told apart: directed links, the unique
// shortest path, store-and-forward with one packet a channel, and only the
// nodes in terminals, numbered from 1, send and receive.
func PacketSwitching(terminals []int) (routing.Definition, error) {
	links := [][2]int{
		{1, 2}, {2, 3}, {3, 4}, {3, 17}, {4, 5}, {4, 6}, {5, 6}, {6, 7}, {7, 8}, {7, 17}, {8, 9}, {8, 10}, {9, 10}, {10, 11}, {11, 12},
		{11, 17}, {12, 13}, {13, 14}, {14, 15}, {15, 16}, {15, 17}, {16, 1}, {16, 2}, {17, 3}, {17, 7}, {17, 11}, {17, 15},
	}
	return terminalsOn("packet switching", 17, links, terminals)
}

// OneWayRing is the ring of PacketSwitching's smallest relative: n nodes in a
// directed ring, of which only terminals send and receive.
func OneWayRing(n int, terminals []int) (routing.Definition, error) {
	var links [][2]int
	for i := 1; i <= n; i++ {
		links = append(links, [2]int{i, i%n + 1})
	}
	return terminalsOn("ring with terminals", n, links, terminals)
}

func terminalsOn(name string, nodes int, links [][2]int, terminals []int) (routing.Definition, error) {
	g := Graph{Nodes: nodes}
	for v := 1; v <= nodes; v++ {
		g.Names = append(g.Names, fmt.Sprint(v))
	}
	for _, l := range links {
		g.Links = append(g.Links, [2]int{l[0] - 1, l[1] - 1})
	}
	t := g.topology(1)
	is := func(n spec.NodeID) bool { return slices.Contains(terminals, int(n)+1) }
	return routing.Definition{Name: name, Topology: t, Switching: spec.StoreAndForward,
		Flows:   func(src, dst spec.NodeID, _ spec.Class) bool { return is(src) && is(dst) },
		Routing: routing.Deliver(t, anyShortest(t, distances(t)))}, nil
}
