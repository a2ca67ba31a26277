package models

import (
	"context"
	"errors"
	"fmt"

	"github.com/seed-105a2da2/unknot/models/combining"
	"github.com/seed-105a2da2/unknot/spec"
)

// invalidateAckQuestions draw what goes wrong. The evidence of each is the run as
// a Mermaid sequence diagram; the picture is the same as SVG.
func invalidateAckQuestions() []Question {
	return []Question{
		{"sequence", "no run comes to a state in which an invariant does not hold", askRun(combining.Broken)},
		{"standstill", "no run comes to a state without steps", askRun(combining.Standstill)},
	}
}

func askRun(what combining.Failure) func(context.Context, Args) (Answer, error) {
	return func(ctx context.Context, a Args) (Answer, error) {
		const mostStates = 100_000
		m, err := invalidation(a)
		if err != nil {
			return Answer{}, err
		}
		run, err := m.Shortest(ctx, what, mostStates)
		var bound *combining.BoundError
		if errors.As(err, &bound) {
			return Answer{Verdict: spec.Unknown, Because: bound.Error()}, nil
		}
		if err != nil {
			return Answer{}, err
		}
		if run == nil {
			return Answer{Verdict: spec.Holds, Because: "all states were visited"}, nil
		}
		return Answer{
			Verdict: spec.Violated, Because: fmt.Sprintf("%s after %d steps; no run is shorter", run.Why, len(run.Actions)),
			Evidence: run.Mermaid(), Picture: run.SVG,
		}, nil
	}
}
