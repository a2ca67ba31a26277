package main

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/page"
	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/spec"
)

// exploreFlags are the flags that make check explore states.
type exploreFlags struct {
	explore  bool
	scenario spec.Scenario
	opt      checker.ExploreOptions
	length   string
	once     []string
	notion   string
	within   *budget
	report   reportFlag
	outputs  outputs
}

func (f *exploreFlags) register(c *cobra.Command) {
	fs := c.Flags()
	fs.BoolVar(&f.explore, "explore", false, "explore the reachable states (implied by the flags below, and for machines)")
	f.registerScenario(c)
	fs.StringVar(&f.notion, "notion", "local", "what counts as a deadlock: local, weak or global")
	fs.BoolVar(&f.opt.Liveness, "liveness", false, "also decide what has to happen sooner or later, under weak fairness")
	fs.BoolVar(&f.opt.Whole, "whole", false, "count the whole space even when a violation has been found")
	fs.BoolVar(&f.opt.Symmetry, "symmetry", false, "explore one state of each orbit under symmetries, which are found and checked")
	fs.BoolVar(&f.opt.PartialOrder, "partial-order", false, "deadlock only: leave out orders of deliveries")
	fs.BoolVar(&f.opt.Compact, "compact", false, "keep 64 bits of hash in place of states; never a proof")
	fs.IntVar(&f.opt.Closed, "keep", 0, "states up to which the set itself is evidence, and a ranking for what has to happen; 10,000 if left out, -1: none")
	fs.Int64Var(&f.opt.MaxStates, "max-states", 0, "budget of states; then unknown (exit 3)")
	fs.IntVar(&f.opt.Workers, "workers", 0, "goroutines; one per core if left out")
	fs.StringVar(&f.opt.Save, "checkpoint", "", "file to save the exploration in, now and then and when interrupted")
	fs.DurationVar(&f.opt.Every, "checkpoint-every", time.Minute, "time between checkpoints")
	fs.StringVar(&f.opt.Resume, "resume", "", "checkpoint to go on from, and to save in unless --checkpoint names another file")
	_ = c.RegisterFlagCompletionFunc("notion", cobra.FixedCompletions([]string{"local", "weak", "global"}, cobra.ShellCompDirectiveNoFileComp))
}

// registerScenario registers the flags that say how a network is run.
func (f *exploreFlags) registerScenario(c *cobra.Command) {
	fs := c.Flags()
	fs.StringVar(&f.length, "length", "0", "flits of a message, with wormhole switching, or any; 0 moves whole packets")
	fs.BoolVar(&f.scenario.Elastic, "elastic", false, "flits move one at a time, though buffers hold one")
	fs.BoolVar(&f.scenario.Shared, "shared", false, "a message may enter a channel behind the tail of another")
	fs.IntVar(&f.scenario.Bubble, "bubble", 0, "free places needed to enter a dimension, by injection or turn")
	fs.IntVar(&f.scenario.Sink, "sink", 0, "packets that a sink holds; 0 drains at once")
	fs.IntVar(&f.scenario.Packets, "packets", 0, "packets that are injected at most, in all; 0 is no bound")
	fs.StringArrayVar(&f.once, "once", nil, "inject only this packet, once, as in --once 'A->B' (repeatable)")
}

// settleScenario reads what the flags say about the scenario of the network n,
// nil if name is a machine, which has none.
func (f *exploreFlags) settleScenario(name string, n *spec.Network) (err error) {
	if f.length == "any" {
		f.scenario.Length = spec.AnyLength
	} else if f.scenario.Length, err = strconv.Atoi(f.length); err != nil || f.scenario.Length < 0 {
		return fmt.Errorf("--length %s: want a number of flits, or any", f.length)
	}
	switch {
	case n != nil:
		return f.settleOnce(n.Topology())
	case f.scenario.String() != (spec.Scenario{}).String() || len(f.once) > 0:
		return fmt.Errorf("%s is a machine: it has no messages, buffers or sinks to set", name)
	}
	return nil
}

// settleOnce reads the single packets.
func (f *exploreFlags) settleOnce(t *spec.Topology) error {
	for _, text := range f.once {
		from, to, ok := strings.Cut(text, "->")
		src, known := t.NodeNamed(from)
		dst, alsoKnown := t.NodeNamed(to)
		if !ok || !known || !alsoKnown {
			return fmt.Errorf("--once %s: want the names of two nodes, as in A->B", text)
		}
		f.scenario.Once = append(f.scenario.Once, spec.Flow{Source: src, Target: spec.Target{Dest: dst}})
	}
	return nil
}

// wanted reports whether some flag asks for exploring.
func (f *exploreFlags) wanted(c *cobra.Command) bool {
	for _, name := range []string{"length", "elastic", "shared", "bubble", "sink", "packets", "once", "notion", "liveness", "whole", "symmetry",
		"partial-order", "compact", "keep", "memory", "timeout", "max-states", "checkpoint", "resume"} {
		if c.Flags().Changed(name) {
			return true
		}
	}
	return f.explore
}

func (f *exploreFlags) settle() error {
	var ok bool
	if f.opt.Notion, ok = checker.ParseNotion(f.notion); !ok {
		return fmt.Errorf("--notion %s: want local, weak or global", f.notion)
	}
	const mostWorkers = 1024 // each has tables of its own
	switch {
	case f.opt.MaxStates < 0:
		return fmt.Errorf("--max-states %d: must not be negative", f.opt.MaxStates)
	case f.opt.Workers < 0 || f.opt.Workers > mostWorkers:
		return fmt.Errorf("--workers %d: must be 0 to %d", f.opt.Workers, mostWorkers)
	case f.opt.Closed < -1:
		return fmt.Errorf("--keep %d: must be a number of states, or -1 for none", f.opt.Closed)
	}
	return nil
}

// run explores a machine and reports.
func (f *exploreFlags) run(ctx context.Context, m spec.Machine, n *spec.Network, out string, asJSON bool, std streams) error {
	if err := f.settle(); err != nil {
		return err
	}
	meter := newMeter(std)
	defer meter.clear()
	opt := f.opt
	opt.Memory = f.within.forStates()
	opt.Progress = f.outputs.exploring(meter.explored)
	x, err := checker.Explore(ctx, m, opt)
	if err != nil {
		return err
	}
	meter.clear()
	if out != "" {
		if err := writeExplored(out, m, n, x, opt.Notion); err != nil {
			return err
		}
	}
	if err := f.outputs.explored(m, n, x); err != nil {
		return err
	}
	if err := f.report.write(ctx, "exploring", page.Subject{Network: n, Machine: m, Exploration: x}); err != nil {
		return err
	}
	if asJSON {
		err = writeExploration(std.out, m, n, x)
	} else {
		err = printExploration(std.out, m, n, x, opt.Notion, out)
	}
	if err != nil {
		return err
	}
	switch {
	case x.Unsaved != "":
		fmt.Fprintf(std.err, "unknot: warning: %s\n", x.Unsaved)
	case opt.Saving() != "" && !x.Complete && x.Verdict() == spec.Unknown:
		fmt.Fprintf(std.err, "unknot: saved; go on with the same command and --resume %s\n", opt.Saving())
	}
	switch {
	case x.Verdict() == spec.Violated:
		return &codeError{code: exitViolated}
	case x.Verdict() == spec.Unknown:
		return &codeError{code: exitUnknown}
	}
	return nil
}

// printExploration writes for people: the verdict in one line, the assumptions,
// the evidence, the counts.
func printExploration(w io.Writer, m spec.Machine, n *spec.Network, x *checker.Exploration, notion checker.Notion, out string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:", spec.Printable(x.Machine))
	const mostOnLine = 4 // protocols have a dozen properties
	between := []string{" ", ", "}
	if len(x.Findings) > mostOnLine {
		between = []string{"\n  ", "\n  "}
	}
	for i, f := range x.Findings {
		fmt.Fprintf(&b, "%s%s %s", between[min(i, 1)], spec.Printable(f.Property), strings.ToUpper(f.Verdict.String()))
		if f.Vacuous {
			b.WriteString(" (vacuously)")
		}
	}
	b.WriteString("\n")
	if len(x.Assumptions) > 0 {
		b.WriteString("\nassuming\n")
	}
	for _, a := range x.Assumptions {
		fmt.Fprintf(&b, "  %s\n", a)
	}
	for _, f := range x.Findings {
		fmt.Fprintf(&b, "\n%s %s: %s\n", spec.Printable(f.Property), f.Verdict, spec.Printable(f.Because))
		for _, note := range f.Notes {
			fmt.Fprintf(&b, "  %s\n", note)
		}
		switch {
		case f.Trace != nil:
			fmt.Fprintf(&b, "  evidence: trace of %d moves from the empty network, replayed\n", len(f.Trace.Moves))
			for i, line := range counterexamples.Transcript(n, f.Trace) {
				if i == mostLines {
					fmt.Fprintf(&b, "    ... and more\n")
					break
				}
				fmt.Fprintf(&b, "    %s\n", line)
			}
			for _, line := range counterexamples.WaitFor(n, f.Trace) {
				fmt.Fprintf(&b, "    %s\n", line)
			}
		case f.Run != nil:
			fmt.Fprintf(&b, "  evidence: run of %d steps, replayed\n", len(f.Run.Steps))
			for i, line := range counterexamples.RunTranscript(m, f.Run) {
				if i == 2*mostLines {
					fmt.Fprintf(&b, "    ... and more\n")
					break
				}
				fmt.Fprintf(&b, "    %s\n", line)
			}
		case f.Closed != nil:
			fmt.Fprintf(&b, "  evidence: closed set of %d states, verified\n", len(f.Closed.States))
		case f.Ranking != nil:
			fmt.Fprintf(&b, "  evidence: ranking of %d states, verified\n", len(f.Ranking.States))
		case countOf(m, x, &f, notion) != nil:
			b.WriteString("  evidence: the counts and the digest below; unknot-verify --recount or an engine that it is exported to reproduces them\n")
		case f.Verdict == spec.Holds:
			b.WriteString("  evidence: the counts below, not checked by a second program\n")
		}
	}
	fmt.Fprintf(&b, "\n%d states of %d bits, %d transitions, %d levels, the widest %d", x.States, x.Bits, x.Transitions, x.Levels, x.Widest)
	if n != nil {
		fmt.Fprintf(&b, "; deadlocks: %d local, %d weak, %d global", x.Local, x.Weak, x.Global)
	} else if x.Halts > 0 {
		fmt.Fprintf(&b, "; %d without successors", x.Halts)
	}
	if !x.Complete {
		fmt.Fprintf(&b, " (of %d states looked at: %s)", x.Expanded, x.Ended)
	}
	b.WriteString("\n")
	if x.Digest != "" {
		fmt.Fprintf(&b, "set of states: sum of sha256 %s\n", x.Digest)
	}
	if n != nil {
		fmt.Fprintf(&b, "network: sha256 %s\n", n.Digest())
	}
	if out != "" {
		b.WriteString(writtenTo(out, m, n))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

const mostLines = 40
