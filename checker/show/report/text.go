package report

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/show/explain"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// Advice is what [WriteText] says a reader can do, such as which flags to add. What is "" is not said.
type Advice struct {
	Decide    string // to decide what is unknown
	Unchecked string // to check the responses that were left out
	Packets   string // to see all packets of a large deadlock
	States    bool   // traces of machines show whole states, not changes
	Run       string // to see the run of a state that was looked for and found, which is written if nothing else was asked
}

const mostSteps, mostPackets, mostChannels = 40, 10, 12 // of a transcript; that wait; not cleared

// WriteText writes a result as text for a reader: the verdicts, in one line if they are few, the assumptions, the
// evidence, and what was decided about.
func WriteText(w io.Writer, r *checker.Result, advice Advice) error {
	var b strings.Builder
	name := ShortName(r.Name)
	fmt.Fprintf(&b, "%s:", spec.Printable(name))
	const mostOnLine = 4 // protocols have a dozen properties
	between := []string{" ", ", "}
	if len(r.Findings) > mostOnLine {
		between = []string{"\n  ", "\n  "}
	}
	for i, f := range r.Findings {
		fmt.Fprintf(&b, "%s%s %s", between[min(i, 1)], spec.Printable(explain.Heading(f.Property, f.Evidence)),
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
	for i, p := range Tell(r) {
		p.text(&b, r, &r.Findings[i], advice)
		if p.Verdict == spec.Unknown && advice.Decide != "" {
			fmt.Fprintf(&b, "  to decide it: %s\n", advice.Decide)
		}
	}
	for _, name := range r.Unchecked {
		fmt.Fprintf(&b, "\n%s not checked", spec.Printable(name))
		if advice.Unchecked != "" {
			b.WriteString(": " + advice.Unchecked)
		}
		b.WriteString("\n")
	}
	b.WriteString("\n")
	if name != r.Name {
		fmt.Fprintf(&b, "whole name: %s\n", spec.Printable(r.Name))
	}
	if c := r.Census; c != nil {
		fmt.Fprintf(&b, "network: %s, %s, %s in use (%d unused%s), %s, %s, %s\n",
			words.Plural(c.Nodes, "node"), words.Plural(c.Links, "link"),
			words.Plural(c.Channels, "channel"), c.Unused, idleVCs(r), words.Plural(c.Flows, "flow"),
			words.Plural(c.Sites, "site"), words.Plural(c.Edges, "dependency"))
	}
	if r.Space != nil {
		textOfSpace(&b, r)
	}
	if r.Network != nil {
		fmt.Fprintf(&b, "sha256: %s\n", r.Network.Digest())
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// idleVCs names the VCs that no hop leads into, on any link: hop(link) without a VC means the first.
func idleVCs(r *checker.Result) string {
	if r.Network == nil || len(r.Census.IdleVCs) == 0 || r.Census.Sites == 0 {
		return ""
	}
	const most = 4
	var names []string
	for i, vc := range r.Census.IdleVCs {
		if i == most {
			names = append(names, "...")
			break
		}
		names = append(names, r.Network.Topology().VCName(vc))
	}
	return ": no hop leads into " + spec.Printable(strings.Join(names, ", ")) + " of any link"
}

// ShortName cuts the parameters from the name of a machine that has many.
func ShortName(name string) string {
	const most = 60
	if i := strings.IndexAny(name, ",:"); i > 0 && len(name) > most {
		return name[:i]
	}
	return name
}

// showing says what traces show below each step.
func (a *Advice) showing(f *checker.Finding) explain.Showing {
	if a.States && f.Run() != nil {
		return explain.WholeStates
	}
	return explain.Below(f.Run() != nil)
}

func (p *Property) text(b *strings.Builder, r *checker.Result, f *checker.Finding, advice Advice) {
	fmt.Fprintf(b, "\n%s %s: %s\n",
		spec.Printable(explain.Heading(p.Name, f.Evidence)), p.Verdict, spec.Printable(p.Because.String()))
	for _, note := range p.Notes {
		fmt.Fprintf(b, "  %s\n", spec.Printable(note.String()))
	}
	if r.Network != nil && p.Method != "" {
		fmt.Fprintf(b, "  method: %s\n", p.Method)
	}
	if rests := p.RestsOn("the counts below"); rests != "" {
		fmt.Fprintf(b, "  evidence: %s\n", rests)
	}
	if advice.Run != "" && f.Verdict == spec.Holds && f.Run() != nil && len(r.Findings) > 1 {
		fmt.Fprintf(b, "  to see its run: %s\n", advice.Run)
		return
	}
	waits := explain.WaitFor(f.Evidence)
	if len(waits) == 0 || p.Method == checker.Explored {
		lines := explain.Transcript(f.Evidence, advice.showing(f), mostSteps)
		Indent(b, lines, len(lines))
	}
	textOfWaits(b, f.Evidence, waits, advice.Packets)
	if len(p.Candidate) > 0 {
		b.WriteString("  not cleared:\n")
		var names []string
		for _, c := range p.Candidate {
			names = append(names, c.Name)
		}
		Indent(b, names, mostChannels)
	}
}

// textOfWaits writes who waits for whom. Of a large deadlock it writes only a shortest cycle,
// the reason why the others are stuck, too.
func textOfWaits(b *strings.Builder, e evidence.Evidence, all []string, shown string) {
	t, is := e.(evidence.Trace)
	if len(all) <= mostPackets || !is {
		Indent(b, all, mostPackets)
		Indent(b, CycleDrawing(e), mostPackets)
		return
	}
	cycle, err := WaitCycle(t)
	if err != nil {
		Indent(b, []string{"it does not replay: " + err.Error()}, mostPackets)
		return
	}
	var lines []string
	for _, d := range cycle[:min(len(cycle), mostPackets)] {
		lines = append(lines, d.String())
	}
	Indent(b, lines, mostPackets)
	of := fmt.Sprintf("a shortest cycle has %d", len(cycle))
	if len(lines) == len(cycle) {
		of = fmt.Sprintf("these %d are a shortest cycle", len(cycle))
	}
	if shown != "" {
		of += " (" + shown + ")"
	}
	fmt.Fprintf(b, "    ... and %d more packets; %s\n", len(all)-len(lines), of)
	Indent(b, drawnCycle(cycle), mostPackets)
}

// Indent writes lines under a finding, at most so many.
func Indent(b *strings.Builder, lines []string, most int) {
	for i, line := range lines {
		if i == most {
			fmt.Fprintf(b, "    ... and %d more\n", len(lines)-most)
			break
		}
		fmt.Fprintf(b, "    %s\n", spec.Printable(line))
	}
}

// Counts says in a line how many states were explored.
func Counts(r *checker.Result) string {
	var b strings.Builder
	x, of := r.Space, ""
	if x.Reduced != nil {
		of = " of the reduced state graph, each"
	}
	fmt.Fprintf(&b, "%s%s of %s, %s, %s, the widest %d",
		words.Plural(int(x.States), "state"), of, words.Plural(x.Bits, "bit"),
		words.Plural(int(x.Transitions), "transition"), words.Plural(x.Levels, "level"), x.Widest)
	if r.Network != nil {
		fmt.Fprintf(&b, "; deadlocks: %d local, %d weak, %d global", x.Local, x.Weak, x.Global)
	} else if x.Halts > 0 {
		fmt.Fprintf(&b, "; %d without successors", x.Halts)
	}
	if !x.Complete {
		fmt.Fprintf(&b, " (%s expanded: %s)", words.Plural(int(x.Expanded), "state"), x.Ended)
	}
	return b.String()
}

func textOfSpace(b *strings.Builder, r *checker.Result) {
	x := r.Space
	b.WriteString(Counts(r) + "\n")
	Indent(b, words.Written(x.Reduced), len(x.Reduced))
	if len(x.Idle) > 0 {
		b.WriteString("rules that are never possible:\n")
		Indent(b, x.Idle, 8)
	}
	if why := uncounted(x); why != "" {
		fmt.Fprintf(b, "coverage is not counted: %s\n", why)
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

// uncounted says why a coverage that was asked for is not counted, and how it would be; "" if it is, or was not asked for.
func uncounted(x *checker.Space) string {
	if x.Uncounted.IsZero() || !x.Stopped {
		return x.Uncounted.String()
	}
	return x.Uncounted.String() + "; --explore=whole explores past a violation"
}
