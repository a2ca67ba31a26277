package main

import (
	"encoding/json"
	"io"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/show/report"
)

// resultVersion is the version of everything printed with --json.
const resultVersion = report.Version

// writeResult writes the machine-readable form of a result.
func writeResult(w io.Writer, r *checker.Result) error {
	out, err := report.Of(r, report.Origin{})
	if err != nil {
		return err
	}
	return report.WriteJSON(w, &out)
}

// writeJSON writes what is printed with --json.
func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
