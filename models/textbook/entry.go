package textbook

import (
	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/spec/states"
)

func TwoPhaseEntry() catalogue.Entry {
	return catalogue.Entry{
		Name: "two-phase-commit", Summary: "machine: two-phase commit", Source: "Gray 1978; Gray and Lamport 2006",
		Params: []catalogue.Param{catalogue.Integer("managers", 3, 1, 16, "resource managers")},
		Machines: []catalogue.MachineExpectation{
			{States: 288, Because: "TLC finds 288 distinct states"},
			{Set: catalogue.Set{"managers": "5"}, States: 8832, Because: "TLC finds 8,832"},
		},
		BuildMachine: func(a catalogue.Args) (states.Machine, error) { return catalogue.Compiled(TwoPhase(a.Int("managers"))) },
	}
}

func PetersonEntry() catalogue.Entry {
	return catalogue.Entry{
		Name: "peterson", Summary: "machine: mutual exclusion of n processes", Source: "Peterson 1981",
		Params: []catalogue.Param{catalogue.Integer("n", 3, 2, 8, "processes")},
		Machines: []catalogue.MachineExpectation{
			{States: 882, Because: "CMurphi finds 882 states"},
		},
		BuildMachine: func(a catalogue.Args) (states.Machine, error) { return catalogue.Compiled(Peterson(a.Int("n"))) },
	}
}
