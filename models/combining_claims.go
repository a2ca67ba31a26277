package models

import "github.com/seed-105a2da2/unknot/spec"

// invalidateAckClaims are what the paper says of invalidate/Ack, and what it
// leaves open. Every step of a trace is in what the command prints.
func invalidateAckClaims() []Claim {
	check := func(says, property string, want spec.Verdict, finding string, sets ...string) Claim {
		command := []string{"check", "invalidate-ack", "--whole", "--liveness"}
		for _, s := range sets {
			command = append(command, "--set", s)
		}
		return Claim{Says: says, Command: command, Property: property, Want: want, Finding: finding}
	}
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
	return []Claim{
		check("once the writer has been told to proceed no cluster keeps a copy", "no copy beside a writer", spec.Holds,
			"confirmed, also where the nine steps go wrong: then nobody is told", literal),
		check("there is one writer of a block at a time", "one writer", spec.Holds, "confirmed", literal),
		check("exactly one Ack comes home for a request that was accepted", "one Ack a request", spec.Holds,
			"at most one: confirmed", literal),
		check("exactly one Ack comes home for a request that was accepted", "no Ack lost", spec.Violated,
			"at least one: refuted. The entry of a block at switch 5 holds the first Ack when the request of cluster 3 comes, which turns it into a request; the second Ack then waits alone for ever", literal),
		check("an entry is updated in place: with a part for a request and a part for Acks", "no Ack lost", spec.Holds,
			"the other reading of the same sentence loses no Ack", parts),
		check("the later of two equal requests is discarded (step 2); is every request answered?", answered, spec.Violated,
			"refuted: nothing ever tells the cluster whose request was discarded, and it waits for ever", parts),
		check("the later of two equal requests is discarded (step 2); is every request answered?", "nothing lost", spec.Violated,
			"a request is discarded at switch 4, six steps from the start, and then is nowhere", literal),
		check("are all wait buffers empty when all is quiet?", "empty at rest", spec.Violated,
			"no: the discarded request has left entries below the switch that discarded it, and no reply comes by to clear them; what that subtree asks for later is discarded there", parts),
		check("are all wait buffers empty when all is quiet?", "empty at rest", spec.Holds,
			"yes by accident: Acks overwrite and clear the entries that were left", literal),
		check("can the nine steps come to a standstill?", "deadlock", spec.Violated,
			"yes, because of the lost Ack: home waits for it, both writers for home", literal, "resharing=no"),
		check("are the nine steps right as long as one cluster writes?", answered, spec.Holds, "yes", literal, "writers=3"),
		check("mend: the later request is sent back, clears its entries, and is sent again", answered, spec.Holds,
			"every request is answered or comes back, and nothing is left", back),
		check("mend: the later request is sent back, clears its entries, and is sent again", "cluster 3 writes", spec.Violated,
			"but a cluster may be sent back for ever while the other writes again and again", back),
		check("mend: the entry keeps the later request in a queue until the reply to the one before", "cluster 3 writes", spec.Holds,
			"all properties hold, with any two clusters writing, with all four, and with fan-outs 3 and 4", deferred),
		check("mend: the entry keeps the later request in a queue until the reply to the one before", "empty at rest", spec.Holds,
			"confirmed with all four clusters writing", deferred, "writers=0,1,2,3"),
		check("are bounded links enough? links of one message", "deadlock", spec.Holds,
			"no deadlock: Acks, requests and replies go up, then down the tree, and clusters and homes take all that comes", deferred, "link=1"),
		check("are bounded links enough? two blocks, links of two messages", answered, spec.Violated,
			"no deadlock, but a request may wait for ever before a link that others fill again and again: links need fair arbiters", deferred, "homes=0,2", "resharing=no"),
		check("are bounded links enough? two blocks, links of three messages", answered, spec.Holds,
			"three are never full, and then no arbiter is needed", blocks(deferred, "none")...),
		check("overflow: the nearest processor takes over, and nothing is lost", "no Ack lost", spec.Violated,
			"refuted if the switch remembers nothing of it: of two Acks one waits with the processor, the other in the buffer when there is room again", blocks(deferred, "interrupt")...),
		check("overflow: the nearest processor takes over, and nothing is lost", answered, spec.Holds,
			"confirmed if the switch marks the block until the processor is done with it", blocks(deferred, "marked")...),
		check("overflow: a message waits until an entry is free", "deadlock", spec.Violated,
			"deadlock: with one entry a switch, the requests for two blocks hold the entries of switch 4 and of the root, and each waits for the other's", blocks(deferred, "refuse")...),
	}
}
