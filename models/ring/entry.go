package ring

import (
	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/models/grid"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

func Entry() catalogue.Entry {
	return catalogue.Entry{
		Name:    "ring",
		Summary: "rings: one-way, dateline, position (cA, cH), two-way",
		Source:  "Dally and Seitz 1987; Duato 1993",
		Params: []catalogue.Param{
			catalogue.Integer("n", 4, 2, 16384, "nodes"),
			catalogue.Choice("variant", VariantNames, "VCs and their use"),
			grid.TieParam(),
			catalogue.Integer("buffer", 1, 1, 1024, "packets a channel holds"),
		},
		Expect: []catalogue.Expectation{
			{Set: catalogue.Set{"n": "2"}, Packets: spec.Holds, Worms: spec.Holds, Because: "no dependency at all"},
			{Packets: spec.Violated, Worms: spec.Violated, Because: "every packet two hops from home"},
			{Set: catalogue.Set{"n": "3", "buffer": "2"}, Packets: spec.Violated, Worms: spec.Violated, Because: "a deeper buffer only fills later"},
			{Set: catalogue.Set{"n": "3"}, Packets: spec.Violated, Worms: spec.Violated, Because: "as for packets"},
			{Set: catalogue.Set{"variant": "dateline"}, Packets: spec.Holds, Worms: spec.Holds, Because: "Dally and Seitz"},
			{Set: catalogue.Set{"variant": "dateline", "n": "5"}, Packets: spec.Holds, Worms: spec.Holds, Because: "Dally and Seitz"},
			{Set: catalogue.Set{"variant": "crossing"}, Packets: spec.Holds, Worms: spec.Holds, Because: "VC 1 never meets the link into node 0 again"},
			{Set: catalogue.Set{"variant": "position"}, Packets: spec.Holds, Worms: spec.Holds, Because: "free with a cyclic dependency graph"},
			{Set: catalogue.Set{"variant": "position", "n": "8"}, Packets: spec.Holds, Worms: spec.Holds, Because: "free with a cyclic dependency graph"},
			{Set: catalogue.Set{"variant": "two-way", "n": "3"}, Packets: spec.Holds, Worms: spec.Holds, Because: "nobody goes two hops"},
			{Set: catalogue.Set{"variant": "two-way"}, Packets: spec.Violated, Worms: spec.Violated, Because: "ties all clockwise"},
			{Set: catalogue.Set{"variant": "two-way", "tie": "adaptive"}, Packets: spec.Violated, Worms: spec.Violated, Because: "eight packets two hops from home"},
			{Set: catalogue.Set{"variant": "two-way", "n": "5"}, Packets: spec.Violated, Worms: spec.Violated, Because: "five packets two hops from home"},
		},
		Build: func(a catalogue.Args) (routing.Definition, error) {
			return New(Options{Nodes: a.Int("n"), Variant: catalogue.Chosen[Variant](a, "variant", VariantNames), Tie: grid.TieOf(a), Buffer: a.Int("buffer")})
		},
	}
}
