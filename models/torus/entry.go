package torus

import (
	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/models/grid"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

func Entry() catalogue.Entry {
	routings := []string{"dateline", "crossing", "dor", "duato", "adaptive"}
	relations := []func(Options) (routing.Definition, error){Dateline, Crossing, DimensionOrder, Duato, Adaptive}
	return catalogue.Entry{
		Name:    "torus",
		Summary: "tori: dateline, dimension order on one VC, Duato, adaptive",
		Source:  "Dally and Seitz 1987; Duato 1993",
		Params: []catalogue.Param{
			catalogue.Integer("k", 4, 2, 1024, "nodes in each dimension"),
			catalogue.Integer("n", 2, 1, 10, "dimensions"),
			catalogue.Choice("routing", routings, "the relation"),
			grid.TieParam(),
		},
		Expect: []catalogue.Expectation{
			{Packets: spec.Holds, Worms: spec.Holds, Because: "Dally and Seitz"},
			{Set: catalogue.Set{"k": "5"}, Packets: spec.Holds, Worms: spec.Holds, Because: "Dally and Seitz"},
			{Set: catalogue.Set{"k": "8"}, Packets: spec.Holds, Worms: spec.Holds, Because: "Dally and Seitz"},
			{Set: catalogue.Set{"routing": "crossing"}, Packets: spec.Holds, Worms: spec.Holds, Because: "VC 1 never meets the wrap-around link again"},
			{Set: catalogue.Set{"k": "5", "routing": "crossing"}, Packets: spec.Holds, Worms: spec.Holds, Because: "VC 1 never meets the wrap-around link again"},
			{Set: catalogue.Set{"k": "2", "routing": "dor"}, Packets: spec.Holds, Worms: spec.Holds, Because: "no dependency round a ring"},
			{Set: catalogue.Set{"k": "3", "routing": "dor"}, Packets: spec.Holds, Worms: spec.Holds, Because: "no dependency round a ring"},
			{Set: catalogue.Set{"k": "4", "routing": "dor"}, Packets: spec.Violated, Worms: spec.Violated, Because: "ties one way close the ring"},
			{Set: catalogue.Set{"k": "4", "routing": "dor", "tie": "parity"}, Packets: spec.Holds, Worms: spec.Holds, Because: "ties by parity leave each ring open"},
			{Set: catalogue.Set{"k": "5", "routing": "dor"}, Packets: spec.Violated, Worms: spec.Violated, Because: "two-hop packets close the ring"},
			{Set: catalogue.Set{"routing": "duato"}, Packets: spec.Holds, Worms: spec.Holds, Because: "Duato"},
			{Set: catalogue.Set{"routing": "adaptive"}, Packets: spec.Violated, Worms: spec.Violated, Because: "cyclic without an escape"},
		},
		Build: func(a catalogue.Args) (routing.Definition, error) {
			return relations[catalogue.Chosen[int](a, "routing", routings)](Options{K: a.Int("k"), N: a.Int("n"), Tie: grid.TieOf(a)})
		},
	}
}
