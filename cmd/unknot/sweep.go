package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/seed-105a2da2/unknot/checker/sweep"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

func sweepCommand(std streams) *cobra.Command {
	var f sweepFlags
	c := &cobra.Command{
		Use:   "sweep NETWORK",
		Short: "Decide many variants: failures, parameter ranges, sets of destinations",
		Long: `Sweep decides every variant of a network: all combinations of up to --links
failed links and --nodes failed nodes, parameter ranges, and sets of up to
--dests destinations.

A failed link is removed in both directions, a failed node with all its links, even if
the file keeps them. If the only link of a host fails, delivery fails with it.
--switch-links spares the links of nodes that send or receive.

With --reroute ENGINE an engine routes every network with failures (see "unknot help
routes"). The intact network keeps its own routing. With --reroute PARAMETER the routing
function gets the failures as the value of a parameter, separated by commas, as in
--set without=0-1,5:

  A-B     the links between nodes A and B
  A->B    a one-way link
  A-B#2   the second of parallel links
  A       a node

Without --reroute the routing function does not know of the failures.

Results are JSON lines in a deterministic order. An incomplete file is resumed. With
--up-to-symmetry, only the first of several isomorphic cases is decided, and the
others refer to it. unknot verifies each isomorphism hop by hop (not machine-checked).
The summary then has a row per orbit, with its number of cases.

--shard 2/5 decides every fifth case, from the second on. In an array of batch jobs,
--shard job gets index and size from Slurm or Open MPI, and --shard job/20 the index from
Kubernetes as well ("unknot help clusters"). If --out is a folder, each shard writes its
own file there, and renames it when it is complete. "unknot sweep --merge" joins the files
of all shards into the file that one uninterrupted run would write, byte for byte.
Results are reused or merged only if network, question and version are the same.

Exit codes: 0 every property of every case holds, 1 one is violated, 2 usage or
input, 3 one is unknown and none is violated, 130 interrupted (run again to resume).`,
		Example: `  unknot sweep star-channel --links 1 --property deadlock
  unknot sweep graph --set graph=torus --set n=9 --set routing=up-down --reroute without --links 1
  unknot sweep cluster.graphml --reroute updown --links 1
  unknot sweep /var/log --reroute lash --vcs 4 --links 1 --switch-links
  unknot sweep ring --range n=3..6 --out rings.jsonl --plot rings.svg
  unknot sweep ring --range n=3..6 --shard job/20 --out results/
  unknot sweep --merge results --out all.jsonl`,
		Args:              wants(1, unlimited),
		ValidArgsFunction: completeNetwork,
		RunE: func(c *cobra.Command, args []string) error {
			if f.merge {
				return f.mergeFiles(c, args, std)
			}
			if len(args) > 1 {
				return errors.New("sweep takes one network")
			}
			return f.sweep(c.Context(), args[0], std)
		},
	}
	f.register(c)
	f.budget.register(c, std)
	c.Flags().StringArrayVar(&f.ranges, "range", nil,
		"vary a parameter, as in --range k=3..8 or --range tie=positive|negative; --range tie takes all its choices "+
			"(repeatable)")
	c.Flags().IntVar(&f.links, "links", 0, "fail up to this many links")
	c.Flags().BoolVar(&f.switchLinks, "switch-links", false,
		"with --links: do not fail links of nodes that send or receive, such as a host's only link")
	c.Flags().IntVar(&f.nodes, "nodes", 0, "fail up to this many nodes")
	c.Flags().IntVar(&f.dests, "dests", 0,
		"decide each set of up to this many destinations; 0: all destinations at once")
	c.Flags().StringVar(&f.reroute, "reroute", "",
		"engine that routes networks with failures, or parameter that receives the failures")
	_ = c.RegisterFlagCompletionFunc("reroute", cobra.FixedCompletions(engines(), cobra.ShellCompDirectiveNoFileComp))
	c.Flags().StringArrayVar(&f.properties, "property", nil, "deadlock, livelock or delivery (repeatable; default all)")
	c.Flags().BoolVar(&f.upToSymmetry, "up-to-symmetry", false, "decide isomorphic cases once")
	writesFolder(c.Flags(), &f.out, "out",
		"file of results, or folder/ for the files of shards; continued if it exists (default standard output)", "file")
	c.Flags().StringVar(&f.shard, "shard", "1/1",
		"part of the cases: 2/5 is the second of five; job or job/N takes the number from the batch system")
	c.Flags().IntVar(&f.mostCases, "max-cases", 1_000_000, "refuse sweeps with more cases")
	c.Flags().Int64Var(&f.settle, "settle", 20_000, "states to explore if no static method decides a case; 0: none")
	c.Flags().IntVar(&f.workers, "workers", 0,
		"cases decided at once, and limit on the cores that the whole command uses (default one per core)")
	c.Flags().BoolVar(&f.merge, "merge", false, "merge the results of all shards")
	writes(c.Flags(), &f.plot, "plot", "SVG file: cases by verdict and number of failures", "svg")
	_ = c.RegisterFlagCompletionFunc("property",
		cobra.FixedCompletions([]string{"deadlock", "livelock", "delivery"}, cobra.ShellCompDirectiveNoFileComp))
	return c
}

func (f *sweepFlags) options() (sweep.Options, error) {
	shard, shards, err := parseShard(f.shard, os.Getenv)
	if err != nil {
		return sweep.Options{}, err
	}
	if f.workers < 0 || f.workers > mostWorkers {
		return sweep.Options{}, invalid("workers", f.workers, "0 to %d", mostWorkers)
	}
	if f.upToSymmetry && shards > 1 {
		return sweep.Options{}, fmt.Errorf("--shard: %w", sweep.ErrShards)
	}
	opt := sweep.Options{
		Shard: shard, Shards: shards, Workers: runtime.GOMAXPROCS(0), Settle: f.settle, MaxSites: f.maxSites,
		Memory: f.budget.memory,
	}
	if f.settle <= 0 {
		opt.Settle = -1
	}
	return opt, nil
}

// likelyRange adds to an error, perhaps about a parameter, the flag that takes several values.
func (f *sweepFlags) likelyRange(err error) error {
	for _, set := range f.set {
		if strings.Contains(set, "..") || strings.Contains(set, "|") {
			return fmt.Errorf("%w; --range %s takes several values", err, set)
		}
	}
	return err
}

func (f *sweepFlags) sweep(ctx context.Context, name string, std streams) error {
	if f.out != "" && !isFolder(f.out) {
		if err := writable("out", f.out); err != nil {
			return err
		}
	}
	p, err := f.plan(ctx, name)
	if err != nil {
		return f.likelyRange(err)
	}
	opt, err := f.options()
	if err != nil {
		return err
	}
	m := newMeter(std)
	defer m.clear()
	opt.Done = func(done, all int) {
		m.show(routing.Progress{
			Stage: "sweeping", Done: int64(done), Total: int64(all), Count: int64(done), Unit: "cases",
		})
	}
	var results []sweep.Result
	switch {
	case f.out == "":
		results, err = f.print(ctx, p, opt, std.out)
	case isFolder(f.out):
		results, err = p.ContinueIn(ctx, f.out, opt)
	default:
		if err = f.empty(ctx); err == nil {
			results, err = p.Continue(ctx, f.out, opt)
		}
	}
	m.clear()
	if err != nil {
		if ctx.Err() != nil && f.out != "" {
			fmt.Fprintf(std.err, "unknot: %s holds the results so far; run the same command again to continue\n", f.out)
		}
		return err
	}
	return f.finish(ctx, p.Header(opt), results, std)
}

// empty empties a file that unknot did not write, if --force allows it: its results are not continued.
func (f *sweepFlags) empty(ctx context.Context) error {
	if over := overwritingOf(ctx); over == nil || !over.force || !foreign(f.out) {
		return nil
	}
	return os.Truncate(f.out, 0)
}

// plan lists the cases.
func (f *sweepFlags) plan(ctx context.Context, name string) (*sweep.Plan, error) {
	q, err := f.question(ctx, name)
	if err == nil {
		err = f.identify(ctx, q)
	}
	if err != nil {
		return nil, err
	}
	p, err := q.Plan(ctx, f.mostCases)
	if errors.As(err, new(*sweep.CasesError)) {
		err = fmt.Errorf("%w, or raise --max-cases", err)
	}
	return p, err
}

// print writes the results to standard output, and returns them.
func (f *sweepFlags) print(
	ctx context.Context, p *sweep.Plan, opt sweep.Options, out io.Writer,
) ([]sweep.Result, error) {
	var kept strings.Builder
	both := io.MultiWriter(out, &kept)
	if err := sweep.WriteHeader(both, p.Header(opt)); err != nil {
		return nil, err
	}
	if err := p.Run(ctx, both, nil, opt); err != nil {
		return nil, err
	}
	_, results, _, err := sweep.ReadResults(strings.NewReader(kept.String()))
	return results, err
}

// mergeFiles puts the results of shards together.
func (f *sweepFlags) mergeFiles(c *cobra.Command, names []string, std streams) (err error) {
	ctx, fs := c.Context(), c.Flags()
	fs.Visit(func(flag *pflag.Flag) {
		if !slices.Contains([]string{"merge", "out", "plot", "timeout", "memory"}, flag.Name) && err == nil {
			err = fmt.Errorf("--%s is not for --merge: the files name their question", flag.Name)
		}
	})
	if err != nil {
		return err
	}
	var shards []io.Reader
	files, err := shardFiles(names)
	if err != nil {
		return err
	}
	over, err := distinctOutputs(fs, files)
	if err != nil {
		return err
	}
	ctx = withOverwriting(ctx, over)
	for _, name := range files {
		file, err := open(name)
		if err != nil {
			return err
		}
		defer file.Close()
		shards = append(shards, file)
	}
	var text strings.Builder
	if err := sweep.Merge(&text, shards); err != nil {
		return fmt.Errorf("merging: %w", err)
	}
	write := func(w io.Writer) error { _, err := io.WriteString(w, text.String()); return err }
	if f.out == "" {
		if err := write(std.out); err != nil {
			return err
		}
	} else if err := writeFile(ctx, f.out, write); err != nil {
		return err
	}
	h, results, _, err := sweep.ReadResults(strings.NewReader(text.String()))
	if err != nil {
		return err
	}
	return f.finish(ctx, h, results, std)
}

// finish prints the summary where it does not disturb the results, draws the
// plot, and turns the verdicts into an exit code.
func (f *sweepFlags) finish(ctx context.Context, h sweep.Header, results []sweep.Result, std streams) error {
	table := sweep.Summarise(h, results)
	if f.plot != "" {
		if err := writeFile(ctx, f.plot, func(w io.Writer) error { return sweep.Plot(w, h, table) }); err != nil {
			return err
		}
	}
	out := std.out
	if f.out == "" {
		out = std.err
	}
	if err := table.Write(out); err != nil {
		return err
	}
	code := exitExpected
	for _, r := range results {
		verdicts := []string{r.Deadlock, r.Livelock, r.Delivery}
		switch {
		case slices.Contains(verdicts, spec.Violated.String()):
			return &codeError{code: exitViolated}
		case r.Error != "" || slices.Contains(verdicts, spec.Unknown.String()):
			code = exitUnknown
		}
	}
	if code != exitExpected {
		return &codeError{code: code}
	}
	return nil
}
