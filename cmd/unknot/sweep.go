package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/route"
	"github.com/seed-105a2da2/unknot/checker/show/report"
	"github.com/seed-105a2da2/unknot/checker/sweep"
	"github.com/seed-105a2da2/unknot/checker/write"
	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/murphi"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/star"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

type sweepFlags struct {
	networkFlags
	ranges       []string
	links, nodes int
	switchLinks  bool
	dests        int
	reroute      string
	properties   []string
	out          string
	shard        string
	mostCases    int
	workers      int
	open         openFlags
	merge        bool
	upToSymmetry bool
	tables       bool
	evidence     string

	names    []string          // of the network's parameters
	declared map[string]string // by name, the values of those that are bounded
	plot     string
}

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

The summary tells how many cases hold, and lists the others. If the routing function is
pure, as in Starlark, most cases need no tables, or few ("unknot help vary"). Their lines
name the method and no digest. With --tables every case is decided from its tables.
--evidence FOLDER decides the cases that do not hold again, from their tables, and writes
the network and the evidence of each, or with --tables of every case. unknot-verify checks it.
In the folder of a case, case.jsonl is its line, which names what failed. Folders of other
cases that an earlier sweep left there are removed.

Results are JSON lines in a deterministic order, which a terminal does not show: --out or
a pipe keeps them. An incomplete file is resumed. With
--up-to-symmetry, only the first of several isomorphic cases is decided, and the
others refer to it. unknot verifies each isomorphism hop by hop (no second program does).
The summary then has a row per orbit, with its number of cases.

--shard 2/5 decides every fifth case, from the second on. In an array of batch jobs,
--shard job gets index and size from Slurm or Open MPI, and --shard job/20 the index from
Kubernetes as well ("unknot help clusters"). If --out is a folder, each shard writes its
own file there, and renames it when it is complete. "unknot sweep --merge" joins the files
of all shards into the file that one uninterrupted run would write, byte for byte.
Results are reused or merged only if network, question and version are the same.

Exit codes: 0 every property of every case holds, 1 one is violated, 2 usage or
input, 3 one is unknown and none is violated, 130 interrupted (run again to resume).`,
		Example: `  unknot sweep star-channel --links 1 --property deadlock-freedom
  unknot sweep graph --set graph=torus --set n=9 --set routing=up-down --reroute without --links 1
  unknot sweep cluster.graphml --reroute updown --links 1 --evidence exceptions
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
		"vary a parameter, as in --range k=3..8 or --range tie=positive|negative; --range tie uses all values "+
			"that it declares (repeatable)")
	c.Flags().IntVar(&f.links, "links", 0, "fail up to this many links")
	c.Flags().BoolVar(&f.switchLinks, "switch-links", false,
		"with --links: do not fail links of nodes that send or receive, such as a host's only link")
	c.Flags().IntVar(&f.nodes, "nodes", 0, "fail up to this many nodes")
	c.Flags().IntVar(&f.dests, "dests", 0,
		"decide each set of up to this many destinations; 0: all destinations at once")
	c.Flags().StringVar(&f.reroute, "reroute", "",
		"engine that routes networks with failures, or parameter that receives the failures")
	offers(c.Flags(), "reroute", engines())
	c.Flags().StringArrayVar(&f.properties, "property",
		nil, words.OneOf(spec.PropertyNames())+" (repeatable; default all but no-discard)")
	c.Flags().BoolVar(&f.upToSymmetry, "up-to-symmetry", false, "decide isomorphic cases once")
	writesFolder(c.Flags(), &f.out, "out",
		"file of results, or folder/ for the files of shards; continued if it exists (default standard output)", "file")
	c.Flags().BoolVar(&f.tables, "tables", false,
		"decide every case from its tables, and name their digest")
	writesFolder(c.Flags(), &f.evidence, "evidence",
		"folder for the networks and the evidence of cases that do not hold, or with --tables of all")
	c.Flags().StringVar(&f.shard, "shard", "1/1",
		"part of the cases: 2/5 is the second of five; job or job/N takes the number from the batch system")
	c.Flags().IntVar(&f.mostCases, "max-cases", 1_000_000, "refuse sweeps with more cases")
	f.open.register(c, "of a case that the tables leave open")
	c.Flags().IntVar(&f.workers, "workers", 0,
		"cases decided at once, and limit on the cores that the whole command uses (default one per core)")
	c.Flags().BoolVar(&f.merge, "merge", false, "merge the results of all shards")
	writes(c.Flags(), &f.plot, "plot", "SVG file: cases by verdict and number of failures", "svg")
	offers(c.Flags(), "property", spec.PropertyNames())
	return c
}

func (f *sweepFlags) options() (sweep.Options, error) {
	shard, shards, err := sweep.ParseShard(f.shard, os.Getenv)
	if err != nil {
		return sweep.Options{}, refused("shard", f.shard, err)
	}
	if f.workers < 0 || f.workers > mostWorkers {
		return sweep.Options{}, invalid("workers", f.workers, "0 to %d", mostWorkers)
	}
	if f.upToSymmetry && shards > 1 {
		return sweep.Options{}, fmt.Errorf("--shard: %w", sweep.ErrShards)
	}
	opt := sweep.Options{
		Shard: shard, Shards: shards, Workers: runtime.GOMAXPROCS(0), MaxSites: f.maxSites, Memory: f.budget.memory,
		Tables: f.tables,
	}
	opt.Explore, opt.MaxStates, err = f.open.asked()
	return opt, err
}

// severalValues adds to an error, perhaps about the parameter of a setting, the flag of command that takes several values.
func severalValues(settings []string, command string, err error) error {
	for _, set := range settings {
		if err != nil && (strings.Contains(set, "..") || strings.Contains(set, "|")) {
			return fmt.Errorf("%w; %s--range %s takes several values", err, command, set)
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
		return severalValues(f.set, "", err)
	}
	opt, err := f.options()
	if err != nil {
		return err
	}
	m := newMeter(std)
	defer m.clear()
	opt.Done = f.progress(m, std)
	var results []sweep.Result
	switch {
	case f.out == "":
		results, err = f.print(ctx, p, opt, f.lines(m, std))
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
		return errors.Join(f.soFar(ctx, p.Header(opt), results, std), err)
	}
	if f.evidence != "" {
		if err := f.prove(ctx, p, results, opt); err != nil {
			return err
		}
	}
	return f.finish(ctx, p.Header(opt), results, std)
}

// progress returns what reports each case: on one line of a terminal, elsewhere in a line now and then. Cases that an
// earlier run has decided say nothing about the time that remains.
func (f *sweepFlags) progress(m *meter, std streams) func(done, all int) {
	known, log := -1, newSeldom(std.err)
	return func(done, all int) {
		if known < 0 {
			known = done - 1
		}
		p := routing.Progress{Stage: "sweeping " + words.Plural(all-known, "case"), Unit: "cases"}
		if known > 0 {
			p.Stage = fmt.Sprintf("sweeping the other %d of %s", all-known, words.Plural(all, "case"))
		}
		p.Done, p.Total = int64(done-known), int64(all-known)
		if p.Count = p.Done; std.terminal {
			m.show(p)
		} else {
			log.show(p)
		}
	}
}

// lines returns where the line of each case goes without --out: nowhere if a person would read them, who wants the
// table.
func (f *sweepFlags) lines(m *meter, std streams) io.Writer {
	if columnsOf(std.out) > 0 {
		return io.Discard
	}
	return m.above(std.out)
}

// soFar prints the summary of the cases that an ended sweep has decided.
func (f *sweepFlags) soFar(ctx context.Context, h sweep.Header, results []sweep.Result, std streams) error {
	if ctx.Err() == nil || len(results) == 0 {
		return nil
	}
	out := f.tableGoes(std)
	if _, err := fmt.Fprintf(out, "ended after %d of %s:\n", len(results), words.Plural(h.Mine(), "case")); err != nil {
		return err
	}
	return sweep.Summarise(h, results).Write(out)
}

// tableGoes returns where the table is printed: where it does not disturb the results.
func (f *sweepFlags) tableGoes(std streams) io.Writer {
	if f.out == "" {
		return std.err
	}
	return std.out
}

// prove writes the evidence of the cases that do not hold, or of all.
func (f *sweepFlags) prove(ctx context.Context, p *sweep.Plan, results []sweep.Result, opt sweep.Options) error {
	if !f.tables {
		results = slices.DeleteFunc(slices.Clone(results), func(r sweep.Result) bool { return r.Verdict() == spec.Holds })
	}
	h := p.Header(opt)
	left, err := sweep.Left(f.evidence, h, results)
	if err != nil {
		return err
	}
	for _, dir := range left {
		if err := emptied(ctx, dir); err != nil {
			return err
		}
	}
	return p.Prove(ctx, results, opt, func(line sweep.Result, r *checker.Result) error {
		f.budget.saving.Lock()
		defer f.budget.saving.Unlock()
		dir := filepath.Join(f.evidence, sweep.Folder(line.Case))
		if err := writeEvidence(ctx, dir, r); err != nil {
			return err
		}
		return writeFile(ctx, filepath.Join(dir, sweep.CaseFile), func(w io.Writer) error {
			return sweep.WriteCase(w, h, line)
		})
	})
}

// emptied removes from a folder what an earlier sweep wrote there, and the folder if nothing else is in it.
func emptied(ctx context.Context, dir string) error {
	if err := report.RemoveEvidence(dir, folder{ctx}); err != nil {
		return err
	}
	for _, name := range []string{networkFile, write.ReasonsFile, sweep.CaseFile} {
		if err := overwritingOf(ctx).removes(filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	_ = os.Remove(dir) // unless another program's files are left in it
	return nil
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

// print writes the results, and returns them, with an error those by then.
func (f *sweepFlags) print(
	ctx context.Context, p *sweep.Plan, opt sweep.Options, out io.Writer,
) ([]sweep.Result, error) {
	var kept strings.Builder
	both := io.MultiWriter(out, &kept)
	if err := sweep.WriteHeader(both, p.Header(opt)); err != nil {
		return nil, err
	}
	ended := p.Run(ctx, both, nil, opt)
	_, results, _, err := sweep.ReadResults(strings.NewReader(kept.String()))
	return results, cmp.Or(ended, err)
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
	files, err := sweep.ShardFiles(names)
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
	out := f.tableGoes(std)
	if err := table.Write(out); err != nil {
		return err
	}
	if n := f.uncertified(results); n > 0 {
		const text = "decided without tables, and so without a certificate: %s; " +
			"--tables --evidence FOLDER writes one of each\n"
		if _, err := fmt.Fprintf(out, text, words.Plural(n, "case")); err != nil {
			return err
		}
	}
	return verdictError(sweep.Worst(results))
}

// uncertified returns how many cases were decided without tables, of which --evidence decides those that do not hold
// from their tables.
func (f *sweepFlags) uncertified(results []sweep.Result) (n int) {
	for _, r := range results {
		if r.Method != "" && (f.evidence == "" || r.Verdict() == spec.Holds) {
			n++
		}
	}
	return n
}

// question turns flags into the question of a sweep.
func (f *sweepFlags) question(ctx context.Context, name string) (*sweep.Question, error) {
	set, err := settingsOf("set", f.set)
	if err != nil {
		return nil, err
	}
	for _, flag := range []struct {
		name string
		most int
	}{{"links", f.links}, {"nodes", f.nodes}, {"dests", f.dests}} {
		if flag.most < 0 {
			return nil, invalid(flag.name, flag.most, "at least 0")
		}
	}
	if f.switchLinks && f.links == 0 {
		return nil, invalid("switch-links", "true", "--links with it")
	}
	f.anew = slices.Contains(engines(), f.reroute)
	var text []byte // read once: all cases are of one version of a file
	var dumped *spec.Network
	switch _, model := models.Find(name); {
	case model:
	case f.isFabric(name):
		dumped, err = f.loadFabric(ctx, name)
	default:
		text, err = readNetworkFile(ctx, name)
	}
	if err == nil && dumped == nil {
		err = f.noFabric(ctx, name)
	}
	if err != nil {
		return nil, err
	}
	format := ""
	if text != nil {
		if strings.HasSuffix(name, murphiFile) && murphi.Is(text) {
			return nil, fmt.Errorf("%s is a protocol, not a network", name)
		}
		format = f.formatOf(name, text)
	}
	if f.weight != "" && f.anew {
		return nil, invalid("weight", f.weight, "no --reroute, whose engines count links")
	}
	if format == "" {
		err = f.noTopology(name)
	} else if f.engine == "" && f.anew {
		f.engine = f.reroute
	}
	if err != nil {
		return nil, err
	}
	var refused error // which Loads leaves to Load, as it does all errors
	open := beside(ctx, name)
	files := star.Loads(text, star.Options{List: filesBeside(name), Open: func(name string) ([]byte, error) {
		text, err := open(name)
		if errors.As(err, new(*overwriteError)) {
			refused = err
		}
		return text, err
	}})
	if refused != nil {
		return nil, refused
	}
	if err := f.readParameters(name, text, files); err != nil {
		return nil, err
	}
	q := &sweep.Question{
		Network: name, Content: sweep.Content(text, dumped, files),
		Build: f.builder(name, text, files, dumped), Set: set, Links: f.links, Nodes: f.nodes, Dests: f.dests,
		Reroute: f.reroute, UpToSymmetry: f.upToSymmetry, Under: f.conditions().List(),
	}
	if f.switchLinks {
		q.Ends = sweep.Terminals
	}
	if c, err := f.configuration(ctx, name); err == nil && c != nil && !c.Scenario().Equal(spec.Scenario{}) {
		f.warn(c.Behind() + ", for which a sweep answers")
	}
	return q, f.vary(q)
}

// conditions are the flags that affect a case, besides those that are varied.
func (f *sweepFlags) conditions() sweep.Conditions {
	return sweep.Conditions{
		Explore: explorationOf(f.open.explore), MaxStates: f.open.states, MaxSites: int64(f.maxSites),
		Switching: f.switching, From: f.from, Weight: f.weight, Route: f.engine, Scope: f.scope, SL: f.sl,
		BothWays: f.bothWays, Tables: f.tables, VCs: f.vcs, Dests: f.dest, Sources: f.source, LeaveOut: f.leaveOut,
	}
}

// vary adds the ranges and the properties.
func (f *sweepFlags) vary(q *sweep.Question) error {
	for _, name := range f.ranges { // a name alone, whose values the parameter declares
		if f.names != nil && !strings.Contains(name, "=") && !slices.Contains(f.names, name) {
			return fmt.Errorf("--range: invalid parameter %.60q: want %s%s",
				name, strings.Join(f.names, ", "), words.Suggestion(name, f.names))
		}
	}
	if err := q.Vary(f.ranges, f.declared); err != nil {
		return fmt.Errorf("--range: %w", err)
	}
	for _, s := range f.properties {
		p, ok := spec.ParseProperty(s)
		if !ok {
			known := spec.PropertyNames()
			return invalid("property", s, "%s%s", words.OneOf(known), words.NowCalled(s, known))
		}
		q.Properties = append(q.Properties, p)
	}
	return nil
}

// builder returns a function that makes the network for given parameters.
func (f *sweepFlags) builder(
	name string, text []byte, files map[string][]byte, dumped *spec.Network,
) func(context.Context, map[string]string) (routing.Definition, error) {
	return func(ctx context.Context, set map[string]string) (routing.Definition, error) {
		if e, ok := models.Find(name); ok {
			if e.IsMachine() {
				return routing.Definition{}, fmt.Errorf("%s is a protocol, not a network", name)
			}
			def, err := e.WithContext(ctx).Define(set)
			if err != nil {
				return def, err
			}
			return f.changed(def)
		}
		if dumped != nil {
			return f.changed(routing.FromNetwork(dumped))
		}
		def, file, err := f.define(ctx, name, text, f.kept(set, files), nil)
		switch {
		case err != nil:
			return routing.Definition{}, err
		case file != nil && file.Program != nil:
			return routing.Definition{}, fmt.Errorf("%s is a protocol, not a network", name)
		case def != nil:
			return f.changed(*def)
		}
		if len(set) > 0 {
			return routing.Definition{}, fmt.Errorf("%s is a closed network, which has no parameters", name)
		}
		n, err := routing.ReadClosed(ctx, name, text,
			routing.CompileOptions{MaxSites: f.maxSites, Memory: f.budget.memory})
		if err != nil {
			return routing.Definition{}, err
		}
		return f.changed(routing.FromNetwork(n))
	}
}

// kept returns options by which only files are read that have been read already.
func (f *sweepFlags) kept(set map[string]string, files map[string][]byte) star.Options {
	return star.Options{
		Set: set, MaxSteps: f.maxSteps, Warn: f.warn,
		Open: func(name string) ([]byte, error) {
			if text, ok := files[name]; ok {
				return text, nil
			}
			return nil, fmt.Errorf("%s cannot be read", name)
		},
		List: func(folder string) (names []string, _ error) {
			for name := range files {
				if path.Dir(name) == folder {
					names = append(names, path.Base(name))
				}
			}
			return names, nil
		},
	}
}

// readParameters notes the parameters of a network, with the values of those that are bounded, as --range has them.
func (f *sweepFlags) readParameters(name string, text []byte, files map[string][]byte) error {
	f.declared = map[string]string{}
	note := func(name, values string, bounded bool) {
		if f.names = append(f.names, name); bounded {
			f.declared[name] = values
		}
	}
	if e, ok := models.Find(name); ok {
		for _, p := range e.Parameters() {
			note(p.Name, p.Range(), len(p.Choices) > 0 || p.Form == "")
		}
	} else if strings.HasSuffix(name, ".star") {
		params, err := star.Params(name, text, f.kept(nil, files))
		if err != nil {
			return err
		}
		for _, p := range params {
			bounded := p.Kind == "bool" || len(p.Choices) > 0 || p.Kind == "int" && p.Min != math.MinInt && p.Max != math.MaxInt
			note(p.Name, p.Range(), bounded)
		}
	}
	return nil
}

// identify refuses a --reroute that is not a parameter, and identifies a model.
func (f *sweepFlags) identify(ctx context.Context, q *sweep.Question) error {
	if e, ok := models.Find(q.Network); ok {
		if err := f.readModel(ctx, q, e); err != nil {
			return err
		}
	}
	switch {
	case q.Reroute == "" || slices.Contains(f.names, q.Reroute):
		return nil
	case slices.Contains(engines(), q.Reroute):
		q.Engine = sweep.ByEngine(route.Engine(q.Reroute), f.vcs)
		return nil
	}
	return invalid("reroute", q.Reroute, "an engine (%s), or a parameter of %s: %s",
		words.OneOf(engines()), q.Network, cmp.Or(strings.Join(f.names, ", "), "none"))
}

// readModel reads what the digest of a model is made of: the first of its networks, and the files that its parameters
// name.
func (f *sweepFlags) readModel(ctx context.Context, q *sweep.Question, e catalogue.Entry) error {
	def, err := q.Build(ctx, q.FirstSet())
	if err != nil {
		return err
	}
	n, err := routing.Compile(ctx, def, routing.CompileOptions{MaxSites: f.maxSites, Memory: f.budget.memory})
	if err != nil {
		return err
	}
	var files []sweep.ParameterFile
	for _, p := range e.Parameters() {
		for _, name := range q.Values(p.Name) {
			if !p.IsFile() || name == "" {
				continue
			}
			if err := overwritingOf(ctx).reads(name); err != nil {
				return err
			}
			text, err := readFile(ctx, name, mostClosed)
			if err != nil {
				return err
			}
			files = append(files, sweep.ParameterFile{Parameter: p.Name, Name: name, Text: text})
		}
	}
	q.Content = sweep.ModelContent(n, files)
	return nil
}

// isFolder reports whether path names a folder, existing or to be made.
func isFolder(path string) bool {
	info, err := os.Stat(path)
	return strings.HasSuffix(path, "/") || err == nil && info.IsDir()
}
