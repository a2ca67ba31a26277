package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-105a2da2/unknot/checker/draw"
	"github.com/seed-105a2da2/unknot/checker/explain"
	"github.com/seed-105a2da2/unknot/checker/report"
	"github.com/seed-105a2da2/unknot/checker/write"
	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/counterexamples/runs"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/states"
)

type replayFlags struct {
	networkFlags
	format string
	to     string
	out    string
}

func replayCommand(std streams) *cobra.Command {
	var f replayFlags
	c := &cobra.Command{
		Use:   "replay NETWORK TRACE",
		Short: "Replay a trace step by step",
		Long: `Replay executes the moves of a trace (or the steps of a machine's run) with the
reference step, checks that the fault it claims is there, and prints each move
with its effect, then who waits for whom. With --to it writes the states for
other tools: Apalache's Informal Trace Format, or a value change dump in which a
waveform viewer shows the packets in each channel.

Exit codes: 0 the trace shows its fault, 2 usage or input, 4 it does not.`,
		Example: `  unknot check ring --set n=4 --out evidence
  unknot replay evidence/network.json evidence/deadlock.unknot
  unknot replay evidence/network.json evidence/deadlock.unknot --format dot
  unknot replay evidence/network.json evidence/deadlock.unknot --to vcd > deadlock.vcd`,
		Args:              wants(2, 2),
		ValidArgsFunction: completeNetwork,
		RunE:              func(c *cobra.Command, args []string) error { return f.replay(c, args, std) },
	}
	f.register(c)
	f.budget.register(c, std)
	c.Flags().StringVar(&f.format, "format", "text", "text, waits (who waits for whom) or dot (the wait-for graph)")
	c.Flags().StringVar(&f.to, "to", "", "write the states as itf or vcd")
	c.MarkFlagsMutuallyExclusive("format", "to")
	_ = c.RegisterFlagCompletionFunc("to", cobra.FixedCompletions([]string{"itf", "vcd"}, cobra.ShellCompDirectiveNoFileComp))
	_ = c.RegisterFlagCompletionFunc("format", cobra.FixedCompletions([]string{"text", "waits", "dot"}, cobra.ShellCompDirectiveNoFileComp))
	return c
}

func (f *replayFlags) replay(c *cobra.Command, args []string, std streams) error {
	if f.format != "text" && f.format != "waits" && f.format != "dot" {
		return fmt.Errorf("--format %s: want text, waits or dot", f.format)
	}
	if f.to != "" && f.to != "itf" && f.to != "vcd" {
		return fmt.Errorf("--to %s: want itf or vcd", f.to)
	}
	meter := newMeter(std)
	defer meter.clear()
	machine, n, err := f.loadMachine(c.Context(), args[0], meter.show)
	if err != nil {
		return err
	}
	meter.clear()
	text, err := os.ReadFile(args[1])
	if err != nil {
		return err
	}
	if bytes.HasPrefix(text, []byte("unknot-run ")) {
		return f.replayRun(c.Context(), std.out, machine, n, args[1], text)
	}
	if n == nil {
		return fmt.Errorf("%s: want a run of the machine %s", args[1], args[0])
	}
	t, err := counterexamples.Read(args[1], bytes.NewReader(text))
	if err != nil {
		return err
	}
	if err := isOf(args[1], t.Network.String(), n.Digest().String()); err != nil {
		return err
	}
	if err := counterexamples.Replay(c.Context(), n, t); err != nil {
		return &codeError{exitInternal, fmt.Errorf("%s: %w", args[1], err)}
	}
	if f.to != "" {
		x, err := report.TraceExecution(n, t)
		if err != nil {
			return &codeError{exitInternal, fmt.Errorf("%s: %w", args[1], err)}
		}
		return f.writeExecution(std.out, x)
	}
	switch f.format {
	case "dot":
		return drawWaits(std.out, n, t)
	case "waits":
		return printLines(std.out, explain.WaitFor(n, t))
	}
	return printMoves(std.out, n, t)
}

// writeExecution writes states in the form that --to names.
func (f *replayFlags) writeExecution(w io.Writer, x *report.Execution) error {
	if f.to == "vcd" {
		return report.WriteVCD(w, x)
	}
	return report.WriteITF(w, x)
}

// printMoves prints a trace with what each move changes.
func printMoves(w io.Writer, n *spec.Network, t *counterexamples.Trace) error {
	lines := []string{fmt.Sprintf("%s: %s violated by a %s, %s", n.Name(), t.Property, t.Fault, t.Scenario)}
	changes, err := explain.Changes(n, t)
	if err != nil {
		return err
	}
	for i, line := range explain.Transcript(n, t) {
		lines = append(lines, line)
		if i < len(changes) {
			lines = append(lines, "   "+changes[i])
		}
	}
	if t.Fault == counterexamples.CircularWait {
		lines = append(lines, explain.WaitFor(n, t)...)
	}
	return printLines(w, lines)
}

func printLines(w io.Writer, lines []string) error {
	_, err := io.WriteString(w, strings.Join(lines, "\n")+"\n")
	return err
}

// drawWaits draws who waits for whom at the end of a trace.
func drawWaits(w io.Writer, n *spec.Network, t *counterexamples.Trace) error {
	g, err := draw.Waits(n, t)
	if err != nil {
		return err
	}
	return draw.WriteDOT(w, g)
}

// replayRun replays a run of a machine, or of a network's traffic.
func (f *replayFlags) replayRun(ctx context.Context, w io.Writer, m states.Machine, n *spec.Network, file string, text []byte) error {
	r, err := runs.Read(file, bytes.NewReader(text))
	if err != nil {
		return err
	}
	if m, err = machineOf(m, n, file, r); err != nil {
		return err
	}
	if err := runs.Replay(ctx, m, claimsOf(m), r); err != nil {
		return &codeError{exitInternal, fmt.Errorf("%s: %w", file, err)}
	}
	if f.to != "" {
		x, err := report.RunExecution(m, r)
		if err != nil {
			return &codeError{exitInternal, fmt.Errorf("%s: %w", file, err)}
		}
		return f.writeExecution(w, x)
	}
	return printLines(w, append([]string{fmt.Sprintf("%q violated (%s)", r.Property, r.Fault)}, explain.RunTranscript(m, r)...))
}

// isOf refuses evidence about another network or machine: that is no fault of the
// evidence, but of who put the two together.
func isOf(file, of, want string) error {
	if of != want {
		return fmt.Errorf("%s is of another network or machine: %.100q, not %.100q", file, of, want)
	}
	return nil
}

// machineOf returns the machine that a run is of: m, or the traffic of n that it names.
func machineOf(m states.Machine, n *spec.Network, file string, r *runs.Run) (states.Machine, error) {
	if n == nil {
		return m, isOf(file, r.Machine, m.Name())
	}
	t, err := states.TrafficNamed(n, r.Machine)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return t, nil
}

func claimsOf(m states.Machine) states.Claims {
	if c, ok := m.(states.Claimer); ok {
		return c.Claims()
	}
	return states.Claims{}
}

func shrinkCommand(std streams) *cobra.Command {
	var f replayFlags
	c := &cobra.Command{
		Use:   "shrink NETWORK TRACE",
		Short: "Minimise a trace",
		Long: `Shrink drops packets and moves and shortens messages as long as the trace still
shows its fault. No packet and no move of the result can be dropped, unless the
search is cut short. The result is printed, or written with --out.`,
		Example:           `  unknot shrink evidence/network.json evidence/deadlock.unknot --out small.unknot`,
		Args:              wants(2, 2),
		ValidArgsFunction: completeNetwork,
		RunE:              func(c *cobra.Command, args []string) error { return f.shrink(c, args, std) },
	}
	f.register(c)
	f.budget.register(c, std)
	c.Flags().StringVar(&f.out, "out", "", "output file (default standard output)")
	return c
}

func (f *replayFlags) shrink(c *cobra.Command, args []string, std streams) error {
	meter := newMeter(std)
	defer meter.clear()
	machine, n, err := f.loadMachine(c.Context(), args[0], meter.show)
	if err != nil {
		return err
	}
	meter.clear()
	text, err := os.ReadFile(args[1])
	if err != nil {
		return err
	}
	write, err := shrunk(c.Context(), machine, n, args[1], text)
	if err != nil {
		return err
	}
	if f.out != "" {
		err = writeFile(f.out, write)
	} else {
		err = write(std.out)
	}
	return cmp.Or(err, context.Cause(c.Context())) // it may be smaller, and not as small as it can be
}

// shrunk makes the text of a trace or run smaller and returns what writes it.
func shrunk(ctx context.Context, m states.Machine, n *spec.Network, file string, text []byte) (func(io.Writer) error, error) {
	rejected := func(err error) error { return &codeError{exitInternal, fmt.Errorf("%s: %w", file, err)} }
	if bytes.HasPrefix(text, []byte("unknot-run ")) {
		r, err := runs.Read(file, bytes.NewReader(text))
		if err != nil {
			return nil, err
		}
		if m, err = machineOf(m, n, file, r); err != nil {
			return nil, err
		}
		small, err := explain.MinimiseRun(ctx, m, claimsOf(m), r)
		if err != nil {
			return nil, rejected(err)
		}
		return func(w io.Writer) error { return write.Run(w, m, small) }, nil
	}
	if n == nil {
		return nil, errors.New("want a run of a machine")
	}
	t, err := counterexamples.Read(file, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	if err := isOf(file, t.Network.String(), n.Digest().String()); err != nil {
		return nil, err
	}
	small, err := explain.Minimise(ctx, n, t)
	if err != nil {
		return nil, rejected(err)
	}
	return func(w io.Writer) error { return write.Trace(w, n, small) }, nil
}
