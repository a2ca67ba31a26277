package peach2

import (
	"slices"
	"strings"

	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/spec"
)

// claims lists what the paper says and the questions that it leaves open, in the order of
// its sections. The hardware has 1 buffer class.
func claims() []catalogue.Claim {
	check := func(args ...string) []string { return catalogue.Command("check peach2", args...) }
	ask := func(question string, args ...string) []string {
		return catalogue.Command("ask peach2 "+question, args...)
	}
	reads := func(args ...string) []string { return catalogue.Command("check peach2-reads", args...) }
	dma := func(stated, says, finding string) catalogue.Claim {
		return catalogue.Row(says, strings.Fields("simulate peach2 --paper peach2-dma"), stated, spec.Holds, finding)
	}
	const deadlock, delivery, answered, early = "deadlock", "delivery", "a read of host 0 is answered", "what the interrupt says is complete has arrived"
	return slices.Concat(
		// Section 2.2: three neighbours.
		catalogue.Said("2.2", "(3) it can be connected to three other nodes, so that there are few hops even if a mini-cluster has more nodes; with 8 nodes every one is reached in at most 3 hops",
			catalogue.Row("8 nodes: at most 3 hops", ask("hops", "rings=2"), "", spec.Holds,
				"confirmed for two rings of 4 boards, every board joined to its opposite by S"),
		),
		catalogue.Ours(
			catalogue.Row("8 nodes: at most 3 hops, without S", ask("hops", "n=8"), "", spec.Violated,
				"no: in one ring of 8 the board opposite is 4 hops away"),
			catalogue.Row("16 nodes: how many hops?", ask("hops", "n=8", "rings=2", "hops=5"), "", spec.Holds,
				"5 with two rings of 8, 8 with one ring of 16"),
		),
		// Section 2.3: ports and roles.
		catalogue.Said("2.3", "port E is an endpoint and port W a root complex; they are used to form a ring topology with the PEACH2 of neighbouring nodes",
			catalogue.Row("E (endpoint) and W (root complex) join boards into a ring", ask("links", "n=16"), "", spec.Holds,
				"confirmed for 16 boards: every ring cable joins E and W"),
		),
		catalogue.Said("2.3", "port S can be selected to be a root complex or an endpoint, and is connected to port S of the PEACH2 opposite",
			catalogue.Row("S ports can be joined, as their role can be selected", ask("links", "rings=2", "n=8"), "", spec.Holds,
				"confirmed, if all S of one ring are root complexes and all of the other are endpoints"),
		),
		catalogue.Ours(
			catalogue.Row("S to S, without selecting", ask("links", "rings=2", "south=rc-rc"), "", spec.Violated,
				"refused: the two ends must be selected differently, so boards are not alike (section 2.1.3: for the time being each has FPGA configuration data of its own)"),
		),
		// Section 2.5: addresses.
		catalogue.Said("2.5", "the addresses allotted to nodes and devices are aligned, so that it is enough to compare upper bits of an address to decide on the output port",
			catalogue.Row("512 GB, evenly split and aligned: every address matches exactly one port at every board (16 boards)", ask("addresses", "n=16"), "", spec.Holds,
				"confirmed for the whole window: 16 parts of 32 GB; the right node and device; N minus the offset stays within the host's part"),
			catalogue.Row("The same for two coupled rings", ask("addresses", "n=8", "rings=2"), "", spec.Holds, "confirmed"),
		),
		catalogue.Ours(
			catalogue.Row("Every address of the window matches a port, with 12 nodes", ask("addresses", "n=12"), "", spec.Violated,
				"no: parts are aligned, so only a power of two fills the window; with 12 nodes 4 of its 16 parts belong to no node"),
		),
		catalogue.Said("2.5", "there are an address mask and registers that give a range; whether the masked address is in the range decides the way, statically (figure 4: a ring of 4 nodes)",
			catalogue.Row("A mask and one range a port decide the route (4-node ring of figure 4)", ask("addresses", "tie=EEWW"), "", spec.Holds,
				"confirmed: one range a port is enough with ties EEWW; with other ties, and in longer rings, the ranges wrap around and a port needs 2, in two rings up to 3"),
			catalogue.Row("The ring of figure 4 with one range a port, 1 buffer class: no deadlock", check("tie=EEWW"), deadlock, spec.Holds, "free; the paper says nothing of deadlock"),
		),
		catalogue.Said("2.5", "PEACH2 maps all nodes of the mini-cluster into the PCI Express address space, decides on the destination by it, and routes",
			catalogue.Row("Static routes reach every node (16 boards)", check("n=16"), delivery, spec.Holds, "confirmed"),
			catalogue.Row("Every node is reached in two rings", check("n=8", "rings=2"), delivery, spec.Holds, "confirmed"),
		),
		catalogue.Ours(
			catalogue.Row("No packet circulates forever (16 boards)", check("n=16"), "livelock", spec.Holds, "none does"),
			// Deadlock: the paper is silent.
			catalogue.Row("4 boards, 1 buffer class, ties all east, which takes two ranges a port, not one as in figure 4", check("n=4"), deadlock, spec.Violated,
				"four writes to the boards opposite block each other"),
			catalogue.Row("4 boards, ties all west", check("n=4", "tie=west"), deadlock, spec.Violated, "likewise"),
			catalogue.Row("4 boards, one tie the other way", check("n=4", "tie=EEEW"), deadlock, spec.Holds,
				"free, as are 14 of the 16 rules: all but all-east and all-west. No path gets longer"),
			catalogue.Row("3 boards", check("n=3"), deadlock, spec.Holds, "free: no route uses two cables"),
			catalogue.Row("Which tie rules of 4 boards are free with 1 buffer class?", ask("ties"), "", spec.Holds,
				"14 of 16: all but all-east and all-west"),
		),
		catalogue.Said("2.3", "PEACH2 carries a management processor for operations such as rewriting the routing table",
			catalogue.Row("Ties of 4 boards are rewritten from EEWW to WWEE, board by board, 2 and 3 first", check("n=4", "tie=EEEE"), deadlock, spec.Violated,
				"Half-way all ties are east, and four writes to the boards opposite block each other. In 2.5 routes are static").RefutedIf("the processor may rewrite routes board by board, in any order, while packets are sent"),
			catalogue.Row("... in an order in which ties are never all east nor all west, such as 0, 3, 1, 2", ask("ties"), "", spec.Holds,
				"free at each stage, if packets sent before it have arrived; with packets that still wait, routed by tables of before, it is not decided"),
		),
		catalogue.Ours(
			catalogue.Row("A tie rule for 8 boards", ask("ties", "n=8"), "", spec.Violated, "none: under minimal routing a packet to distance 2 meets no tie, and with 5 boards or more those packets alone close a cycle in each direction"),
			catalogue.Row("8 boards in a ring", check("n=8", "tie=alternate"), deadlock, spec.Violated, "not free under minimal routing"),
			catalogue.Row("16 boards in a ring", check("n=16"), deadlock, spec.Violated, "not free under minimal routing"),
			catalogue.Row("Least VCs for minimal routing on 16 boards", check("n=16", "variant=dateline"), deadlock, spec.Holds,
				"2, with a dateline in each direction; 1 is not enough for any minimal routing"),
			catalogue.Row("That restriction, 16 boards", check("n=16", "variant=cut-board"), deadlock, spec.Holds, "free with 1 buffer class; up to 14 hops instead of 8"),
			catalogue.Row("One cable unused, 16 boards", check("n=16", "variant=cut"), deadlock, spec.Holds, "free with 1 buffer class; up to 15 hops"),
			catalogue.Row("One-way rings", check("n=3", "variant=one-way"), deadlock, spec.Violated, "not free from 3 boards on"),
			catalogue.Row("Two rings of 4 (8 nodes, 3 hops), ties all east", check("rings=2"), deadlock, spec.Violated, "each ring by itself"),
			catalogue.Row("Two rings of 4, mixed ties", check("rings=2", "tie=EEEWEEEW"), deadlock, spec.Holds,
				"free: 8 nodes in 3 hops with 1 buffer class"),
			catalogue.Row("Which tie rules, two rings", ask("ties", "rings=2"), "", spec.Holds,
				"n=4: 196 of 256, which is 14 x 14; n=5 to 8: none"),
			catalogue.Row("Which tie rules, two rings, S first", ask("ties", "rings=2", "order=south-first"), "", spec.Holds, "the same 196 of 256: the order makes no difference if all boards are coupled"),
			catalogue.Row("Two rings of 8 (16 nodes)", check("n=8", "rings=2"), deadlock, spec.Violated, "as one ring of 8"),
			catalogue.Row("Two rings of 8, datelines", check("n=8", "rings=2", "variant=dateline"), deadlock, spec.Holds, "2 VCs on ring cables"),
			catalogue.Row("Two rings of 8, one cable of each unused", check("n=8", "rings=2", "variant=cut"), deadlock, spec.Holds, "free with 1 buffer class, up to 8 hops"),
			catalogue.Row("Two rings of 4 cut open, but coupled at the ends only", check("rings=2", "variant=cut", "coupled=0,3"), deadlock, spec.Violated,
				"not free: the two lines and two S cables are a ring again"),
			catalogue.Row("Two rings of 4 coupled by one cable, mixed ties EEEW", check("rings=2", "coupled=0", "tie=EEEWEEEW"), deadlock, spec.Violated,
				"not free, though each ring by itself is: the cycle runs round one ring, over S, round the other and back over S"),
			catalogue.Row("Which tie rules, two rings coupled by one cable", ask("ties", "rings=2", "coupled=0"), "", spec.Holds, "n=4: 192 of 256"),
			catalogue.Row("Which tie rules, two rings of 4 coupled by two opposite cables", ask("ties", "rings=2", "coupled=0,2"), "", spec.Violated,
				"none of 256: couple all boards or neighbours"),
			// Reads: the paper does not use them across nodes.
			catalogue.Row("Reads, with separate buffers as in PCI Express, where writes are free", check("tie=EEEW", "reads=separate"), deadlock, spec.Holds,
				"free: reads wait for completions, and completions only for writes. Completions carry no address, so the paper's registers cannot route them; they are assumed to follow the requester's addresses"),
			catalogue.Row("Reads, 16 boards with datelines", check("n=16", "variant=dateline", "reads=separate"), deadlock, spec.Holds, "free: 3 buffers in each of 2 lanes"),
			catalogue.Row("Reads whose completions share the buffers of reads", check("tie=EEEW", "reads=shared"), deadlock, spec.Violated, "two neighbours that read from each other are enough"),
			catalogue.Row("One buffer for everything", check("n=2", "reads=fifo"), deadlock, spec.Violated, "two boards are enough"),
			catalogue.Row("Writes that may not pass reads, as a network", check("tie=EEEW", "reads=in-order", "ordering=relaxed"), deadlock, spec.Holds,
				"free with relaxed ordering, when completions pass writes; no routing relation expresses the waits of any other ordering (exit 2, with the machine to explore instead)"),
			// The same, packet by packet.
			catalogue.Row("Two boards under PCI Express ordering rules, all states", reads(), deadlock, spec.Holds, "free"),
			catalogue.Row("Three boards, one outstanding request per host", reads("n=3", "requests=1"), deadlock, spec.Holds, "free"),
			catalogue.Row("Three boards, two requests to the next one", reads("n=3", "requests=2", "to=next"), deadlock, spec.Holds, "free"),
			catalogue.Row("Four boards, one outstanding request per host, ties EEEW", reads("n=4", "requests=1", "tie=EEEW"), deadlock, spec.Holds, "free, as decided for any number of requests"),
			catalogue.Row("Four boards, ties all east, one write each", reads("n=4", "requests=1", "reads=no", "to=opposite"), deadlock, spec.Violated, "as decided statically: one write each to the board opposite is enough"),
			catalogue.Row("Is every read answered, while hosts go on writing? Two boards", append(reads("watch=yes", "requests=2"), "--liveness"), answered, spec.Holds,
				"yes, under weak fairness: a move that stays possible is made eventually"),
			catalogue.Row("Is every read answered? Three boards", append(reads("n=3", "watch=yes", "requests=1"), "--liveness"), answered, spec.Violated,
				"not under weak fairness alone: reads from E and W compete for the same space, and one of them may win every time"),
			catalogue.Row("Is every read answered? Three boards, where those that compete for space take turns", append(reads("n=3", "watch=yes", "requests=1", "arbiter=turns"), "--liveness"), answered, spec.Holds, "yes"),
			catalogue.Row("Completions in the buffers of reads, two boards", reads("reads=shared"), deadlock, spec.Violated, "reads wait forever, while writes still pass"),
			catalogue.Row("Completions in the buffers of reads, one outstanding read per host", reads("reads=shared", "requests=1"), deadlock, spec.Holds, "free: the deadlock takes two of each"),
			catalogue.Row("Writes that may not pass reads, buffers of 2", reads("reads=in-order", "buffer=2"), deadlock, spec.Violated, "a deadlock of two boards"),
			catalogue.Row("Writes that may not pass reads, buffers of 1", reads("reads=in-order"), deadlock, spec.Holds,
				"free all the same: no read can enter ahead of the write; a dependency cycle alone is not a deadlock"),
			catalogue.Row("Only what must be allowed to pass does, two boards", reads("ordering=required"), deadlock, spec.Holds, "free"),
			catalogue.Row("Nothing passes, though buffers are separate", reads("ordering=strict", "writes=no", "buffer=2"), deadlock, spec.Violated,
				"reads alone are enough: completions behind two reads, one of which finds room"),
			catalogue.Row("Nothing passes, buffers of 1", reads("ordering=strict"), deadlock, spec.Holds, "free: when the last completion entered, it left room for the one read ahead of it"),
		),
		catalogue.Said("3.1.1", "with DMA write the interrupt is raised when the DMA transfer at PEACH2 is complete, so it is possible that this is before it is visible in the CPU's memory",
			catalogue.Row("DMA write to its own host: can the interrupt arrive before the data is in memory?", reads("to=own", "reads=no", "interrupt=when-sent"), early, spec.Violated,
				"confirmed: two steps are enough, as the interrupt waits for nothing in transit"),
			catalogue.Row("... if the interrupt is a posted write behind the data", reads("to=own", "reads=no", "interrupt=behind"), early, spec.Holds,
				"it cannot: posted writes do not pass each other"),
		),
		catalogue.Ours(
			catalogue.Row("... and the data goes to another board", reads("to=next", "reads=no", "interrupt=behind"), early, spec.Violated,
				"it can: interrupt and data take different paths"),
			catalogue.Row("... if the board interrupts when a read behind the data is answered", reads("to=next", "requests=1", "interrupt=after-read"), early, spec.Holds,
				"it cannot, to whichever board: a read does not pass a posted write"),
			catalogue.Row("... where reads may pass posted writes (relaxed ordering)", reads("to=next", "requests=1", "interrupt=after-read", "ordering=relaxed"), early, spec.Violated, "it can"),
		),
		// Section 3: speed, on the ring of figure 4.
		catalogue.Said("3.1.1", "PCIe Gen2 x8 has a bandwidth of 4 Gbyte/s, but with a payload of 256 bytes and 24 bytes around each packet the peak is 4 Gbyte/s x 256/280 = 3.66 Gbyte/s",
			dma("3.1.1: at most 3.66 GB/s", "posted writes of 256 bytes in 280: a megabyte is written at 3.66 GB/s", "confirmed: 3.64 GB/s with the start of the DMA"),
		),
		catalogue.Said("3.1.1", "both gave results of more than 3.3 Gbyte/s at a DMA size of 4 Kbyte; so 93 % of the peak is obtained",
			dma("3.1.1: more than 3.3 GB/s, 93 % of the peak", "255 descriptors of 4 KB: more than 3.3 GB/s", "fitted to it: 84 ns from descriptor to descriptor give 3.39 GB/s"),
		),
		catalogue.Said("3.1.1", "even about four transfers show 75 to 80 % of the best performance",
			dma("3.1.1: four reach 75 to 80 % of the most", "four descriptors of 4 KB: 75 to 80 % of the speed of 255", "fitted to it: 706 ns until a DMA starts give 78 %"),
		),
		catalogue.Said("3.1.1", "to see the overhead of chained DMA, a single transfer was measured; performance is far lower than with 255, where the transfer of the descriptor table can be ignored",
			dma("3.1.1: one is far slower", "one descriptor of 4 KB: less than half the speed of 255", "confirmed, with the times fitted to four and 255: 1.58 of 3.39 GB/s"),
		),
		catalogue.Said("3.1.1", "the results from two transfers on nearly agree with those of figure 7 from 8 Kbyte on; if the total is the same, the number of descriptors has little influence",
			dma("3.1.1: the total counts, the number of descriptors hardly", "two of 4 KB are as fast as one of 8, four as one of 16, within 5 %", "confirmed, with the times fitted to four and 255: 2 and 4 % slower"),
		),
		catalogue.Said("3.2", "it was confirmed that the transfer can be done in 782 ns",
			dma("3.2: a store takes 782 ns", "a store of 4 bytes through two boards takes 782 ns", "fitted to it: 388 ns a board, that is 97 cycles at 250 MHz"),
		),
	)
}
