package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/show/report"
	"github.com/seed-105a2da2/unknot/checker/write"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// verified writes the closed form and the evidence of a result as unknot check --out does, and has them read and
// checked as unknot-verify does. Nothing but these bytes reaches the verifier.
func verified(ctx context.Context, r *checker.Result) ([]Property, error) {
	closed, err := closedForm(r)
	if err != nil {
		return nil, err
	}
	subject, err := evidence.Read(ctx, evidence.NetworkFile, closed)
	if err != nil {
		return nil, err
	}
	files := report.EvidenceFiles(r)
	var all []Property
	for i := range r.Findings {
		f := &r.Findings[i]
		p := Property{Name: f.Property, Title: evidence.Freedom(f.Property), Verdict: f.Verdict.String()}
		if f.Evidence == nil {
			p.Check = "there is no evidence"
			all = append(all, p)
			continue
		}
		var b bytes.Buffer
		if err := write.Evidence(&b, f.Evidence); err != nil {
			return nil, err
		}
		shown, err := subject.Check(ctx, files[i], b.Bytes(), evidence.Options{Memory: memory})
		var unchecked *evidence.UncheckedError
		switch {
		case errors.As(err, &unchecked):
			p.Check = "not checked: " + unchecked.Why
		case err != nil:
			p.Check = "rejected: " + err.Error()
		default:
			p.Verified, p.Check = true, shown.String()
		}
		all = append(all, p)
	}
	return all, nil
}

// closedForm writes what the verdicts are about.
func closedForm(r *checker.Result) ([]byte, error) {
	var b bytes.Buffer
	var err error
	if r.Network != nil {
		err = routing.WriteClosed(&b, r.Network)
	} else {
		err = writeMachine(&b, r.Machine)
	}
	return b.Bytes(), err
}

func writeMachine(w io.Writer, m states.Machine) error {
	p, ok := m.(*program.Machine)
	if !ok {
		return errors.New("the machine has no closed form")
	}
	return program.WriteClosed(w, p.Program())
}

// command returns the command that asks the same in a terminal.
func (q Request) command() string {
	words := []string{"unknot check", q.Name}
	for name, value := range q.Set {
		words = append(words, "--set "+name+"="+value)
	}
	slices.Sort(words[2:])
	return strings.Join(words, " ")
}
