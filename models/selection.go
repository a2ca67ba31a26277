package models

import (
	"context"
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
		choice("tie", []string{"positive", "negative", "parity"}, "which way at distance k/2"),
		choice("function", selection.Names, "output selection function"),
		choice("form", forms, "choose a free channel again at every clock; or commit to one that is free, that was free one clock ago (stale), or on arrival (early)"),
		{Name: "reading", Default: "free-here", Choices: selection.ReadingNames, Doc: "of ccb, step (2)(b): the best of all dimensions, or of those with a free VC here"},
	}
}

func selectionOptions(a Args) selection.Options {
	tie := tieOf(a)
	return selection.Options{
		K: a.Int("k"), N: a.Int("n"), Tie: tie,
		Function: selection.Function(index(selection.Names, a.Text("function"))),
		Form:     selection.Form(index(selection.FormNames, a.Text("form"))),
		Reading:  selection.Reading(index(selection.ReadingNames, a.Text("reading"))),
	}
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
			{"classes", "the function uses every VC class in the lowest of several dimensions", askClasses},
			{"commits-to-free", "routers that commit to a VC that is free at that moment keep *-channel free of deadlock", askCommit},
			{"spares-lowest-cf", "CF of the lowest of several dimensions is chosen only if no higher one has a free VC", askSpared},
		},
		Claims: selectionClaims(),
		build:  func(a Args) (spec.Definition, error) { return selection.New(selectionOptions(a)) },
	}
}

// selectionClockEntry is the machine of a few packets, see selection.NewMachine.
func selectionClockEntry() Entry {
	return Entry{
		Name:    "selection-clock",
		Summary: "a few packets on a *-channel torus, clock by clock, under a selection function",
		Source:  selectionSource,
		Params: append(selectionParams(4, 16, 4, selection.FormNames),
			Param{Name: "packets", Default: "column", Form: "column|SRC>DST,...", Doc: "which packets are sent; column: from each node of column 0, one column and two rows on"}),
		Machines: []MachineExpectation{
			{nil, nil, 0, "it chooses a free VC again at every clock"},
			{set{"function": "ccb", "reading": "literal"}, []string{"deadlock"}, 0, "each packet of the column waits for y, where the next node looks better, with x free"},
			{set{"function": "ccb"}, nil, 0, "it chooses a free VC again at every clock"},
			{set{"function": "zigzag", "form": "early"}, []string{"deadlock"}, 0, "each packet of the column commits to CF of y"},
			{set{"function": "zigzag", "form": "commit"}, nil, 0, "in a cycle of commitments each channel would have been entered later than the one before"},
			{set{"function": "zigzag", "form": "stale"}, []string{"deadlock"}, 0, "packets that enter the ring in the same clock saw it free"},
		},
		machine: func(a Args) (spec.Machine, error) {
			o := selectionOptions(a)
			packets, err := selectionPackets(a.Text("packets"), o)
			if err != nil {
				return nil, err
			}
			return selection.NewMachine(o, packets)
		},
	}
}

// selectionPackets reads the parameter packets.
func selectionPackets(text string, o selection.Options) ([]selection.Packet, error) {
	if text == "column" {
		return selection.Column(o)
	}
	var packets []selection.Packet
	for i, one := range strings.Split(text, ",") {
		from, to, ok := strings.Cut(one, ">")
		v, err1 := strconv.ParseInt(from, 10, 32)
		w, err2 := strconv.ParseInt(to, 10, 32)
		if !ok || err1 != nil || err2 != nil {
			return nil, fmt.Errorf("packets: entry %d is %.20q: want SRC>DST with two node numbers", i+1, one)
		}
		packets = append(packets, selection.Packet{From: spec.NodeID(v), To: spec.NodeID(w)})
	}
	return packets, nil
}

func askClasses(_ context.Context, a Args) (Answer, error) {
	used, err := selection.Classes(selectionOptions(a))
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

func askCommit(context.Context, Args) (Answer, error) {
	m, steps, err := selection.CommitKnot()
	if err != nil {
		return Answer{}, err
	}
	end, err := m.Follow(steps)
	if err != nil {
		return Answer{}, err
	}
	next, err := m.Next(nil, end)
	if err != nil || len(next) > 0 || m.Claims().Final(end) {
		return Answer{Because: "the run does not end in a knot"}, err
	}
	return Answer{Verdict: spec.Violated, Because: fmt.Sprintf("a run of %d steps on a ring of four, whatever the function, after which nothing can move", len(steps)), Evidence: steps}, nil
}

func askSpared(_ context.Context, a Args) (Answer, error) {
	lines, err := selection.Spared(selectionOptions(a))
	switch {
	case err != nil:
		return Answer{}, err
	case lines == nil:
		return Answer{Verdict: spec.Holds, Because: "no packet and no status of the channels make it choose otherwise"}, nil
	}
	return Answer{Verdict: spec.Violated, Because: "a status of the channels in which it chooses CF there", Evidence: lines}, nil
}

// selectionClaims are those of the paper and of the questions that it leaves
// open. What it says of throughput is not for a model without time to settle.
func selectionClaims() []Claim {
	check := func(model string, set ...string) []string {
		command := []string{"check", model}
		for _, s := range set {
			command = append(command, "--set", s)
		}
		return command
	}
	return []Claim{
		{"*-channel is deadlock-free on the torus", check("star-channel"), "deadlock", spec.Holds, "confirmed, for k=4, n=2; see star-channel for other sizes and ties"},
		{"... in three dimensions", check("star-channel", "k=3", "n=3"), "deadlock", spec.Holds, "confirmed"},
		{"it takes three VCs: is CH needed?", check("star-channel", "ch=never"), "deadlock", spec.Violated, "yes"},
		{"... is CA needed?", check("star-channel", "ca=never"), "deadlock", spec.Violated, "yes"},
		{"... is CF needed?", check("star-channel", "cf=never"), "deadlock", spec.Holds, "not against deadlock: CH and CA are an escape by themselves"},
		{"CH only if no wrap-around link is ahead: is the condition needed?", check("star-channel", "ch=always"), "deadlock", spec.Violated, "yes"},
		{"routing is minimal, so no packet circles", check("star-channel"), "livelock", spec.Holds, "confirmed"},
		{"every packet can reach its destination", check("star-channel"), "delivery", spec.Holds, "confirmed"},
		{"a selection function that chooses a free VC at every clock keeps that", check("selection"), "deadlock", spec.Holds, "confirmed: what holds for the relation holds for every such function"},
		{"CCB, read literally, keeps that", check("selection-clock", "function=ccb", "reading=literal"), "deadlock", spec.Violated,
			"refuted: step (2)(b) may choose, for ever, a dimension without a free VC here because the next node there looks better; four packets around a column"},
		{"CCB that asks for a free VC here as well", check("selection-clock", "function=ccb", "reading=free-here"), "deadlock", spec.Holds, "mends it, with status one clock old"},
		{"... for all traffic", check("selection", "function=ccb", "reading=free-here"), "deadlock", spec.Holds, "confirmed"},
		{"S-CCB, read literally", check("selection-clock", "function=s-ccb"), "deadlock", spec.Holds, "it asks for free dimensions in its text"},
		{"commits on arrival: dimension-order", check("selection", "form=early"), "deadlock", spec.Holds, "stays free: it waits for the escape"},
		{"commits on arrival: s-ccb", check("selection", "form=early", "function=s-ccb"), "deadlock", spec.Holds, "stays free, likewise"},
		{"commits on arrival: random", check("selection", "form=early", "function=random"), "deadlock", spec.Violated, "loses it: packets wait for CF alone"},
		{"commits on arrival: zigzag", check("selection", "form=early", "function=zigzag"), "deadlock", spec.Violated, "loses it"},
		{"commits on arrival: lru, lfu, ld", check("selection", "form=early", "function=ld"), "deadlock", spec.Violated, "loses it, for some history"},
		{"commits on arrival: ccb", check("selection", "form=early", "function=ccb"), "deadlock", spec.Violated, "loses it"},
		{"commits by status one clock old: ccb", check("selection-clock", "form=stale", "function=ccb"), "deadlock", spec.Violated, "loses it: packets that enter a ring in the same clock saw it free"},
		{"commits by status one clock old: zigzag", check("selection-clock", "form=stale", "function=zigzag"), "deadlock", spec.Violated, "loses it"},
		{"commits by some old status: dimension-order", check("selection", "form=stale"), "deadlock", spec.Violated, "loses it, given traffic that keeps x busy in between"},
		{"commits to a VC that is free now: zigzag", check("selection-clock", "form=commit", "function=zigzag"), "deadlock", spec.Holds,
			"keeps it with these four packets: in a cycle of commitments each channel would have been entered later than the one before"},
		{"... any function, more packets", []string{"ask", "selection", "commits-to-free"}, "", spec.Violated,
			"loses it: one packet for which nothing was free closes the cycle; found by that argument, replayed step by step"},
		{"(2) the use of CF in the lowest dimension is kept down: S-CCB", []string{"ask", "selection", "spares-lowest-cf", "--set", "function=s-ccb"}, "", spec.Holds, "confirmed"},
		{"... CCB", []string{"ask", "selection", "spares-lowest-cf", "--set", "function=ccb"}, "", spec.Violated, "not always: CH is free but not permitted, CA is busy, and the next node in x looks best"},
		{"... dimension-order", []string{"ask", "selection", "spares-lowest-cf"}, "", spec.Violated, "as the paper says"},
	}
}
