package models

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/seed-105a2da2/unknot/models/combining"
	"github.com/seed-105a2da2/unknot/spec"
)

// Entries for what generalized combining does beside invalidation: operations on
// memory, reductions and barriers. The claims are in combining_memory_claims.go.

// Properties of the machines, as package combining names them.
const (
	replySerial = "the replies are those of a serial order"
	cellSerial  = "the cell ends as that order leaves it"
)

func memoryParams(level string, own ...Param) []Param {
	return append([]Param{
		choice("variant", combining.SplittingNames, "how a switch finds the entry of a reply and splits it; literal: by the address alone"),
		{Name: "level", Default: level, Min: 0, Max: 3, Doc: "waiting: 0 none, 1 none but recorded, 2 for a time, 3 for ever"},
		{Name: "levels", Default: "same", Form: "same|0,1,2,3,...", Doc: "the waiting level of each cluster's requests, if they differ"},
		choice("home", combining.HomeNames, "the memory of cluster 0, or one beside the root"),
		{Name: "homes", Default: "one", Form: "one|0,3,root,...", Doc: "the home of each of up to 4 cells, a cluster or the root; one: a single cell, at home"},
		integer("fan-out", 2, 2, 8, "children of a switch"),
		integer("depth", 2, 1, 6, "levels of switches; the machine has 2"),
		integer("link", 1, 1, 8, "messages that a link holds in one direction"),
		choice("vcs", []string{"two", "one"}, "requests and replies have links of their own, or share them"),
		integer("requesters", 3, 1, 16, "clusters that send requests, the last ones"),
		integer("each", 1, 1, 4, "requests of each, one after the other, to one cell after the other"),
		{Name: "targets", Default: "turn", Form: "turn|0,1/1/0/...", Doc: "the cells that each requester's requests are for, the last cluster first, instead of each"},
		integer("partners", 2, 2, 8, "requests that combine at a switch; the machine's are 2"),
		choice("third", []string{"passes", "waits"}, "a request that finds an entry with so many: goes on by itself, or waits in its link"),
		choice("overflow", combining.OverflowNames, "of a wait buffer: none, wait in the link, or the nearest processor takes over, marked or not"),
		integer("entries", 1, 1, 16, "of a wait buffer that can overflow"),
	}, own...)
}

func memoryOptions(a Args) (combining.MemoryOptions, error) {
	o := combining.MemoryOptions{
		FanOut: a.Int("fan-out"), Depth: a.Int("depth"), Home: homeOf(a),
		Level: combining.Waiting(a.Int("level")), Capacity: a.Int("link"), OneVC: a.Text("vcs") == "one",
		Requesters: a.Int("requesters"), Each: a.Int("each"), Joined: a.Int("partners"), ThirdWaits: a.Text("third") == "waits",
		Overflow: combining.Overflow(index(combining.OverflowNames, a.Text("overflow"))), Entries: a.Int("entries"),
		Splitting: combining.Splitting(index(combining.SplittingNames, a.Text("variant"))),
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
func levelsOf(a Args) ([]combining.Waiting, error) {
	if a.Text("levels") == "same" {
		return nil, nil
	}
	var levels []combining.Waiting
	for _, one := range strings.Split(a.Text("levels"), ",") {
		level, err := strconv.ParseUint(one, 10, 8)
		if err != nil {
			return nil, fmt.Errorf("levels: %.20q: want a level from 0 to 3 for each cluster, with commas between them", one)
		}
		levels = append(levels, combining.Waiting(level))
	}
	return levels, nil
}

// homesOf reads the parameter homes.
func homesOf(a Args) ([]int, error) {
	if a.Text("homes") == "one" {
		return nil, nil
	}
	var homes []int
	for _, one := range strings.Split(a.Text("homes"), ",") {
		if one == "root" {
			homes = append(homes, combining.BesideRoot)
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
func targetsOf(a Args) ([][]int, error) {
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
func memoryEntry(e Entry, with func(combining.MemoryOptions, Args) (*combining.Memory, error)) Entry {
	build := func(a Args) (*combining.Memory, error) {
		o, err := memoryOptions(a)
		if err != nil {
			return nil, err
		}
		return with(o, a)
	}
	e.Source = combiningSource
	e.machine = func(a Args) (spec.Machine, error) {
		m, err := build(a)
		if err != nil {
			return nil, err
		}
		return m.Machine()
	}
	e.Questions = []Question{{"linearizable", "every run's replies are those of an order that keeps to real time, by a check that knows nothing of the machine",
		of(build, func(ctx context.Context, m *combining.Memory) (Answer, error) {
			const most = 500_000
			v, err := m.Linearizable(ctx, most)
			if err != nil {
				return Answer{}, err
			}
			answer := Answer{Verdict: v.Verdict, Because: v.Because,
				Evidence: append(v.Lines(), fmt.Sprintf("%d pairs of a state and a history walked, %d histories checked", v.Nodes, v.Checked))}
			if v.Verdict == spec.Violated {
				answer.Picture = v.SVG
				answer.Parts = machineParts(func() (spec.Machine, error) { return v.Order().Machine() }, spec.Holds, "no order of the history: %s", combining.NoOrder)
				answer.Believe = []string{"the machine has a run with the history in the part; the question finds it, and no second program"}
			}
			return answer, nil
		})}}
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

func fetchAddEntry() Entry {
	return memoryEntry(Entry{
		Name: "fetch-add", Summary: "machine: Fetch&Add combined in the switches of a tree",
		Params: memoryParams("2"),
		Claims: fetchAddClaims(),
		Machines: []MachineExpectation{
			{nil, nil, 0, "f, then g is answered v and f(v) (Gottlieb et al. 1983)"},
			{set{"home": "root", "requesters": "4"}, nil, 0, "likewise"},
			{set{"third": "waits"}, nil, 0, "what waits in its link is let on by a reply"},
			{set{"level": "0"}, nil, 0, "nothing is combined"},
			{set{"level": "1"}, []string{replySerial, cellSerial}, 0, "what is recorded was sent ahead without the second addend, which is lost"},
			{set{"level": "3"}, unanswered(1, 2, 3), 0, "three have no partners for all"},
			{set{"level": "3", "home": "root", "requesters": "4"}, nil, 0, "everybody has a partner at every switch"},
			{set{"level": "3", "requesters": "4"}, unanswered(1, 2, 3), 0, "cluster 0 is at home: nothing joins the request of 2 and 3 at the root"},
			{set{"levels": "0,2,0,2"}, nil, 0, "one that does not wait passes those that do"},
			{set{"levels": "0,2,2,3"}, unanswered(2, 3), 0, "3 waits for ever if the time of the others is up, and 2 with it if it has joined"},
			{set{"variant": "literal"}, []string{replySerial, cellSerial}, 0, "a reply to one that passed alone is split as if it were that of two that combined later"},
			{set{"partners": "3"}, nil, 0, "each is told what those before it make of the cell"},
			{set{"partners": "3", "fan-out": "3", "depth": "1", "home": "root", "level": "3"}, nil, 0, "three come, and three are waited for"},
			{set{"partners": "3", "variant": "literal"}, []string{replySerial, cellSerial}, 0, "as with two"},
			{set{"homes": "0,3", "each": "2", "requesters": "2"}, nil, 0, "cells have entries of their own"},
			{set{"homes": "0,0", "targets": "0,1/1,0/0", "overflow": "interrupt"}, nil, 0, "an entry is found by its requester, wherever it is"},
			{set{"homes": "0,0", "targets": "1/1/0", "levels": "0,3,2,2"}, unanswered(1), 0, "what waits for ever does not do so in a link"},
			{set{"homes": "0,0", "targets": "1/1/0", "levels": "0,3,2,2", "overflow": "refuse"}, unanswered(1, 2, 3), 0, "the only entry is never free again"},
			{set{"homes": "0,1", "targets": "0/1/0/1", "requesters": "4"}, nil, 0, "replies wait for replies only"},
			{set{"homes": "0,1", "targets": "0/1/0/1", "requesters": "4", "vcs": "one"}, unanswered(0, 1, 2, 3), 0, "each home waits for the other to take a request"},
			{set{"variant": "forgets-mapping"}, []string{replySerial, cellSerial}, 0, "two requests are answered the same"},
			{set{"variant": "drops-second"}, unanswered(1, 2, 3), 0, "any of them may be the second"},
			{set{"variant": "freed-twice"}, unanswered(1, 2, 3), 0, "the second time it is somebody else's who waits"},
		},
	}, func(o combining.MemoryOptions, _ Args) (*combining.Memory, error) { return combining.FetchAdd(o) })
}

func testAndSetEntry() Entry {
	return memoryEntry(Entry{
		Name: "test-and-set", Summary: "machine: Test&Set combined in the switches of a tree",
		Params: memoryParams("2", integer("unsets", 0, 0, 2, "writes of 0 that the last requester sends first, not combined")),
		Claims: testAndSetClaims(),
		Machines: []MachineExpectation{
			{nil, nil, 0, "the second is told that it is set, as after the first"},
			{set{"unsets": "1"}, nil, 0, "likewise"},
			{set{"level": "0"}, nil, 0, "nothing is combined"},
			{set{"level": "1"}, nil, 0, "setting it once is as good as twice"},
			{set{"level": "1", "unsets": "1"}, nil, 0, "as far as serial orders go; see the question linearizable"},
			{set{"partners": "3", "unsets": "1"}, nil, 0, "likewise for the third"},
			{set{"homes": "0,3", "targets": "0,1/1/0"}, nil, 0, "two locks"},
			{set{"variant": "literal"}, nil, 0, "whoever is told the wrong reply, exactly one is told 0"},
			{set{"level": "3"}, unanswered(1, 2, 3), 0, "three have no partners for all"},
			{set{"variant": "forgets-mapping"}, []string{replySerial, cellSerial}, 0, "both get the lock"},
			{set{"variant": "drops-second"}, unanswered(1, 2, 3), 0, "any of them may be the second"},
		},
	}, func(o combining.MemoryOptions, a Args) (*combining.Memory, error) {
		return combining.TestAndSet(o, a.Int("unsets"))
	})
}

func readCombiningEntry() Entry {
	return memoryEntry(Entry{
		Name: "read-combining", Summary: "machine: reads combined in the switches of a tree, the reply multicast",
		Params: memoryParams("1", integer("writes", 0, 0, 2, "writes of 1 that the last requester sends first, not combined")),
		Claims: readCombiningClaims(),
		Machines: []MachineExpectation{
			{nil, nil, 0, "each entry remembers its two requesters"},
			{set{"writes": "1"}, nil, 0, "as far as serial orders go: links are FIFO, so the reply to a write comes behind that to an older read; see linearizable"},
			{set{"level": "0"}, nil, 0, "nothing is combined"},
			{set{"levels": "0,2,1,2"}, nil, 0, "whoever joins is remembered, waiting or not"},
			{set{"level": "2", "writes": "1"}, nil, 0, "all that are combined are read after they were sent"},
			{set{"homes": "0,2", "writes": "2", "targets": "1,0/0/0,1"}, []string{replySerial, cellSerial}, 0, "the reply with the later write does not pass the entry of the older read"},
			{set{"homes": "0,0", "writes": "2", "targets": "1,0/0/0,1"}, nil, 0, "it comes behind the reply that clears it"},
			{set{"homes": "0,2", "writes": "2", "targets": "1,0/0/0,1", "level": "2"}, nil, 0, "all that are combined are read after they were sent"},
			{set{"homes": "0,1", "targets": "0/1/0/1", "requesters": "4", "vcs": "one", "level": "0"}, unanswered(0, 1, 2, 3), 0, "each home waits for the other to take a request"},
			{set{"variant": "literal"}, nil, 0, "replies are to the same address, and each names its first requester"},
			{set{"level": "3"}, unanswered(1, 2, 3), 0, "three have no partners for all"},
			{set{"variant": "drops-second"}, unanswered(1, 2, 3), 0, "any of them may be the second"},
		},
	}, func(o combining.MemoryOptions, a Args) (*combining.Memory, error) {
		return combining.ReadCombining(o, a.Int("writes"))
	})
}
