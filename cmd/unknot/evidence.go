package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/proofs"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
)

// The folder of evidence of an exploration: the closed form of the network or
// machine, a file for each property whose evidence a second program can check,
// and the result. What an earlier run left under the same names is replaced or
// removed.

// machineFile is the closed form of a machine in an evidence folder.
const machineFile = "machine.json"

// programOf returns the program of a machine, nil if it is none.
func programOf(m spec.Machine) *program.Program {
	if p, ok := m.(interface{ Program() *program.Program }); ok {
		return p.Program()
	}
	return nil
}

// writeExplored writes the evidence of an exploration of m, the traffic of n, or
// another machine if that is nil.
func writeExplored(dir string, m spec.Machine, n *spec.Network, x *checker.Exploration, notion checker.Notion) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	p := programOf(m)
	err := writeOrRemove(filepath.Join(dir, networkFile), n != nil, func(w io.Writer) error { return spec.WriteClosed(w, n) })
	if err == nil {
		err = writeOrRemove(filepath.Join(dir, machineFile), n == nil && p != nil, func(w io.Writer) error { return program.WriteClosed(w, p) })
	}
	if err != nil {
		return err
	}
	for i := range x.Findings {
		f := &x.Findings[i]
		write := findingWriter(m, n, x, f, notion)
		if err := writeOrRemove(filepath.Join(dir, findingFile(f.Property)), write != nil, write); err != nil {
			return err
		}
	}
	return writeFile(filepath.Join(dir, resultFile), func(w io.Writer) error { return writeExploration(w, m, n, x) })
}

func writeOrRemove(name string, wanted bool, write func(io.Writer) error) error {
	if wanted {
		return writeFile(name, write)
	}
	if err := os.Remove(name); err != nil && !os.IsNotExist(err) {
		return err
	}
	return nil
}

// findingFile is the name of the file with the evidence of a property, which may
// be named by a sentence.
func findingFile(property string) string {
	return strings.NewReplacer(" ", "-", "/", "-", string(filepath.Separator), "-").Replace(property) + ".unknot"
}

// findingWriter returns what writes the evidence of a finding, nil if it has none
// that a second program checks.
func findingWriter(m spec.Machine, n *spec.Network, x *checker.Exploration, f *checker.Finding, notion checker.Notion) func(io.Writer) error {
	switch {
	case f.Trace != nil:
		return func(w io.Writer) error { return counterexamples.Write(w, n, f.Trace) }
	case f.Run != nil:
		return func(w io.Writer) error { return counterexamples.WriteRun(w, m, f.Run) }
	case f.Closed != nil:
		return func(w io.Writer) error { return proofs.WriteClosedSet(w, f.Closed) }
	case f.Ranking != nil:
		return func(w io.Writer) error { return proofs.WriteRanking(w, f.Ranking) }
	}
	if c := countOf(m, x, f, notion); c != nil {
		return func(w io.Writer) error { return proofs.WriteCount(w, c) }
	}
	return nil
}

// countOf returns the count that shows that a property holds in all states, nil
// if it does not, or if the set that was explored was reduced, or the property
// is not one of states: a response, or a deadlock in a weaker notion.
func countOf(m spec.Machine, x *checker.Exploration, f *checker.Finding, notion checker.Notion) *proofs.Count {
	if f.Verdict != spec.Holds || x.Digest == "" {
		return nil
	}
	var err error
	if t, ok := m.(*spec.Traffic); !ok {
		_, err = proofs.SafeMachine(m, claimsOf(m), f.Property)
	} else if _, err = proofs.SafeTraffic(t, f.Property); notion != checker.Local && f.Property == spec.Deadlock.String() {
		return nil
	}
	digest, ok := proofs.ParseSetDigest(x.Digest)
	if err != nil || !ok {
		return nil
	}
	return &proofs.Count{Machine: m.Name(), Property: f.Property, States: x.States, Transitions: x.Transitions, Digest: digest}
}

// writtenTo says where evidence was written, and what checks it.
func writtenTo(dir string, m spec.Machine, n *spec.Network) string {
	subject := networkFile
	switch {
	case n == nil && programOf(m) == nil:
		return fmt.Sprintf("written to %s; the machine is not written as guarded commands, so no second program checks it\n", dir)
	case n == nil:
		subject = machineFile
	}
	return fmt.Sprintf("written to %s; check it with: unknot-verify %s %s\n", dir, filepath.Join(dir, subject), filepath.Join(dir, "*.unknot"))
}
