package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/change"
	"github.com/seed-105a2da2/unknot/checker/show/report"
	"github.com/seed-105a2da2/unknot/checker/write"
	"github.com/seed-105a2da2/unknot/proofs/changes"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

type changeFlags struct {
	networkFlags
	to        []string
	committed bool
	stalls    bool
	noWait    bool
	open      openFlags
	json      bool
	out       string
}

func changeCommand(std streams) *cobra.Command {
	var f changeFlags
	c := &cobra.Command{
		Use:   "change OLD NEW",
		Short: "Decide whether routing tables may be rewritten while packets are under way",
		Long: `Change compares two networks that differ only in their routing. One of them can lack
links of the other. The tables of the routers are rewritten from OLD to NEW, router by
router, in any order, while packets are under way. A waiting packet is looked up again,
or with --committed keeps to the table that was in force when it arrived. Where a table
commits packets (oblivious), one that is looked up again can get any alternative. Every
router is rewritten at some time, or with --may-stall possibly never.

If that is not safe, change states whether every order fails, and looks for few rounds.
Each round waits until the packets from before the previous one have left. --out writes
both tables as one network, with the classes old and new, and the evidence about it.

If nodes answer requests, a packet is a request with all that is sent because of it. Change
does not decide networks whose flows or replies differ or that bound outstanding requests, nor
whether some order of routers is safe without waiting although another is not.

Exit codes: 0 safe in any order, 1 not safe without waiting, 2 usage or input,
3 unknown, 4 evidence was rejected (a bug in unknot), 130 interrupted.`,
		Example: `  unknot change before.star after.star
  unknot change mesh.star mesh.star --set order=xy --to order=yx
  unknot change before.star after.star --committed --out evidence`,
		Args:              wants(2, 2),
		ValidArgsFunction: completeNetwork,
		RunE:              func(c *cobra.Command, args []string) error { return f.change(c.Context(), args, std) },
	}
	f.register(c)
	f.budget.register(c, std)
	c.Flags().StringArrayVar(&f.to, "to", nil, "set a parameter of NEW only, as in --to k=8 (repeatable)")
	c.Flags().BoolVar(&f.committed, "committed", false, "a packet keeps to the table in force when it arrived at its router")
	c.Flags().BoolVar(&f.stalls, "may-stall", false, "the rewriting can stop anywhere, for good")
	c.Flags().BoolVar(&f.noWait, "no-rounds", false, "do not look for rounds that wait")
	f.open.register(c, "to find a deadlock that the tables leave open")
	c.Flags().BoolVar(&f.json, "json", false, "print the answer as JSON")
	writesFolder(c.Flags(), &f.out, "out", "folder for both tables and the evidence")
	return c
}

// routings returns the definitions of both networks.
func (f *changeFlags) routings(ctx context.Context, names []string, m *meter) (both [2]routing.Definition, err error) {
	common := f.set
	defer func() { f.set = common }()
	for i, name := range names {
		if i == 1 {
			if f.set, err = settingsOfSecond(common, f.to); err != nil {
				return both, err
			}
		}
		n, err := f.load(ctx, name, m.show)
		if err != nil {
			return both, err
		}
		if err := change.Refuses(n, f.definition == nil); err != nil {
			var placed *spec.PosError
			d := f.definition
			switch {
			case errors.As(err, &placed):
			case d != nil && len(d.Replies) > 0 && d.Replies[0].Place != nil:
				at := *d.Replies[0].Place
				at.Msg, err = err.Error(), &at
			default:
				err = fmt.Errorf("%s: %w", name, err)
			}
			return both, err
		}
		if f.definition == nil {
			both[i] = change.Tables(n)
		} else if both[i], err = f.changed(*f.definition); err != nil {
			return both, err
		}
	}
	return both, nil
}

func (f *changeFlags) change(ctx context.Context, names []string, std streams) error {
	explore, states, err := f.open.asked()
	if err != nil {
		return err
	}
	m := newMeter(std)
	defer m.clear()
	both, err := f.routings(ctx, names, m)
	if err != nil {
		return err
	}
	opt := change.Options{
		Manner: changes.Manner{Committed: f.committed, Stalls: f.stalls}, NoWait: f.noWait, States: int(states),
		Compile: routing.CompileOptions{MaxSites: f.maxSites, Memory: f.budget.memory, Progress: m.show},
	}
	if explore == checker.Never {
		opt.States = -1
	}
	r, err := change.Decide(ctx, both[0], both[1], opt)
	if err != nil {
		return err
	}
	m.clear()
	if f.out != "" {
		if err := f.budget.fill(ctx, f.out, func(ctx context.Context) error { return f.keep(ctx, r) }); err != nil {
			return err
		}
	}
	if f.json {
		err = printChangeJSON(std.out, r)
	} else {
		err = printChange(std.out, r, f.out)
	}
	if err != nil {
		return err
	}
	return exitError(ctx, r.Verdict())
}

// keep writes both tables and the evidence, and removes what an earlier run left.
func (f *changeFlags) keep(ctx context.Context, r *change.Result) error {
	err := writeFile(ctx, filepath.Join(f.out, networkFile), func(w io.Writer) error { return spec.WriteClosed(w, r.Pair) })
	if err != nil {
		return err
	}
	lists := map[string][]change.Finding{"": r.Findings, "rounds-": nil}
	if r.Rounds != nil {
		lists["rounds-"] = r.Rounds.Findings
	}
	for _, prefix := range []string{"", "rounds-"} {
		for i, of := range r.Findings {
			name := filepath.Join(f.out, prefix+of.Property.String()+".unknot")
			if i >= len(lists[prefix]) || lists[prefix][i].Evidence == nil {
				err = overwritingOf(ctx).removes(name)
			} else {
				e := lists[prefix][i].Evidence
				err = writeFile(ctx, name, func(w io.Writer) error { return write.Evidence(w, e) })
			}
			if err != nil {
				return err
			}
		}
	}
	name := filepath.Join(f.out, "rounds-fewest.unknot")
	if r.Rounds == nil || r.Rounds.Bound == nil {
		return overwritingOf(ctx).removes(name)
	}
	return writeFile(ctx, name, func(w io.Writer) error { return write.Evidence(w, r.Rounds.Bound) })
}

// printChange writes the answer, a trace step by step, and the rounds.
func printChange(w io.Writer, r *change.Result, out string) error {
	var b strings.Builder
	topo := r.Pair.Topology()
	fmt.Fprintf(&b, "%s: tables of %s differ; %s\n",
		spec.Printable(r.Pair.Name()), words.Plural(r.Differ, "router"), r.Manner)
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "%s %s: %s\n", f.Property, strings.ToUpper(f.Verdict.String()), spec.Printable(f.Because.String()))
		for _, note := range f.Notes {
			fmt.Fprintf(&b, "  %s\n", note)
		}
		if t, is := f.Evidence.(evidence.ChangeTrace); is {
			printChangeTrace(&b, r.Pair, t.Trace)
		}
	}
	switch {
	case r.EveryOrder():
		b.WriteString("without waiting no order is safe: nothing moves while routers are rewritten, so any order fails\n")
	case r.Verdict() == spec.Violated:
		b.WriteString("without waiting the order shown fails, and whether another order is safe is not decided\n")
	}
	if x := r.Rounds; x != nil {
		if x.Turns == nil {
			fmt.Fprintf(&b, "no rounds that wait were found: %s\n", x.Because)
		} else {
			fmt.Fprintf(&b, "safe in %s, each of which waits until older packets have left", words.Plural(len(x.Turns), "round"))
			switch least := r.Rounds.Least; {
			case !x.Proved:
				b.WriteString(" (whether fewer rounds are enough is unknown)\n")
			case least < len(x.Turns):
				fmt.Fprintf(&b, " (at least %d rounds are needed)\n", least)
			default:
				b.WriteString(", the fewest\n")
			}
		}
		for i, turn := range x.Turns {
			var names []string
			for _, v := range turn {
				names = append(names, spec.Printable(topo.Node(v).Name))
			}
			const most = 16
			if len(names) > most {
				names = append(names[:most], fmt.Sprintf("and %d more", len(turn)-most))
			}
			fmt.Fprintf(&b, "  round %d: %s\n", i+1, strings.Join(names, " "))
		}
		for _, f := range x.Findings {
			fmt.Fprintf(&b, "  %s HOLDS: %s\n", f.Property, f.Evidence.Shown().By)
		}
	}
	if out != "" {
		fmt.Fprintf(&b, "written to %s; check it with: unknot-verify %[1]s\n", spec.Printable(out))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// printChangeTrace writes the steps of a trace; routers that are rewritten one after the other share a line.
func printChangeTrace(b *strings.Builder, pair *spec.Network, t *changes.Trace) {
	all, rewritten := t.Comments(pair), []string{}
	all = all[len(all)-len(t.Steps):]
	for i, s := range t.Steps {
		if s.Rewrites {
			rewritten = append(rewritten, spec.Printable(pair.Topology().Node(s.Router).Name))
		}
		if n := len(rewritten); n > 0 && (i+1 == len(t.Steps) || !t.Steps[i+1].Rewrites) {
			if text := strings.Join(rewritten[:min(n, 12)], " "); n > 12 {
				fmt.Fprintf(b, "  rewritten: %s and %d more\n", text, n-12)
			} else {
				fmt.Fprintf(b, "  rewritten: %s\n", text)
			}
			rewritten = nil
		}
		if !s.Rewrites {
			fmt.Fprintf(b, "  packet %s\n", spec.Printable(all[i]))
		}
	}
	if t.Fault != changes.Deadlock || pair.Alternatives() == 0 { // of one alternative, the steps say all
		return
	}
	waiting, err := t.Waiting(pair)
	if err != nil {
		fmt.Fprintf(b, "  %v\n", err)
	}
	for _, w := range waiting {
		fmt.Fprintf(b, "  waits %s\n", spec.Printable(w))
	}
}

// printChangeJSON writes the answer for programs.
func printChangeJSON(w io.Writer, r *change.Result) error {
	type finding struct {
		Property string `json:"property"`
		Verdict  string `json:"verdict"`
		Because  string `json:"because"`
		Facts    any    `json:"facts"` // that because says
		Shown    string `json:"shown,omitempty"`
	}
	list := func(all []change.Finding) (said []finding) {
		for _, f := range all {
			x := finding{
				Property: f.Property.String(), Verdict: f.Verdict.String(),
				Because: f.Because.String(), Facts: report.Facts(f.Because),
			}
			if f.Evidence != nil {
				x.Shown = f.Evidence.Shown().By
			}
			said = append(said, x)
		}
		return said
	}
	type rounds struct {
		Routers    [][]spec.NodeID `json:"routers"`
		Least      int             `json:"least"`
		Proved     bool            `json:"proved"`
		Properties []finding       `json:"properties"`
	}
	answer := struct {
		Network    string    `json:"network"`
		Digest     string    `json:"digest"`
		Committed  bool      `json:"committed"`
		MayStall   bool      `json:"may_stall"`
		Differ     int       `json:"differ"`
		Verdict    string    `json:"verdict"`
		EveryOrder bool      `json:"every_order_fails"`
		Properties []finding `json:"properties"`
		Rounds     *rounds   `json:"rounds,omitempty"`
	}{
		r.Pair.Name(), r.Pair.Digest().String(), r.Manner.Committed, r.Manner.Stalls, r.Differ, r.Verdict().String(),
		r.EveryOrder(), list(r.Findings), nil,
	}
	if x := r.Rounds; x != nil {
		answer.Rounds = &rounds{x.Turns, x.Least, x.Proved, list(x.Findings)}
	}
	return writeJSON(w, answer)
}
