package mesh

import (
	"embed"

	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

func Entry() catalogue.Entry {
	routings := []string{"xy", "adaptive", "duato", "o1turn", "o1turn-1vc", "double-y", "deflection"}
	o1turn := func(vcs int) func(Options) (routing.Definition, error) {
		return func(o Options) (routing.Definition, error) { return O1TURN(o, vcs) }
	}
	relations := []func(Options) (routing.Definition, error){DimensionOrder, Adaptive, Duato, o1turn(2), o1turn(1), DoubleY, Deflection}
	return catalogue.Entry{
		Name:    "mesh",
		Summary: "meshes: XY, adaptive, Duato, O1TURN, double-y, deflection",
		Source:  "Sullivan and Bashkow 1977; Duato 1993; Seo et al. 2005; Linder and Harden 1991",
		Params: []catalogue.Param{
			catalogue.Integer("k", 4, 2, 1024, "nodes in each dimension"),
			catalogue.Integer("n", 2, 1, 10, "dimensions (o1turn and double-y: 2)"),
			catalogue.Choice("routing", routings, "the relation"),
		},
		Expect: []catalogue.Expectation{
			{Packets: spec.Holds, Worms: spec.Holds, Because: "acyclic"},
			{Set: catalogue.Set{"k": "2", "routing": "adaptive"}, Packets: spec.Violated, Worms: spec.Violated, Because: "four packets"},
			{Set: catalogue.Set{"routing": "adaptive"}, Packets: spec.Violated, Worms: spec.Violated, Because: "four packets"},
			{Set: catalogue.Set{"routing": "duato"}, Packets: spec.Holds, Worms: spec.Holds, Because: "Duato"},
			{Set: catalogue.Set{"routing": "o1turn"}, Packets: spec.Holds, Worms: spec.Holds, Because: "each order has its VC"},
			{Set: catalogue.Set{"k": "2", "routing": "o1turn-1vc"}, Packets: spec.Violated, Worms: spec.Violated, Because: "the two orders close the cycle"},
			{Set: catalogue.Set{"k": "3", "routing": "double-y"}, Packets: spec.Holds, Worms: spec.Holds, Because: "acyclic"},
			{Set: catalogue.Set{"k": "3", "routing": "deflection"}, Packets: spec.Holds, Worms: spec.Violated, Livelock: spec.Violated, Because: "always an XY hop for a packet, which may go astray forever; messages of two flits turn round and block each other"},
		},
		Build: func(a catalogue.Args) (routing.Definition, error) {
			return relations[catalogue.Chosen[int](a, "routing", routings)](Options{K: a.Int("k"), N: a.Int("n")})
		},
	}
}

// files are the networks in Starlark.
//
//go:embed *.star
var files embed.FS

func TurnsEntry() catalogue.Entry {
	set := func(model string, more ...string) catalogue.Set {
		s := catalogue.Set{"model": model}
		for i := 0; i < len(more); i += 2 {
			s[more[i]] = more[i+1]
		}
		return s
	}
	return catalogue.Network(catalogue.Entry{
		Name:    "turn-model",
		Summary: "turn models of meshes of 2 or 3 dimensions: west-first, north-last, negative-first, odd-even, any set of turns; with VCs",
		Source:  "Glass and Ni 1992; Chiu 2000",
		Expect: []catalogue.Expectation{
			{Packets: spec.Holds, Worms: spec.Holds, Because: "Glass and Ni"},
			{Set: set("north-last"), Packets: spec.Holds, Worms: spec.Holds, Because: "Glass and Ni"},
			{Set: set("negative-first"), Packets: spec.Holds, Worms: spec.Holds, Because: "Glass and Ni"},
			{Set: set("odd-even"), Packets: spec.Holds, Worms: spec.Holds, Because: "Chiu"},
			{Set: set("chosen", "forbid", "EN"), Packets: spec.Violated, Worms: spec.Violated, Because: "the clockwise cycle is whole"},
			{Set: set("negative-first", "n", "3", "k", "3"), Packets: spec.Holds, Worms: spec.Holds, Because: "Glass and Ni: in any number of dimensions"},
			{Set: set("one-of-each", "xy-right", "SW"), Packets: spec.Holds, Worms: spec.Holds, Because: "west-first"},
			{Set: set("one-of-each", "xy-right", "WN"), Packets: spec.Violated, Worms: spec.Violated, Delivery: spec.Violated, Because: "NW and WN: the turns that are left of each cycle make the missing one of the other, and no packet goes north and west"},
			{Set: set("west-first", "vcs", "2"), Packets: spec.Holds, Worms: spec.Holds, Because: "no packet turns west, on whatever VC: channels stay in order"},
			{Set: set("west-first", "vcs", "2", "others", "any"), Packets: spec.Holds, Worms: spec.Holds, Because: "west-first on VC 0 is an escape (Duato)"},
			{Set: set("chosen", "forbid", "EN", "vcs", "2", "others", "any"), Packets: spec.Violated, Worms: spec.Violated, Because: "the clockwise cycle, on both VCs"},
		},
		Claimed: turnClaims,
	}, catalogue.File(files, "turns.star"))
}
