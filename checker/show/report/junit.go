package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// WriteJUnit writes JUnit XML as Jenkins' xunit plugin describes it (schema
// junit-4): a suite for each result, a test case for each property. A verdict that is
// not as expected is a failure. An unexpected unknown verdict and a network that could
// not be decided are errors, never a pass.
func WriteJUnit(w io.Writer, results []Result) error {
	all := junitSuites{Name: "unknot"}
	names := map[string]int{}
	for i := range results {
		s := junitSuite(&results[i], junitName(&results[i], names))
		all.Suites = append(all.Suites, s)
		all.Tests += s.Tests
		all.Failures += s.Failures
		all.Errors += s.Errors
	}
	text, err := xml.MarshalIndent(all, "", "  ")
	if err == nil {
		_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, text)
	}
	return err
}

type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Name     string       `xml:"name,attr"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr"`
	Suites   []junitOfOne `xml:"testsuite"`
}

type junitOfOne struct {
	Name       string           `xml:"name,attr"`
	Tests      int              `xml:"tests,attr"`
	Failures   int              `xml:"failures,attr"`
	Errors     int              `xml:"errors,attr"`
	Properties *junitProperties `xml:"properties"`
	Cases      []junitCase      `xml:"testcase"`
}

type junitProperties struct {
	All []junitProperty `xml:"property"`
}

type junitProperty struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type junitCase struct {
	Name    string        `xml:"name,attr"`
	Class   string        `xml:"classname,attr"`
	Status  string        `xml:"status,attr,omitempty"`
	Error   *junitProblem `xml:"error"`
	Failure *junitProblem `xml:"failure"`
	Out     string        `xml:"system-out,omitempty"`
}

type junitProblem struct {
	Type    string `xml:"type,attr"`
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// junitName returns a unique name for a suite: readers of JUnit identify test cases by
// class and name. If several files give their networks one name, the later ones get the
// file's name or a number.
func junitName(r *Result, taken map[string]int) string {
	name := r.Name
	if r.Switching != "" {
		name += " (" + r.Switching + ")" // one network may be checked under several
	}
	if taken[name] > 0 && r.File != "" {
		name += " in " + r.File
	}
	for plain := name; taken[name] > 0; {
		taken[plain]++
		name = fmt.Sprintf("%s #%d", plain, taken[plain])
	}
	taken[name]++
	return name
}

func junitSuite(r *Result, name string) junitOfOne {
	s := junitOfOne{Name: name, Properties: junitFacts(r)}
	if r.Err != nil {
		s.Cases = append(s.Cases, junitCase{
			Name:  "decided",
			Class: name,
			Error: &junitProblem{"error", r.Err.Error(), ""},
		})
	}
	for i := range r.Properties {
		p := &r.Properties[i]
		c := junitCase{Name: p.Name, Class: name, Status: p.Verdict.String()}
		text := strings.Join(append([]string{p.Because.String()}, p.lines()...), "\n")
		switch {
		case p.AsExpected():
			c.Out = text
		case p.Verdict == spec.Unknown:
			c.Error = &junitProblem{"unknown", p.headline(), text}
		default:
			c.Failure = &junitProblem{p.Verdict.String(), p.headline(), text}
		}
		s.Cases = append(s.Cases, c)
	}
	for _, c := range s.Cases {
		s.Tests++
		if c.Error != nil {
			s.Errors++
		}
		if c.Failure != nil {
			s.Failures++
		}
	}
	return s
}

func junitFacts(r *Result) *junitProperties {
	var all []junitProperty
	add := func(name, value string) {
		if value != "" {
			all = append(all, junitProperty{name, value})
		}
	}
	add("file", r.File)
	add("switching", r.Switching)
	for _, group := range r.Assumed {
		for _, a := range group.Sentences {
			add(group.Title(), a.String())
		}
	}
	add("sha256", r.Digest)
	add("command", r.Command)
	if all == nil {
		return nil // the schema requires at least one
	}
	return &junitProperties{all}
}

// headline is the verdict in one line.
func (p *Property) headline() string {
	verdict := p.Verdict.String()
	if p.Vacuous {
		verdict += " (vacuously)"
	}
	if p.Expected != spec.Holds && !p.AsExpected() {
		verdict += fmt.Sprintf(", not %s as expected", p.Expected)
	}
	return fmt.Sprintf("%s %s: %s", evidence.Freedom(p.Name), verdict, p.Because)
}

// mostLines is how many steps of a trace, packets of a cycle or channels a readable
// report lists.
const mostLines = 40

// listed returns the lines for n things: the first mostLines, and how many more there are.
func listed(n int, line func(i int) string, more string) []string {
	var out []string
	for i := range min(n, mostLines) {
		out = append(out, line(i))
	}
	if n > mostLines {
		out = append(out, fmt.Sprintf(more, n-mostLines))
	}
	return out
}

// lines describe what the evidence shows: the cycle or, without one, the trace.
func (p *Property) lines() []string {
	out := append(words.Written(p.Notes),
		listed(len(p.Cycle), func(i int) string { return p.Cycle[i].String() }, "... and %d more packets")...)
	if len(p.Cycle) > 0 {
		return out
	}
	out = append(out, listed(len(p.Steps), func(i int) string { return fmt.Sprintf("%d. %s", i+1, p.Steps[i].Named()) },
		"... and %d more")...)
	if p.Ending != "" {
		out = append(out, p.Ending)
	}
	return append(out, listed(len(p.Candidate), func(i int) string { return "not cleared: " + p.Candidate[i].Name },
		"... and %d more channels")...)
}
