package combining

import "github.com/seed-105a2da2/unknot/models/catalogue"

const paper = "Tanaka, Matsumoto, Tsuiki and Hiraki: Generalized Combining (OCHANOMIZ-5)"

func InvalidateAckEntry() catalogue.Entry {
	return catalogue.Protocol(catalogue.Entry{
		Name:    "invalidate-ack",
		Summary: "machine: invalidate requests and Acks that combine in a tree of switches, step by step",
		Source:  paper,
		Machines: []catalogue.MachineExpectation{
			{Violated: neitherWrites("deadlock", "nothing lost", "no Ack lost"), Because: "a request and an Ack of one block share an entry: one overwrites the other"},
			{Set: catalogue.Set{"resharing": "no"}, Violated: neitherWrites("deadlock", "nothing lost", "no Ack lost"), Because: "likewise"},
			{Set: catalogue.Set{"writers": "3"}, Because: "no other request is ever in an entry, or discarded"},
			{Set: catalogue.Set{"variant": "parts"}, Violated: neitherWrites("nothing lost", "empty at rest"), Because: "a request is discarded at switch 4; its entries below are never cleared"},
			{Set: catalogue.Set{"variant": "parts", "writers": "0,3"}, Because: "requests of home's own cluster pass no switch, so none is discarded"},
			{Set: catalogue.Set{"variant": "parts", "writers": "2,3"}, Violated: []string{"nothing lost", "the request of 2 is answered", "cluster 2 writes", "the request of 3 is answered", "cluster 3 writes"}, Because: "the request is discarded at the first switch, so no entry below has it"},
			{Set: catalogue.Set{"variant": "parts", "writers": "0,3", "queue": "merged"}, Violated: []string{"nothing lost", "empty at rest", "the request of 0 is answered", "cluster 0 writes", "the request of 3 is answered", "cluster 3 writes"}, Because: "home itself discards the later one"},
			{Set: catalogue.Set{"variant": "repeat"}, Violated: neitherWrites("nothing lost", "empty at rest"), Because: "the entry that the discarded request left at its own switch discards the next one"},
			{Set: catalogue.Set{"variant": "return"}, Violated: []string{"cluster 1 writes", "cluster 3 writes"}, Because: "what comes back may find the other's entry again and again"},
			{Set: catalogue.Set{"variant": "defer"}, Because: "a queue in the order of arrival"},
			{Set: catalogue.Set{"writers": "3", "reopen": "when-replied"}, Violated: []string{"no copy beside a writer"}, Because: "a cluster reads from home while the reply is in transit"},
			{Set: catalogue.Set{"writers": "3", "reopen": "when-replied", "resharing": "no"}, Because: "without readers and with one writer no cluster can get a copy"},
			{Set: catalogue.Set{"variant": "defer", "reopen": "when-replied"}, Violated: []string{"no copy beside a writer", "one writer"}, Because: "likewise, or home begins for the next writer: a cluster answers an invalidate while it writes"},
			{Set: catalogue.Set{"variant": "defer", "fanout": "4", "depth": "1"}, Because: "likewise"},
			{Set: catalogue.Set{"variant": "defer", "link": "1"}, Violated: []string{"the request of 3 is answered", "cluster 3 writes"}, Because: "messages of the other cluster may fill a link again and again; but links lead up, then down, to nodes that take everything"},
			{Set: catalogue.Set{"variant": "defer", "acks": "owed"}, Because: "as with defer: one more Ack waits in a cluster"},
			{Set: catalogue.Set{"variant": "sound"}, Because: "no downward link waits for an upward one, and every waiting source gets its turn"},
			{Set: catalogue.Set{"variant": "sound", "link": "1"}, Because: "likewise"},
			{Set: catalogue.Set{"variant": "sound", "arbiter": "round-robin", "unit": "place-each", "resharing": "no"}, Because: "likewise, with any arbiter, and the unit anywhere"},
			{Set: catalogue.Set{"variant": "sound", "depth": "1", "homes": "0,1", "writers": "0,1", "link": "1", "overflow": "marked", "interrupts": "travel"}, Because: "likewise: interrupts go down, answers up"},
			{Set: catalogue.Set{"variant": "defer", "link": "1", "arbiter": "batch"}, Because: "as without arbiters, and none is passed over forever"},
			{Set: catalogue.Set{"variant": "defer", "depth": "1", "homes": "0,1", "writers": "0,1", "link": "1", "multicast": "copies", "overflow": "interrupt", "interrupts": "travel", "acks": "owed", "arbiter": "batch", "resharing": "no"}, Violated: []string{"deadlock", "no Ack lost", "the request of 0 is answered", "cluster 0 writes", "the request of 1 is answered", "cluster 1 writes"}, Because: "one Ack waits with the processor, the other in the buffer"},
			{Set: catalogue.Set{"variant": "defer", "homes": "0,2", "link": "3", "resharing": "no"}, Because: "blocks share nothing but links, which are never full"},
			{Set: catalogue.Set{"variant": "defer", "homes": "0,2", "link": "2", "resharing": "no"}, Violated: neitherWrites(), Because: "a link that fills again each time lets others in first: fairness of links is not assumed"},
			{Set: catalogue.Set{"variant": "defer", "depth": "1", "homes": "0,1", "writers": "0,1", "link": "3", "overflow": "refuse"}, Violated: []string{"deadlock", "the request of 0 is answered", "cluster 0 writes", "the request of 1 is answered", "cluster 1 writes"}, Because: "each dummy Ack of a block waits for the entry of the other, before the Ack that would free it"},
			{Set: catalogue.Set{"variant": "defer", "depth": "1", "homes": "0,1", "writers": "0,1", "link": "3", "overflow": "refuse", "keys": "2"}, Because: "the two blocks have hash keys of their own, with an entry each"},
			{Set: catalogue.Set{"variant": "defer", "depth": "1", "homes": "0,1", "writers": "0,1", "link": "3", "overflow": "interrupt"}, Violated: []string{"no Ack lost", "the request of 0 is answered", "cluster 0 writes", "the request of 1 is answered", "cluster 1 writes"}, Because: "one Ack waits with the processor, the other in the buffer"},
			{Set: catalogue.Set{"variant": "defer", "depth": "1", "homes": "0,1", "writers": "0,1", "link": "3", "overflow": "marked"}, Because: "a block's messages meet in one place"},
		},
		Claimed: invalidateAckClaims,
	}, catalogue.File(files, "invalidate-ack.star"))
}

// neitherWrites adds the responses of writers 1 and 3.
func neitherWrites(violated ...string) []string {
	return append(violated, "the request of 1 is answered", "cluster 1 writes", "the request of 3 is answered", "cluster 3 writes")
}
