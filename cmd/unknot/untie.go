package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/repair"
	"github.com/seed-105a2da2/unknot/checker/show/explain"
	"github.com/seed-105a2da2/unknot/checker/show/report"
	"github.com/seed-105a2da2/unknot/checker/write"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

type untieFlags struct {
	networkFlags
	schemes []string
	effort  int64
	out     string

	composition composeFlags
}

// patchFile is the change in sentences, in the folder of a scheme. beforeFolder has the network as it was,
// with the evidence that no repair of it costs less.
const (
	patchFile    = "patch.txt"
	beforeFolder = "before"
)

func leastFile(s repair.Scheme) string { return "least-" + string(s) + ".unknot" }

func untieCommand(std streams) *cobra.Command {
	var f untieFlags
	names := namesOf(repair.Schemes(), func(s repair.Scheme) string { return string(s) })
	c := &cobra.Command{
		Use:   "untie NETWORK",
		Short: "Repair a network that can deadlock, by the smallest change",
		Long: `Untie looks for the smallest change after which a network neither deadlocks nor
livelocks and every flow arrives. A change forbids turns or hops, adds VCs, or
computes new routes. See "unknot help fix" for the schemes.

Every proposal has passed check. With --out each has its own folder, with the
network, the evidence, and the change in words (patch.txt). The folder "before" holds
the original network, its evidence, and the proofs that cheaper repairs do not suffice.
Proposals are printed and written as they are found. What an interrupt or --timeout
leaves untried is named.

With --protocol it asks which VC sets a protocol needs in the network: both make one
machine, which is explored for each way in which the message classes can share sets.

Exit codes: 0 a repair was found, or none is needed, 1 proven that no
scheme has one, 2 usage or input, 3 unknown, 4 evidence was rejected (a bug in
unknot), 130 interrupted.`,
		Example: `  unknot untie ring --set n=4
  unknot untie mesh --set k=4 --set routing=adaptive --scheme turns
  unknot untie my.star --scheme dateline --scheme layers --out repaired
  unknot untie mesh.star --protocol mesi.star --protocol-set n=3 --place directory=1,1`,
		Args:              wants(1, 1),
		ValidArgsFunction: completeNetwork,
		RunE:              func(c *cobra.Command, args []string) error { return f.untie(c.Context(), args[0], std) },
	}
	f.networkFlags.register(c)
	f.budget.register(c, std)
	c.Flags().StringArrayVar(&f.schemes, "scheme", nil, strings.Join(names, ", ")+" (repeatable; default all)")
	c.Flags().Int64Var(&f.effort, "effort", repair.DefaultEffort,
		"limit on the hops that the search of each scheme examines")
	f.composition.register(c)
	writesFolder(c.Flags(), &f.out, "out", "folder for the proposals, with a subfolder for each scheme")
	offers(c.Flags(), "scheme", names)
	return c
}

func (f *untieFlags) untie(ctx context.Context, name string, std streams) error {
	if f.effort < 1 {
		return invalid("effort", f.effort, "at least 1")
	}
	opt := repair.Options{Effort: f.effort}
	for _, s := range f.schemes {
		opt.Schemes = append(opt.Schemes, repair.Scheme(s))
	}
	composed, err := f.composition.given(f.schemes)
	if err != nil {
		return err
	}
	m := newMeter(std)
	defer m.clear()
	n, err := f.load(ctx, name, m.show)
	if err != nil {
		return err
	}
	opt.Progress = m.show
	if composed {
		opt.Memory = f.budget.memory
		return f.compose(ctx, n, opt, m, std)
	}
	t := &telling{untieFlags: f, m: m, std: std}
	opt.Found = func(before *checker.Result, number int, p repair.Proposal) error {
		return t.found(ctx, before, number, p)
	}
	r, err := repair.Propose(ctx, n, opt)
	if err == nil && len(r.Proposals) == 0 {
		err = t.begin(ctx, r.Before)
		if err == nil && r.Before.Verdict() == spec.Holds {
			_, err = io.WriteString(m.above(std.out), "nothing to mend\n")
		}
	}
	if err != nil {
		return err
	}
	return exitError(ctx, r.Verdict())
}

// telling writes and prints proposals as they are found: who waits for the slowest scheme has the others at hand. They
// are printed in the order of the schemes, which is not that of their searches: until its turn comes, a repair has a
// line on the terminal.
type telling struct {
	*untieFlags
	m     *meter
	std   streams
	begun bool
	told  int // proposals printed
	held  map[int]repair.Proposal
}

// begin writes and prints what is wrong.
func (t *telling) begin(ctx context.Context, before *checker.Result) error {
	t.begun, t.held = true, map[int]repair.Proposal{}
	if t.out != "" {
		err := t.budget.fill(ctx, t.out, func(ctx context.Context) error { return t.keepBefore(ctx, before) })
		if err != nil {
			return err
		}
	}
	return printBefore(t.m.above(t.std.out), before)
}

func (t *telling) found(ctx context.Context, before *checker.Result, number int, p repair.Proposal) error {
	if !t.begun {
		if err := t.begin(ctx, before); err != nil {
			return err
		}
	}
	if t.out != "" {
		if err := t.budget.fill(ctx, t.out, func(ctx context.Context) error { return t.keep(ctx, p) }); err != nil {
			return err
		}
	}
	t.held[number] = p
	if number > t.told && p.Network != nil && t.std.terminal {
		fmt.Fprintf(t.m.above(t.std.err), "found: %s: %s\n", p.Scheme, spec.Printable(p.Because.String()))
	}
	for ; ; t.told++ {
		next, is := t.held[t.told]
		if !is {
			return nil
		}
		delete(t.held, t.told)
		if err := printProposal(t.m.above(t.std.out), next, t.out); err != nil {
			return err
		}
	}
}

// keepBefore writes the network as it is, with its evidence. It removes the proofs of an earlier run.
func (f *untieFlags) keepBefore(ctx context.Context, r *checker.Result) error {
	before := filepath.Join(f.out, beforeFolder)
	if err := writeEvidence(ctx, before, r); err != nil {
		return err
	}
	for _, s := range repair.Schemes() {
		if err := overwritingOf(ctx).removes(filepath.Join(before, leastFile(s))); err != nil {
			return err
		}
	}
	return nil
}

// keep writes a proposal. It removes what an earlier run left in the folder of its scheme.
func (f *untieFlags) keep(ctx context.Context, p repair.Proposal) error {
	if e := p.Bound(); e != nil {
		name := filepath.Join(f.out, beforeFolder, leastFile(p.Scheme))
		if err := writeFile(ctx, name, func(w io.Writer) error { return write.Evidence(w, e) }); err != nil {
			return err
		}
	}
	dir := filepath.Join(f.out, string(p.Scheme))
	if p.Network == nil {
		if err := report.RemoveEvidence(dir, folder{ctx}); err != nil {
			return err
		}
		for _, stale := range []string{networkFile, patchFile} {
			if err := overwritingOf(ctx).removes(filepath.Join(dir, stale)); err != nil {
				return err
			}
		}
		return nil
	}
	if err := writeEvidence(ctx, dir, p.Check); err != nil {
		return err
	}
	return writeFile(ctx, filepath.Join(dir, patchFile), func(w io.Writer) error {
		return printLines(w, append([]string{"# written by unknot"}, printable(words.Written(p.Patch))...))
	})
}

func printable(lines []string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = spec.Printable(line)
	}
	return out
}

const mostChanges = 12 // of a proposal

// printBefore writes what is wrong.
func printBefore(w io.Writer, before *checker.Result) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:", spec.Printable(report.ShortName(before.Name)))
	for i, x := range before.Findings {
		fmt.Fprintf(&b, "%s%s %s", []string{" ", ", "}[min(i, 1)], evidence.Freedom(x.Property),
			strings.ToUpper(x.Verdict.String()))
	}
	b.WriteString("\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// printProposal writes a proposal with its change.
func printProposal(w io.Writer, p repair.Proposal, out string) error {
	var b strings.Builder
	answer := map[spec.Verdict]string{spec.Holds: "", spec.Violated: "none: ", spec.Unknown: "unknown: "}[p.Verdict]
	fmt.Fprintf(&b, "\n%s: %s%s\n", p.Scheme, answer, spec.Printable(p.Because.String()))
	report.Indent(&b, words.Written(p.Patch), mostChanges)
	if e := p.Bound(); e != nil {
		fmt.Fprintf(&b, "  %s: %s\n", e.Shown().Property, explain.Text(e))
	}
	if p.Network != nil {
		for _, x := range p.Check.Findings {
			fmt.Fprintf(&b, "  %s holds: %s\n", evidence.Freedom(x.Property), explain.Text(x.Evidence))
			for _, note := range x.Notes {
				fmt.Fprintf(&b, "    %s\n", note)
			}
		}
		fmt.Fprintf(&b, "  sha256: %s\n", p.Network.Digest())
		if out != "" {
			fmt.Fprintf(&b, "  written to %s\n", spec.Printable(filepath.Join(out, string(p.Scheme))))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
