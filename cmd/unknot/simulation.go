package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-105a2da2/unknot/checker/simulate"
	"github.com/seed-105a2da2/unknot/models/studies"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// simulationFlags say how simulate runs a network.
type simulationFlags struct {
	traffic, offered, length, delays, arbiter, selection, replies string
	hot                                                           []string
	share, burst                                                  float64
	window, queue, lanes, buffer, clocks, warmup                  int
	shared                                                        bool
	seed                                                          uint64
}

func (f *simulationFlags) register(c *cobra.Command) {
	fs := c.Flags()
	fs.StringVar(&f.traffic, "traffic", "uniform", "a pattern ("+patternNames()+
		"), FILE.csv (a matrix or a trace) or FILE.trace (BookSim's)")
	reads(fs, "traffic")
	fs.StringArrayVar(&f.hot, "hot", nil, "a hot node of --traffic hot-spot (repeatable)")
	fs.Float64Var(&f.share, "share", hotShare, "share of the messages that goes to the hot nodes")
	fs.StringVar(&f.offered, "load", "0.05..0.4",
		"flits that a sending node generates per clock: 0.1, a list 0.1,0.2 or a range 0.05..0.4")
	fs.Float64Var(&f.burst, "burst", 1, "messages in a burst, on average; 1: Bernoulli sources")
	fs.IntVar(&f.window, "window", 0,
		"limit on the outstanding requests of a node, each of which is answered; 0: an open loop")
	fs.StringVar(&f.replies, "replies", "", "class of the replies, with --window (default the last)")
	fs.IntVar(&f.queue, "queue", 0, "limit on the messages that wait at a node; more are refused; 0: no limit")
	fs.StringVar(&f.length, "length", "8", "flits of a message, or several with their weights, as in 1:3,9:1")
	fs.IntVar(&f.buffer, "buffer", 0,
		"override the buffer depth of a VC, in flits for wormhole switching, else in packets; 0: do not")
	fs.IntVar(&f.lanes, "lanes", 1, "messages that a node may send at once, each on its own VC")
	fs.StringVar(&f.delays, "delays", "three",
		"pipeline stages: three (routing, crossbar, link), five (VC and switch allocation, too), or their clocks, as "+
			"in route=1,link=4")
	fs.StringVar(&f.arbiter, "arbiter", simulate.ArbiterNames[0], words.OneOf(simulate.ArbiterNames))
	fs.StringVar(&f.selection, "selection", "any", "selection function: "+functionNames())
	fs.BoolVar(&f.shared, "shared", false, "a message may enter a channel behind the tail of another")
	fs.IntVar(&f.clocks, "clocks", 50_000, "length of a run, in clocks")
	fs.IntVar(&f.warmup, "warmup", aTenth, "clocks before measurement begins (default a tenth; with a trace 0)")
	fs.Uint64Var(&f.seed, "seed", 1, "seed of the random numbers")
	for flag, words := range map[string][]string{
		"traffic": patterns(), "arbiter": simulate.ArbiterNames, "selection": functions(), "delays": {"three", "five"},
	} {
		_ = c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveDefault))
	}
}

func patterns() []string {
	return namesOf(simulate.Patterns, func(p struct{ Name, Doc string }) string { return p.Name })
}

func functions() []string {
	return namesOf(simulate.Functions, func(f struct{ Name, Doc string }) string { return f.Name })
}

// fromFile reports whether traffic is read from a file.
func (f *simulationFlags) fromFile() bool {
	return strings.HasSuffix(f.traffic, ".csv") || strings.HasSuffix(f.traffic, ".trace")
}

func patternNames() string  { return strings.Join(patterns(), ", ") }
func functionNames() string { return strings.Join(functions(), ", ") }

const hotShare = 0.1

// aTenth is the default of --warmup, not a valid number.
const aTenth = math.MinInt32

// options turns the flags into options, except for what needs the network.
func (f *simulationFlags) options() (simulate.Options, error) {
	o := simulate.Options{
		Traffic: simulate.Traffic{Pattern: f.traffic, Hot: slices.Clone(f.hot), Share: f.share},
		Burst:   f.burst, Window: f.window, Queue: f.queue, Lanes: f.lanes, Shared: f.shared,
		Clocks: f.clocks, Warmup: f.warmup, Seed: f.seed,
	}
	if o.Warmup == aTenth {
		o.Warmup = f.clocks / 10
	}
	arbiter := slices.Index(simulate.ArbiterNames, f.arbiter)
	choose, known := simulate.Function(f.selection)
	o.Arbiter, o.Select = simulate.Arbiter(max(arbiter, 0)), choose
	const most, mostClocks = 1 << 20, 1 << 30
	switch {
	case !slices.Contains(patterns(), f.traffic) && !f.fromFile():
		return o, invalid("traffic", f.traffic, "%s, or FILE.csv or FILE.trace", patternNames())
	case f.traffic == "hot-spot" && len(f.hot) == 0:
		return o, fmt.Errorf("traffic hot-spot needs a hot node: want --hot NODE")
	case f.traffic != "hot-spot" && len(f.hot) > 0:
		return o, invalid("hot", f.hot[0], "--traffic hot-spot with it")
	case f.traffic != "hot-spot" && f.share != hotShare:
		return o, invalid("share", f.share, "--traffic hot-spot with it")
	case f.replies != "" && f.window == 0:
		return o, invalid("replies", f.replies, "--window with it")
	case !(f.share > 0 && f.share <= 1):
		return o, invalid("share", f.share, "more than 0, at most 1")
	case !(f.burst >= 1 && f.burst <= 1e6):
		return o, invalid("burst", f.burst, "1 to 1000000")
	case f.window < 0 || f.window > most:
		return o, invalid("window", f.window, "0 to %d", most)
	case f.queue < 0 || f.queue > most:
		return o, invalid("queue", f.queue, "0 to %d", most)
	case f.lanes < 1 || f.lanes > 64:
		return o, invalid("lanes", f.lanes, "1 to 64")
	case f.buffer < 0 || f.buffer > most:
		return o, invalid("buffer", f.buffer, "0 to %d", most)
	case arbiter < 0:
		return o, invalid("arbiter", f.arbiter, "%s", words.OneOf(simulate.ArbiterNames))
	case !known:
		return o, invalid("selection", f.selection, "%s", words.OneOf(functions()))
	case f.clocks < 1 || f.clocks > mostClocks:
		return o, invalid("clocks", f.clocks, "1 to %d", mostClocks)
	case o.Warmup < 0 || o.Warmup >= f.clocks:
		return o, invalid("warmup", f.warmup, "0 to %d, less than the clocks", f.clocks-1)
	}
	var err error
	if o.Lengths, err = f.lengths(); err == nil {
		o.Delays, err = f.routers()
	}
	return o, err
}

// lengths reads 8 or 1:3,9:1.
func (f *simulationFlags) lengths() (all []simulate.Length, err error) {
	for part := range strings.SplitSeq(f.length, ",") {
		flits, weight, weighted := strings.Cut(part, ":")
		l := simulate.Length{Weight: 1}
		l.Flits, err = strconv.Atoi(flits)
		if err == nil && weighted {
			l.Weight, err = strconv.ParseFloat(weight, 64)
		}
		if err != nil || l.Flits < 1 || l.Flits > 4096 || !(l.Weight > 0 && l.Weight <= math.MaxFloat32) {
			return nil, invalid("length", f.length, "1 to 4096 flits, or several with weights, as in 1:3,9:1")
		}
		all = append(all, l)
	}
	return all, nil
}

// routers reads the delays.
func (f *simulationFlags) routers() (d simulate.Delays, err error) {
	switch f.delays {
	case "three":
		return simulate.ThreeClocks(), nil
	case "five":
		return simulate.FiveStages(), nil
	}
	d.Credit = 1
	of := map[string]*int{
		"route": &d.Route, "allocate": &d.Allocate, "switch": &d.Switch, "cross": &d.Cross, "link": &d.Link,
		"credit": &d.Credit, "source": &d.Source,
	}
	for part := range strings.SplitSeq(f.delays, ",") {
		name, value, _ := strings.Cut(part, "=")
		x, err := strconv.Atoi(value)
		if of[name] == nil || err != nil || x < 0 || x > 1000 {
			return d, invalid("delays", f.delays,
				"three, five, or clocks from 0 to 1000 for route, allocate, switch, cross, link, credit and source, "+
					"as in route=1,link=4")
		}
		*of[name] = x
	}
	if d.Switch+d.Cross+d.Link < 1 || d.Credit < 1 {
		return d, invalid("delays", f.delays, "at least a clock for switch, cross or link, and for credit")
	}
	return d, nil
}

// loads reads 0.1, 0.1,0.2 or 0.05..0.4, a range with the given number of points.
func (f *simulationFlags) loads(points int) (all []float64, err error) {
	wrong := invalid("load", f.offered, "more than 0 and at most 1, ascending, as in 0.1, 0.1,0.2 or 0.05..0.4")
	if points < 2 || points > 1000 {
		return nil, invalid("points", points, "2 to 1000")
	}
	parse := func(text string) float64 {
		x, e := strconv.ParseFloat(text, 64)
		if e != nil || !(x > 0 && x <= 1) {
			err = wrong
		}
		return x
	}
	if low, high, ok := strings.Cut(f.offered, ".."); ok {
		from, to := parse(low), parse(high)
		if from >= to {
			err = wrong
		}
		for i := range points {
			x := from + (to-from)*float64(i)/float64(points-1)
			x, _ = strconv.ParseFloat(strconv.FormatFloat(x, 'g', 9, 64), 64) // 0.1 rather than 0.10000000000000002
			all = append(all, x)
		}
		return all, err
	}
	for part := range strings.SplitSeq(f.offered, ",") {
		all = append(all, parse(part))
	}
	for i := range all[1:] {
		if all[i] >= all[i+1] {
			err = wrong
		}
	}
	return all, err
}

type simulateFlags struct {
	networkFlags
	simulationFlags
	compare         []string
	points, seeds   int
	saturation      bool
	json            bool
	csv, plot, page string
	out             string
	paper           string
	figure          *studies.Figure
	given           []string // flags, without those of a setup
}
