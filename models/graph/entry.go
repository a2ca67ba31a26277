package graph

import (
	"embed"
	"fmt"

	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

func Entry() catalogue.Entry {
	graphs := []string{"petersen", "random", "complete", "de-bruijn", "torus", "edges"}
	routings := []string{"minimal", "deterministic", "hop-indexed", "up-down", "up-down-any"}
	return catalogue.Entry{
		Name: "graph", Summary: "arbitrary graphs: minimal, hop-indexed VCs, up*/down*",
		Source: "Günther 1981; Schroeder et al. 1991",
		Params: []catalogue.Param{
			catalogue.Choice("graph", graphs, "the graph"), catalogue.Choice("routing", routings, "the relation"),
			catalogue.Integer("n", 8, 2, 1024, "nodes of random and complete; 2^d of de-bruijn (a power of two); at most, of torus (k x k)"),
			{Name: "edges", Default: "0-1,1-2,2-3,3-0", Form: "pairs, as in 0-1,1-2", Doc: "with edges: the edges, each both ways"},
			catalogue.Integer("more", 6, 0, 100000, "edges of random beyond a tree"), catalogue.Integer("seed", 1, 0, 1<<30, "of random"),
			catalogue.Integer("root", 0, 0, 1023, "of up-down"),
			{Name: "without", Default: "", Form: "edges and nodes, as in 0-1,5", Doc: "what has failed: the graph is routed as if it had never been there"},
		},
		Expect: []catalogue.Expectation{
			{Packets: spec.Violated, Worms: spec.Violated, Because: "two-hop paths close the outer ring"},
			{Set: catalogue.Set{"routing": "hop-indexed"}, Packets: spec.Holds, Worms: spec.Holds, Because: "the VC rises at every hop"},
			{Set: catalogue.Set{"routing": "up-down"}, Packets: spec.Holds, Worms: spec.Holds, Because: "up then down"},
			{Set: catalogue.Set{"graph": "random", "routing": "up-down"}, Packets: spec.Holds, Worms: spec.Holds, Because: "up then down, every pair routed"},
			{Set: catalogue.Set{"graph": "random", "routing": "hop-indexed"}, Packets: spec.Holds, Worms: spec.Holds, Because: "the VC rises at every hop"},
			{Set: catalogue.Set{"graph": "edges", "routing": "up-down", "edges": "0-1,1-2,2-3,3-4,4-0"}, Packets: spec.Holds, Worms: spec.Holds, Because: "up then down"},
			{Set: catalogue.Set{"graph": "edges", "edges": "0-1,1-2,2-3,3-4,4-0"}, Packets: spec.Violated, Worms: spec.Violated, Because: "the two-way ring of five"},
			{Set: catalogue.Set{"graph": "complete"}, Packets: spec.Holds, Worms: spec.Holds, Because: "one hop, no dependency"},
			{Set: catalogue.Set{"graph": "torus", "n": "9", "routing": "up-down", "without": "0-1,4"}, Packets: spec.Holds, Worms: spec.Holds, Because: "up then down, whatever is left, as long as it is connected"},
			{Set: catalogue.Set{"graph": "de-bruijn", "n": "4"}, Packets: spec.Holds, Worms: spec.Holds, Because: "too short for a cycle"},
			{Set: catalogue.Set{"graph": "de-bruijn", "n": "8"}, Packets: spec.Violated, Worms: spec.Violated, Because: "three-hop paths close a cycle"},
		},
		Build: func(a catalogue.Args) (routing.Definition, error) {
			g, err := graphOf(a)
			if err == nil {
				g, err = g.Without(a.Text("without"))
			}
			if err != nil {
				return routing.Definition{}, err
			}
			switch a.Text("routing") {
			case "hop-indexed":
				return HopIndexed(g)
			case "deterministic":
				return Deterministic(g)
			case "up-down":
				return UpDown(g, a.Int("root"))
			case "up-down-any":
				return UpDownAny(g, a.Int("root"))
			}
			return Minimal(g)
		},
	}
}

func graphOf(a catalogue.Args) (Graph, error) {
	n := a.Int("n")
	switch a.Text("graph") {
	case "random":
		return Random(n, a.Int("more"), uint64(a.Int("seed"))), nil
	case "complete":
		return Complete(n), nil
	case "torus":
		k := 2
		for (k+1)*(k+1) <= n {
			k++
		}
		return Torus(k), nil
	case "edges":
		return Parse(a.Text("edges"))
	case "de-bruijn":
		d := 1
		for ; 1<<d < n; d++ {
		}
		if 1<<d != n {
			return Graph{}, fmt.Errorf("invalid n %d: want a power of two for a de Bruijn graph", n)
		}
		return DeBruijn(d), nil
	}
	return Petersen(), nil
}

func DetourEntry() catalogue.Entry {
	return catalogue.Entry{
		Name: "detour", Summary: "complete graph, direct or via one other node", Source: "folklore; two VCs after Günther 1981",
		Params: []catalogue.Param{catalogue.Integer("n", 3, 2, 128, "nodes"), catalogue.Integer("vcs", 2, 1, 2, "VCs")},
		Expect: []catalogue.Expectation{
			{Packets: spec.Holds, Worms: spec.Holds, Because: "the second hop is on VC 1"},
			{Set: catalogue.Set{"vcs": "1"}, Packets: spec.Violated, Worms: spec.Violated, Because: "detours wait for each other"},
		},
		Build: func(a catalogue.Args) (routing.Definition, error) { return Detour(a.Int("n"), a.Int("vcs")) },
	}
}

//go:embed *.star
var files embed.FS

func PacketSwitchingEntry() catalogue.Entry {
	return catalogue.Network(catalogue.Entry{
		Name: "packet-switching", Summary: "directed links, any choice of terminals, three notions of deadlock", Source: "the packet switching networks of the nuXmv experiments",
		Expect: []catalogue.Expectation{
			{Packets: spec.Violated, Worms: spec.Violated, Because: "48 of 3,888 states have a stuck channel"},
			{Set: catalogue.Set{"terminals": "1-3-5"}, Packets: spec.Holds, Worms: spec.Holds, Because: "no state of 31,104 has a stuck channel"},
			{Set: catalogue.Set{"terminals": "11-12-13"}, Packets: spec.Violated, Worms: spec.Violated, Because: "8 of 729 states"},
			{Set: catalogue.Set{"terminals": "11-12-13-15"}, Packets: spec.Violated, Worms: spec.Violated, Because: "288 of 12,288 states, none of them global"},
			{Set: catalogue.Set{"terminals": "all"}, Packets: spec.Violated, Worms: spec.Violated, Because: "what some terminals can do all can"},
			{Set: catalogue.Set{"ring": "4", "terminals": "1-2-3"}, Packets: spec.Violated, Worms: spec.Violated, Because: "2 of 81 states"},
			{Set: catalogue.Set{"ring": "4", "terminals": "1-3"}, Packets: spec.Holds, Worms: spec.Holds, Because: "either packet finds its last channel free or left at the other terminal"},
		},
	}, catalogue.File(files, "packet-switching.star"))
}
