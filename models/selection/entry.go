package selection

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/models/grid"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/states"
)

const paper = "Sugiyama and Funahashi: An Output Selection Function Based on the Characteristic of Virtual Channel"

func params(k, most, mostDims int, forms []string) []catalogue.Param {
	return append(routerParams(k, most, mostDims),
		catalogue.Choice("form", forms, "choose a free channel again at every clock; or commit to one that is free, that was free one clock ago (stale), or on arrival (early)"))
}

// routerParams are those of routers that choose again.
func routerParams(k, most, mostDims int) []catalogue.Param {
	return []catalogue.Param{
		catalogue.Integer("k", k, 2, most, "nodes in each dimension"),
		catalogue.Integer("n", 2, 1, mostDims, "dimensions"),
		catalogue.Choice("way", []string{"both", "one"}, "links run both ways, or towards higher coordinates and round"),
		catalogue.Choice("tie", []string{"positive", "negative", "parity"}, "which way at distance k/2, if links run both ways"),
		catalogue.Choice("function", Names, "output selection function"),
		{Name: "reading", Default: "free-here", Choices: ReadingNames, Doc: "of ccb, step (2)(b): the best of all dimensions, or of those with a free VC here; of zigzag, formula: |x_d - x_s| in place of hops left"},
	}
}

// machineParams are those of machines, beside what they send.
func machineParams(k int, own ...catalogue.Param) []catalogue.Param {
	return append(append(params(k, 16, 4, FormNames),
		catalogue.Choice("status", StatusNames, "of the neighbours, for ccb: that of one clock earlier, or the present one"),
		catalogue.Choice("history", HistoryNames, "what lru, lfu and ld go by: left open, or kept in the state"),
		catalogue.Integer("bound", 2, 1, 64, "of the differences that lfu and ld keep")), own...)
}

// optionsOf is a function with the form in which routers keep to it.
func optionsOf(a catalogue.Args) Options {
	o := routerOf(a)
	o.Form = catalogue.Chosen[Form](a, "form", FormNames)
	return o
}

// routerOf is a function of a router that chooses again.
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

func machineOptionsOf(a catalogue.Args) Options {
	o := optionsOf(a)
	o.Status = catalogue.Chosen[Status](a, "status", StatusNames)
	o.History = catalogue.Chosen[History](a, "history", HistoryNames)
	o.Bound = a.Int("bound")
	return o
}

// Entry is the network of packets that have committed, see selection.New.
func Entry() catalogue.Entry {
	return catalogue.Entry{
		Name:    "selection",
		Summary: "*-channel under a selection function whose routers choose again, or commit",
		Source:  paper,
		Params:  params(4, 64, 3, FormNames[:3]),
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
		Claims: claims(),
		Build:  func(a catalogue.Args) (routing.Definition, error) { return New(optionsOf(a)) },
	}
}

// ClockEntry is the machine of packets that are sent once, see
// selection.NewMachine.
func ClockEntry() catalogue.Entry {
	return catalogue.Entry{
		Name:    "selection-clock",
		Summary: "machine: a few packets on a *-channel torus, clock by clock, under a selection function",
		Source:  paper,
		Params: machineParams(4,
			catalogue.Param{Name: "packets", Default: "column", Form: "column|all|far|SRC>DST,...", Doc: "which packets are sent; column: from each node of column 0, one column and two rows on; all, far: between all nodes, or those farthest from each other"}),
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
		Claims: clockClaims(),
		BuildMachine: func(a catalogue.Args) (states.Machine, error) {
			o := machineOptionsOf(a)
			packets, err := packetsOf("packets", a.Text("packets"), o)
			if err != nil {
				return nil, err
			}
			return programOf(NewMachine(o, Traffic{Packets: packets}))
		},
	}
}

// TrafficEntry is the machine of packets that are sent again and again,
// see selection.NewMachine.
func TrafficEntry() catalogue.Entry {
	return catalogue.Entry{
		Name:    "selection-traffic",
		Summary: "machine: a *-channel torus under a selection function, with packets sent again and again",
		Source:  paper,
		Params: machineParams(2,
			catalogue.Param{Name: "flows", Default: "far", Form: "column|all|far|SRC>DST,...", Doc: "who sends to whom, again and again; far: to those farthest from it, all: to everybody; column: see selection-clock"},
			catalogue.Integer("in-flight", 0, 0, 64, "packets that the channels may hold together; 0: any number"),
			catalogue.Choice("sources", []string{"ready", "commit"}, "a packet that has not left chooses again, or commits as in routers"),
			catalogue.Choice("spares", []string{"no", "yes"}, "claim that no step chooses CF of the lowest of several dimensions while a higher one has a free VC")),
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
		Claims: trafficClaims(),
		BuildMachine: func(a catalogue.Args) (states.Machine, error) {
			o := machineOptionsOf(a)
			packets, err := packetsOf("flows", a.Text("flows"), o)
			if err != nil {
				return nil, err
			}
			return programOf(NewMachine(o, Traffic{Packets: packets, Again: true, InFlight: a.Int("in-flight"), Ready: a.Text("sources") == "ready", Spares: a.Bool("spares")}))
		},
	}
}

// RouterEntry is the machine of a router by itself, see NewRouter.
func RouterEntry() catalogue.Entry {
	return catalogue.Entry{
		Name:    "selection-router",
		Summary: "machine: a router of a *-channel torus by itself, every packet and every status of its outputs",
		Source:  paper,
		Params:  routerParams(4, 5, 3),
		Machines: []catalogue.MachineExpectation{
			// 16 nodes, 9 destinations of each with two dimensions left and 6 with one; 6 VCs.
			{States: 16 * (9 + 6) << 6, Violated: []string{Spares}, Because: "the lowest dimension with a free VC is all that dimension-order asks for"},
			{Set: catalogue.Set{"function": "s-ccb"}, Because: "the lowest dimension is chosen only if all its VCs are free, or nothing else is"},
			{Set: catalogue.Set{"function": "ccb"}, Violated: []string{Spares}, Because: "the next node there may look best"},
		},
		Claims:       routerClaims(),
		BuildMachine: func(a catalogue.Args) (states.Machine, error) { return catalogue.Compiled(NewRouter(routerOf(a))) },
	}
}

// programOf returns the program of a machine alone: its digest says how it steps.
func programOf(m *Machine, err error) (states.Machine, error) {
	if err != nil {
		return nil, err
	}
	return m.Machine, nil
}

// packetsOf reads a parameter that says who sends to whom.
func packetsOf(name, text string, o Options) ([]Packet, error) {
	switch text {
	case "column":
		return Column(o)
	case "all":
		return All(o)
	case "far":
		return Far(o)
	}
	var packets []Packet
	for i, one := range strings.Split(text, ",") {
		from, to, ok := strings.Cut(one, ">")
		v, err1 := strconv.ParseInt(from, 10, 32)
		w, err2 := strconv.ParseInt(to, 10, 32)
		if !ok || err1 != nil || err2 != nil {
			return nil, fmt.Errorf("%s: entry %d is %.20q: want SRC>DST with two node numbers", name, i+1, one)
		}
		packets = append(packets, Packet{From: spec.NodeID(v), To: spec.NodeID(w)})
	}
	return packets, nil
}
