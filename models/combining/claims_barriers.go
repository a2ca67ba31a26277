package combining

import (
	"slices"

	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/spec"
)

// Properties of the machines, as their files name them.
const (
	sequentialResult = "the result is the sequential one"
	earlyResult      = "no cluster has a result before all operands are sent"
	earlyLeave       = "no member leaves before all have arrived"
	restAsFirst      = "at rest links, wait buffers and counters are as at first"
)

// Groups that share a cluster, and groups that share the switches of all clusters.
const (
	overlapping = "0,1,2/2,3"
	crossed     = "0,2/1,3"
)

func reductionClaims() []catalogue.Claim {
	c := claimsOf("reduction")
	const got, tree, crossedPairs = "cluster 2 gets the result", "pairs=0-1,2-3,01-23", "pairs=0-2,1-3"
	return slices.Concat(
		catalogue.Said("3.3", "with the waiting time infinite and operations generalized, any reduction is possible",
			c.check("any reduction is possible with level 3: is the result the sequential one, for every associative operation?", sequentialResult, spec.Holds,
				"confirmed, if operands are combined by the side from which they come: the order is that of the clusters. The operands are the letters of the free semigroup, so this covers every operation"),
			c.check("... everybody gets the result", got, spec.Holds, "confirmed"),
			c.check("... not before all have sent their operand", earlyResult, spec.Holds, "confirmed"),
			c.check("operands combined in order of arrival (one entry, updated in place)", sequentialResult, spec.Violated, "It fails for operations that do not commute", "order=arrival").RefutedIf("a switch combines operands in order of arrival, in one entry"),
			c.check("... for commutative operations", sequentialResult, spec.Holds, "confirmed", "order=arrival", "operation=commutative"),
		),
		catalogue.Said("5", left,
			c.check("the number of messages to combine can be left out, as level 0 or another stands for it", "deadlock", spec.Violated,
				"With the memory at cluster 0, one operand reaches the root, where 0 and 1 are on the home's side, and waits forever for a second", "partners=two").RefutedIf("two combine at every switch on the path, whether or not a member is on each side"),
			c.check("... if a switch waits for as many operands as will come", got, spec.Holds, "fixes it: the generalized matching of section 3, which the machine left out", "partners=expected"),
		),
		catalogue.Ours(
			c.check("... or if the variable is beside the root", got, spec.Holds, "fixes it, too", "partners=two", "home=root"),
			c.check("a cluster sends its next operand before it has the result", sequentialResult, spec.Holds, "the result is right if a switch keeps one operand for each side", "eager=yes"),
			c.check("... with one entry a key for all sides", earlyResult, spec.Violated, "no: two operands of one cluster are taken for operands of one round", "eager=yes", "order=arrival", "operation=commutative"),
			c.check("level 1, as for reads: an operand joins one that has been sent on", "deadlock", spec.Violated, "no: it is lost", "level=1"),
			c.check("level 0: the home takes all operands", sequentialResult, spec.Violated, "in order of arrival: right for commutative operations only", "level=0"),
			c.check("... commutative", sequentialResult, spec.Holds, "yes", "level=0", "operation=commutative"),
		),
		catalogue.Said("3.1", "b) any matching key: ... the ID of the message that is the partner in combining can be given, too (combining of different IDs)",
			c.check("each operand has an identifier of its own and names its partner's, and so do combined ones: is the result the sequential one?", sequentialResult, spec.Holds,
				"confirmed, in any order of arrival: the name says which is the left one", tree, "home=root"),
			c.check("... everybody gets the result", got, spec.Holds, "confirmed", tree, "home=root"),
			c.check("partners of which one passes no switch, being at the home", "deadlock", spec.Violated, "1 names 0 as its partner, whose operand stays at the memory of cluster 0", tree).RefutedIf("any operand can be named"),
			c.check("partners that do not pass the same first switch", "deadlock", spec.Violated, "0 names 2, but waits at the switch of 0 and 1 forever", crossedPairs, "home=root").RefutedIf("an operand waits at each switch that it passes"),
			c.check("... that wait only where both pass", got, spec.Holds, "fixes it: beside its partner's identifier an operand must say where they meet", crossedPairs, "home=root", "meet=common"),
		),
		catalogue.Ours(
			c.check("... is the result the sequential one?", sequentialResult, spec.Violated, "0 and 2 are combined before 1: right for commutative operations only", crossedPairs, "home=root", "meet=common"),
		),
	)
}

func barrierClaims() []catalogue.Claim {
	c := claimsOf("barrier")
	const (
		overlap    = "groups=" + overlapping
		byKeyAlone = "groups may share a side of a switch, and nothing but the key tells them apart; section 3.3 speaks of constraints on groups, and section 5 of a group register"
	)
	return slices.Concat(
		catalogue.Said("3.3", "the hierarchical Elastic Barrier is realized by a combining tree of barriers in hardware; waiting is infinite, and the matching key is the ID of the processor group",
			c.check("hierarchical Elastic Barrier: no member leaves before all have arrived", earlyLeave, spec.Holds, "confirmed, and again in the next round"),
			c.check("... everybody leaves", "cluster 3 leaves", spec.Holds, "confirmed"),
			c.check("... and nothing is left for the next round", restAsFirst, spec.Holds, "confirmed"),
		),
		catalogue.Said("3.3", "... and by a synchronization controller for synchronization commands that are issued several at a time",
			c.check("commands are issued ahead (elastic)", earlyLeave, spec.Holds, "confirmed: an early arrival waits in its link", "ahead=2"),
			c.check("commands are issued ahead by two groups that share no cluster, {0,2} and {1,3}", "deadlock", spec.Violated,
				"they block each other: the second arrival of 0 waits at the root for group 0, with that of 1 behind it; that of 3 waits for group 1, with that of 2 behind it. The paper names a controller, but not what it does", "ahead=2", "groups="+crossed),
		),
		catalogue.Ours(
			c.check("... if the controller holds an arrival back until its group has left the previous barrier", "cluster 3 leaves", spec.Holds,
				"fixes it: no arrival waits in a link", "ahead=2", "groups="+crossed, "controller=holds"),
			c.modulo("... modulo the symmetries of the tree that map the groups to each other, verified on the rules", earlyLeave, spec.Holds, "the same, with a quarter of the states", "ahead=2", "groups="+crossed, "controller=holds"),
		),
		catalogue.Said("3.3", "the matching key is the ID of the processor group",
			c.check("the key is the group: groups {0,1,2} and {2,3} do not mix", earlyLeave, spec.Holds, "confirmed", overlap),
			c.check("... everybody leaves", "cluster 3 leaves", spec.Holds, "confirmed", overlap, "ahead=2"),
		),
		catalogue.Said("5", "as matching key the processor ID is used for the hierarchical Elastic Barrier",
			c.check("the key is the processor: the overlapping groups {0,1,2} and {2,3} do not mix", earlyLeave, spec.Violated,
				"The arrival of cluster 2 at one barrier counts for the other", overlap, "key=processor").RefutedIf(byKeyAlone),
			c.check("... the groups {0,2} and {1,3}, which share switches, but no cluster", earlyLeave, spec.Violated,
				"At the root the arrivals of 0 and 1 come from one side, and count for either", "groups="+crossed, "key=processor").RefutedIf(byKeyAlone),
			c.check("... groups that share no side of a switch, as constraints on groups (3.3) and group registers (5) may ensure", earlyLeave, spec.Holds, "confirmed", "groups=0,1/2,3", "key=processor"),
		),
	)
}

func memoryBarrierClaims() []catalogue.Claim {
	c := claimsOf("memory-barrier")
	const overlap = "groups=" + overlapping
	return slices.Concat(
		catalogue.Said("3.3", "memory-based Elastic Barrier ... waiting is infinite, and the matching key is the address of a shared variable allotted to a group and a synchronization point",
			c.check("memory-based Elastic Barrier, level 3: no member leaves before all have arrived", earlyLeave, spec.Holds, "confirmed, and again in the next round"),
			c.check("... everybody leaves", "cluster 3 leaves", spec.Holds, "confirmed, if a switch waits for as many arrivals as will come"),
		),
		catalogue.Said("5", left,
			c.check("the number of messages to combine can be left out, as level 0 or another stands for it", "cluster 3 leaves", spec.Violated,
				"With the variable at cluster 0 the arrivals of 2 and 3 wait at the root forever", "partners=two").RefutedIf("two combine at every switch on the path, whether or not a member is on each side"),
			c.check("... with the variable beside the root", "cluster 3 leaves", spec.Holds, "confirmed for a group of all clusters", "partners=two", "home=root"),
			c.check("... for the groups {0,1,2} and {2,3}", "cluster 2 leaves", spec.Violated, "One arrival of group 0 passes the switch of 2 and 3, and waits there", "partners=two", "home=root", overlap).RefutedIf("two combine at every switch on the path, whether or not a member is on each side"),
			c.check("... at level 2", "cluster 2 leaves", spec.Holds, "fixes it: the counter adds up whatever has been combined", "partners=two", overlap, "level=2"),
		),
		catalogue.Ours(
			c.check("level 1, as for reads: an arrival joins one that has been sent on", "deadlock", spec.Violated, "no: it is not counted, and no member leaves", "level=1"),
		),
		catalogue.Said("3.3", "it is not subject to constraints that come from the composition of groups, as that by hardware is",
			c.check("groups are limited only by variables: {0,1,2} and {2,3} do not mix", earlyLeave, spec.Holds, "confirmed", overlap),
		),
		catalogue.Ours(
			c.check("a variable for each group, clusters run ahead (elastic)", earlyLeave, spec.Violated,
				"no: with one variable two arrivals of a cluster count as two of one barrier", "ahead=2", "home=root"),
		),
		catalogue.Said("3.3", "the matching key is the address of a shared variable allotted to a group and a synchronization point",
			c.check("a variable for each group and point of synchronization", earlyLeave, spec.Holds, "confirmed: two, used in turn, are enough to run one barrier ahead", "ahead=2", "home=root", "variables=2"),
		),
		catalogue.Ours(
			c.check("a wait buffer overflows, and an arrival that finds no entry waits in its link", "deadlock", spec.Violated,
				"not free for {0,2} and {1,3} with one entry: the arrival that would free the root's entry is behind one that waits for it", "groups="+crossed, "home=root", "overflow=refuse"),
		),
		catalogue.Said("3.2", "if it is detected that there is an overflow, it can be dealt with by asking the processor nearest to the switching node for it, by an interrupt",
			c.check("a wait buffer overflows, and an interrupt hands the arrival to the nearest processor: nothing is lost", "deadlock", spec.Violated,
				"One arrival is with the processor, its partner finds an entry in the switch, and they never meet", "groups="+crossed, "home=root", "overflow=interrupt").RefutedIf("the switch keeps no mark of what it has handed over"),
			c.check("... if the switch marks the key as taken over", "cluster 3 leaves", spec.Holds, "fixes it: nothing is lost", "groups="+crossed, "home=root", "overflow=marked"),
		),
		catalogue.Ours(
			c.check("release by a flag that the next round lowers", earlyLeave, spec.Violated, "caught: the flag is still raised when a cluster arrives for the second time", "release=flag"),
			c.check("release by a flag with sense reversal", earlyLeave, spec.Holds, "yes", "release=sense"),
			c.check("... everybody leaves", "cluster 3 leaves", spec.Holds, "yes", "release=sense"),
		),
	)
}
