// Package programtest, internal to unknot, is for tests that follow a program state by state.
package programtest

import (
	"slices"

	"github.com/seed-105a2da2/unknot/spec/program"
)

// Step is a step of a program.
type Step struct {
	Rule  int   // index of Program.Rules
	After []int // by variable
}

// Steps returns the possible steps, see [program.Program.Each].
func Steps(p *program.Program, values []int) (steps []Step, err error) {
	err = p.Each(values, func(rule int, after []int) { steps = append(steps, Step{rule, slices.Clone(after)}) })
	if err != nil {
		return nil, err
	}
	return steps, nil
}
