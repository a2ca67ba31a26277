package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/show/explain"
	"github.com/seed-105a2da2/unknot/checker/show/report"
	"github.com/seed-105a2da2/unknot/checker/write"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// printResult writes a result as text or as JSON.
func printResult(w io.Writer, r *checker.Result, json bool) error {
	if json {
		return writeJSON(w, r)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", r.Name)
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "%s %s: %s\n", evidence.Freedom(f.Property), strings.ToUpper(f.Verdict.String()), f.Because)
		for _, note := range f.Notes {
			fmt.Fprintf(&b, "  %s\n", note)
		}
		if f.Evidence != nil {
			fmt.Fprintf(&b, "  evidence: %s\n", explain.Text(f.Evidence))
		}
	}
	for _, a := range r.Assumed() {
		fmt.Fprintf(&b, "%s\n  %s\n", a.Title(), strings.Join(words.Written(a.Sentences), "\n  "))
	}
	for _, name := range r.Unchecked {
		fmt.Fprintf(&b, "%s not checked: use unknot check --liveness\n", name)
	}
	fmt.Fprintf(&b, "%s of %s, %s, %s, the widest %d", words.Plural(int(r.States), "state"), words.Plural(r.Bits, "bit"), words.Plural(int(r.Transitions), "transition"), words.Plural(r.Levels, "level"), r.Widest)
	if r.Network != nil {
		fmt.Fprintf(&b, "; deadlocks: %d local, %d weak, %d global", r.Local, r.Weak, r.Global)
	} else if r.Halts > 0 {
		fmt.Fprintf(&b, "; %d without successors", r.Halts)
	}
	if !r.Complete {
		fmt.Fprintf(&b, " (%s expanded: %s)", words.Plural(int(r.Expanded), "state"), r.Ended)
	}
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
func writeEvidence(dir string, m states.Machine, r *checker.Result) error {
	part, err := os.MkdirTemp(filepath.Dir(dir), "."+filepath.Base(dir)+".*")
	if err == nil {
		err = writeFiles(part, m, r)
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

// writeFiles writes the files of the folder.
func writeFiles(dir string, m states.Machine, r *checker.Result) error {
	file := func(name string, write func(io.Writer) error) error {
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		err = write(f)
		if fault := f.Close(); err == nil {
			err = fault
		}
		return err
	}
	var err error
	if p, is := m.(*program.Machine); is {
		err = file("machine.json", func(w io.Writer) error { return program.WriteClosed(w, p.Program()) })
	} else {
		err = file("network.json", func(w io.Writer) error { return spec.WriteClosed(w, r.Network) })
	}
	names := write.Names{}
	for _, f := range r.Findings {
		name := names.Name(f.Property) + ".unknot"
		if err == nil && f.Evidence != nil {
			err = file(name, func(w io.Writer) error { return write.Evidence(w, f.Evidence) })
		}
	}
	if err == nil {
		err = file("result.json", func(w io.Writer) error { return writeJSON(w, r) })
	}
	return err
}
