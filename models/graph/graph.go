// Package graph, internal to unknot, models routing on arbitrary graphs.
package graph

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/seed-105a2da2/unknot/spec"
)

// Graph is a directed graph on nodes 0..Nodes-1.
type Graph struct {
	Nodes int
	Links [][2]int
	Names []string // of nodes; nil: their numbers
}

// Routing tables are quadratic in the nodes.
const (
	mostNodes    = 4096
	mostChannels = 1 << 24
)

func (g Graph) check() error {
	if g.Nodes < 2 || g.Nodes > mostNodes {
		return fmt.Errorf("a graph of %d nodes: want 2 to %d", g.Nodes, mostNodes)
	}
	return nil
}

// both appends the two directions of an undirected edge.
func (g *Graph) both(a, b int) { g.Links = append(g.Links, [2]int{a, b}, [2]int{b, a}) }

// Parse reads the edges of an undirected graph, as in "0-1,1-2,2-0". It has the
// nodes from 0 to the highest one named.
func Parse(text string) (Graph, error) {
	g := Graph{}
	for edge := range strings.SplitSeq(text, ",") {
		a, b, ok := strings.Cut(strings.TrimSpace(edge), "-")
		from, err1 := strconv.Atoi(a)
		to, err2 := strconv.Atoi(b)
		if !ok || err1 != nil || err2 != nil || from < 0 || to < 0 || from == to || max(from, to) >= mostNodes {
			return Graph{}, fmt.Errorf("invalid edge %.40q: want two different nodes from 0 to %d, as in 0-1",
				edge, mostNodes-1)
		}
		g.Nodes = max(g.Nodes, from+1, to+1)
		g.both(from, to)
	}
	return g, nil
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

// Random returns a connected graph: a random tree and some more edges. Equal seeds give
// equal graphs.
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
