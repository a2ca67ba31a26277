package models

import (
	"fmt"
	"strconv"

	"github.com/seed-105a2da2/unknot/models/gadget"
	"github.com/seed-105a2da2/unknot/models/graph"
	"github.com/seed-105a2da2/unknot/models/grid"
	"github.com/seed-105a2da2/unknot/models/hierarchy"
	"github.com/seed-105a2da2/unknot/models/hypercube"
	"github.com/seed-105a2da2/unknot/models/hyperx"
	"github.com/seed-105a2da2/unknot/models/mdce"
	"github.com/seed-105a2da2/unknot/models/mesh"
	"github.com/seed-105a2da2/unknot/models/omega"
	"github.com/seed-105a2da2/unknot/models/ring"
	"github.com/seed-105a2da2/unknot/models/spidergon"
	"github.com/seed-105a2da2/unknot/models/starchannel"
	"github.com/seed-105a2da2/unknot/models/torus"
	"github.com/seed-105a2da2/unknot/spec"
)

// Catalogue lists the models in the order in which they are shown: the machines
// first, then the classics.
func Catalogue() []Entry {
	return []Entry{
		starChannel(), cccb(), mdceEntry(),
		ringEntry(), meshEntry(), turnsEntry(), torusEntry(), hypercubeEntry(), hyperxEntry(),
		dragonflyEntry(), leafSpineEntry(), treeEntry(), spidergonEntry(), omegaEntry(),
		graphEntry(), detourEntry(), packetSwitchingEntry(), gadgetEntry(),
	}
}

// index returns the place of a name that Define has checked to be there.
func index(names []string, name string) int {
	for i, n := range names {
		if n == name {
			return i
		}
	}
	return -1
}

func integer(name string, preset, least, most int, doc string) Param {
	return Param{Name: name, Default: strconv.Itoa(preset), Min: least, Max: most, Doc: doc}
}

func choice(name string, choices []string, doc string) Param {
	return Param{Name: name, Default: choices[0], Choices: choices, Doc: doc}
}

func tieParam() Param { return choice("tie", grid.TieNames, "which way at distance k/2") }

func tieOf(a Args) grid.Tie { return grid.Tie(index(grid.TieNames, a.Text("tie"))) }

// set writes parameters as "k=4 n=2".
type set map[string]string

func starChannel() Entry {
	uses := []string{"published", "never", "always"}
	return Entry{
		Name:    "star-channel",
		Summary: "adaptive minimal routing on k-ary n-cube tori with VC classes CH, CA, CF",
		Source:  "Sugiyama and Funahashi: An Output Selection Function Based on the Characteristic of Virtual Channel",
		Params: []Param{
			integer("k", 4, 2, 1024, "nodes in each dimension"),
			integer("n", 2, 1, 10, "dimensions"),
			tieParam(),
			choice("ch", uses, "class CH: as published, taken away, or without its condition"),
			choice("ca", uses, "class CA, likewise"),
			choice("cf", uses[:2], "class CF: as published or taken away"),
		},
		Expect: []Expectation{
			{nil, spec.Holds, spec.Holds, 0, 0, "the paper's claim: CH and CA are an escape cut at the wrap-around links"},
			{set{"k": "4", "tie": "negative"}, spec.Holds, spec.Holds, 0, 0, "as above, by symmetry"},
			{set{"k": "4", "tie": "adaptive"}, spec.Holds, spec.Holds, 0, 0, "either way is minimal and keeps the escape"},
			{set{"k": "4", "tie": "parity"}, spec.Holds, spec.Holds, 0, 0, "as for the other ties"},
			{set{"k": "5"}, spec.Holds, spec.Holds, 0, 0, "the paper's claim"},
			{set{"k": "3", "n": "3"}, spec.Holds, spec.Holds, 0, 0, "the paper's claim, in three dimensions"},
			{set{"ch": "never"}, spec.Violated, spec.Violated, 0, 0, "CA alone closes each ring"},
			{set{"ca": "never"}, spec.Violated, spec.Violated, 0, 0, "before a wrap-around link only CF is left, and it is cyclic"},
			{set{"cf": "never"}, spec.Holds, spec.Holds, 0, 0, "the escape by itself"},
			{set{"ch": "always", "ca": "never"}, spec.Violated, spec.Violated, 0, 0, "CH without its condition closes each ring"},
		},
		build: func(a Args) (spec.Definition, error) {
			use := func(name string) starchannel.Use { return starchannel.Use(index(uses, a.Text(name))) }
			return starchannel.New(starchannel.Options{K: a.Int("k"), N: a.Int("n"), Tie: tieOf(a), CH: use("ch"), CA: use("ca"), CF: use("cf")})
		},
	}
}

func cccb() Entry {
	return Entry{
		Name:    "cccb",
		Summary: "CCCB, the network of RWC-1, with spiral buffers: n x 2^n x 2^n nodes",
		Source:  "Yokota et al.: the RWC-1 router; spiral buffers after the EM-4",
		Params: []Param{
			integer("n", 2, 2, 8, "length of the rings; the machine has 4"),
			integer("vcs", 3, 1, 16, "VCs a link; the paper states that 3 are needed"),
		},
		Expect: []Expectation{
			{nil, spec.Holds, spec.Holds, 0, 0, "a packet passes x=n-1 at most twice, so the index never saturates"},
			{set{"n": "3"}, spec.Holds, spec.Holds, 0, 0, "the dependency graph is acyclic"},
			{set{"n": "3", "vcs": "1"}, spec.Violated, spec.Violated, 0, 0, "one VC leaves the rings closed"},
		},
		build: func(a Args) (spec.Definition, error) { return mdce.CCCB(a.Int("n"), a.Int("vcs")) },
	}
}

func mdceEntry() Entry {
	return Entry{
		Name:    "mdce",
		Summary: "(B,C,P)-MDCE networks: circular banyans and directed-ring CCCs over shared rings",
		Source:  "Yokota et al.: Directed Cycles Ensemble and Multidimensional Directed Cycles Ensemble",
		Params: []Param{
			integer("n", 2, 2, 16, "length of the rings, bits a dimension"),
			integer("banyan", 1, 0, 8, "banyan dimensions (B)"),
			integer("ccc", 0, 0, 8, "CCC dimensions (C)"),
			integer("parallel", 1, 1, 64, "parallel ring links (P)"),
			integer("vcs", 3, 1, 64, "VCs a link"),
		},
		Expect: []Expectation{
			{nil, spec.Holds, spec.Holds, 0, 0, "c-Banyan: the index never saturates"},
			{set{"banyan": "0", "ccc": "1", "n": "3"}, spec.Holds, spec.Holds, 0, 0, "directed-ring CCC: likewise"},
			{set{"ccc": "1", "parallel": "2"}, spec.Holds, spec.Holds, 0, 0, "CCCB with a second ring link"},
			{set{"banyan": "0", "ccc": "2", "n": "3"}, spec.Holds, spec.Holds, 0, 0, "CCC dimensions are corrected in ascending order at each x"},
		},
		build: func(a Args) (spec.Definition, error) {
			return mdce.New(mdce.Options{N: a.Int("n"), Banyan: a.Int("banyan"), CCC: a.Int("ccc"), Parallel: a.Int("parallel"), VCs: a.Int("vcs"), Switching: spec.VirtualCutThrough})
		},
	}
}

func ringEntry() Entry {
	return Entry{
		Name:    "ring",
		Summary: "rings: one-way, dateline, position (cA, cH), two-way",
		Source:  "Dally and Seitz 1987; Duato 1993",
		Params: []Param{
			integer("n", 4, 2, 16384, "nodes"),
			choice("variant", ring.VariantNames, "VCs and their use"),
			tieParam(),
			integer("buffer", 1, 1, 1024, "packets a channel holds"),
		},
		Expect: []Expectation{
			{set{"n": "2"}, spec.Holds, spec.Holds, 0, 0, "no dependency at all"},
			{nil, spec.Violated, spec.Violated, 0, 0, "every packet two hops from home"},
			{set{"n": "3", "buffer": "2"}, spec.Violated, spec.Violated, 0, 0, "a deeper buffer only fills later"},
			{set{"n": "3"}, spec.Violated, spec.Violated, 0, 0, "as for packets"},
			{set{"variant": "dateline"}, spec.Holds, spec.Holds, 0, 0, "Dally and Seitz"},
			{set{"variant": "dateline", "n": "5"}, spec.Holds, spec.Holds, 0, 0, "Dally and Seitz"},
			{set{"variant": "position"}, spec.Holds, spec.Holds, 0, 0, "free with a cyclic dependency graph"},
			{set{"variant": "position", "n": "8"}, spec.Holds, spec.Holds, 0, 0, "free with a cyclic dependency graph"},
			{set{"variant": "two-way", "n": "3"}, spec.Holds, spec.Holds, 0, 0, "nobody goes two hops"},
			{set{"variant": "two-way"}, spec.Violated, spec.Violated, 0, 0, "ties all clockwise"},
			{set{"variant": "two-way", "tie": "adaptive"}, spec.Violated, spec.Violated, 0, 0, "eight packets two hops from home"},
			{set{"variant": "two-way", "n": "5"}, spec.Violated, spec.Violated, 0, 0, "five packets two hops from home"},
		},
		build: func(a Args) (spec.Definition, error) {
			return ring.New(ring.Options{Nodes: a.Int("n"), Variant: ring.Variant(index(ring.VariantNames, a.Text("variant"))), Tie: tieOf(a), Buffer: a.Int("buffer")})
		},
	}
}

func meshEntry() Entry {
	routings := []string{"xy", "adaptive", "duato", "o1turn", "o1turn-1vc", "double-y", "deflection"}
	return Entry{
		Name:    "mesh",
		Summary: "meshes: XY, adaptive, Duato, O1TURN, double-y, deflection",
		Source:  "Sullivan and Bashkow 1977; Duato 1993; Seo et al. 2005; Linder and Harden 1991",
		Params: []Param{
			integer("k", 4, 2, 1024, "nodes in each dimension"),
			integer("n", 2, 1, 10, "dimensions (o1turn and double-y: 2)"),
			choice("routing", routings, "the relation"),
		},
		Expect: []Expectation{
			{nil, spec.Holds, spec.Holds, 0, 0, "acyclic"},
			{set{"k": "2", "routing": "adaptive"}, spec.Violated, spec.Violated, 0, 0, "four packets"},
			{set{"routing": "adaptive"}, spec.Violated, spec.Violated, 0, 0, "four packets"},
			{set{"routing": "duato"}, spec.Holds, spec.Holds, 0, 0, "Duato"},
			{set{"routing": "o1turn"}, spec.Holds, spec.Holds, 0, 0, "each order has its VC"},
			{set{"k": "2", "routing": "o1turn-1vc"}, spec.Violated, spec.Violated, 0, 0, "the two orders close the cycle"},
			{set{"k": "3", "routing": "double-y"}, spec.Holds, spec.Holds, 0, 0, "acyclic"},
			{set{"k": "3", "routing": "deflection"}, spec.Holds, spec.Unknown, spec.Violated, 0, "always an XY hop, but packets may go astray for ever"},
		},
		build: func(a Args) (spec.Definition, error) {
			o := mesh.Options{K: a.Int("k"), N: a.Int("n")}
			switch a.Text("routing") {
			case "adaptive":
				return mesh.Adaptive(o)
			case "duato":
				return mesh.Duato(o)
			case "o1turn":
				return mesh.O1TURN(o, 2)
			case "o1turn-1vc":
				return mesh.O1TURN(o, 1)
			case "double-y":
				return mesh.DoubleY(o)
			case "deflection":
				return mesh.Deflection(o)
			}
			return mesh.DimensionOrder(o)
		},
	}
}

func turnsEntry() Entry {
	names := []string{"west-first", "north-last", "negative-first", "odd-even", "chosen"}
	var counter, clockwise []string
	for i := range 4 {
		counter = append(counter, string(mesh.Cycles[0][i]))
		clockwise = append(clockwise, string(mesh.Cycles[1][i]))
	}
	return Entry{
		Name:    "turn-model",
		Summary: "turn models of the 2D mesh: west-first, north-last, negative-first, odd-even, any turn of each cycle",
		Source:  "Glass and Ni 1992; Chiu 2000",
		Params: []Param{
			integer("k", 4, 2, 64, "nodes in each dimension"),
			choice("model", names, "the forbidden turns; chosen: those of the next two"),
			choice("counter", counter, "with chosen: forbidden turn of the counter-clockwise cycle"),
			choice("clockwise", clockwise, "with chosen: forbidden turn of the clockwise cycle"),
		},
		Expect: []Expectation{
			{nil, spec.Holds, spec.Holds, 0, 0, "Glass and Ni"},
			{set{"model": "north-last"}, spec.Holds, spec.Holds, 0, 0, "Glass and Ni"},
			{set{"model": "negative-first"}, spec.Holds, spec.Holds, 0, 0, "Glass and Ni"},
			{set{"model": "odd-even"}, spec.Holds, spec.Holds, 0, 0, "Chiu"},
		},
		build: func(a Args) (spec.Definition, error) {
			o := mesh.Options{K: a.Int("k"), N: 2}
			switch a.Text("model") {
			case "west-first":
				return mesh.Turns(o, mesh.WestFirst())
			case "north-last":
				return mesh.Turns(o, mesh.NorthLast())
			case "negative-first":
				return mesh.Turns(o, mesh.NegativeFirst())
			case "odd-even":
				return mesh.OddEven(o)
			}
			return mesh.Turns(o, []mesh.Turn{mesh.Turn(a.Text("counter")), mesh.Turn(a.Text("clockwise"))})
		},
	}
}

func torusEntry() Entry {
	routings := []string{"dateline", "dor", "duato", "adaptive"}
	return Entry{
		Name:    "torus",
		Summary: "tori: dateline, dimension order on one VC, Duato, adaptive",
		Source:  "Dally and Seitz 1987; Duato 1993",
		Params: []Param{
			integer("k", 4, 2, 1024, "nodes in each dimension"),
			integer("n", 2, 1, 10, "dimensions"),
			choice("routing", routings, "the relation"),
			tieParam(),
		},
		Expect: []Expectation{
			{nil, spec.Holds, spec.Holds, 0, 0, "Dally and Seitz"},
			{set{"k": "5"}, spec.Holds, spec.Holds, 0, 0, "Dally and Seitz"},
			{set{"k": "8"}, spec.Holds, spec.Holds, 0, 0, "Dally and Seitz"},
			{set{"k": "2", "routing": "dor"}, spec.Holds, spec.Holds, 0, 0, "no dependency round a ring"},
			{set{"k": "3", "routing": "dor"}, spec.Holds, spec.Holds, 0, 0, "no dependency round a ring"},
			{set{"k": "4", "routing": "dor"}, spec.Violated, spec.Violated, 0, 0, "ties one way close the ring"},
			{set{"k": "4", "routing": "dor", "tie": "parity"}, spec.Holds, spec.Holds, 0, 0, "ties by parity leave each ring open"},
			{set{"k": "5", "routing": "dor"}, spec.Violated, spec.Violated, 0, 0, "two-hop packets close the ring"},
			{set{"routing": "duato"}, spec.Holds, spec.Holds, 0, 0, "Duato"},
			{set{"routing": "adaptive"}, spec.Violated, spec.Violated, 0, 0, "cyclic without an escape"},
		},
		build: func(a Args) (spec.Definition, error) {
			o := torus.Options{K: a.Int("k"), N: a.Int("n"), Tie: tieOf(a)}
			switch a.Text("routing") {
			case "dor":
				return torus.DimensionOrder(o)
			case "duato":
				return torus.Duato(o)
			case "adaptive":
				return torus.Adaptive(o)
			}
			return torus.Dateline(o)
		},
	}
}

func hypercubeEntry() Entry {
	return Entry{
		Name:    "hypercube",
		Summary: "binary n-cubes: e-cube, p-cube, adaptive, Duato",
		Source:  "Sullivan and Bashkow 1977; Glass and Ni 1992; Duato 1993",
		Params:  []Param{integer("n", 4, 1, 12, "dimensions"), choice("routing", hypercube.VariantNames, "the relation")},
		Expect: []Expectation{
			{nil, spec.Holds, spec.Holds, 0, 0, "acyclic"},
			{set{"routing": "p-cube"}, spec.Holds, spec.Holds, 0, 0, "acyclic"},
			{set{"routing": "adaptive"}, spec.Violated, spec.Violated, 0, 0, "as the adaptive mesh"},
			{set{"routing": "duato"}, spec.Holds, spec.Holds, 0, 0, "Duato"},
		},
		build: func(a Args) (spec.Definition, error) {
			return hypercube.New(a.Int("n"), hypercube.Variant(index(hypercube.VariantNames, a.Text("routing"))))
		},
	}
}

func hyperxEntry() Entry {
	return Entry{
		Name:    "hyperx",
		Summary: "HyperX: dimension order, adaptive, dimension order as escape",
		Source:  "Ahn et al. 2009",
		Params: []Param{
			integer("k", 3, 2, 64, "nodes in each dimension"), integer("n", 2, 1, 6, "dimensions"),
			choice("routing", hyperx.VariantNames, "the relation"),
		},
		Expect: []Expectation{
			{nil, spec.Holds, spec.Holds, 0, 0, "acyclic"},
			{set{"routing": "adaptive"}, spec.Violated, spec.Violated, 0, 0, "the two orders close cycles"},
			{set{"routing": "escape"}, spec.Holds, spec.Holds, 0, 0, "Duato"},
		},
		build: func(a Args) (spec.Definition, error) {
			return hyperx.New(grid.Square(a.Int("k"), a.Int("n")), hyperx.Variant(index(hyperx.VariantNames, a.Text("routing"))))
		},
	}
}

func dragonflyEntry() Entry {
	return Entry{
		Name:    "dragonfly",
		Summary: "dragonfly with minimal routing, one VC or two on local links",
		Source:  "Kim, Dally, Scott and Abts 2008",
		Params: []Param{
			integer("a", 2, 1, 64, "routers a group"), integer("h", 1, 1, 64, "global links a router"), integer("g", 3, 2, 1024, "groups"),
			choice("local-vcs", []string{"yes", "no"}, "VC 1 on local links behind the global hop"),
		},
		Expect: []Expectation{
			{nil, spec.Holds, spec.Holds, 0, 0, "local, global, local are three ranks"},
			{set{"local-vcs": "no"}, spec.Violated, spec.Violated, 0, 0, "local and global hops close a cycle"},
			{set{"a": "4", "h": "2", "g": "9"}, spec.Holds, spec.Holds, 0, 0, "as above"},
		},
		build: func(a Args) (spec.Definition, error) {
			return hierarchy.Dragonfly(hierarchy.DragonflyOptions{Routers: a.Int("a"), Globals: a.Int("h"), Groups: a.Int("g"), LocalVCs: a.Bool("local-vcs")})
		},
	}
}

func leafSpineEntry() Entry {
	return Entry{
		Name: "leaf-spine", Summary: "two-level fat tree, up to any spine and down", Source: "Leiserson 1985",
		Params: []Param{integer("leaves", 4, 1, 256, "leaf switches"), integer("spines", 2, 1, 256, "spine switches"), integer("hosts", 2, 1, 64, "hosts a leaf")},
		Expect: []Expectation{{nil, spec.Holds, spec.Holds, 0, 0, "up then down"}},
		build: func(a Args) (spec.Definition, error) {
			return hierarchy.LeafSpine(a.Int("leaves"), a.Int("spines"), a.Int("hosts"))
		},
	}
}

func treeEntry() Entry {
	return Entry{
		Name: "k-ary-n-tree", Summary: "k-ary n-tree, adaptive up and deterministic down", Source: "Petrini and Vanneschi 1997",
		Params: []Param{integer("k", 2, 2, 16, "arity"), integer("n", 3, 1, 8, "levels")},
		Expect: []Expectation{
			{nil, spec.Holds, spec.Holds, 0, 0, "up then down"},
			{set{"k": "4", "n": "2"}, spec.Holds, spec.Holds, 0, 0, "up then down"},
		},
		build: func(a Args) (spec.Definition, error) { return hierarchy.KaryTree(a.Int("k"), a.Int("n")) },
	}
}

func spidergonEntry() Entry {
	return Entry{
		Name: "spidergon", Summary: "Spidergon with across-first routing", Source: "Coppola et al. 2004",
		Params: []Param{integer("n", 8, 4, 4096, "nodes, an even number"), integer("vcs", 2, 1, 2, "VCs of the ring links")},
		Expect: []Expectation{
			{nil, spec.Holds, spec.Holds, 0, 0, "dateline"},
			{set{"vcs": "1"}, spec.Violated, spec.Violated, 0, 0, "arcs of two hops close the ring"},
			{set{"n": "4", "vcs": "1"}, spec.Holds, spec.Holds, 0, 0, "nobody goes two hops along the ring"},
		},
		build: func(a Args) (spec.Definition, error) { return spidergon.New(a.Int("n"), a.Int("vcs")) },
	}
}

func omegaEntry() Entry {
	return Entry{
		Name: "circular-omega", Summary: "circular omega network with banks (EM-4)", Source: "Sakai, Yamaguchi, Hiraki, Kodama and Yuba 1989",
		Params: []Param{integer("n", 3, 2, 10, "columns, of 2^n nodes"), integer("banks", 3, 1, 16, "banks (VCs)")},
		Expect: []Expectation{
			{nil, spec.Holds, spec.Holds, 0, 0, "a packet passes the last column at most twice"},
			{set{"banks": "1"}, spec.Violated, spec.Violated, 0, 0, "one bank leaves the rings closed"},
		},
		build: func(a Args) (spec.Definition, error) { return omega.New(a.Int("n"), a.Int("banks")) },
	}
}

func graphEntry() Entry {
	graphs := []string{"petersen", "random", "complete", "de-bruijn"}
	routings := []string{"minimal", "hop-indexed", "up-down"}
	return Entry{
		Name: "graph", Summary: "arbitrary graphs: minimal, hop-indexed VCs, up*/down*",
		Source: "Günther 1981; Schroeder et al. 1991",
		Params: []Param{
			choice("graph", graphs, "the graph"), choice("routing", routings, "the relation"),
			integer("n", 8, 2, 1024, "nodes of random and complete; 2^d of de-bruijn (a power of two)"),
			integer("more", 6, 0, 100000, "edges of random beyond a tree"), integer("seed", 1, 0, 1<<30, "of random"),
			integer("root", 0, 0, 1023, "of up-down"),
		},
		Expect: []Expectation{
			{nil, spec.Violated, spec.Violated, 0, 0, "two-hop ways close the outer ring"},
			{set{"routing": "hop-indexed"}, spec.Holds, spec.Holds, 0, 0, "the VC rises at every hop"},
			{set{"routing": "up-down"}, spec.Holds, spec.Holds, 0, 0, "up then down"},
			{set{"graph": "random", "routing": "up-down"}, spec.Holds, spec.Holds, 0, 0, "up then down, every pair routed"},
			{set{"graph": "random", "routing": "hop-indexed"}, spec.Holds, spec.Holds, 0, 0, "the VC rises at every hop"},
			{set{"graph": "complete"}, spec.Holds, spec.Holds, 0, 0, "one hop, no dependency"},
			{set{"graph": "de-bruijn", "n": "4"}, spec.Holds, spec.Holds, 0, 0, "too short for a cycle"},
			{set{"graph": "de-bruijn", "n": "8"}, spec.Violated, spec.Violated, 0, 0, "three-hop ways close a cycle"},
		},
		build: func(a Args) (spec.Definition, error) {
			g, err := graphOf(a)
			if err != nil {
				return spec.Definition{}, err
			}
			switch a.Text("routing") {
			case "hop-indexed":
				return graph.HopIndexed(g)
			case "up-down":
				return graph.UpDown(g, a.Int("root"))
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
			{nil, spec.Holds, spec.Unknown, 0, 0, "messages of two flits deadlock; the static decision stops before that"},
			{set{"name": "W2"}, spec.Holds, spec.Unknown, 0, 0, "free, but the head/tail fixpoint raises a false alarm"},
			{set{"name": "W5"}, spec.Holds, spec.Holds, 0, 0, "no set of channels is an escape, but a routing subfunction is"},
		},
		build: func(a Args) (spec.Definition, error) { return gadget.Wormhole(a.Text("name")) },
	}
}
