package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/proofs/families"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

type checkFlags struct {
	networkFlags
	exploreFlags
	properties []string
	smallest   string
	json       bool
	expected   bool
	states     bool
	out        string
}

func checkCommand(std streams) *cobra.Command {
	var f checkFlags
	c := &cobra.Command{
		Use:   "check NETWORK...",
		Short: "Decide deadlock, livelock and delivery, with evidence",
		Long: `Check decides deadlock, livelock and delivery, and prints verdicts, assumptions and
evidence. It verifies every certificate and replays every trace first.

Check first decides from the routing function, for buffers of any depth and packets
of any length, or for the lengths that --length, --elastic and --shared specify.
It then explores the state graph if something is left open:

  a candidate, which might be a deadlock
  a deadlock whose trace the scenario excludes (--bubble, --sink, --packets, --once)
  a deadlock of another --notion

It also explores if flags require it: --liveness, --explore=always, reductions. With
--explore=never, an open question stays unknown. Limits never change the method,
which each verdict names. Protocols are always explored.

If you name several networks, or a folder of them, check compares the verdicts with
those that the files expect ("holds" if a file states none). Exit code 0 then means
that all are as expected. See "unknot help answers".

A folder with the dumps of a subnet manager is one fabric. Check decides it in all
scopes ("unknot help fabrics").

Exit codes: 0 every property holds, 1 one is violated, 2 usage or input,
3 one is unknown and none is violated, 4 evidence was rejected (a bug in
unknot), 130 interrupted.`,
		Example: `  unknot check star-channel --set k=4 --set n=2
  unknot check torus --set k=5 --set routing=dor --switching saf
  unknot check my.star --property deadlock-freedom --out evidence
  unknot check cccb --json
  unknot check invalidate-ack --property "one writer"
  unknot check models/examples`,
		Args:              wants(1, unlimited),
		ValidArgsFunction: completeNetwork,
		RunE: func(c *cobra.Command, args []string) error {
			if f.surveys(args) {
				return f.outputs.run(c, args, std, func() error { return f.survey(c, args[0], std) })
			}
			if f.isSuite(args) {
				switch {
				case f.report.file != "":
					return errors.New("--report shows one network: check them one by one")
				case f.question.Save != "" || f.question.Resume != "":
					return errors.New("a checkpoint saves one network: check them one by one")
				case f.question.Disk != "":
					return errors.New("--disk holds the states of one network: check them one by one")
				}
				return f.outputs.run(c, args, std, func() error { return f.suite(c, args, std) })
			}
			return f.outputs.run(c, args, std, func() error { return f.check(c, args[0], std) })
		},
	}
	f.networkFlags.register(c)
	f.exploreFlags.register(c)
	f.within = &f.budget
	f.fragments, f.acyclic = 512<<20, 64<<20 // larger tables take more time and far less memory in fragments
	f.budget.register(c, std)
	c.Flags().StringArrayVar(&f.properties, "property", nil,
		"deadlock-freedom, livelock-freedom, delivery, no-discard or starvation-freedom, or a property of the protocol, "+
			"for all keys or for one (repeatable; default all)")
	wordFlag(c, &f.smallest, "smallest", "", []string{"packets", "channels", "moves"},
		"find a deadlock of the fewest packets, channels or moves, and prove that fewer are not enough; at "+
			"the time limit, print the bounds known so far")
	c.Flags().BoolVar(&f.expected, "expected", false,
		"compare the verdicts with those expected, even for a single network")
	c.Flags().BoolVar(&f.json, "json", false, "print the result as JSON")
	c.Flags().BoolVar(&f.states, "states", false,
		"protocols: print whole states along a trace, not what each step changes")
	writesFolder(c.Flags(), &f.out, "out",
		"folder for the closed form and the evidence; for several networks, a subfolder for each")
	f.report.register(c)
	f.outputs.register(c)
	return c
}

func (f *checkFlags) check(c *cobra.Command, name string, std streams) error {
	m := newMeter(std)
	defer m.clear()
	if std.exit != nil { // a process of its own, which somebody may wait for
		m.patience = 30 * time.Second
	}
	f.report.begin(c, []string{name})
	r, err := f.decide(c, name, m)
	if err != nil {
		return err
	}
	m.clear()
	if r.Space != nil && !f.question.Coverage { // counted for the page of --report, if it can be
		r.Uncounted = words.Sentence{}
	}
	return f.conclude(c, name, r, std)
}

// decide reads a network or machine and decides it.
func (f *checkFlags) decide(c *cobra.Command, name string, m *meter) (*checker.Result, error) {
	ctx := c.Context()
	machine, n, err := f.loadMachine(ctx, name, f.outputs.progress(m.show))
	if err != nil {
		return nil, err
	}
	f.report.lap("reading and compiling")
	if n != nil {
		q, behind, err := f.networkQuestion(c, name, n, m)
		if err != nil {
			return nil, err
		}
		r, err := checker.Check(ctx, n, q)
		if err == nil {
			f.cover(name, r)
			f.tellBehind(behind, r)
		}
		return r, inFlags(err)
	}
	if _, err := f.scenarioOf(name, nil); err != nil {
		return nil, err
	}
	if f.smallest != "" {
		return nil, fmt.Errorf(
			"%s is a protocol: --smallest is for networks; the trace to a violated property is always a shortest one",
			name)
	}
	if c.Flags().Changed("notion") {
		return nil, fmt.Errorf(
			"%s is a protocol: --notion is for networks; a deadlock of a protocol is a state without successors", name)
	}
	q, err := f.exploreQuestion(m)
	if err != nil {
		return nil, err
	}
	q.Properties = f.properties
	r, err := checker.Explore(ctx, machine, q)
	return r, inFlags(err)
}

// cover names the theorems that are about a model with the parameters that flags set.
func (f *checkFlags) cover(name string, r *checker.Result) {
	e, model := models.Find(name)
	values, err := settingsOf("set", f.set)
	if !model || err != nil {
		return
	}
	defaults := map[string]string{}
	for _, p := range e.Parameters() {
		defaults[p.Name] = p.Default
		if _, set := values[p.Name]; !set {
			values[p.Name] = p.Default
		}
	}
	for _, family := range families.Covering(e.Name, values, defaults) {
		if family.Covers(f.scenario) {
			r.Cover(checker.Theorem{
				Family: family.Name, Sizes: family.Sizes, Properties: []spec.Property{spec.DeadlockFreedom},
			})
		}
	}
	for _, g := range families.CoveringGenerals(e.Name, values, defaults) {
		r.Cover(checker.Theorem{Family: g.Name, Sizes: g.Sizes, Properties: g.Properties})
	}
}

// conclude writes a result to all outputs, and turns it into an exit code. If the disk is full, or a file may not be
// overwritten, it prints the result nevertheless, which may have taken hours.
func (f *checkFlags) conclude(c *cobra.Command, name string, r *checker.Result, std streams) error {
	ctx, out := c.Context(), f.out
	var full error
	if out != "" {
		if err := f.keep(ctx, out, r); errors.As(err, new(syscall.Errno)) || errors.As(err, new(*overwriteError)) {
			out, full = "", err
		} else if err != nil {
			return err
		}
	}
	if err := f.outputs.decided(r); err != nil {
		return err
	}
	err := f.report.write(ctx, "deciding", r)
	if errors.As(err, new(syscall.Errno)) || errors.As(err, new(*overwriteError)) {
		full = cmp.Or(full, err)
	} else if err != nil {
		return err
	}
	if f.json {
		err = writeResult(std.out, r)
	} else {
		err = printResult(std.out, r, f.states, f.settling(c, []string{name}, r), out, protocolGiven(c, name, r))
		if err == nil && out != "" {
			_, err = io.WriteString(std.out, theorems(r, f.scenario))
		}
	}
	if err != nil {
		return err
	}
	save, disk := cmp.Or(f.question.Save, f.question.Resume), f.question.Disk
	unfinished := r.Space != nil && !r.Complete && r.Verdict() != spec.Violated
	switch {
	case r.Space == nil && r.Verdict() != spec.Unknown && (f.question.Closed != 0 || save != "" || disk != ""):
		fmt.Fprintln(std.err,
			"unknot: warning: nothing was explored, so --keep, --checkpoint and --disk did nothing; --explore=always explores")
	case r.Space != nil && r.Unsaved != nil:
		fmt.Fprintf(std.err, "unknot: warning: %s\n", r.Unsaved)
	case unfinished && save != "":
		fmt.Fprintf(std.err, "unknot: saved; to continue, add --resume %s\n", save)
	case unfinished && disk != "" && r.Expanded > 0: // if no state was expanded, there is nothing to continue
		again := ""
		if f.question.MaxStates > 0 && r.Space.States >= f.question.MaxStates {
			again = " with a higher --max-states"
		}
		fmt.Fprintf(std.err, "unknot: saved in %s; run the same command again%s to continue\n", disk, again)
	}
	if full != nil {
		return full
	}
	return exitError(ctx, r.Verdict())
}

// settling returns the line that says what would settle the unknown findings of a result: the
// same command without the budgets that ended it, and what is known about the number of states.
// It is "" if the cause is not a budget but a bound that stays, a full disk, or a value that
// leaves its range, where every exploration ends.
func (f *checkFlags) settling(c *cobra.Command, args []string, r *checker.Result) string {
	compact := r.Space != nil && r.Complete && f.question.Compact
	ended := r.Space == nil || !r.Complete
	never := r.Space == nil && f.explore == checker.Never.String()
	if !(compact || never || ended && (r.Space != nil || c.Context().Err() != nil)) {
		return ""
	}
	if f := r.Of(states.InRange); f != nil && f.Verdict == spec.Violated || r.Space != nil && (r.Beyond || r.Full) {
		return ""
	}
	without := []string{"timeout", "memory", "compact", "json", "out"}
	unlimited := c.Flags().Changed("max-states") && f.question.MaxStates == 0
	if !unlimited {
		without = append(without, "max-states")
	}
	past := r.Verdict() == spec.Violated && f.explore != checker.Whole.String() // not only up to the violation
	if past || never {
		without = append(without, "explore")
	}
	command := commandLine(c, args, without...)
	if r.Network != nil && !unlimited {
		command += " --max-states 0" // more than settling explores by itself
	}
	if memory := max(8<<30, 2*f.budget.memory); r.Network != nil || f.budget.memory > 0 {
		command += fmt.Sprintf(" --memory %dGiB", memory>>30)
	}
	if past {
		command += " --explore=whole"
	}
	return command + sizes(r.Space)
}

// sizes says what an exploration that was cut short tells about the number of states:
// bounds only, since how fast levels grow says little about when they end. It leaves out
// time, so that the same command prints the same.
func sizes(x *checker.Space) string {
	const tells = 48               // bits; a larger bound would be meaningless
	if x == nil || x.States == 0 { // of which nothing is known yet
		return ""
	}
	if x.Complete {
		return fmt.Sprintf("   (about %s)", words.Plural(int(x.States), "state"))
	}
	parts := []string{fmt.Sprintf("at least %s, %d of them unexplored",
		words.Plural(int(x.States), "state"), x.States-x.Expanded)}
	if x.States == x.Expanded { // as on disk, where those of the next level are not told from each other yet
		parts[0] = "at least " + words.Plural(int(x.States), "state")
	}
	if x.Bits <= tells {
		parts = append(parts, fmt.Sprintf("at most %d", int64(1)<<x.Bits))
	}
	return fmt.Sprintf("   (%s)", strings.Join(parts, "; "))
}

// networkQuestion is what the flags ask about a network, and what else to say of an answer, see asConfigured.
func (f *checkFlags) networkQuestion(
	c *cobra.Command, name string, n *spec.Network, m *meter,
) (q checker.Question, behind string, err error) {
	sc, err := f.scenarioOf(name, n)
	if err == nil && f.question.Coverage {
		err = fmt.Errorf("%s is a network: --coverage counts the rules of protocols", name)
	}
	if err != nil {
		return checker.Question{}, "", err
	}
	if q, err = f.exploreQuestion(m); err != nil {
		return checker.Question{}, "", err
	}
	q.Properties = f.properties
	q.Scenario, behind = f.asConfigured(c.Context(), name, n, sc)
	q.Progress = f.outputs.progress(m.show)
	q.Smallest = map[string]checker.Size{
		"packets": checker.FewestPackets, "channels": checker.FewestChannels, "moves": checker.FewestMoves,
	}[f.smallest]
	switch {
	case c.Flags().Changed("max-states"):
		q.MaxStates = cmp.Or(q.MaxStates, math.MaxInt64) // 0 is no limit, not the one of the library
	case behind != "" && f.explore == checker.Auto.String(): // a file asks for what seldom ends, and nobody else
		q.MaxStates = 200_000
	}
	return q, behind, nil
}

// inFlags says which flags to leave out if the question that they ask cannot be answered.
func inFlags(err error) error {
	var refused *checker.QuestionError
	if !errors.As(err, &refused) {
		return err
	}
	flags := map[string]string{
		"Liveness": "--liveness", "Compact": "--compact", "PartialOrder": "--partial-order", "Slice": "--slice",
		"Symmetry": "--symmetry", "Explore": "--explore", "Smallest": "--smallest",
		"Coverage": "--coverage", "Disk": "--disk", "Save": "--checkpoint", "Resume": "--resume",
		"Properties": "--property",
	}
	text := refused.Why + "; leave out " + flags[refused.Field]
	if refused.Other != "" {
		text += ", or " + flags[refused.Other]
	}
	return errors.New(text)
}

// keep writes the evidence of a result to a folder, also if the command was interrupted
// before; an interrupt while it writes stops it.
func (f *checkFlags) keep(ctx context.Context, dir string, r *checker.Result) error {
	f.budget.saving.Lock()
	defer f.budget.saving.Unlock()
	if ctx.Err() != nil {
		ctx = context.WithoutCancel(ctx)
	}
	return writeEvidence(ctx, dir, r)
}
