package fabrics

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/show/explain"
	"github.com/seed-105a2da2/unknot/checker/show/report"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/fabric"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// Survey holds what was found about a fabric, scope by scope, without the networks.
type Survey struct {
	Fabric *fabric.Fabric
	Faults *fabric.Faults
	scopes []surveyed
}

// surveyed is one scope.
type surveyed struct {
	*Judgement
	findings []checker.Finding // their evidence in words
	rests    []string          // by finding: what it rests on
	sites    int
	report   any
}

// Add adds a judgement and lets go of its network. The results of a full survey are those of WriteJSON.
func (s *Survey) Add(j *Judgement, full bool) error {
	if j.Why != nil {
		s.scopes = append(s.scopes, surveyed{Judgement: j})
		return nil
	}
	of := surveyed{Judgement: j, sites: j.Result.Network.SiteCount()}
	for _, a := range j.Result.Findings {
		rests := ""
		if a.Evidence != nil {
			rests = explain.Text(a.Evidence)
		}
		of.rests = append(of.rests, rests)
		a.Evidence = nil
		of.findings = append(of.findings, a)
	}
	if full {
		r, err := report.Of(j.Result, report.Origin{})
		if err != nil {
			return err
		}
		of.report = &r
	}
	j.Result = nil
	s.scopes = append(s.scopes, of)
	return nil
}

// Verdict returns the worst verdict of the scope that counts, and why there is none. Without such a scope everything
// holds.
func (s *Survey) Verdict() (spec.Verdict, error) {
	for _, of := range s.scopes {
		if of.Counts && of.Why != nil {
			return spec.Unknown, of.Why
		}
		if of.Counts {
			return (&checker.Result{Findings: of.findings}).Verdict(), nil
		}
	}
	return spec.Holds, nil
}

// Judged reports whether some scope was checked.
func (s *Survey) Judged() bool {
	return slices.ContainsFunc(s.scopes, func(of surveyed) bool { return of.Why == nil })
}

const mostFaults, mostParts, mostTurns = 12, 8, 24

// WriteText writes a table of the scopes, cycles and faults; out is the folder that evidence was written to, or "".
func (s *Survey) WriteText(w io.Writer, out string) error {
	var b strings.Builder
	f := s.Fabric
	lids := 0
	for i := range f.Nodes {
		lids += f.Nodes[i].LIDs()
	}
	fmt.Fprintf(&b, "%s: %d switches, %d ports of hosts, ", spec.Printable(f.Name), f.Switches, len(f.Nodes)-f.Switches)
	if f.LeftOut > 0 {
		fmt.Fprintf(&b, "%d of them left out, ", f.LeftOut)
	}
	b.WriteString(words.Plural(lids, "LID"))
	if f.Used != "" {
		fmt.Fprintf(&b, ", routed by %s", f.Used)
	}
	b.WriteString("\n\n")
	s.table(&b)
	for i := range s.scopes {
		s.scopes[i].detail(&b, s.Faults.Pairs == 0)
	}
	s.faultText(&b)
	for _, text := range s.warnings() {
		fmt.Fprintf(&b, "warning: %s\n", spec.Printable(text))
	}
	for _, of := range s.scopes {
		if of.Counts && len(of.findings) > 0 {
			fmt.Fprintf(&b, "\nassuming, for %s\n", of.Scope)
			report.Indent(&b, words.Written(of.findings[0].Assumptions), 10)
		}
	}
	b.WriteString("    switches discard what their tables do not route; only unicast, only data VLs\n")
	fmt.Fprintf(&b, "\nread:")
	for i, file := range f.Files {
		fmt.Fprintf(&b, "%s %s (%s)", [2]string{"", ","}[min(i, 1)], spec.Printable(file.Name), file.Kind)
	}
	b.WriteString("\n")
	if out != "" {
		fmt.Fprintf(&b, "written to %s, a folder each; check them with: unknot-verify %[1]s\n", out)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// table writes a line for each scope. The verdicts that determine the exit code are in capitals.
func (s *Survey) table(b *strings.Builder) {
	w := tabwriter.NewWriter(b, 0, 0, 3, ' ', 0)
	var properties []string
	for _, of := range s.scopes {
		var own []string
		for _, a := range of.findings {
			own = append(own, a.Property)
		}
		if of.Counts && own != nil || properties == nil {
			properties = own
		}
	}
	fmt.Fprint(w, "scope")
	for _, property := range properties {
		fmt.Fprintf(w, "\t%s", evidence.Freedom(property))
	}
	fmt.Fprintf(w, "\tsites\tevidence of %s\n", evidence.Freedom(properties[0]))
	for _, of := range s.scopes {
		fmt.Fprint(w, of.Scope)
		for _, property := range properties {
			verdict := "-"
			if of.Why != nil && (of.Counts || property == spec.DeadlockFreedom.String()) {
				verdict = spec.Unknown.String()
			}
			for _, a := range of.findings {
				if a.Property == property {
					verdict = a.Verdict.String()
				}
			}
			if of.Counts {
				verdict = strings.ToUpper(verdict)
			}
			fmt.Fprintf(w, "\t%s", verdict)
		}
		if of.Why != nil {
			fmt.Fprint(w, "\t-\t\n")
			continue
		}
		fmt.Fprintf(w, "\t%d\t%s\n", of.sites, of.rests[0])
	}
	w.Flush()
	about := "the actual traffic, which decides the exit code"
	if !s.Fabric.HasVLs() {
		about = "all packets on one VL, as no dump has their SLs; this decides the exit code"
	}
	fmt.Fprintf(b, "\nin capitals: %s\n", about)
}

// detail writes why a scope is not deadlock-free, and why it does not deliver, if forwarding is not the cause.
func (of *surveyed) detail(b *strings.Builder, forwarded bool) {
	if of.Why != nil {
		fmt.Fprintf(b, "\n%s: not checked: %s\n", of.Scope, spec.Printable(of.Why.Error()))
	}
	for _, a := range of.findings {
		dead := a.Property == spec.DeadlockFreedom.String()
		if a.Verdict != spec.Holds && (dead || forwarded || a.Verdict == spec.Unknown) {
			fmt.Fprintf(b, "\n%s: %s %s: %s\n", of.Scope, evidence.Freedom(a.Property), a.Verdict,
				spec.Printable(a.Because.String()))
		}
		if dead {
			of.cycle(b)
		}
	}
}

// cycle writes the strongly connected parts, and a shortest cycle of dependencies.
func (of *surveyed) cycle(b *strings.Builder) {
	if len(of.Parts) == 0 {
		return
	}
	var parts []string
	for i, p := range of.Parts {
		if i == mostParts {
			parts = append(parts, fmt.Sprintf("%d more", len(of.Parts)-i))
			break
		}
		parts = append(parts, fmt.Sprintf("%d channels, including %s", p.Channels, p.First))
	}
	fmt.Fprintf(b, "  strongly connected: %s\n", spec.Printable(strings.Join(parts, "; ")))
	kind := "a shortest cycle"
	if !of.Exact {
		kind = "a short cycle"
	}
	fmt.Fprintf(b, "  %s:\n", kind)
	var lines []string
	for _, t := range of.Cycle {
		lines = append(lines, t.Holds+"   by "+t.Why)
	}
	report.Indent(b, lines, mostTurns)
}

// faultText writes what is wrong with the forwarding.
func (s *Survey) faultText(b *strings.Builder) {
	x := s.Faults
	if x.Pairs == 0 {
		b.WriteString("\nthe forwarding tables lead to every LID from everywhere\n")
		return
	}
	fmt.Fprintf(b, "\nunreachable: %s of a host and the LID of a host, %d with switches\n",
		words.Plural(x.HostPairs, "pair"), x.Pairs)
	if x.OpenPairs > 0 {
		fmt.Fprintf(b,
			"  of these, %d and %d are not known: their packets reach switches whose forwarding tables are missing "+
				"from the dumps or incomplete there\n", x.OpenHostPairs, x.OpenPairs)
	}
	var lines []string
	for _, fault := range x.Listed {
		lines = append(lines, FaultText(s.Fabric, fault))
	}
	report.Indent(b, lines, mostFaults)
	if x.More > 0 {
		fmt.Fprintf(b, "    ... and %d more places\n", x.More)
	}
}

// warnings lists what an operator may have missed.
func (s *Survey) warnings() []string {
	all := slices.Clone(s.Fabric.Warnings)
	verdicts := map[fabric.Scope]spec.Verdict{}
	for _, of := range s.scopes {
		for _, a := range of.findings {
			if a.Property == spec.DeadlockFreedom.String() {
				verdicts[of.Scope] = a.Verdict
			}
		}
	}
	if Management(verdicts) {
		all = append(all,
			"some credit loops take the LIDs of switches: hosts alone cannot close them, but traffic of the subnet "+
				"manager and of monitoring can")
	}
	return all
}

// JSON returns what is marshalled as the survey. All scopes have been added in full.
func (s *Survey) JSON() any {
	type scope struct {
		Scope  string `json:"scope"`
		Counts bool   `json:"counts"`
		Parts  []Part `json:"parts,omitempty"`
		Cycle  []Turn `json:"cycle,omitempty"`
		Result any    `json:"result"`
		Why    string `json:"unjudged,omitempty"`
	}
	type fault struct {
		Kind   string `json:"kind"`
		LID    int    `json:"lid"`
		Switch string `json:"at"`
		Port   int    `json:"port"`
		Text   string `json:"text"`
	}
	out := struct {
		Version  int      `json:"version"`
		Fabric   string   `json:"fabric"`
		Switches int      `json:"switches"`
		Hosts    int      `json:"hosts"`
		Engine   string   `json:"engine,omitempty"`
		Scopes   []scope  `json:"scopes"`
		Pairs    int      `json:"unreachable_pairs"`
		Open     int      `json:"unknown_pairs"` // of the unreachable ones
		Faults   []fault  `json:"faults"`
		Warnings []string `json:"warnings"`
	}{
		Version: report.Version, Fabric: s.Fabric.Name, Engine: s.Fabric.Used,
		Switches: s.Fabric.Switches, Hosts: len(s.Fabric.Nodes) - s.Fabric.Switches,
		Pairs: s.Faults.Pairs, Open: s.Faults.OpenPairs,
		Faults: []fault{}, Warnings: append([]string{}, s.warnings()...),
	}
	for _, of := range s.scopes {
		why := ""
		if of.Why != nil {
			why = of.Why.Error()
		}
		out.Scopes = append(out.Scopes, scope{of.Scope.Name(), of.Counts, of.Parts, of.Cycle, of.report, why})
	}
	for _, x := range s.Faults.Listed {
		out.Faults = append(out.Faults,
			fault{x.Kind.String(), x.LID, s.Fabric.Nodes[x.At.Node].Name, x.At.Port, FaultText(s.Fabric, x)})
	}
	return out
}
