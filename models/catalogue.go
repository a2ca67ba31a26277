package models

import (
	"strconv"

	"github.com/seed-105a2da2/unknot/models/grid"
)

// Catalogue lists the models in the order in which they are shown: the machines
// first, then the classics.
func Catalogue() []Entry {
	return []Entry{
		starChannel(), cccb(), mdceEntry(), peach2Entry(), peach2ReadsEntry(),
		p3Entry(), p3RebalanceEntry(),
		rwc1Entry(), rwc1MachineEntry(), rwc1RouterEntry(), rwc1DrainEntry(),
		ringEntry(), meshEntry(), turnsEntry(), torusEntry(), hypercubeEntry(), hyperxEntry(),
		dragonflyEntry(), leafSpineEntry(), treeEntry(), spidergonEntry(), omegaEntry(),
		graphEntry(), detourEntry(), packetSwitchingEntry(), gadgetEntry(),
		selectionEntry(), selectionClockEntry(), selectionTrafficEntry(),
		invalidateAckEntry(), combiningClassesEntry(),
		fetchAddEntry(), testAndSetEntry(), readCombiningEntry(), reductionEntry(), barrierEntry(), memoryBarrierEntry(),
		twoPhaseEntry(), petersonEntry(),
	}
}

// index returns the place of a name that Define has checked to be there.
func index(names []string, name string) int {
	for i, n := range names {
		if n == name {
			return i
		}
	}
	return -1
}

func integer(name string, preset, least, most int, doc string) Param {
	return Param{Name: name, Default: strconv.Itoa(preset), Min: least, Max: most, Doc: doc}
}

func choice(name string, choices []string, doc string) Param {
	return Param{Name: name, Default: choices[0], Choices: choices, Doc: doc}
}

func tieParam() Param { return choice("tie", grid.TieNames, "which way at distance k/2") }

func tieOf(a Args) grid.Tie { return grid.Tie(index(grid.TieNames, a.Text("tie"))) }

// set is the parameters of an expectation that differ from their defaults.
type set map[string]string
