package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/route"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/support/words"
	"github.com/seed-105a2da2/unknot/spec/topology"
)

type routeFlags struct {
	networkFlags
	by    string
	most  int
	roots []string
	check bool
	out   string
}

// allEngines asks for every engine.
const allEngines = "all"

func routeCommand(std streams) *cobra.Command {
	var f routeFlags
	c := &cobra.Command{
		Use:   "route TOPOLOGY",
		Short: "Route a topology by an engine, or compare the engines on it",
		Long: `Route computes routes for the topology of any file or model, checks the result, and
reports its cost. It ignores the routing of the file. The cost is the number of virtual
channels (VCs), the load of the links, and the length of the routes compared with
shortest paths. With --engine all it compares the engines in a table. See
"unknot help routes" for the engines.

The same nodes send and receive as in the file or model.

Exit codes: 0 every property holds, 1 one is violated, 2 usage or input, 3 unknown,
or the engine needs more VCs than --vcs, 4 evidence was rejected (a bug in unknot),
130 interrupted. With --engine all, the exit code is 0 if every property holds under one
of the engines, even if another leaves flows without a route.`,
		Example: `  unknot route torus --set k=5 --engine lash
  unknot route ring.csv --both-ways --engine nue --vcs 2 --out ring.json
  unknot route cluster.graphml --engine updown --root spine1 --root spine2
  unknot route hypercube --engine all`,
		Args:              wants(1, 1),
		ValidArgsFunction: completeNetwork,
		RunE:              func(c *cobra.Command, args []string) error { return f.route(c.Context(), args[0], std) },
	}
	f.networkFlags.registerSubject(c)
	f.budget.register(c, std)
	names := append(engines(), allEngines)
	wordFlag(c, &f.by, "engine", string(route.Nue), names, words.OneOf(names))
	c.Flags().IntVar(&f.most, "vcs", 0, "limit on the VCs of a link; 0: no limit")
	c.Flags().StringArrayVar(&f.roots, "root", nil,
		"root of the order of updown, or of the escape of nue (repeatable; default: chosen)")
	c.Flags().BoolVar(&f.check, "check", true, "check the network")
	writes(c.Flags(), &f.out, "out", "file for the network in the closed form")
	return c
}

// routed is the result of an engine on a topology.
type routed struct {
	*route.Result
	engine route.Engine
	took   time.Duration
	err    error // why there is no result
}

func (f *routeFlags) route(ctx context.Context, name string, std streams) error {
	if f.most < 0 || f.most > route.MostVCs {
		return invalid("vcs", f.most, "0 to %d", route.MostVCs)
	}
	rooted := []string{string(route.UpDown), string(route.Nue), allEngines}
	if len(f.roots) > 0 && !slices.Contains(rooted, f.by) {
		return fmt.Errorf("--root is for updown and nue: %s has no root", f.by)
	}
	if f.by == allEngines && f.out != "" {
		return errors.New("--out is for the network of one engine")
	}
	if f.weight != "" && !route.Engine(f.by).Weighs() {
		return invalid("weight", f.weight, "%s, %s or %s, not --engine %s",
			route.Shortest, route.LASH, route.DFSSSP, f.by)
	}
	m := newMeter(std)
	defer m.clear()
	t, opt, note, err := f.topology(ctx, name, m.show)
	if err != nil {
		return err
	}
	opt.VCs, opt.Check, opt.MaxSites, opt.Progress = f.most, f.check, f.maxSites, m.show
	for _, r := range f.roots {
		v, err := nodeNamed(opt.Name, t, "root", r)
		if err != nil {
			return err
		}
		opt.Roots = append(opt.Roots, v)
	}
	if f.by == allEngines {
		return f.compare(ctx, t, opt, note, m, std.out)
	}
	opt.Engine = route.Engine(f.by)
	r, err := route.Route(ctx, t, opt)
	if few := new(route.VCsError); errors.As(err, &few) {
		return &codeError{exitUnknown, err}
	}
	if err != nil {
		return err
	}
	m.clear()
	f.tellTransit(name, r)
	f.tellTies(name, r)
	if f.out != "" {
		f.budget.saving.Lock()
		defer f.budget.saving.Unlock()
		if err := writeFile(ctx, f.out, func(w io.Writer) error { return spec.WriteClosed(w, r.Network) }); err != nil {
			return err
		}
	}
	if err := f.print(std.out, t, note, r); err != nil || r.Check == nil {
		return err
	}
	return exitError(ctx, r.Check.Verdict())
}

// topology finds the topology to route: the terminals of a network are the nodes that send or receive. note
// is a line about what is not routed.
func (f *routeFlags) topology(
	ctx context.Context, name string, progress func(routing.Progress),
) (t *spec.Topology, opt route.Options, note string, err error) {
	g, err := f.bare(ctx, name)
	if err != nil {
		return nil, route.Options{}, "", err
	}
	if g != nil {
		switching, err := f.switchingOf(name, g)
		if err != nil {
			return nil, route.Options{}, "", err
		}
		f.tellWeights(name, g)
		opt := route.Options{Name: titleOf(name, g), Terminals: g.Terminals, Weights: g.Weight, Switching: switching}
		if err := someSend(name, opt.Terminals); err != nil {
			return nil, opt, "", err
		}
		return g.Topology, opt, "", nil
	}
	n, err := f.load(ctx, name, progress)
	if err != nil {
		return nil, route.Options{}, "", err
	}
	if routing.HasReplies(n) { // its flows end where the reply does
		return nil, route.Options{}, "", fmt.Errorf(
			"routing %s: its nodes answer requests, and engines route one class of packets: want its topology "+
				"without replies", n.Name())
	}
	if classes := n.Classes(); len(classes) > 1 {
		note = fmt.Sprintf("classes: one for all packets: the network has %d (%s), and %d flows\n",
			len(classes), spec.Printable(strings.Join(classes, ", ")), n.FlowCount())
	}
	opt = route.Options{Name: titleOf(name, &topology.Graph{}), Switching: n.Switching(), Buffer: n.Buffer()}
	opt.Terminals = routing.Terminals(n)
	return n.Topology(), opt, note, someSend(name, opt.Terminals)
}

// print writes what one engine found.
func (f *routeFlags) print(w io.Writer, t *spec.Topology, note string, r *route.Result) error {
	var b strings.Builder
	fmt.Fprintf(&b, "engine:  %s, %s\n", r.Engine, words.Plural(r.VCs, "VC"))
	if r.Roots != nil {
		var names []string
		for _, v := range r.Roots {
			names = append(names, spec.Printable(t.Node(v).Name))
		}
		const shown = 8
		more := ""
		if len(names) > shown {
			more = fmt.Sprintf(" and %d more", len(names)-shown)
		}
		fmt.Fprintf(&b, "roots:   %s%s\n", strings.Join(names[:min(shown, len(names))], ", "), more)
	}
	b.WriteString(note)
	fmt.Fprintf(&b, "flows:   %d", r.Network.FlowCount())
	pairs := func(pairs []route.Pair, what string) {
		if len(pairs) > 0 {
			p := pairs[0]
			fmt.Fprintf(&b, "; %d %s: %s to %s", len(pairs), what, spec.Printable(t.Node(p.From).Name),
				spec.Printable(t.Node(p.To).Name))
			if len(pairs) > 1 {
				b.WriteString(", ...")
			}
		}
	}
	pairs(r.Unreachable, "that no links join")
	pairs(r.Unrouted, "without a route")
	fmt.Fprintf(&b, "\nlengths: %.3f of a shortest path on average, %.3f at most\n", r.Stretch.Mean, r.Stretch.Most)
	if x := r.Load; x.Links > 0 {
		fmt.Fprintf(&b, "links:   %.1f flows each on average, %d to %d, standard deviation %.1f (%s)\n",
			x.Mean, x.Least, x.Most, x.Deviation, words.Plural(x.Links, "link"))
	}
	if f.out != "" {
		fmt.Fprintf(&b, "written: %s\n", spec.Printable(f.out))
	}
	if r.Check != nil {
		b.WriteString("\n")
	}
	if _, err := io.WriteString(w, b.String()); err != nil || r.Check == nil {
		return err
	}
	return printResult(w, r.Check, false, "", "", nil)
}

// compare runs all engines, and writes a line for each.
func (f *routeFlags) compare(
	ctx context.Context, t *spec.Topology, opt route.Options, note string, m *meter, w io.Writer,
) error {
	var all []routed
	for _, e := range route.Engines() {
		opt.Engine = e
		start := time.Now()
		r, err := route.Route(ctx, t, opt)
		if err != nil && (ctx.Err() != nil || errors.As(err, new(*checker.EvidenceError))) {
			return err
		}
		all = append(all, routed{r, e, time.Since(start), err})
	}
	m.clear()
	var b strings.Builder
	b.WriteString(note)
	tw := tabwriter.NewWriter(&b, 0, 0, 3, ' ', 0)
	fmt.Fprint(tw, "engine\tVCs\tdeadlock freedom\tflows\tno route\tlink load\tdeviation\tlengths\tat most\ttime\n")
	var why []string
	exit := exitUnknown
	for _, r := range all {
		if r.err != nil {
			fmt.Fprintf(tw, "%s\t-\t-\t-\t-\t-\t-\t-\t-\t-\n", r.engine)
			why = append(why, spec.Printable(r.err.Error()))
			continue
		}
		verdict := "-"
		if r.Check != nil {
			verdict = r.Check.Of(spec.DeadlockFreedom.String()).Verdict.String()
			switch r.Check.Verdict() {
			case spec.Holds:
				exit = exitExpected
			case spec.Violated:
				if exit == exitUnknown {
					exit = exitViolated
				}
			}
		}
		missing := len(r.Unreachable) + len(r.Unrouted)
		if missing > 0 {
			why = append(why, fmt.Sprintf("%s: no route for %d of %s: these are not delivered",
				r.engine, missing, words.Plural(r.Network.FlowCount(), "flow")))
		}
		load := "-\t-" // every link is of a node with one neighbor
		if x := r.Load; x.Links > 0 {
			load = fmt.Sprintf("%d..%d\t%.1f", x.Least, x.Most, x.Deviation)
		}
		fmt.Fprintf(tw, "%s\t%d\t%s\t%d\t%d\t%s\t%.3f\t%.3f\t%.1fs\n",
			r.engine, r.VCs, verdict, r.Network.FlowCount(), missing,
			load, r.Stretch.Mean, r.Stretch.Most, r.took.Seconds())
	}
	tw.Flush()
	for _, text := range why {
		fmt.Fprintf(&b, "\n%s", text)
	}
	if why != nil {
		b.WriteString("\n")
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return err
	}
	if f.check && exit != exitExpected {
		return &codeError{code: exit}
	}
	return nil
}
