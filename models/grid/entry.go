package grid

import (
	"github.com/seed-105a2da2/unknot/models/catalogue"
)

func TieParam() catalogue.Param {
	return catalogue.Choice("tie", TieNames, "the direction at distance k/2")
}

func TieOf(a catalogue.Args) Tie { return catalogue.Chosen[Tie](a, "tie", TieNames) }
