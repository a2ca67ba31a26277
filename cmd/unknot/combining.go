package main

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-105a2da2/unknot/checker/simulate"
	combining "github.com/seed-105a2da2/unknot/models/combining/study"
)

type combiningFlags struct {
	opt         combining.Options
	load, waits string
	third       string
	points      int
	seeds       int
	paper       string
	csv         string
	json        bool
	budget      budget
}

func combiningCommand(std streams) *cobra.Command {
	var f combiningFlags
	c := &cobra.Command{
		Use:   "combining",
		Short: "Measure what combining gains on a hot cell",
		Long: `Combining runs requests on a tree of switches that combine them, clock by clock, at each load
and each way to combine. "unknot check fetch-add" and "unknot check read-combining" decide the
protocols.

A number in --wait is the time that a request waits for a partner (level 2; 0: nothing is
combined). With "recorded" the first request goes on at once, and others join it until it is
answered (level 1, as reads do). With "queue" a request joins an equal one that is still in the
FIFO that it enters, as in the NYU Ultracomputer and RP3.

A hop takes a clock. Accepted load is in answers per clock and cluster, latency in clocks
from a request to its answer. "carried" is the share of the answered requests that were
combined into another one, "memory" the number of requests that the memory served per clock.

--paper measures statements of the paper and says how each fares: "rates" (how many requests
combine, against a queue of two), "tolerance" (how far apart two requests may come) or "acks"
(the Acks of an invalidation). Depths, loads and waiting times are then the setup's.`,
		Example: `  unknot simulate combining
  unknot simulate combining --depth 6 --load 0.005..0.3 --wait 0,4,16
  unknot simulate combining --depth 6 --hot 0.1 --load 0.1..1 --csv hot.csv
  unknot simulate combining --depth 6 --wait queue,recorded,16 --load 0.004,0.02 --seeds 5
  unknot simulate combining --paper tolerance`,
		Args: wants(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			if f.paper != "" {
				return f.runPaper(c, std)
			}
			return f.run(c.Context(), std)
		},
	}
	fs := c.Flags()
	fs.IntVar(&f.opt.FanOut, "fan-out", 2, "children of a switch")
	fs.IntVar(&f.opt.Depth, "depth", 2, "levels of switches: fan-out^depth clusters")
	fs.Float64Var(&f.opt.Hot, "hot", 1, "share of the requests that address the hot cell")
	fs.StringVar(&f.waits, "wait", "0,8", "clocks that a request waits for a partner, recorded, queue, or a list of these")
	fs.IntVar(&f.opt.Partners, "partners", 2, "requests that combine at one switch, at most; -1: any number")
	wordFlag(c, &f.third, "third", "passes", []string{"passes", "waits"},
		"a request whose entry is taken: passes (goes on alone) or waits (in its link)")
	fs.IntVar(&f.opt.Service, "service", 4, "clocks that the memory takes for a request")
	fs.IntVar(&f.opt.Buffer, "buffer", 4, "messages that a link's buffer holds")
	fs.StringVar(&f.load, "load", "0.05..1", "requests per clock and cluster: a list or a range")
	fs.IntVar(&f.points, "points", 8, "number of loads in a range")
	fs.IntVar(&f.opt.Clocks, "clocks", 20_000, "length of a run, in clocks; the first fifth is not measured")
	fs.Uint64Var(&f.opt.Seed, "seed", 1, "seed of the random numbers")
	fs.IntVar(&f.seeds, "seeds", 1, "runs of each load, each with its own seed, starting with --seed")
	fs.StringVar(&f.paper, "paper", "", "measure what the paper states: rates, tolerance or acks")
	fs.BoolVar(&f.json, "json", false, "print all measurements as JSON")
	f.budget.register(c, std)
	writes(fs, &f.csv, "csv", "CSV file, one line for each load and wait", "csv")
	return c
}

func (f *combiningFlags) run(ctx context.Context, std streams) error {
	loads, err := (&simulationFlags{offered: f.load}).loads(f.points)
	if err != nil {
		return err
	}
	f.opt.ThirdWaits = f.third == "waits"
	if f.seeds < 1 || f.seeds > 1000 {
		return invalid("seeds", f.seeds, "1 to 1000")
	}
	ways, err := waysToCombine(f.waits)
	if err != nil {
		return err
	}
	var all []combining.Options
	for _, way := range ways {
		for _, load := range loads {
			for seed := range f.seeds {
				opt := f.opt
				opt.How, opt.Wait, opt.Load, opt.Seed = way.How, way.Wait, load, f.opt.Seed+uint64(seed)
				all = append(all, opt)
			}
		}
	}
	results, err := combining.RunAll(ctx, all)
	if err != nil {
		return err
	}
	if f.csv != "" {
		if err := writeFile(ctx, f.csv, func(w io.Writer) error { return combiningCSV(w, results) }); err != nil {
			return err
		}
	}
	points := pointsOf(results, f.seeds)
	if f.json {
		return writeJSON(std.out, points)
	}
	return combiningTable(std.out, points)
}

// combiningPaper is what was measured about statements of the paper.
type combiningPaper struct {
	Paper  string            `json:"paper"`
	Seed   uint64            `json:"seed"` // the first
	Seeds  int               `json:"seeds"`
	Clocks int               `json:"clocks"`
	Stated []simulate.Stated `json:"stated"`
}

// runPaper measures a setup of --paper, by default with five seeds of 5,000 clocks.
func (f *combiningFlags) runPaper(c *cobra.Command, std streams) error {
	setups := combining.Setups()
	at := slices.IndexFunc(setups, func(s combining.Setup) bool { return s.Name == f.paper })
	if at < 0 {
		return invalid("paper", f.paper, "rates, tolerance or acks")
	}
	runs := combining.Runs{Seed: f.opt.Seed, Seeds: 5, Clocks: 5000}
	if c.Flags().Changed("seeds") {
		runs.Seeds = f.seeds
	}
	if c.Flags().Changed("clocks") {
		runs.Clocks = f.opt.Clocks
	}
	if runs.Seeds < 2 || runs.Seeds > 1000 {
		return invalid("seeds", runs.Seeds, "2 to 1000 with --paper")
	}
	for _, flag := range []string{
		"fan-out", "depth", "hot", "wait", "partners", "third", "service", "buffer", "load", "points", "csv",
	} {
		if c.Flags().Changed(flag) {
			return fmt.Errorf("--%s is not for --paper %s, which has its own", flag, f.paper)
		}
	}
	stated, err := setups[at].Measure(c.Context(), runs)
	if err != nil {
		return err
	}
	if f.json {
		return writeJSON(std.out, combiningPaper{f.paper, runs.Seed, runs.Seeds, runs.Clocks, stated})
	}
	fmt.Fprintf(std.out, "%s: %s\n", f.paper, setups[at].About)
	for _, s := range stated {
		fmt.Fprintf(std.out, "  %s\n", s)
	}
	return nil
}

// waysToCombine reads the list of --wait.
func waysToCombine(text string) (ways []combining.Options, err error) {
	last := -1
	for word := range strings.SplitSeq(text, ",") {
		how := map[string]combining.How{"recorded": combining.Recorded, "queue": combining.InQueue}[word]
		wait := 0
		if how == combining.Waiting {
			if wait, err = strconv.Atoi(word); err != nil || wait <= last {
				return nil, invalid("wait", text, "clocks from 0, ascending, as in 0,8, recorded, or queue")
			}
			last = wait
		}
		ways = append(ways, combining.Options{How: how, Wait: wait})
	}
	return ways, nil
}

// combiningPoint is what was measured at one load, over all seeds.
type combiningPoint struct {
	FanOut   int               `json:"fan_out"`
	Depth    int               `json:"depth"`
	Hot      float64           `json:"hot"`
	Partners int               `json:"partners"` // -1: any number
	Third    string            `json:"third"`
	Service  int               `json:"service"`
	Buffer   int               `json:"buffer"`
	Clocks   int               `json:"clocks"`
	Seed     uint64            `json:"seed"` // the first
	Seeds    int               `json:"seeds"`
	Wait     string            `json:"wait"` // clocks, recorded or queue
	Load     float64           `json:"load"`
	Accepted simulate.Estimate `json:"accepted"`
	Latency  simulate.Estimate `json:"latency"`
	P99      simulate.Estimate `json:"p99"`
	Carried  simulate.Estimate `json:"carried"`
	Memory   simulate.Estimate `json:"memory"`
}

// pointsOf takes the runs of one load together.
func pointsOf(results []combining.Result, seeds int) (points []combiningPoint) {
	for i := 0; i < len(results); i += seeds {
		runs := results[i : i+seeds]
		o := runs[0].Options
		mean := func(of func(combining.Result) float64) simulate.Estimate {
			var values []float64
			for _, r := range runs {
				values = append(values, of(r))
			}
			return simulate.MeanOf(values)
		}
		points = append(points, combiningPoint{
			FanOut: o.FanOut, Depth: o.Depth, Hot: o.Hot, Partners: o.Partners, Third: thirdName(o.ThirdWaits),
			Service: o.Service, Buffer: o.Buffer, Clocks: o.Clocks, Seed: o.Seed, Seeds: seeds, Wait: wayName(o), Load: o.Load,
			Accepted: mean(func(r combining.Result) float64 { return r.Accepted }),
			Latency:  mean(func(r combining.Result) float64 { return r.Latency }),
			P99:      mean(func(r combining.Result) float64 { return float64(r.P99) }),
			Carried:  mean(func(r combining.Result) float64 { return r.Combined }),
			Memory:   mean(func(r combining.Result) float64 { return r.Memory }),
		})
	}
	return points
}

func thirdName(waits bool) string {
	if waits {
		return "waits"
	}
	return "passes"
}

// wayName is the word of --wait.
func wayName(o combining.Options) string {
	switch o.How {
	case combining.Recorded:
		return "recorded"
	case combining.InQueue:
		return "queue"
	}
	return strconv.Itoa(o.Wait)
}

func combiningTable(w io.Writer, points []combiningPoint) error {
	var b strings.Builder
	p := points[0]
	fmt.Fprintf(&b, "Requests on a tree of fan-out %d and depth %d, %g %% of them for one cell\n", p.FanOut, p.Depth, 100*p.Hot)
	combine, further := "two combine, a third", map[string]string{"passes": "passes alone", "waits": "waits in its link"}[p.Third]
	switch {
	case p.Partners < 0:
		combine = "any number combine, a late one"
	case p.Partners > 2:
		combine = fmt.Sprintf("up to %d combine, a further one", p.Partners)
	}
	seeds := fmt.Sprintf("seed %d", p.Seed)
	if p.Seeds > 1 {
		seeds = fmt.Sprintf("%d seeds from %d, with 95 %% intervals", p.Seeds, p.Seed)
	}
	fmt.Fprintf(&b,
		"  %s %s; memory beside the root, %d clocks per request; buffers of %d; %d clocks, %s\n",
		combine, further, p.Service, p.Buffer, p.Clocks, seeds)
	for i, r := range points {
		if p.Seeds > 1 {
			if i == 0 || r.Wait != points[i-1].Wait {
				fmt.Fprintf(&b, "\nwait %s\n%8s %18s %18s %7s %16s %7s\n",
					r.Wait, "load", "accepted", "latency", "p99", "carried", "memory")
			}
			fmt.Fprintf(&b, "%8.4g %9.4f +-%6.4f %9.1f +-%6.1f %7.0f %7.3f +-%6.3f %7.3f\n", r.Load, r.Accepted.Mean, r.Accepted.Half,
				r.Latency.Mean, r.Latency.Half, r.P99.Mean, r.Carried.Mean, r.Carried.Half, r.Memory.Mean)
			continue
		}
		if i == 0 || r.Wait != points[i-1].Wait {
			fmt.Fprintf(&b, "\nwait %s\n%8s %9s %9s %7s %8s %7s\n",
				r.Wait, "load", "accepted", "latency", "p99", "carried", "memory")
		}
		fmt.Fprintf(&b, "%8.4g %9.4f %9.1f %7.0f %8.3f %7.3f\n",
			r.Load, r.Accepted.Mean, r.Latency.Mean, r.P99.Mean, r.Carried.Mean, r.Memory.Mean)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func combiningCSV(w io.Writer, results []combining.Result) error {
	c := csv.NewWriter(w)
	_ = c.Write([]string{"fan_out", "depth", "hot", "partners", "third_waits", "service", "buffer", "clocks", "seed",
		"wait", "load", "accepted", "latency", "p99", "carried", "memory"})
	for _, r := range results {
		o := r.Options
		_ = c.Write(strings.Fields(fmt.Sprintf("%d %d %g %d %t %d %d %d %d %s %g %g %g %d %g %g",
			o.FanOut, o.Depth, o.Hot, o.Partners, o.ThirdWaits, o.Service, o.Buffer, o.Clocks, o.Seed, wayName(o), o.Load,
			r.Accepted, r.Latency, r.P99, r.Combined, r.Memory)))
	}
	c.Flush()
	return c.Error()
}
