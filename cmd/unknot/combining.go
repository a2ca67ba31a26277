package main

import (
	"context"
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
(the Acks of an invalidation). Depths, loads and waiting times are then the setup's; --service and
--buffer, which the paper does not give either, may be varied.`,
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
	loads, err := loadsOf(f.load, f.points)
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
		if err := writeFile(ctx, f.csv, func(w io.Writer) error { return combining.WriteCSV(w, results) }); err != nil {
			return err
		}
	}
	points := combining.PointsOf(results, f.seeds)
	if f.json {
		return writeJSON(std.out, points)
	}
	return combining.WriteTable(std.out, points)
}

// combiningPaper is what was measured about statements of the paper.
type combiningPaper struct {
	Paper   string            `json:"paper"`
	Seed    uint64            `json:"seed"` // the first
	Seeds   int               `json:"seeds"`
	Clocks  int               `json:"clocks"`
	Service int               `json:"service"`
	Buffer  int               `json:"buffer"`
	Stated  []simulate.Stated `json:"stated"`
}

// runPaper measures a setup of --paper, by default with five seeds of 5,000 clocks.
func (f *combiningFlags) runPaper(c *cobra.Command, std streams) error {
	setups := combining.Setups()
	at := slices.IndexFunc(setups, func(s combining.Setup) bool { return s.Name == f.paper })
	if at < 0 {
		return invalid("paper", f.paper, "rates, tolerance or acks")
	}
	runs := combining.Runs{
		Seed: f.opt.Seed, Seeds: 5, Clocks: 5000, Service: f.opt.Service, Buffer: f.opt.Buffer,
	}
	if c.Flags().Changed("seeds") {
		runs.Seeds = f.seeds
	}
	if c.Flags().Changed("clocks") {
		runs.Clocks = f.opt.Clocks
	}
	if runs.Seeds < 2 || runs.Seeds > 1000 {
		return invalid("seeds", runs.Seeds, "2 to 1000 with --paper")
	}
	if runs.Service < 1 || runs.Service > combining.MostService {
		return invalid("service", runs.Service, "1 to %d with --paper", combining.MostService)
	}
	if runs.Buffer < 1 || runs.Buffer > combining.MostBuffer {
		return invalid("buffer", runs.Buffer, "1 to %d with --paper", combining.MostBuffer)
	}
	own := []string{"fan-out", "depth", "hot", "wait", "partners", "third", "load", "points", "csv"}
	if f.paper == "rates" {
		own = append(own, "buffer") // it compares two of them
	}
	for _, flag := range own {
		if c.Flags().Changed(flag) {
			return fmt.Errorf("--%s is not for --paper %s, which has its own", flag, f.paper)
		}
	}
	stated, err := setups[at].Measure(c.Context(), runs)
	if err != nil {
		return err
	}
	if f.json {
		return writeJSON(std.out, combiningPaper{
			f.paper, runs.Seed, runs.Seeds, runs.Clocks, runs.Service, runs.Buffer, stated,
		})
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
