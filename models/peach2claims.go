package models

import (
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
)

// peach2Claims lists what the paper says, and what it leaves open, in the order
// of its sections. "1 buffer class" is what the hardware has.
func peach2Claims() []Claim {
	check := func(args ...string) []string { return peach2Command("check", "peach2", "", args) }
	ask := func(question string, args ...string) []string { return peach2Command("ask", "peach2", question, args) }
	reads := func(args ...string) []string { return peach2Command("check", "peach2-reads", "", args) }
	const deadlock, delivery, answered = "deadlock", "delivery", "a read of host 0 is answered"
	return slices.Concat(
		// Section 2.2: three neighbours.
		said("2.2", "(3) it can be connected to three other nodes, so that there are few hops even if a mini-cluster has more nodes; with 8 nodes every one is reached in at most 3 hops",
			row("8 nodes: at most 3 hops", ask("hops", "rings=2"), "", spec.Holds,
				"confirmed for two rings of 4 boards that are all joined by S"),
		),
		ours(
			row("8 nodes: at most 3 hops, without S", ask("hops", "n=8"), "", spec.Violated,
				"no: in one ring of 8 the board opposite is 4 hops away"),
			row("16 nodes: how many hops?", ask("hops", "n=8", "rings=2", "hops=5"), "", spec.Holds,
				"5 with two rings of 8, 8 with one ring of 16"),
		),
		// Section 2.3: ports and roles.
		said("2.3", "port E is always an endpoint and port W a root complex; they are used to form a ring topology with the PEACH2 of neighbouring nodes",
			row("E (endpoint) and W (root complex) join boards into a ring", ask("links", "n=16"), "", spec.Holds,
				"confirmed for 16 boards: every ring cable joins E and W"),
		),
		said("2.3", "port S can be selected to be a root complex or an endpoint, and is connected to port S of the PEACH2 opposite",
			row("S ports can be joined, as their role can be selected", ask("links", "rings=2", "n=8"), "", spec.Holds,
				"confirmed, if all S of one ring are root complexes and all of the other are endpoints"),
		),
		ours(
			row("S to S, without selecting", ask("links", "rings=2", "south=rc-rc"), "", spec.Violated,
				"refused: the two ends must be selected differently, so boards are not alike (section 2.1.3: for the time being each has FPGA configuration data of its own)"),
		),
		// Section 2.5: addresses.
		said("2.5", "the addresses allotted to nodes and devices are aligned, so that it is enough to compare upper bits of an address to decide on the output port",
			row("512 GB, split evenly and aligned: every address matches exactly one port at every board (16 boards)", ask("addresses", "n=16"), "", spec.Holds,
				"confirmed for the whole window: 16 parts of 32 GB; the right node and device; N minus the offset stays within the host's part"),
			row("The same for two coupled rings", ask("addresses", "n=8", "rings=2"), "", spec.Holds, "confirmed"),
		),
		ours(
			row("Every address of the window matches a port, with 12 nodes", ask("addresses", "n=12"), "", spec.Violated,
				"no: parts are aligned, so only a power of two fills the window; with 12 nodes 4 parts of 16 belong to nobody"),
		),
		said("2.5", "there are an address mask and registers that give a range; whether the masked address is in the range decides the way, statically (figure 4: a ring of 4 nodes)",
			row("A mask and one range a port decide the way (4-node ring of figure 4)", ask("addresses", "tie=EEWW"), "", spec.Holds,
				"confirmed: one range a port is enough with ties EEWW; with other ties, and in the generated registers of longer rings, numbers wrap around and a port has 2, in two rings up to 3"),
			row("The ring of figure 4 with one range a port, 1 buffer class: no deadlock", check("tie=EEWW"), deadlock, spec.Holds, "free; the paper says nothing of deadlock"),
		),
		said("2.5", "PEACH2 maps all nodes of the mini-cluster into the PCI Express address space, decides on the destination by it, and routes",
			row("Static routes reach every node (16 boards)", check("n=16"), delivery, spec.Holds, "confirmed"),
			row("Every node is reached in two rings", check("n=8", "rings=2"), delivery, spec.Holds, "confirmed"),
		),
		ours(
			row("Packets do not go round for ever (16 boards)", check("n=16"), "livelock", spec.Holds, "they do not"),
			// Deadlock: the paper is silent.
			row("4 boards, 1 buffer class, ties all east, which takes two ranges a port, not one as in figure 4", check("n=4"), deadlock, spec.Violated,
				"four writes to the boards opposite block each other"),
			row("4 boards, ties all west", check("n=4", "tie=west"), deadlock, spec.Violated, "likewise"),
			row("4 boards, one tie the other way", check("n=4", "tie=EEEW"), deadlock, spec.Holds,
				"any rule but all east and all west is free, and costs nothing: 14 of 16"),
			row("3 boards", check("n=3"), deadlock, spec.Holds, "free: no way of two cables"),
			row("Which tie rules are free with 1 buffer class, n = 3 to 8?", ask("ties"), "", spec.Holds,
				"n=3: the one there is; n=4: 14 of 16; n=5 to 8: none (0 of 1, 64, 1, 256): packets for distance 2 meet no tie and close both directions"),
			row("A tie rule for 8 boards", ask("ties", "n=8"), "", spec.Violated, "none: under minimal routing packets for distance 2 meet no tie, and from 5 boards on those of all boards close both directions"),
			row("8 boards in a ring", check("n=8", "tie=alternate"), deadlock, spec.Violated, "not free under minimal routing"),
			row("16 boards in a ring", check("n=16"), deadlock, spec.Violated, "not free under minimal routing"),
			row("Least VCs for minimal routing on 16 boards", check("n=16", "variant=dateline"), deadlock, spec.Holds,
				"2, with a dateline in each direction; 1 is not enough for any minimal routing"),
			row("Least restriction with 1 buffer class", ask("routings"), "", spec.Holds,
				"no packet goes through board 0 of its ring: no routing that is free has shorter ways, of all n^n for n = 3 to 7; for n = 5 to 7 no minimal one is free"),
			row("That restriction, 16 boards", check("n=16", "variant=cut-board"), deadlock, spec.Holds, "free with 1 buffer class; up to 14 hops instead of 8"),
			row("One cable unused, 16 boards", check("n=16", "variant=cut"), deadlock, spec.Holds, "free with 1 buffer class; up to 15 hops"),
			row("One-way rings", check("n=3", "variant=one-way"), deadlock, spec.Violated, "not free from 3 boards on"),
			row("Two rings of 4 (8 nodes, 3 hops), ties all east", check("rings=2"), deadlock, spec.Violated, "each ring by itself"),
			row("Two rings of 4, mixed ties", check("rings=2", "tie=EEEWEEEW"), deadlock, spec.Holds,
				"free: 8 nodes in 3 hops with 1 buffer class"),
			row("Which tie rules, two rings", ask("ties", "rings=2"), "", spec.Holds,
				"n=4: 196 of 256, which is 14 x 14; n=5 to 8: none"),
			row("Which tie rules, two rings, S first", ask("ties", "rings=2", "order=south-first"), "", spec.Holds, "the same 196 of 256: the order makes no difference if all boards are coupled"),
			row("Two rings of 8 (16 nodes)", check("n=8", "rings=2"), deadlock, spec.Violated, "as one ring of 8"),
			row("Two rings of 8, datelines", check("n=8", "rings=2", "variant=dateline"), deadlock, spec.Holds, "2 VCs on ring cables"),
			row("Two rings of 8, one cable of each unused", check("n=8", "rings=2", "variant=cut"), deadlock, spec.Holds, "free with 1 buffer class, up to 8 hops"),
			row("Two rings of 4 cut open, but coupled at the ends only", check("rings=2", "variant=cut", "coupled=0,3"), deadlock, spec.Violated,
				"not free: the two lines and two S cables are a ring again"),
			row("Two rings of 4 coupled by one cable, mixed ties EEEW", check("rings=2", "coupled=0", "tie=EEEWEEEW"), deadlock, spec.Violated,
				"not free though each ring by itself is: round one ring, over S, round the other and back over S"),
			row("Which tie rules, two rings coupled by one cable", ask("ties", "rings=2", "coupled=0"), "", spec.Holds, "n=4: 192 of 256"),
			row("Which tie rules, two rings of 4 coupled by two opposite cables", ask("ties", "rings=2", "coupled=0,2"), "", spec.Violated,
				"none of 256: couple all boards or neighbours"),
			// Reads: the paper does not use them across nodes.
			row("Reads, with buffers apart as PCI Express has them, where writes are free", check("tie=EEEW", "reads=separate"), deadlock, spec.Holds,
				"free: reads wait for completions, those for nothing but writes. Completions bear no address, so the paper's registers cannot route them: assumed to go where the requester's addresses go"),
			row("Reads, 16 boards with datelines", check("n=16", "variant=dateline", "reads=separate"), deadlock, spec.Holds, "free: 3 buffers in each of 2 lanes"),
			row("The ordering rules: completions must not pass writes", ask("waits", "n=16", "variant=dateline", "reads=separate"), "", spec.Holds,
				"these waits close no cycle"),
			row("Reads whose completions share the buffers of reads", check("tie=EEEW", "reads=shared"), deadlock, spec.Violated, "two neighbours that read from each other are enough"),
			row("One buffer for everything", check("n=2", "reads=fifo"), deadlock, spec.Violated, "two boards are enough"),
			row("The ordering rules, if only that passes which must be able to pass", ask("waits", "n=16", "variant=dateline", "reads=separate", "ordering=required"), "", spec.Holds,
				"writes and completions pass reads, that is enough"),
			row("Writes that do not pass reads, as a network", check("tie=EEEW", "reads=in-order", "ordering=relaxed"), deadlock, spec.Holds,
				"free with relaxed ordering, when completions pass writes; with any other ordering no routing relation says what waits for what (exit 2, and where to ask)"),
			row("Writes that do not pass reads, by the rules of PCI Express", ask("waits", "tie=EEEW", "reads=in-order"), "", spec.Violated,
				"completions behind writes, writes behind reads, reads before completions: the rule that writes must be able to pass reads is needed"),
			// The same, packet by packet.
			row("Two boards by the rules of what may pass what, all states", reads(), deadlock, spec.Holds, "free"),
			row("Three boards, one request of a host on its way", reads("n=3", "requests=1"), deadlock, spec.Holds, "free"),
			row("Three boards, two requests to the next one", reads("n=3", "requests=2", "to=next"), deadlock, spec.Holds, "free"),
			row("Four boards, one request of a host on its way, ties EEEW", reads("n=4", "requests=1", "tie=EEEW"), deadlock, spec.Holds, "free, as decided for any number of requests"),
			row("Four boards, ties all east, one write each", reads("n=4", "requests=1", "reads=no", "to=opposite"), deadlock, spec.Violated, "as decided statically: one write each to the board opposite is enough"),
			row("Is every read answered, while hosts go on writing? Two boards", append(reads("watch=yes", "requests=2"), "--liveness"), answered, spec.Holds,
				"yes, if moves that stay possible are made some time (weak fairness)"),
			row("Is every read answered? Three boards", append(reads("n=3", "watch=yes", "requests=1"), "--liveness"), answered, spec.Violated,
				"not for that alone: reads come in by E and W and wait for the same room, which one of them may get again and again"),
			row("Is every read answered? Three boards, where those that wait for the same room take turns", append(reads("n=3", "watch=yes", "requests=1", "arbiter=turns"), "--liveness"), answered, spec.Holds, "yes"),
			row("Completions in the buffers of reads, two boards", reads("reads=shared"), deadlock, spec.Violated, "reads wait for ever, while writes still pass"),
			row("Completions in the buffers of reads, one read of each host on its way", reads("reads=shared", "requests=1"), deadlock, spec.Holds, "free: it takes two of each"),
			row("Writes that do not pass reads, buffers of 2", reads("reads=in-order", "buffer=2"), deadlock, spec.Violated, "a deadlock of two boards"),
			row("Writes that do not pass reads, buffers of 1", reads("reads=in-order"), deadlock, spec.Holds,
				"free all the same: no read can be let in ahead of the write; a cycle of waits alone is no deadlock yet"),
			row("Only what must be able to pass does, two boards", reads("ordering=required"), deadlock, spec.Holds, "free"),
			row("Nothing passes, though buffers are apart", reads("ordering=strict", "writes=no", "buffer=2"), deadlock, spec.Violated,
				"reads alone are enough: completions behind two reads, one of which finds room"),
			row("Nothing passes, buffers of 1", reads("ordering=strict"), deadlock, spec.Holds, "free: the last completion let in left room for the one read in its way"),
		),
	)
}

// peach2Command is a command with parameters.
func peach2Command(verb, model, question string, params []string) []string {
	command := []string{verb, model}
	if question != "" {
		command = append(command, question)
	}
	for _, p := range params {
		command = append(command, "--set", p)
	}
	return command
}
