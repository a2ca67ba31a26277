package rwc1

import (
	"slices"
	"strings"

	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/spec"
)

const (
	spiral  = "for MDCE networks the spiral buffer method that was proposed for the circular omega network [4] is applicable; a CCCB network needs 3 channels"
	arrived = "packets that have arrived are kept in separate buffers for the four execution levels, whose apparent capacity has to be infinite so as to avoid deadlock"
)

// The paper does not say where the index goes up, nor the order of dimensions: here, on
// the border link, as in the EM-4, whose method the paper names, and x, y, z, as in the
// addresses. Its routers have two sets of buffers, for system and user.
func claims() []catalogue.Claim {
	least := func(says, set string, want spec.Verdict, finding string) catalogue.Claim {
		return catalogue.Claim{Says: says, Command: strings.Fields("ask rwc1 least-vcs " + set), Want: want, Finding: finding}
	}
	deadlock := func(says, set string, want spec.Verdict, finding string) catalogue.Claim {
		return catalogue.Claim{Says: says, Command: strings.Fields("check rwc1 --property deadlock " + set), Property: "deadlock", Want: want, Finding: finding}
	}
	inside := func(says, set string, want spec.Verdict, finding string) catalogue.Claim {
		return catalogue.Claim{Says: says, Command: strings.Fields("ask rwc1 partitions --set n=4 " + set), Want: want, Finding: finding}
	}
	return slices.Concat(
		catalogue.Said("3.3", spiral,
			least("CCCB needs 3 VCs, if the index goes up on the border link as in the EM-4, and dimensions are passed in their order (n=4, the machine)", "--set n=4 --set vcs=3", spec.Holds, "confirmed for spiral buffers: with 2, packets that have crossed the border once close the rings of VC 1"),
			least("the same for n=3", "--set n=3 --set vcs=3", spec.Holds, "confirmed"),
			least("the same for n=2", "--set n=2 --set vcs=3", spec.Holds, "confirmed"),
			least("the same if the index goes up after the border link (n=2)", "--set border=after --set n=2 --set vcs=3", spec.Violated, "2 VCs suffice there").RefutedIf("the index goes up after the border link, and n is 2; the machine has n=4"),
			least("the same if the index goes up after the border link (n=4, the machine)", "--set border=after --set n=4 --set vcs=3", spec.Holds, "3 are needed in this reading as well"),
		),
		catalogue.Ours(
			least("the CCC alone, index up after the border link (n=3)", "--set border=after --set topology=ccc --set n=3 --set vcs=2", spec.Holds, "2 VCs are enough, where the other reading needs 3"),
		),
		catalogue.Said("3.3", spiral,
			deadlock("3 VCs prevent deadlock on 1024 nodes", "--set n=4 --set vcs=3", spec.Holds, "confirmed"),
			deadlock("2 VCs on 1024 nodes", "--set n=4 --set vcs=2", spec.Violated, "too few: the deadlock is reached from the empty network"),
		),
		catalogue.Ours(
			least("3 VCs for the c-Banyan alone (n=4)", "--set topology=c-banyan --set n=4 --set vcs=3", spec.Holds, "necessary and sufficient, as they are for n=2 and 3"),
			least("3 VCs for the CCC alone (n=4)", "--set topology=ccc --set n=4 --set vcs=3", spec.Holds, "necessary and sufficient, as they are for n=3"),
			least("3 VCs for the CCC alone (n=2)", "--set topology=ccc --set n=2 --set vcs=3", spec.Violated, "not necessary: a packet takes 2 ring links at most, so it crosses the border once and 2 VCs suffice"),
		),
		catalogue.Said("3.3", "the upper two levels are system, the lower user, and separate buffers are assigned to each",
			deadlock("four levels, two sets of buffers, for user and system", "--set n=3 --set levels=4", spec.Holds, "free: two independent copies of the network, as no packet waits at an endpoint"),
		),
		catalogue.Said("3.3", arrived,
			deadlock("the PIB must look infinite: finite, for requests that wait for room for their reply", "--set n=3 --set traffic=request-reply --set pib=finite", spec.Violated, "confirmed"),
			deadlock("the same on 1024 nodes", "--set n=4 --set traffic=request-reply --set pib=finite", spec.Violated, "confirmed"),
		),
		catalogue.Ours(
			deadlock("the same with 8 VCs", "--set n=2 --set traffic=request-reply --set pib=finite --set vcs=8", spec.Violated, "more VCs do not help: the cycle goes through the endpoints"),
			deadlock("a finite PIB for packets that are consumed where they arrive", "--set n=3 --set pib=finite", spec.Holds, "harmless: only packets that wait in the PIB for the network need an infinite one"),
		),
		catalogue.Said("3.3", "so there is an area for what exceeds the capacity within the chip in local memory (Auxiliary Packet Buffer), saved and restored without software",
			deadlock("the APB makes the PIB look infinite", "--set n=3 --set traffic=request-reply --set pib=finite --set spill=yes", spec.Holds, "confirmed: free with spilling"),
		),
		catalogue.Ours(
			deadlock("without APB, replies at a level of their own, a router buffer for every level, which the paper does not have", "--set n=3 --set traffic=request-reply --set pib=finite --set levels=2 --set reply=above --set buffers=level", spec.Holds, "free as well: with such buffers the APB is not the only remedy"),
			deadlock("the same on 1024 nodes", "--set n=4 --set traffic=request-reply --set pib=finite --set levels=2 --set reply=above --set buffers=level", spec.Holds, "free as well"),
			deadlock("the same, one router buffer for both user levels, as in the paper", "--set n=3 --set traffic=request-reply --set pib=finite --set levels=2 --set reply=above", spec.Violated, "levels of their own do not help: replies wait behind requests"),
		),
		catalogue.Said("3.4", "if a power of two of nodes is allotted by a bit pattern of the y and z components of their addresses, closed partitions are possible, between which communication does not interfere",
			inside("partitions by aligned blocks of y and z: no packet leaves its partition", "--set blocks=aligned", spec.Holds, "confirmed for all 961 partitions and all pairs of the 1024 nodes"),
			inside("partitions by any pattern of bits of y and z", "--set blocks=bits", spec.Holds, "confirmed for all 6561: a packet changes only the bits that differ"),
		),
		catalogue.Ours(
			inside("blocks of a power of two that are not aligned", "--set blocks=unaligned", spec.Violated, "packets leave: the alignment is necessary"),
			inside("blocks that divide x, too", "--set blocks=cut-x", spec.Violated, "packets leave: rings are one-way, so a partition needs whole rings"),
		),
		catalogue.Said("3.4", "system packets, however, are not subject to this partition management, as they may control several partitions",
			catalogue.Claim{
				Says: "system packets cross partitions", Command: strings.Fields("check rwc1 --set n=3 --set levels=4 --property delivery"), Property: "delivery",
				Want: spec.Holds, Finding: "every pair of nodes is served at every level",
			},
		),
		catalogue.Said("3.3", "packets are normally transferred between routers in a pipelined fashion and are stored in the buffer of a router only when blocked: virtual cut-through",
			catalogue.Row("two clocks a router and one for each further word, from node (0,0,0) to each of 1023", strings.Fields("simulate rwc1 --paper rwc-1-links"), "3.3, 4.2: transfer is pipelined from router to router, and routing takes no time in them",
				spec.Holds, "assumed, and so measured: cut-through; no clock for routing, as the port is chosen one router ahead (4.2); crossbar and link a clock each, which the paper does not say"),
		),
		catalogue.Said("3.2", "packets are transferred in units of 48 bits (packet words), at the rate of the internal clock of PE and SU",
			catalogue.Row("1,000 packets of 8 words between neighbours: a word a clock", strings.Fields("simulate rwc1 --paper rwc-1-links"), "3.2: a word a clock", spec.Holds, "confirmed: FIFOs of 64 words never stop the stream"),
		),
	)
}

// ofMachine makes claims about properties of a machine.
func ofMachine(model string) func(says, property, set string, want spec.Verdict, finding string) catalogue.Claim {
	return func(says, property, set string, want spec.Verdict, finding string) catalogue.Claim {
		return catalogue.Claim{Says: says, Command: strings.Fields("check " + model + " --whole --liveness " + set), Property: property, Want: want, Finding: finding}
	}
}

func drainClaims() []catalogue.Claim {
	claim := ofMachine("rwc1-drain")
	const lost, order, still = "nothing lost or doubled", "in order", "nothing arrives at a frozen router"
	return slices.Concat(
		catalogue.Said("3.4", "undelivered packets left in the router can forcibly be saved in local memory and restored (called drain)",
			claim("the drain loses and doubles nothing", lost, "", spec.Holds, "confirmed for two nodes, with a word behind the last packet of each link"),
		),
		catalogue.Ours(
			claim("nothing is overtaken within a VC", order, "", spec.Holds, "yes"),
			claim("the drain ends", "the drain ends", "", spec.Holds, "yes"),
			claim("two VCs", order, "--set vcs=2 --set depth=1", spec.Holds, "yes"),
			claim("a ring of three", lost, "--set nodes=3 --set depth=1", spec.Holds, "yes"),
			claim("a line of three, with packets cutting through, halfway over two links at once", order, "--set shape=line --set nodes=3 --set depth=1", spec.Holds, "yes"),
			claim("freezing without waiting for what is halfway over the link", order, "--set freeze=at-once", spec.Violated, "the packet arrives after its FIFO has been saved and overtakes what is restored"),
			claim("instead of a word: waiting until the input link is idle, granting no handshake meanwhile", order, "--set freeze=idle", spec.Holds, "safe as well"),
			claim("the same, granting handshakes whenever there is room", lost, "--set freeze=idle --set accept=room", spec.Violated, "loses packets: local synchronisation needs the word or the refusal"),
			claim("each node resumes when it has restored, and refuses handshakes until then", order, "--set shape=line --set resume=alone", spec.Holds, "safe, if the word stops a router that hears it"),
			claim("the same if a router runs on after the word until its processor stops it", still, "--set shape=line --set resume=alone --set spread=no", spec.Violated, "the node before may have drained and sent again: the synchronisation must spread by itself"),
			claim("each node resumes by itself, granting handshakes whenever there is room", lost, "--set resume=alone --set accept=room", spec.Violated, "loses packets: all must have restored first, or refuse handshakes"),
			claim("restoring in the reverse order", order, "--set restore=reversed", spec.Violated, "packets of a VC change places"),
		),
	)
}

func machineClaims() []catalogue.Claim {
	claim := ofMachine("rwc1-machine")
	const (
		stuck, ends = "something can move", "a watched packet ends"
		wait        = "--set streams=1>2@0,3>0@0,7>0@0 "
	)
	return slices.Concat(
		catalogue.Said("3.3", spiral,
			claim("CCCB needs 3 VCs (n=2): with 2", "deadlock", "--set fabric=cccb --set vcs=2 "+wait, spec.Violated, "confirmed: 3 streams of packets deadlock"),
			claim("the same streams with 3", "deadlock", "--set fabric=cccb --set vcs=3 "+wait, spec.Holds, "confirmed, as for all streams by the static decision"),
		),
		catalogue.Ours(
			claim("the same streams with 2, index up after the border link", "deadlock", "--set fabric=cccb --set vcs=2 --set border=after "+wait, spec.Holds, "2 suffice for n=2 in this reading, as by the static decision"),
			claim("one ring of 3 routers with one VC", "deadlock", "--set n=3 --set vcs=1 --set streams=before@0", spec.Violated, "deadlock: every ring needs the spiral"),
			claim("the same with 2", "deadlock", "--set n=3 --set vcs=2 --set streams=before@0", spec.Holds, "the border is crossed once"),
		),
		catalogue.Said("3.3", arrived,
			claim("a finite PIB without APB deadlocks for request-reply traffic", "deadlock", "", spec.Violated, "confirmed, in 12 steps"),
		),
		catalogue.Ours(
			claim("the same with fewer requests than places", "deadlock", "--set window=2", spec.Holds, "a PIB is large enough if a processor's outstanding requests do not fill injection buffer, link and PIB"),
			claim("the same with a larger PIB", "deadlock", "--set pib=2", spec.Holds, "likewise"),
			claim("spilling to the APB cures it", "deadlock", "--set spill=yes", spec.Holds, "yes"),
			claim("with spilling every request is answered", ends, "--set spill=yes --set window=2 --set watch=1", spec.Holds, "yes; an APB with room for all outstanding requests and replies never fills"),
			claim("nothing is lost or doubled", "nothing lost or doubled", "--set n=3 --set spill=yes --set window=1 --set streams=all@0/0", spec.Holds, "yes, all three to all"),
			claim("the same on CCCB n=2, 32 routers: five requests, once each, whatever the arbiters do", "nothing lost or doubled",
				"--set fabric=cccb --set window=1 --set arbiter=any --set hold=none --set streams=1>2@0/0*1,3>0@0/0*1,7>0@0/0*1,0>31@0/0*1,31>1@0/0*1", spec.Holds, "yes: all end, in any order"),
			claim("packets arrive where they belong", "delivered to the right node", "--set n=3 --set spill=yes --set window=1 --set streams=all@0/0", spec.Holds, "yes"),
			claim("a VC keeps the order of its packets, from end to end", "in order", "--set n=3 --set streams=0>2@0/1,1>2@0/1 --set watch=1 --set watched=2 --set window=2", spec.Holds, "yes"),
			claim("without APB, replies at a level of their own with a router buffer for every level, which the paper does not have", "deadlock", "--set streams=all@0/1 --set buffers=level", spec.Holds, "free as well"),
			claim("without APB, replies at a level of their own in the one router buffer of both user levels", "deadlock", "--set streams=all@0/1", spec.Violated, "deadlocks, as by the static decision"),
			claim("the same with APB: is every request answered?", ends, "--set streams=all@0/1 --set spill=yes --set window=2 --set watch=1", spec.Violated, "no: new requests may take every place that becomes free"),
			claim("the same if processors answer before they ask", ends, "--set streams=all@0/1 --set spill=yes --set window=2 --set watch=1 --set first=answers", spec.Holds, "yes"),
			claim("may a system request be answered at a user level? PIBs finite", stuck, "--set streams=0>1@2/0", spec.Violated,
				"no: strict priority alone deadlocks, though system and user have buffers apart and the static decision finds no cycle: the reply waits for the router's system buffers to be empty, they for the PIB, it for the reply"),
			claim("the same with an APB", stuck, "--set streams=0>1@2/0 --set spill=yes", spec.Holds, "yes: the APB empties the system buffers"),
			claim("the same if a user packet waits only for system packets that can be sent over its port", stuck, "--set streams=0>1@2/0 --set hold=port", spec.Holds, "yes"),
		),
		catalogue.Said("4.3", "each buffer is divided for user and system by the execution level, but as there is priority control and the two never operate at once, it looks like three FIFOs",
			claim("the same if it waits for those of its own FIFO", stuck, "--set streams=0>1@2/0 --set hold=fifo", spec.Holds, "yes, here: no request comes through the injection buffer of the reply"),
		),
		catalogue.Ours(
			claim("can user packets starve?", ends, "--set n=3 --set streams=1>2@0,0>1@2 --set watch=1", spec.Violated, "yes, by an endless stream of system packets that only end at the same router and use another port"),
			claim("the same if each FIFO considers only itself", ends, "--set n=3 --set streams=1>2@0,0>1@2 --set watch=1 --set hold=fifo", spec.Holds, "not by those packets"),
			claim("the same by system packets on the same path", ends, "--set n=3 --set streams=1>2@0,1>2@2 --set watch=1 --set hold=fifo", spec.Violated, "yes"),
			claim("under what assumption do user packets not starve? a bounded number of system packets", ends, "--set n=3 --set streams=1>2@0,1>2@2*3 --set watch=1", spec.Holds, "they do not"),
			claim("does one user level starve the other?", ends, "--set n=3 --set streams=1>2@0,1>2@1 --set watch=1", spec.Holds, "no: they share the user buffers, first come, first served"),
			claim("the same if every level had a router buffer and a rank of its own", ends, "--set n=3 --set streams=1>2@0,1>2@1 --set watch=1 --set buffers=level --set ranks=levels", spec.Violated, "yes"),
			claim("does one system level starve the other?", ends, "--set n=3 --set streams=1>2@2,1>2@3 --set watch=1", spec.Holds, "no"),
			claim("does a user level starve a system level?", ends, "--set n=3 --set streams=1>2@2,0>2@1 --set watch=1", spec.Holds, "no"),
			claim("all four levels on one path: is user0 served?", ends, "--set n=3 --set window=4 --set streams=1>2@0,1>2@1,1>2@2,1>2@3 --set watch=1", spec.Violated, "not by a system that never pauses"),
			claim("the same of system0", ends, "--set n=3 --set window=4 --set streams=1>2@0,1>2@1,1>2@2,1>2@3 --set watch=3", spec.Holds, "yes"),
			claim("does through traffic starve injection? round-robin", ends, "--set n=3 --set streams=1>2@0,0>2@0 --set watch=1", spec.Holds, "no"),
			claim("round-robin serves every VC: as a fixed cyclic order from the one after the last winner", ends, "--set n=4 --set streams=0>2@0,3>2@0,1>2@0 --set window=1 --set watch=1", spec.Violated,
				"no, in this reading, even in whole routers with one packet of each processor in transit: while VC 0 of the link is full, VC 1 wins, and the search starts at injection again"),
			claim("the same as a list whose winner moves to the end", ends, "--set n=4 --set streams=0>2@0,3>2@0,1>2@0 --set window=1 --set watch=1 --set arbiter=queue", spec.Holds, "yes, for this reading"),
			claim("injection against through traffic, with an arbiter free to choose", ends, "--set n=3 --set streams=1>2@0,0>2@0 --set watch=1 --set arbiter=any", spec.Violated, "yes: the arbiter must be fair"),
		),
	)
}
