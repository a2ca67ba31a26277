package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
)

func verifyCommand(std streams) *cobra.Command {
	var f networkFlags
	var opt evidence.Options
	c := &cobra.Command{
		Use:   "verify NETWORK EVIDENCE... | FOLDER...",
		Short: "Check evidence against a network or machine",
		Long: `Verify compiles the network or machine and checks evidence files against it:
certificates, closed sets and rankings in one pass, traces and runs by replay,
counts of states by exploring again, only with --recount. In a folder written by
"unknot check --out" or "unknot ask --out", including its subfolders, it checks all
evidence, and that result.json agrees with it. unknot-verify does the same from
closed forms, without the checker.

Exit codes: 0 all verified, 2 usage or input, 3 a count was not recounted or a
verdict has no evidence, 4 evidence was rejected, 130 interrupted.`,
		Example: `  unknot check star-channel --set k=4 --out evidence
  unknot verify evidence
  unknot verify star-channel --set k=4 evidence/*.unknot
  unknot ask peach2 ties --out ties
  unknot verify ties`,
		Args:              wants(1, unlimited),
		ValidArgsFunction: completeNetwork,
		RunE: func(c *cobra.Command, args []string) error {
			m := newMeter(std)
			defer m.clear()
			var t tally
			opt.Memory = f.budget.memory
			info, err := os.Stat(args[0])
			if err == nil && info.IsDir() {
				for _, dir := range args {
					if err := f.verifyFolders(c.Context(), dir, opt, &t, m, std); err != nil {
						return err
					}
				}
				return t.err()
			}
			if len(args) == 1 && args[0] != "" {
				if _, isModel := models.Find(args[0]); !isModel && errors.Is(err, fs.ErrNotExist) {
					return fmt.Errorf("%s: no such file or directory", args[0])
				}
				return fmt.Errorf("got no evidence about %s: want NETWORK EVIDENCE..., or a folder that check --out wrote", args[0])
			}
			if err := f.verifyFiles(c.Context(), "", args[0], args[1:], opt, &t, m, std); err != nil {
				return err
			}
			return t.err()
		},
	}
	f.register(c)
	f.budget.register(c, std)
	c.Flags().BoolVar(&opt.Recount, "recount", false, "check counts by exploring all states again (may take long)")
	return c
}

// tally sums up the checks; the worst determines the exit code.
type tally struct {
	rejected, unchecked bool
	verified            int
}

// add prints a line for one check.
func (t *tally) add(w io.Writer, file, verified string, err error) {
	var unchecked *evidence.UncheckedError
	told := ""
	if err != nil {
		told = spec.Printable(strings.TrimPrefix(err.Error(), file+": "))
	}
	switch {
	case errors.As(err, &unchecked):
		t.unchecked = true
		fmt.Fprintf(w, "UNCHECKED %s: %s\n", file, told)
	case err != nil:
		t.rejected = true
		fmt.Fprintf(w, "REJECTED %s: %s\n", file, told)
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

// verifyFiles prints a line for each file, and one if the result in their folder, unless
// that is "", differs from what they show.
func (f *networkFlags) verifyFiles(ctx context.Context, dir, subject string, files []string, opt evidence.Options, t *tally, m *meter, std streams) error {
	s, err := f.subject(ctx, subject, m)
	if err != nil {
		return err
	}
	before, all := t.verified, []evidence.Shown{}
	for _, file := range files {
		if info, err := os.Stat(file); err == nil && info.IsDir() {
			return fmt.Errorf("invalid evidence %q: want a file; of a folder that check --out wrote, unknot verify %s", file, file)
		}
		text, err := readEvidence(ctx, file)
		if err != nil {
			return err
		}
		shown, err := s.Check(ctx, file, text, opt)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		t.add(std.out, file, shown.String(), err)
		all = append(all, shown)
	}
	if dir == "" || t.verified-before < len(files) {
		return nil
	}
	claims, err := evidence.BearsOut(ctx, dir, s, all, opt)
	if err != nil {
		t.add(std.out, filepath.Join(dir, evidence.ResultFile), "", err)
	} else if claims != nil {
		fmt.Fprintln(std.out, evidence.Claims(claims))
	}
	return nil
}

// verifyFolders checks the contents of a folder and of those below it.
func (f *networkFlags) verifyFolders(ctx context.Context, dir string, opt evidence.Options, t *tally, m *meter, std streams) error {
	found := false
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if err := affordable(ctx, name); err != nil {
			return err
		}
		if _, err := os.Lstat(filepath.Join(name, evidence.AnswerFile)); err == nil {
			found = true
			return verifyAnswer(ctx, name, opt, t, std)
		}
		subject, files, _, err := evidence.Files(name)
		if subject == "" && files == nil {
			return nil // nothing of unknot's
		}
		if found = true; err != nil {
			return err
		}
		return f.verifyFiles(ctx, name, subject, files, opt, t, m, std)
	})
	if err == nil && !found {
		_, _, _, err = evidence.Files(dir)
	}
	return err
}

// verifyAnswer prints a line for each part of an answer.
func verifyAnswer(ctx context.Context, dir string, opt evidence.Options, t *tally, std streams) error {
	f, err := evidence.OpenFolder(dir, opt)
	if err != nil {
		return err
	}
	before := t.verified
	for i, p := range f.Answer.Parts {
		_, shown, err := f.Check(ctx, i, opt)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		t.add(std.out, p.Evidence, fmt.Sprintf("%s; the file says of it: %q", shown, p.Shows), err)
	}
	f.Summary(std.out, t.verified-before)
	if err := f.Verdict(); err != nil {
		t.add(std.out, evidence.AnswerFile, "", err)
	}
	return nil
}
