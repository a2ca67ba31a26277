package models

import (
	"fmt"

	"github.com/seed-105a2da2/unknot/models/gadget"
	"github.com/seed-105a2da2/unknot/models/graph"
	"github.com/seed-105a2da2/unknot/spec"
)

// Entries for arbitrary graphs and gadgets.

func graphEntry() Entry {
	graphs := []string{"petersen", "random", "complete", "de-bruijn", "torus", "edges"}
	routings := []string{"minimal", "deterministic", "hop-indexed", "up-down", "up-down-any"}
	return Entry{
		Name: "graph", Summary: "arbitrary graphs: minimal, hop-indexed VCs, up*/down*",
		Source: "Günther 1981; Schroeder et al. 1991",
		Params: []Param{
			choice("graph", graphs, "the graph"), choice("routing", routings, "the relation"),
			integer("n", 8, 2, 1024, "nodes of random and complete; 2^d of de-bruijn (a power of two); at most, of torus (k x k)"),
			{Name: "edges", Default: "0-1,1-2,2-3,3-0", Form: "pairs, as in 0-1,1-2", Doc: "with edges: the edges, each both ways"},
			integer("more", 6, 0, 100000, "edges of random beyond a tree"), integer("seed", 1, 0, 1<<30, "of random"),
			integer("root", 0, 0, 1023, "of up-down"),
			{Name: "without", Default: "", Form: "edges and nodes, as in 0-1,5", Doc: "what has failed: the graph is routed as if it had never been there"},
		},
		Expect: []Expectation{
			{nil, spec.Violated, spec.Violated, 0, 0, "two-hop ways close the outer ring"},
			{set{"routing": "hop-indexed"}, spec.Holds, spec.Holds, 0, 0, "the VC rises at every hop"},
			{set{"routing": "up-down"}, spec.Holds, spec.Holds, 0, 0, "up then down"},
			{set{"graph": "random", "routing": "up-down"}, spec.Holds, spec.Holds, 0, 0, "up then down, every pair routed"},
			{set{"graph": "random", "routing": "hop-indexed"}, spec.Holds, spec.Holds, 0, 0, "the VC rises at every hop"},
			{set{"graph": "edges", "routing": "up-down", "edges": "0-1,1-2,2-3,3-4,4-0"}, spec.Holds, spec.Holds, 0, 0, "up then down"},
			{set{"graph": "edges", "edges": "0-1,1-2,2-3,3-4,4-0"}, spec.Violated, spec.Violated, 0, 0, "the two-way ring of five"},
			{set{"graph": "complete"}, spec.Holds, spec.Holds, 0, 0, "one hop, no dependency"},
			{set{"graph": "torus", "n": "9", "routing": "up-down", "without": "0-1,4"}, spec.Holds, spec.Holds, 0, 0, "up then down, whatever is left, as long as it is connected"},
			{set{"graph": "de-bruijn", "n": "4"}, spec.Holds, spec.Holds, 0, 0, "too short for a cycle"},
			{set{"graph": "de-bruijn", "n": "8"}, spec.Violated, spec.Violated, 0, 0, "three-hop ways close a cycle"},
		},
		build: func(a Args) (spec.Definition, error) {
			g, err := graphOf(a)
			if err == nil {
				g, err = g.Without(a.Text("without"))
			}
			if err != nil {
				return spec.Definition{}, err
			}
			switch a.Text("routing") {
			case "hop-indexed":
				return graph.HopIndexed(g)
			case "deterministic":
				return graph.Deterministic(g)
			case "up-down":
				return graph.UpDown(g, a.Int("root"))
			case "up-down-any":
				return graph.UpDownAny(g, a.Int("root"))
			}
			return graph.Minimal(g)
		},
	}
}

func graphOf(a Args) (graph.Graph, error) {
	n := a.Int("n")
	switch a.Text("graph") {
	case "random":
		return graph.Random(n, a.Int("more"), uint64(a.Int("seed"))), nil
	case "complete":
		return graph.Complete(n), nil
	case "torus":
		k := 2
		for (k+1)*(k+1) <= n {
			k++
		}
		return graph.Torus(k), nil
	case "edges":
		return graph.Parse(a.Text("edges"))
	case "de-bruijn":
		d := 1
		for ; 1<<d < n; d++ {
		}
		if 1<<d != n {
			return graph.Graph{}, fmt.Errorf("n=%d: a de Bruijn graph has a power of two nodes", n)
		}
		return graph.DeBruijn(d), nil
	}
	return graph.Petersen(), nil
}

func detourEntry() Entry {
	return Entry{
		Name: "detour", Summary: "complete graph, straight or by one other node", Source: "folklore; two VCs after Günther 1981",
		Params: []Param{integer("n", 3, 2, 128, "nodes"), integer("vcs", 2, 1, 2, "VCs")},
		Expect: []Expectation{
			{nil, spec.Holds, spec.Holds, 0, 0, "the second hop is on VC 1"},
			{set{"vcs": "1"}, spec.Violated, spec.Violated, 0, 0, "detours wait for each other"},
		},
		build: func(a Args) (spec.Definition, error) { return graph.Detour(a.Int("n"), a.Int("vcs")) },
	}
}

func packetSwitchingEntry() Entry {
	return Entry{
		Name: "packet-switching", Summary: "17 nodes, directed links, three notions of deadlock", Source: "the packet switching networks of the nuXmv experiments",
		Params: []Param{choice("terminals", []string{"2-4-6", "1-3-5", "11-12-13", "11-12-13-15"}, "nodes that send and receive")},
		Expect: []Expectation{
			{nil, spec.Violated, spec.Violated, 0, 0, "48 of 3,888 states have a stuck channel"},
			{set{"terminals": "1-3-5"}, spec.Holds, spec.Holds, 0, 0, "no state of 31,104 has a stuck channel"},
			{set{"terminals": "11-12-13"}, spec.Violated, spec.Violated, 0, 0, "8 of 729 states"},
			{set{"terminals": "11-12-13-15"}, spec.Violated, spec.Violated, 0, 0, "288 of 12,288 states, none of them global"},
		},
		build: func(a Args) (spec.Definition, error) {
			return graph.PacketSwitching(map[string][]int{
				"2-4-6": {2, 4, 6}, "1-3-5": {1, 3, 5}, "11-12-13": {11, 12, 13}, "11-12-13-15": {11, 12, 13, 15},
			}[a.Text("terminals")])
		},
	}
}

func gadgetEntry() Entry {
	return Entry{
		Name: "gadget", Summary: "wormhole gadgets W1, W2, W5 that tell the steps of the decision apart", Source: "built for this purpose",
		Params: []Param{choice("name", []string{"W1", "W2", "W5"}, "which one")},
		Expect: []Expectation{
			{nil, spec.Holds, spec.Violated, 0, 0, "messages of two flits deadlock"},
			{set{"name": "W2"}, spec.Holds, spec.Holds, 0, 0, "free, though the head/tail fixpoint raises a false alarm"},
			{set{"name": "W5"}, spec.Holds, spec.Holds, 0, 0, "no set of channels is an escape, but a routing subfunction is"},
		},
		build: func(a Args) (spec.Definition, error) { return gadget.Wormhole(a.Text("name")) },
	}
}
