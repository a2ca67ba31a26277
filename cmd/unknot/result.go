package main

import (
	"encoding/json"
	"io"

	"github.com/seed-105a2da2/unknot/checker"
)

// resultVersion is raised when a field changes its meaning or goes.
const resultVersion = 1

// result is the machine-readable form of a report. Verdicts are "holds",
// "violated" and "unknown".
type result struct {
	Version     int              `json:"version"`
	Network     string           `json:"network"`
	Digest      string           `json:"digest"`
	Switching   string           `json:"switching"`
	Assumptions []string         `json:"assumptions"`
	Census      census           `json:"census"`
	Properties  []propertyResult `json:"properties"`
}

type census struct {
	Nodes    int `json:"nodes"`
	Links    int `json:"links"`
	Channels int `json:"channels"`
	Unused   int `json:"unused"`
	Flows    int `json:"flows"`
	Sites    int `json:"sites"`
	Edges    int `json:"dependencies"`
}

type propertyResult struct {
	Property    string   `json:"property"`
	Verdict     string   `json:"verdict"`
	Because     string   `json:"because"`
	Notes       []string `json:"notes,omitempty"`
	Certificate string   `json:"certificate,omitempty"` // its kind
	Moves       int      `json:"moves,omitempty"`       // of the trace
	Stuck       []int32  `json:"stuck,omitempty"`       // channels of a circular wait
	Candidate   []int32  `json:"candidate,omitempty"`   // channels that were not cleared
}

func resultOf(r *checker.Report) *result {
	out := &result{
		Version:     resultVersion,
		Network:     r.Network,
		Digest:      r.Digest.String(),
		Switching:   r.Switching.String(),
		Assumptions: r.Assumptions,
		Census:      census(r.Census),
	}
	for _, res := range r.Results {
		p := propertyResult{Property: res.Property.String(), Verdict: res.Verdict.String(), Because: res.Because, Notes: res.Notes}
		if res.Certificate != nil {
			p.Certificate = res.Certificate.Kind.String()
		}
		if res.Closed != nil {
			p.Certificate = "closed-set"
		}
		if res.Trace != nil {
			p.Moves = len(res.Trace.Moves)
			for _, c := range res.Trace.Stuck {
				p.Stuck = append(p.Stuck, int32(c))
			}
		}
		for _, c := range res.Candidate {
			p.Candidate = append(p.Candidate, int32(c))
		}
		out.Properties = append(out.Properties, p)
	}
	return out
}

func writeResult(w io.Writer, r *checker.Report) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(resultOf(r))
}
