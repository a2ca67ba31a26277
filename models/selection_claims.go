package models

import (
	"github.com/seed-105a2da2/unknot/models/selection"
	"github.com/seed-105a2da2/unknot/spec"
)

// selectionCommand is a command of unknot with parameters.
func selectionCommand(command []string, set []string) []string {
	for _, s := range set {
		command = append(command, "--set", s)
	}
	return command
}

func checkSelection(model string, set ...string) []string {
	return selectionCommand([]string{"check", model}, set)
}

func askSelection(model, question string, set ...string) []string {
	return selectionCommand([]string{"ask", model, question}, set)
}

// selectionClaims are those of the paper and of the questions that it leaves
// open. What it says of throughput is not for a model without time to settle.
func selectionClaims() []Claim {
	claims := []Claim{
		{"*-channel is deadlock-free on the torus", checkSelection("star-channel"), "deadlock", spec.Holds, "confirmed, for k=4, n=2; see star-channel for other sizes and ties"},
		{"... in three dimensions", checkSelection("star-channel", "k=3", "n=3"), "deadlock", spec.Holds, "confirmed"},
		{"it takes three VCs: is CH needed?", checkSelection("star-channel", "ch=never"), "deadlock", spec.Violated, "yes"},
		{"... is CA needed?", checkSelection("star-channel", "ca=never"), "deadlock", spec.Violated, "yes"},
		{"... is CF needed?", checkSelection("star-channel", "cf=never"), "deadlock", spec.Holds, "not against deadlock: CH and CA are an escape by themselves"},
		{"CH only if no wrap-around link is ahead: is the condition needed?", checkSelection("star-channel", "ch=always"), "deadlock", spec.Violated, "yes"},
		{"routing is minimal, so no packet circles", checkSelection("star-channel"), "livelock", spec.Holds, "confirmed"},
		{"every packet can reach its destination", checkSelection("star-channel"), "delivery", spec.Holds, "confirmed"},
		{"a selection function that chooses a free VC at every clock keeps that", checkSelection("selection"), "deadlock", spec.Holds, "confirmed: what holds for the relation holds for every such function"},
		{"CCB, read literally, keeps that", checkSelection("selection-clock", "function=ccb", "reading=literal"), "deadlock", spec.Violated,
			"refuted: step (2)(b) may choose, for ever, a dimension without a free VC here because the next node there looks better; four packets around a column. If the dimensions \"into which the packet can be output\" are those with a free VC, it is the reading of the next row"},
		{"CCB that asks for a free VC here as well", checkSelection("selection-clock", "function=ccb", "reading=free-here"), "deadlock", spec.Holds, "mends it, with status one clock old"},
		{"... for all traffic", checkSelection("selection", "function=ccb", "reading=free-here"), "deadlock", spec.Holds, "confirmed"},
		{"S-CCB, read literally", checkSelection("selection-clock", "function=s-ccb"), "deadlock", spec.Holds, "it asks for free dimensions in its text"},
		{"commits on arrival: dimension-order", checkSelection("selection", "form=early"), "deadlock", spec.Holds, "stays free: it waits for the escape"},
		{"commits on arrival: s-ccb", checkSelection("selection", "form=early", "function=s-ccb"), "deadlock", spec.Holds, "stays free, likewise"},
		{"commits on arrival: random", checkSelection("selection", "form=early", "function=random"), "deadlock", spec.Violated, "loses it: packets wait for CF alone"},
		{"commits on arrival: zigzag", checkSelection("selection", "form=early", "function=zigzag"), "deadlock", spec.Violated, "loses it"},
		{"commits on arrival: lru, lfu, ld", checkSelection("selection", "form=early", "function=ld"), "deadlock", spec.Violated, "loses it, for some history"},
		{"commits on arrival: ccb", checkSelection("selection", "form=early", "function=ccb"), "deadlock", spec.Violated, "loses it"},
		{"commits by status one clock old: ccb", checkSelection("selection-clock", "form=stale", "function=ccb"), "deadlock", spec.Violated, "loses it: packets that enter a ring in the same clock saw it free"},
		{"commits by status one clock old: zigzag", checkSelection("selection-clock", "form=stale", "function=zigzag"), "deadlock", spec.Violated, "loses it"},
		{"commits by some old status: dimension-order", checkSelection("selection", "form=stale"), "deadlock", spec.Violated, "loses it, given traffic that keeps x busy in between"},
		{"commits to a VC that is free now: zigzag", checkSelection("selection-clock", "form=commit", "function=zigzag"), "deadlock", spec.Holds,
			"keeps it with these four packets: in a cycle of commitments each channel would have been entered later than the one before"},
		{"(2) the use of CF in the lowest dimension is kept down: S-CCB", []string{"ask", "selection", "spares-lowest-cf", "--set", "function=s-ccb"}, "", spec.Holds, "confirmed"},
		{"... CCB", []string{"ask", "selection", "spares-lowest-cf", "--set", "function=ccb"}, "", spec.Violated, "not always: CH is free but not permitted, CA is busy, and the next node in x looks best"},
		{"... dimension-order", []string{"ask", "selection", "spares-lowest-cf"}, "", spec.Violated, "as the paper says"},
	}
	for f, name := range selection.Names {
		claims = append(claims, Claim{"never outside the relation, whatever the status: " + name, askSelection("selection", "never-outside", "function="+name), "", spec.Holds,
			"confirmed for every packet and every status of its router's outputs, with the neighbours and the history left open"})
		early := Claim{"commits on arrival, 3x3 one way, all traffic: " + name, checkSelection("selection", "k=3", "way=one", "form=early", "function="+name), "deadlock", spec.Violated, "loses it"}
		if lowestWhenFree(selection.Function(f)) {
			early.Want, early.Finding = spec.Holds, "stays free: with all VCs free it takes the lowest dimension, and there the escape"
		}
		claims = append(claims, early)
	}
	return claims
}

// lowestWhenFree reports whether a function takes the lowest dimension if all VCs
// are free.
func lowestWhenFree(f selection.Function) bool {
	return f == selection.DimensionOrder || f == selection.SCCB
}

// selectionClockClaims are those of packets that are sent once: the forms that the
// static decision knows, found again by exploring.
func selectionClockClaims() []Claim {
	const column = "packets=0>7,3>1,6>4"
	claims := []Claim{
		{"CCB read literally, with the present status of the neighbours", checkSelection("selection-clock", "function=ccb", "reading=literal", "status=present"), "deadlock", spec.Violated,
			"deadlocks likewise, after 4 steps: it is not the age of the status that makes it wait"},
		{"chooses again, by the exact history: lru", checkSelection("selection-clock", "function=lru", "history=exact"), "deadlock", spec.Holds, "confirmed"},
		{"... lfu, exact for four packets", checkSelection("selection-clock", "k=3", "way=one", column, "function=lfu", "history=exact", "bound=4"), "deadlock", spec.Holds, "confirmed"},
		{"... ld, exact for four packets", checkSelection("selection-clock", "function=ld", "history=exact", "bound=4"), "deadlock", spec.Holds, "confirmed"},
	}
	for f, name := range selection.Names {
		early := Claim{"commits on arrival, three packets of a column of 3x3 one way: " + name, checkSelection("selection-clock", "k=3", "way=one", column, "form=early", "function="+name), "deadlock", spec.Violated, "loses it, as the static verdict has it"}
		if lowestWhenFree(selection.Function(f)) {
			early.Want, early.Finding = spec.Holds, "stays free, as the static verdict has it"
		}
		claims = append(claims, early)
	}
	return claims
}

// selectionTrafficClaims are those of packets that are sent again and again.
func selectionTrafficClaims() []Claim {
	const row, corners, oneRouter = "flows=0>2,1>0,2>1", "in-flight=2", "flows=0>1,0>2,0>3"
	claims := []Claim{
		{"commits to a VC that is free now: a ring of four", checkSelection("selection-traffic", "k=4", "n=1", "form=commit"), selection.Moves, spec.Violated,
			"loses it, whatever the function: all are alike on a ring. In a cycle of commitments each channel would have been entered later than the one before; a packet for which nothing was free closes it"},
		{"... chooses again there", checkSelection("selection-traffic", "k=4", "n=1"), selection.Moves, spec.Holds, "keeps it"},
		{"... commits on arrival there, k=3 one way", checkSelection("selection-traffic", "k=3", "n=1", "way=one", "form=early"), selection.Moves, spec.Holds, "keeps it: CH and CA, the escape"},
		{"... by status one clock old there", checkSelection("selection-traffic", "k=3", "n=1", "way=one", "form=stale"), selection.Moves, spec.Violated, "loses it"},
		{"... 2x2, where no packet goes on in a dimension, five in flight: random", checkSelection("selection-traffic", "in-flight=5", "form=commit", "function=random"), selection.Moves, spec.Violated,
			"loses it without any ring: four packets that turn from x into y and from y into x, the last of which finds CA held by a fifth"},
		{"CCB read literally, a column that sends again and again", checkSelection("selection-traffic", "k=4", "flows=column", "function=ccb", "reading=literal"), "deadlock", spec.Violated,
			"deadlocks after 6 steps, and no further packet can enter"},
		{"(2) the use of CF in the lowest dimension is kept down, in reachable states: S-CCB", askSelection("selection-traffic", "spares-lowest-cf", "in-flight=3", "function=s-ccb"), "", spec.Holds, "confirmed"},
		{"... CCB, clock by clock", askSelection("selection-traffic", "spares-lowest-cf", corners, "function=ccb"), "", spec.Violated, "not always: the status that the static answer names is reached, on 2x2 with two packets"},
		{"... dimension-order", askSelection("selection-traffic", "spares-lowest-cf", corners), "", spec.Violated, "as the paper says"},
	}
	// What is counted are steps, out of all reachable states, not how often they are taken.
	uses := []string{
		"every class; with two dimensions left CF of the lowest in 84 and CF of the higher in 6 of 1240 choices: CF of the higher hardly ever, as the paper says",
		"every class; CF of the lowest in 131 and of the higher in 2010 of 4262 choices",
		"every class; on 2x2 both dimensions have a hop left, so that it chooses as random does",
		"every class, by its exact history, at one router: CF of the lowest in 20480 and of the higher in 35840 of 133120 choices",
		"every class, by its exact history up to a difference of 1, at one router",
		"every class, by its exact history up to a difference of 1, at one router",
		"every class; CF of the lowest in 8 and of the higher in 390 of 1732 choices: CF of the lowest hardly ever, as the paper wants it",
		"every class; CF of the lowest in 56 and of the higher in 893 of 1492 choices: CF of the higher more than all else",
	}
	for f, name := range selection.Names {
		set := []string{corners, "function=" + name}
		classes := []string{"in-flight=3", "status=present", "function=" + name}
		switch selection.Function(f) {
		case selection.LRU, selection.LD:
			set = append(set, "history=exact")
			classes = []string{oneRouter, "history=exact", "bound=1", "function=" + name}
		case selection.LFU:
			set = append(set, "history=exact", "bound=1", "flows=0>3,1>2")
			classes = []string{oneRouter, "history=exact", "bound=1", "function=" + name}
		}
		claims = append(claims,
			Claim{"never outside the relation, in all states of 2x2: " + name, checkSelection("selection-traffic", set...), selection.Within, spec.Holds, "confirmed"},
			Claim{"chooses again, packets sent again and again: " + name, checkSelection("selection-traffic", set...), selection.Moves, spec.Holds, "keeps it"},
			Claim{"commits to a VC that is free now, a row of 3x3 one way: " + name, checkSelection("selection-traffic", "k=3", "way=one", row, "form=commit", "function="+name), selection.Moves, spec.Violated, "loses it, as on any ring"},
			Claim{"which VC classes does it use, in reachable states: " + name, askSelection("selection-traffic", "classes-reached", classes...), "", spec.Holds, uses[f]})
	}
	return claims
}
