package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/page"
	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/proofs"
	"github.com/seed-105a2da2/unknot/spec"
)

type checkFlags struct {
	networkFlags
	exploreFlags
	properties []string
	settle     int64
	json       bool
	expected   bool
	out        string
}

func checkCommand(std streams) *cobra.Command {
	var f checkFlags
	c := &cobra.Command{
		Use:   "check NETWORK...",
		Short: "Decide deadlock, livelock and delivery, with evidence",
		Long: `Check decides the properties of a network and prints the verdict, the
assumptions and the evidence. Every certificate has been verified and every
trace replayed before it is printed.

By itself it decides from the routing tables, for buffers and messages of any
length. With --explore, or any flag that says how the network is run, it visits
the reachable states instead: finite buffers, bubbles, message lengths, sinks.
Models that are machines of their own, such as protocols, are always explored.

Several networks or machines, or a folder of network files, are checked against what their
authors expect (see "expect" in the file language; "holds" where nothing is
said): exit 0 then means that every verdict is the expected one.

Exit codes: 0 every property holds, 1 one is violated, 2 usage or input,
3 one is unknown (or a bound was reached) and none is violated, 4 the evidence
was rejected (a fault of unknot), 130 interrupted.`,
		Example: `  unknot check star-channel --set k=4 --set n=2
  unknot check torus --set k=5 --set vcs=1 --switching saf
  unknot check my.star --property deadlock --out evidence
  unknot check cccb --json
  unknot check invalidate-ack --property "one writer"
  unknot check networks/`,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: completeNetwork,
		RunE: func(c *cobra.Command, args []string) error {
			if f.isSuite(args) {
				opt, err := f.decideOptions()
				if err == nil && f.wanted(c) {
					err = errors.New("flags that explore take one network: check them one by one")
				}
				if err == nil && f.report.file != "" {
					err = errors.New("--report shows one network: check them one by one")
				}
				if err != nil {
					return err
				}
				return f.outputs.around(c, args, std, func() error { return f.suite(c.Context(), args, opt, std) })
			}
			return f.outputs.around(c, args, std, func() error { return f.check(c, args[0], std) })
		},
	}
	f.networkFlags.register(c)
	f.exploreFlags.register(c)
	f.within = &f.budget
	f.budget.register(c, std)
	c.Flags().StringArrayVar(&f.properties, "property", nil, "deadlock, livelock or delivery; of a machine, one of its properties (repeatable; all if left out)")
	c.Flags().Int64Var(&f.settle, "settle", 200_000, "states that may be explored to settle what no static argument does; 0: none")
	c.Flags().BoolVar(&f.expected, "expected", false, "compare the verdicts with those expected, for one network too")
	c.Flags().BoolVar(&f.json, "json", false, "print the result as JSON")
	c.Flags().StringVar(&f.out, "out", "", "write the closed network and the evidence into this folder")
	f.report.register(c)
	f.outputs.register(c)
	_ = c.RegisterFlagCompletionFunc("property", completeProperty)
	return c
}

func (f *checkFlags) check(c *cobra.Command, name string, std streams) error {
	ctx := c.Context()
	m := newMeter(std)
	defer m.clear()
	f.report.begin(c, []string{name})
	machine, n, err := f.loadMachine(ctx, name, f.outputs.progress(m.show))
	if err != nil {
		return err
	}
	f.report.lap("reading and compiling")
	if n == nil || f.wanted(c) {
		m.clear()
		if err := f.settleScenario(name, n); err != nil {
			return err
		}
		if n == nil && c.Flags().Changed("notion") {
			return fmt.Errorf("%s is a machine: --notion is for networks; a machine's deadlocks are states without successors", name)
		}
		if n != nil {
			if machine, err = n.Traffic(f.scenario); err != nil {
				return err
			}
		}
		f.opt.Properties = f.properties
		return f.exploreFlags.run(ctx, machine, n, f.out, f.json, std)
	}
	opt, err := f.decideOptions()
	if err != nil {
		return err
	}
	opt.Progress = f.outputs.progress(m.show)
	report, err := checker.Decide(ctx, n, opt)
	if err != nil {
		return err
	}
	m.clear()
	if f.out != "" {
		if err := writeEvidence(f.out, n, report); err != nil {
			return err
		}
	}
	if err := f.outputs.decided(n, report, nil); err != nil {
		return err
	}
	if err := f.report.write(ctx, "deciding", page.Subject{Network: n, Report: report}); err != nil {
		return err
	}
	if f.json {
		err = writeResult(std.out, n, report)
	} else {
		err = printReport(std.out, n, report, f.out)
	}
	if err != nil {
		return err
	}
	return verdictError(report)
}

// decideOptions returns what the flags say of static decisions.
func (f *checkFlags) decideOptions() (checker.Options, error) {
	opt := checker.Options{Settle: f.settle}
	if f.settle <= 0 {
		opt.Settle = -1
	}
	for _, s := range f.properties {
		p, ok := spec.ParseProperty(s)
		if !ok {
			return opt, fmt.Errorf("--property %s: want deadlock, livelock or delivery", s)
		}
		if !slices.Contains(opt.Properties, p) {
			opt.Properties = append(opt.Properties, p)
		}
	}
	return opt, nil
}

// verdictError turns verdicts into the exit code.
func verdictError(r *checker.Report) error {
	code := exitExpected
	for _, res := range r.Results {
		switch res.Verdict {
		case spec.Violated:
			return &codeError{code: exitViolated}
		case spec.Unknown:
			code = exitUnknown
		}
	}
	if code != exitExpected {
		return &codeError{code: code}
	}
	return nil
}

// printReport writes for people: the verdict in one line, the assumptions, the evidence.
func printReport(w io.Writer, n *spec.Network, r *checker.Report, out string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:", r.Network)
	for i, res := range r.Results {
		fmt.Fprintf(&b, "%s %s %s", []string{"", ","}[min(i, 1)], res.Property, strings.ToUpper(res.Verdict.String()))
	}
	b.WriteString("\n\nassuming\n")
	for _, a := range r.Assumptions {
		fmt.Fprintf(&b, "  %s\n", a)
	}
	for _, res := range r.Results {
		fmt.Fprintf(&b, "\n%s %s: %s\n", res.Property, res.Verdict, res.Because)
		for _, note := range res.Notes {
			fmt.Fprintf(&b, "  %s\n", note)
		}
		switch {
		case res.Certificate != nil:
			fmt.Fprintf(&b, "  evidence: %s certificate, verified\n", res.Certificate.Kind)
		case res.Closed != nil:
			fmt.Fprintf(&b, "  evidence: closed set of %d states, verified\n", len(res.Closed.States))
		case res.Trace != nil:
			fmt.Fprintf(&b, "  evidence: trace of %d moves from the empty network, replayed\n", len(res.Trace.Moves))
			printTrace(&b, n, res.Trace)
		case len(res.Candidate) > 0:
			printCandidate(&b, n, res.Candidate)
		}
	}
	c := r.Census
	fmt.Fprintf(&b, "\nnetwork: %d nodes, %d links, %d channels in use (%d never), %d flows, %d legal sites, %d dependencies\n", c.Nodes, c.Links, c.Channels, c.Unused, c.Flows, c.Sites, c.Edges)
	fmt.Fprintf(&b, "sha256: %s\n", r.Digest)
	if out != "" {
		fmt.Fprintf(&b, "written to %s; check it with: unknot-verify %s %s\n", out, filepath.Join(out, networkFile), filepath.Join(out, "*.unknot"))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func printTrace(b *strings.Builder, n *spec.Network, t *counterexamples.Trace) {
	const most = 40
	lines := counterexamples.WaitFor(n, t)
	if t.Fault != counterexamples.CircularWait {
		lines = counterexamples.Transcript(n, t)
	}
	for i, line := range lines {
		if i == most {
			fmt.Fprintf(b, "    ... and %d more\n", len(lines)-most)
			break
		}
		fmt.Fprintf(b, "    %s\n", line)
	}
}

func printCandidate(b *strings.Builder, n *spec.Network, channels []spec.ChannelID) {
	const most = 12
	b.WriteString("  not cleared:\n")
	for i, c := range channels {
		if i == most {
			fmt.Fprintf(b, "    ... and %d more\n", len(channels)-most)
			break
		}
		fmt.Fprintf(b, "    %s\n", n.Topology().ChannelName(c))
	}
}

// Names of the files in an evidence folder.
const (
	networkFile = "network.json"
	resultFile  = "result.json"
)

func evidenceFile(p spec.Property) string { return p.String() + ".unknot" }

// writeEvidence writes the closed network and a file for each verdict with
// evidence. A file of an earlier run for a property without evidence now is removed.
func writeEvidence(dir string, n *spec.Network, r *checker.Report) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := removeEvidence(dir); err != nil {
		return err
	}
	if err := writeOrRemove(filepath.Join(dir, machineFile), false, nil); err != nil {
		return err
	}
	if err := writeFile(filepath.Join(dir, networkFile), func(w io.Writer) error { return spec.WriteClosed(w, n) }); err != nil {
		return err
	}
	for _, res := range r.Results {
		name := filepath.Join(dir, evidenceFile(res.Property))
		var err error
		switch {
		case res.Certificate != nil:
			err = writeFile(name, func(w io.Writer) error { return proofs.Write(w, res.Certificate) })
		case res.Closed != nil:
			err = writeFile(name, func(w io.Writer) error { return proofs.WriteClosedSet(w, res.Closed) })
		case res.Trace != nil:
			err = writeFile(name, func(w io.Writer) error { return counterexamples.Write(w, n, res.Trace) })
		default:
			if err = os.Remove(name); os.IsNotExist(err) {
				err = nil
			}
		}
		if err != nil {
			return err
		}
	}
	return writeFile(filepath.Join(dir, resultFile), func(w io.Writer) error { return writeResult(w, n, r) })
}
