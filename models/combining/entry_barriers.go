package combining

import (
	"fmt"

	"github.com/seed-105a2da2/unknot/models/catalogue"
)

// each appends a property for every cluster to others.
func each(others []string, what string, clusters ...int) []string {
	for _, c := range clusters {
		others = append(others[:len(others):len(others)], fmt.Sprintf("cluster %d %s", c, what))
	}
	return others
}

func ReductionEntry() catalogue.Entry {
	return catalogue.Protocol(catalogue.Entry{
		Name: "reduction", Summary: "machine: a reduction combined in the switches of a tree, with any associative operation",
		Source:  paper,
		Claimed: reductionClaims,
		Machines: []catalogue.MachineExpectation{
			{Because: "the operation is associative: the tree only sets parentheses"},
			{Set: catalogue.Set{"operation": "commutative"}, Because: "likewise"},
			{Set: catalogue.Set{"home": "root", "partners": "two"}, Because: "likewise, and at every switch there are two"},
			{Set: catalogue.Set{"order": "arrival"}, Violated: []string{sequentialResult}, Because: "the one that comes first need not be the left one"},
			{Set: catalogue.Set{"order": "arrival", "operation": "commutative"}, Because: "the order does not matter"},
			{Set: catalogue.Set{"partners": "two"}, Violated: each([]string{"deadlock"}, "gets the result", 0, 1, 2, 3), Because: "at the root nothing joins the operand of 2 and 3, as 0 and 1 are on the home's side"},
			{Set: catalogue.Set{"level": "1"}, Violated: each([]string{"deadlock"}, "gets the result", 0, 1, 2, 3), Because: "the second at a switch joins one that has been sent, and goes nowhere"},
			{Set: catalogue.Set{"level": "0"}, Violated: []string{sequentialResult}, Because: "the home takes operands in order of arrival"},
			{Set: catalogue.Set{"level": "0", "operation": "commutative"}, Because: "which does not matter"},
			{Set: catalogue.Set{"level": "2", "operation": "commutative"}, Because: "likewise"},
			{Set: catalogue.Set{"eager": "yes"}, Because: "each switch waits for one operand from every side, so rounds keep apart"},
			{Set: catalogue.Set{"eager": "yes", "order": "arrival", "operation": "commutative"}, Violated: each([]string{"deadlock", sequentialResult, earlyResult}, "gets the result", 0, 1, 2, 3), Because: "two operands of one cluster count as two of a round"},
			{Set: catalogue.Set{"fan-out": "3", "depth": "1"}, Because: "any number of partners"},
			{Set: catalogue.Set{"pairs": "0-1,2-3,01-23", "home": "root"}, Because: "partners meet at every switch, and say which is the left one"},
			{Set: catalogue.Set{"pairs": "0-1,2-3,01-23", "home": "root", "eager": "yes"}, Because: "likewise; a word waits until the entry of its identifier is free"},
			{Set: catalogue.Set{"pairs": "0-1,2-3,01-23"}, Violated: each([]string{"deadlock"}, "gets the result", 0, 1, 2, 3), Because: "1 waits for the operand of 0, which is beside the home"},
			{Set: catalogue.Set{"pairs": "0-2,1-3", "home": "root"}, Violated: each([]string{"deadlock"}, "gets the result", 0, 1, 2, 3), Because: "0 waits where 2 does not come"},
			{Set: catalogue.Set{"pairs": "0-2,1-3", "home": "root", "meet": "common"}, Violated: []string{sequentialResult}, Because: "0 and 2 are combined before 1 comes"},
			{Set: catalogue.Set{"pairs": "0-2,1-3", "home": "root", "meet": "common", "operation": "commutative"}, Because: "which does not matter"},
		},
	}, catalogue.File(files, "reduction.star"))
}

func BarrierEntry() catalogue.Entry {
	return catalogue.Protocol(catalogue.Entry{
		Name: "barrier", Summary: "machine: hierarchical Elastic Barriers of groups of clusters",
		Source:  paper,
		Claimed: barrierClaims,
		Machines: []catalogue.MachineExpectation{
			{Because: "a switch sends one arrival for one from each side"},
			{Set: catalogue.Set{"ahead": "2"}, Because: "an arrival that runs ahead waits in its link"},
			{Set: catalogue.Set{"groups": overlapping}, Because: "arrivals of different groups are kept apart"},
			{Set: catalogue.Set{"groups": overlapping, "ahead": "2"}, Because: "likewise"},
			{Set: catalogue.Set{"groups": crossed}, Because: "groups that share switches, but no cluster"},
			{Set: catalogue.Set{"groups": crossed, "ahead": "2"}, Violated: each([]string{"deadlock"}, "leaves", 0, 1, 2, 3), Because: "0 and 3 run ahead and block the path to the root, each for the partner of the other"},
			{Set: catalogue.Set{"groups": crossed, "ahead": "2", "controller": "holds"}, Because: "at most one arrival per cluster and group is in transit, so none waits in a link"},
			{Set: catalogue.Set{"key": "processor"}, Because: "there is one group"},
			{Set: catalogue.Set{"key": "processor", "groups": overlapping}, Violated: each([]string{"deadlock", earlyLeave}, "leaves", 2, 3), Because: "an arrival of cluster 2 counts at either barrier; 3 arrives twice, so two of its four are left for 0 and 1"},
			{Set: catalogue.Set{"key": "processor", "groups": crossed}, Violated: each([]string{"deadlock", earlyLeave}, "leaves", 0, 1, 2, 3), Because: "groups that share no cluster, but sides of the root: an arrival from either side counts for both"},
			{Set: catalogue.Set{"key": "processor", "groups": "0,1/2,3"}, Because: "groups that share no side of a switch"},
		},
	}, catalogue.File(files, "barrier.star"))
}

func MemoryBarrierEntry() catalogue.Entry {
	return catalogue.Protocol(catalogue.Entry{
		Name: "memory-barrier", Summary: "machine: memory-based Elastic Barriers of groups of clusters",
		Source:  paper,
		Claimed: memoryBarrierClaims,
		Machines: []catalogue.MachineExpectation{
			{Because: "the counter reaches the number of members once all have arrived"},
			{Set: catalogue.Set{"level": "0"}, Because: "nothing is combined"},
			{Set: catalogue.Set{"level": "1"}, Violated: each([]string{"deadlock"}, "leaves", 0, 1, 2, 3), Because: "the second at a switch joins one that has been sent, and is not counted"},
			{Set: catalogue.Set{"level": "2"}, Because: "whatever is combined, the sum is the same"},
			{Set: catalogue.Set{"partners": "two"}, Violated: each([]string{"deadlock"}, "leaves", 0, 1, 2, 3), Because: "at the root nothing joins the arrivals of 2 and 3, as 0 and 1 are on the home's side"},
			{Set: catalogue.Set{"partners": "two", "home": "root"}, Because: "at every switch there are two"},
			{Set: catalogue.Set{"partners": "two", "home": "root", "groups": overlapping}, Violated: each([]string{"deadlock"}, "leaves", 0, 1, 2, 3), Because: "of group 0 one arrival passes the switch of 2 and 3"},
			{Set: catalogue.Set{"groups": overlapping}, Because: "the variables have different addresses"},
			{Set: catalogue.Set{"release": "sense"}, Because: "the flag has the other value in the next round (Hensgen, Finkel and Manber 1988)"},
			{Set: catalogue.Set{"release": "flag"}, Violated: each([]string{"deadlock", earlyLeave}, "leaves", 0, 1, 2, 3), Because: "it is still raised from the round before, or lowered before all have seen it"},
			{Set: catalogue.Set{"ahead": "2", "home": "root"}, Violated: []string{earlyLeave}, Because: "one variable for two rounds: two arrivals of a cluster count as two of a round"},
			{Set: catalogue.Set{"ahead": "2", "home": "root", "variables": "2"}, Because: "a variable for each point of synchronization, as the paper has it"},
			{Set: catalogue.Set{"ahead": "2", "variables": "2"}, Because: "likewise"},
			{Set: catalogue.Set{"groups": crossed, "home": "root"}, Because: "there is an entry for each"},
			{Set: catalogue.Set{"groups": crossed, "home": "root", "overflow": "refuse"}, Violated: each([]string{"deadlock"}, "leaves", 0, 1, 2, 3), Because: "at the root one group has the entry, and the arrival that it waits for is behind one of the other"},
			{Set: catalogue.Set{"groups": crossed, "home": "root", "overflow": "interrupt"}, Violated: each([]string{"deadlock"}, "leaves", 0, 1, 2, 3), Because: "one arrival is with the processor, and the other comes when there is an entry again"},
			{Set: catalogue.Set{"groups": crossed, "home": "root", "overflow": "marked"}, Because: "both are with the processor"},
		},
	}, catalogue.File(files, "memory_barrier.star"))
}
