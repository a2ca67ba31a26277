package combining

import (
	"fmt"

	"github.com/seed-105a2da2/unknot/models/catalogue"
)

// memoryEntry completes the entry of cells behind combining switches, with one
// operation on them.
func memoryEntry(operation string, e catalogue.Entry) catalogue.Entry {
	e.Source, e.Fixed = paper, catalogue.Set{"operation": operation}
	return catalogue.Protocol(e, catalogue.File(files, "memory.star"))
}

// unanswered lists the responses to requesters, and the deadlock that violates them
// where no step is possible.
func unanswered(clusters ...int) []string {
	all := []string{"deadlock"}
	for _, c := range clusters {
		all = append(all, fmt.Sprintf("cluster %d is answered", c))
	}
	return all
}

func FetchAddEntry() catalogue.Entry {
	return memoryEntry("fetch-add", catalogue.Entry{
		Name: "fetch-add", Summary: "machine: Fetch&Add combined in the switches of a tree",
		Claimed: fetchAddClaims,
		Machines: []catalogue.MachineExpectation{
			{Because: "f, then g is answered v and f(v) (Gottlieb et al. 1983)"},
			{Set: catalogue.Set{"home": "root", "requesters": "4"}, Because: "likewise"},
			{Set: catalogue.Set{"third": "waits"}, Because: "a message that waits in its link goes on after a reply"},
			{Set: catalogue.Set{"level": "0"}, Because: "nothing is combined"},
			{Set: catalogue.Set{"level": "1"}, Violated: []string{replySerial, cellSerial}, Because: "what is recorded was sent ahead without the second addend, which is lost"},
			{Set: catalogue.Set{"level": "3"}, Violated: unanswered(1, 2, 3), Because: "three have no partners for all"},
			{Set: catalogue.Set{"level": "3", "home": "root", "requesters": "4"}, Because: "everybody has a partner at every switch"},
			{Set: catalogue.Set{"level": "3", "requesters": "4"}, Violated: unanswered(1, 2, 3), Because: "cluster 0 is at home: nothing joins the request of 2 and 3 at the root"},
			{Set: catalogue.Set{"levels": "0,2,0,2"}, Because: "one that does not wait passes those that do"},
			{Set: catalogue.Set{"levels": "0,2,2,3"}, Violated: unanswered(2, 3), Because: "3 waits forever if the time of the others is up, and 2 with it if it has joined"},
			{Set: catalogue.Set{"history": "yes"}, Because: "requests are combined before they are served"},
			{Set: catalogue.Set{"variant": "literal"}, Violated: []string{replySerial, cellSerial}, Because: "a reply to one that passed alone is split as if it were that of two that combined later"},
			{Set: catalogue.Set{"partners": "3"}, Because: "each is answered with the result of those before it"},
			{Set: catalogue.Set{"partners": "3", "fan-out": "3", "depth": "1", "home": "root", "level": "3"}, Because: "three come, and three are waited for"},
			{Set: catalogue.Set{"partners": "3", "variant": "literal"}, Violated: []string{replySerial, cellSerial}, Because: "as with two"},
			{Set: catalogue.Set{"homes": "0,3", "each": "2", "requesters": "2"}, Because: "cells have entries of their own"},
			{Set: catalogue.Set{"homes": "0,0", "targets": "0,1/1,0/0", "overflow": "interrupt"}, Because: "an entry is found by its requester, wherever it is"},
			{Set: catalogue.Set{"homes": "0,0", "targets": "1/1/0", "levels": "0,3,2,2"}, Violated: unanswered(1), Because: "messages that wait forever do not wait in a link"},
			{Set: catalogue.Set{"homes": "0,0", "targets": "1/1/0", "levels": "0,3,2,2", "overflow": "refuse"}, Violated: unanswered(1, 2, 3), Because: "the only entry is never free again"},
			{Set: catalogue.Set{"homes": "0,0", "targets": "1/1/0", "levels": "0,3,2,2", "overflow": "refuse", "hash-keys": "2"}, Violated: unanswered(1), Because: "what waits forever takes the space of its own hash key only"},
			{Set: catalogue.Set{"homes": "0,1", "targets": "0/1/0/1", "requesters": "4"}, Because: "replies wait for replies only"},
			{Set: catalogue.Set{"homes": "0,1", "targets": "0/1/0/1", "requesters": "4", "vcs": "one"}, Violated: unanswered(0, 1, 2, 3), Because: "each home waits for the other to take a request"},
			{Set: catalogue.Set{"variant": "forgets-mapping"}, Violated: []string{replySerial, cellSerial}, Because: "two requests are answered the same"},
			{Set: catalogue.Set{"variant": "drops-second"}, Violated: unanswered(1, 2, 3), Because: "any of them may be the second"},
			{Set: catalogue.Set{"variant": "freed-twice"}, Violated: unanswered(1, 2, 3), Because: "the second time it is that of another request that waits"},
		},
	})
}

func TestAndSetEntry() catalogue.Entry {
	return memoryEntry("test-and-set", catalogue.Entry{
		Name: "test-and-set", Summary: "machine: Test&Set combined in the switches of a tree",
		Claimed: testAndSetClaims,
		Machines: []catalogue.MachineExpectation{
			{Because: "the second is told that it is set, as after the first"},
			{Set: catalogue.Set{"unsets": "1"}, Because: "likewise"},
			{Set: catalogue.Set{"level": "0"}, Because: "nothing is combined"},
			{Set: catalogue.Set{"level": "1"}, Because: "setting it once is as good as twice"},
			{Set: catalogue.Set{"level": "1", "unsets": "1"}, Because: "as far as serial orders go; with history=yes it is not linearizable"},
			{Set: catalogue.Set{"partners": "3", "unsets": "1"}, Because: "likewise for the third"},
			{Set: catalogue.Set{"homes": "0,3", "targets": "0,1/1/0"}, Because: "two locks"},
			{Set: catalogue.Set{"variant": "literal"}, Because: "even if replies are mixed up, exactly one is 0"},
			{Set: catalogue.Set{"level": "3"}, Violated: unanswered(1, 2, 3), Because: "three have no partners for all"},
			{Set: catalogue.Set{"variant": "forgets-mapping"}, Violated: []string{replySerial, cellSerial}, Because: "both get the lock"},
			{Set: catalogue.Set{"variant": "drops-second"}, Violated: unanswered(1, 2, 3), Because: "any of them may be the second"},
		},
	})
}

func ReadCombiningEntry() catalogue.Entry {
	return memoryEntry("read", catalogue.Entry{
		Name: "read-combining", Summary: "machine: reads combined in the switches of a tree, the reply multicast",
		Claimed: readCombiningClaims,
		Machines: []catalogue.MachineExpectation{
			{Because: "each entry remembers its two requesters"},
			{Set: catalogue.Set{"writes": "1"}, Because: "as far as serial orders go: links are FIFO, so the reply to a write comes behind that to an older read"},
			{Set: catalogue.Set{"writes": "1", "history": "yes"}, Violated: []string{realTime}, Because: "a read joins one that was served before the write"},
			{Set: catalogue.Set{"level": "0"}, Because: "nothing is combined"},
			{Set: catalogue.Set{"levels": "0,2,1,2"}, Because: "a request that joins is remembered, waiting or not"},
			{Set: catalogue.Set{"level": "2", "writes": "1"}, Because: "all that are combined are read after they were sent"},
			{Set: catalogue.Set{"homes": "0,2", "writes": "2", "targets": "1,0/0/0,1"}, Violated: []string{replySerial, cellSerial}, Because: "the reply with the later write does not pass the entry of the older read"},
			{Set: catalogue.Set{"homes": "0,0", "writes": "2", "targets": "1,0/0/0,1"}, Because: "it comes behind the reply that clears it"},
			{Set: catalogue.Set{"homes": "0,2", "writes": "2", "targets": "1,0/0/0,1", "level": "2"}, Because: "all that are combined are read after they were sent"},
			{Set: catalogue.Set{"homes": "0,1", "targets": "0/1/0/1", "requesters": "4", "vcs": "one", "level": "0"}, Violated: unanswered(0, 1, 2, 3), Because: "each home waits for the other to take a request"},
			{Set: catalogue.Set{"variant": "literal"}, Because: "replies are to the same address, and each names its first requester"},
			{Set: catalogue.Set{"level": "3"}, Violated: unanswered(1, 2, 3), Because: "three have no partners for all"},
			{Set: catalogue.Set{"variant": "drops-second"}, Violated: unanswered(1, 2, 3), Because: "any of them may be the second"},
		},
	})
}
