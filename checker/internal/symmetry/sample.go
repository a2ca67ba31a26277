package symmetry

import (
	"context"
	"math"

	"github.com/seed-105a2da2/unknot/checker/internal/orbit"
	"github.com/seed-105a2da2/unknot/checker/internal/walk"
)

// Whether orbits pay.
//
// A walk modulo symmetries visits fewer states, but each of its steps is followed by finding the representative of the
// state that it leads to. Both are seen in the first levels: how many states an orbit stands for in the last of them, and
// how many fields the representatives took to make, which is counted and not timed, so that the same question always has
// the same answer. What verifying the symmetries takes is not counted.
//
// In deeper levels an orbit stands for more states, at most for one a symmetry. The mean of the two that [Sample.Saving]
// takes is 14 for Fetch&Add of 5 requesters, where the whole graph has 12 states an orbit, 230 for Peterson's algorithm
// of 6 (504), 120 for two-phase commit of 8 (97) and 100 for MSI of 5 (109).

const (
	mostSampled      = 4096             // states of the whole graph
	mostSampledSteps = 64 * mostSampled // of each graph, also if a level is wide
	// A step of a plain walk, with the visited state that it ends at, takes about as long as making so many fields, and so
	// many more for each word of a state. It took 50 to 160 ns with two words and 160 ns with six.
	fieldsOfStep, fieldsOfWord = 24, 8
)

// Sample is what the first levels show of a machine and of its orbits.
type Sample struct {
	States, Orbits int // in the last of these levels
	Symmetries     int
	Steps          int64 // to representatives, in all of them
	Made           int64 // fields, for the representatives
	Words          int   // of a state
	Complete       bool  // these levels are the whole graph, or it is not known: a step is undefined, or there are too many
}

// Saving is an estimate of how many states an orbit stands for.
func (s Sample) Saving() float64 {
	return math.Sqrt(float64(s.States) / float64(max(s.Orbits, 1)) * float64(s.Symmetries))
}

// Cost is an estimate of how many times as long as a state an orbit takes.
func (s Sample) Cost() float64 {
	return 1 + float64(s.Made)/float64(max(1, s.Steps*int64(fieldsOfStep+fieldsOfWord*s.Words)))
}

// Pays reports whether orbits may pay: they save more than they cost, or the graph is small.
func (s Sample) Pays() bool { return s.Complete || s.Saving() > s.Cost() }

// sampleOf compares the first levels of a machine with those of its orbits.
func sampleOf(ctx context.Context, m walk.Machine, least *orbit.Least) (s Sample, err error) {
	s.Words, s.Symmetries = m.Layout().Words(), least.Order()
	most := walk.Most{States: mostSampled, Levels: 1 << 30, Steps: mostSampledSteps}
	whole, ended, err := walk.FirstLevels(ctx, m.Start(nil), s.Words, most, m.AppendSuccessors)
	if err != nil || ended || len(whole) < 2 {
		return Sample{Complete: true}, err
	}
	replaced := func(states []uint64, from int) []uint64 {
		for at := from; at < len(states); at += s.Words {
			least.Replace(states[at : at+s.Words])
		}
		return states
	}
	steps := func(dst, state []uint64) ([]uint64, error) {
		from := len(dst)
		dst, err := m.AppendSuccessors(dst, state)
		for at := from; at < len(dst); at += s.Words {
			s.Made += int64(least.Work(dst[at : at+s.Words]))
			s.Steps++
		}
		return replaced(dst, from), err
	}
	most = walk.Most{States: 1 << 30, Levels: len(whole), Steps: mostSampledSteps}
	orbits, _, err := walk.FirstLevels(ctx, replaced(m.Start(nil), 0), s.Words, most, steps)
	if err != nil || len(orbits) < len(whole) {
		return Sample{Complete: true}, err
	}
	last := func(upTo []int) int { return upTo[len(upTo)-1] - upTo[len(upTo)-2] }
	s.States, s.Orbits = last(whole), last(orbits)
	return s, nil
}
