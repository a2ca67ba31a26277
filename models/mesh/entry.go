package mesh

import (
	"strings"

	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

func Entry() catalogue.Entry {
	routings := []string{"xy", "adaptive", "duato", "o1turn", "o1turn-1vc", "double-y", "deflection"}
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
			o := Options{K: a.Int("k"), N: a.Int("n")}
			switch a.Text("routing") {
			case "adaptive":
				return Adaptive(o)
			case "duato":
				return Duato(o)
			case "o1turn":
				return O1TURN(o, 2)
			case "o1turn-1vc":
				return O1TURN(o, 1)
			case "double-y":
				return DoubleY(o)
			case "deflection":
				return Deflection(o)
			}
			return DimensionOrder(o)
		},
	}
}

func TurnsEntry() catalogue.Entry {
	names := []string{"west-first", "north-last", "negative-first", "odd-even", "chosen"}
	return catalogue.Entry{
		Name:    "turn-model",
		Summary: "turn models of the 2D mesh: west-first, north-last, negative-first, odd-even, any set of turns",
		Source:  "Glass and Ni 1992; Chiu 2000",
		Params: []catalogue.Param{
			catalogue.Integer("k", 4, 2, 64, "nodes in each dimension"),
			catalogue.Choice("model", names, "the forbidden turns; chosen: those of forbid"),
			{Name: "forbid", Default: "NW,SW", Form: "turns, as in NW,SW,ES", Doc: "with chosen: the forbidden turns"},
		},
		Expect: []catalogue.Expectation{
			{Packets: spec.Holds, Worms: spec.Holds, Because: "Glass and Ni"},
			{Set: catalogue.Set{"model": "north-last"}, Packets: spec.Holds, Worms: spec.Holds, Because: "Glass and Ni"},
			{Set: catalogue.Set{"model": "negative-first"}, Packets: spec.Holds, Worms: spec.Holds, Because: "Glass and Ni"},
			{Set: catalogue.Set{"model": "odd-even"}, Packets: spec.Holds, Worms: spec.Holds, Because: "Chiu"},
			{Set: catalogue.Set{"model": "chosen", "forbid": "EN"}, Packets: spec.Violated, Worms: spec.Violated, Because: "the clockwise cycle is whole"},
		},
		Build: func(a catalogue.Args) (routing.Definition, error) {
			o := Options{K: a.Int("k"), N: 2}
			switch a.Text("model") {
			case "west-first":
				return Turns(o, WestFirst())
			case "north-last":
				return Turns(o, NorthLast())
			case "negative-first":
				return Turns(o, NegativeFirst())
			case "odd-even":
				return OddEven(o)
			}
			var turns []Turn
			for _, t := range strings.FieldsFunc(a.Text("forbid"), func(r rune) bool { return r == ',' }) {
				turns = append(turns, Turn(t))
			}
			return Turns(o, turns)
		},
	}
}
