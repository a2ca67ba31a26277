package models

import (
	"fmt"

	"github.com/seed-105a2da2/unknot/models/rwc1"
	"github.com/seed-105a2da2/unknot/spec"
)

// rwc1MachineOptions reads the parameters of rwc1-machine. Their ranges have been
// checked, but for the streams.
func rwc1MachineOptions(a Args) (rwc1.MachineOptions, error) {
	o := rwc1.MachineOptions{
		Fabric: rwc1.Fabric(index(rwc1.FabricNames, a.Text("fabric"))), N: a.Int("n"), VCs: a.Int("vcs"),
		Border:  rwc1.Border(index(rwc1.BorderNames, a.Text("border"))),
		Buffers: rwc1.Buffers(index(rwc1BufferNames, a.Text("buffers"))),
		Depth:   a.Int("depth"), PIB: a.Int("pib"), Spill: a.Bool("spill"), Window: a.Int("window"),
		Arbiter: rwc1.Arbiter(index(rwc1.TurnNames, a.Text("arbiter"))), Hold: rwc1.Hold(index(rwc1.HoldNames, a.Text("hold"))),
		ByLevel: a.Text("ranks") == "levels", Answers: a.Text("first") == "answers",
		Watch: a.Int("watch") - 1, Watch2: a.Int("watched") == 2,
	}
	var err error
	if o.Streams, err = rwc1.ParseStreams(a.Text("streams"), o.Routers()); err != nil {
		return o, err
	}
	if o.Watch >= len(o.Streams) {
		return o, fmt.Errorf("watch=%d: must be 0, or 1 to %d, the number of streams", o.Watch+1, len(o.Streams))
	}
	return o, nil
}

func rwc1MachineEntry() Entry {
	return Entry{
		Name: "rwc1-machine", Summary: "machine: whole RWC-1 routers joined by links, with processors that ask and answer behind finite input buffers", Source: rwc1Source,
		Params: []Param{
			choice("fabric", rwc1.FabricNames, "a directed ring of n routers, or networks of rings of n"),
			integer("n", 2, 2, 8, "length of the rings; at most 4 but for a ring alone"),
			integer("vcs", 3, 1, 4, "VCs of each set of buffers"),
			choice("border", rwc1.BorderNames, "the index goes up on the link from x=n-1 to 0, or on the next link"),
			{Name: "streams", Default: "all@0/0", Form: "0>1@0/1*2,next@2", Doc: "who sends to whom at which level, / the level of the answer, * how many at most; who: FROM>TO, next, before, all; router (x,y,z) is x + n*(y + 2^n*z)"},
			rwc1BuffersParam(),
			integer("depth", 1, 1, 4, "packets that a router's buffer holds"),
			integer("pib", 1, 1, 4, "packets that a processor input buffer holds"),
			choice("spill", []string{"no", "yes"}, "a full PIB is emptied into memory (APB)"),
			integer("window", 3, 0, 9, "packets of a processor, or requests without a reply, under way at most; 0: as many as there is room for"),
			choice("arbiter", rwc1.TurnNames, "of an output port: a circle that begins after the last winner; a list to whose end the winner goes; a fixed order; any choice"),
			choice("hold", rwc1.HoldNames, "a user packet waits while a system packet is anywhere in the router; in the same input and VC; can be sent over the same port; or not"),
			choice("ranks", []string{"modes", "levels"}, "system is put before user, or every level before those below"),
			choice("first", []string{"any", "answers"}, "a processor sends whenever there is room, or only while no request waits in its PIBs"),
			integer("watch", 0, 0, 64, "the stream of which packets are watched, from 1; 0: none"),
			integer("watched", 1, 1, 2, "one packet, or two for their order"),
		},
		Machines: []MachineExpectation{
			{nil, []string{"deadlock", "something can move"}, 0, "injection buffers, links and PIBs full of requests: window = 3 packets each"},
			{set{"window": "2"}, nil, 283, "fewer requests than places; Rumur finds 283 states"},
			{set{"spill": "yes", "window": "2", "watch": "1"}, nil, 1499, "memory takes requests in; Rumur finds 1499 states"},
			{set{"streams": "all@0/1", "buffers": "level", "window": "2", "watch": "1"}, nil, 15651, "replies are consumed, so requests are answered; Rumur finds 15651 states"},
			{set{"streams": "all@0/1"}, []string{"deadlock", "something can move"}, 0, "in shared buffers replies stand behind requests"},
			{set{"streams": "all@0/1", "spill": "yes", "window": "2", "watch": "1"}, []string{"a watched packet ends"}, 0, "no deadlock, but own requests take the room for replies again and again"},
			{set{"streams": "all@0/1", "spill": "yes", "window": "2", "watch": "1", "first": "answers"}, nil, 0, "a processor that has to answer asks nothing"},
			{set{"streams": "0>1@2/0"}, []string{"deadlock", "something can move"}, 0, "the reply, of a user level, waits for system requests that wait for it"},
			{set{"streams": "0>1@2/0", "hold": "port"}, nil, 42, "a system packet that cannot be sent holds nobody back; Rumur finds 42 states"},
			{set{"n": "3", "vcs": "1", "streams": "before@0"}, []string{"deadlock", "something can move"}, 0, "the ring is full of packets with a link to go"},
			{set{"n": "3", "vcs": "2", "streams": "before@0", "watch": "1", "watched": "2", "window": "2"}, nil, 0, "the VC goes up over the border"},
			{set{"n": "3", "streams": "1>2@0,0>1@2", "watch": "1"}, []string{"a watched packet ends"}, 0, "system packets come into router 1 without end"},
			{set{"n": "3", "streams": "1>2@0,0>1@2*3", "watch": "1"}, nil, 0, "and end"},
			{set{"n": "3", "streams": "1>2@0,0>2@0", "watch": "1", "arbiter": "any"}, []string{"a watched packet ends"}, 0, "what comes through the router may be put first for ever"},
			{set{"n": "4", "streams": "0>2@0,3>2@0,1>2@0", "watch": "1", "window": "1"}, []string{"a watched packet ends"}, 0, "the circle begins at the injection whenever there is room in VC 0"},
			{set{"n": "4", "streams": "0>2@0,3>2@0,1>2@0", "watch": "1", "window": "1", "arbiter": "queue"}, nil, 0, "whoever has won since stands behind the one that waits"},
			{set{"fabric": "cccb", "vcs": "2", "streams": "1>2@0,3>0@0,7>0@0"}, []string{"deadlock", "something can move"}, 0, "the cyclic wait that rwc1 least-vcs names"},
			{set{"fabric": "cccb", "vcs": "3", "streams": "1>2@0,3>0@0,7>0@0", "arbiter": "any", "window": "0"}, nil, 13824, "no cycle of VCs; Rumur finds 13824 states"},
		},
		Claims: rwc1MachineClaims(),
		machine: func(a Args) (spec.Machine, error) {
			o, err := rwc1MachineOptions(a)
			if err != nil {
				return nil, err
			}
			return compiled(rwc1.Machine(o))
		},
	}
}
