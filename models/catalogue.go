// Package models, internal to unknot, is the catalogue of published networks and protocols. Each
// has its own folder below this one, with its description, in Go or Starlark, and the files of its
// entry in the catalogue and of its claims. Package catalogue has their form; what asks about a
// family, and decides, is FAMILY/study.
package models

import (
	"strings"
	"sync"

	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/models/clos"
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

// Group is a group of models of one kind.
type Group struct {
	Title   string
	Entries []catalogue.Entry
}

// Groups lists the models in the order shown: the published machines first, then the
// classics. The result must not be changed: it is made once.
func Groups() []Group { return groups() }

var groups = sync.OnceValue(func() []Group {
	return []Group{
		{"PEACH2: PCI Express rings", []catalogue.Entry{peach2.Entry(), peach2.ReadsEntry(), peach2.DMAEntry(),
			peach2.HostsEntry()}},
		{"Multi-PSI/V2: greedy forwarding on a divided plane (P3)", []catalogue.Entry{
			p3.Entry(), p3.MoveEntry(), p3.RebalanceEntry(), p3.GoalsEntry(),
		}},
		{"RWC-1: CCCB with spiral buffers, and EM-4", []catalogue.Entry{
			mdce.CCCBEntry(), mdce.Entry(), rwc1.Entry(), rwc1.MachineEntry(), rwc1.DrainEntry(), rwc1.PortEntry(),
			rwc1.PartitionEntry(),
			omega.Entry(),
		}},
		{"*-channel tori and selection functions", []catalogue.Entry{
			starchannel.Entry(), selection.Entry(), selection.RouterEntry(), selection.ClockEntry(),
			selection.TrafficEntry(),
		}},
		{"OCHANOMIZ-5: protocols that combine messages in the switches", []catalogue.Entry{
			combining.NineStepsEntry(), combining.InvalidateAckEntry(), combining.ClassesEntry(),
			combining.FetchAddEntry(), combining.TestAndSetEntry(), combining.ReadCombiningEntry(),
			combining.ReductionEntry(), combining.BarrierEntry(), combining.MemoryBarrierEntry(),
		}},
		{"Classic topologies and routing functions", []catalogue.Entry{
			ring.Entry(), mesh.Entry(), mesh.TurnsEntry(), torus.Entry(), hypercube.Entry(), hyperx.Entry(),
			hierarchy.DragonflyEntry(), hierarchy.LeafSpineEntry(), hierarchy.TreeEntry(), clos.Entry(),
			spidergon.Entry(), graph.Entry(),
		}},
		{"Small cases with a known answer", []catalogue.Entry{
			graph.DetourEntry(), graph.PacketSwitchingEntry(), gadget.Entry(), textbook.TwoPhaseEntry(),
			textbook.PetersonEntry(),
		}},
	}
})

// Catalogue lists the models of all groups.
func Catalogue() []catalogue.Entry {
	var all []catalogue.Entry
	for _, g := range Groups() {
		all = append(all, g.Entries...)
	}
	return all
}

// Find returns the entry with the given name.
func Find(name string) (catalogue.Entry, bool) {
	if strings.ContainsAny(name, "./") {
		return catalogue.Entry{}, false // a file: making the catalogue takes a while
	}
	for _, e := range Catalogue() {
		if e.Name == name {
			return e, true
		}
	}
	return catalogue.Entry{}, false
}
