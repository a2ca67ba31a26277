package spidergon

import (
	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

func Entry() catalogue.Entry {
	return catalogue.Entry{
		Name: "spidergon", Summary: "Spidergon with across-first routing", Source: "Coppola et al. 2004",
		Params: []catalogue.Param{catalogue.Integer("n", 8, 4, 4096, "nodes, an even number"), catalogue.Integer("vcs", 2, 1, 2, "VCs of the ring links")},
		Expect: []catalogue.Expectation{
			{Packets: spec.Holds, Worms: spec.Holds, Because: "dateline"},
			{Set: catalogue.Set{"vcs": "1"}, Packets: spec.Violated, Worms: spec.Violated, Because: "arcs of two hops close the ring"},
			{Set: catalogue.Set{"n": "4", "vcs": "1"}, Packets: spec.Holds, Worms: spec.Holds, Because: "nobody goes two hops along the ring"},
		},
		Build: func(a catalogue.Args) (routing.Definition, error) { return New(a.Int("n"), a.Int("vcs")) },
	}
}
