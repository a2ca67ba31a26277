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

	// Parts are the networks, machines and tables that the answer comes down to.
	// Without parts no second program checks the answer.
	Parts []Part
	// Believe says in sentences how the parts make up the answer, which is what
	// remains to be believed, and what no part shows.
	Believe []string

	// Picture draws what the answer is about, as SVG; nil if there is nothing to draw.
	Picture func(w io.Writer) error
}

// Part is a verdict that an answer rests on, about something that knows nothing
// of the question, so that evidence for it can be found and checked apart from the
// model: the verdict is decided again, by the checker. One of Network, Machine and
// Table is set.
type Part struct {
	Shows   string // what it means for the answer, one line
	Network func() (spec.Definition, error)
	Machine func() (spec.Machine, error) // a program, see spec/program
	Table   func(w io.Writer) error      // writes evidence that stands by itself, see package proofs

	// Regions are regions of the network, with the property "regions" (see package
	// proofs); Way, if that is violated, the nodes of a packet's way for node Dest
	// that leaves the only region.
	Regions [][]spec.NodeID
	Way     []spec.NodeID
	Dest    spec.NodeID

	// Property is deadlock, livelock or delivery, or that the dependency graph is
	// acyclic (Violated only; what shows that it holds is freedom from deadlock); of a
	// machine deadlock, an invariant or a response; what the table shows.
	Property string
	Verdict  spec.Verdict // Holds or Violated
}

// acyclic is the property that counterexamples.Acyclic names.
const acyclic = "acyclic"

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
