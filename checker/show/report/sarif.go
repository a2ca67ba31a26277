package report

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// SARIF 2.1.0 (OASIS Standard with errata 01, 2023).
//
// A violation is a result of kind "fail" and level "error"; what is unknown is one of
// kind "open", for which the standard prescribes level "none". What holds is not
// written: code scanning would show it as an alert. Results that are as expected are
// included, but suppressed in source.
//
// The first location is the rule of the decisive dependency. If a network is not a
// file, but from the catalogue for instance, there are only logical locations: its
// channels. File names are as the user gave them, so relative ones are relative to the
// folder in which unknot ran: for code scanning, the repository's. Columns count bytes,
// which is what columnKind says as long as lines are ASCII.
//
// The fingerprint is made of the network's name and switching, the property, the fault
// and the names of the channels in the cycle (or the text of the steps, without the
// rules that made them), so it survives when lines move, and changes with the
// cycle.

const (
	sarifSchema      = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
	sarifFingerprint = "unknotCycle/v1"
)

// WriteSARIF writes all results as one run of SARIF 2.1.0.
func WriteSARIF(w io.Writer, results []Result) error {
	var rules, notifications []any
	found := []any{}
	numbers := map[string]int{} // of rules
	for i := range results {
		r := &results[i]
		if r.Err != nil {
			notifications = append(notifications, object{
				{"level", "error"},
				{"message", sarifText(r.Err.Error())},
				{"locations", locations(object{physical(r.unread())})},
			})
		}
		for k := range r.Properties {
			p := &r.Properties[k]
			if p.Verdict == spec.Holds {
				continue
			}
			number, known := numbers[p.Name]
			if !known {
				number = len(rules)
				numbers[p.Name] = number
				rules = append(rules, object{{"id", p.Name}, {"shortDescription", sarifText(describe(p.Name))}})
			}
			found = append(found, p.sarif(r, number))
		}
	}
	return writeIndented(w, object{
		{"$schema", sarifSchema},
		{"version", "2.1.0"},
		{"runs", []any{object{
			{"tool", object{{"driver", object{
				{"name", "unknot"}, {"informationUri", "https://github.com/seed-105a2da2/unknot"},
				{"rules", given(rules)},
			}}}},
			{
				"invocations",
				[]any{
					object{
						{"executionSuccessful", notifications == nil},
						{"toolExecutionNotifications", given(notifications)},
					},
				},
			},
			{"columnKind", "utf16CodeUnits"},
			{"results", found},
		}}},
	})
}

// describe says what a property means, in the words of a SARIF rule.
func describe(property string) string {
	switch property {
	case spec.DeadlockFreedom.String():
		return "No packets ever wait for each other forever."
	case spec.LivelockFreedom.String():
		return "No packet moves forever without arriving."
	case spec.Delivery.String():
		return "Every packet can arrive, and leaves the network at its destination only."
	case spec.NoDiscard.String():
		return "No packet is discarded."
	}
	return "A property that the machine claims: " + evidence.Freedom(property) + "."
}

func (p *Property) sarif(r *Result, rule int) object {
	kind, level := "fail", "error"
	if p.Verdict == spec.Unknown {
		kind, level = "open", "none"
	}
	var suppressions []any
	if p.AsExpected() {
		suppressions = []any{
			object{
				{"kind", "inSource"},
				{"justification", "the network's author expects the verdict " + p.Verdict.String()},
			},
		}
	}
	at := object{physical(r.place(p.Rule))}
	if p.Decisive >= 0 {
		at = p.Cycle[p.Decisive].location()
		if p.Rule.File == "" {
			at[0] = physical(r.place(p.Rule))
		}
	}
	return object{
		{"ruleId", p.Name}, {"ruleIndex", rule}, {"kind", kind}, {"level", level},
		{"message", sarifText(r.Name + ": " + p.headline())},
		{"locations", locations(at)},
		{"codeFlows", p.codeFlows()},
		{"partialFingerprints", object{{sarifFingerprint, p.fingerprint(r)}}},
		{"suppressions", given(suppressions)},
		{"properties", object{ // what SARIF has no place for
			{"network", r.Name}, {"digest", given(r.Digest)}, {"assumptions", given(words.Written(p.Assumptions))},
			{"facts", p.facts()}, {"evidence", given(p.Evidence)}, {"command", given(r.Command)},
		}},
	}
}

// codeFlows returns the cycle or the trace, step by step.
func (p *Property) codeFlows() any {
	var flow []any
	add := func(at object, essential bool) {
		importance := "important"
		if essential {
			importance = "essential"
		}
		flow = append(flow, object{{"location", at}, {"importance", importance}})
	}
	what := "the cycle"
	for i, d := range p.Cycle {
		add(d.location(), i == p.Decisive)
	}
	if len(p.Cycle) == 0 {
		what = "the trace"
		for _, s := range p.Steps {
			add(object{physical(s.Rule), {"message", sarifText(s.Named())}}, false)
		}
		if p.Ending != "" {
			add(object{{"message", sarifText(p.Ending)}}, true)
		}
	}
	if flow == nil {
		return absent{}
	}
	return []any{object{{"message", sarifText(what)}, {"threadFlows", []any{object{{"locations", flow}}}}}}
}

// location is a dependency at its rule, in the channel that the packet waits for.
func (d Dependency) location() object {
	return object{
		physical(d.Rule),
		{"logicalLocations", []any{object{{"name", d.WaitsFor.Name}, {"kind", "channel"}}}},
		{"message", sarifText(d.String())},
	}
}

// locations returns the location as a list; absent if nothing is known of it.
func locations(at object) any {
	if len(at) == 1 && at[0].value == (absent{}) {
		return absent{}
	}
	return []any{at}
}

// physical is the place of a rule, if it is in a file.
func physical(r spec.Reason) member {
	if r.File == "" {
		return member{"physicalLocation", absent{}}
	}
	return member{"physicalLocation", object{
		{"artifactLocation", object{{"uri", fileURI(r.File)}}},
		{"region", object{{"startLine", r.Line}, {"startColumn", r.Col}}},
	}}
}

func sarifText(text string) object { return object{{"text", text}} }

// fileURI writes a file's name as a URI reference; relative names stay relative.
func fileURI(name string) string {
	name = filepath.ToSlash(filepath.Clean(name))
	u := url.URL{Path: name}
	if strings.HasPrefix(name, "/") {
		u.Scheme = "file"
	}
	return u.String()
}

// fingerprint identifies findings without line numbers.
func (p *Property) fingerprint(r *Result) string {
	h := sha256.New()
	write := func(kind, text string) { fmt.Fprintf(h, "%s %q\n", kind, text) }
	write("network", r.Name)
	write("switching", r.Switching)
	write("property", p.Name)
	write("fault", p.Fault)
	for _, d := range p.Cycle {
		for _, c := range d.Holds {
			write("holds", c.Name)
		}
		write("next", d.WaitsFor.Name)
	}
	if len(p.Cycle) == 0 {
		for _, s := range p.Steps {
			write("step", s.What)
		}
		for _, c := range p.Candidate {
			write("candidate", c.Name)
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}
