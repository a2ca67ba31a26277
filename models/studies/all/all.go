// Package all, internal to unknot, lists the studies of all families: the questions that can be
// asked about a model, and what can be run as a paper describes it.
package all

import (
	"context"
	"slices"

	"github.com/seed-105a2da2/unknot/models/catalogue"
	p3 "github.com/seed-105a2da2/unknot/models/p3/study"
	peach2 "github.com/seed-105a2da2/unknot/models/peach2/study"
	rwc1 "github.com/seed-105a2da2/unknot/models/rwc1/study"
	selection "github.com/seed-105a2da2/unknot/models/selection/study"
	"github.com/seed-105a2da2/unknot/models/studies"
)

// Questions lists the questions that can be asked about a model.
func Questions(model string) []studies.Question {
	return map[string][]studies.Question{
		"peach2":       peach2.Questions(),
		"p3":           p3.Questions(),
		"p3-rebalance": p3.RebalanceQuestions(),
		"rwc1":         rwc1.Questions(),
	}[model]
}

// Ask answers a question about a model, see [studies.Ask].
func Ask(ctx context.Context, e catalogue.Entry, question string, set map[string]string) (studies.Answer, error) {
	return studies.Ask(ctx, e, Questions(e.Name), question, set)
}

// Figures lists the figures and machines that can be run, in the order shown.
func Figures() []studies.Figure {
	return slices.Concat(selection.Figures(), rwc1.Figures(), p3.Figures(), peach2.Figures())
}

// Across lists what papers state about several figures of a model together.
func Across(model string) []studies.Across {
	return map[string][]studies.Across{"star-channel": selection.Across()}[model]
}

// IsFitted reports whether a setup was fitted to a sentence.
func IsFitted(sentence string) bool {
	return slices.ContainsFunc(Figures(), func(f studies.Figure) bool {
		return slices.ContainsFunc(f.Stated, func(s studies.Stated) bool { return s.Fitted && s.Sentence == sentence })
	})
}
