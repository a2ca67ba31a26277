package studies

import (
	"context"
	"fmt"

	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/models/p3"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

func p3Questions() []Question {
	ruled := func(a catalogue.Args) (p3.Options, error) { return p3.RuledOf(a), nil }
	return []Question{
		{"distance-grows", "no permitted hop leads to a region farther from the target", about(ruled, p3Distances(false))},
		{"distance-shrinks", "every permitted hop leads to a region strictly nearer to the target", about(ruled, p3Distances(true))},
		{"masks", "Path Tables may mask low bits of the coordinates of far targets, which saves entries, and no packet goes another way than the rule permits", about(ruled, p3Masks)},
	}
}

// p3Distances has the model decide a question about distances, which no network is needed for.
func p3Distances(strictly bool) func(context.Context, p3.Options) (Answer, error) {
	return func(ctx context.Context, o p3.Options) (Answer, error) {
		f, err := p3.NewForwarding(ctx, o)
		if err != nil {
			return Answer{}, err
		}
		holds, because, err := f.NeverFarther(ctx, strictly)
		return Answer{Verdict: verdictOf(holds), Because: because}, err
	}
}

// p3Masks has the model make masked tables, and compares their entries with the targets.
func p3Masks(ctx context.Context, o p3.Options) (Answer, error) {
	o.Masks = true
	f, err := p3.NewForwarding(ctx, o)
	if err != nil {
		return Answer{}, err
	}
	return Answer{
		Verdict: verdictOf(f.Entries < f.Targets),
		Because: fmt.Sprintf("%d entries in place of %d, the fewest of all tables in which every target goes a way that the rule permits", f.Entries, f.Targets),
	}, nil
}

func p3RebalanceQuestions() []Question {
	return []Question{
		known("p3-rebalance", "settles", about(p3.MoveOf, p3Settles("settles", false))),
		known("p3-rebalance", "settles-quietly", about(p3.MoveOf, p3Settles("settles-quietly", true))),
	}
}

func p3Settles(question string, quietly bool) func(context.Context, p3.Move) (Answer, error) {
	return func(ctx context.Context, m p3.Move) (Answer, error) {
		a, err := all(ctx, []Part{{Shows: "whether packets wait in a cycle, wherever the tables have left them", Property: acyclic, Network: func(ctx context.Context) (routing.Definition, error) {
			return p3.Settling(ctx, m, quietly)
		}}})
		if err != nil {
			return a, err
		}
		a.Believe = believed("p3-rebalance " + question)
		a.Picture = a.Parts[0].drawing(ctx)
		return a, nil
	}
}
