package grid

import (
	"github.com/seed-105a2da2/unknot/models/catalogue"
)

func TieOf(a catalogue.Args) Tie { return catalogue.Chosen[Tie](a, "tie", TieNames) }
