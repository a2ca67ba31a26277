package reduction

import "github.com/seed-105a2da2/unknot/checker/internal/walk"

// Whether the reduction pays.
//
// To find the stubborn set of a state takes longer than its steps, often by far: if few states are left out, the
// reduced walk is slower than the whole one. Stubborn sets take permutations of the steps of a path, which lead as
// deep, so the first levels of both state graphs can be compared. They are a few thousand states, a small part of any
// state graph that is worth reducing. One that is smaller is reduced whatever its levels show.
//
// Steps left out are no measure: of Peterson's algorithm stubborn sets leave out every tenth step, and not one state.

const (
	mostSampled = 4096 // states of the whole graph
	paying      = 0.9  // the reduction pays if it leaves no larger share of them
)

// Sample counts the states of the first levels of a state graph.
type Sample struct {
	Levels         int
	Whole, Reduced int
	Complete       bool // these levels are the whole graph, or it cannot be told because some step is not defined
}

// Pays reports whether the reduction may pay: it leaves out states, or the graph is small.
func (s Sample) Pays() bool { return s.Complete || float64(s.Reduced) <= paying*float64(s.Whole) }

// Sample compares the first levels.
func (m *Stubborn) Sample() (s Sample) {
	whole, ended := walk.FirstLevels(m.Machine.Start(nil), m.Layout().Words(), mostSampled, 1<<30, m.Machine.AppendSuccessors)
	s.Levels, s.Complete = len(whole), ended
	s.Whole = whole[len(whole)-1]
	reduced, _ := walk.FirstLevels(m.Start(nil), m.Layout().Words(), 1<<30, s.Levels, m.AppendSuccessors)
	s.Reduced = reduced[len(reduced)-1]
	return s
}
