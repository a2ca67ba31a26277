package p3

import (
	"slices"
	"strings"

	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/spec"
)

// claims lists what the paper says of forwarding on the plane and the questions that it
// leaves open. The paper does not bound how far boundaries move: each moved plane comes from
// a seed, and a verdict on one says nothing about others. A Path Table for each channel
// (section 4) can depend on the channel by which a packet came, so "either" need not be
// arbitrary.
func claims() []catalogue.Claim {
	check := func(settings ...string) []string { return catalogue.Command("check p3", settings...) }
	ask := func(question string, settings ...string) []string {
		return catalogue.Command("ask p3 "+question, settings...)
	}
	const deadlock, livelock, delivery = "deadlock", "livelock", "delivery"
	machine := []string{"columns=8", "rows=8", "moves=500"}
	with := func(settings ...string) []string { return append(slices.Clone(machine), settings...) }
	const arrives = "and the packet always arrives at the PE that corresponds to the target coordinate"
	return slices.Concat(
		// Section 3: zones.
		catalogue.Said("3", "each PE erects perpendiculars to the edges from each vertex of its own region; a packet whose target coordinate belongs to zone A, perpendicular to an edge, goes to the PE that shares the edge, one in zone B to one of the two PEs that share the edges on both sides of the vertex",
			catalogue.Row("Every target lies in zone A or B of each other PE, and the PEs named there exist (8 x 8, 500 moves)", check(machine...), delivery, spec.Holds,
				"confirmed for this plane, which is convex: at corners of the border one of the two PEs may be missing, but never both"),
			catalogue.Row("The same on a plane that is not convex", check("shape=notch"), delivery, spec.Violated,
				"The strip of a border edge may hold a target. The paper draws a square and does not say that the plane is convex, which is our assumption elsewhere").RefutedIf("the plane need not be convex"),
		),
		catalogue.Said("3", "so the distance between the regions of the PEs on the way and the target coordinate of the packet never increases",
			catalogue.Row("The distance between region and target never increases (8 x 8, 500 moves, all targets)", ask("distance-grows", machine...), "", spec.Holds,
				"confirmed: the edge crossed contains the nearest point, and belongs to the neighbour, too"),
		),
		catalogue.Ours(
			catalogue.Row("Does it decrease?", ask("distance-shrinks", "shape=bent"), "", spec.Violated,
				"no: at a corner where two neighbours together span less than 180°, it stays the same"),
		),
		catalogue.Said("3", arrives,
			catalogue.Row("The packet always arrives (a regular grid)", check(), livelock, spec.Holds, "confirmed"),
			catalogue.Row("The packet always arrives", check("shape=bent"), livelock, spec.Violated,
				"With 2 x 2 PEs and one corner moved, two PEs name each other in zone B; any inner corner at which a boundary bends will do. Whichever of the two is chosen, the packet can still reach its target: see the next rows").RefutedIf("either is an arbitrary choice, made anew at each PE"),
			catalogue.Row("It arrives if the choice is random and fair", check("shape=bent"), delivery, spec.Holds, "confirmed: the target stays within reach"),
			catalogue.Row("It arrives if the choice is random and fair (8 x 8, 500 moves)", check(machine...), delivery, spec.Holds, "confirmed"),
			catalogue.Row("It arrives with horizontal first", check("shape=bent", "variant=horizontal"), livelock, spec.Violated, "Both PEs below the corner must name each other").RefutedIf("a PE that may take either goes left or right first"),
			catalogue.Row("It arrives with vertical first", check("shape=bow", "variant=vertical"), livelock, spec.Violated, "Likewise").RefutedIf("a PE that may take either goes up or down first"),
		),
		catalogue.Said("4", "a PT (Path Table), which holds the direction of transfer for a coordinate of P^3 or a PE number, is provided for each channel",
			catalogue.Row("A table for each input channel, which does not send a packet straight back: the plane on which the arbitrary choice fails", check("shape=bent", "variant=never-back"), livelock, spec.Holds,
				"confirmed: the packet rounds the corner in one direction"),
			catalogue.Row("The same, 8 x 8, 500 moves", check(with("variant=never-back")...), livelock, spec.Holds, "confirmed, as on 3,000 drawn planes of up to 4 x 4 PEs"),
			catalogue.Row("The same, 8 x 8, 500 moves", check(with("variant=never-back")...), delivery, spec.Holds, "confirmed, likewise"),
		),
		catalogue.Said("3", "there are two kinds of packets, those whose destination is given by a coordinate of P^3 (a) and those for which it is a physical PE number (b, figure 4); packets that request the execution of a goal are of kind (a)",
			catalogue.Row("Packets by PE number, horizontal first, 8 x 8: deadlock?", catalogue.Command("check mesh", "k=8"), deadlock, spec.Holds,
				"none: it is XY on a mesh, which moves of boundaries do not change. How PE numbers are routed is ours; the paper says only that tables hold them"),
			catalogue.Row("Both kinds through the same buffers, a regular grid, horizontal first", check("columns=8", "rows=8", "variant=horizontal"), deadlock, spec.Holds,
				"none: there a number and a coordinate in the PE's region take the same route. Not decided for moved boundaries, where the two differ"),
		),
		catalogue.Said("3", arrives,
			catalogue.Row("Zones closed at both borders, on a regular grid", check("variant=horizontal", "border=both"), livelock, spec.Violated,
				"Packets for a target straight above a corner go back and forth: zones must be half-open").RefutedIf("a target on the border of two zones lies in both"),
		),
		catalogue.Ours(
			catalogue.Row("Which rule for \"either\" makes packets arrive?", check(with("variant=beyond")...), livelock, spec.Holds,
				"cross only an edge beyond whose line the target lies: then (squared distance, regions left around the nearest corner) falls at each hop"),
			// Section 4: one buffer a channel.
			catalogue.Row("Deadlock with one buffer class, both permitted, a regular grid?", check(), deadlock, spec.Violated, "yes: four packets"),
			catalogue.Row("With horizontal or vertical first, a regular grid?", check("variant=horizontal"), deadlock, spec.Holds, "no: dimension order"),
			catalogue.Row("With either, but never straight back, a regular grid?", check("variant=never-back"), deadlock, spec.Violated, "yes: four packets that all turn left have not turned back"),
			catalogue.Row("With either, but never straight back, 8 x 8 after 500 moves?", check(with("variant=never-back")...), deadlock, spec.Violated, "yes, likewise"),
			catalogue.Row("With beyond and horizontal first, 2 x 2 PEs and one corner moved up?", check("shape=bent", "variant=beyond-horizontal"), deadlock, spec.Holds, "no: everything holds"),
			catalogue.Row("Is there a rule that frees every plane?", check("shape=bow", "variant=forced"), deadlock, spec.Violated,
				"no: with 3 x 2 PEs, six packets that have no choice wait in a cycle"),
			catalogue.Row("Is there one after three moves of 3 x 2 PEs?", check("moves=3", "variant=forced"), deadlock, spec.Violated, "not on this plane: packets that have no choice already wait in a cycle"),
			catalogue.Row("Do two buffer classes, one for each turn from vertical to horizontal, free the plane of six packets?", check("shape=bow", "variant=beyond-horizontal", "vcs=2"), deadlock, spec.Holds, "yes"),
			catalogue.Row("Are three enough for 8 x 8 after 500 moves?", check(with("variant=beyond-horizontal", "vcs=3")...), deadlock, spec.Violated, "no"),
			catalogue.Row("Are four?", check(with("variant=beyond-horizontal", "vcs=4")...), deadlock, spec.Holds, "yes, and packets arrive, and distances never grow"),
		),
		// Section 4: Path Tables.
		catalogue.Said("4", "by masking low bits of the coordinates the table for points far from the PE's region is made coarse, and far fewer entries have to be updated",
			catalogue.Row("Low bits of far coordinates may be masked (2 x 2, one corner moved)", ask("masks", "shape=bent", "variant=beyond-horizontal"), "", spec.Holds,
				"confirmed for this plane: 907 entries of 65,536, the fewest that route every target as the rule does"),
			catalogue.Row("Is every verdict kept, by the static decision?", check("shape=bent", "variant=beyond-horizontal", "masks=blocks"), deadlock, spec.Holds, "yes, deadlock, livelock and delivery"),
			catalogue.Row("The same for 3 x 3 after 30 moves", ask("masks", "columns=3", "rows=3", "pitch=16", "moves=30", "variant=beyond-horizontal"), "", spec.Holds,
				"1,748 entries of 20,736"),
			catalogue.Row("8 x 8 PEs at a pitch of 16, a regular plane", ask("masks", "columns=8", "rows=8", "pitch=16", "variant=horizontal"), "", spec.Holds,
				"1,408 entries of 1,048,576"),
			catalogue.Row("8 x 8 PEs at a pitch of 64, after 500 moves", ask("masks", with("variant=beyond-horizontal")...), "", spec.Holds,
				"161,329 entries of 16,777,216, one percent"),
			catalogue.Row("Do packets arrive with these tables, by the static decision?", check(with("variant=beyond-horizontal", "masks=blocks")...), livelock, spec.Holds, "yes"),
			catalogue.Row("Are four buffer classes still enough with them?", check(with("variant=beyond-horizontal", "masks=blocks", "vcs=4")...), deadlock, spec.Holds, "yes"),
		),
		catalogue.Said("4", "each channel transfers units of 10 bits with parity, and the rate of a channel in one direction is 5 Mbytes a second",
			catalogue.Row("100 packets of 32 bytes to the next PE: a byte every 200 ns", strings.Fields("simulate p3 --paper multi-psi-links"), "4: 5 Mbytes a second in a channel", spec.Holds, "confirmed for buffers of 48 bytes, if a packet may follow the tail of another"),
		),
		catalogue.Said("4", "transfers of packets are done in parallel as long as there are not several requests for the same channel",
			catalogue.Row("every other PE to the next as fast as one alone; two through one channel take twice as long", strings.Fields("simulate p3 --paper multi-psi-links"), "4: transfers run in parallel unless several ask for the same channel", spec.Holds, "confirmed for 8x8 PEs"),
		),
	)
}

// rebalanceClaims asks about a boundary that moves while packets travel.
func rebalanceClaims() []catalogue.Claim {
	check := func(settings ...string) []string {
		return catalogue.Command("check p3-rebalance --whole --liveness", settings...)
	}
	ask := func(question string, settings ...string) []string {
		return catalogue.Command("ask p3-rebalance "+question, settings...)
	}
	const deadlock, lost, late, arrive = "deadlock", "nothing lost or doubled", "none is delivered late", "all arrive"
	corner := []string{"rows=2", "kinds=0,1,2,7", "packets=4"}
	three := func(settings ...string) []string {
		return append([]string{"columns=3", "rows=3", "dx=56", "dy=-32", "packets=0"}, settings...)
	}
	four := func(settings ...string) []string {
		return append([]string{"columns=4", "rows=4", "dx=56", "dy=-32", "packets=0", "discipline=at-once"}, settings...)
	}
	with := func(settings ...string) []string { return append(slices.Clone(corner), settings...) }
	return slices.Concat(
		catalogue.Ours(
			catalogue.Row("Are packets lost while tables are rewritten in any order?", check(), lost, spec.Holds, "no"),
			catalogue.Row("Are any delivered where the target has been given away?", check(), late, spec.Violated, "yes, where the taker rewrites first"),
			catalogue.Row("The same if the giver rewrites first", check("discipline=giver-first"), late, spec.Holds, "no; but for a while no PE serves the target, and packets go back and forth"),
			catalogue.Row("Do all arrive, if entries are rewritten from outside the network?", check(), arrive, spec.Holds, "yes, in any order, for one move between two PEs"),
			catalogue.Row("If the giver tells the taker by a packet?", check("discipline=giver-first", "notice=yes"), deadlock, spec.Violated,
				"no: packets going back and forth fill the link that the notice needs"),
			catalogue.Row("If the taker tells the giver by a packet?", check("discipline=taker-first", "notice=yes"), arrive, spec.Holds, "yes"),
			catalogue.Row("And if the boundary moves back and forth forever?", check("discipline=taker-first", "notice=yes", "again=yes"), arrive, spec.Holds,
				"yes, between two PEs: the notice pushes the packets ahead of it through the link"),
			catalogue.Row("Endless chase, with all entries changed at once, and again and again?", check("discipline=at-once", "again=yes"), arrive, spec.Violated, "yes: the boundary comes back each time the packet has crossed it"),
			catalogue.Row("And if a new move waits until no packet is in transit?", check("again=settled"), arrive, spec.Holds, "no chase, whatever the order of entries"),
			catalogue.Row("2 x 2 PEs, one boundary moved, free of deadlock before and after: in between, all entries for a target at once?", check(with("discipline=at-once")...), deadlock, spec.Violated,
				"deadlock: four packets stand where only old and new entries together could bring them"),
			catalogue.Row("And if the entries for a target wait until no packet for it is in transit?", check(with("wait=target", "hold=target")...), arrive, spec.Holds, "all arrive, after this move"),
			catalogue.Row("The same for any number of packets and all targets", ask("settles-quietly", "rows=2"), "", spec.Holds, "yes: the old and the new dependencies together have no cycle"),
			catalogue.Row("Any order, for any number of packets, if vertical is taken first", ask("settles", "rows=2", "variant=beyond-vertical"), "", spec.Holds, "safe for this move: no order of updates makes packets wait in a cycle"),
			catalogue.Row("And if horizontal is taken first", ask("settles", "rows=2"), "", spec.Violated, "no: this is the deadlock above"),
			catalogue.Row("The same, when no packet for the target waits before an entry that changes: do all arrive?", check(with("discipline=at-once", "wait=inputs")...), arrive, spec.Holds, "yes, and no packet is held back"),
			catalogue.Row("A move by (56,8), draining per target, and all its entries at once?", check("rows=2", "dx=56", "dy=8", "kinds=1@2,0@3,2@1,9@0", "packets=0", "discipline=at-once", "wait=target", "hold=target"), deadlock, spec.Violated,
				"deadlock of four packets, some routed by old entries and some by new"),
			catalogue.Row("3 x 3 PEs, a move by (56,-32), draining per target, all entries for it at once", check(three("kinds=8@3,5@0,3@1,0@4", "wait=target", "hold=target", "discipline=at-once")...), deadlock, spec.Violated, "deadlock of four packets"),
			catalogue.Row("3 x 3 PEs, draining the network, nothing held", check(three("kinds=8@3,5@0,3@1,0@4", "wait=network", "discipline=at-once")...), deadlock, spec.Violated, "deadlock of the same four"),
			catalogue.Row("3 x 3 PEs, all held, at once, when no packet for the target waits before an entry that changes", check(three("kinds=6@6,8@3,5@0,16@1,16@4,0@7", "wait=inputs", "hold=all", "discipline=at-once")...), deadlock, spec.Violated,
				"deadlock of six packets"),
			catalogue.Row("3 x 3 PEs, the same packets, all held", check(three("kinds=8@3,5@0,3@1,0@4", "wait=target", "hold=all")...), arrive, spec.Holds, "all arrive"),
			catalogue.Row("3 x 3 PEs, the same packets, sent anywhere", check(three("kinds=8,5,3,0", "wait=target", "hold=all", "discipline=at-once")...), arrive, spec.Holds, "all arrive"),
			catalogue.Row("4 x 4 PEs, draining per target, all entries for it at once", check(four("kinds=8@4,5@0,3@1,0@5", "wait=target", "hold=target")...), deadlock, spec.Violated, "deadlock of four packets, as in 3 x 3"),
			catalogue.Row("4 x 4 PEs, draining the network, nothing held", check(four("kinds=8@4,5@0,3@1,0@5", "wait=network")...), deadlock, spec.Violated, "deadlock of the same four"),
			catalogue.Row("4 x 4 PEs, all held, at once, when no packet for the target waits before an entry that changes", check(four("kinds=6@8,8@4,5@0,17@1,17@5,0@9", "wait=inputs", "hold=all")...), deadlock, spec.Violated,
				"deadlock of six packets, as in 3 x 3"),
		),
	)
}
