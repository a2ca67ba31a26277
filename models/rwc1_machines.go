package models

import (
	"github.com/seed-105a2da2/unknot/models/rwc1"
	"github.com/seed-105a2da2/unknot/spec"
)

func rwc1RouterEntry() Entry {
	return Entry{
		Name: "rwc1-router", Summary: "machine: one output port of the RWC-1 router, round-robin among VCs, system before user", Source: rwc1Source,
		Params: []Param{
			integer("inputs", 2, 1, 3, "links in"),
			integer("vcs", 2, 1, 3, "VCs of each"),
			choice("injection", []string{"no", "yes"}, "with the injection port, which sends into VC 0"),
			integer("depth", 1, 1, 4, "packets that the watched FIFO holds"),
			integer("watch", 2, 0, 9, "the watched FIFO: input*vcs + vc, the injection FIFO last"),
			choice("arbiter", rwc1.ArbiterNames, "a circle that begins after the last winner; a list to whose end the winner goes; a fixed order"),
			choice("memory", []string{"shared", "apart"}, "one arbiter for user and system packets, or one each"),
			choice("system", rwc1.SystemTrafficNames, "system packets: none; while a user packet waits, at most burst until one is sent; any number"),
			integer("burst", 1, 1, 4, "with system=pauses"),
			choice("priority", rwc1.PriorityNames, "a user packet is sent while all system buffers of the router are empty, or that of its own FIFO"),
		},
		Machines: []MachineExpectation{
			{nil, []string{"bounded turn", "a user packet is sent"}, 0, "0 sends into VC 0; while it is full 3 sends into VC 1, so that the circle begins at 0 again when there is room, and 2 is passed over"},
			{set{"arbiter": "queue"}, nil, 5952, "Rumur finds 5952 states; whoever has won since stands behind the one that waits"},
			{set{"arbiter": "fixed", "vcs": "1", "watch": "1"}, []string{"bounded turn", "a user packet is sent"}, 0, "FIFO 0 is always first"},
			{set{"vcs": "1", "watch": "1", "depth": "2"}, nil, 0, "one VC: all FIFOs find room at the same time, so the circle is round-robin"},
			{set{"inputs": "1", "vcs": "3", "watch": "1", "depth": "2"}, nil, 0, "one input: nobody else sends into the same VC"},
			{set{"arbiter": "queue", "vcs": "1", "watch": "1", "memory": "apart", "system": "unlimited"}, []string{"a user packet is sent"}, 0, "strict priority: system packets without end"},
			{set{"arbiter": "queue", "vcs": "1", "watch": "1", "memory": "apart", "system": "pauses"}, nil, 1760, "Rumur finds 1760 states; each pause lets one user packet pass, and they take turns"},
			{set{"arbiter": "queue", "vcs": "1", "watch": "1", "system": "pauses"}, []string{"bounded turn", "a user packet is sent"}, 0, "a system packet of the FIFO costs it the turn of its user packet"},
			{set{"arbiter": "queue", "vcs": "1", "watch": "1", "memory": "apart", "system": "pauses", "priority": "fifo"}, []string{"bounded turn", "a user packet is sent"}, 0, "the other FIFO's user packets move in the pauses, and end them"},
		},
		Claims: rwc1RouterClaims(),
		machine: func(a Args) (spec.Machine, error) {
			return compiled(rwc1.Router(rwc1.RouterOptions{
				Inputs: a.Int("inputs"), VCs: a.Int("vcs"), Injection: a.Bool("injection"), Depth: a.Int("depth"), Watch: a.Int("watch"),
				Arbiter: rwc1.Arbiter(index(rwc1.ArbiterNames, a.Text("arbiter"))), Apart: a.Text("memory") == "apart",
				System: rwc1.SystemTraffic(index(rwc1.SystemTrafficNames, a.Text("system"))), Burst: a.Int("burst"),
				Priority: rwc1.Priority(index(rwc1.PriorityNames, a.Text("priority"))),
			}))
		},
	}
}

func rwc1DrainEntry() Entry {
	return Entry{
		Name: "rwc1-drain", Summary: "machine: the drain of RWC-1, by which undelivered packets are saved and restored", Source: rwc1Source,
		Params: []Param{
			integer("nodes", 2, 2, 4, "nodes"),
			choice("shape", []string{"ring", "line"}, "each node sends to the next, or all packets go from the first to the last"),
			integer("vcs", 1, 1, 2, "VCs"),
			integer("depth", 2, 1, 3, "packets that a FIFO holds"),
			choice("cut-through", []string{"yes", "no"}, "in a line a router may pass on the head of a packet before its tail has come"),
			choice("freeze", rwc1.FreezeNames, "before it is frozen a router waits for the word behind the last packet; until no packet is on the link in; for nothing"),
			choice("accept", []string{"running", "room"}, "a router grants a handshake if it runs and has room, or if it has room"),
			choice("resume", []string{"together", "alone"}, "nodes run again when all have restored, or each by itself"),
			choice("spread", []string{"yes", "no"}, "a running router that hears the word stops, or runs until its own processor stops it"),
			choice("restore", []string{"order", "reversed"}, "in the order of saving, or the last first"),
		},
		Machines: []MachineExpectation{
			{nil, nil, 7494, "Rumur finds 7494 states; nothing follows the word, and it follows all packets"},
			{set{"shape": "line", "depth": "1", "nodes": "3"}, nil, 57836, "Rumur finds 57836 states; likewise, with packets half-way over two links at once"},
			{set{"vcs": "2", "depth": "1"}, nil, 0, "likewise"},
			{set{"freeze": "idle"}, nil, 6360, "Rumur finds 6360 states; a router that is not running grants no handshake, so an idle link stays idle"},
			{set{"resume": "alone"}, nil, 0, "nor does one that has not restored yet"},
			{set{"freeze": "at-once"}, []string{"in order", "nothing arrives at a frozen router"}, 0, "the packet half-way over the link comes after the FIFO has been saved, and what was saved is put behind it"},
			{set{"restore": "reversed"}, []string{"in order"}, 0, "two packets in a FIFO change places"},
			{set{"shape": "line", "resume": "alone", "spread": "no"}, []string{"in order", "nothing arrives at a frozen router"}, 0, "the node before has saved, restored and sent again since its word was heard"},
			{set{"accept": "room", "resume": "alone", "depth": "1"}, []string{"deadlock", "in order", "nothing lost or doubled", "nothing arrives at a frozen router", "the drain ends"}, 0, "a node that runs again sends into one that has not restored, and takes the room"},
		},
		Claims: rwc1DrainClaims(),
		machine: func(a Args) (spec.Machine, error) {
			return compiled(rwc1.Drain(rwc1.DrainOptions{
				Nodes: a.Int("nodes"), Ring: a.Text("shape") == "ring", VCs: a.Int("vcs"), Depth: a.Int("depth"),
				StoreAndForward: !a.Bool("cut-through"), Freeze: rwc1.Freeze(index(rwc1.FreezeNames, a.Text("freeze"))), Open: a.Text("accept") == "room",
				Alone: a.Text("resume") == "alone", Deaf: !a.Bool("spread"), Reversed: a.Text("restore") == "reversed",
			}))
		},
	}
}
