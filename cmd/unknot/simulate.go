package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/show/explain"
	"github.com/seed-105a2da2/unknot/checker/show/report"
	"github.com/seed-105a2da2/unknot/checker/simulate"
	"github.com/seed-105a2da2/unknot/models/studies"
	"github.com/seed-105a2da2/unknot/models/studies/all"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/booksim"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

type simulateFlags struct {
	networkFlags
	simulationFlags
	compare         []string
	points, seeds   int
	saturation      bool
	json            bool
	csv, plot, page string
	out, keep       string
	paper, beside   string
	figure          *studies.Figure
	theirs          *booksim.Results // of --beside
	conf            *booksim.Configuration
	given           []string // flags, without those of a setup
}

// simulationFlags say how simulate runs a network.
type simulationFlags struct {
	traffic, offered, length, delays, arbiter, selection, choice, replies string
	like                                                                  string
	hot                                                                   []string
	share, burst                                                          float64
	window, queue, injectors, buffer, clocks, warmup                      int
	shared, stop                                                          bool
	seed                                                                  uint64
}

func simulateCommand(std streams) *cobra.Command {
	var f simulateFlags
	c := &cobra.Command{
		Use:   "simulate NETWORK",
		Short: "Measure latency, throughput and saturation, flit by flit",
		Long: `Simulate runs a network clock by clock and flit by flit, at each load, on all cores. It
prints accepted traffic, in flits per clock and sending node, and latency, in clocks from
the generation of a packet to the arrival of its last flit. It runs the tables that
"unknot check" decides. A deadlock is not mistaken for saturation, but ends the run with a
trace from the empty network. See "unknot help measure".

The same seed gives the same output. A measurement is never a verdict.

Exit codes: 0 measured, 1 a run ended in a deadlock, 2 usage or input, 3 a limit was
reached, 130 interrupted.`,
		Example: `  unknot simulate mesh --load 0.05..0.5 --length 8 --buffer 8
  unknot simulate star-channel --traffic transpose --load 0.02..0.2 --compare ccb,ld --plot s.svg
  unknot simulate star-channel --set ch=never --load 1 --length 4 --injectors 4 --out deadlock
  unknot simulate my.star --traffic demands.csv --saturation`,
		Args:              wants(1, 1),
		ValidArgsFunction: completeNetwork,
		RunE: func(c *cobra.Command, args []string) error {
			c.Flags().Visit(func(flag *pflag.Flag) { f.given = append(f.given, flag.Name) })
			if manyFigures(f.paper) {
				return f.simulatePaper(c, args[0], std)
			}
			if err := cmp.Or(f.preset(c, args[0]), f.configured(c, args[0])); err != nil {
				return err
			}
			return f.simulate(c.Context(), args[0], std)
		},
	}
	f.networkFlags.register(c)
	f.budget.register(c, std)
	f.fragments, f.acyclic = 2<<30, 64<<20 // routes are looked up faster in whole tables, until memory is short
	f.simulationFlags.register(c)
	fs := c.Flags()
	fs.StringSliceVar(&f.compare, "compare", nil,
		"selection functions or networks to compare, one curve each, as in ccb,ld")
	fs.StringVar(&f.paper, "paper", "",
		"run a setup of a paper: "+figureNames()+", several of them, or all; other flags override its settings")
	fs.StringVar(&f.beside, "beside", "",
		"what BookSim 2 printed when it ran NETWORK, a configuration of it, to compare the results with")
	reads(fs, "beside")
	fs.IntVar(&f.points, "points", 8, "number of loads in a range")
	fs.IntVar(&f.seeds, "seeds", 1, "runs of each load, each with its own seed, starting with --seed")
	fs.BoolVar(&f.saturation, "saturation", false, "find the load at which the network saturates, by bisection")
	fs.BoolVar(&f.json, "json", false, "print all measurements as JSON")
	writes(fs, &f.csv, "csv", "CSV file, one line for each load", "csv")
	writes(fs, &f.plot, "plot", "SVG file: latency and accepted load", "svg")
	writes(fs, &f.page, "report", "file for a self-contained HTML page with charts and tables", "html")
	writesFolder(fs, &f.out, "out", "folder for the network and the trace of a deadlock")
	fs.StringVar(&f.keep, "keep", "", "folder in which each run is kept, and from which it is taken the next time")
	c.AddCommand(combiningCommand(std))
	return c
}

func figureNames() string {
	return words.OneOf(namesOf(all.Figures(), func(f studies.Figure) string { return f.Name }))
}

// preset sets the flags of a paper's setup, except those that are given.
func (f *simulateFlags) preset(c *cobra.Command, name string) error {
	if f.paper == "" {
		return nil
	}
	for _, x := range all.Figures() {
		if x.Name == f.paper {
			f.figure = &x
		}
	}
	if f.figure == nil {
		return invalid("paper", f.paper, "%s, or all", figureNames())
	}
	if name != f.figure.Network {
		return fmt.Errorf("--paper %s is about %s, not %s", f.paper, f.figure.Network, name)
	}
	return f.setUp(c)
}

// setUp sets the flags of the figure, except those that are given.
func (f *simulateFlags) setUp(c *cobra.Command) error {
	f.set = slices.Clone(f.set)
	for _, param := range slices.Sorted(maps.Keys(f.figure.Set)) {
		if !slices.ContainsFunc(f.set, func(set string) bool { return strings.HasPrefix(set, param+"=") }) {
			f.set = append(f.set, param+"="+f.figure.Set[param])
		}
	}
	for flag, value := range f.figure.Flags {
		switch {
		case slices.Contains(f.given, flag):
		case flag == "compare": // a list, to which Set would add
			f.compare = strings.Split(value, ",")
		default:
			if err := c.Flags().Set(flag, value); err != nil {
				return err
			}
		}
	}
	return nil
}

// configured sets the flags as a configuration of BookSim says, except those that are given.
func (f *simulateFlags) configured(c *cobra.Command, name string) error {
	conf, err := f.configuration(c.Context(), name)
	if err != nil {
		return err
	}
	if conf == nil {
		if f.beside != "" {
			return invalid("beside", f.beside, "a configuration of BookSim as the network, not %s", name)
		}
		return nil
	}
	run, err := conf.Run()
	if err != nil {
		return err
	}
	for _, w := range run.Warnings {
		f.warn(w)
	}
	given := slices.Clone(f.given)
	if run.Rate != "" && !slices.Contains(given, "load") {
		f.warn(run.Rate)
	}
	if run.Nodes != "" && f.beside == "" {
		f.warn(run.Nodes)
	}
	if err := f.readBeside(c.Context(), conf, run); err != nil {
		return err
	}
	for flag, values := range run.Flags() {
		if slices.Contains(given, flag) || slices.Contains(given, "traffic") && (flag == "hot" || flag == "share") {
			continue
		}
		for _, value := range values {
			if err := c.Flags().Set(flag, value); err != nil {
				return err
			}
		}
		if flag == "delays" || flag == "shared" {
			f.given = append(f.given, flag) // --like booksim leaves them
		}
	}
	return nil
}

// readBeside reads the results of --beside, and warns of what differs from the configuration.
func (f *simulateFlags) readBeside(ctx context.Context, conf *booksim.Configuration, run *booksim.Run) error {
	if f.beside == "" {
		return nil
	}
	text, err := readFile(ctx, f.beside, mostPrinted)
	if err != nil {
		return err
	}
	if f.theirs, err = booksim.ReadResults(f.beside, text); err != nil {
		return err
	}
	f.conf = conf
	for _, difference := range conf.Beside(f.theirs) {
		f.warn(difference)
	}
	settled := slices.Collect(maps.Keys(run.Flags()))
	settled = append(settled, "buffer", "burst", "window", "queue", "injectors", "arbiter", "selection", "switching",
		"source", "dest")
	for _, flag := range f.given {
		if slices.Contains(settled, flag) {
			f.warn(fmt.Sprintf("%s: --%s replaces what BookSim ran with", f.beside, flag))
		}
	}
	return nil
}

func (f *simulateFlags) simulate(ctx context.Context, name string, std streams) error {
	study, all, err := f.study(ctx, name, std)
	if err != nil {
		return err
	}
	warnOf(all, std)
	if err := f.write(ctx, study, std); err != nil {
		return err
	}
	if i, r := study.Deadlock(); r != nil {
		return f.deadlock(ctx, all[i].Network, r, std)
	}
	return nil
}

// warnOf warns, once each, of setups that may hide what was asked for.
func warnOf(all []simulate.Subject, std streams) {
	var warned []string
	for _, x := range all {
		if w := x.Options.Warning(x.Network); w != "" && !slices.Contains(warned, w) {
			warned = append(warned, w)
			fmt.Fprintf(std.err, "unknot: warning: %s\n", spec.Printable(w))
		}
	}
}

// study runs what is asked for, a curve for each subject.
func (f *simulateFlags) study(
	ctx context.Context, name string, std streams,
) (*simulate.Study, []simulate.Subject, error) {
	m := newMeter(std)
	defer m.clear()
	loads, err := loadsOf(f.offered, f.points)
	if err != nil {
		return nil, nil, err
	}
	if f.theirs != nil && (len(loads) > 1 || len(f.compare) > 0) {
		return nil, nil, invalid("beside", f.beside, "one load, and no --compare: BookSim's results are of one run")
	}
	if f.seeds < 1 || f.seeds > 1000 {
		return nil, nil, invalid("seeds", f.seeds, "1 to 1000")
	}
	all, err := f.subjects(ctx, name, m)
	if err != nil {
		return nil, nil, err
	}
	if f.saturation && (f.window > 0 || len(all[0].Options.Traffic.Events) > 0) {
		return nil, nil, errors.New("--saturation varies the load: want neither --window nor a trace")
	}
	if len(all[0].Options.Traffic.Events) > 0 {
		if err := f.besideTrace(); err != nil {
			return nil, nil, err
		}
		loads = []float64{1} // which the trace has
	}
	if err := f.suited(all, name, std); err != nil {
		return nil, nil, err
	}
	study, err := simulate.Measure(ctx, all, simulate.Plan{
		Loads: loads, Seeds: f.seeds, Workers: runtime.GOMAXPROCS(0), Saturation: f.saturation, Keep: f.keep,
		Digests: f.json || f.page != "",
		Done: func(done, of int) {
			m.show(routing.Progress{
				Stage: "simulating", Done: int64(done), Total: int64(of), Count: int64(done), Unit: "runs",
			})
		},
	})
	if err != nil {
		return nil, nil, err
	}
	if f.stop {
		study.Cut()
	}
	if f.theirs != nil {
		study.SetBeside(f.theirs, f.conf.Routers, f.conf.Nodes()*all[0].Options.Delays.Hop())
	}
	if f.figure != nil {
		study.Stated = f.figure.Judge(study.Curves)
	}
	return study, all, nil
}

// suited refuses selection functions that say nothing about their network, and warns of a network that is not run.
func (f *simulateFlags) suited(all []simulate.Subject, name string, std streams) error {
	runs := len(f.compare) == 0 || slices.Contains(f.compare, name)
	for _, x := range all {
		if err := simulate.Suits(x.Selects, x.Network); err != nil {
			return err
		}
		runs = runs || x.Name == x.Selects
	}
	if !runs {
		fmt.Fprintf(std.err, "unknot: warning: %s is not simulated: --compare names other networks\n",
			spec.Printable(name))
	}
	return nil
}

// besideTrace refuses flags without effect on a trace, which says what is sent and when. Traces of a setup are measured
// whole, under their names.
func (f *simulateFlags) besideTrace() error {
	of, idle := "a trace", []string{"load", "points", "burst"}
	switch {
	case f.figure != nil && len(f.figure.Traces) > 0:
		of, idle = "the traces of --paper "+f.paper, append(idle, "length", "compare", "traffic", "warmup")
	case !strings.HasSuffix(f.traffic, ".trace"): // whose packets have types, not lengths
		idle = append(idle, "length")
	}
	for _, flag := range f.given {
		if slices.Contains(idle, flag) {
			return fmt.Errorf("--%s is not for %s: it lists what is sent, and when", flag, of)
		}
	}
	return nil
}

// subjects loads what to compare: the network under each selection function, then the
// other networks.
func (f *simulateFlags) subjects(ctx context.Context, name string, m *meter) ([]simulate.Subject, error) {
	options, err := f.options()
	if err != nil {
		return nil, err
	}
	load := func(as, name string, o simulate.Options) (simulate.Subject, error) {
		n, err := f.load(ctx, name, m.show)
		if err == nil && f.buffer > 0 {
			n, err = n.WithBuffer(f.buffer)
		}
		if err != nil {
			return simulate.Subject{}, err
		}
		f.liken(&o, n)
		if err := f.bind(ctx, &o, n); err != nil {
			return simulate.Subject{}, err
		}
		return simulate.Subject{Name: as, Selects: f.selection, Network: n, Options: o}, nil
	}
	first, err := load(cmp.Or(f.selection, "any"), name, options)
	if err != nil {
		return nil, err
	}
	if f.figure != nil && len(f.figure.Traces) > 0 {
		var all []simulate.Subject
		for _, t := range f.figure.Traces {
			x := first
			x.Name, x.Options.Traffic.Events = t.Name, t.Events(x.Network)
			f.timed(&x.Options)
			all = append(all, x)
		}
		return all, nil
	}
	if len(f.compare) == 0 {
		first.Name = report.ShortName(name)
		return []simulate.Subject{first}, nil
	}
	all, err := simulate.Compared(first, f.compare, func(other string) (simulate.Subject, error) {
		return load(other, other, options)
	})
	var refused *simulate.ComparedError
	switch {
	case errors.As(err, &refused) && refused.Err == nil:
		return nil, invalid("compare", refused.Name, "each once")
	case errors.As(err, &refused):
		return nil, fmt.Errorf("invalid --compare %.60q: want selection functions (%s) or networks: %w",
			refused.Name, functionNames(), refused.Err)
	}
	return all, err
}

// liken gives options the router of another program, except for what other flags set.
func (f *simulateFlags) liken(o *simulate.Options, n *spec.Network) {
	if f.like == "" {
		return
	}
	like := o.LikeBookSim(n)
	for flag, set := range map[string]func(){
		"delays": func() { o.Delays = like.Delays }, "shared": func() { o.Shared = like.Shared },
		"arbiter": func() { o.Arbiter = like.Arbiter }, "injectors": func() { o.Injectors = like.Injectors },
	} {
		if !slices.Contains(f.given, flag) {
			set()
		}
	}
}

// loadsOf reads --load and --points.
func loadsOf(text string, points int) ([]float64, error) {
	if points < 2 || points > 1000 {
		return nil, invalid("points", points, "2 to 1000")
	}
	loads, err := simulate.ParseLoads(text, points)
	if err != nil {
		return nil, refused("load", text, err)
	}
	return loads, nil
}

// bind adds to the options what needs the network.
func (f *simulationFlags) bind(ctx context.Context, o *simulate.Options, n *spec.Network) error {
	if f.replies != "" {
		class := slices.Index(n.Classes(), f.replies)
		if class < 0 {
			return invalid("replies", f.replies, "a class of %s, one of %q", n.Name(), n.Classes())
		}
		o.Replies = spec.Class(class)
	} else if o.Window > 0 {
		o.Replies = spec.Class(len(n.Classes()) - 1)
	}
	for i, name := range f.hot {
		v, err := nodeNamed(n.Name(), n.Topology(), "hot", name)
		if err != nil {
			return err
		}
		o.Traffic.Hot[i] = n.Topology().Node(v).Name
	}
	if !f.fromFile() {
		return nil
	}
	text, err := readFile(ctx, f.traffic, mostTraffic)
	if err != nil {
		return err
	}
	if strings.HasSuffix(f.traffic, ".trace") {
		o.Traffic, err = simulate.ReadBookSim(f.traffic, text, n, o.Lengths)
	} else {
		o.Traffic, err = simulate.ReadTraffic(f.traffic, text, n)
	}
	if err == nil && len(o.Traffic.Events) > 0 {
		f.timed(o)
	}
	return err
}

// timed makes options follow their trace, which gives the lengths and has no warm-up.
func (f *simulationFlags) timed(o *simulate.Options) {
	if o.Lengths = o.Traffic.Lengths(); f.warmup == aTenth {
		o.Warmup = 0
	}
}

func (f *simulationFlags) register(c *cobra.Command) {
	fs := c.Flags()
	fs.StringVar(&f.traffic, "traffic", "uniform", "a pattern ("+patternNames()+
		"), FILE.csv (a matrix or a trace) or FILE.trace (BookSim's)")
	reads(fs, "traffic")
	fs.StringArrayVar(&f.hot, "hot", nil, "a hot node of --traffic hot-spot (repeatable)")
	fs.Float64Var(&f.share, "share", hotShare, "share of the packets that goes to the hot nodes")
	fs.StringVar(&f.offered, "load", "0.05..0.4",
		"flits that a sending node generates per clock: 0.1, a list 0.1,0.2 or a range 0.05..0.4")
	fs.Float64Var(&f.burst, "burst", 1, "packets in a burst, on average; 1: Bernoulli sources")
	fs.IntVar(&f.window, "window", 0,
		"limit on the outstanding requests of a node, each of which is answered; 0: an open loop")
	fs.StringVar(&f.replies, "replies", "", "class of the replies, with --window (default the last)")
	fs.IntVar(&f.queue, "queue", 0, "limit on the packets that wait at a node; more are refused; 0: no limit")
	fs.BoolVar(&f.stop, "stop", false,
		"end a run when a packet is refused, with --queue: the network saturates there")
	fs.StringVar(&f.length, "length", "8", "flits of a packet, or several with their weights, as in 1:3,9:1")
	fs.IntVar(&f.buffer, "buffer", 0,
		"override the buffer depth of a VC, in flits for wormhole switching, else in packets; 0: do not")
	fs.IntVar(&f.injectors, "injectors", 1, "packets that a node may send at once, each on its own VC")
	fs.StringVar(&f.delays, "delays", "three",
		"pipeline stages: three (routing, crossbar, link), five (also VC and switch allocation), or their clocks, as "+
			"in route=1,link=4")
	fs.StringVar(&f.arbiter, "arbiter", simulate.ArbiterNames[0], words.OneOf(simulate.ArbiterNames))
	fs.StringVar(&f.selection, "selection", "any", "selection function: "+functionNames())
	fs.StringVar(&f.choice, "choice", simulate.ChoiceNames[0],
		"what commits a packet to an alternative of oblivious routing: flow (a hash of it, from --seed) or packet (chance)")
	fs.StringVar(&f.like, "like", "",
		"router of another program: booksim (--shared, five stages, a packet on each VC); other flags override it")
	fs.BoolVar(&f.shared, "shared", false, "a packet may enter a channel behind the tail of another")
	fs.IntVar(&f.clocks, "clocks", 50_000, "length of a run, in clocks")
	fs.IntVar(&f.warmup, "warmup", aTenth, "clocks before measurement begins (default a tenth; with a trace 0)")
	fs.Uint64Var(&f.seed, "seed", 1, "seed of the random numbers")
	offers(fs, "traffic", patterns())
	offers(fs, "arbiter", simulate.ArbiterNames)
	offers(fs, "selection", functions())
	offers(fs, "delays", []string{"three", "five"})
	offers(fs, "choice", simulate.ChoiceNames)
	offers(fs, "like", []string{"booksim"})
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
		Burst:   f.burst, Window: f.window, Queue: f.queue, Injectors: f.injectors, Shared: f.shared, Stop: f.stop,
		Clocks: f.clocks, Warmup: f.warmup, Seed: f.seed,
	}
	if o.Warmup == aTenth {
		o.Warmup = f.clocks / 10
	}
	arbiter := slices.Index(simulate.ArbiterNames, f.arbiter)
	choice := slices.Index(simulate.ChoiceNames, f.choice)
	choose, known := simulate.Function(f.selection)
	o.Arbiter, o.Choice, o.Select = simulate.Arbiter(max(arbiter, 0)), simulate.Choice(max(choice, 0)), choose
	const most, mostClocks = 1 << 20, 1 << 30
	switch {
	case !slices.Contains(patterns(), f.traffic) && !f.fromFile():
		return o, invalid("traffic", f.traffic, "%s, or FILE.csv or FILE.trace%s", patternNames(),
			words.Suggestion(f.traffic, patterns()))
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
	case f.stop && f.queue == 0:
		return o, errors.New("--stop ends a run when a queue overflows: want --queue with it")
	case f.injectors < 1 || f.injectors > 64:
		return o, invalid("injectors", f.injectors, "1 to 64")
	case f.buffer < 0 || f.buffer > most:
		return o, invalid("buffer", f.buffer, "0 to %d", most)
	case arbiter < 0:
		return o, invalid("arbiter", f.arbiter, "%s%s",
			words.OneOf(simulate.ArbiterNames), words.NowCalled(f.arbiter, simulate.ArbiterNames))
	case f.like != "" && f.like != "booksim":
		return o, invalid("like", f.like, "booksim")
	case choice < 0:
		return o, invalid("choice", f.choice, "%s", words.OneOf(simulate.ChoiceNames))
	case !known:
		return o, invalid("selection", f.selection, "%s", words.OneOf(functions()))
	case f.clocks < 1 || f.clocks > mostClocks:
		return o, invalid("clocks", f.clocks, "1 to %d", mostClocks)
	case o.Warmup < 0 || o.Warmup >= f.clocks:
		return o, invalid("warmup", f.warmup, "0 to %d, less than the clocks", f.clocks-1)
	}
	var err error
	if o.Lengths, err = simulate.ParseLengths(f.length); err != nil {
		return o, refused("length", f.length, err)
	}
	if o.Delays, err = simulate.ParseDelays(f.delays); err != nil {
		return o, refused("delays", f.delays, err)
	}
	return o, nil
}

// write prints the study and writes the files that were asked for.
func (f *simulateFlags) write(ctx context.Context, s *simulate.Study, std streams) error {
	title := spec.Printable(s.Curves[0].Network) + ", simulated"
	for _, file := range []struct {
		name  string
		write func(io.Writer) error
	}{{f.csv, s.WriteCSV}, {f.plot, s.WriteSVG}, {f.page, func(w io.Writer) error { return s.WritePage(w, title) }}} {
		if file.name != "" {
			if err := writeFile(ctx, file.name, file.write); err != nil {
				return err
			}
		}
	}
	if f.json {
		return s.WriteJSON(std.out)
	}
	return s.WriteText(std.out)
}

// deadlock prints the trace of the first deadlock, and keeps it.
func (f *simulateFlags) deadlock(ctx context.Context, n *spec.Network, r *simulate.Result, std streams) error {
	d := r.Deadlock
	found, err := r.Finding(ctx, n)
	if err != nil {
		return err
	}
	trace := evidence.Trace{Network: n, Trace: found.Trace()}
	if f.out != "" {
		result := &checker.Result{Name: n.Name(), Network: n, Findings: []checker.Finding{*found}}
		if err := writeEvidence(ctx, f.out, result); err != nil {
			return err
		}
	}
	if !f.json {
		lines := []string{"", fmt.Sprintf(
			"deadlock in clock %d at load %v: %s, a trace of %s from the empty network, %s", d.Clock, r.Load,
			words.Plural(d.Packets, "packet"), words.Plural(len(trace.Moves), "move"), trace.Scenario)}
		lines = append(lines, explain.Transcript(trace, explain.StepsOnly, 20)...)
		lines = append(lines, explain.WaitFor(trace)...)
		if f.out != "" {
			lines = append(lines, "written to "+spec.Printable(filepath.Clean(f.out)))
		}
		if err := printLines(std.out, printable(lines)); err != nil {
			return err
		}
	}
	return &codeError{code: exitViolated}
}
