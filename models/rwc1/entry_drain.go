package rwc1

import (
	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/spec/states"
)

func DrainEntry() catalogue.Entry {
	return catalogue.Entry{
		Name: "rwc1-drain", Summary: "machine: the drain of RWC-1, by which undelivered packets are saved and restored", Source: paper,
		Params: []catalogue.Param{
			catalogue.Integer("nodes", 2, 2, 4, "nodes"),
			catalogue.Choice("shape", []string{"ring", "line"}, "each node sends to the next, or all packets go from the first to the last"),
			catalogue.Integer("vcs", 1, 1, 2, "VCs"),
			catalogue.Integer("depth", 2, 1, 3, "packets that a FIFO holds"),
			catalogue.Choice("cut-through", []string{"yes", "no"}, "in a line a router may pass on the head of a packet before its tail has come"),
			catalogue.Choice("freeze", FreezeNames, "before it is frozen a router waits for the word behind the last packet; until no packet is on the link in; for nothing"),
			catalogue.Choice("accept", []string{"running", "room"}, "a router grants a handshake if it runs and has room, or if it has room"),
			catalogue.Choice("resume", []string{"together", "alone"}, "nodes run again when all have restored, or each by itself"),
			catalogue.Choice("spread", []string{"yes", "no"}, "a running router that hears the word stops, or runs until its own processor stops it"),
			catalogue.Choice("restore", []string{"order", "reversed"}, "in the order of saving, or the last first"),
		},
		Machines: []catalogue.MachineExpectation{
			{States: 7494, Because: "Rumur finds 7494 states; nothing follows the word, and it follows all packets"},
			{Set: catalogue.Set{"shape": "line", "depth": "1", "nodes": "3"}, States: 57836, Because: "Rumur finds 57836 states; likewise, with packets half-way over two links at once"},
			{Set: catalogue.Set{"vcs": "2", "depth": "1"}, Because: "likewise"},
			{Set: catalogue.Set{"freeze": "idle"}, States: 6360, Because: "Rumur finds 6360 states; a router that is not running grants no handshake, so an idle link stays idle"},
			{Set: catalogue.Set{"resume": "alone"}, Because: "nor does one that has not restored yet"},
			{Set: catalogue.Set{"freeze": "at-once"}, Violated: []string{"in order", "nothing arrives at a frozen router"}, Because: "the packet half-way over the link comes after the FIFO has been saved, and what was saved is put behind it"},
			{Set: catalogue.Set{"restore": "reversed"}, Violated: []string{"in order"}, Because: "two packets in a FIFO change places"},
			{Set: catalogue.Set{"shape": "line", "resume": "alone", "spread": "no"}, Violated: []string{"in order", "nothing arrives at a frozen router"}, Because: "the node before has saved, restored and sent again since its word was heard"},
			{Set: catalogue.Set{"accept": "room", "resume": "alone", "depth": "1"}, Violated: []string{"deadlock", "in order", "nothing lost or doubled", "nothing arrives at a frozen router", "the drain ends"}, Because: "a node that runs again sends into one that has not restored, and takes the room"},
		},
		Claims: drainClaims(),
		BuildMachine: func(a catalogue.Args) (states.Machine, error) {
			return Drain(DrainOptions{
				Nodes: a.Int("nodes"), Ring: a.Text("shape") == "ring", VCs: a.Int("vcs"), Depth: a.Int("depth"),
				StoreAndForward: !a.Bool("cut-through"), Freeze: catalogue.Chosen[Freeze](a, "freeze", FreezeNames), Open: a.Text("accept") == "room",
				Alone: a.Text("resume") == "alone", Deaf: !a.Bool("spread"), Reversed: a.Text("restore") == "reversed",
			}).Machine()
		},
	}
}
