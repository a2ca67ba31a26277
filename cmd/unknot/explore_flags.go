package main

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// exploreFlags are the flags for exploring states.
type exploreFlags struct {
	explore  string // never, auto, always or whole
	scenario spec.Scenario
	question checker.Question // as far as flags fill it in
	length   string
	once     []string
	notion   string
	within   *budget
	report   reportFlag
	outputs  outputs
}

func (f *exploreFlags) register(c *cobra.Command) {
	fs := c.Flags()
	wordFlag(c, &f.explore, "explore", checker.Auto.String(), checker.Explorations(),
		"explore reachable states: auto (if the tables leave a question open), never, always, or whole (always, and "+
			"past the first violation)")
	f.registerScenario(c)
	wordFlag(c, &f.notion, "notion", "local", []string{"local", "weak", "global"},
		"which deadlocks count: local (packets that wait only for each other can never move again), weak (and no "+
			"packet in flight can move now) or global (and nothing can be injected)")
	fs.BoolVar(&f.question.Liveness, "liveness", false,
		"also decide starvation freedom, or the responses of a protocol, under fairness")
	fs.BoolVar(&f.question.Symmetry, "symmetry", false, "symmetry reduction; every symmetry is verified before use")
	fs.BoolVar(&f.question.NoSample, "no-sample", false,
		"use --symmetry, and --partial-order of a protocol, even if a sample of the states shows that they do not pay")
	fs.BoolVar(&f.question.PartialOrder, "partial-order", false,
		"omit redundant orders of steps, in a network for deadlock only, in a protocol for deadlock and invariants")
	fs.BoolVar(&f.question.Slice, "slice", false,
		"of a protocol: omit variables and rules on which no property depends")
	fs.BoolVar(&f.question.Compact, "compact", false,
		"keep 64-bit hashes instead of states; this finds violations and never proves")
	fs.BoolVar(&f.question.Coverage, "coverage", false,
		"of a protocol file: count how often each when(...) holds and fails")
	fs.IntVar(&f.question.Closed, "keep", 0,
		"most states for which a closed set or ranking is written as evidence (default 10,000; -1: none)")
	fs.Int64Var(&f.question.MaxStates, "max-states", 0,
		"limit on states, which a search exceeds by a few hundred, with --disk by more; at the limit the answer is "+
			"unknown (exit 3); if not given, 200,000 if the tables leave deadlock open, otherwise none; 0: none")
	fs.IntVar(&f.question.Workers, "workers", 0,
		"parallel workers, and limit on the cores that the whole command uses (default one per core)")
	writes(fs, &f.question.Save, "checkpoint", "file to save the exploration in, periodically and on Ctrl-C")
	fs.DurationVar(&f.question.Every, "checkpoint-every", everyMinute, "time between checkpoints")
	fs.StringVar(&f.question.Resume, "resume", "",
		"checkpoint to resume; the exploration is also saved there, unless --checkpoint names another file")
	reads(fs, "resume")
	writesFolder(fs, &f.question.Disk, "disk",
		"folder for the states, if memory is too small; after an interruption, run the same command again")
}

const everyMinute = time.Minute

// openFlags say whether what no static method decides is explored, for commands that decide many networks or many
// times.
type openFlags struct {
	explore string // auto or never
	states  int64
}

func (f *openFlags) register(c *cobra.Command, what string) {
	wordFlag(c, &f.explore, "explore", checker.Auto.String(),
		[]string{checker.Auto.String(), checker.Never.String()}, "auto: explore the states "+what+"; never: leave that unknown")
	c.Flags().Int64Var(&f.states, "max-states", 20_000, "limit on the states of each exploration; 0: none")
}

// asked returns what the flags ask, for a [checker.Question].
func (f *openFlags) asked() (checker.Exploration, int64, error) {
	if f.states < 0 {
		return 0, 0, invalid("max-states", f.states, "a number of states; 0: no limit")
	}
	return explorationOf(f.explore), cmp.Or(f.states, math.MaxInt64), nil
}

func explorationOf(word string) checker.Exploration {
	return checker.Exploration(slices.Index(checker.Explorations(), word))
}

// registerScenario registers the flags of a network's scenario.
func (f *exploreFlags) registerScenario(c *cobra.Command) {
	fs := c.Flags()
	fs.StringVar(&f.length, "length", "0",
		"wormhole packet length in flits, or any; 0: a packet fits into one channel")
	fs.BoolVar(&f.scenario.Elastic, "elastic", false,
		"flits of a packet move one at a time, even with one-flit buffers")
	fs.BoolVar(&f.scenario.Shared, "shared", false, "a packet may enter a channel behind the tail of another")
	fs.IntVar(&f.scenario.Bubble, "bubble", 0,
		"bubble flow control: free buffers that a packet needs to enter a dimension, by injection or by a turn")
	fs.IntVar(&f.scenario.Sink, "sink", 0, "packets that a sink can hold; 0: it drains at once")
	fs.IntVar(&f.scenario.Packets, "packets", 0, "limit on the packets in all; 0: no limit")
	fs.StringArrayVar(&f.once, "once", nil,
		"inject only these packets, each once, as in --once 'A->B', or 'A->B:reply' of another class than the first "+
			"(repeatable)")
}

// scenarioOf reads the scenario of network n from the flags; n is nil if name is a
// machine, which has none.
func (f *exploreFlags) scenarioOf(name string, n *spec.Network) (spec.Scenario, error) {
	sc := f.scenario
	var err error
	if f.length == "any" {
		sc.Length = spec.AnyLength
	} else if sc.Length, err = strconv.Atoi(f.length); err != nil || sc.Length < 0 {
		return sc, invalid("length", f.length, "a number of flits, or any")
	}
	if n == nil {
		if !sc.Equal(spec.Scenario{}) || len(f.once) > 0 {
			err = fmt.Errorf("%s is a protocol: it has no packets, buffers or sinks to set", name)
		}
		return sc, err
	}
	for _, text := range f.once {
		flow, err := flowNamed(n, text)
		if err != nil {
			return sc, err
		}
		sc.Once = append(sc.Once, flow)
	}
	return sc, nil
}

// flowNamed reads A->B, or A->B:CLASS with the name or the number of a class. A name may contain an arrow or a colon:
// the first arrow between two names of nodes splits them, and a class is what follows no name of a node.
func flowNamed(n *spec.Network, text string) (f spec.Flow, err error) {
	if f, err = flowBetween(n, text); err == nil {
		return f, nil
	}
	i := strings.LastIndex(text, ":")
	if i < 0 {
		return f, err
	}
	of, wrong := flowBetween(n, text[:i])
	if wrong != nil {
		return f, err
	}
	name := text[i+1:]
	c := slices.Index(n.Classes(), name)
	if c < 0 {
		number, wrong := strconv.Atoi(name)
		if wrong != nil || number < 0 || number >= len(n.Classes()) {
			return f, invalid("once", text, "after the colon a class of %s: %s", n.Name(), words.OneOf(n.Classes()))
		}
		c = number
	}
	of.Target.Class = spec.Class(c)
	return of, nil
}

// flowBetween reads A->B, a flow in the first class.
func flowBetween(n *spec.Network, text string) (f spec.Flow, err error) {
	err = invalid("once", text, "the names of two nodes, as in A->B")
	for i := strings.Index(text, "->"); i >= 0 && i < len(text); {
		src, wrong := nodeNamed(n.Name(), n.Topology(), "once", text[:i])
		dst, also := nodeNamed(n.Name(), n.Topology(), "once", text[i+2:])
		if wrong = cmp.Or(wrong, also); wrong == nil {
			return spec.Flow{Source: src, Target: spec.Target{Dest: dst}}, nil
		}
		next := strings.Index(text[i+2:], "->")
		if err = wrong; next < 0 {
			break
		}
		i += 2 + next
	}
	return f, err
}

const mostWorkers = 1024 // each has tables of its own

// exploreQuestion is what the flags for exploring ask.
func (f *exploreFlags) exploreQuestion(m *meter) (checker.Question, error) {
	q := f.question
	q.Notion, _ = checker.ParseNotion(f.notion)
	q.Explore = explorationOf(f.explore)
	switch {
	case q.MaxStates < 0:
		return q, invalid("max-states", q.MaxStates, "a number of states; 0: no limit")
	case q.Workers < 0 || q.Workers > mostWorkers:
		return q, invalid("workers", q.Workers, "0 to %d", mostWorkers)
	case q.Every < 0:
		return q, invalid("checkpoint-every", q.Every, "%s; 0: only when it ends", durations)
	case q.Every > 0 && q.Every != everyMinute && q.Disk+q.Save+q.Resume == "":
		return q, errors.New("--checkpoint-every needs --checkpoint, --resume or --disk")
	case q.Disk != "" && (q.Save != "" || q.Resume != ""):
		return q, errors.New("--disk saves its own progress: want neither --checkpoint nor --resume")
	case q.Closed < -1:
		return q, invalid("keep", q.Closed, "a number of states, or -1 for none")
	}
	q.Memory, q.Saves = f.within.forStates(), &f.within.saving
	q.Exploring = f.outputs.exploring(m.explored)
	if f.report.file != "" && !q.PartialOrder && !q.Slice { // a page shows the coverage if it can be counted
		q.Coverage = true
	}
	return q, nil
}
