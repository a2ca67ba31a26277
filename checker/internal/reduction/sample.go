package reduction

import (
	"context"

	"github.com/seed-105a2da2/unknot/checker/internal/walk"
)

// Whether the reduction pays.
//
// To find the stubborn set of a state takes longer than its steps, often by far: if few states are left out, the
// reduced walk is slower than the whole one. Stubborn sets take permutations of the steps of a path, which lead as
// deep, so the first levels of both state graphs can be compared. They are a few thousand states, a small part of any
// state graph that is worth reducing. One that is smaller is reduced whatever its levels show.
//
// Where many states are initial, the first level alone would be too many, so the levels are those of a few of them.
//
// Steps left out are no measure: of Peterson's algorithm stubborn sets leave out every tenth step, and not one state.

const (
	mostSampled      = 4096             // states of the whole graph
	mostStarts       = 64               // of the initial states
	mostSampledSteps = 64 * mostSampled // of each graph, also if a level is wide
	paying           = 0.9              // the reduction pays if it leaves no larger share of them
)

// Sample counts the states of the first levels of a state graph, unless they are complete.
type Sample struct {
	Levels         int
	Whole, Reduced int
	Complete       bool // these levels are the whole graph, or it is not known: a step is undefined, or there are too many
}

// Pays reports whether the reduction may pay: it leaves out states, or the graph is small.
func (s Sample) Pays() bool { return s.Complete || float64(s.Reduced) <= paying*float64(s.Whole) }

// Sample compares the first levels. The error is that of the context, if that has ended.
func (m *Stubborn) Sample(ctx context.Context) (s Sample, err error) {
	words, most := m.Layout().Words(), walk.Most{States: mostSampled, Levels: 1 << 30, Steps: mostSampledSteps}
	starts := walk.Spread(m.Machine.Start(nil), words, mostStarts)
	whole, ended, err := walk.FirstLevels(ctx, starts, words, most, m.Machine.AppendSuccessors)
	if err != nil || ended || len(whole) < 2 {
		return Sample{Complete: true}, err
	}
	s.Levels, s.Whole = len(whole), whole[len(whole)-1]
	most.States, most.Levels = 1<<30, s.Levels
	reduced, _, err := walk.FirstLevels(ctx, starts, words, most, m.AppendSuccessors)
	if err != nil {
		return Sample{}, err
	}
	s.Reduced = reduced[len(reduced)-1]
	return s, nil
}
