package rwc1

import (
	"embed"

	"github.com/seed-105a2da2/unknot/models/catalogue"
)

//go:embed *.star
var files embed.FS

func DrainEntry() catalogue.Entry {
	return catalogue.Protocol(catalogue.Entry{
		Name: "rwc1-drain", Summary: "machine: the drain of RWC-1, by which undelivered packets are saved and restored", Source: paper,
		Machines: []catalogue.MachineExpectation{
			{States: 7494, Because: "Rumur finds 7494 states; nothing follows the word, and it follows all packets"},
			{Set: catalogue.Set{"shape": "line", "depth": "1", "nodes": "3"}, States: 57836, Because: "Rumur finds 57836 states; likewise, with packets halfway across two links at once"},
			{Set: catalogue.Set{"vcs": "2", "depth": "1"}, Because: "likewise"},
			{Set: catalogue.Set{"freeze": "idle"}, States: 6360, Because: "Rumur finds 6360 states; a router that is not running grants no handshake, so an idle link stays idle"},
			{Set: catalogue.Set{"resume": "alone"}, Because: "nor does one that has not restored yet"},
			{Set: catalogue.Set{"freeze": "at-once"}, Violated: []string{"in order", "nothing arrives at a frozen router"}, Because: "the packet halfway across the link arrives after the FIFO has been saved, and the saved packets are put behind it"},
			{Set: catalogue.Set{"restore": "reversed"}, Violated: []string{"in order"}, Because: "two packets in a FIFO change places"},
			{Set: catalogue.Set{"shape": "line", "resume": "alone", "spread": "no"}, Violated: []string{"in order", "nothing arrives at a frozen router"}, Because: "the node before has saved, restored and sent again since its word was heard"},
			{Set: catalogue.Set{"accept": "room", "resume": "alone", "depth": "1"}, Violated: []string{"deadlock", "in order", "nothing lost or doubled", "nothing arrives at a frozen router", "the drain ends"}, Because: "a node that runs again sends into one that has not restored, and takes the room"},
		},
		Claimed: drainClaims,
	}, catalogue.File(files, "rwc1-drain.star"))
}
