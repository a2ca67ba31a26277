package combining

import (
	"slices"
	"strings"

	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/spec"
)

// invalidateAckClaims returns what the paper says of invalidate/Ack and the questions that
// it leaves open. The commands print every step of a trace.
func invalidateAckClaims() []catalogue.Claim {
	type claim func(says, property string, want spec.Verdict, finding string, sets ...string) catalogue.Claim
	with := func(flags ...string) claim {
		return func(says, property string, want spec.Verdict, finding string, sets ...string) catalogue.Claim {
			command := catalogue.Command("check invalidate-ack "+strings.Join(flags, " "), sets...)
			return catalogue.Claim{Says: says, Command: command, Property: property, Want: want, Finding: finding}
		}
	}
	first, whole, check := with(), with("--whole"), with("--whole", "--liveness")
	small := []string{"fanout=3", "depth=1", "homes=0,1,2", "writers=0,1,2", "link=1", "resharing=no"}
	travelling := []string{"depth=1", "homes=0,1", "writers=0,1", "interrupts=travel"}
	const (
		answered = "the request of 3 is answered"
		literal  = "variant=literal"
		parts    = "variant=parts"
		back     = "variant=return"
		deferred = "variant=defer"
	)
	blocks := func(variant, overflow string) []string {
		return []string{variant, "homes=0,2", "link=3", "resharing=no", "overflow=" + overflow}
	}
	return slices.Concat(
		catalogue.Ours(
			check("once the writer has been told to proceed no cluster keeps a copy", "no copy beside a writer", spec.Holds,
				"yes, if the writer tells home when it has written; this holds even where the nine steps go wrong, since then no cluster is told to proceed", literal),
			check("there is one writer of a block at a time", "one writer", spec.Holds, "yes, if the writer tells home when it has written", literal),
		),
		catalogue.Said("6", "9. when the Ack arrives at the requester the transaction is over",
			check("the transaction is over when the requester has the reply (step 9): home is not told", "no copy beside a writer", spec.Violated,
				"A cluster gets a copy while the reply is in transit, even with one writer. All other rows assume one message more, from the writer to home", literal, "writers=3", "reopen=when-replied").RefutedIf("home may share the block again as soon as it has replied"),
			check("the transaction is over when the requester has the reply (step 9): home is not told", "one writer", spec.Violated,
				"Two clusters write at once, whatever else is fixed", deferred, "reopen=when-replied").RefutedIf("home may share the block again as soon as it has replied"),
		),
		catalogue.Said("6", "6. when an Ack arrives at a switching node ... if there is no earlier Ack, an entry is put in; if there is one, it is forwarded towards the home node, and the entry is cleared",
			check("exactly one Ack comes home for a request that was accepted", "one Ack a request", spec.Holds,
				"confirmed: at most one", literal),
			check("exactly one Ack comes home for a request that was accepted", "no Ack lost", spec.Violated,
				"There may be none. The entry of a block at switch 5 holds the first Ack when the request of cluster 3 comes, which turns it into a request; the second Ack then waits alone forever", literal).RefutedIf("a later message of a block, request or Ack, overwrites the one entry"),
		),
		catalogue.Said("5", "of the wait buffer one entry is allotted for each matching key; by updating the entry it is used as a matching store",
			check("an entry is updated in place: with one part for a request and one for Acks", "no Ack lost", spec.Holds,
				"the other reading of the same sentence loses no Ack", parts),
		),
		catalogue.Said("6", "2. if the same request has come before, the one that arrives later is discarded there (this can be seen as combining, and removes the same processing at the request queue of the home node)",
			check("the later of two equal requests is discarded (step 2); is every request answered?", answered, spec.Violated,
				"no, if the cluster whose request was discarded takes no action of its own. It does receive the invalidate of step 5", parts),
			check("... and if that cluster, which loses its copy to the invalidate of step 5, then requests again?", answered, spec.Violated,
				"no: the discarded request has left an entry at the switch of its cluster, which discards the next request and all after it", "variant=repeat"),
			check("the later of two equal requests is discarded (step 2); is every request answered?", "nothing lost", spec.Violated,
				"no: a request is discarded at switch 4, six steps from the start, and no trace of it is left", literal),
			check("equal requests are merged in the home's queue as well (the same processing)", "nothing lost", spec.Violated,
				"The switches keep all requests, but home drops its own cluster's or the other's, and nobody repeats it", deferred, "writers=0,3", "queue=merged").RefutedIf("home drops the later request, as a switch does"),
		),
		catalogue.Said("5", "overflow is checked for the space that is allotted to each hash key",
			check("two blocks of different hash keys, a message waits until an entry is free", "deadlock", spec.Holds,
				"confirmed: neither block waits for the other's entries", append(blocks(deferred, "refuse"), "keys=2")...),
		),
		catalogue.Ours(
			check("are all wait buffers empty when nothing moves?", "empty at rest", spec.Violated,
				"no: the discarded request has left entries below the switch that discarded it, and no reply passes to clear them; later requests of that subtree are discarded there", parts),
			check("are all wait buffers empty when nothing moves?", "empty at rest", spec.Holds,
				"yes, by accident: Acks overwrite and clear the entries left behind", literal),
			check("can the nine steps deadlock?", "deadlock", spec.Violated,
				"yes, because of the lost Ack: home waits for it, and both writers wait for home", literal, "resharing=no"),
			check("are the nine steps right as long as one cluster writes?", answered, spec.Holds, "yes", literal, "writers=3"),
			check("fix: the later request is sent back, clears its entries, and is sent again", answered, spec.Holds,
				"every request is answered or comes back, and nothing is left", back),
			check("fix: the later request is sent back, clears its entries, and is sent again", "cluster 3 writes", spec.Violated,
				"but a cluster may be sent back forever while the other writes again and again", back),
			check("fix: the entry keeps the later request in a queue until the reply to the one before", "cluster 3 writes", spec.Holds,
				"all properties hold, with any two clusters writing, with all four, and with fan-outs 3 and 4", deferred),
			check("fix: the entry keeps the later request in a queue until the reply to the one before", "empty at rest", spec.Holds,
				"yes, with all four clusters writing", deferred, "writers=0,1,2,3"),
			check("are bounded links enough? one block, links of one message", "deadlock", spec.Holds,
				"no deadlock: a block has one transaction at a time, which does not fill the links", deferred, "link=1"),
			first("are bounded links enough? three blocks of three homes that write, links of one message", "deadlock", spec.Violated,
				"deadlock after seven steps: home 2's invalidates wait at clusters 0 and 1, which cannot answer because their own invalidates hold their links, and those wait at the root for the links that the first occupy", append(small, deferred)...),
			whole("fix: a cluster takes an invalidate at any time, and owes the Ack until its link has room", "deadlock", spec.Holds,
				"no deadlock: whatever comes down the tree is accepted, and so what goes up and waits for it can move", append(small, deferred, "acks=owed")...),
			check("are bounded links enough? two blocks, links of two messages", answered, spec.Violated,
				"no deadlock, but a request may wait forever at a link that others keep filling: links need fair arbiters", deferred, "homes=0,2", "resharing=no"),
			check("are bounded links enough? two blocks, links of three messages", answered, spec.Holds,
				"links of three never fill, so no arbiter is needed", blocks(deferred, "none")...),
			check("are fair arbiters at links enough for that? two blocks, links of two messages", answered, spec.Holds,
				"yes: a source that waited while another was served goes first", deferred, "homes=0,2", "resharing=no", "arbiter=batch"),
			check("are fair arbiters at links enough for that? two blocks, links of two messages", answered, spec.Holds,
				"round-robin is enough, too: all wait for room in the same link, so none is passed over for lack of it", deferred, "homes=0,2", "resharing=no", "arbiter=round-robin"),
			check("are bounded links enough? one block, links of one message", answered, spec.Violated,
				"no: a request starves, as with two blocks", deferred, "link=1"),
			first("round-robin at each link, multicasts that wait for all their links: three homes, links of one message, Acks owed", "deadlock", spec.Violated,
				"deadlock after 31 steps: each of three invalidates holds the turn at a link that the next one needs, and waits for its turn at another", append(small, deferred, "acks=owed", "arbiter=round-robin")...),
			check("a sound fix: deferred requests, Acks owed, multicasts copy by copy, fair arbiters", answered, spec.Holds,
				"all properties hold at every size explored, with every compatible variant: SIZES.md. The head of the file argues why it cannot deadlock at any size", "variant=sound"),
			check("a sound fix: deferred requests, Acks owed, multicasts copy by copy, fair arbiters", answered, spec.Holds,
				"yes, with links of one message", "variant=sound", "link=1"),
			check("a sound fix: deferred requests, Acks owed, multicasts copy by copy, fair arbiters", "cluster 1 writes", spec.Holds,
				"yes, with two blocks of two homes that write, links of one message, reading again, and interrupts that travel", append(travelling, "variant=sound", "overflow=marked", "link=1")...),
			check("a sound fix: deferred requests, Acks owed, multicasts copy by copy, fair arbiters", "cluster 1 writes", spec.Holds,
				"yes, with three blocks of three homes over links of one message, of which two write", "fanout=3", "depth=1", "homes=0,1,2", "writers=0,1", "link=1", "resharing=no", "variant=sound"),
			check("is the combining unit as a part of the crossbar's step a harmless abstraction?", "cluster 3 writes", spec.Holds,
				"yes, if the unit has a place for each input and output: all verdicts are the same in all variants, with fair arbiters", "variant=sound", "unit=place-each"),
			check("is the combining unit as a part of the crossbar's step a harmless abstraction?", "no Ack lost", spec.Violated,
				"and the violations are the same", literal, "resharing=no", "unit=place-each"),
			check("is the combining unit as a part of the crossbar's step a harmless abstraction?", answered, spec.Violated,
				"no, if one place before the unit and one behind it serve all ports: those must be shared fairly, too", deferred, "resharing=no", "unit=one-place"),
		),
		catalogue.Said("3.2", "if it is detected that there is an overflow, it can be dealt with by asking the processor nearest to the switching node for it, by an interrupt",
			check("overflow: the interrupt is a packet that travels to the nearest processor, and its answer back", "the request of 1 is answered", spec.Holds,
				"nothing is lost if the switch keeps a mark until all that it handed over has been answered, and the last answer says that nothing is kept", append(travelling, "variant=sound", "overflow=marked")...),
			check("overflow: the interrupt is a packet that travels to the nearest processor, and its answer back", "no Ack lost", spec.Violated,
				"It splits a block's Acks, as it does when taking over takes no time; nothing else is lost", append(travelling, deferred, "link=1", "multicast=copies", "acks=owed", "overflow=interrupt")...).RefutedIf("the switch keeps no mark of what it has handed over"),
			check("overflow: the interrupt is a packet that travels to the nearest processor, and its answer back", "deadlock", spec.Violated,
				"links of one message: if a processor answers before it takes the next interrupt, and a cluster sends its Ack before it takes the next invalidate, 8 steps lead to a deadlock: two invalidates wait at two links full of each other's Acks", append(travelling, deferred, "link=1", "multicast=copies", "overflow=marked")...),
			check("overflow: the nearest processor takes over, and nothing is lost", "no Ack lost", spec.Violated,
				"Of two Acks one waits with the processor, the other in the buffer once there is room again", blocks(deferred, "interrupt")...).RefutedIf("the switch keeps no mark of what it has handed over"),
			check("overflow: the nearest processor takes over, and nothing is lost", answered, spec.Holds,
				"confirmed if the switch marks the block until the processor is done with it", blocks(deferred, "marked")...),
		),
		catalogue.Ours(
			check("overflow: a message waits until an entry is free", "deadlock", spec.Violated,
				"with one entry a switch, the requests for two blocks hold the entries of switch 4 and of the root, and each waits for the other's", blocks(deferred, "refuse")...),
			first("a shortest deadlock of the nine steps, if no cluster reads again", "deadlock", spec.Violated, "17 steps, which the trace lists", "resharing=no"),
		),
	)
}

// classesClaims returns claims about message classes that wait for each other.
func classesClaims() []catalogue.Claim {
	check := func(says string, want spec.Verdict, finding string, sets ...string) catalogue.Claim {
		command := []string{"check", "combining-classes"}
		for _, s := range sets {
			command = append(command, "--set", s)
		}
		return catalogue.Claim{Says: says, Command: command, Property: "deadlock", Want: want, Finding: finding}
	}
	return slices.Concat(
		catalogue.Ours(
			check("do requests, invalidates, Acks and replies need links of their own?", spec.Violated,
				"yes: in one VC they wait for each other at the clusters, even with one home: request, invalidate, Ack, request", "vcs=all", "homes=0"),
			check("do requests, invalidates, Acks and replies need links of their own?", spec.Holds,
				"a VC each is enough: the channels can be ordered by class, and within a class up, then down the tree", "vcs=each"),
			check("is it enough to keep requests apart?", spec.Violated, "no: an Ack at home waits to become a reply, behind an invalidate that waits for another cluster's Ack, which waits behind the first", "vcs=request-apart", "homes=0"),
			check("are two VCs enough, request and invalidate, Ack and reply?", spec.Holds, "with one home, yes", "vcs=there-and-back", "homes=0"),
			check("are two VCs enough, request and invalidate, Ack and reply?", spec.Violated,
				"with two, no: requests to each wait for invalidates in transit to the other", "vcs=there-and-back"),
			check("is one VC enough if clusters have room for all that comes?", spec.Holds, "yes: no message waits for one of another class", "clusters=ample"),
		),
	)
}
