package hypercube

import (
	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

func Entry() catalogue.Entry {
	return catalogue.Entry{
		Name:    "hypercube",
		Summary: "binary n-cubes: e-cube, p-cube, adaptive, Duato",
		Source:  "Sullivan and Bashkow 1977; Glass and Ni 1992; Duato 1993",
		Params:  []catalogue.Param{catalogue.Integer("n", 4, 1, 12, "dimensions"), catalogue.Choice("routing", VariantNames, "the relation")},
		Expect: []catalogue.Expectation{
			{Packets: spec.Holds, Worms: spec.Holds, Because: "acyclic"},
			{Set: catalogue.Set{"routing": "p-cube"}, Packets: spec.Holds, Worms: spec.Holds, Because: "acyclic"},
			{Set: catalogue.Set{"routing": "adaptive"}, Packets: spec.Violated, Worms: spec.Violated, Because: "as the adaptive mesh"},
			{Set: catalogue.Set{"routing": "duato"}, Packets: spec.Holds, Worms: spec.Holds, Because: "Duato"},
		},
		Build: func(a catalogue.Args) (routing.Definition, error) {
			return New(a.Int("n"), catalogue.Chosen[Variant](a, "routing", VariantNames))
		},
	}
}
