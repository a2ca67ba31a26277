// Package explorer, internal to unknot, serves a page on this computer for exploring a machine
// state by state: what can happen next, what that changes, which claims hold.
package explorer

import (
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/show/explain"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// Design. A state's address is the run that leads to it: the number of the initial state,
// then the number of the move taken at each step (as in 0.3.1). So an address can only name
// a reachable state, whatever is typed; it means the same state tomorrow; and it is its own
// history. The server keeps only the states of the run last asked for, since most questions
// are about that run or one more move.

// Options says what to walk.
type Options struct {
	Machine states.Machine
	// Trace is a run to follow; see [Follow]. It may be nil.
	Trace *Run
}

// Follow returns the walk along a trace or run of a machine.
func Follow(e evidence.Evidence) (Options, error) {
	x, err := explain.Follow(e)
	switch {
	case err != nil:
		return Options{}, err
	case x == nil:
		return Options{}, fmt.Errorf("a %s has no steps to follow", e.Kind())
	case len(x.Steps) > mostSteps:
		return Options{}, &spec.BoundError{What: "steps of a trace", Limit: mostSteps}
	}
	r := &Run{
		Start: x.Start,
		End:   fmt.Sprintf("The trace ends here (%s): %s is violated.", x.Fault, evidence.Freedom(x.Property)),
	}
	err = x.Each(func(i int, before, _ []uint64) error {
		choice := x.Choice(i, before)
		if choice < 0 {
			return fmt.Errorf("step %d is not possible", i+1)
		}
		r.Choices = append(r.Choices, choice)
		return nil
	})
	return Options{Machine: x.Machine, Trace: r}, err
}

// states returns the states of a run. They must not be changed.
func (w *walker) statesOf(r Run) ([][]uint64, error) {
	if r.Start >= len(w.starts) {
		return nil, &notFound{fmt.Sprintf("initial state %d does not exist: there are %d", r.Start, len(w.starts))}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	known := 0
	states := [][]uint64{w.starts[r.Start]}
	if w.states != nil && w.run.Start == r.Start {
		for known < len(r.Choices) && known < len(w.run.Choices) && r.Choices[known] == w.run.Choices[known] {
			known++
		}
		states = slices.Clone(w.states[:known+1])
	}
	for i, choice := range r.Choices[known:] {
		options, err := w.options(states[len(states)-1])
		if err != nil {
			return nil, fmt.Errorf("step %d: %w", known+i+1, err)
		}
		next, err := options.successor(choice)
		if err != nil {
			return nil, fmt.Errorf("step %d: %w", known+i+1, err)
		}
		states = append(states, next)
	}
	w.run, w.states = r, states
	return states, nil
}
