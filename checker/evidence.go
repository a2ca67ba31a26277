package checker

import (
	"fmt"
	"io"

	"github.com/seed-105a2da2/unknot/checker/write"
	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/counterexamples/runs"
	"github.com/seed-105a2da2/unknot/proofs"
	"github.com/seed-105a2da2/unknot/proofs/machines"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// Evidence is what a verdict rests on. Each kind has one written form, which
// package proofs or counterexamples reads.
type Evidence interface {
	Kind() string // such as "certificate" or "closed-set"
	Shows() string
	Write(w io.Writer) error
}

// Evidence returns what a finding of r rests on, nil if there is nothing that a
// second program checks.
func (r *Result) Evidence(f *Finding) Evidence {
	switch {
	case f.Certificate != nil:
		return certificate{f.Certificate}
	case f.Closed != nil:
		return closedSet{f.Closed}
	case f.Ranking != nil:
		return ranking{f.Ranking}
	case f.Count != nil:
		return counted{f.Count}
	case f.Trace != nil:
		return traced{r.Network, f.Trace}
	case f.Run != nil:
		return ran{r.Machine, f.Run}
	}
	return nil
}

type certificate struct{ *proofs.Certificate }

func (certificate) Kind() string { return "certificate" }
func (e certificate) Shows() string {
	return fmt.Sprintf("%s certificate, verified", e.Certificate.Kind)
}
func (e certificate) Write(w io.Writer) error { return write.Certificate(w, e.Certificate) }

type closedSet struct{ *machines.ClosedSet }

func (closedSet) Kind() string { return "closed-set" }
func (e closedSet) Shows() string {
	return fmt.Sprintf("closed set of %d states, verified", len(e.States))
}
func (e closedSet) Write(w io.Writer) error { return write.ClosedSet(w, e.ClosedSet) }

type ranking struct{ *machines.Ranking }

func (ranking) Kind() string              { return "ranking" }
func (e ranking) Shows() string           { return fmt.Sprintf("ranking of %d states, verified", len(e.States)) }
func (e ranking) Write(w io.Writer) error { return write.Ranking(w, e.Ranking) }

type counted struct{ *machines.Count }

func (counted) Kind() string { return "counts" }
func (e counted) Shows() string {
	return fmt.Sprintf("count of %d states and %d transitions with a digest; unknot-verify --recount or another engine (unknot export) reproduces it", e.States, e.Transitions)
}
func (e counted) Write(w io.Writer) error { return write.Count(w, e.Count) }

type traced struct {
	n *spec.Network
	*counterexamples.Trace
}

func (traced) Kind() string { return "trace" }
func (e traced) Shows() string {
	return fmt.Sprintf("trace of %s from the empty network, replayed", plural(len(e.Moves), "move"))
}
func (e traced) Write(w io.Writer) error { return write.Trace(w, e.n, e.Trace) }

type ran struct {
	m states.Machine
	*runs.Run
}

func (ran) Kind() string              { return "run" }
func (e ran) Shows() string           { return fmt.Sprintf("run of %s, replayed", plural(len(e.Steps), "step")) }
func (e ran) Write(w io.Writer) error { return write.Run(w, e.m, e.Run) }
