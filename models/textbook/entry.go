// Package textbook, internal to unknot, models protocols on which every checker is tried, with
// counts that other checkers have published. They show whether machines, and their exports to other
// engines, mean what they should.
package textbook

import (
	"embed"

	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/models/examples"
)

//go:embed *.entries
var files embed.FS

func TwoPhaseEntry() catalogue.Entry {
	text := catalogue.File(examples.Files(), "protocols/12_two_phase_commit.star")
	return catalogue.Protocol(catalogue.Read(files, "two-phase-commit"), text)
}

func PetersonEntry() catalogue.Entry {
	text := catalogue.File(examples.Files(), "protocols/09_peterson.star")
	return catalogue.Protocol(catalogue.Read(files, "peterson"), text)
}
