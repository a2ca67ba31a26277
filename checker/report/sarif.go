package report

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/seed-105a2da2/unknot/spec"
)

// SARIF 2.1.0 (OASIS Standard with errata 01, 2023).
//
// What is violated is a result of kind "fail" and level "error"; what is unknown
// is one of kind "open", for which the standard prescribes the level "none".
// What holds is not written: code scanning would show it as an alert. Results
// that are as expected are there, but suppressed in source.
//
// The first location is the rule of the decisive dependency. Where a network is
// no file, as in the catalogue, there are only logical locations: its channels.
// Names of files are as the user gave them, so what is relative is relative to
// the folder in which unknot ran: for code scanning, the repository's. Columns
// count bytes, which is what columnKind says as long as lines are ASCII.
//
// The fingerprint is made of the network's name and switching, the property, the
// fault and
// the names of the channels in the cycle (or of the text of the steps, without
// the rules that made them), so it stays when lines move, and changes with the
// cycle.

const (
	sarifSchema      = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
	sarifFingerprint = "unknotCycle/v1"
)

// WriteSARIF writes all results as one run of SARIF 2.1.0.
func WriteSARIF(w io.Writer, results []Result) error {
	run := sarifRun{
		Tool:        sarifTool{sarifDriver{Name: "unknot", InformationURI: "https://github.com/seed-105a2da2/unknot"}},
		Invocations: []sarifInvocation{{Successful: true}},
		Results:     []sarifResult{},
		ColumnKind:  "utf16CodeUnits",
	}
	rules := map[string]int{}
	for i := range results {
		r := &results[i]
		if r.Err != nil {
			run.Invocations[0].Successful = false
			run.Invocations[0].Notifications = append(run.Invocations[0].Notifications, sarifNotification{
				Level: "error", Message: sarifMessage{r.Err.Error()}, Locations: physical(placeOf(r)),
			})
		}
		for k := range r.Properties {
			p := &r.Properties[k]
			if p.Verdict == spec.Holds {
				continue
			}
			number, known := rules[p.Name]
			if !known {
				number = len(rules)
				rules[p.Name] = number
				run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRuleOf(p.Name))
			}
			run.Results = append(run.Results, sarifResultOf(r, p, number))
		}
	}
	return writeIndented(w, sarifLog{Schema: sarifSchema, Version: "2.1.0", Runs: []sarifRun{run}})
}

type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool        sarifTool         `json:"tool"`
	Invocations []sarifInvocation `json:"invocations"`
	ColumnKind  string            `json:"columnKind"`
	Results     []sarifResult     `json:"results"`
}

type sarifTool struct {
	Driver sarifDriver `json:"driver"`
}

type sarifDriver struct {
	Name           string      `json:"name"`
	InformationURI string      `json:"informationUri"`
	Rules          []sarifRule `json:"rules,omitempty"`
}

type sarifRule struct {
	ID    string       `json:"id"`
	Short sarifMessage `json:"shortDescription"`
}

type sarifMessage struct {
	Text string `json:"text"`
}

type sarifInvocation struct {
	Successful    bool                `json:"executionSuccessful"`
	Notifications []sarifNotification `json:"toolExecutionNotifications,omitempty"`
}

type sarifNotification struct {
	Level     string          `json:"level"`
	Message   sarifMessage    `json:"message"`
	Locations []sarifLocation `json:"locations,omitempty"`
}

type sarifResult struct {
	RuleID       string             `json:"ruleId"`
	RuleIndex    int                `json:"ruleIndex"`
	Kind         string             `json:"kind"`
	Level        string             `json:"level"`
	Message      sarifMessage       `json:"message"`
	Locations    []sarifLocation    `json:"locations,omitempty"`
	CodeFlows    []sarifCodeFlow    `json:"codeFlows,omitempty"`
	Fingerprints map[string]string  `json:"partialFingerprints"`
	Suppressions []sarifSuppression `json:"suppressions,omitempty"`
	Properties   sarifProperties    `json:"properties"`
}

type sarifSuppression struct {
	Kind          string `json:"kind"`
	Justification string `json:"justification"`
}

// sarifProperties is the property bag: what SARIF has no place for.
type sarifProperties struct {
	Network     string   `json:"network"`
	Digest      string   `json:"digest,omitempty"`
	Assumptions []string `json:"assumptions,omitempty"`
	Evidence    string   `json:"evidence,omitempty"`
	Command     string   `json:"command,omitempty"`
}

type sarifLocation struct {
	Physical *sarifPhysical `json:"physicalLocation,omitempty"`
	Logical  []sarifLogical `json:"logicalLocations,omitempty"`
	Message  *sarifMessage  `json:"message,omitempty"`
}

type sarifPhysical struct {
	Artifact sarifArtifact `json:"artifactLocation"`
	Region   sarifRegion   `json:"region"`
}

type sarifArtifact struct {
	URI string `json:"uri"`
}

type sarifRegion struct {
	Line int `json:"startLine"`
	Col  int `json:"startColumn"`
}

type sarifLogical struct {
	Name string `json:"name"`
	Kind string `json:"kind"`
}

type sarifCodeFlow struct {
	Message     sarifMessage      `json:"message"`
	ThreadFlows []sarifThreadFlow `json:"threadFlows"`
}

type sarifThreadFlow struct {
	Locations []sarifFlowLocation `json:"locations"`
}

type sarifFlowLocation struct {
	Location   sarifLocation `json:"location"`
	Importance string        `json:"importance"`
}

func sarifRuleOf(property string) sarifRule {
	text := map[string]string{
		spec.Deadlock.String(): "Packets cannot come to block each other permanently.",
		spec.Livelock.String(): "No packet moves forever without arriving.",
		spec.Delivery.String(): "Every packet can arrive, and leaves the network at its destination only.",
	}[property]
	if text == "" {
		text = "A property that the machine claims: " + property + "."
	}
	return sarifRule{property, sarifMessage{text}}
}

func sarifResultOf(r *Result, p *Property, rule int) sarifResult {
	out := sarifResult{
		RuleID: p.Name, RuleIndex: rule, Kind: "fail", Level: "error",
		Message:      sarifMessage{r.Name + ": " + p.headline()},
		Fingerprints: map[string]string{sarifFingerprint: p.fingerprint(r)},
		Properties:   sarifProperties{r.Name, r.Digest, p.Assumptions, p.Evidence, r.Command},
	}
	if p.Verdict == spec.Unknown {
		out.Kind, out.Level = "open", "none"
	}
	if p.AsExpected() {
		out.Suppressions = []sarifSuppression{{"inSource", "the network's author expects the verdict " + p.Verdict.String()}}
	}
	out.Locations = physical(p.place(r.File))
	if p.Decisive >= 0 {
		out.Locations = []sarifLocation{p.Cycle[p.Decisive].location()}
		if p.Rule.File == "" && r.File != "" {
			out.Locations[0].Physical = physical(p.place(r.File))[0].Physical
		}
	}
	var flow []sarifFlowLocation
	for i, d := range p.Cycle {
		importance := "important"
		if i == p.Decisive {
			importance = "essential"
		}
		flow = append(flow, sarifFlowLocation{d.location(), importance})
	}
	what := "the cycle"
	if len(p.Cycle) == 0 {
		what = "the trace"
		for _, s := range p.Steps {
			x := sarifLocation{Message: &sarifMessage{s.Text}}
			if at := physical(s.Rule); at != nil {
				x.Physical = at[0].Physical
			}
			flow = append(flow, sarifFlowLocation{x, "important"})
		}
		if p.Ending != "" {
			flow = append(flow, sarifFlowLocation{sarifLocation{Message: &sarifMessage{p.Ending}}, "essential"})
		}
	}
	if len(flow) > 0 {
		out.CodeFlows = []sarifCodeFlow{{sarifMessage{what}, []sarifThreadFlow{{flow}}}}
	}
	return out
}

// location is a dependency at its rule, in the channel that the packet waits for.
func (d Dependency) location() sarifLocation {
	x := sarifLocation{
		Logical: []sarifLogical{{d.WaitsFor.Name, "channel"}},
		Message: &sarifMessage{d.String()},
	}
	if at := physical(d.Rule); at != nil {
		x.Physical = at[0].Physical
	}
	return x
}

// physical returns a place as locations: one, or none if it is not in a file.
func physical(r Rule) []sarifLocation {
	if r.File == "" {
		return nil
	}
	return []sarifLocation{{Physical: &sarifPhysical{sarifArtifact{fileURI(r.File)}, sarifRegion{r.Line, r.Col}}}}
}

// fileURI writes a file's name as a URI reference; relative names stay relative.
func fileURI(name string) string {
	name = filepath.ToSlash(filepath.Clean(name))
	u := url.URL{Path: name}
	if strings.HasPrefix(name, "/") {
		u.Scheme = "file"
	}
	return u.String()
}

// fingerprint tells findings apart without line numbers.
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
			write("step", strings.TrimSuffix(s.Text, s.Rule.by()))
		}
		for _, c := range p.Candidate {
			write("candidate", c.Name)
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}
