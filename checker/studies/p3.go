package studies

import (
	"context"
	"fmt"

	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/models/p3"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// p3Asked is forwarding by a rule for questions that follow packets by the PE they
// are at alone.
func p3Asked(a catalogue.Args) (p3.Options, error) {
	o, err := p3.RuledOf(a)
	if err == nil && o.Rule == p3.NeverBack {
		err = fmt.Errorf("variant=%s depends on the input channel, which this question does not look at; \"unknot check p3\" decides it, with the same parameters", p3.RuleNames[p3.NeverBack])
	}
	return o, err
}

// p3Unmasked is forwarding for the question that makes masked tables itself; to
// mask only makes integers of the targets.
func p3Unmasked(a catalogue.Args) (p3.Options, error) {
	o, err := p3Asked(a)
	o.Masks = p3.Unmasked
	return o, err
}

// p3Chosen is forwarding for questions that look for a rule of their own.
func p3Chosen(a catalogue.Args) (p3.Options, error) {
	o, err := p3.BorderedOf(a)
	o.Targets = p3.TargetsOf(a, false)
	return o, err
}

// p3ByQuadrants is forwarding literally, or beyond, before a choice by quadrant.
func p3ByQuadrants(a catalogue.Args) (p3.Options, error) {
	o, err := p3Chosen(a)
	if err != nil {
		return o, err
	}
	switch rule := a.Text("variant"); rule {
	case p3.RuleNames[p3.Literal]:
	case p3.RuleNames[p3.Beyond]:
		o.Rule = p3.Beyond
	default:
		err = fmt.Errorf("variant=%s: the choice by quadrant comes after the rule literal or beyond", rule)
	}
	return o, err
}

func p3Questions() []Question {
	ask := func(parse func(catalogue.Args) (p3.Options, error), question p3Question, parts p3Parts) func(catalogue.Args) (study, error) {
		return about(parse, func(ctx context.Context, o p3.Options) (Answer, error) { return p3Ask(ctx, o, question, parts) })
	}
	return []Question{
		{"covers", "the regions tile the plane, and each PE finds every target of another in a zone with a neighbour", ask(p3.BorderedOf, (*p3.Forwarding).Covers, nil)},
		{"distance-grows", "no permitted hop leads to a region farther from the target", ask(p3Asked, (*p3.Forwarding).NeverFarther, nil)},
		{"distance-shrinks", "every permitted hop leads to a region strictly nearer to the target", ask(p3Asked, (*p3.Forwarding).AlwaysNearer, nil)},
		{"measure", "each hop comes nearer or turns on around the nearest corner, never back", ask(p3Asked, (*p3.Forwarding).Measure, nil)},
		{"arrives", "every packet arrives, whichever permitted hops are taken", ask(p3Asked, (*p3.Forwarding).Arrives, p3Arrives)},
		{"waits", "links do not wait for each other in a cycle, with one buffer class", ask(p3Asked, (*p3.Forwarding).Unwound, p3Unwound)},
		{"one-class", "with one buffer class, some choice in zone B for each kind of targets keeps links from waiting in a cycle", ask(p3Chosen, (*p3.Forwarding).OneClass, p3OneClass)},
		{"quadrants", "some choice of quadrants in which to go up or down first, the rest left or right, makes packets arrive and links not wait in a cycle", ask(p3ByQuadrants, (*p3.Forwarding).SomeQuadrants, p3Quadrants)},
		{"masks", "Path Tables may mask low bits of the coordinates of far targets, which saves entries, and every verdict stays", ask(p3Unmasked, (*p3.Forwarding).CoarsestMasks, nil)},
	}
}

func p3Ask(ctx context.Context, o p3.Options, question p3Question, parts p3Parts) (Answer, error) {
	f, err := p3.NewForwarding(ctx, o)
	if err != nil {
		return Answer{}, err
	}
	found, err := question(f, ctx)
	answer := p3Answer(found)
	if parts != nil && found.Verdict != spec.Unknown {
		answer.Parts = parts(o, found)
	}
	if answer.Parts != nil {
		answer.Believe = []string{"the network in the parts is that of the plane, its targets cut into cells in which every PE decides alike"}
	}
	return answer, err
}

func p3Answer(f p3.Finding) Answer {
	a := Answer{Verdict: f.Verdict, Because: f.Because, Evidence: f.Evidence}
	if f.Picture != nil {
		a.Picture = f.Picture.SVG
	}
	return a
}

type (
	p3Question = func(*p3.Forwarding, context.Context) (p3.Finding, error)
	p3Parts    = func(p3.Options, p3.Finding) []Part
)

// p3Part is a verdict on the network of a plane.
func p3Part(o p3.Options, shows, property string, v spec.Verdict) Part {
	return networkPart(shows, property, v, func(ctx context.Context) (routing.Definition, error) { return p3.New(ctx, o) })
}

func p3Arrives(o p3.Options, f p3.Finding) []Part {
	const round, ends = "no packet goes round forever", "every packet keeps its destination within reach"
	switch {
	case f.Verdict == spec.Holds:
		return []Part{p3Part(o, round, "livelock", spec.Holds), p3Part(o, ends, "delivery", spec.Holds)}
	case f.Picture.Loop >= 0:
		return []Part{p3Part(o, "a packet may go round forever", "livelock", spec.Violated)}
	}
	return []Part{p3Part(o, "a packet does not arrive", "delivery", spec.Violated)}
}

// p3Quadrants has parts for every choice: what it keeps, or what it loses.
func p3Quadrants(_ p3.Options, f p3.Finding) []Part {
	var parts []Part
	for i, c := range f.Choices {
		var of []Part
		if c.Arrives.Verdict == c.Unwound.Verdict || c.Arrives.Verdict == spec.Violated {
			of = p3Arrives(c.Options, c.Arrives)
		}
		if c.Arrives.Verdict == c.Unwound.Verdict || c.Unwound.Verdict == spec.Violated {
			of = append(of, p3Unwound(c.Options, c.Unwound)...)
		}
		for _, p := range of {
			p.Case, p.Shows = i, fmt.Sprintf("%s: %s", c.Quadrants, p.Shows)
			parts = append(parts, p)
		}
	}
	return parts
}

func p3Unwound(o p3.Options, f p3.Finding) []Part {
	o.VCs = 1
	if f.Verdict == spec.Violated {
		return []Part{p3Part(o, "with one buffer class there is a cycle of dependencies", acyclic, spec.Violated)}
	}
	return []Part{p3Part(o, "with one buffer class deadlock is excluded", "deadlock", spec.Holds)}
}

// p3OneClass has a part for a rule that was found, and for a cycle of packets
// that have no choice. That every way to leave out turns fails is a search that
// no part shows.
func p3OneClass(o p3.Options, f p3.Finding) []Part {
	o.VCs = 1
	switch {
	case f.Verdict == spec.Holds:
		o.Rule = p3.Fitted
		return []Part{p3Part(o, "the rule that was found is free of deadlock", "deadlock", spec.Holds),
			p3Part(o, "and every packet keeps its destination within reach", "delivery", spec.Holds)}
	case f.Forced:
		o.Rule = p3.Forced
		return []Part{p3Part(o, "packets without any choice close a cycle of dependencies", acyclic, spec.Violated)}
	}
	return nil
}

// p3MoveParts adds its parts to an answer about the move of a boundary.
type p3MoveParts = func(a *Answer, before, after *p3.Plane, rule p3.Rule)

// p3SettlesParts adds the verdict on the network of packets that the tables have
// left anywhere.
func p3SettlesParts(quiet bool) p3MoveParts {
	return func(a *Answer, before, after *p3.Plane, rule p3.Rule) {
		shows, property := "packets that the tables have left anywhere do not deadlock", "deadlock"
		switch a.Verdict {
		case spec.Unknown:
			return
		case spec.Violated:
			shows, property = "packets that the tables have left anywhere have a cycle of dependencies", acyclic
		}
		a.Parts = []Part{networkPart(shows, property, a.Verdict, func(ctx context.Context) (routing.Definition, error) {
			return p3.SettlingNetwork(ctx, before, after, rule, quiet)
		})}
		a.Believe = []string{"the network in the part is that of packets that start in any link to which the tables may have sent them, and follow those after the move"}
	}
}

func p3RebalanceQuestions() []Question {
	return []Question{
		{"settles", "once all entries are rewritten, in whatever order, packets do not wait in a cycle, wherever they have got to", p3Settles(p3.Settles, p3SettlesParts(false))},
		{"frontier", "some discipline of rewriting keeps packets, however many, from waiting in a cycle forever", p3Settles(p3.Frontier, nil)},
		{"settles-quietly", "packets that travel wholly by the tables before or wholly by those after do not wait in a cycle", p3Settles(p3.SettlesQuietly, p3SettlesParts(true))},
	}
}

func p3Settles(question func(ctx context.Context, before, after *p3.Plane, rule p3.Rule) (p3.Finding, error), parts p3MoveParts) func(catalogue.Args) (study, error) {
	return about(p3.MoveOf, func(ctx context.Context, m p3.Move) (Answer, error) {
		f, err := question(ctx, m.Before, m.After, m.Rule)
		answer := p3Answer(f)
		if parts != nil && err == nil {
			parts(&answer, m.Before, m.After, m.Rule)
		}
		return answer, err
	})
}
