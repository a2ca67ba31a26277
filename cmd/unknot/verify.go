package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/proofs/changes"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
)

func verifyCommand(std streams) *cobra.Command {
	var f networkFlags
	var opt evidence.Options
	c := &cobra.Command{
		Use:   "verify NETWORK EVIDENCE... | FOLDER...",
		Short: "Check evidence against a network or protocol",
		Long: `Verify compiles the network or protocol and checks evidence files against it. It checks
certificates, closed sets and rankings by their conditions, and traces by replay. It
checks counts of states only with --recount, by exploring again.

In a folder written by "unknot check --out" or "unknot ask --out", including its
subfolders, it checks all evidence, and that result.json agrees with it. unknot-verify
does the same from closed forms, without the checker.

Exit codes: 0 all verified, 2 usage or input, 3 a count is unchecked or a
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
			v := f.verifier(c.Context(), opt, &t, m, std)
			info, err := os.Stat(args[0])
			if err == nil && info.IsDir() {
				for _, dir := range args {
					if err := verifyFolders(c.Context(), dir, v); err != nil {
						return err
					}
				}
				return t.err()
			}
			if len(args) == 1 && args[0] != "" {
				if _, isModel := models.Find(args[0]); !isModel && errors.Is(err, fs.ErrNotExist) {
					return fmt.Errorf("%s: no such file or directory", args[0])
				}
				return fmt.Errorf(
					"got no evidence about %s: want NETWORK EVIDENCE..., or a folder that check --out wrote", args[0])
			}
			if dir := slices.IndexFunc(args[1:], isFolder); dir >= 0 {
				return fmt.Errorf(
					"invalid evidence %[1]q: want a file; of a folder that check --out wrote, unknot verify %[1]s",
					args[1+dir])
			}
			if err := v.Files(c.Context(), "", args[0], args[1:]); err != nil {
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
func (t *tally) add(w io.Writer, o evidence.Outcome) {
	var unchecked *evidence.UncheckedError
	switch {
	case errors.As(o.Err, &unchecked):
		t.unchecked = true
		fmt.Fprintf(w, "UNCHECKED %s: %s\n", o.File, spec.Printable(o.Why()))
	case o.Err != nil:
		t.rejected = true
		fmt.Fprintf(w, "REJECTED %s: %s\n", o.File, spec.Printable(o.Why()))
	default:
		t.verified++
		fmt.Fprintf(w, "VERIFIED %s: %s\n", o.File, spec.Printable(o.String()))
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

// verifier prints a line for each check, what no evidence bears out, and the progress of reading.
func (f *networkFlags) verifier(
	ctx context.Context, opt evidence.Options, t *tally, m *meter, std streams,
) *evidence.Verifier {
	return &evidence.Verifier{
		Options: opt,
		Subject: func(ctx context.Context, file string) (*evidence.Subject, error) {
			s, err := f.subject(ctx, file, m)
			if err != nil || s.Network == nil || len(s.Network.Classes())%2 > 0 || filepath.Ext(file) != ".json" {
				return s, err
			}
			// The tables of a change have sites that only both together reach, and which must stay.
			text, err := readNetworkFile(ctx, file)
			if err != nil {
				return nil, err
			}
			if n, err := spec.ReadClosed(ctx, file, text); err == nil {
				if _, err := changes.NewPair(n); err == nil {
					return evidence.OfNetwork(n), nil
				}
			}
			return s, nil
		},
		Evidence: readEvidence,
		Remark:   func(text string) { fmt.Fprint(std.out, text) },
		Report: func(o evidence.Outcome) error {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			o.Of = "" // it is about what the command names
			t.add(std.out, o)
			return nil
		},
	}
}

// verifyFolders checks the contents of a folder and of those below it.
func verifyFolders(ctx context.Context, dir string, v *evidence.Verifier) error {
	any := false
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if err := affordable(ctx, name); err != nil {
			return err
		}
		found, _, err := v.Folder(ctx, name)
		if any = any || found; !found {
			return nil // nothing of unknot's
		}
		return err
	})
	if err == nil && !any {
		_, _, _, err = evidence.Files(dir)
	}
	return err
}
