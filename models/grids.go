package models

import (
	"strings"

	"github.com/seed-105a2da2/unknot/models/grid"
	"github.com/seed-105a2da2/unknot/models/hypercube"
	"github.com/seed-105a2da2/unknot/models/hyperx"
	"github.com/seed-105a2da2/unknot/models/mesh"
	"github.com/seed-105a2da2/unknot/models/ring"
	"github.com/seed-105a2da2/unknot/models/torus"
	"github.com/seed-105a2da2/unknot/spec"
)

// Entries for rings, meshes, tori and cubes.

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
			{set{"variant": "crossing"}, spec.Holds, spec.Holds, 0, 0, "VC 1 never meets the link into node 0 again"},
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
			{set{"k": "3", "routing": "deflection"}, spec.Holds, spec.Violated, spec.Violated, 0, "always an XY hop for a packet, which may go astray for ever; messages of two flits turn round and block each other"},
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
	return Entry{
		Name:    "turn-model",
		Summary: "turn models of the 2D mesh: west-first, north-last, negative-first, odd-even, any set of turns",
		Source:  "Glass and Ni 1992; Chiu 2000",
		Params: []Param{
			integer("k", 4, 2, 64, "nodes in each dimension"),
			choice("model", names, "the forbidden turns; chosen: those of forbid"),
			{Name: "forbid", Default: "NW,SW", Form: "turns, as in NW,SW,ES", Doc: "with chosen: the forbidden turns"},
		},
		Expect: []Expectation{
			{nil, spec.Holds, spec.Holds, 0, 0, "Glass and Ni"},
			{set{"model": "north-last"}, spec.Holds, spec.Holds, 0, 0, "Glass and Ni"},
			{set{"model": "negative-first"}, spec.Holds, spec.Holds, 0, 0, "Glass and Ni"},
			{set{"model": "odd-even"}, spec.Holds, spec.Holds, 0, 0, "Chiu"},
			{set{"model": "chosen", "forbid": "EN"}, spec.Violated, spec.Violated, 0, 0, "the clockwise cycle is whole"},
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
			var turns []mesh.Turn
			for _, t := range strings.FieldsFunc(a.Text("forbid"), func(r rune) bool { return r == ',' }) {
				turns = append(turns, mesh.Turn(t))
			}
			return mesh.Turns(o, turns)
		},
	}
}

func torusEntry() Entry {
	routings := []string{"dateline", "crossing", "dor", "duato", "adaptive"}
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
			{set{"routing": "crossing"}, spec.Holds, spec.Holds, 0, 0, "VC 1 never meets the wrap-around link again"},
			{set{"k": "5", "routing": "crossing"}, spec.Holds, spec.Holds, 0, 0, "VC 1 never meets the wrap-around link again"},
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
			case "crossing":
				return torus.Crossing(o)
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
