package models

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/seed-105a2da2/unknot/models/selection"
	"github.com/seed-105a2da2/unknot/spec"
)

const selectionSource = "Sugiyama and Funahashi: An Output Selection Function Based on the Characteristic of Virtual Channel"

func selectionParams(k, most, mostDims int, forms []string) []Param {
	return []Param{
		integer("k", k, 2, most, "nodes in each dimension"),
		integer("n", 2, 1, mostDims, "dimensions"),
		choice("way", []string{"both", "one"}, "links run both ways, or towards higher coordinates and round"),
		choice("tie", []string{"positive", "negative", "parity"}, "which way at distance k/2, if links run both ways"),
		choice("function", selection.Names, "output selection function"),
		choice("form", forms, "choose a free channel again at every clock; or commit to one that is free, that was free one clock ago (stale), or on arrival (early)"),
		{Name: "reading", Default: "free-here", Choices: selection.ReadingNames, Doc: "of ccb, step (2)(b): the best of all dimensions, or of those with a free VC here"},
	}
}

// selectionMachineParams are those of machines, beside what they send.
func selectionMachineParams(k int, own ...Param) []Param {
	return append(append(selectionParams(k, 16, 4, selection.FormNames),
		choice("status", selection.StatusNames, "of the neighbours, for ccb: that of one clock earlier, or the present one"),
		choice("history", selection.HistoryNames, "what lru, lfu and ld go by: left open, or kept in the state"),
		integer("bound", 2, 1, 64, "of the differences that lfu and ld keep")), own...)
}

func selectionOptions(a Args) selection.Options {
	o, _ := selectionFormed(a)
	return o
}

// selectionFormed is a function with the form in which routers keep to it.
func selectionFormed(a Args) (selection.Options, error) {
	o, err := selectionChoosing(a)
	o.Form = selection.Form(index(selection.FormNames, a.Text("form")))
	return o, err
}

// selectionChoosing is a function of a router that chooses again.
func selectionChoosing(a Args) (selection.Options, error) {
	o := selection.Options{
		K: a.Int("k"), N: a.Int("n"), OneWay: a.Text("way") == "one",
		Function: selection.Function(index(selection.Names, a.Text("function"))),
		Reading:  selection.FreeHere,
	}
	if !o.OneWay {
		o.Tie = tieOf(a)
	}
	if o.Function == selection.CCB {
		o.Reading = selection.Reading(index(selection.ReadingNames, a.Text("reading")))
	}
	return o, nil
}

func selectionMachineOptions(a Args) selection.Options {
	o := selectionOptions(a)
	o.Status = selection.Status(index(selection.StatusNames, a.Text("status")))
	o.History = selection.History(index(selection.HistoryNames, a.Text("history")))
	o.Bound = a.Int("bound")
	return o
}

// selectionEntry is the network of packets that have committed, see selection.New.
func selectionEntry() Entry {
	return Entry{
		Name:    "selection",
		Summary: "*-channel under a selection function whose routers choose again, or commit",
		Source:  selectionSource,
		Params:  selectionParams(4, 64, 3, selection.FormNames[:3]),
		Expect: []Expectation{
			{nil, spec.Holds, spec.Holds, 0, 0, "a work-conserving selection loses nothing that the relation has"},
			{set{"function": "ccb"}, spec.Holds, spec.Holds, 0, 0, "likewise, if only dimensions with a free VC are chosen"},
			{set{"form": "early"}, spec.Holds, spec.Holds, 0, 0, "commits to the strictest VC of the lowest dimension: the escape alone"},
			{set{"form": "early", "function": "s-ccb"}, spec.Holds, spec.Holds, 0, 0, "if all VCs are free s-ccb takes the lowest dimension, too"},
			{set{"form": "early", "function": "zigzag"}, spec.Violated, spec.Violated, 0, 0, "packets with most hops left in y wait for CF alone, all round the ring"},
			{set{"form": "early", "function": "random"}, spec.Violated, spec.Violated, 0, 0, "likewise"},
			{set{"form": "early", "function": "ccb"}, spec.Violated, spec.Violated, 0, 0, "likewise, if the next node in y looks better"},
			{set{"form": "stale"}, spec.Violated, spec.Violated, 0, 0, "four packets that saw CF free enter a ring in the same clock"},
			{set{"form": "stale", "function": "s-ccb"}, spec.Violated, spec.Violated, 0, 0, "likewise"},
		},
		Questions: []Question{
			{"classes", "the function uses every VC class in the lowest of several dimensions", of(selectionFormed, askClasses)},
			{"never-outside", "whatever the status of the channels, the function chooses a free one that *-channel permits", of(selectionFormed, askOutside)},
			{"spares-lowest-cf", "CF of the lowest of several dimensions is chosen only if no higher one has a free VC", of(selectionChoosing, askSpared)},
		},
		Claims: selectionClaims(),
		build:  func(a Args) (spec.Definition, error) { return selection.New(selectionOptions(a)) },
	}
}

// selectionClockEntry is the machine of packets that are sent once, see
// selection.NewMachine.
func selectionClockEntry() Entry {
	return Entry{
		Name:    "selection-clock",
		Summary: "machine: a few packets on a *-channel torus, clock by clock, under a selection function",
		Source:  selectionSource,
		Params: selectionMachineParams(4,
			Param{Name: "packets", Default: "column", Form: "column|all|far|SRC>DST,...", Doc: "which packets are sent; column: from each node of column 0, one column and two rows on; all, far: between all nodes, or those farthest from each other"}),
		Machines: []MachineExpectation{
			{nil, nil, 0, "it chooses a free VC again at every clock"},
			{set{"function": "ccb", "reading": "literal"}, []string{"deadlock"}, 0, "each packet of the column waits for y, where the next node looks better, with x free"},
			{set{"function": "ccb", "reading": "literal", "status": "present"}, []string{"deadlock"}, 0, "likewise: the old status is not what makes it wait"},
			{set{"function": "ccb"}, nil, 0, "it chooses a free VC again at every clock"},
			{set{"function": "zigzag", "form": "early"}, []string{"deadlock"}, 0, "each packet of the column commits to CF of y"},
			{set{"function": "zigzag", "form": "commit"}, nil, 0, "in a cycle of commitments each channel would have been entered later than the one before"},
			{set{"function": "zigzag", "form": "stale"}, []string{"deadlock"}, 0, "packets that enter the ring in the same clock saw it free"},
			{set{"function": "lru", "form": "early", "history": "exact"}, []string{"deadlock"}, 0, "on arrival the history is left open"},
			{set{"function": "lru", "history": "exact"}, nil, 0, "it chooses a free VC again at every clock"},
		},
		Claims: selectionClockClaims(),
		machine: func(a Args) (spec.Machine, error) {
			o := selectionMachineOptions(a)
			packets, err := selectionPackets("packets", a.Text("packets"), o)
			if err != nil {
				return nil, err
			}
			return programOf(selection.NewMachine(o, selection.Traffic{Packets: packets}))
		},
	}
}

// selectionTrafficEntry is the machine of packets that are sent again and again,
// see selection.NewMachine.
func selectionTrafficEntry() Entry {
	return Entry{
		Name:    "selection-traffic",
		Summary: "machine: a *-channel torus under a selection function, with packets sent again and again",
		Source:  selectionSource,
		Params: selectionMachineParams(2,
			Param{Name: "flows", Default: "far", Form: "column|all|far|SRC>DST,...", Doc: "who sends to whom, again and again; far: to those farthest from it, all: to everybody; column: see selection-clock"},
			integer("in-flight", 0, 0, 64, "packets that the channels may hold together; 0: any number"),
			choice("sources", []string{"ready", "commit"}, "a packet that has not left chooses again, or commits as in routers")),
		Machines: []MachineExpectation{
			{set{"in-flight": "3"}, nil, 0, "it chooses a free VC again at every clock"},
			{set{"in-flight": "2", "function": "lru", "history": "exact"}, nil, 0, "likewise"},
			{set{"in-flight": "2", "function": "ccb"}, nil, 0, "likewise"},
			{set{"k": "3", "n": "1", "way": "one"}, nil, 4372, "likewise"},
			{set{"k": "3", "n": "1", "way": "one", "form": "early"}, nil, 0, "on a ring all functions take CH and CA on arrival: the escape"},
			{set{"k": "3", "n": "1", "way": "one", "form": "commit"}, []string{"deadlock", selection.Moves}, 0, "a packet for which nothing was free closes a cycle of commitments"},
		},
		Questions: []Question{
			{"spares-lowest-cf", "in reachable states CF of the lowest of several dimensions is chosen only if no higher one has a free VC", of(selectionTraffic, askSparedThere)},
		},
		Claims: selectionTrafficClaims(),
		machine: func(a Args) (spec.Machine, error) {
			return programOf(selectionTraffic(a))
		},
	}
}

func selectionTraffic(a Args) (*selection.Machine, error) {
	o := selectionMachineOptions(a)
	packets, err := selectionPackets("flows", a.Text("flows"), o)
	if err != nil {
		return nil, err
	}
	return selection.NewMachine(o, selection.Traffic{Packets: packets, Again: true, InFlight: a.Int("in-flight"), Ready: a.Text("sources") == "ready"})
}

// programOf returns the program of a machine alone: its digest says how it steps.
func programOf(m *selection.Machine, err error) (spec.Machine, error) {
	if err != nil {
		return nil, err
	}
	return m.Machine, nil
}

// selectionPackets reads a parameter that says who sends to whom.
func selectionPackets(name, text string, o selection.Options) ([]selection.Packet, error) {
	switch text {
	case "column":
		return selection.Column(o)
	case "all":
		return selection.All(o)
	case "far":
		return selection.Far(o)
	}
	var packets []selection.Packet
	for i, one := range strings.Split(text, ",") {
		from, to, ok := strings.Cut(one, ">")
		v, err1 := strconv.ParseInt(from, 10, 32)
		w, err2 := strconv.ParseInt(to, 10, 32)
		if !ok || err1 != nil || err2 != nil {
			return nil, fmt.Errorf("%s: entry %d is %.20q: want SRC>DST with two node numbers", name, i+1, one)
		}
		packets = append(packets, selection.Packet{From: spec.NodeID(v), To: spec.NodeID(w)})
	}
	return packets, nil
}

func askClasses(ctx context.Context, o selection.Options) (Answer, error) {
	used, err := selection.Classes(ctx, o)
	if err != nil {
		return Answer{}, err
	}
	answer := Answer{Verdict: spec.Holds, Because: "some packet and some status of the channels make it choose each"}
	for role, name := range selection.RoleNames {
		line := name + ":"
		for class, is := range used[role] {
			if is {
				line += " " + selection.ClassNames[class]
			} else if selection.Role(role) == selection.Lowest {
				answer.Verdict, answer.Because = spec.Violated, "it never chooses "+selection.ClassNames[class]+" there"
			}
		}
		answer.Evidence = append(answer.Evidence, line)
	}
	return answer, nil
}

func askOutside(ctx context.Context, o selection.Options) (Answer, error) {
	views, lines, err := selection.Outside(ctx, o)
	switch {
	case err != nil:
		return Answer{}, err
	case lines == nil:
		return Answer{Verdict: spec.Holds, Because: fmt.Sprintf("all %d statuses of the outputs of all routers for all destinations", views)}, nil
	}
	return Answer{Verdict: spec.Violated, Because: "a status of the channels in which it does not", Evidence: lines}, nil
}

// selectionUse counts what the functions of a machine choose; a reason why it is not
// known if there are too many states.
func selectionUse(ctx context.Context, m *selection.Machine) (u selection.Use, unknown string, err error) {
	const mostStates = 1_000_000
	u, err = m.Use(ctx, mostStates)
	var bound *selection.BoundError
	if errors.As(err, &bound) {
		return u, bound.Error(), nil
	}
	return u, "", err
}

// askSparedThere asks what askSpared does of the reachable states.
func askSparedThere(ctx context.Context, m *selection.Machine) (Answer, error) {
	u, unknown, err := selectionUse(ctx, m)
	switch {
	case err != nil || unknown != "":
		return Answer{Because: unknown}, err
	case u.Unspared == 0:
		return Answer{Verdict: spec.Holds, Because: fmt.Sprintf("all %d reachable states were visited", u.States)}, nil
	}
	return Answer{Verdict: spec.Violated, Because: fmt.Sprintf("%d steps of %d reachable states choose it though one has", u.Unspared, u.States), Evidence: u.Example}, nil
}

func askSpared(ctx context.Context, o selection.Options) (Answer, error) {
	lines, err := selection.Spared(ctx, o)
	switch {
	case err != nil:
		return Answer{}, err
	case lines == nil:
		return Answer{Verdict: spec.Holds, Because: "no packet and no status of the channels make it choose otherwise"}, nil
	}
	return Answer{Verdict: spec.Violated, Because: "a status of the channels in which it chooses CF there", Evidence: lines}, nil
}
