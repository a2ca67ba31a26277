package rwc1

import "github.com/seed-105a2da2/unknot/models/catalogue"

func MachineEntry() catalogue.Entry {
	return catalogue.Protocol(catalogue.Entry{
		Name: "rwc1-machine", Summary: "machine: whole RWC-1 routers joined by links, with processors that ask and answer behind finite input buffers", Source: paper,
		Machines: []catalogue.MachineExpectation{
			{Violated: []string{"deadlock", "something can move"}, Because: "injection buffers, links and PIBs full of requests: window = 3 packets each"},
			{Set: catalogue.Set{"window": "2"}, States: 283, Because: "fewer requests than places; Rumur finds 283 states"},
			{Set: catalogue.Set{"spill": "yes", "window": "2", "watch": "1"}, States: 1499, Because: "memory absorbs requests; Rumur finds 1499 states"},
			{Set: catalogue.Set{"streams": "all@0/1", "buffers": "level", "window": "2", "watch": "1"}, States: 15651, Because: "replies are consumed, so requests are answered; Rumur finds 15651 states"},
			{Set: catalogue.Set{"streams": "all@0/1"}, Violated: []string{"deadlock", "something can move"}, Because: "in shared buffers replies wait behind requests"},
			{Set: catalogue.Set{"streams": "all@0/1", "spill": "yes", "window": "2", "watch": "1"}, Violated: []string{"a watched packet ends"}, Because: "no deadlock, but own requests take the room for replies again and again"},
			{Set: catalogue.Set{"streams": "all@0/1", "spill": "yes", "window": "2", "watch": "1", "first": "answers"}, Because: "a processor that has to reply sends no requests"},
			{Set: catalogue.Set{"streams": "0>1@2/0"}, Violated: []string{"deadlock", "something can move"}, Because: "the reply, of a user level, waits for system requests that wait for it"},
			{Set: catalogue.Set{"streams": "0>1@2/0", "hold": "port"}, States: 42, Because: "a system packet that cannot be sent holds no packet back; Rumur finds 42 states"},
			{Set: catalogue.Set{"n": "3", "vcs": "1", "streams": "before@0"}, Violated: []string{"deadlock", "something can move"}, Because: "the ring is full of packets with a link to go"},
			{Set: catalogue.Set{"n": "3", "vcs": "2", "streams": "before@0", "watch": "1", "watched": "2", "window": "2"}, Because: "the VC goes up over the border"},
			{Set: catalogue.Set{"n": "3", "streams": "1>2@0,0>1@2", "watch": "1"}, Violated: []string{"a watched packet ends"}, Because: "system packets come into router 1 without end"},
			{Set: catalogue.Set{"n": "3", "streams": "1>2@0,0>1@2*3", "watch": "1"}, Because: "and end"},
			{Set: catalogue.Set{"n": "3", "streams": "1>2@0,0>2@0", "watch": "1", "arbiter": "any"}, Violated: []string{"a watched packet ends"}, Because: "what comes through the router may be put first forever"},
			{Set: catalogue.Set{"n": "4", "streams": "0>2@0,3>2@0,1>2@0", "watch": "1", "window": "1"}, Violated: []string{"a watched packet ends"}, Because: "the search begins at the injection whenever there is room in VC 0"},
			{Set: catalogue.Set{"n": "4", "streams": "0>2@0,3>2@0,1>2@0", "watch": "1", "window": "1", "arbiter": "queue"}, Because: "every later winner queues behind the one that waits"},
			{Set: catalogue.Set{"fabric": "cccb", "vcs": "2", "streams": "1>2@0,3>0@0,7>0@0"}, Violated: []string{"deadlock", "something can move"}, Because: "the packets of a deadlock of rwc1 with 2 VCs"},
			{Set: catalogue.Set{"fabric": "cccb", "vcs": "3", "streams": "1>2@0,3>0@0,7>0@0", "arbiter": "any", "window": "0"}, States: 13824, Because: "no cycle of VCs; Rumur finds 13824 states"},
		},
		Claimed: machineClaims,
	}, catalogue.File(files, "rwc1-machine.star"))
}
