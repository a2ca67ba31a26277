package hyperx

import (
	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/models/grid"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

func Entry() catalogue.Entry {
	return catalogue.Entry{
		Name:    "hyperx",
		Summary: "HyperX: dimension order, adaptive, dimension order as escape",
		Source:  "Ahn et al. 2009",
		Params: []catalogue.Param{
			catalogue.Integer("k", 3, 2, 64, "nodes in each dimension"), catalogue.Integer("n", 2, 1, 6, "dimensions"),
			catalogue.Choice("routing", VariantNames, "the relation"),
		},
		Expect: []catalogue.Expectation{
			{Packets: spec.Holds, Worms: spec.Holds, Because: "acyclic"},
			{Set: catalogue.Set{"routing": "adaptive"}, Packets: spec.Violated, Worms: spec.Violated, Because: "the two orders close cycles"},
			{Set: catalogue.Set{"routing": "escape"}, Packets: spec.Holds, Worms: spec.Holds, Because: "Duato"},
		},
		Build: func(a catalogue.Args) (routing.Definition, error) {
			return New(grid.Square(a.Int("k"), a.Int("n")), catalogue.Chosen[Variant](a, "routing", VariantNames))
		},
	}
}
