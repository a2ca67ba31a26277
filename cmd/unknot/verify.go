package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
)

func verifyCommand(std streams) *cobra.Command {
	var f networkFlags
	var opt evidence.Options
	c := &cobra.Command{
		Use:   "verify NETWORK EVIDENCE... | FOLDER",
		Short: "Check evidence against a network or machine",
		Long: `Verify compiles the network or machine and checks evidence files against it:
certificates, closed sets and rankings in one pass, traces and runs by replay,
counts of states only with --recount, by exploring again. A folder written by
"unknot ask --out" is checked part by part. unknot-verify does the same from
closed forms, without the checker.

Exit codes: 0 all verified, 2 usage or input, 3 a count was not recounted,
4 evidence was rejected, 130 interrupted.`,
		Example: `  unknot check star-channel --set k=4 --out evidence
  unknot verify evidence/network.json evidence/*.unknot
  unknot ask peach2 ties --out ties
  unknot verify ties`,
		Args:              wants(1, unlimited),
		ValidArgsFunction: completeNetwork,
		RunE: func(c *cobra.Command, args []string) error {
			if info, err := os.Stat(args[0]); len(args) == 1 && err == nil && info.IsDir() {
				return verifyFolder(c.Context(), args[0], opt, std)
			}
			if len(args) == 1 {
				return fmt.Errorf("%s: want evidence beside it, or a folder with the answer to a question", args[0])
			}
			m := newMeter(std)
			defer m.clear()
			s, err := f.subject(c.Context(), args[0], m)
			if err != nil {
				return err
			}
			return verifyFiles(c.Context(), s, args[1:], opt, std)
		},
	}
	f.register(c)
	f.budget.register(c, std)
	c.Flags().BoolVar(&opt.Recount, "recount", false, "check counts by exploring all states again (may take long)")
	return c
}

// tally is what became of the checks; the worst makes the exit code.
type tally struct {
	rejected, unchecked bool
	verified            int
}

// add prints a line for one check.
func (t *tally) add(w io.Writer, file, verified string, err error) {
	var uncounted *evidence.UncountedError
	switch {
	case errors.As(err, &uncounted):
		t.unchecked = true
		fmt.Fprintf(w, "UNCHECKED %s: %s\n", file, spec.Printable(err.Error()))
	case err != nil:
		t.rejected = true
		fmt.Fprintf(w, "REJECTED %s: %s\n", file, spec.Printable(err.Error()))
	default:
		t.verified++
		fmt.Fprintf(w, "VERIFIED %s: %s\n", file, spec.Printable(verified))
	}
}

func (t *tally) err() error {
	switch {
	case t.rejected:
		return &codeError{code: exitInternal}
	case t.unchecked:
		return &codeError{code: exitUnknown}
	}
	return nil
}

// verifyFiles prints a line a file.
func verifyFiles(ctx context.Context, s *evidence.Subject, files []string, opt evidence.Options, std streams) error {
	var t tally
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		shown, err := s.Check(ctx, file, text, opt)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		t.add(std.out, file, shown.String(), err)
	}
	return t.err()
}

// verifyFolder prints a line a part of an answer.
func verifyFolder(ctx context.Context, dir string, opt evidence.Options, std streams) error {
	f, err := evidence.OpenFolder(dir)
	if err != nil {
		return err
	}
	var t tally
	for i, p := range f.Answer.Parts {
		_, shown, err := f.Check(ctx, i, opt)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		t.add(std.out, p.Evidence, fmt.Sprintf("%s: %s", shown, p.Shows), err)
	}
	f.Summary(std.out, t.verified)
	if err := f.Answer.Agrees(); err != nil {
		t.add(std.out, evidence.AnswerFile, "", err)
	}
	return t.err()
}
