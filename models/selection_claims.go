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

// selectionClaims are those of the paper and of the questions that it leaves
// open. What it says of throughput is not for a model without time to settle.
func selectionClaims() []Claim {
	return []Claim{
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
			"refuted: step (2)(b) may choose, for ever, a dimension without a free VC here because the next node there looks better; four packets around a column"},
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
}

func checkSelection(model string, set ...string) []string {
	return selectionCommand([]string{"check", model}, set)
}

func selectionClockClaims() []Claim { return nil }

func selectionTrafficClaims() []Claim { var _ = selection.Moves; return nil }
