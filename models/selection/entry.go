package selection

import (
	"embed"

	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/models/grid"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/states"
)

const paper = "Sugiyama and Funahashi: An Output Selection Function Based on the Characteristic of Virtual Channel"

// routerParams are the parameters of routers that choose again.
func routerParams(most int) []catalogue.Param {
	return []catalogue.Param{
		catalogue.Integer("k", 4, 2, most, "nodes in each dimension"),
		catalogue.Integer("n", 2, 1, 3, "dimensions"),
		catalogue.Choice("way", []string{"both", "one"}, "links run both ways, or towards higher coordinates and round"),
		catalogue.Choice("tie", []string{"positive", "negative", "parity"}, "the direction at distance k/2, if links run both ways"),
		catalogue.Choice("function", Names, "output selection function"),
		{Name: "reading", Default: "free-here", Choices: ReadingNames, Doc: "of ccb, step (2)(b): the best of all dimensions, or of those with a free VC here; of zigzag, formula: |x_d - x_s| in place of hops left"},
	}
}

// optionsOf reads a function, with the form in which routers keep to it.
func optionsOf(a catalogue.Args) Options {
	o := routerOf(a)
	o.Form = catalogue.Chosen[Form](a, "form", FormNames)
	return o
}

// routerOf reads the function of a router that chooses again.
func routerOf(a catalogue.Args) Options {
	o := Options{
		K: a.Int("k"), N: a.Int("n"), OneWay: a.Text("way") == "one",
		Function: catalogue.Chosen[Function](a, "function", Names),
		Reading:  FreeHere,
	}
	if !o.OneWay {
		o.Tie = grid.TieOf(a)
	}
	if o.Function == CCB || o.Function == Zigzag {
		o.Reading = catalogue.Chosen[Reading](a, "reading", ReadingNames)
	}
	return o
}

// Entry is the network of packets that have committed, see selection.New.
func Entry() catalogue.Entry {
	return catalogue.Entry{
		Name:    "selection",
		Summary: "*-channel under a selection function whose routers choose again, or commit",
		Source:  paper,
		Params: append(routerParams(64),
			catalogue.Choice("form", FormNames[:3], "choose a free channel again at every clock; or commit to one that was free one clock ago (stale), or on arrival (early)")),
		Expect: []catalogue.Expectation{
			{Packets: spec.Holds, Worms: spec.Holds, Because: "a work-conserving selection loses nothing that the relation has"},
			{Set: catalogue.Set{"function": "ccb"}, Packets: spec.Holds, Worms: spec.Holds, Because: "likewise, if only dimensions with a free VC are chosen"},
			{Set: catalogue.Set{"form": "early"}, Packets: spec.Holds, Worms: spec.Holds, Because: "commits to the strictest VC of the lowest dimension: the escape alone"},
			{Set: catalogue.Set{"form": "early", "function": "s-ccb"}, Packets: spec.Holds, Worms: spec.Holds, Because: "if all VCs are free s-ccb takes the lowest dimension, too"},
			{Set: catalogue.Set{"form": "early", "function": "zigzag"}, Packets: spec.Violated, Worms: spec.Violated, Because: "packets with most hops left in y wait for CF alone, all round the ring"},
			{Set: catalogue.Set{"form": "early", "function": "random"}, Packets: spec.Violated, Worms: spec.Violated, Because: "likewise"},
			{Set: catalogue.Set{"form": "early", "function": "ccb"}, Packets: spec.Violated, Worms: spec.Violated, Because: "likewise, if the next node in y looks better"},
			{Set: catalogue.Set{"form": "stale"}, Packets: spec.Violated, Worms: spec.Violated, Because: "four packets that saw CF free enter a ring in the same clock"},
			{Set: catalogue.Set{"form": "stale", "function": "s-ccb"}, Packets: spec.Violated, Worms: spec.Violated, Because: "likewise"},
		},
		Claimed: claims,
		Build:   func(a catalogue.Args) (routing.Definition, error) { return New(optionsOf(a)) },
	}
}

// files are the machines of packets, and what they load.
//
//go:embed *.star
var files embed.FS

// ClockEntry is the machine of packets that are sent once.
func ClockEntry() catalogue.Entry {
	return catalogue.Protocol(catalogue.Entry{
		Name:    "selection-clock",
		Summary: "machine: a few packets on a *-channel torus, clock by clock, under a selection function",
		Source:  paper,
		Fixed:   catalogue.Set{"traffic": "once", "in-flight": "0", "sources": "commit", "spares": "no"},
		Machines: []catalogue.MachineExpectation{
			{Because: "it chooses a free VC again at every clock"},
			{Set: catalogue.Set{"function": "ccb", "reading": "literal"}, Violated: []string{"deadlock"}, Because: "each packet of the column waits for y, where the next node looks better, with x free"},
			{Set: catalogue.Set{"function": "ccb", "reading": "literal", "status": "present"}, Violated: []string{"deadlock"}, Because: "likewise: the old status is not what makes it wait"},
			{Set: catalogue.Set{"function": "ccb"}, Because: "it chooses a free VC again at every clock"},
			{Set: catalogue.Set{"function": "zigzag", "form": "early"}, Violated: []string{"deadlock"}, Because: "each packet of the column commits to CF of y"},
			{Set: catalogue.Set{"function": "zigzag", "form": "commit"}, Because: "in a cycle of commitments each channel would have been entered later than the one before"},
			{Set: catalogue.Set{"function": "zigzag", "form": "stale"}, Violated: []string{"deadlock"}, Because: "packets that enter the ring in the same clock saw it free"},
			{Set: catalogue.Set{"function": "lru", "form": "early", "history": "exact"}, Violated: []string{"deadlock"}, Because: "on arrival the history is left open"},
			{Set: catalogue.Set{"function": "lru", "history": "exact"}, Because: "it chooses a free VC again at every clock"},
		},
		Claimed: clockClaims,
	}, catalogue.File(files, "packets.star"))
}

// TrafficEntry is the machine of packets that are sent again and again.
func TrafficEntry() catalogue.Entry {
	return catalogue.Protocol(catalogue.Entry{
		Name:    "selection-traffic",
		Summary: "machine: a *-channel torus under a selection function, with packets sent again and again",
		Source:  paper,
		Fixed:   catalogue.Set{"traffic": "again"},
		Machines: []catalogue.MachineExpectation{
			{Set: catalogue.Set{"in-flight": "3"}, Because: "it chooses a free VC again at every clock"},
			{Set: catalogue.Set{"in-flight": "2", "function": "lru", "history": "exact"}, Because: "likewise"},
			{Set: catalogue.Set{"in-flight": "2", "function": "ccb"}, Because: "likewise"},
			{Set: catalogue.Set{"in-flight": "2", "spares": "yes"}, Violated: []string{Spares}, Because: "the lowest dimension with a free VC is all that dimension-order asks for"},
			{Set: catalogue.Set{"in-flight": "2", "function": "s-ccb", "spares": "yes"}, Because: "the lowest dimension is chosen only if all its VCs are free, or nothing else is"},
			{Set: catalogue.Set{"k": "3", "n": "1", "way": "one"}, States: 4372, Because: "likewise"},
			{Set: catalogue.Set{"k": "3", "n": "1", "way": "one", "form": "early"}, Because: "on a ring all functions take CH and CA on arrival: the escape"},
			{Set: catalogue.Set{"k": "3", "n": "1", "way": "one", "form": "commit"}, Violated: []string{"deadlock", Moves}, Because: "a packet for which nothing was free closes a cycle of commitments"},
		},
		Claimed: trafficClaims,
	}, catalogue.File(files, "packets.star"))
}

// RouterEntry is the machine of a router by itself, see NewRouter.
func RouterEntry() catalogue.Entry {
	return catalogue.Entry{
		Name:    "selection-router",
		Summary: "machine: a router of a *-channel torus by itself, every packet and every status of its outputs",
		Source:  paper,
		Params:  routerParams(5),
		Machines: []catalogue.MachineExpectation{
			// 16 nodes, 9 destinations of each with two dimensions left and 6 with one; 6 VCs.
			{States: 16 * (9 + 6) << 6, Violated: []string{Spares}, Because: "the lowest dimension with a free VC is all that dimension-order asks for"},
			{Set: catalogue.Set{"function": "s-ccb"}, Because: "the lowest dimension is chosen only if all its VCs are free, or nothing else is"},
			{Set: catalogue.Set{"function": "ccb"}, Violated: []string{Spares}, Because: "the next node there may look best"},
		},
		Claimed:      routerClaims,
		BuildMachine: func(a catalogue.Args) (states.Machine, error) { return catalogue.Compiled(NewRouter(routerOf(a))) },
	}
}
