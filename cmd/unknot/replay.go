package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-105a2da2/unknot/checker/show/draw"
	"github.com/seed-105a2da2/unknot/checker/show/explain"
	"github.com/seed-105a2da2/unknot/checker/show/report"
	"github.com/seed-105a2da2/unknot/checker/write"
	"github.com/seed-105a2da2/unknot/counterexamples/runs"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec/states"
)

type replayFlags struct {
	networkFlags
	format string
	to     string
	out    string
	states bool
}

// showing says what stands below each step.
func (f *replayFlags) showing() explain.Showing {
	if f.states {
		return explain.WholeStates
	}
	return explain.StepChanges
}

func replayCommand(std streams) *cobra.Command {
	var f replayFlags
	c := &cobra.Command{
		Use:   "replay NETWORK TRACE",
		Short: "Replay a trace step by step",
		Long: `Replay executes the moves of a trace, or the steps of a protocol's trace, with the
reference step. It checks that the fault is there. It prints each move with its
effect, then which packet waits for which, or why no rule of a protocol is possible.

With --to it writes the states for other tools. The format itf is Apalache's Informal
Trace Format, and vcd is a value change dump, in which a waveform viewer shows the packets
in each channel. A trace of a protocol file can be written as a sequence chart of its
messages (mermaid or svg).

Exit codes: 0 the trace shows its fault, 2 usage or input, 4 it does not.`,
		Example: `  unknot check ring --set n=4 --out evidence
  unknot replay evidence/network.json evidence/deadlock-freedom.unknot
  unknot replay evidence/network.json evidence/deadlock-freedom.unknot --format dot
  unknot replay evidence/network.json evidence/deadlock-freedom.unknot --to vcd > deadlock.vcd`,
		Args:              wants(2, 2),
		ValidArgsFunction: completeNetwork,
		RunE:              func(c *cobra.Command, args []string) error { return f.replay(c, args, std) },
	}
	f.register(c)
	f.budget.register(c, std)
	wordFlag(c, &f.format, "format", "text", []string{"text", "waits", "dot"},
		"text; of a deadlock of a network also waits (who waits for whom) or dot (the wait-for graph)")
	wordFlag(c, &f.to, "to", "", []string{"itf", "vcd", "mermaid", "svg"},
		"write the states as itf or vcd, or the messages as mermaid or svg")
	c.Flags().BoolVar(&f.states, "states", false,
		"protocols: print whole states, not what each step changes")
	c.MarkFlagsMutuallyExclusive("format", "to")
	return c
}

func (f *replayFlags) replay(c *cobra.Command, args []string, std streams) error {
	meter := newMeter(std)
	defer meter.clear()
	e, err := f.counterexample(c.Context(), args[0], args[1], meter)
	if err != nil {
		return err
	}
	rejected := func(err error) error { return &codeError{exitInternal, fmt.Errorf("%s: %w", args[1], err)} }
	if err := e.Verify(c.Context(), evidence.Options{}); err != nil {
		return rejected(err)
	}
	x, err := explain.Follow(e)
	if err != nil {
		return rejected(err)
	}
	switch {
	case f.to == "vcd":
		return report.WriteVCD(std.out, e)
	case f.to == "itf":
		return report.WriteITF(std.out, e)
	case f.to != "":
		write := report.WriteSequenceMermaid
		if f.to == "svg" {
			write = report.WriteSequenceSVG
		}
		if err := write(std.out, e); !errors.Is(err, report.ErrNoMessages) {
			return err
		}
		return fmt.Errorf(
			"%s has no sequence chart: want a trace of a protocol file (*.star) in which messages are sent", args[1])
	case f.format == "dot":
		g, err := draw.Waits(e)
		if err != nil {
			return err
		}
		return draw.WriteDOT(std.out, g)
	case f.format == "waits":
		if _, err := draw.Waits(e); err != nil {
			return err
		}
		return printLines(std.out, slices.Concat(explain.WaitFor(e), report.CycleDrawing(e)))
	}
	lines := []string{fmt.Sprintf("%s: %s violated by %s", x.Machine.Name(), evidence.Freedom(x.Property),
		ending(runs.Fault(x.Fault)))}
	if t, ok := x.Machine.(*states.Traffic); ok {
		lines[0] = fmt.Sprintf("%s: %s violated by a %s, %s",
			t.Network().Name(), evidence.Freedom(x.Property), x.Fault, t.Scenario())
	}
	const most = 10_000 // steps; --to itf and vcd have all
	return printLines(std.out, slices.Concat(lines, explain.Transcript(e, f.showing(), most), explain.WaitFor(e), report.CycleDrawing(e)))
}

// ending says how a run ends.
func ending(fault runs.Fault) string {
	switch fault {
	case runs.Broken:
		return "a state that breaks it"
	case runs.Halt:
		return "a state without steps"
	case runs.Refused:
		return "a step that is wrong"
	}
	return "waiting for it forever"
}

// counterexample reads a trace or run of a network or machine.
func (f *networkFlags) counterexample(ctx context.Context, name, file string, meter *meter) (evidence.Evidence, error) {
	s, err := f.subject(ctx, name, meter)
	if err != nil {
		return nil, err
	}
	text, err := readEvidence(ctx, file)
	if err != nil {
		return nil, err
	}
	e, err := s.Read(file, text)
	if t, ok := e.(evidence.Trace); ok && t.Trace.Network != s.Digest { // no fault of the trace
		err = fmt.Errorf(
			"invalid trace %q: want one for %s with the same parameters; it is for another network, %s, not %s",
			file, s.Name(), t.Trace.Network, s.Digest)
	}
	if err == nil && e.Kind() != "trace" && e.Kind() != "machine-trace" {
		err = fmt.Errorf("invalid trace %q: want a trace, not a %s (unknot verify checks those)", file, e.Kind())
	}
	return e, err
}

func printLines(w io.Writer, lines []string) error {
	_, err := io.WriteString(w, strings.Join(lines, "\n")+"\n")
	return err
}

func shrinkCommand(std streams) *cobra.Command {
	var f replayFlags
	c := &cobra.Command{
		Use:   "shrink NETWORK TRACE",
		Short: "Minimise a trace",
		Long: `Shrink drops packets and moves and shortens packets as long as the trace still
shows its fault. No packet and no move of the result can be dropped, unless the
search is cut short. The result is printed, or written with --out.`,
		Example:           `  unknot shrink evidence/network.json evidence/deadlock-freedom.unknot --out small.unknot`,
		Args:              wants(2, 2),
		ValidArgsFunction: completeNetwork,
		RunE:              func(c *cobra.Command, args []string) error { return f.shrink(c, args, std) },
	}
	f.register(c)
	f.budget.register(c, std)
	writes(c.Flags(), &f.out, "out", "output file (default standard output)")
	return c
}

func (f *replayFlags) shrink(c *cobra.Command, args []string, std streams) error {
	meter := newMeter(std)
	defer meter.clear()
	e, err := f.counterexample(c.Context(), args[0], args[1], meter)
	if err != nil {
		return err
	}
	small, err := explain.Minimise(c.Context(), e)
	if err != nil {
		return &codeError{exitInternal, fmt.Errorf("%s: %w", args[1], err)}
	}
	if f.out != "" {
		err = writeFile(c.Context(), f.out, func(w io.Writer) error { return write.Evidence(w, small) })
	} else {
		err = write.Evidence(std.out, small)
	}
	return cmp.Or(err, context.Cause(c.Context())) // it may be smaller, and not as small as it can be
}
