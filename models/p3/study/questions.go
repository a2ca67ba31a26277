package study

import (
	"context"
	"fmt"

	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/models/p3"
	"github.com/seed-105a2da2/unknot/models/studies"
	"github.com/seed-105a2da2/unknot/proofs/answers"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// Questions are those about forwarding on the plane.
func Questions() []studies.Question {
	ruled := func(a catalogue.Args) (p3.Options, error) { return p3.RuledOf(a), nil }
	return []studies.Question{
		studies.Open("distance-grows",
			"no permitted hop leads to a region farther from the target",
			studies.About(ruled, p3Distances(false))),
		studies.Open("distance-shrinks",
			"every permitted hop leads to a region strictly nearer to the target",
			studies.About(ruled, p3Distances(true))),
		studies.Open("masks",
			"Path Tables may mask low bits of the coordinates of far targets, which saves entries, "+
				"and no packet goes another way than the rule permits",
			studies.About(ruled, p3Masks)),
	}
}

// p3Distances has the model decide a question about distances, which no network is needed for.
func p3Distances(strictly bool) func(context.Context, p3.Options) (studies.Answer, error) {
	return func(ctx context.Context, o p3.Options) (studies.Answer, error) {
		f, err := p3.NewForwarding(ctx, o)
		if err != nil {
			return studies.Answer{}, err
		}
		holds, because, err := f.NeverFarther(ctx, strictly)
		return studies.Answer{Verdict: studies.VerdictOf(holds), Because: because}, err
	}
}

// p3Masks has the model make masked tables, and compares their entries with the targets.
func p3Masks(ctx context.Context, o p3.Options) (studies.Answer, error) {
	o.Masks = p3.Blocks
	f, err := p3.NewForwarding(ctx, o)
	if err != nil {
		return studies.Answer{}, err
	}
	const because = "%d entries in place of %d, the fewest of all tables in which every target goes a way that the " +
		"rule permits"
	return studies.Answer{
		Verdict: studies.VerdictOf(f.Entries < f.Targets), Because: fmt.Sprintf(because, f.Entries, f.Targets),
	}, nil
}

// RebalanceQuestions are those about a boundary that moves.
func RebalanceQuestions() []studies.Question {
	return []studies.Question{
		studies.Known("p3-rebalance", "settles", studies.About(p3.MoveOf, p3Settles("settles", p3.Settling))),
		studies.Known("p3-rebalance", "settles-quietly", studies.About(p3.MoveOf, p3Settles("settles-quietly", p3.Apart))),
	}
}

func p3Settles(question string, tables p3.Tables) func(context.Context, p3.Move) (studies.Answer, error) {
	return func(ctx context.Context, m p3.Move) (studies.Answer, error) {
		a, err := studies.SettleAll(ctx, []studies.Part{{
			Shows:    "whether packets wait in a cycle, wherever the tables have left them",
			Property: answers.Acyclic,
			Network: func(ctx context.Context) (routing.Definition, error) {
				m.Tables = tables
				return p3.Moved(ctx, m)
			},
		}})
		if err != nil {
			return a, err
		}
		a.Believe = studies.Believed("p3-rebalance " + question)
		a.Picture = a.Parts[0].Drawing(ctx)
		return a, nil
	}
}
