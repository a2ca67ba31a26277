// Package models is the catalogue of published networks and protocols. Each lives
// in a folder of its own below this one, with its description, its entry in the
// catalogue, its claims and its drawing.
package models

import (
	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/models/combining"
	"github.com/seed-105a2da2/unknot/models/gadget"
	"github.com/seed-105a2da2/unknot/models/graph"
	"github.com/seed-105a2da2/unknot/models/hierarchy"
	"github.com/seed-105a2da2/unknot/models/hypercube"
	"github.com/seed-105a2da2/unknot/models/hyperx"
	"github.com/seed-105a2da2/unknot/models/mdce"
	"github.com/seed-105a2da2/unknot/models/mesh"
	"github.com/seed-105a2da2/unknot/models/omega"
	"github.com/seed-105a2da2/unknot/models/p3"
	"github.com/seed-105a2da2/unknot/models/peach2"
	"github.com/seed-105a2da2/unknot/models/ring"
	"github.com/seed-105a2da2/unknot/models/rwc1"
	"github.com/seed-105a2da2/unknot/models/selection"
	"github.com/seed-105a2da2/unknot/models/spidergon"
	"github.com/seed-105a2da2/unknot/models/starchannel"
	"github.com/seed-105a2da2/unknot/models/textbook"
	"github.com/seed-105a2da2/unknot/models/torus"
)

// Catalogue lists the models in the order in which they are shown: the machines
// of the papers first, then the classics.
func Catalogue() []catalogue.Entry {
	return []catalogue.Entry{
		starchannel.Entry(), mdce.CCCBEntry(), mdce.Entry(), peach2.Entry(), peach2.ReadsEntry(),
		p3.Entry(), p3.RebalanceEntry(),
		rwc1.Entry(), rwc1.MachineEntry(), rwc1.RouterEntry(), rwc1.DrainEntry(),
		ring.Entry(), mesh.Entry(), mesh.TurnsEntry(), torus.Entry(), hypercube.Entry(), hyperx.Entry(),
		hierarchy.DragonflyEntry(), hierarchy.LeafSpineEntry(), hierarchy.TreeEntry(), spidergon.Entry(), omega.Entry(),
		graph.Entry(), graph.DetourEntry(), graph.PacketSwitchingEntry(), gadget.Entry(),
		selection.Entry(), selection.ClockEntry(), selection.TrafficEntry(),
		combining.InvalidateAckEntry(), combining.ClassesEntry(),
		combining.FetchAddEntry(), combining.TestAndSetEntry(), combining.ReadCombiningEntry(),
		combining.ReductionEntry(), combining.BarrierEntry(), combining.MemoryBarrierEntry(),
		textbook.TwoPhaseEntry(), textbook.PetersonEntry(),
	}
}

// Find returns the entry with the given name.
func Find(name string) (catalogue.Entry, bool) {
	for _, e := range Catalogue() {
		if e.Name == name {
			return e, true
		}
	}
	return catalogue.Entry{}, false
}
