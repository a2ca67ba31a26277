package models

import (
	"context"
	"fmt"
	"io"
	"maps"
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

	study func(Args) (study, error)
}

// study decides a question about what its parameters have described.
type study func(context.Context) (Answer, error)

// of is a question about what parse makes of the parameters. What decides it sees
// nothing else of them, so those that parse has not read cannot matter.
func of[T any](parse func(Args) (T, error), decide func(context.Context, T) (Answer, error)) func(Args) (study, error) {
	return func(a Args) (study, error) {
		subject, err := parse(a)
		if err != nil {
			return nil, err
		}
		return func(ctx context.Context) (Answer, error) { return decide(ctx, subject) }, nil
	}
}

// Answer is the answer to a question.
type Answer struct {
	Subject  []string     // the parameters that the question depends on, each as name=value
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
// Those on which the answer does not depend are an error.
func (e Entry) Ask(ctx context.Context, question string, set map[string]string) (Answer, error) {
	subject, decide, err := e.study(question, set)
	if err != nil {
		return Answer{}, err
	}
	a, err := decide(ctx)
	if err != nil {
		return Answer{}, e.named(err)
	}
	a.Subject = subject
	return a, nil
}

// Subject returns the parameters that an answer depends on, with their values, in
// the order of the entry, without finding the answer.
func (e Entry) Subject(question string, set map[string]string) ([]string, error) {
	subject, _, err := e.study(question, set)
	return subject, err
}

func (e Entry) study(question string, set map[string]string) ([]string, study, error) {
	args, err := e.args(set)
	if err != nil {
		return nil, nil, err
	}
	i := slices.IndexFunc(e.Questions, func(q Question) bool { return q.Name == question })
	if i < 0 {
		return nil, nil, fmt.Errorf("%s has no question %.40q: %s", e.Name, question, e.questionNames())
	}
	decide, err := e.Questions[i].study(args)
	if err != nil {
		return nil, nil, e.named(err)
	}
	var subject, names []string
	for _, p := range e.Params {
		if args.read[p.Name] && args.values[p.Name] != "" {
			subject = append(subject, p.Name+"="+args.values[p.Name])
		}
		if args.read[p.Name] {
			names = append(names, p.Name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(set)) {
		if !args.read[name] {
			uses := "it depends on none"
			if names != nil {
				uses = "here it depends on " + strings.Join(names, ", ")
			}
			return nil, nil, fmt.Errorf("%s %s does not depend on parameter %q: %s", e.Name, question, name, uses)
		}
	}
	return subject, decide, nil
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
