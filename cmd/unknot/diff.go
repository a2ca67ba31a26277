package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/diff"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
)

type diffFlags struct {
	networkFlags
	rows int
	open openFlags
	json bool
	to   []string // settings of the second network
}

func diffCommand(std streams) *cobra.Command {
	var f diffFlags
	c := &cobra.Command{
		Use:   "diff NETWORK [NETWORK]",
		Short: "Compare two networks, two settings of one, or two dumps of a fabric",
		Long: `Diff lists the differences of two networks in nodes, links, flows, routes by
destination, dependencies between channels, and verdicts. Nodes, VCs and classes
are matched by name, links between the same nodes by their ports and then by their
order. Flags apply to both networks. Files without routing are compared as
topologies, unless --route names an engine. With --to, the second network has other
settings, and it may be the same file.

Exit codes: 0 the networks are equal, 1 they differ, 2 usage or input, 3 a limit
was reached.`,
		Example: `  unknot diff yesterday today
  unknot diff before.star after.star --rows 0
  unknot diff mesh --set k=3 --to routing=adaptive
  unknot diff a.graphml b.graphml --route updown`,
		Args: func(c *cobra.Command, args []string) error {
			if len(f.to) > 0 {
				return wants(1, 2)(c, args)
			}
			err := wants(2, 2)(c, args)
			if len(args) == 1 {
				err = fmt.Errorf("%w; --to NAME=VALUE compares it with itself in another setting", err)
			}
			return err
		},
		ValidArgsFunction: completeNetwork,
		RunE: func(c *cobra.Command, args []string) error {
			if _, err := settingsOf("set", f.set); errors.Is(err, errTwice) {
				return fmt.Errorf("%w; --to NAME=VALUE sets it for the second network alone", err)
			}
			if len(args) == 1 {
				args = append(args, args[0])
			}
			return f.diff(c.Context(), args, std)
		},
	}
	f.register(c)
	f.budget.register(c, std)
	c.Flags().IntVar(&f.rows, "rows", 20, "lines to show of each kind (gone, new, changed); 0: all")
	f.open.register(c, "if the tables leave deadlock freedom open")
	c.Flags().BoolVar(&f.json, "json", false, "print the differences as JSON")
	c.Flags().StringArrayVar(&f.to, "to", nil,
		"set a parameter of the second network, as in --to k=8 (repeatable); --set is for both")
	return c
}

// compared is what diff prints.
type compared struct {
	Names    [2]string     `json:"networks"`
	Equal    bool          `json:"equal"`
	Lists    []diff.List   `json:"lists"`
	Verdicts []verdictPair `json:"verdicts,omitempty"`
}

type verdictPair struct {
	Property string    `json:"property"`
	Verdicts [2]string `json:"verdicts"`
}

func (f *diffFlags) diff(ctx context.Context, names []string, std streams) error {
	if f.rows < 0 {
		return invalid("rows", f.rows, "at least 0")
	}
	m := newMeter(std)
	defer m.clear()
	r, err := f.compare(ctx, names, m)
	if err != nil {
		return err
	}
	m.clear()
	for i := range r.Lists {
		r.Equal = (i == 0 || r.Equal) && r.Lists[i].Equal()
	}
	for _, v := range r.Verdicts {
		r.Equal = r.Equal && v.Verdicts[0] == v.Verdicts[1]
	}
	if f.json {
		err = writeJSON(std.out, r)
	} else {
		err = r.print(std.out)
	}
	if err == nil && !r.Equal {
		err = &codeError{code: exitViolated}
	}
	return err
}

func (f *diffFlags) compare(ctx context.Context, names []string, m *meter) (*compared, error) {
	opt := diff.Options{Rows: f.rows}
	r := &compared{Names: [2]string{names[0], strings.Join(append([]string{names[1]}, f.to...), " ")}}
	second, err := settingsOfSecond(f.set, f.to)
	if err != nil {
		return nil, err
	}
	a, err := f.bare(ctx, names[0])
	if err != nil {
		return nil, err
	}
	settings := [2][]string{f.set, second}
	f.set = second
	b, err := f.bare(ctx, names[1])
	switch {
	case err != nil:
		return nil, err
	case a != nil && b != nil:
		r.Lists = diff.Topologies(a.Topology, b.Topology, opt)
		return r, nil
	}
	var networks [2]*spec.Network
	var results [2]*checker.Result
	for i, name := range names {
		f.set = settings[i]
		if networks[i], err = f.load(ctx, name, m.show); err != nil {
			return nil, err
		}
		q, behind := checker.Question{Progress: m.show}, ""
		q.Scenario, behind = f.asConfigured(ctx, name, networks[i], spec.Scenario{})
		if q.Explore, q.MaxStates, err = f.open.asked(); err != nil {
			return nil, err
		}
		if results[i], err = checker.Check(ctx, networks[i], q); err != nil {
			return nil, err
		}
		f.tellBehind(behind, results[i])
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
	}
	if r.Lists, err = diff.Networks(ctx, networks[0], networks[1], opt); err != nil {
		return nil, err
	}
	for _, x := range results[0].Findings {
		if y := results[1].Of(x.Property); y != nil {
			r.Verdicts = append(r.Verdicts, verdictPair{x.Property, [2]string{x.Verdict.String(), y.Verdict.String()}})
		}
	}
	return r, nil
}

// print writes a line for each kind of thing, and what differs below it.
func (r *compared) print(out io.Writer) error {
	w := bufio.NewWriter(out)
	fmt.Fprintf(w, "%s, now %s: ", r.Names[0], r.Names[1])
	if r.Equal {
		fmt.Fprintln(w, "equal")
	} else {
		fmt.Fprintln(w, "different")
	}
	for i := range r.Lists {
		l := &r.Lists[i]
		if l.Equal() {
			fmt.Fprintf(w, "%s: the same (%d)\n", l.What, l.Same)
			continue
		}
		fmt.Fprintf(w, "%s: %d gone, %d new, %d changed, %d the same", l.What, l.Gone, l.New, l.Changed, l.Same)
		if l.Note != "" {
			fmt.Fprintf(w, "; %s", l.Note)
		}
		fmt.Fprintln(w)
		for _, row := range l.Rows {
			fmt.Fprintf(w, "  %s\n", row)
		}
		others(w, l.Gone+l.New+l.Changed-len(l.Rows))
	}
	for _, v := range r.Verdicts {
		if v.Verdicts[0] == v.Verdicts[1] {
			fmt.Fprintf(w, "%s: %s in both\n", evidence.Freedom(v.Property), v.Verdicts[0])
		} else {
			fmt.Fprintf(w, "%s: %s, now %s\n", evidence.Freedom(v.Property), v.Verdicts[0], v.Verdicts[1])
		}
	}
	return w.Flush()
}
