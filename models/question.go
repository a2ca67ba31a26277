package models

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/seed-105a2da2/unknot/spec"
)

// Question is what can be asked of a model beside the properties that every
// network or machine has: whether a distance ever grows, whether address ranges
// leave a gap. The model's own package decides it, exactly.
type Question struct {
	Name string // one word or several with hyphens, such as "distance-grows"
	Asks string // a sentence that is true if the answer is Holds

	answer func(ctx context.Context, a Args) (Answer, error)
}

// Answer is the answer to a question.
type Answer struct {
	Verdict  spec.Verdict // of the sentence that the question asks about
	Because  string       // one sentence
	Evidence []string     // lines: what was counted, or the counterexample, in full

	// Picture draws what the answer is about, as SVG; nil if there is nothing to draw.
	Picture func(w io.Writer) error
}

// Claim is a statement of a model's source, or a question that it leaves open,
// and the command that settles it.
type Claim struct {
	Says     string       // the claim in a sentence, or the question
	Command  []string     // arguments of unknot, such as check p3 --set variant=literal, or ask p3 distance-grows
	Property string       // of a check: whose verdict counts; "" after ask
	Want     spec.Verdict // the verdict that is expected of the command
	Finding  string       // what it means for the claim: "confirmed", "refuted: ..." or an answer
}

// Ask answers one of the entry's questions for the given parameters, see Define.
func (e Entry) Ask(ctx context.Context, question string, set map[string]string) (Answer, error) {
	args, err := e.args(set)
	if err != nil {
		return Answer{}, err
	}
	i := slices.IndexFunc(e.Questions, func(q Question) bool { return q.Name == question })
	if i < 0 {
		return Answer{}, fmt.Errorf("%s has no question %.40q: %s", e.Name, question, e.questionNames())
	}
	a, err := e.Questions[i].answer(ctx, args)
	if err != nil {
		return Answer{}, e.named(err)
	}
	return a, nil
}

func (e Entry) questionNames() string {
	if len(e.Questions) == 0 {
		return "it has none"
	}
	names := make([]string, len(e.Questions))
	for i, q := range e.Questions {
		names[i] = q.Name
	}
	return "it has " + strings.Join(names, ", ")
}
