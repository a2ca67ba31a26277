package models

import (
	"context"
	"fmt"

	"github.com/seed-105a2da2/unknot/models/p3"
	"github.com/seed-105a2da2/unknot/spec"
)

// The parts of answers about planes: verdicts on the network that package p3
// makes of a plane, which the checker decides apart from that package's questions.

type (
	p3Question = func(*p3.Forwarding, context.Context) (p3.Finding, error)
	p3Parts    = func(p3.Options, p3.Finding) []Part
)

// p3Part is a verdict on the network of a plane.
func p3Part(o p3.Options, shows, property string, v spec.Verdict) Part {
	return networkPart(shows, property, v, func() (spec.Definition, error) { return p3.New(context.Background(), o) })
}

func p3Arrives(o p3.Options, f p3.Finding) []Part {
	const round, ends = "no packet goes round for ever", "every packet keeps its destination within reach"
	switch {
	case f.Verdict == spec.Holds:
		return []Part{p3Part(o, round, "livelock", spec.Holds), p3Part(o, ends, "delivery", spec.Holds)}
	case f.Picture.Loop >= 0:
		return []Part{p3Part(o, "a packet may go round for ever", "livelock", spec.Violated)}
	}
	return []Part{p3Part(o, "a packet does not arrive", "delivery", spec.Violated)}
}

// p3Quadrants has parts for every choice: what it keeps, or what it loses.
func p3Quadrants(_ p3.Options, f p3.Finding) []Part {
	var parts []Part
	for _, c := range f.Choices {
		var of []Part
		if c.Arrives.Verdict == c.Unwound.Verdict || c.Arrives.Verdict == spec.Violated {
			of = p3Arrives(c.Options, c.Arrives)
		}
		if c.Arrives.Verdict == c.Unwound.Verdict || c.Unwound.Verdict == spec.Violated {
			of = append(of, p3Unwound(c.Options, c.Unwound)...)
		}
		for _, p := range of {
			p.Shows = fmt.Sprintf("%s: %s", c.Quadrants, p.Shows)
			parts = append(parts, p)
		}
	}
	return parts
}

func p3Unwound(o p3.Options, f p3.Finding) []Part {
	o.VCs = 1
	if f.Verdict == spec.Violated {
		return []Part{p3Part(o, "with one buffer class there is a circle of dependencies", acyclic, spec.Violated)}
	}
	return []Part{p3Part(o, "with one buffer class there is no deadlock", "deadlock", spec.Holds)}
}

// p3OneClass has a part for a rule that was found, and for a circle of packets
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
		return []Part{p3Part(o, "packets without any choice close a circle of dependencies", acyclic, spec.Violated)}
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
			shows, property = "packets that the tables have left anywhere have a circle of dependencies", acyclic
		}
		a.Parts = []Part{networkPart(shows, property, a.Verdict, func() (spec.Definition, error) {
			return p3.SettlingNetwork(context.Background(), before, after, rule, quiet)
		})}
		a.Believe = []string{"the network in the part is that of packets that start in any link to which the tables may have sent them, and follow those after the move"}
	}
}
