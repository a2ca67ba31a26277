// Package walk serves a page on this computer for exploring a machine state by state:
// what can happen next, what that changes, which claims hold.
package walk

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/seed-105a2da2/unknot/checker/explain"
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

// Run is an address: an initial state, and the move taken at each step.
type Run struct {
	Start   int
	Choices []int
	End     string // what the last state shows, for people; may be ""
}

// mostSteps bounds a run in an address, mostFlows what may happen in a state.
const (
	mostSteps = 20_000
	mostFlows = 200_000
)

// String writes the address: "0.3.1".
func (r Run) String() string {
	b := []byte(strconv.Itoa(r.Start))
	for _, c := range r.Choices {
		b = append(b, '.')
		b = strconv.AppendInt(b, int64(c), 10)
	}
	return string(b)
}

// ParseRun reads what [Run.String] writes.
func ParseRun(text string) (Run, error) {
	if strings.Count(text, ".") > mostSteps {
		return Run{}, fmt.Errorf("a run of more than %d steps", mostSteps)
	}
	var r Run
	for i, word := range strings.Split(text, ".") {
		x, err := strconv.ParseUint(word, 10, 31)
		if err != nil || strconv.FormatUint(x, 10) != word {
			return Run{}, fmt.Errorf("invalid run %.40q: want numbers and dots, as in 0.3.1", text)
		}
		if i == 0 {
			r.Start = int(x)
		} else {
			r.Choices = append(r.Choices, int(x))
		}
	}
	return r, nil
}

// after returns the prefix of the run with the given number of steps.
func (r Run) after(steps int) Run { return Run{Start: r.Start, Choices: r.Choices[:steps]} }

// then returns the run with one more step.
func (r Run) then(choice int) Run {
	return Run{Start: r.Start, Choices: append(slices.Clone(r.Choices), choice)}
}

// begins reports whether r is the beginning of other.
func (r Run) begins(other Run) bool {
	return r.Start == other.Start && len(r.Choices) <= len(other.Choices) && slices.Equal(r.Choices, other.Choices[:len(r.Choices)])
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
		return Options{}, &spec.BoundError{What: "steps of a run", Limit: mostSteps}
	}
	r := &Run{Start: x.Start, End: fmt.Sprintf("The %s ends here (%s): %s is violated.", e.Kind(), x.Fault, evidence.Freedom(x.Property))}
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

// walker takes runs through a machine. It is safe for concurrent use.
type walker struct {
	m       states.Machine
	traffic *states.Traffic // m itself, if that is the traffic of a network
	starts  [][]uint64

	mu     sync.Mutex
	run    Run        // last asked for
	states [][]uint64 // of run, one more than steps
}

func newWalker(m states.Machine) (*walker, error) {
	w := &walker{m: m}
	w.traffic, _ = m.(*states.Traffic)
	if w.traffic != nil && len(w.traffic.Scenario().Once) == 0 && w.traffic.Network().FlowCount() > mostFlows {
		return nil, fmt.Errorf("%w; keep fewer flows (--dest, --source) or single packets (--once)", &spec.BoundError{What: "flows, each of which may inject in every state", Limit: mostFlows})
	}
	words := m.Layout().Words()
	for start := m.Start(nil); len(start) >= words; start = start[words:] {
		w.starts = append(w.starts, start[:words])
	}
	if len(w.starts) == 0 {
		return nil, errors.New("the machine has no initial state")
	}
	return w, nil
}

// notFound says that an address names no state.
type notFound struct{ text string }

func (e *notFound) Error() string { return e.text }

// along returns the states of a run. They must not be changed.
func (w *walker) along(r Run) ([][]uint64, error) {
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
		next, err := options.after(choice)
		if err != nil {
			return nil, fmt.Errorf("step %d: %w", known+i+1, err)
		}
		states = append(states, next)
	}
	w.run, w.states = r, states
	return states, nil
}
