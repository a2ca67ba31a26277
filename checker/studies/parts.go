package studies

import (
	"context"

	"fmt"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// networkPart is a verdict on deadlock, livelock or delivery, or a cycle of
// dependencies, of a network that is built when it is asked for.
func networkPart(shows, property string, v spec.Verdict, build func(context.Context) (routing.Definition, error)) Part {
	return Part{Shows: shows, Network: build, Property: property, Verdict: v}
}

// machineParts are the verdicts on some properties of one machine.
func machineParts(build func() (states.Machine, error), v spec.Verdict, shows string, properties ...string) []Part {
	var parts []Part
	for _, p := range properties {
		parts = append(parts, Part{Shows: fmt.Sprintf(shows, p), Machine: build, Property: p, Verdict: v})
	}
	return parts
}

// invariantsOf names a machine's invariants.
func invariantsOf(m states.Machine) []string {
	var names []string
	if c, ok := m.(states.Claimer); ok {
		for _, v := range c.Claims().Invariants {
			names = append(names, v.Name)
		}
	}
	return names
}
