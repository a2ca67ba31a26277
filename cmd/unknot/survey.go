package main

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/fabrics"
	"github.com/seed-105a2da2/unknot/checker/show/explain"
	"github.com/seed-105a2da2/unknot/checker/show/report"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/fabric"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// surveys reports whether check judges a fabric in all scopes: the argument is one folder,
// and no flag reduces it to one network.
func (f *checkFlags) surveys(args []string) bool {
	one := f.scope != "" || f.switching != "" || len(f.dest)+len(f.source)+len(f.once) > 0 || f.expected ||
		f.question.Save != "" || f.question.Resume != "" || f.question.Disk != ""
	return len(args) == 1 && !one && f.isFabric(args[0])
}

// survey judges a fabric in all scopes.
func (f *checkFlags) survey(c *cobra.Command, name string, std streams) error {
	ctx := c.Context()
	m := newMeter(std)
	defer m.clear()
	f.report.begin(c, []string{name})
	fab, err := f.readFabric(ctx, name)
	if err != nil {
		return err
	}
	f.report.lap("reading")
	s := &survey{fabric: fab}
	var shown *checker.Result // on the page
	if s.faults, err = fab.Faults(ctx); err != nil {
		return err
	}
	opt := fabrics.Options{
		MaxSites: f.maxSites, Faults: s.faults,
		Check: func(n *spec.Network) (checker.Question, error) { return f.networkQuestion(c, name, n, m) },
	}
	err = fabrics.Check(ctx, fab, opt, func(j *fabrics.Judgement) error {
		if j.Why != nil {
			s.scopes = append(s.scopes, surveyed{Judgement: j})
			return nil
		}
		if f.out != "" {
			if err := f.keep(ctx, filepath.Join(f.out, scopeName(j.Scope)), j.Result); err != nil {
				return err
			}
		}
		if j.Counts { // what other programs see is what the exit code says
			if err := f.outputs.decided(j.Result); err != nil {
				return err
			}
			if f.report.file != "" {
				shown = j.Result
			}
		}
		return s.add(j, f.json)
	})
	if err == nil && !slices.ContainsFunc(s.scopes, func(of surveyed) bool { return of.Why == nil }) {
		err = s.exit()
	}
	if err != nil {
		return err
	}
	if shown != nil {
		if err := s.text(&f.report.about, ""); err != nil {
			return err
		}
		if err := f.report.write(ctx, "compiling and deciding", shown); err != nil {
			return err
		}
	}
	m.clear()
	write := s.text
	if f.json {
		write = s.json
	}
	if err := write(std.out, f.out); err != nil {
		return err
	}
	if ctx.Err() != nil && used(ctx) == nil {
		return &codeError{code: exitInterrupted}
	}
	return s.exit()
}

// scopeName is the value of --scope for a scope.
func scopeName(s fabric.Scope) string {
	for name, of := range fabricScopes {
		if of.Switches == s.Switches && of.VLs == s.VLs {
			return name
		}
	}
	return ""
}

// survey holds what was found about a fabric, scope by scope, without the networks.
type survey struct {
	fabric *fabric.Fabric
	faults *fabric.Faults
	scopes []surveyed
}

// surveyed is one scope.
type surveyed struct {
	*fabrics.Judgement
	findings []checker.Finding // their evidence in words
	rests    []string          // by finding: what it rests on
	sites    int
	report   any
}

func (s *survey) add(j *fabrics.Judgement, full bool) error {
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

// exit turns the verdicts of the scope that counts into the exit code.
func (s *survey) exit() error {
	for _, of := range s.scopes {
		if of.Counts && of.Why != nil {
			return of.Why
		}
		if of.Counts {
			return verdictError((&checker.Result{Findings: of.findings}).Verdict())
		}
	}
	return nil
}

const mostFaults, mostParts, mostTurns = 12, 8, 24

func (s *survey) text(w io.Writer, out string) error {
	var b strings.Builder
	f := s.fabric
	lids := 0
	for i := range f.Nodes {
		lids += f.Nodes[i].LIDs()
	}
	fmt.Fprintf(&b, "%s: %d switches, %d ports of hosts, %d LIDs",
		spec.Printable(f.Name), f.Switches, len(f.Nodes)-f.Switches, lids)
	if f.Used != "" {
		fmt.Fprintf(&b, ", routed by %s", f.Used)
	}
	b.WriteString("\n\n")
	s.table(&b)
	for i := range s.scopes {
		s.scopes[i].detail(&b, s.faults.Pairs == 0)
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
func (s *survey) table(b *strings.Builder) {
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
	fmt.Fprintf(w, "\tsites\tevidence of %s\n", properties[0])
	for _, of := range s.scopes {
		fmt.Fprint(w, of.Scope)
		for _, property := range properties {
			verdict := "-"
			if of.Why != nil && (of.Counts || property == spec.Deadlock.String()) {
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
	about := "the traffic that the fabric carries, which the exit code is about"
	if !s.fabric.HasVLs() {
		about = "what the exit code is about: all packets on one VL, as no dump says which SLs they have"
	}
	fmt.Fprintf(b, "\nin capitals: %s\n", about)
}

// detail writes why a scope is not deadlock-free, and why it does not deliver, if forwarding is not the cause.
func (of *surveyed) detail(b *strings.Builder, forwarded bool) {
	if of.Why != nil {
		fmt.Fprintf(b, "\n%s: not checked: %s\n", of.Scope, spec.Printable(of.Why.Error()))
	}
	for _, a := range of.findings {
		dead := a.Property == spec.Deadlock.String()
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
func (s *survey) faultText(b *strings.Builder) {
	x := s.faults
	if x.Pairs == 0 {
		b.WriteString("\nthe forwarding tables lead to every LID from everywhere\n")
		return
	}
	fmt.Fprintf(b, "\nunreachable: %s of a host and the LID of a host, %d with switches\n",
		words.Plural(x.HostPairs, "pair"), x.Pairs)
	if x.OpenPairs > 0 {
		fmt.Fprintf(b,
			"  of these, %d and %d are not known: their packets reach switches whose forwarding tables are missing "+
				"from the dumps\n", x.OpenHostPairs, x.OpenPairs)
	}
	var lines []string
	for _, fault := range x.Listed {
		lines = append(lines, fabrics.FaultText(s.fabric, fault))
	}
	report.Indent(b, lines, mostFaults)
	if x.More > 0 {
		fmt.Fprintf(b, "    ... and %d more places\n", x.More)
	}
}

// warnings lists what an operator may have missed.
func (s *survey) warnings() []string {
	all := slices.Clone(s.fabric.Warnings)
	verdicts := map[fabric.Scope]spec.Verdict{}
	for _, of := range s.scopes {
		for _, a := range of.findings {
			if a.Property == spec.Deadlock.String() {
				verdicts[of.Scope] = a.Verdict
			}
		}
	}
	if fabrics.Management(verdicts) {
		all = append(all,
			"some credit loops take the LIDs of switches: hosts alone cannot close them, but traffic of the subnet "+
				"manager and of monitoring can")
	}
	return all
}

func (s *survey) json(w io.Writer, _ string) error {
	type scope struct {
		Scope  string         `json:"scope"`
		Counts bool           `json:"counts"`
		Parts  []fabrics.Part `json:"parts,omitempty"`
		Cycle  []fabrics.Turn `json:"cycle,omitempty"`
		Result any            `json:"result"`
		Why    string         `json:"unjudged,omitempty"`
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
		Version: resultVersion, Fabric: s.fabric.Name, Engine: s.fabric.Used,
		Switches: s.fabric.Switches, Hosts: len(s.fabric.Nodes) - s.fabric.Switches,
		Pairs: s.faults.Pairs, Open: s.faults.OpenPairs,
		Faults: []fault{}, Warnings: append([]string{}, s.warnings()...),
	}
	for _, of := range s.scopes {
		why := ""
		if of.Why != nil {
			why = of.Why.Error()
		}
		out.Scopes = append(out.Scopes, scope{scopeName(of.Scope), of.Counts, of.Parts, of.Cycle, of.report, why})
	}
	for _, x := range s.faults.Listed {
		out.Faults = append(out.Faults,
			fault{x.Kind.String(), x.LID, s.fabric.Nodes[x.At.Node].Name, x.At.Port, fabrics.FaultText(s.fabric, x)})
	}
	return writeJSON(w, out)
}
