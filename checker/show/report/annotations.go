package report

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// MostAnnotations is how many annotations [WriteAnnotations] writes at most:
// more would hide each other in a review.
const MostAnnotations = 5

// annotation is one finding at its place.
type annotation struct {
	command string // error or warning
	at      spec.Reason
	title   string
	text    string
}

// WriteAnnotations writes workflow commands of GitHub Actions ("::error
// file=...,line=...::"), at most [MostAnnotations]: first what is violated, then
// what is unknown, in the order of the results. What is as expected is left out.
// The last one says how many more there are.
func WriteAnnotations(w io.Writer, results []Result) error {
	var failed, unknown []annotation
	for i := range results {
		r := &results[i]
		if r.Err != nil {
			failed = append(failed, annotation{"error", r.unread(), r.Name + " could not be decided", r.fault()})
		}
		for k := range r.Properties {
			p := &r.Properties[k]
			if p.AsExpected() {
				continue
			}
			a := annotation{
				"error", r.place(p.Rule), r.Name + ": " + evidence.Freedom(p.Name) + " " + p.Verdict.String(),
				p.message(),
			}
			if p.Verdict == spec.Unknown {
				a.command = "warning"
				unknown = append(unknown, a)
			} else {
				failed = append(failed, a)
			}
		}
	}
	all := append(failed, unknown...)
	var b strings.Builder
	for i, a := range all {
		if i == MostAnnotations-1 && len(all) > MostAnnotations {
			a.text += fmt.Sprintf("\n(and %s)", words.Plural(len(all)-MostAnnotations, "more finding"))
		}
		if i == MostAnnotations {
			break
		}
		b.WriteString(a.String())
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// message is the sentence that explains a verdict, with the cycle.
func (p *Property) message() string {
	return strings.Join(append([]string{p.headline()}, p.lines()...), "\n")
}

// place returns the place of a rule, or the beginning of the network's file, or nothing.
func (r *Result) place(rule spec.Reason) spec.Reason {
	if rule.File != "" || r.File == "" {
		return rule
	}
	return spec.Reason{File: r.File, Line: 1, Col: 1}
}

// unread returns the place where a network could not be read.
func (r *Result) unread() spec.Reason {
	var at *spec.PosError
	if errors.As(r.Err, &at) && at.File != "" {
		return spec.Reason{File: at.File, Line: max(1, at.Line), Col: max(1, at.Col)}
	}
	return r.place(spec.Reason{})
}

// fault says what is wrong, without its place, which an annotation has.
func (r *Result) fault() string {
	if at, is := r.Err.(*spec.PosError); is { // an error that wraps it says more
		return at.Msg
	}
	return r.Err.Error()
}

var (
	commandText  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	commandValue = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// String writes the workflow command.
func (a annotation) String() string {
	var where string
	if a.at.File != "" {
		where = fmt.Sprintf("file=%s,line=%d,col=%d,", commandValue.Replace(a.at.File), a.at.Line, a.at.Col)
	}
	return fmt.Sprintf("::%s %stitle=%s::%s\n",
		a.command, where, commandValue.Replace(a.title), commandText.Replace(a.text))
}
