// Package graph models routing on arbitrary graphs.
package graph

import (
	"fmt"
	"math/rand/v2"

	"github.com/seed-105a2da2/unknot/spec"
)

// Graph is a directed graph on nodes 0..Nodes-1.
type Graph struct {
	Nodes int
	Links [][2]int
	Names []string // of nodes; nil: their numbers
}

const mostNodes = 4096 // routing tables are quadratic

func (g Graph) check() error {
	if g.Nodes < 2 || g.Nodes > mostNodes {
		return fmt.Errorf("a graph of %d nodes: want 2 to %d", g.Nodes, mostNodes)
	}
	return nil
}

// both appends the two directions of an undirected edge.
func (g *Graph) both(a, b int) { g.Links = append(g.Links, [2]int{a, b}, [2]int{b, a}) }

// Undirected returns the graph with both directions of every edge.
func Undirected(nodes int, edges [][2]int) Graph {
	g := Graph{Nodes: nodes}
	for _, e := range edges {
		g.both(e[0], e[1])
	}
	return g
}

// Complete returns the complete graph.
func Complete(nodes int) Graph {
	g := Graph{Nodes: nodes}
	for a := range nodes {
		for b := range a {
			g.both(b, a)
		}
	}
	return g
}

// Petersen returns the Petersen graph: an outer ring 0..4, an inner star 5..9,
// and spokes between them.
func Petersen() Graph {
	g := Graph{Nodes: 10}
	for i := range 5 {
		g.both(i, (i+1)%5)
		g.both(i, i+5)
		g.both(i+5, (i+2)%5+5)
	}
	return g
}

// DeBruijn returns the binary de Bruijn graph of 2^d nodes, without its two
// self-loops: v -> 2v, 2v+1 (mod 2^d).
func DeBruijn(d int) Graph {
	g := Graph{Nodes: 1 << d}
	for v := range g.Nodes {
		g.Names = append(g.Names, fmt.Sprintf("%0*b", d, v))
		for b := range 2 {
			if w := (2*v + b) % g.Nodes; w != v {
				g.Links = append(g.Links, [2]int{v, w})
			}
		}
	}
	return g
}

// Random returns a connected graph: a random tree and some more edges, the same
// for the same seed.
func Random(nodes, more int, seed uint64) Graph {
	g := Graph{Nodes: nodes}
	random := rand.New(rand.NewPCG(seed, 0))
	joined := map[[2]int]bool{}
	add := func(a, b int) {
		if a != b && !joined[[2]int{min(a, b), max(a, b)}] {
			joined[[2]int{min(a, b), max(a, b)}] = true
			g.both(a, b)
		}
	}
	for v := 1; v < nodes; v++ {
		add(random.IntN(v), v)
	}
	for range more {
		add(random.IntN(nodes), random.IntN(nodes))
	}
	return g
}

func (g Graph) topology(vcs int) *spec.Topology {
	t := spec.NewTopology()
	for v := range g.Nodes {
		if g.Names != nil {
			t.AddNode(g.Names[v])
		} else {
			t.AddNode("")
		}
	}
	for _, l := range g.Links {
		t.AddLink(spec.Link{From: spec.NodeID(l[0]), To: spec.NodeID(l[1]), VCs: vcs})
	}
	return t
}

const far = 1 << 30

// distances returns, for every destination and node, the length of a shortest
// way from the node to the destination, or far.
func distances(t *spec.Topology) [][]int32 {
	dist := make([][]int32, t.Nodes())
	for dest := range dist {
		d := make([]int32, t.Nodes())
		for v := range d {
			d[v] = far
		}
		d[dest] = 0
		queue := []spec.NodeID{spec.NodeID(dest)}
		for i := 0; i < len(queue); i++ {
			for _, l := range t.In(queue[i]) {
				if v := t.Link(l).From; d[v] == far {
					d[v] = d[queue[i]] + 1
					queue = append(queue, v)
				}
			}
		}
		dist[dest] = d
	}
	return dist
}

// shortest permits every hop that lies on a shortest way, on VC 0.
func shortest(t *spec.Topology, dist [][]int32) spec.Relation {
	return spec.Named("a shortest way", spec.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
		v := t.Head(at)
		for _, l := range t.Out(v) {
			if dist[h.Dest][t.Link(l).To] < dist[h.Dest][v] {
				dst = append(dst, spec.Hop{Channel: t.Channel(l, 0)})
			}
		}
		return dst
	}))
}

// Minimal permits every hop on a shortest way, on one VC.
func Minimal(g Graph) (spec.Definition, error) {
	if err := g.check(); err != nil {
		return spec.Definition{}, err
	}
	t := g.topology(1)
	return spec.Definition{Name: "minimal on a graph", Topology: t, Switching: spec.Wormhole, Routing: spec.Deliver(t, shortest(t, distances(t)))}, nil
}

// HopIndexed permits every hop on a shortest way, hop number i on VC i (Günther,
// 1981). It has as many VCs as the longest shortest way has hops, so it is free.
func HopIndexed(g Graph) (spec.Definition, error) {
	if err := g.check(); err != nil {
		return spec.Definition{}, err
	}
	t := g.topology(1)
	dist := distances(t)
	longest := int32(1)
	for _, d := range dist {
		for _, x := range d {
			if x != far {
				longest = max(longest, x)
			}
		}
	}
	t = g.topology(int(longest))
	return spec.Definition{Name: "hop-indexed on a graph", Topology: t, Switching: spec.Wormhole, Tags: int(longest) + 1,
		Routing: spec.Deliver(t, spec.VCByHopIndex(t, shortest(t, dist)))}, nil
}

// Detour is routing on the complete graph, straight or by one other node. With
// one VC detours deadlock; with two, the second hop is on VC 1.
func Detour(nodes, vcs int) (spec.Definition, error) {
	if nodes < 2 || nodes > 512 || vcs < 1 || vcs > 2 {
		return spec.Definition{}, fmt.Errorf("a complete graph of %d nodes with %d VCs: want 2 to 512 and 1 or 2", nodes, vcs)
	}
	t := Complete(nodes).topology(vcs)
	return spec.Definition{Name: "complete graph with detours", Topology: t, Switching: spec.StoreAndForward,
		Routing: spec.Deliver(t, spec.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
			v := t.Head(at)
			for _, l := range t.Out(v) {
				switch {
				case at.IsInjection():
					dst = append(dst, spec.Hop{Channel: t.Channel(l, 0)})
				case t.Link(l).To == h.Dest:
					dst = append(dst, spec.Hop{Channel: t.Channel(l, vcs-1)})
				}
			}
			return dst
		}))}, nil
}
