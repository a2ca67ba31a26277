package selection

import (
	"slices"

	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/spec"
)

// The invariants that machines claim.
const (
	Within = "within the relation"
	Moves  = "something in flight can move"
	Spares = "CF of the lowest dimension is spared" // chosen only if no higher one has a free VC
)

func checkCommand(model string, set ...string) []string {
	return catalogue.Command("check "+model, set...)
}

// claims are those of the paper, and the questions that it leaves open. Its statements about
// throughput are simulated: that CCB is best under all traffic (abstract), or LD under one
// (figure 11), which contradict each other, and that CF of the lowest dimension is used
// less. Zigzag is read by its text, most hops left, and by its formula |x_d - x_s|, which is
// not the distance on a ring.
func claims() []catalogue.Claim {
	claims := slices.Concat(
		catalogue.Said("2.2", "*-channel is a deadlock-free algorithm that switches dynamically between paths without a cycle over the whole network (escape path) and paths without conditions (fully adaptive path), whose cycles the escape path cuts",
			catalogue.Row("*-channel is deadlock-free on the torus", checkCommand("star-channel"), "deadlock", spec.Holds, "confirmed for k=4, n=2; see star-channel for other sizes and ties"),
			catalogue.Row("... in three dimensions", checkCommand("star-channel", "k=3", "n=3"), "deadlock", spec.Holds, "confirmed for k=3, n=3"),
		),
		catalogue.Said("2.2", "e-cube routing needs two virtual channels (CH, CA) between nodes, so *-channel needs three (CH, CA, CF) or more",
			catalogue.Row("it takes three VCs: is CH needed?", checkCommand("star-channel", "ch=never"), "deadlock", spec.Violated, "yes"),
			catalogue.Row("... is CA needed?", checkCommand("star-channel", "ca=never"), "deadlock", spec.Violated, "yes"),
			catalogue.Row("... is CF needed against deadlock?", checkCommand("star-channel", "cf=never"), "deadlock", spec.Holds, "no: CH and CA are an escape by themselves; CF makes routing fully adaptive"),
		),
		catalogue.Said("2.2", "CH can be used if the packet does not use a wrap-around channel of the dimension from the present node to its destination",
			catalogue.Row("CH only if no wrap-around link is ahead: is the condition needed?", checkCommand("star-channel", "ch=always"), "deadlock", spec.Violated, "yes"),
		),
		catalogue.Ours(
			catalogue.Row("routing is minimal, so no packet livelocks", checkCommand("star-channel"), "livelock", spec.Holds, "none does"),
			catalogue.Row("every packet can reach its destination", checkCommand("star-channel"), "delivery", spec.Holds, "it can"),
			catalogue.Row("a selection function that chooses a free VC at every clock keeps that", checkCommand("selection"), "deadlock", spec.Holds, "yes: what holds for the relation holds for every such function"),
		),
		catalogue.Said("4", "each node is made of a processor, a request queue and a router",
			catalogue.Row("whatever waits in request queues, *-channel is deadlock-free", checkCommand("star-channel"), "deadlock", spec.Holds,
				"confirmed for k=4, n=2: a request that waits there holds no channel, and the verdict is for all traffic, in whatever order requests leave"),
		),
		catalogue.Said("3.2", "(2) if there are two or more dimensions into which the packet can be output ... (b) the dimension is chosen whose next node has most free virtual channels in all",
			catalogue.Row("CCB, where a dimension counts as available if the relation permits it, has no deadlock", checkCommand("selection-clock", "function=ccb", "reading=literal"), "deadlock", spec.Violated,
				"A property of this reading, not of the paper: step (2)(b) may keep choosing a dimension that has no free VC here, because the next node there looks better; four packets deadlock around a column. Section 2.1 speaks of channels that can be output into and are free, which supports the next row's reading"),
			catalogue.Row("CCB, where a dimension counts as available if a VC is free there, has no deadlock", checkCommand("selection-clock", "function=ccb", "reading=free-here"), "deadlock", spec.Holds, "none in this reading, with the neighbours' status one clock old"),
			catalogue.Row("... for all traffic", checkCommand("selection", "function=ccb", "reading=free-here"), "deadlock", spec.Holds, "none"),
		),
		catalogue.Said("3.2", "S-CCB (2)(b): if 2 or fewer virtual channels of the lowest dimension are free, the highest dimension that is free is chosen",
			catalogue.Row("S-CCB, read literally", checkCommand("selection-clock", "function=s-ccb"), "deadlock", spec.Holds, "no deadlock: its text asks for free dimensions"),
		),
		catalogue.Ours(
			catalogue.Row("commits on arrival: dimension-order", checkCommand("selection", "form=early"), "deadlock", spec.Holds, "stays free: it waits for the escape"),
			catalogue.Row("commits on arrival: s-ccb", checkCommand("selection", "form=early", "function=s-ccb"), "deadlock", spec.Holds, "stays free, likewise"),
			catalogue.Row("commits on arrival: random", checkCommand("selection", "form=early", "function=random"), "deadlock", spec.Violated, "loses it: packets wait for CF alone"),
			catalogue.Row("commits on arrival: zigzag", checkCommand("selection", "form=early", "function=zigzag"), "deadlock", spec.Violated, "loses it"),
			catalogue.Row("commits on arrival: zigzag by its formula, the difference of coordinates", checkCommand("selection", "form=early", "function=zigzag", "reading=formula"), "deadlock", spec.Violated, "loses it, likewise"),
			catalogue.Row("commits on arrival: lru, lfu, ld", checkCommand("selection", "form=early", "function=ld"), "deadlock", spec.Violated, "loses it, for some history"),
			catalogue.Row("commits on arrival: ccb", checkCommand("selection", "form=early", "function=ccb"), "deadlock", spec.Violated, "loses it"),
			catalogue.Row("commits by status one clock old: ccb", checkCommand("selection-clock", "form=stale", "function=ccb"), "deadlock", spec.Violated, "loses it: packets that enter a ring in the same clock saw it free"),
			catalogue.Row("commits by status one clock old: zigzag", checkCommand("selection-clock", "form=stale", "function=zigzag"), "deadlock", spec.Violated, "loses it"),
			catalogue.Row("commits by status one clock old: zigzag by its formula", checkCommand("selection-clock", "form=stale", "function=zigzag", "reading=formula"), "deadlock", spec.Violated, "loses it, likewise"),
			catalogue.Row("commits by some outdated status: dimension-order", checkCommand("selection", "form=stale"), "deadlock", spec.Violated, "loses it, given traffic that keeps x busy in between"),
			catalogue.Row("commits to a VC that is free now: zigzag", checkCommand("selection-clock", "form=commit", "function=zigzag"), "deadlock", spec.Holds,
				"keeps it for these four packets: in a cycle of commitments each channel would have been entered later than the one before it"),
		),
	)
	for f, name := range Names {
		early := catalogue.Row("commits on arrival, 3x3 one way, all traffic: "+name, checkCommand("selection", "k=3", "way=one", "form=early", "function="+name), "deadlock", spec.Violated, "loses it")
		if lowestWhenFree(Function(f)) {
			early.Want, early.Finding = spec.Holds, "stays free: with all VCs free it takes the lowest dimension, and there the escape"
		}
		claims = append(claims, catalogue.Ours(early)...)
	}
	return append(claims, figureClaims()...)
}

// routerClaims are those about every packet and every status of its router's outputs,
// with the neighbours and the history left open.
func routerClaims() []catalogue.Claim {
	claims := slices.Concat(
		catalogue.Said("3.1", "(2) the use of the CF channel in the lowest dimension is kept down",
			catalogue.Row("S-CCB never takes CF of the lowest dimension while another dimension has a free VC", checkCommand("selection-router", "function=s-ccb"), Spares, spec.Holds, "it never does. The paper speaks of shares under load, which a simulator has to measure; this is the strictest form"),
		),
		catalogue.Ours(
			catalogue.Row("... CCB", checkCommand("selection-router", "function=ccb"), Spares, spec.Violated, "it may: CH is free but not permitted, CA is busy, and the next node in x looks best"),
			catalogue.Row("... dimension-order", checkCommand("selection-router"), Spares, spec.Violated, "it may"),
		),
		catalogue.Said("3.1.4", "S-CCB is the same as CCB except that it does not collect the information of one step ahead",
			catalogue.Row("so whenever S-CCB, by what is free in the router alone, spares CF of the lowest dimension, CCB does, too", checkCommand("selection-router", "function=ccb"), Spares, spec.Violated,
				"In the lowest dimension CA is taken and CH, which is not permitted, and CF are free: two. S-CCB (2)(b) then takes the higher dimension; CCB (2)(b) goes by the next nodes, as with three. So S-CCB treats two free virtual channels as one, CCB as three").RefutedIf("S-CCB and CCB are the two algorithms of section 3.2"),
		),
	)
	for _, name := range Names {
		claims = append(claims, catalogue.Ours(catalogue.Row("never outside the relation, whatever the status: "+name, checkCommand("selection-router", "function="+name), Within, spec.Holds,
			"for every packet and every status of its router's outputs, any neighbours and any history"))...)
	}
	return claims
}

// lowestWhenFree reports whether a function takes the lowest dimension if all VCs are
// free.
func lowestWhenFree(f Function) bool {
	return f == DimensionOrder || f == SCCB
}

// clockClaims are those about packets that are sent once: the forms that the static decision
// decides, confirmed by exploring.
func clockClaims() []catalogue.Claim {
	const column = "packets=0>7,3>1,6>4"
	claims := slices.Concat(
		catalogue.Ours(
			catalogue.Row("CCB in the reading that deadlocks, with the present status of the neighbours", checkCommand("selection-clock", "function=ccb", "reading=literal", "status=present"), "deadlock", spec.Violated,
				"deadlocks as well, after 4 steps: the age of the status is not the cause"),
			catalogue.Row("chooses again, by the exact history: lru", checkCommand("selection-clock", "function=lru", "history=exact"), "deadlock", spec.Holds, "no deadlock"),
			catalogue.Row("... lfu, exact for four packets", checkCommand("selection-clock", "k=3", "way=one", column, "function=lfu", "history=exact", "bound=4"), "deadlock", spec.Holds, "no deadlock"),
			catalogue.Row("... ld, exact for four packets", checkCommand("selection-clock", "function=ld", "history=exact", "bound=4"), "deadlock", spec.Holds, "no deadlock"),
		),
	)
	for f, name := range Names {
		early := catalogue.Row("commits on arrival, three packets of a column of 3x3 one way: "+name, checkCommand("selection-clock", "k=3", "way=one", column, "form=early", "function="+name), "deadlock", spec.Violated, "loses it, as decided statically")
		if lowestWhenFree(Function(f)) {
			early.Want, early.Finding = spec.Holds, "stays free, as decided statically"
		}
		claims = append(claims, catalogue.Ours(early)...)
	}
	return claims
}

// trafficClaims are those about packets that are sent again and again.
func trafficClaims() []catalogue.Claim {
	const row3, corners = "flows=0>2,1>0,2>1", "in-flight=2"
	claims := slices.Concat(
		catalogue.Ours(
			catalogue.Row("commits to a VC that is free now: a ring of four", checkCommand("selection-traffic", "k=4", "n=1", "form=commit"), Moves, spec.Violated,
				"loses it, whatever the function: on a ring all are alike. In a cycle of commitments each channel would have been entered later than the one before it; a packet that found nothing free closes the cycle"),
			catalogue.Row("... chooses again there", checkCommand("selection-traffic", "k=4", "n=1"), Moves, spec.Holds, "keeps it"),
			catalogue.Row("... commits on arrival there, k=3 one way", checkCommand("selection-traffic", "k=3", "n=1", "way=one", "form=early"), Moves, spec.Holds, "keeps it: CH and CA, the escape"),
			catalogue.Row("... by status one clock old there", checkCommand("selection-traffic", "k=3", "n=1", "way=one", "form=stale"), Moves, spec.Violated, "loses it"),
			catalogue.Row("... 2x2, where no packet goes on in a dimension, five in flight: random", checkCommand("selection-traffic", "in-flight=5", "form=commit", "function=random"), Moves, spec.Violated,
				"loses it without any ring: four packets turn from x into y and from y into x, and the last of them finds CA held by a fifth"),
			catalogue.Row("CCB in the reading that deadlocks, a column that sends again and again", checkCommand("selection-traffic", "k=4", "flows=column", "function=ccb", "reading=literal"), "deadlock", spec.Violated,
				"deadlocks after 6 steps, and no further packet can enter"),
		),
		catalogue.Said("3.1", "(2) the use of the CF channel in the lowest dimension is kept down",
			catalogue.Row("S-CCB never takes CF of the lowest dimension while another dimension has a free VC, in reachable states", checkCommand("selection-traffic", "spares=yes", "in-flight=3", "function=s-ccb"), Spares, spec.Holds, "it never does on 2x2 with three packets"),
		),
		catalogue.Ours(
			catalogue.Row("... CCB, clock by clock", checkCommand("selection-traffic", "spares=yes", corners, "function=ccb"), Spares, spec.Violated, "it may: the status that the static answer names is reached, on 2x2 with two packets"),
			catalogue.Row("... dimension-order", checkCommand("selection-traffic", "spares=yes", corners), Spares, spec.Violated, "it may"),
		),
	)
	for f, name := range Names {
		set := []string{corners, "function=" + name}
		switch Function(f) {
		case LRU, LD:
			set = append(set, "history=exact")
		case LFU:
			set = append(set, "history=exact", "bound=1", "flows=0>3,1>2")
		}
		claims = append(claims, catalogue.Ours(
			catalogue.Row("never outside the relation, in all states of 2x2: "+name, checkCommand("selection-traffic", set...), Within, spec.Holds, "never"),
			catalogue.Row("chooses again, packets sent again and again: "+name, checkCommand("selection-traffic", set...), Moves, spec.Holds, "keeps it"),
			catalogue.Row("commits to a VC that is free now, a row of 3x3 one way: "+name, checkCommand("selection-traffic", "k=3", "way=one", row3, "form=commit", "function="+name), Moves, spec.Violated, "loses it, as on any ring"))...)
	}
	return claims
}
