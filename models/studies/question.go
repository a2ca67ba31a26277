// Package studies, internal to unknot, is what the studies of families have in common: questions about a model, such
// as the least number of VCs of a network, or whether address ranges leave a gap, and the setups that a paper
// measured, for the simulator. An answer rests on parts: verdicts on networks and tables, each of which the checker
// decides again and a second program checks.
//
// The study of a family, models/FAMILY/study, is the only kind of package below models that imports package checker;
// package [github.com/seed-105a2da2/unknot/models/studies/all] lists them.
package studies

import (
	"context"
	"io"

	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// Question is what can be asked about a model besides the properties that every network or
// machine has: whether a distance ever grows, whether address ranges
// leave a gap.
type Question struct {
	Name string // one word or several with hyphens, such as "distance-grows"
	Asks string // a sentence that is true if the answer is Holds

	study func(catalogue.Args) (study, error)
}

// Known returns a question whose answers have parts, by the names of its model and of itself; the verifier knows it,
// too.
func Known(model, name string, study func(catalogue.Args) (study, error)) Question {
	q, _ := evidence.QuestionOf(model + " " + name)
	return Question{name, q.Asks, study}
}

// Believed says what no part of an answer shows.
func Believed(question string) []string {
	q, _ := evidence.QuestionOf(question)
	return []string{q.Believe}
}

// Open returns a question whose answers no second program checks.
func Open(name, asks string, study func(catalogue.Args) (study, error)) Question {
	return Question{name, asks, study}
}

// study decides a question about what its parameters describe.
type study func(context.Context) (Answer, error)

// About is a question about what parse makes of the parameters. Its decision sees nothing
// else of them, so parameters that parse has not read cannot matter.
func About[T any](
	parse func(catalogue.Args) (T, error), decide func(context.Context, T) (Answer, error),
) func(catalogue.Args) (study, error) {
	return func(a catalogue.Args) (study, error) {
		subject, err := parse(a)
		if err != nil {
			return nil, err
		}
		return func(ctx context.Context) (Answer, error) { return decide(ctx, subject) }, nil
	}
}

// VerdictOf is Holds if ok, otherwise Violated.
func VerdictOf(ok bool) spec.Verdict {
	if ok {
		return spec.Holds
	}
	return spec.Violated
}

// Answer is the answer to a question.
type Answer struct {
	Subject  []string       // the parameters that the question depends on, each as name=value
	Verdict  spec.Verdict   // of the sentence that the question asks about
	Because  string         // one sentence
	Numbers  map[string]int // those of Because, each with the name of what it counts; programs read these
	Evidence []string       // lines: what was counted, or the counterexample, in full

	// Parts are the networks, machines and tables that the answer rests on.
	// Without parts no second program checks the answer.
	Parts []Part
	// Believe says in sentences how the parts make up the answer, which remains to be
	// believed, and what no part shows.
	Believe []string

	// Picture draws what the answer is about, as SVG; nil if there is nothing to draw.
	Picture func(w io.Writer) error
}

// Part is a verdict that an answer rests on, about something that knows nothing of the
// question, so that evidence for it can be found and checked apart from the model: the
// checker decides the verdict again. Network or Table is set.
type Part struct {
	Shows   string // what it means for the answer, one line
	Network func(context.Context) (routing.Definition, error)
	Table   func(w io.Writer) error // writes evidence that is self-contained; see package proofs

	// Regions are regions of the network, for the property "regions" (see package proofs). If
	// it is violated, Way is the nodes of a packet's way to node Dest that leaves the only
	// region.
	Regions [][]spec.NodeID
	Way     []spec.NodeID
	Dest    spec.NodeID

	// Property is deadlock, livelock or delivery; or that the dependency graph is acyclic
	// (Violated only, as freedom from deadlock shows that it holds); or what the table
	// shows.
	Property string
	Verdict  spec.Verdict // Holds or Violated

	cycle []spec.ChannelID // a cycle of dependencies found by settling the part

	// An answer holds if in some case all parts have the verdict they need, and is violated if
	// there is no such case. Its parts belong to one case unless they say otherwise.
	Case  int          // numbers alternatives
	Needs spec.Verdict // the zero value means Holds
}
