package omega

import (
	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

func Entry() catalogue.Entry {
	return catalogue.Entry{
		Name: "circular-omega", Summary: "circular omega network with banks (EM-4)", Source: "Sakai, Yamaguchi, Hiraki, Kodama and Yuba 1989",
		Params: []catalogue.Param{catalogue.Integer("n", 3, 2, 10, "columns, of 2^n nodes"), catalogue.Integer("banks", 3, 1, 16, "banks (VCs)")},
		Expect: []catalogue.Expectation{
			{Packets: spec.Holds, Worms: spec.Holds, Because: "a packet passes the last column at most twice"},
			{Set: catalogue.Set{"banks": "1"}, Packets: spec.Violated, Worms: spec.Violated, Because: "one bank leaves the rings closed"},
		},
		Build: func(a catalogue.Args) (routing.Definition, error) { return New(a.Int("n"), a.Int("banks")) },
	}
}
