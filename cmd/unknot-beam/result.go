package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/show/report"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// printResult writes a result as text or as JSON.
func printResult(w io.Writer, r *checker.Result, json bool) error {
	if json {
		return writeJSON(w, r)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", r.Name)
	for i, p := range report.Tell(r) {
		fmt.Fprintf(&b, "%s %s: %s\n", evidence.Freedom(p.Name), strings.ToUpper(p.Verdict.String()), p.Because)
		for _, note := range p.Notes {
			fmt.Fprintf(&b, "  %s\n", note)
		}
		if r.Findings[i].Evidence != nil {
			fmt.Fprintf(&b, "  evidence: %s\n", p.RestsOn(""))
		}
	}
	for _, a := range r.Assumed() {
		fmt.Fprintf(&b, "%s\n  %s\n", a.Title(), strings.Join(words.Written(a.Sentences), "\n  "))
	}
	for _, name := range r.Unchecked {
		fmt.Fprintf(&b, "%s not checked: use unknot check --liveness\n", name)
	}
	b.WriteString(report.Counts(r))
	if r.Digest != "" {
		fmt.Fprintf(&b, "\nset of states: digest %s", r.Digest)
	}
	for line := range strings.Lines(b.String()) {
		if _, err := fmt.Fprintln(w, spec.Printable(strings.TrimSuffix(line, "\n"))); err != nil {
			return err
		}
	}
	return nil
}

func writeJSON(w io.Writer, r *checker.Result) error {
	of, err := report.Of(r, report.Origin{})
	if err != nil {
		return err
	}
	return report.WriteJSON(w, &of)
}

// writeEvidence makes a folder of the closed form, the evidence and the result, as unknot check
// --out does. It has its name once all is written; if anything fails, nothing is left.
func writeEvidence(ctx context.Context, dir string, r *checker.Result) error {
	part, err := os.MkdirTemp(filepath.Dir(dir), "."+filepath.Base(dir)+".*")
	if err == nil {
		err = report.WriteFolder(ctx, part, r)
	}
	if err == nil {
		err = os.Chmod(part, 0o755)
	}
	if err == nil {
		err = os.Rename(part, dir)
	}
	if err != nil {
		os.RemoveAll(part) // "" if there is none
		return fmt.Errorf("writing %s: %w", dir, err)
	}
	return nil
}
