package models

import (
	"github.com/seed-105a2da2/unknot/models/textbook"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
)

// Entries that are machines of their own: protocols.

// compiled makes a program's machine an entry's.
func compiled(p *program.Program, err error) (spec.Machine, error) {
	if err != nil {
		return nil, err
	}
	return p.Machine()
}

func twoPhaseEntry() Entry {
	return Entry{
		Name: "two-phase-commit", Summary: "machine: two-phase commit", Source: "Gray 1978; Gray and Lamport 2006",
		Params: []Param{integer("managers", 3, 1, 16, "resource managers")},
		Machines: []MachineExpectation{
			{nil, nil, 288, "TLC finds 288 distinct states"},
			{set{"managers": "5"}, nil, 8832, "TLC finds 8,832"},
		},
		machine: func(a Args) (spec.Machine, error) { return compiled(textbook.TwoPhase(a.Int("managers"))) },
	}
}

func petersonEntry() Entry {
	return Entry{
		Name: "peterson", Summary: "machine: mutual exclusion of n processes", Source: "Peterson 1981",
		Params: []Param{integer("n", 3, 2, 8, "processes")},
		Machines: []MachineExpectation{
			{nil, nil, 882, "CMurphi finds 882 states"},
		},
		machine: func(a Args) (spec.Machine, error) { return compiled(textbook.Peterson(a.Int("n"))) },
	}
}
