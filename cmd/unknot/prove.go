package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-105a2da2/unknot/proofs/families"
	"github.com/seed-105a2da2/unknot/proofs/smt"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

func proveCommand(std streams) *cobra.Command {
	var b budget
	c := &cobra.Command{
		Use:   "prove [FAMILY]",
		Short: "Show what is proved about networks of every size, and run the provers again",
		Long: `Prove lists the families of networks whose deadlock freedom is proved for every size.
With a FAMILY it prints the theorem, how it is proved, the formula of the rank, and the
files. Then z3 and cvc5, where installed, decide the file again: each condition must be
proved, and each wrong theorem beside it refuted.

Exit codes: 0 all solvers that are installed agree, 2 usage, 3 a time limit was reached, or
no solver is installed, 4 a condition is not proved, 130 interrupted.`,
		Example: `  unknot prove
  unknot prove dateline`,
		Args: wants(0, 1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			var names []string
			for _, f := range families.All() {
				names = append(names, f.Name+"\t"+f.Theorem)
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return listFamilies(std.out)
			}
			f, ok := families.Find(args[0])
			if !ok {
				var names []string
				for _, f := range families.All() {
					names = append(names, f.Name)
				}
				return fmt.Errorf("invalid family %.40q: want %s%s",
					args[0], words.OneOf(names), words.Suggestion(args[0], names))
			}
			script, err := smt.Open(f.SMT)
			if err != nil {
				return err
			}
			if err := describeFamily(std.out, f, script); err != nil {
				return err
			}
			return prove(c.Context(), std.out, script)
		},
	}
	b.register(c, std)
	return c
}

func listFamilies(w io.Writer) error {
	var items []item
	for _, f := range families.All() {
		items = append(items, item{f.Name, f.Theorem})
	}
	if err := writeItems(w, items); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w, "\nunknot prove FAMILY shows the proof, and has the solvers decide it again.")
	return err
}

func describeFamily(w io.Writer, f families.Family, script *smt.Script) error {
	for _, text := range []string{f.Name + ": " + f.Theorem, "source: " + f.Source, f.Reading} {
		for _, line := range fold(text, width) {
			fmt.Fprintln(w, line)
		}
	}
	fmt.Fprint(w, "\nrank of a channel, compared lexicographically\n")
	for line := range strings.Lines(script.Formula("rank")) {
		fmt.Fprint(w, "  ", line)
	}
	var files []item
	for _, name := range f.Files() {
		files = append(files, item{name, f.Proves(name)})
	}
	fmt.Fprint(w, "\nfiles\n")
	if err := writeItems(w, files); err != nil {
		return err
	}
	fmt.Fprint(w, "\nnetworks, covered or not\n")
	for _, m := range f.Members {
		fmt.Fprintf(w, "  %s\n", m.Command())
	}
	for _, m := range f.Refuted {
		fmt.Fprintf(w, "  %s  # not covered: %s\n", m.Command(), m.Why)
	}
	return nil
}

// prove has each solver that is installed decide a file.
func prove(ctx context.Context, w io.Writer, script *smt.Script) error {
	fmt.Fprint(w, "\nsolvers\n")
	proved, refuted := 0, 0
	for _, c := range script.Checks {
		switch {
		case c.Want == smt.Unsat:
			proved++
		case c.IsWrong():
			refuted++
		}
	}
	var failed error
	ran := 0
	for _, v := range smt.Solvers() {
		err := v.Run(ctx, script)
		switch {
		case errors.Is(err, smt.ErrNotInstalled):
			fmt.Fprintf(w, "  %-4s  not installed\n", v.Name)
			continue
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			fmt.Fprintf(w, "  %-4s  NOT PROVED: %v\n", v.Name, err)
			failed = &codeError{code: exitInternal}
		default:
			fmt.Fprintf(w, "  %-4s  proves %s for every size and refutes %s\n", v.Name,
				words.Plural(proved, "condition"), words.Plural(refuted, "wrong one"))
		}
		ran++
	}
	if ran == 0 {
		return &codeError{
			exitUnknown, errors.New("no solver is installed, so nothing was decided again: install z3 or cvc5"),
		}
	}
	return failed
}
