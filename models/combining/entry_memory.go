package combining

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// Properties of the machines, as package combining names them.
const (
	replySerial = "the replies are those of a serial order"
	cellSerial  = "the cell ends as that order leaves it"
	realTime    = "linearizable"
)

func memoryParams(level string, own ...catalogue.Param) []catalogue.Param {
	return append([]catalogue.Param{
		catalogue.Choice("variant", SplittingNames, "how a switch finds the entry of a reply and splits it; literal: by the address alone"),
		{Name: "level", Default: level, Min: 0, Max: 3, Doc: "waiting: 0 none, 1 none but recorded, 2 for a time, 3 forever"},
		{Name: "levels", Default: "same", Form: "same|0,1,2,3,...", Doc: "the waiting level of each cluster's requests, if they differ"},
		catalogue.Choice("home", HomeNames, "the memory of cluster 0, or one beside the root"),
		{Name: "homes", Default: "one", Form: "one|0,3,root,...", Doc: "the home of each of up to 4 cells, a cluster or the root; one: a single cell, at home"},
		catalogue.Integer("fan-out", 2, 2, 8, "children of a switch"),
		catalogue.Integer("depth", 2, 1, 6, "levels of switches; the machine has 2"),
		catalogue.Integer("link", 1, 1, 8, "messages that a link holds in one direction"),
		catalogue.Choice("vcs", []string{"two", "one"}, "requests and replies have links of their own, or share them"),
		catalogue.Integer("requesters", 3, 1, 16, "clusters that send requests, the last ones"),
		catalogue.Integer("each", 1, 1, 4, "requests of each, one after the other, to one cell after the other"),
		{Name: "targets", Default: "turn", Form: "turn|0,1/1/0/...", Doc: "the cells that each requester's requests are for, the last cluster first, instead of each"},
		catalogue.Integer("partners", 2, 2, 8, "requests that combine at a switch; the machine's are 2"),
		catalogue.Choice("third", []string{"passes", "waits"}, "a request that finds an entry with so many: goes on by itself, or waits in its link"),
		catalogue.Choice("overflow", OverflowNames, "of a wait buffer: none, wait in the link, or the nearest processor takes over, marked or not"),
		catalogue.Integer("entries", 1, 1, 16, "of a wait buffer that can overflow"),
		catalogue.Choice("history", []string{"no", "yes"}, "yes: remember what was answered before a request was sent, and check that replies are linearizable"),
	}, own...)
}

func memoryOptions(a catalogue.Args) (MemoryOptions, error) {
	o := MemoryOptions{
		FanOut: a.Int("fan-out"), Depth: a.Int("depth"), Home: homeOf(a),
		Level: Waiting(a.Int("level")), Capacity: a.Int("link"), OneVC: a.Text("vcs") == "one",
		Requesters: a.Int("requesters"), Each: a.Int("each"), Joined: a.Int("partners"), ThirdWaits: a.Text("third") == "waits",
		Overflow: catalogue.Chosen[Overflow](a, "overflow", OverflowNames), Entries: a.Int("entries"),
		Splitting: catalogue.Chosen[Splitting](a, "variant", SplittingNames), History: a.Bool("history"),
	}
	var err error
	if o.Levels, err = levelsOf(a); err != nil {
		return o, err
	}
	if o.Homes, err = homesOf(a); err != nil {
		return o, err
	}
	o.Targets, err = targetsOf(a)
	return o, err
}

// levelsOf reads the parameter levels.
func levelsOf(a catalogue.Args) ([]Waiting, error) {
	if a.Text("levels") == "same" {
		return nil, nil
	}
	var levels []Waiting
	for _, one := range strings.Split(a.Text("levels"), ",") {
		level, err := strconv.ParseUint(one, 10, 8)
		if err != nil {
			return nil, fmt.Errorf("levels: %.20q: want a level from 0 to 3 for each cluster, with commas between them", one)
		}
		levels = append(levels, Waiting(level))
	}
	return levels, nil
}

// homesOf reads the parameter homes.
func homesOf(a catalogue.Args) ([]int, error) {
	if a.Text("homes") == "one" {
		return nil, nil
	}
	var homes []int
	for _, one := range strings.Split(a.Text("homes"), ",") {
		if one == "root" {
			homes = append(homes, BesideRoot)
			continue
		}
		home, err := strconv.ParseUint(one, 10, 8)
		if err != nil {
			return nil, fmt.Errorf("homes: %.20q: want a cluster or root for each cell, with commas between them", one)
		}
		homes = append(homes, int(home))
	}
	return homes, nil
}

// targetsOf reads the parameter targets.
func targetsOf(a catalogue.Args) ([][]int, error) {
	if a.Text("targets") == "turn" {
		return nil, nil
	}
	var targets [][]int
	for i, text := range strings.Split(a.Text("targets"), "/") {
		list := []int{}
		for _, one := range strings.Split(text, ",") {
			k, err := strconv.ParseUint(one, 10, 8)
			if err != nil {
				return nil, fmt.Errorf("targets: %.20q of requester %d: want cells with commas between them, and / between requesters", one, i)
			}
			list = append(list, int(k))
		}
		targets = append(targets, list)
	}
	return targets, nil
}

// memoryEntry completes the entry of a cell behind combining switches.
func memoryEntry(e catalogue.Entry, build func(catalogue.Args, MemoryOptions) (*Memory, error)) catalogue.Entry {
	e.Source = paper
	e.BuildMachine = func(a catalogue.Args) (states.Machine, error) {
		o, err := memoryOptions(a)
		if err != nil {
			return nil, err
		}
		m, err := build(a, o)
		if err != nil {
			return nil, err
		}
		return m.Machine()
	}
	return e
}

// unanswered are the responses of requesters, and what comes with them where
// nothing goes on.
func unanswered(clusters ...int) []string {
	all := []string{"deadlock"}
	for _, c := range clusters {
		all = append(all, fmt.Sprintf("cluster %d is answered", c))
	}
	return all
}

func FetchAddEntry() catalogue.Entry {
	return memoryEntry(catalogue.Entry{
		Name: "fetch-add", Summary: "machine: Fetch&Add combined in the switches of a tree",
		Params: memoryParams("2"),
		Claims: fetchAddClaims(),
		Machines: []catalogue.MachineExpectation{
			{Because: "f, then g is answered v and f(v) (Gottlieb et al. 1983)"},
			{Set: catalogue.Set{"home": "root", "requesters": "4"}, Because: "likewise"},
			{Set: catalogue.Set{"third": "waits"}, Because: "what waits in its link is let on by a reply"},
			{Set: catalogue.Set{"level": "0"}, Because: "nothing is combined"},
			{Set: catalogue.Set{"level": "1"}, Violated: []string{replySerial, cellSerial}, Because: "what is recorded was sent ahead without the second addend, which is lost"},
			{Set: catalogue.Set{"level": "3"}, Violated: unanswered(1, 2, 3), Because: "three have no partners for all"},
			{Set: catalogue.Set{"level": "3", "home": "root", "requesters": "4"}, Because: "everybody has a partner at every switch"},
			{Set: catalogue.Set{"level": "3", "requesters": "4"}, Violated: unanswered(1, 2, 3), Because: "cluster 0 is at home: nothing joins the request of 2 and 3 at the root"},
			{Set: catalogue.Set{"levels": "0,2,0,2"}, Because: "one that does not wait passes those that do"},
			{Set: catalogue.Set{"levels": "0,2,2,3"}, Violated: unanswered(2, 3), Because: "3 waits forever if the time of the others is up, and 2 with it if it has joined"},
			{Set: catalogue.Set{"history": "yes"}, Because: "requests are combined before they are served"},
			{Set: catalogue.Set{"variant": "literal"}, Violated: []string{replySerial, cellSerial}, Because: "a reply to one that passed alone is split as if it were that of two that combined later"},
			{Set: catalogue.Set{"partners": "3"}, Because: "each is told what those before it make of the cell"},
			{Set: catalogue.Set{"partners": "3", "fan-out": "3", "depth": "1", "home": "root", "level": "3"}, Because: "three come, and three are waited for"},
			{Set: catalogue.Set{"partners": "3", "variant": "literal"}, Violated: []string{replySerial, cellSerial}, Because: "as with two"},
			{Set: catalogue.Set{"homes": "0,3", "each": "2", "requesters": "2"}, Because: "cells have entries of their own"},
			{Set: catalogue.Set{"homes": "0,0", "targets": "0,1/1,0/0", "overflow": "interrupt"}, Because: "an entry is found by its requester, wherever it is"},
			{Set: catalogue.Set{"homes": "0,0", "targets": "1/1/0", "levels": "0,3,2,2"}, Violated: unanswered(1), Because: "what waits forever does not do so in a link"},
			{Set: catalogue.Set{"homes": "0,0", "targets": "1/1/0", "levels": "0,3,2,2", "overflow": "refuse"}, Violated: unanswered(1, 2, 3), Because: "the only entry is never free again"},
			{Set: catalogue.Set{"homes": "0,1", "targets": "0/1/0/1", "requesters": "4"}, Because: "replies wait for replies only"},
			{Set: catalogue.Set{"homes": "0,1", "targets": "0/1/0/1", "requesters": "4", "vcs": "one"}, Violated: unanswered(0, 1, 2, 3), Because: "each home waits for the other to take a request"},
			{Set: catalogue.Set{"variant": "forgets-mapping"}, Violated: []string{replySerial, cellSerial}, Because: "two requests are answered the same"},
			{Set: catalogue.Set{"variant": "drops-second"}, Violated: unanswered(1, 2, 3), Because: "any of them may be the second"},
			{Set: catalogue.Set{"variant": "freed-twice"}, Violated: unanswered(1, 2, 3), Because: "the second time it is that of another request that waits"},
		},
	}, func(_ catalogue.Args, o MemoryOptions) (*Memory, error) { return FetchAdd(o) })
}

func TestAndSetEntry() catalogue.Entry {
	return memoryEntry(catalogue.Entry{
		Name: "test-and-set", Summary: "machine: Test&Set combined in the switches of a tree",
		Params: memoryParams("2", catalogue.Integer("unsets", 0, 0, 2, "writes of 0 that the last requester sends first, not combined")),
		Claims: testAndSetClaims(),
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
	}, func(a catalogue.Args, o MemoryOptions) (*Memory, error) { return TestAndSet(o, a.Int("unsets")) })
}

func ReadCombiningEntry() catalogue.Entry {
	return memoryEntry(catalogue.Entry{
		Name: "read-combining", Summary: "machine: reads combined in the switches of a tree, the reply multicast",
		Params: memoryParams("1", catalogue.Integer("writes", 0, 0, 2, "writes of 1 that the last requester sends first, not combined")),
		Claims: readCombiningClaims(),
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
	}, func(a catalogue.Args, o MemoryOptions) (*Memory, error) { return ReadCombining(o, a.Int("writes")) })
}
