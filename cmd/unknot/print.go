package main

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/show/explain"
	"github.com/seed-105a2da2/unknot/checker/show/report"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

const mostSteps, mostPackets, mostChannels = 40, 10, 12 // of a transcript; that wait; not cleared

// printResult writes a result for people: the verdicts, in one line if they are few, the
// assumptions, the evidence, what would settle the rest, and what was decided about.
func printResult(w io.Writer, r *checker.Result, settling, out string) error {
	var b strings.Builder
	name := shortName(r.Name)
	fmt.Fprintf(&b, "%s:", spec.Printable(name))
	const mostOnLine = 4 // protocols have a dozen properties
	between := []string{" ", ", "}
	if len(r.Findings) > mostOnLine {
		between = []string{"\n  ", "\n  "}
	}
	for i, f := range r.Findings {
		fmt.Fprintf(&b, "%s%s %s", between[min(i, 1)], spec.Printable(evidence.Freedom(f.Property)),
			strings.ToUpper(f.Verdict.String()))
		if f.Vacuous {
			b.WriteString(" (vacuously)")
		}
	}
	b.WriteString("\n")
	for _, a := range r.Assumed() {
		fmt.Fprintf(&b, "\n%s\n", spec.Printable(a.Title()))
		for _, sentence := range a.Sentences {
			fmt.Fprintf(&b, "  %s\n", spec.Printable(sentence.String()))
		}
	}
	for i := range r.Findings {
		printFinding(&b, r, &r.Findings[i])
		if r.Findings[i].Verdict == spec.Unknown && settling != "" {
			fmt.Fprintf(&b, "  to decide it: %s\n", settling)
		}
	}
	for _, name := range r.Unchecked {
		fmt.Fprintf(&b, "\n%s not checked: add --liveness\n", spec.Printable(name))
	}
	b.WriteString("\n")
	if name != r.Name {
		fmt.Fprintf(&b, "whole name: %s\n", spec.Printable(r.Name))
	}
	if c := r.Census; c != nil {
		fmt.Fprintf(&b, "network: %s, %s, %s in use (%d unused), %s, %s, %s\n",
			words.Plural(c.Nodes, "node"), words.Plural(c.Links, "link"),
			words.Plural(c.Channels, "channel"), c.Unused, words.Plural(c.Flows, "flow"),
			words.Plural(c.Sites, "legal site"), words.Plural(c.Edges, "dependency"))
	}
	if r.Space != nil {
		printSpace(&b, r)
	}
	if r.Network != nil {
		fmt.Fprintf(&b, "sha256: %s\n", r.Network.Digest())
	}
	if out != "" {
		b.WriteString(writtenTo(out, r))
	}
	b.WriteString(seeing(out, r))
	_, err := io.WriteString(w, b.String())
	return err
}

// shortName cuts the parameters from the name of a machine that has many.
func shortName(name string) string {
	const most = 60
	if i := strings.IndexAny(name, ",:"); i > 0 && len(name) > most {
		return name[:i]
	}
	return name
}

func printFinding(b *strings.Builder, r *checker.Result, f *checker.Finding) {
	fmt.Fprintf(b, "\n%s %s: %s\n", spec.Printable(evidence.Freedom(f.Property)), f.Verdict,
		spec.Printable(f.Because.String()))
	for _, note := range f.Notes {
		fmt.Fprintf(b, "  %s\n", spec.Printable(note.String()))
	}
	if r.Network != nil && f.Method != "" {
		fmt.Fprintf(b, "  method: %s\n", f.Method)
	}
	if e := f.Evidence; e != nil {
		fmt.Fprintf(b, "  evidence: %s\n", explain.Text(e))
	} else if f.Verdict != spec.Unknown {
		b.WriteString("  evidence: the counts below, not machine-checked\n")
	}
	waits := explain.WaitFor(f.Evidence)
	if len(waits) == 0 || f.Method == checker.Explored {
		lines := explain.Transcript(f.Evidence, f.Run() != nil, mostSteps)
		indented(b, lines, len(lines))
	}
	printWaits(b, f.Evidence, waits)
	if len(f.Candidate) > 0 {
		b.WriteString("  not cleared:\n")
		var names []string
		for _, c := range f.Candidate {
			names = append(names, r.Network.Topology().ChannelName(c))
		}
		indented(b, names, mostChannels)
	}
}

// printWaits writes who waits for whom. Of a large deadlock it writes only a shortest cycle,
// the reason why the others are stuck, too.
func printWaits(b *strings.Builder, e evidence.Evidence, all []string) {
	t, is := e.(evidence.Trace)
	if len(all) <= mostPackets || !is {
		indented(b, all, mostPackets)
		return
	}
	cycle, err := report.CircularWait(t)
	if err != nil {
		indented(b, []string{"it does not replay: " + err.Error()}, mostPackets)
		return
	}
	var lines []string
	for _, d := range cycle[:min(len(cycle), mostPackets)] {
		lines = append(lines, d.String())
	}
	indented(b, lines, mostPackets)
	of := fmt.Sprintf("a shortest cycle has %d", len(cycle))
	if len(lines) == len(cycle) {
		of = fmt.Sprintf("these %d are a shortest cycle", len(cycle))
	}
	fmt.Fprintf(b, "    ... and %d more packets; %s (--report shows all)\n", len(all)-len(lines), of)
}

// indented writes lines under a finding, at most a given number.
func indented(b *strings.Builder, lines []string, most int) {
	for i, line := range lines {
		if i == most {
			fmt.Fprintf(b, "    ... and %d more\n", len(lines)-most)
			break
		}
		fmt.Fprintf(b, "    %s\n", spec.Printable(line))
	}
}

func printSpace(b *strings.Builder, r *checker.Result) {
	x := r.Space
	of := ""
	if x.Reduced != nil {
		of = " of the reduced state graph, each"
	}
	fmt.Fprintf(b, "%s%s of %s, %s, %s, the widest %d",
		words.Plural(int(x.States), "state"), of, words.Plural(x.Bits, "bit"),
		words.Plural(int(x.Transitions), "transition"), words.Plural(x.Levels, "level"), x.Widest)
	if r.Network != nil {
		fmt.Fprintf(b, "; deadlocks: %d local, %d weak, %d global", x.Local, x.Weak, x.Global)
	} else if x.Halts > 0 {
		fmt.Fprintf(b, "; %d without successors", x.Halts)
	}
	if !x.Complete {
		fmt.Fprintf(b, " (%s expanded: %s)", words.Plural(int(x.Expanded), "state"), x.Ended)
	}
	b.WriteString("\n")
	indented(b, x.Reduced, len(x.Reduced))
	if len(x.Idle) > 0 {
		b.WriteString("rules that are never possible:\n")
		indented(b, x.Idle, 8)
	}
	if x.Uncounted != "" {
		fmt.Fprintf(b, "coverage is not counted: %s\n", x.Uncounted)
	}
	if len(x.Fired) > 0 {
		b.WriteString("steps by rule, for all keys\n")
	}
	for _, f := range x.Fired {
		never := ""
		if f.Steps == 0 {
			never = ": never possible"
		}
		fmt.Fprintf(b, "%12d  %s%s\n", f.Steps, spec.Printable(f.Rule), never)
	}
	if len(x.Whens) > 0 {
		b.WriteString("conditions of rules, in all states and for all keys\n        held    refused\n")
	}
	for _, w := range x.Whens {
		why := ""
		if w.Why != "" {
			why = ", " + w.Why
		}
		fmt.Fprintf(b, "%12d%11d  %s:%d:%d%s, in %s%s\n",
			w.Held, w.Refused, filepath.Base(w.File), w.Line, w.Col, why, spec.Printable(w.Rule), w.Lacks(": "))
	}
	if x.Digest != "" {
		fmt.Fprintf(b, "set of states: digest %s\n", x.Digest)
	}
}

// seeing says which commands show a violation move by move, or "".
func seeing(out string, r *checker.Result) string {
	properties := make([]string, len(r.Findings))
	shown := -1
	for i, f := range r.Findings {
		properties[i] = f.Property
		if shown < 0 && (f.Trace() != nil || f.Run() != nil) {
			shown = i
		}
	}
	closed := networkFile
	if r.Network == nil {
		closed = machineFile
	}
	switch {
	case shown < 0:
		return ""
	case out == "" || r.Network == nil && programOf(r.Machine) == nil:
		return "to see it happen: add --report FILE.html, or --out FOLDER and then unknot replay; or try the steps " +
			"in unknot explore\n"
	}
	of := filepath.Join(out, closed)
	trace := filepath.Join(out, findingFiles(properties)[shown])
	return fmt.Sprintf(
		"to see it happen: unknot replay %s %s, or unknot explore %[1]s --trace %[2]s, or add --report FILE.html\n",
		of, trace)
}

// writtenTo says where evidence was written, and which command checks it.
func writtenTo(dir string, r *checker.Result) string {
	switch {
	case r.Network == nil && programOf(r.Machine) == nil:
		return fmt.Sprintf(
			"written to %s; the machine is not written as guarded commands, so no second program checks it\n", dir)
	case !slices.ContainsFunc(r.Findings, func(f checker.Finding) bool { return f.Evidence != nil }):
		return fmt.Sprintf("written to %s, without evidence\n", dir)
	}
	return fmt.Sprintf("written to %s; check it with: unknot-verify %[1]s\n", dir)
}

func others(w io.Writer, n int) {
	if n > 0 {
		fmt.Fprintf(w, "  ... and %d more\n", n)
	}
}
