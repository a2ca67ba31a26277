package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/seed-105a2da2/unknot/checker/show/report"
	"github.com/seed-105a2da2/unknot/checker/simulate"
	"github.com/seed-105a2da2/unknot/models/studies"
	"github.com/seed-105a2da2/unknot/models/studies/all"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

func simulateCommand(std streams) *cobra.Command {
	var f simulateFlags
	c := &cobra.Command{
		Use:   "simulate NETWORK",
		Short: "Measure latency, throughput and saturation, flit by flit",
		Long: `Simulate runs a network clock by clock and flit by flit, at each load, on all cores. It
prints accepted traffic, in flits per clock and sending node, and latency, in clocks from
the generation of a message to the arrival of its last flit. It runs the tables that
"unknot check" decides. A deadlock is not mistaken for saturation: it ends the run with a
trace from the empty network. See "unknot help measure".

The same seed gives the same output. A measurement is never a verdict.

Exit codes: 0 measured, 1 a run ended in a deadlock, 2 usage or input, 3 a limit was
reached, 130 interrupted.`,
		Example: `  unknot simulate mesh --load 0.05..0.5 --length 8 --buffer 8
  unknot simulate star-channel --traffic transpose --load 0.02..0.2 --compare ccb,ld --plot s.svg
  unknot simulate star-channel --set ch=never --load 1 --length 4 --lanes 4 --out deadlock
  unknot simulate my.star --traffic demands.csv --saturation`,
		Args:              wants(1, 1),
		ValidArgsFunction: completeNetwork,
		RunE: func(c *cobra.Command, args []string) error {
			c.Flags().Visit(func(flag *pflag.Flag) { f.given = append(f.given, flag.Name) })
			if err := f.preset(c, args[0]); err != nil {
				return err
			}
			return f.simulate(c.Context(), args[0], std)
		},
	}
	f.networkFlags.register(c)
	f.budget.register(c, std)
	f.simulationFlags.register(c)
	fs := c.Flags()
	fs.StringSliceVar(&f.compare, "compare", nil,
		"selection functions or networks to compare, one curve each, as in ccb,ld")
	fs.StringVar(&f.paper, "paper", "", "run a setup of a paper: "+figureNames()+"; other flags override its settings")
	fs.IntVar(&f.points, "points", 8, "number of loads in a range")
	fs.IntVar(&f.seeds, "seeds", 1, "runs of each load, each with its own seed, starting with --seed")
	fs.BoolVar(&f.saturation, "saturation", false, "find the load at which the network saturates, by bisection")
	fs.BoolVar(&f.json, "json", false, "print all measurements as JSON")
	writes(fs, &f.csv, "csv", "CSV file, one line for each load", "csv")
	writes(fs, &f.plot, "plot", "SVG file: latency and accepted load", "svg")
	writes(fs, &f.page, "report", "file for a self-contained HTML page with charts and tables", "html")
	writesFolder(fs, &f.out, "out", "folder for the network and the trace of a deadlock")
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
		return invalid("paper", f.paper, "%s", figureNames())
	}
	if name != f.figure.Network {
		return fmt.Errorf("--paper %s is about %s, not %s", f.paper, f.figure.Network, name)
	}
	for _, param := range slices.Sorted(maps.Keys(f.figure.Set)) {
		if !slices.ContainsFunc(f.set, func(set string) bool { return strings.HasPrefix(set, param+"=") }) {
			f.set = append(f.set, param+"="+f.figure.Set[param])
		}
	}
	for flag, value := range f.figure.Flags {
		if !c.Flags().Changed(flag) {
			if err := c.Flags().Set(flag, value); err != nil {
				return err
			}
		}
	}
	return nil
}

// measured is a network with a selection function.
type measured struct {
	name    string // of its curve
	selects string
	network *spec.Network
	options simulate.Options
}

func (f *simulateFlags) simulate(ctx context.Context, name string, std streams) error {
	m := newMeter(std)
	defer m.clear()
	loads, err := f.loads(f.points)
	if err != nil {
		return err
	}
	if f.seeds < 1 || f.seeds > 1000 {
		return invalid("seeds", f.seeds, "1 to 1000")
	}
	all, err := f.subjects(ctx, name, m)
	if err != nil {
		return err
	}
	if f.saturation && (f.window > 0 || len(all[0].options.Traffic.Events) > 0) {
		return errors.New("--saturation varies the load: want neither --window nor a trace")
	}
	if len(all[0].options.Traffic.Events) > 0 {
		if err := f.besideTrace(); err != nil {
			return err
		}
		loads = []float64{1} // which the trace has
	}
	if err := f.suited(all, name, std); err != nil {
		return err
	}
	study := simulate.Study{Conditions: all[0].conditions()}
	var jobs []simulate.Job
	for _, x := range all {
		for _, load := range loads {
			x.options.Load = load
			jobs = append(jobs, simulate.Job{Network: x.network, Options: x.options, Seeds: f.seeds})
		}
	}
	done := func(done, of int) {
		m.show(routing.Progress{
			Stage: "simulating", Done: int64(done), Total: int64(of), Count: int64(done), Unit: "runs",
		})
	}
	points, err := simulate.Points(ctx, jobs, runtime.GOMAXPROCS(0), done)
	if err != nil {
		return err
	}
	for i, x := range all {
		curve := simulate.Curve{
			Name: x.name, Network: x.network.Name(), Digest: x.network.Digest().String(),
			Points: points[i*len(loads):][:len(loads)],
		}
		if own := x.conditions(); !slices.Equal(own, study.Conditions) {
			curve.Conditions = own
		}
		if f.saturation {
			bounds, err := simulate.Saturation(ctx,
				simulate.Job{Network: x.network, Options: x.options, Seeds: f.seeds},
				runtime.GOMAXPROCS(0), curve.Points)
			if err != nil {
				return err
			}
			curve.Saturation, curve.Over = &[2]float64{bounds.Low, bounds.High}, bounds.Over
		}
		study.Curves = append(study.Curves, curve)
	}
	if f.figure != nil {
		study.Stated = f.figure.Judge(study.Curves)
	}
	m.clear()
	var warned []string
	for _, x := range all {
		if w := x.options.Warning(x.network); w != "" && !slices.Contains(warned, w) {
			warned = append(warned, w)
			fmt.Fprintf(std.err, "unknot: warning: %s\n", spec.Printable(w))
		}
	}
	if err := f.write(ctx, &study, std); err != nil {
		return err
	}
	for i := range study.Curves {
		for _, r := range append(study.Curves[i].Points, study.Curves[i].Over) {
			if r != nil && r.Deadlock != nil {
				return f.deadlock(ctx, all[i].network, r, std)
			}
		}
	}
	return nil
}

// conditions lists those of the options, and the selection function if the curve is not named after it.
func (x *measured) conditions() []string {
	all := x.options.Conditions(x.network)
	for _, s := range simulate.Functions {
		if s.Name == x.selects && x.name != s.Name {
			all = append(all, fmt.Sprintf("selection function %s: %s", s.Name, s.Doc))
		}
	}
	return all
}

// suited refuses selection functions that say nothing about their network, and warns of a network that is not run.
func (f *simulateFlags) suited(all []measured, name string, std streams) error {
	runs := len(f.compare) == 0 || slices.Contains(f.compare, name)
	for _, x := range all {
		if err := simulate.Suits(x.selects, x.network); err != nil {
			return err
		}
		runs = runs || x.name == x.selects
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
func (f *simulateFlags) subjects(ctx context.Context, name string, m *meter) ([]measured, error) {
	options, err := f.options()
	if err != nil {
		return nil, err
	}
	load := func(as, name string, o simulate.Options) (measured, error) {
		n, err := f.load(ctx, name, m.show)
		if err == nil && f.buffer > 0 {
			def := routing.FromNetwork(n)
			def.Buffer = f.buffer
			n, err = routing.Compile(ctx, def, routing.CompileOptions{MaxSites: f.maxSites, Memory: f.budget.memory})
		}
		if err != nil {
			return measured{}, err
		}
		if err := f.bind(ctx, &o, n); err != nil {
			return measured{}, err
		}
		return measured{as, f.selection, n, o}, nil
	}
	first, err := load(cmp.Or(f.selection, "any"), name, options)
	if err != nil {
		return nil, err
	}
	if f.figure != nil && len(f.figure.Traces) > 0 {
		var all []measured
		for _, t := range f.figure.Traces {
			x := first
			x.name, x.options.Traffic.Events = t.Name, t.Events(x.network)
			f.timed(&x.options)
			all = append(all, x)
		}
		return all, nil
	}
	if len(f.compare) == 0 {
		first.name = report.ShortName(name)
		return []measured{first}, nil
	}
	var all []measured
	for i, other := range f.compare {
		if slices.Contains(f.compare[:i], other) {
			return nil, invalid("compare", other, "each once")
		}
		x := first
		x.name = other
		if choose, ok := simulate.Function(other); ok {
			x.options.Select, x.selects = choose, other
		} else if x, err = load(other, other, options); err != nil {
			return nil, fmt.Errorf("invalid --compare %.60q: want selection functions (%s) or networks: %w",
				other, functionNames(), err)
		}
		all = append(all, x)
	}
	return all, nil
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
	if o.Lengths = nil; f.warmup == aTenth {
		o.Warmup = 0
	}
	for _, e := range o.Traffic.Events {
		i := slices.IndexFunc(o.Lengths, func(l simulate.Length) bool { return l.Flits == e.Flits })
		if i < 0 {
			i, o.Lengths = len(o.Lengths), append(o.Lengths, simulate.Length{Flits: e.Flits})
		}
		o.Lengths[i].Weight++
	}
}
