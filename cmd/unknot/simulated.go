package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/show/explain"
	"github.com/seed-105a2da2/unknot/checker/simulate"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

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
	var b strings.Builder
	var names []string
	for _, c := range s.Curves {
		if !slices.Contains(names, c.Network) {
			names = append(names, c.Network)
		}
	}
	fmt.Fprintf(&b, "%s\n", spec.Printable(strings.Join(names, ", ")))
	for _, c := range s.Conditions {
		fmt.Fprintf(&b, "  %s\n", spec.Printable(c))
	}
	for _, c := range s.Curves {
		if len(s.Curves) > 1 {
			fmt.Fprintf(&b, "\n%s", spec.Printable(c.Name))
			for _, own := range c.Conditions {
				if !slices.Contains(s.Conditions, own) {
					fmt.Fprintf(&b, "\n  %s", spec.Printable(own))
				}
			}
		}
		fmt.Fprintf(&b, "\n%8s %17s %17s %7s %7s %8s %8s\n",
			"load", "accepted", "latency", "p50", "p99", "network", "fairness")
		for _, r := range c.Points {
			if r.Delivered == 0 {
				fmt.Fprintf(&b, "%8.4g %17s  %s\n", r.Load, "nothing arrived", r.State())
				continue
			}
			fmt.Fprintf(&b, "%8.4g %17s %17s %7d %7d %8.1f %8.3f  %s\n",
				r.Load, interval(r.Accepted, "%.4f"), interval(r.Total.Estimate, "%.1f"), r.Total.Quantiles[0].Clocks,
				r.Total.Quantiles[2].Clocks, r.Network.Mean, r.Fairness, r.State())
		}
		if loads := c.Correlated(); loads != "" {
			fmt.Fprintf(&b, "%s\n", loads)
		}
		if r := c.Points[0]; r.Finished > 0 {
			fmt.Fprintf(&b, "the last message arrived in clock %d\n", r.Finished)
		} else if r.Missing > 0 {
			fmt.Fprintf(&b, "%s of the trace did not arrive\n", words.Plural(r.Missing, "message"))
		}
		if bound := c.Bound(); bound != "" {
			fmt.Fprintf(&b, "%s\n", bound)
		}
	}
	if len(s.Stated) > 0 {
		fmt.Fprintf(&b, "\nthe paper states, and what comes out here:\n")
		for _, line := range s.Stated {
			fmt.Fprintf(&b, "  %s\n", line)
		}
	}
	_, err := io.WriteString(std.out, trimLines(b.String()))
	return err
}

// trimLines takes the white space from the ends of lines.
func trimLines(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

func interval(e simulate.Estimate, format string) string {
	if e.Half < 0 {
		return fmt.Sprintf(format, e.Mean)
	}
	return fmt.Sprintf(format+" +-"+format, e.Mean, e.Half)
}

// deadlock prints the trace of the first deadlock, and keeps it.
func (f *simulateFlags) deadlock(ctx context.Context, n *spec.Network, r *simulate.Result, std streams) error {
	d := r.Deadlock
	trace := evidence.Trace{Network: n, Trace: d.Trace}
	const small = 2000 // moves that are soon made fewer
	if len(d.Trace.Moves) <= small {
		var err error
		if trace, err = explain.Minimise(ctx, trace); err != nil {
			return err
		}
	}
	if f.out != "" {
		result := &checker.Result{Name: n.Name(), Network: n, Findings: []checker.Finding{{
			Property: spec.Deadlock.String(), Verdict: spec.Violated, Evidence: trace,
			Because: words.Say("a simulation ended in this deadlock in clock %d, under a load of %v from seed %d",
				d.Clock, r.Load, d.Seed),
		}}}
		if err := writeEvidence(ctx, f.out, result); err != nil {
			return err
		}
	}
	if !f.json {
		lines := []string{"", fmt.Sprintf(
			"deadlock in clock %d at load %v: %s, a trace of %s from the empty network, %s", d.Clock, r.Load,
			words.Plural(d.Messages, "message"), words.Plural(len(trace.Moves), "move"), trace.Scenario)}
		lines = append(lines, explain.Transcript(trace, false, 20)...)
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
