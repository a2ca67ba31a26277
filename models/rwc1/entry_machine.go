package rwc1

import (
	"fmt"

	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// machineOptionsOf reads the parameters of rwc1-machine. Their ranges have been
// checked, but for the streams.
func machineOptionsOf(a catalogue.Args) (MachineOptions, error) {
	o := MachineOptions{
		Fabric: catalogue.Chosen[Topology](a, "fabric", TopologyNames), N: a.Int("n"), VCs: a.Int("vcs"),
		Border:  catalogue.Chosen[Border](a, "border", BorderNames),
		Buffers: catalogue.Chosen[Buffers](a, "buffers", bufferNames),
		Depth:   a.Int("depth"), PIB: a.Int("pib"), Spill: a.Bool("spill"), Window: a.Int("window"),
		Arbiter: catalogue.Chosen[Arbiter](a, "arbiter", ArbiterNames), Hold: catalogue.Chosen[Hold](a, "hold", HoldNames),
		ByLevel: a.Text("ranks") == "levels", Answers: a.Text("first") == "answers",
		Watch: a.Int("watch") - 1, Watch2: a.Int("watched") == 2,
	}
	var err error
	if o.Streams, err = ParseStreams(a.Text("streams"), o.Routers()); err != nil {
		return o, err
	}
	if o.Watch >= len(o.Streams) {
		return o, fmt.Errorf("watch=%d: must be 0, or 1 to %d, the number of streams", o.Watch+1, len(o.Streams))
	}
	return o, nil
}

func MachineEntry() catalogue.Entry {
	return catalogue.Entry{
		Name: "rwc1-machine", Summary: "machine: whole RWC-1 routers joined by links, with processors that ask and answer behind finite input buffers", Source: paper,
		Params: []catalogue.Param{
			{Name: "fabric", Default: TopologyNames[Ring], Choices: TopologyNames, Doc: "networks of rings of n, or one directed ring of n routers"},
			catalogue.Integer("n", 2, 2, 8, "length of the rings; at most 4 but for a ring alone"),
			catalogue.Integer("vcs", 3, 1, 4, "VCs of each set of buffers"),
			catalogue.Choice("border", BorderNames, "the index goes up on the link from x=n-1 to 0, or on the next link"),
			{Name: "streams", Default: "all@0/0", Form: "0>1@0/1*2,next@2", Doc: "who sends to whom at which level, / the level of the answer, * how many at most; who: FROM>TO, next, before, all; router (x,y,z) is x + n*(y + 2^n*z)"},
			buffersParam(),
			catalogue.Integer("depth", 1, 1, 4, "packets that a router's buffer holds"),
			catalogue.Integer("pib", 1, 1, 4, "packets that a processor input buffer holds"),
			catalogue.Choice("spill", []string{"no", "yes"}, "a full PIB is emptied into memory (APB)"),
			catalogue.Integer("window", 3, 0, 9, "packets of a processor, or requests without a reply, under way at most; 0: as many as there is room for"),
			catalogue.Choice("arbiter", ArbiterNames, "of an output port: a fixed cyclic order from the one after the last winner; a list to whose end the winner goes; a fixed order; any choice"),
			catalogue.Choice("hold", HoldNames, "a user packet waits while a system packet is anywhere in the router; in the same input and VC; can be sent over the same port; or not"),
			catalogue.Choice("ranks", []string{"modes", "levels"}, "system is put before user, or every level before those below"),
			catalogue.Choice("first", []string{"any", "answers"}, "a processor sends whenever there is room, or only while no request waits in its PIBs"),
			catalogue.Integer("watch", 0, 0, 64, "the stream of which packets are watched, from 1; 0: none"),
			catalogue.Integer("watched", 1, 1, 2, "one packet, or two for their order"),
		},
		Machines: []catalogue.MachineExpectation{
			{Violated: []string{"deadlock", "something can move"}, Because: "injection buffers, links and PIBs full of requests: window = 3 packets each"},
			{Set: catalogue.Set{"window": "2"}, States: 283, Because: "fewer requests than places; Rumur finds 283 states"},
			{Set: catalogue.Set{"spill": "yes", "window": "2", "watch": "1"}, States: 1499, Because: "memory takes requests in; Rumur finds 1499 states"},
			{Set: catalogue.Set{"streams": "all@0/1", "buffers": "level", "window": "2", "watch": "1"}, States: 15651, Because: "replies are consumed, so requests are answered; Rumur finds 15651 states"},
			{Set: catalogue.Set{"streams": "all@0/1"}, Violated: []string{"deadlock", "something can move"}, Because: "in shared buffers replies stand behind requests"},
			{Set: catalogue.Set{"streams": "all@0/1", "spill": "yes", "window": "2", "watch": "1"}, Violated: []string{"a watched packet ends"}, Because: "no deadlock, but own requests take the room for replies again and again"},
			{Set: catalogue.Set{"streams": "all@0/1", "spill": "yes", "window": "2", "watch": "1", "first": "answers"}, Because: "a processor that has to answer asks nothing"},
			{Set: catalogue.Set{"streams": "0>1@2/0"}, Violated: []string{"deadlock", "something can move"}, Because: "the reply, of a user level, waits for system requests that wait for it"},
			{Set: catalogue.Set{"streams": "0>1@2/0", "hold": "port"}, States: 42, Because: "a system packet that cannot be sent holds no packet back; Rumur finds 42 states"},
			{Set: catalogue.Set{"n": "3", "vcs": "1", "streams": "before@0"}, Violated: []string{"deadlock", "something can move"}, Because: "the ring is full of packets with a link to go"},
			{Set: catalogue.Set{"n": "3", "vcs": "2", "streams": "before@0", "watch": "1", "watched": "2", "window": "2"}, Because: "the VC goes up over the border"},
			{Set: catalogue.Set{"n": "3", "streams": "1>2@0,0>1@2", "watch": "1"}, Violated: []string{"a watched packet ends"}, Because: "system packets come into router 1 without end"},
			{Set: catalogue.Set{"n": "3", "streams": "1>2@0,0>1@2*3", "watch": "1"}, Because: "and end"},
			{Set: catalogue.Set{"n": "3", "streams": "1>2@0,0>2@0", "watch": "1", "arbiter": "any"}, Violated: []string{"a watched packet ends"}, Because: "what comes through the router may be put first forever"},
			{Set: catalogue.Set{"n": "4", "streams": "0>2@0,3>2@0,1>2@0", "watch": "1", "window": "1"}, Violated: []string{"a watched packet ends"}, Because: "the search begins at the injection whenever there is room in VC 0"},
			{Set: catalogue.Set{"n": "4", "streams": "0>2@0,3>2@0,1>2@0", "watch": "1", "window": "1", "arbiter": "queue"}, Because: "every later winner stands behind the one that waits"},
			{Set: catalogue.Set{"fabric": "cccb", "vcs": "2", "streams": "1>2@0,3>0@0,7>0@0"}, Violated: []string{"deadlock", "something can move"}, Because: "the packets of a deadlock of rwc1 with 2 VCs"},
			{Set: catalogue.Set{"fabric": "cccb", "vcs": "3", "streams": "1>2@0,3>0@0,7>0@0", "arbiter": "any", "window": "0"}, States: 13824, Because: "no cycle of VCs; Rumur finds 13824 states"},
		},
		Claims: machineClaims(),
		BuildMachine: func(a catalogue.Args) (states.Machine, error) {
			o, err := machineOptionsOf(a)
			if err != nil {
				return nil, err
			}
			return catalogue.Compiled(Machine(o))
		},
	}
}
