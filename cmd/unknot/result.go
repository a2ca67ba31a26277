package main

import (
	"io"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/report"
	"github.com/seed-105a2da2/unknot/spec"
)

// resultVersion is that of everything that is printed with --json.
const resultVersion = report.Version

// resultOf returns the machine-readable form of a report about n.
func resultOf(n *spec.Network, r *checker.Report) (*report.Result, error) {
	out, err := report.Decided(n, r, report.Origin{})
	if err != nil {
		return nil, &codeError{exitInternal, err}
	}
	return &out, nil
}

func writeResult(w io.Writer, n *spec.Network, r *checker.Report) error {
	out, err := resultOf(n, r)
	if err != nil {
		return err
	}
	return report.WriteJSON(w, out)
}

// writeExploration writes the machine-readable form of an exploration of m, the
// traffic of n, or another machine if that is nil.
func writeExploration(w io.Writer, m spec.Machine, n *spec.Network, x *checker.Exploration) error {
	out, err := report.Explored(m, n, x, report.Origin{})
	if err != nil {
		return &codeError{exitInternal, err}
	}
	return report.WriteJSON(w, &out)
}
