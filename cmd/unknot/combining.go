package main

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"runtime"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	combining "github.com/seed-105a2da2/unknot/models/combining/study"
	"github.com/seed-105a2da2/unknot/spec/support/each"
)

type combiningFlags struct {
	opt         combining.Options
	load, waits string
	third       string
	points      int
	csv         string
	budget      budget
}

func combiningCommand(std streams) *cobra.Command {
	var f combiningFlags
	c := &cobra.Command{
		Use:   "combining",
		Short: "Measure what combining gains on a hot cell",
		Long: `Combining runs Fetch&Add on a tree of switches that combine requests, clock by clock,
at each load and each waiting time for a partner (0: nothing is combined). "unknot check
fetch-add" decides the protocol.

A hop takes a clock. Accepted load is in answers per clock and cluster, latency in clocks
from a request to its answer. "carried" is the share of the answered requests that were
combined into another one, "memory" the number of requests that the memory served per clock.`,
		Example: `  unknot simulate combining
  unknot simulate combining --depth 6 --load 0.005..0.3 --wait 0,4,16
  unknot simulate combining --depth 6 --hot 0.1 --load 0.1..1 --csv hot.csv`,
		Args: wants(0, 0),
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c.Context(), std) },
	}
	fs := c.Flags()
	fs.IntVar(&f.opt.FanOut, "fan-out", 2, "children of a switch")
	fs.IntVar(&f.opt.Depth, "depth", 2, "levels of switches: fan-out^depth clusters")
	fs.Float64Var(&f.opt.Hot, "hot", 1, "share of the requests that address the hot cell")
	fs.StringVar(&f.waits, "wait", "0,8", "clocks that a request waits for a partner, or a list")
	wordFlag(c, &f.third, "third", "passes", []string{"passes", "waits"},
		"a request whose entry is taken: passes (goes on alone) or waits (in its link)")
	fs.IntVar(&f.opt.Service, "service", 4, "clocks that the memory takes for a request")
	fs.IntVar(&f.opt.Buffer, "buffer", 4, "messages that a link's buffer holds")
	fs.StringVar(&f.load, "load", "0.05..1", "requests per clock and cluster: a list or a range")
	fs.IntVar(&f.points, "points", 8, "number of loads in a range")
	fs.IntVar(&f.opt.Clocks, "clocks", 20_000, "length of a run, in clocks; the first fifth is not measured")
	fs.Uint64Var(&f.opt.Seed, "seed", 1, "seed of the random numbers")
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
	var all []combining.Options
	last := -1
	for text := range strings.SplitSeq(f.waits, ",") {
		wait, err := strconv.Atoi(text)
		if err != nil || wait <= last {
			return invalid("wait", f.waits, "clocks from 0, ascending, as in 0,8")
		}
		last = wait
		for _, load := range loads {
			opt := f.opt
			opt.Wait, opt.Load = wait, load
			all = append(all, opt)
		}
	}
	results, err := combiningRuns(ctx, all)
	if err != nil {
		return err
	}
	if f.csv != "" {
		if err := writeFile(ctx, f.csv, func(w io.Writer) error { return combiningCSV(w, results) }); err != nil {
			return err
		}
	}
	return combiningTable(std.out, results)
}

// combiningRuns measures on all cores, in order.
func combiningRuns(ctx context.Context, all []combining.Options) ([]combining.Result, error) {
	results := make([]combining.Result, len(all))
	err := each.Do(ctx, runtime.GOMAXPROCS(0), len(all), func(_, i int) (err error) {
		results[i], err = combining.Run(ctx, all[i])
		return err
	})
	return results, err
}

func combiningTable(w io.Writer, results []combining.Result) error {
	var b strings.Builder
	opt := results[0].Options
	fmt.Fprintf(&b, "Fetch&Add on a tree of fan-out %d and depth %d, %g %% of the requests for one cell\n",
		opt.FanOut, opt.Depth, 100*opt.Hot)
	third := map[bool]string{false: "passes alone", true: "waits in its link"}[opt.ThirdWaits]
	fmt.Fprintf(&b,
		"  two combine, a third %s; memory beside the root, %d clocks per request; buffers of %d; %d clocks, seed %d\n",
		third, opt.Service, opt.Buffer, opt.Clocks, opt.Seed)
	for i, r := range results {
		if i == 0 || r.Wait != results[i-1].Wait {
			fmt.Fprintf(&b, "\nwait %d\n%8s %9s %9s %7s %8s %7s\n",
				r.Wait, "load", "accepted", "latency", "p99", "carried", "memory")
		}
		fmt.Fprintf(&b, "%8.4g %9.4f %9.1f %7d %8.3f %7.3f\n",
			r.Load, r.Accepted, r.Latency, r.P99, r.Combined, r.Memory)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func combiningCSV(w io.Writer, results []combining.Result) error {
	c := csv.NewWriter(w)
	_ = c.Write([]string{"fan_out", "depth", "hot", "third_waits", "service", "buffer", "clocks", "seed", "wait",
		"load", "accepted", "latency", "p99", "carried", "memory"})
	for _, r := range results {
		o := r.Options
		_ = c.Write(strings.Fields(fmt.Sprintf("%d %d %g %t %d %d %d %d %d %g %g %g %d %g %g",
			o.FanOut, o.Depth, o.Hot, o.ThirdWaits, o.Service, o.Buffer, o.Clocks, o.Seed, o.Wait, o.Load,
			r.Accepted, r.Latency, r.P99, r.Combined, r.Memory)))
	}
	c.Flush()
	return c.Error()
}
