package combining

import (
	"slices"

	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/spec"
)

// claimsOf makes the claims of an entry.
type claimsOf string

// check is a claim that exploring the whole machine settles.
func (entry claimsOf) check(says, property string, want spec.Verdict, finding string, sets ...string) catalogue.Claim {
	return catalogue.Claim{Says: says, Command: catalogue.Command("check "+string(entry)+" --whole --liveness", sets...), Property: property, Want: want, Finding: finding}
}

// modulo is a claim that one state of each orbit settles; liveness needs all states.
func (entry claimsOf) modulo(says, property string, want spec.Verdict, finding string, sets ...string) catalogue.Claim {
	return catalogue.Claim{Says: says, Command: catalogue.Command("check "+string(entry)+" --whole --symmetry", sets...), Property: property, Want: want, Finding: finding}
}

// Properties of the machines, as their files name them.
const (
	replySerial = "the replies are those of a serial order"
	cellSerial  = "the cell ends as that order leaves it"
	realTime    = "linearizable"
)

// Cells, as the entries take them.
const (
	homes03  = "homes=0,3"
	homes01  = "homes=0,1"
	litmus   = "targets=1,0/0/0,1" // 3 reads cell 1 and then 0, 2 reads 0, 1 writes 0 and then 1
	bothWays = "targets=0/1/0/1"   // every second cluster asks for cell 0, the others for cell 1
	oneEach  = "cell 0 alone is as in a serial order"
)

const (
	toWaiting = "a reply reaches a cluster that waits for one"
	restEmpty = "at rest links and wait buffers are empty"
	answered2 = "cluster 2 is answered"
)

const (
	addressKey = "as matching key ... the physical memory address space is used"
	left       = "the number of messages that are combined is limited to 2; so giving it can be replaced by giving the waiting time (level 0 or others)"
)

func fetchAddClaims() []catalogue.Claim {
	c := claimsOf("fetch-add")
	return slices.Concat(
		catalogue.Said("3.3", "by generalizing operations, indivisible synchronizing instructions such as Fetch&Add and Test&Set can be combined",
			c.check("Fetch&Add requests can be combined: are the replies those of some serial order?", replySerial, spec.Holds,
				"confirmed for three requesters and a fixed waiting time (level 2), if a switch knows which reply belongs to its entry: by address and first requester"),
			c.check("... and the cell ends right", cellSerial, spec.Holds, "confirmed"),
			c.check("... each request gets one reply", toWaiting, spec.Holds, "confirmed: no reply reaches a cluster that waits for none"),
			c.check("... and is answered", answered2, spec.Holds, "confirmed"),
			c.check("... entries are freed", restEmpty, spec.Holds, "confirmed: at rest nothing is left"),
		),
		catalogue.Ours(
			c.check("... even in real time: is what the clusters see linearizable?", realTime, spec.Holds, "yes: requests are combined before they are served", "history=yes"),
		),
		catalogue.Said("5", addressKey,
			c.check("the matching key is the address alone: are the replies those of some serial order?", replySerial, spec.Violated,
				"The request of cluster 2 leaves switch 4 alone when its time is up; those of 1 and 3 combine there after it; the reply to 2 comes back first, and is split for them", "variant=literal").RefutedIf("the address alone tells which entry a reply belongs to"),
		),
		catalogue.Ours(
			c.check("... in real time", realTime, spec.Violated, "no", "variant=literal", "history=yes"),
			c.check("a fixed waiting time makes combining more likely; without any (level 0)", replySerial, spec.Holds, "nothing depends on it: the same replies are possible", "level=0"),
			c.check("level 1, as for reads: can Fetch&Add be combined with a request that has been sent on?", cellSerial, spec.Violated,
				"no: the addend of the second never reaches the cell", "level=1"),
			c.check("level 3: waiting forever for a partner, three requesters", "deadlock", spec.Violated, "a request without a partner waits forever: level 3 is for messages that are sure to come", "level=3"),
			c.check("level 3, all four clusters, memory beside the root", answered2, spec.Holds, "served: everybody has a partner at every switch", "level=3", "home=root", "requesters=4"),
			c.check("level 3, all four clusters, memory at cluster 0 as in the machine", "deadlock", spec.Violated,
				"at the root nothing joins the request of 2 and 3: 0 and 1 are on the other side", "level=3", "requesters=4"),
		),
		catalogue.Said("5", "the waiting time can be set in four steps (level 0 to 3), by 2 bits in the packet",
			c.check("the level is in two bits of each packet: requests to one address with levels 2, 0 and 2", replySerial, spec.Holds, "confirmed", "levels=0,2,0,2"),
		),
		catalogue.Ours(
			c.check("... with levels 2, 2 and 3: what is combined waits as its first", answered2, spec.Violated,
				"cluster 2, which is to wait for a fixed time only, waits forever if it has joined the request of 3", "levels=0,2,2,3"),
			c.check("at most two combine: a third request goes on alone, or waits in its link", replySerial, spec.Holds, "both are right", "third=waits"),
			c.check("links of two messages, two requests a cluster", replySerial, spec.Holds, "yes", "link=2", "each=2", "requesters=2"),
		),
		catalogue.Said("5", "overflow is checked for each space that is assigned to a hash key",
			c.check("one cell's request waits forever, and takes the only entry of the two cells' hash key", "cluster 2 is answered", spec.Violated,
				"no request for the other cell gets an entry again: cells of one hash key block each other", "homes=0,0", "targets=1/1/0", "levels=0,3,2,2", "overflow=refuse"),
			c.check("... the cells have different hash keys", "cluster 2 is answered", spec.Holds, "served: entries are counted by hash key", "homes=0,0", "targets=1/1/0", "levels=0,3,2,2", "overflow=refuse", "hash-keys=2"),
		),
		catalogue.Said("3.1", "(a) the number of messages to be combined can be given",
			c.check("any number of messages can be combined. Three, in the machine's tree", replySerial, spec.Holds, "confirmed: the third is told what the first two add up to", "partners=3"),
		),
		catalogue.Ours(
			c.check("... three children of one switch at level 3, where two are to combine", "deadlock", spec.Violated, "the third has no partner", "fan-out=3", "depth=1", "home=root", "level=3"),
			c.check("... where three are", answered2, spec.Holds, "fixes it: the number of partners must be the number that will come", "fan-out=3", "depth=1", "home=root", "level=3", "partners=3"),
			c.check("... in real time", realTime, spec.Holds, "yes", "fan-out=3", "depth=1", "home=root", "partners=3", "history=yes"),
		),
		catalogue.Said("5", addressKey,
			c.check("... with the address alone as the key", replySerial, spec.Violated, "As with two", "partners=3", "variant=literal").RefutedIf("the address alone tells which entry a reply belongs to"),
		),
		catalogue.Ours(
			c.check("two cells with homes 0 and 3, each cluster adds to both: are all replies those of one serial order?", replySerial, spec.Holds, "yes", homes03, "each=2"),
			c.check("... in real time", realTime, spec.Holds, "yes", homes03, "targets=0,1/1/0", "history=yes"),
			c.check("does combining for one address hold up another? Cluster 1 waits forever for one, 2 and 3 ask for another at the same home", answered2, spec.Holds,
				"no: a request that waits for a partner is in the wait buffer, not in a link", "homes=0,0", "targets=1/1/0", "levels=0,3,2,2"),
			c.check("... if the wait buffer has one entry, and what finds none waits in its link", answered2, spec.Violated,
				"yes: the entry never becomes free again", "homes=0,0", "targets=1/1/0", "levels=0,3,2,2", "overflow=refuse"),
			c.check("... if the nearest processor takes over", answered2, spec.Holds, "fixes it", "homes=0,0", "targets=1/1/0", "levels=0,3,2,2", "overflow=interrupt"),
			c.check("overflow: are replies those of a serial order, though a cell can have an entry in the switch and one with the processor?", replySerial, spec.Holds,
				"yes, if a reply goes to the entry that names its requester; unlike with barriers, no request waits forever, as the window ends", "homes=0,0", "targets=0,1/1,0/0", "overflow=interrupt"),
			c.check("nodes are joined by one link in each direction, and VCs are not mentioned: requests to homes 0 and 1 and their replies share the links", "deadlock", spec.Violated,
				"no: a home cannot reply, as its link is full of a reply that waits for a link full of requests, and likewise at the other home", homes01, bothWays, "requesters=4", "vcs=one"),
			c.check("... is combining the cause? Level 0", "deadlock", spec.Violated, "no: without it 10 steps lead to the same, in place of 22", homes01, bothWays, "requesters=4", "vcs=one", "level=0"),
			c.check("... with separate VCs for requests and replies", answered2, spec.Holds, "fixes it: a reply waits only for replies, and the last of them for a cluster that takes it", homes01, bothWays, "requesters=4"),
			c.check("... or with links of two messages", "deadlock", spec.Holds, "four requests do not fill them", homes01, bothWays, "requesters=4", "vcs=one", "link=2"),
			c.check("a request that would be the third waits in its link: does it hold up requests for another cell behind it?", "cluster 0 is answered", spec.Holds,
				"for a time only: the reply that frees the entry waits for no request", homes01, "targets=0/0,1/0/1", "requesters=4", "link=2", "third=waits"),
			c.check("... one cluster is a home and a requester, with one entry at the switch; what finds none waits in its link", "deadlock", spec.Violated,
				"yes, after 5 steps: the request of the home's own cluster waits for the entry, which only the reply behind it frees", homes01, "fan-out=3", "depth=1", "targets=0,1/0/1", "vcs=one", "overflow=refuse"),
			c.check("memory beside the root, all four clusters", replySerial, spec.Holds, "yes", "home=root", "requesters=4"),
			c.modulo("... modulo the seven symmetries of the tree, which are checked in every state", replySerial, spec.Holds, "the same, with an eighth of the states", "home=root", "requesters=4"),
			c.check("a switch that forgets the first addend when it splits a reply", replySerial, spec.Violated, "caught", "variant=forgets-mapping"),
			c.check("an entry that is freed twice", answered2, spec.Violated, "caught: the second time, a waiting request is dropped", "variant=freed-twice"),
		),
	)
}

func testAndSetClaims() []catalogue.Claim {
	c := claimsOf("test-and-set")
	return slices.Concat(
		catalogue.Said("3.3", "by generalizing operations, indivisible synchronizing instructions such as Fetch&Add and Test&Set can be combined",
			c.check("Test&Set requests can be combined: exactly one is told that the cell was free", replySerial, spec.Holds, "confirmed for level 2"),
		),
		catalogue.Ours(
			c.check("... with a holder that unsets the cell", cellSerial, spec.Holds, "yes", "unsets=1"),
			c.check("... in real time", realTime, spec.Holds, "yes, at level 2", "unsets=1", "history=yes"),
		),
		catalogue.Said("5", addressKey,
			c.check("the matching key is the address alone", replySerial, spec.Holds, "confirmed: replies may be mixed up, but only one of them is 0", "variant=literal"),
		),
		catalogue.Ours(
			c.check("level 1, as for reads", replySerial, spec.Holds, "replies are those of a serial order: setting once is as good as twice", "level=1", "unsets=1"),
			c.check("level 1, in real time", realTime, spec.Violated,
				"no: a request joins one served before the cell was unset, is told that the cell is set, and does not set it", "level=1", "unsets=1", "history=yes"),
			c.check("three combine: exactly one is told that the cell was free", replySerial, spec.Holds, "yes", "partners=3", "unsets=1"),
			c.check("two locks with homes 0 and 3", replySerial, spec.Holds, "yes", homes03, "each=2"),
			c.check("... in real time", realTime, spec.Holds, "yes", homes03, "targets=0,1/1/0", "history=yes"),
			c.check("a switch that gives both requesters the same reply", replySerial, spec.Violated, "caught: both hold the lock", "variant=forgets-mapping"),
		),
	)
}

func readCombiningClaims() []catalogue.Claim {
	c := claimsOf("read-combining")
	return slices.Concat(
		catalogue.Said("3.3", "the replied data are multicast to the requesters at the node that combined them",
			c.check("the reply is multicast to all combined requesters: each is answered", answered2, spec.Holds, "confirmed for level 1, which the paper uses"),
			c.check("... exactly once", toWaiting, spec.Holds, "confirmed"),
		),
		catalogue.Said("5", "level 1 ...: if it is a reply, it is looked up whether requests were combined, and the entry is cleared",
			c.check("... a reply clears the entry", restEmpty, spec.Holds, "confirmed: at rest no entry is left"),
		),
		catalogue.Said("5", addressKey,
			c.check("... with the matching key of the paper, the address alone", toWaiting, spec.Holds, "confirmed: a reply names its requester, so the entry only adds the second", "variant=literal"),
		),
		catalogue.Ours(
			c.check("... all are answered", answered2, spec.Holds, "yes", "variant=literal", "each=2"),
		),
		catalogue.Said("5", "the waiting time can be set in four steps (level 0 to 3), by 2 bits in the packet",
			c.check("the level is in two bits of each packet: reads with levels 2, 1 and 2", answered2, spec.Holds, "confirmed", "levels=0,2,1,2"),
		),
		catalogue.Ours(
			c.check("does a cluster that writes read its own write?", replySerial, spec.Holds, "yes: links are FIFO, so the reply to its write follows that to the older read, which clears the entry", "writes=1"),
			c.check("does a read see every write that completed before it?", realTime, spec.Violated,
				"no: a read joins one served before the write (level 1). Such reads suit only blocks that nobody writes before all copies are invalidated", "writes=1", "history=yes"),
			c.check("... if reads wait for partners before they are sent (level 2)", realTime, spec.Holds, "yes", "writes=1", "level=2", "history=yes"),
		),
		catalogue.Said("3.1", "(a) the number of messages to be combined can be given",
			c.check("three read together", answered2, spec.Holds, "confirmed", "partners=3"),
		),
		catalogue.Ours(
			c.check("blocks with homes 0 and 3: each is answered", answered2, spec.Holds, "yes", homes03, "each=2"),
			c.check("1 writes block 0 and then block 1, 3 reads block 1 and then block 0: does it see the earlier write if it sees the later? Homes 0 and 2, level 1", replySerial, spec.Violated,
				"no: it reads what was written last, and then joins the read of 2, which was served before all writes: not even sequentially consistent", "homes=0,2", litmus, "writes=2"),
			c.check("... each block alone", oneEach, spec.Holds, "behaves as a memory: only two blocks together show it", "homes=0,2", litmus, "writes=2"),
			c.check("... both blocks at home 0", replySerial, spec.Holds, "then it does: the reply with the later write follows that to the older read, which clears the entry", "homes=0,0", litmus, "writes=2"),
			c.check("... at level 2", replySerial, spec.Holds, "then it does: whatever is combined has not been served", "homes=0,2", litmus, "writes=2", "level=2"),
			c.check("requests to homes 0 and 1 and their replies share the links, level 0", "deadlock", spec.Violated, "they block each other", homes01, bothWays, "requesters=4", "vcs=one", "level=0"),
			c.check("... at level 1", "deadlock", spec.Holds, "not with these requests: once combined, they are too few to fill the links", homes01, bothWays, "requesters=4", "vcs=one"),
			catalogue.Claim{Says: "... at level 0, links of two messages, eight clusters at one switch", Command: catalogue.Command("check read-combining", "fan-out=8", "depth=1", homes01, bothWays+"/0/1/0/1", "requesters=8", "link=2", "vcs=one", "level=0"), Property: "deadlock", Want: spec.Violated,
				Finding: "longer links only take more requests"},
			c.check("a reply that is dropped for the second requester", answered2, spec.Violated, "caught", "variant=drops-second"),
		),
	)
}
