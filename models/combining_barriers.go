package models

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/seed-105a2da2/unknot/models/combining"
	"github.com/seed-105a2da2/unknot/spec"
)

// Entries for what everybody takes part in: reductions and barriers.

// Properties of the machines, as package combining names them.
const (
	sequentialResult = "the result is the sequential one"
	earlyResult      = "nobody has a result before all operands are sent"
	earlyLeave       = "nobody leaves before all have arrived"
	restAsFirst      = "at rest links, wait buffers and counters are as at first"
)

// each appends a property for every cluster to others.
func each(others []string, what string, clusters ...int) []string {
	for _, c := range clusters {
		others = append(others[:len(others):len(others)], fmt.Sprintf("cluster %d %s", c, what))
	}
	return others
}

func treeOf(own ...Param) []Param {
	return append(own,
		integer("fan-out", 2, 2, 8, "children of a switch"),
		integer("depth", 2, 1, 3, "levels of switches; the machine has 2"),
		integer("link", 1, 1, 8, "messages that a link holds in one direction"))
}

func homeParam() Param {
	return choice("home", combining.HomeNames, "the memory of cluster 0, or one beside the root")
}

func homeOf(a Args) combining.Home {
	return combining.Home(index(combining.HomeNames, a.Text("home")))
}

func partnersParam() Param {
	return choice("partners", combining.PartnersNames, "messages that level 3 waits for: as many as will come, or, as in the machine, two")
}

func reductionEntry() Entry {
	return Entry{
		Name: "reduction", Summary: "machine: a reduction combined in the switches of a tree, with any associative operation",
		Source: combiningSource,
		Claims: reductionClaims(),
		Params: treeOf(
			choice("operation", []string{"any", "commutative"}, "any associative operation, or those that are commutative"),
			choice("order", combining.OrderNames, "how a switch puts two operands together"),
			partnersParam(), homeParam(),
			integer("level", 3, 0, 3, "waiting: 0 none, 1 none but recorded, 2 for a time, 3 for ever"),
			integer("rounds", 2, 1, 4, "reductions one after the other"),
			choice("eager", []string{"no", "yes"}, "clusters send the next operand before they have the result")),
		Machines: []MachineExpectation{
			{nil, nil, 0, "an operation is associative: the tree only sets brackets"},
			{set{"operation": "commutative"}, nil, 0, "likewise"},
			{set{"home": "root", "partners": "two"}, nil, 0, "likewise, and at every switch there are two"},
			{set{"order": "arrival"}, []string{sequentialResult}, 0, "the one that comes first need not be the left one"},
			{set{"order": "arrival", "operation": "commutative"}, nil, 0, "the order does not matter"},
			{set{"partners": "two"}, each([]string{"deadlock"}, "gets the result", 0, 1, 2, 3), 0, "at the root nothing joins the operand of 2 and 3, as 0 and 1 are on the home's side"},
			{set{"level": "1"}, each([]string{"deadlock"}, "gets the result", 0, 1, 2, 3), 0, "the second at a switch joins one that has been sent, and goes nowhere"},
			{set{"level": "0"}, []string{sequentialResult}, 0, "the home takes operands in order of arrival"},
			{set{"level": "0", "operation": "commutative"}, nil, 0, "which does not matter"},
			{set{"level": "2", "operation": "commutative"}, nil, 0, "likewise"},
			{set{"eager": "yes"}, nil, 0, "each switch waits for one operand from every side, so rounds keep apart"},
			{set{"eager": "yes", "order": "arrival", "operation": "commutative"},
				each([]string{"deadlock", sequentialResult, earlyResult}, "gets the result", 0, 1, 2, 3), 0, "two operands of one cluster count as two of a round"},
			{set{"fan-out": "3", "depth": "1"}, nil, 0, "any number of partners"},
		},
		machine: func(a Args) (spec.Machine, error) {
			return compiled(combining.Reduce(combining.ReduceOptions{
				FanOut: a.Int("fan-out"), Depth: a.Int("depth"), Home: homeOf(a), Level: combining.Waiting(a.Int("level")),
				Capacity: a.Int("link"), Rounds: a.Int("rounds"), Commutative: a.Text("operation") == "commutative",
				Order:    combining.Order(index(combining.OrderNames, a.Text("order"))),
				Partners: combining.Partners(index(combining.PartnersNames, a.Text("partners"))), Eager: a.Bool("eager"),
			}))
		},
	}
}

func groupParams() []Param {
	return []Param{
		{Name: "groups", Default: "0,1,2,3", Form: "0,1,2/2,3/...", Doc: "the clusters of each group"},
		integer("rounds", 2, 1, 4, "times that each cluster arrives at the barriers of its groups, in turn"),
		integer("ahead", 1, 1, 8, "barriers at which a cluster may have arrived without having left"),
	}
}

// groupsOf reads the parameter groups.
func groupsOf(a Args) ([][]int, error) {
	var groups [][]int
	for i, text := range strings.Split(a.Text("groups"), "/") {
		var members []int
		for _, one := range strings.Split(text, ",") {
			c, err := strconv.Atoi(one)
			if err != nil {
				return nil, fmt.Errorf("groups: %.20q in group %d: want clusters with commas between them, and / between groups", one, i)
			}
			members = append(members, c)
		}
		groups = append(groups, members)
	}
	return groups, nil
}

// Groups that share a cluster, and groups that share the switches of all.
const (
	overlapping = "0,1,2/2,3"
	crossed     = "0,2/1,3"
)

func barrierEntry() Entry {
	return Entry{
		Name: "barrier", Summary: "machine: hierarchical Elastic Barriers of groups of clusters",
		Source: combiningSource,
		Claims: barrierClaims(),
		Params: treeOf(append(groupParams(), choice("key", combining.KeyNames, "what an arrival is matched by: the paper names both"),
			choice("controller", combining.ControllerNames, "an arrival that runs ahead of its group is sent at once, or held back"))...),
		Machines: []MachineExpectation{
			{nil, nil, 0, "a switch sends one arrival for one from each side"},
			{set{"ahead": "2"}, nil, 0, "an arrival that runs ahead waits in its link"},
			{set{"groups": overlapping}, nil, 0, "arrivals of different groups are kept apart"},
			{set{"groups": overlapping, "ahead": "2"}, nil, 0, "likewise"},
			{set{"groups": crossed}, nil, 0, "groups that share switches, but no cluster"},
			{set{"groups": crossed, "ahead": "2"}, each([]string{"deadlock"}, "leaves", 0, 1, 2, 3), 0, "0 and 3 run ahead and block the way to the root, each for the partner of the other"},
			{set{"groups": crossed, "ahead": "2", "controller": "holds"}, nil, 0, "at most one arrival a cluster and group is on its way, so none waits in a link"},
			{set{"key": "processor"}, nil, 0, "there is one group"},
			{set{"key": "processor", "groups": overlapping}, each([]string{"deadlock", earlyLeave}, "leaves", 2, 3), 0, "an arrival of cluster 2 counts at either barrier; 3 arrives twice, so two of its four are left for 0 and 1"},
			{set{"key": "processor", "groups": "0,1/2,3"}, nil, 0, "groups that do not overlap have no processor in common"},
		},
		machine: func(a Args) (spec.Machine, error) {
			groups, err := groupsOf(a)
			if err != nil {
				return nil, err
			}
			return compiled(combining.Barrier(combining.BarrierOptions{
				FanOut: a.Int("fan-out"), Depth: a.Int("depth"), Groups: groups, Rounds: a.Int("rounds"), Ahead: a.Int("ahead"),
				Capacity: a.Int("link"), Key: combining.Key(index(combining.KeyNames, a.Text("key"))),
				Controller: combining.Controller(index(combining.ControllerNames, a.Text("controller"))),
			}))
		},
	}
}

func memoryBarrierEntry() Entry {
	return Entry{
		Name: "memory-barrier", Summary: "machine: memory-based Elastic Barriers of groups of clusters",
		Source: combiningSource,
		Claims: memoryBarrierClaims(),
		Params: treeOf(append(groupParams(), partnersParam(), homeParam(),
			integer("variables", 1, 1, 4, "of a group: its barriers take them in turn"),
			choice("release", combining.ReleaseNames, "a message to all, a flag with sense reversal, or a flag without"),
			integer("level", 3, 0, 3, "waiting: 0 none, 1 none but recorded, 2 for a time, 3 for ever"),
			choice("overflow", combining.OverflowNames, "of a wait buffer: none, wait in the link, or the nearest processor takes over, marked or not"),
			integer("entries", 1, 1, 16, "of a wait buffer that can overflow"))...),
		Machines: []MachineExpectation{
			{nil, nil, 0, "the counter comes to the number of members once all have arrived"},
			{set{"level": "0"}, nil, 0, "nothing is combined"},
			{set{"level": "1"}, each([]string{"deadlock"}, "leaves", 0, 1, 2, 3), 0, "the second at a switch joins one that has been sent, and is not counted"},
			{set{"level": "2"}, nil, 0, "whatever is combined, the sum is the same"},
			{set{"partners": "two"}, each([]string{"deadlock"}, "leaves", 0, 1, 2, 3), 0, "at the root nothing joins the arrivals of 2 and 3, as 0 and 1 are on the home's side"},
			{set{"partners": "two", "home": "root"}, nil, 0, "at every switch there are two"},
			{set{"partners": "two", "home": "root", "groups": overlapping}, each([]string{"deadlock"}, "leaves", 0, 1, 2, 3), 0, "of group 0 one arrival passes the switch of 2 and 3"},
			{set{"groups": overlapping}, nil, 0, "the variables have different addresses"},
			{set{"release": "sense"}, nil, 0, "the flag is another in the next round (Hensgen, Finkel and Manber 1988)"},
			{set{"release": "flag"}, each([]string{"deadlock", earlyLeave}, "leaves", 0, 1, 2, 3), 0, "it is still raised from the round before, or lowered before all have seen it"},
			{set{"ahead": "2", "home": "root"}, []string{earlyLeave}, 0, "one variable for two rounds: two arrivals of a cluster count as two of a round"},
			{set{"ahead": "2", "home": "root", "variables": "2"}, nil, 0, "a variable for each point of synchronization, as the paper has it"},
			{set{"ahead": "2", "variables": "2"}, nil, 0, "likewise"},
			{set{"groups": crossed, "home": "root"}, nil, 0, "there is an entry for each"},
			{set{"groups": crossed, "home": "root", "overflow": "refuse"}, each([]string{"deadlock"}, "leaves", 0, 1, 2, 3), 0, "at the root one group has the entry, and the arrival that it waits for is behind one of the other"},
			{set{"groups": crossed, "home": "root", "overflow": "interrupt"}, each([]string{"deadlock"}, "leaves", 0, 1, 2, 3), 0, "one arrival is with the processor, and the other comes when there is an entry again"},
			{set{"groups": crossed, "home": "root", "overflow": "marked"}, nil, 0, "both are with the processor"},
		},
		machine: func(a Args) (spec.Machine, error) {
			groups, err := groupsOf(a)
			if err != nil {
				return nil, err
			}
			return compiled(combining.MemoryBarrier(combining.MemoryBarrierOptions{
				FanOut: a.Int("fan-out"), Depth: a.Int("depth"), Groups: groups, Rounds: a.Int("rounds"), Ahead: a.Int("ahead"),
				Capacity: a.Int("link"), Home: homeOf(a), Level: combining.Waiting(a.Int("level")), Variables: a.Int("variables"),
				Partners: combining.Partners(index(combining.PartnersNames, a.Text("partners"))),
				Overflow: combining.Overflow(index(combining.OverflowNames, a.Text("overflow"))), Entries: a.Int("entries"),
				Release: combining.Release(index(combining.ReleaseNames, a.Text("release"))),
			}))
		},
	}
}
