package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/show/report"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
)

// trial is one decision of a suite: a network under one switching, or a machine.
type trial struct {
	name   string
	n      *spec.Network // nil: a machine
	result *checker.Result
	expect map[string]spec.Verdict // by property; what is not named should hold
	err    error                   // it could not be decided
}

// folder returns the name of the folder with its evidence: that of the file.
func (t *trial) folder() string {
	base := filepath.Base(t.name)
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// findings lists what was found, in order.
func (t *trial) findings() []checker.Finding {
	if t.result == nil {
		return nil
	}
	return t.result.Findings
}

// want returns the verdict expected of a property.
func (t *trial) want(property string) spec.Verdict {
	if v, stated := t.expect[property]; stated {
		return v
	}
	return spec.Holds
}

// asExpected reports whether every verdict is the expected one.
func (t *trial) asExpected() bool {
	return t.err == nil &&
		!slices.ContainsFunc(t.findings(), func(a checker.Finding) bool { return a.Verdict != t.want(a.Property) })
}

// text is a line about the trial, and one more for each verdict that is not the
// expected one.
func (t *trial) text() string {
	if t.err != nil {
		text := t.err.Error()
		if !strings.HasPrefix(text, t.name+":") {
			text = t.name + ": " + text
		}
		return "FAIL " + text + "\n"
	}
	var verdicts, more []string
	for _, a := range t.findings() {
		verdicts = append(verdicts, fmt.Sprintf("%s %s", evidence.Freedom(a.Property), a.Verdict))
		if want := t.want(a.Property); want != a.Verdict {
			more = append(more, fmt.Sprintf("     %s is %s, not %s as expected: %s\n",
				evidence.Freedom(a.Property), a.Verdict, want, a.Because))
		}
	}
	word := "ok  "
	if len(more) > 0 {
		word = "FAIL"
	}
	under := "machine"
	if t.n != nil {
		under = t.n.Switching().String()
	}
	return fmt.Sprintf("%s %s (%s): %s\n%s", word, t.name, under, strings.Join(verdicts, ", "), strings.Join(more, ""))
}

// summary says how many trials are as expected, and turns that into an exit code.
func summary(std streams, trials []trial, quiet bool) error {
	good, code, other := 0, exitExpected, ""
	for i := range trials {
		t := &trials[i]
		if t.err == nil && !t.asExpected() && other == "" {
			other = t.name
		}
		switch {
		case t.asExpected():
			good++
		case t.err != nil:
			if c := exitCode(context.Background(), t.err); code != exitUsage {
				code = c
			}
		case code != exitUsage && slices.ContainsFunc(t.findings(), func(a checker.Finding) bool {
			return a.Verdict != t.want(a.Property) && a.Verdict != spec.Unknown
		}):
			code = exitViolated
		case code == exitExpected:
			code = exitUnknown
		}
	}
	if !quiet {
		text := fmt.Sprintf("%d of %d as expected\n", good, len(trials))
		if other != "" {
			text += fmt.Sprintf("to see why: unknot check %s\n", other)
		}
		if _, err := io.WriteString(std.out, text); err != nil {
			return err
		}
	}
	if code != exitExpected {
		return &codeError{code: code}
	}
	return nil
}

// suiteResult is the machine-readable form of a suite.
type suiteResult struct {
	Version int           `json:"version"`
	Trials  []trialResult `json:"networks"`
}

type trialResult struct {
	File       string            `json:"file"`
	AsExpected bool              `json:"as_expected"`
	Expected   map[string]string `json:"expected,omitempty"` // verdict by property
	Error      string            `json:"error,omitempty"`
	Result     any               `json:"result,omitempty"` // as of check with one network
}

func writeSuite(w io.Writer, trials []trial) error {
	out := suiteResult{Version: resultVersion}
	for i := range trials {
		t := &trials[i]
		r := trialResult{File: t.name, AsExpected: t.asExpected()}
		if t.err != nil {
			r.Error = t.err.Error()
		} else {
			result, err := report.Of(t.result, report.Origin{})
			if err != nil {
				return err
			}
			r.Result = &result
			r.Expected = map[string]string{}
			for _, a := range t.findings() {
				r.Expected[a.Property] = t.want(a.Property).String()
			}
		}
		out.Trials = append(out.Trials, r)
	}
	return writeJSON(w, out)
}
