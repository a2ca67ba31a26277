// Package textbook models protocols on which every checker is tried, with counts that
// other checkers have published. They show whether machines, and their exports to other
// engines, mean what they should.
package textbook

import (
	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/models/examples"
)

func TwoPhaseEntry() catalogue.Entry {
	return catalogue.Protocol(catalogue.Entry{
		Name: "two-phase-commit", Summary: "machine: two-phase commit", Source: "Gray 1978; Gray and Lamport 2006",
		Machines: []catalogue.MachineExpectation{
			{States: 288, Because: "TLC finds 288 distinct states"},
			{Set: catalogue.Set{"managers": "5"}, States: 8832, Because: "TLC finds 8,832"},
		},
	}, catalogue.File(examples.Files(), "protocols/12_two_phase_commit.star"))
}

func PetersonEntry() catalogue.Entry {
	return catalogue.Protocol(catalogue.Entry{
		Name: "peterson", Summary: "machine: mutual exclusion of n processes", Source: "Peterson 1981",
		Machines: []catalogue.MachineExpectation{
			{States: 882, Because: "CMurphi finds 882 states"},
		},
	}, catalogue.File(examples.Files(), "protocols/09_peterson.star"))
}
