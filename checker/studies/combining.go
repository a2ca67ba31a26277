package studies

import (
	"context"
	"errors"
	"fmt"

	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/models/combining"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// invalidateAckQuestions draw what goes wrong. The evidence of each is the run as
// a Mermaid sequence diagram; the picture is the same as SVG.
func invalidateAckQuestions() []Question {
	return []Question{
		{"sequence", "no run comes to a state in which an invariant does not hold", askRun(combining.Broken)},
		{"standstill", "no run comes to a state without steps", askRun(combining.Standstill)},
	}
}

// memoryQuestions ask about the cells that build makes.
func memoryQuestions(build func(catalogue.Args) (*combining.Memory, error)) []Question {
	return []Question{{"linearizable", "every run's replies are those of an order that keeps to real time, by a check that knows nothing of the machine", about(build, askLinearizable)}}
}

func askLinearizable(ctx context.Context, m *combining.Memory) (Answer, error) {
	const most = 500_000
	v, err := m.Linearizable(ctx, most)
	if err != nil {
		return Answer{}, err
	}
	answer := Answer{Verdict: v.Verdict, Because: v.Because,
		Evidence: append(v.Lines(), fmt.Sprintf("%d pairs of a state and a history walked, %d histories checked", v.Nodes, v.Checked))}
	if v.Verdict == spec.Violated {
		answer.Picture = v.SVG
		answer.Parts = machineParts(func() (states.Machine, error) { return v.Order().Machine() }, spec.Holds, "no order of the history: %s", combining.NoOrder)
		for i := range answer.Parts {
			answer.Parts[i].Needs = spec.Violated // an order would make it linearizable
		}
		answer.Believe = []string{"the machine has a run with the history in the part; the question finds it, and no second program"}
	}
	return answer, nil
}

func askRun(what combining.Failure) func(catalogue.Args) (study, error) {
	return about(combining.InvalidationOf, func(ctx context.Context, m *combining.Invalidation) (Answer, error) {
		const mostStates = 100_000
		run, err := m.Shortest(ctx, what, mostStates)
		var bound *combining.BoundError
		if errors.As(err, &bound) {
			return Answer{Verdict: spec.Unknown, Because: bound.Error()}, nil
		}
		if err != nil {
			return Answer{}, err
		}
		build := func() (states.Machine, error) { return m.Program().Machine() }
		if run == nil {
			holds := Answer{Verdict: spec.Holds, Because: "all states were visited", Believe: []string{"the program in the parts is that of the protocol"}}
			holds.Parts, err = runParts(build, what, spec.Holds, "")
			return holds, err
		}
		violated := Answer{
			Verdict: spec.Violated, Because: fmt.Sprintf("%s after %d steps; no run is shorter", run.Why, len(run.Actions)),
			Evidence: run.Mermaid(), Picture: run.SVG,
			Believe: []string{"the program in the part is that of the protocol; that no run is shorter, no program checks"},
		}
		violated.Parts, err = runParts(build, what, spec.Violated, run.Broken)
		return violated, err
	})
}

// runParts are the verdicts on deadlock or on invariants: all of them, or the one
// that is violated.
func runParts(build func() (states.Machine, error), what combining.Failure, v spec.Verdict, violated string) ([]Part, error) {
	if what == combining.Standstill {
		return machineParts(build, v, "a state without steps: %s", spec.Deadlock.String()), nil
	}
	if v == spec.Violated {
		return machineParts(build, v, "a run after which %q does not hold", violated), nil
	}
	m, err := build()
	if err != nil {
		return nil, err
	}
	return machineParts(build, v, "%q holds in every state", invariantsOf(m)...), nil
}
