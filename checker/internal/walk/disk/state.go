package disk

import (
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/walk"
)

// state is what a walk consists of between two pieces of a level.
type state struct {
	Visited []run // the last one is the level being expanded
	Found   []run // of its successors
	Left    []run // of its successors, too, as they were in memory when the walk was left
	Blocks  int   // of the level, expanded so far
	States  int64 // visited

	Sent, Dropped int64   // successors in runs; how many of them were duplicates
	New, Counted  int64   // new states among the successors, and all transitions, at the last count
	Fresh         float64 // fraction of the transitions last counted that lead to new states

	Expanded, Transitions int64
	Levels                int
	Widest                int64
	Flagged               [walk.FlagBits]int64
	First                 [walk.FlagBits]first
	Taken                 []bool
	Rests                 bool `json:",omitempty"` // some expanded state has successors, of which none is another state
}

func (s state) clone() state {
	s.Visited, s.Found, s.Left = slices.Clone(s.Visited), slices.Clone(s.Found), slices.Clone(s.Left)
	s.Taken = slices.Clone(s.Taken)
	return s
}

// runs returns all runs that the state names.
func (s *state) runs() []run { return slices.Concat(s.Visited, s.Found, s.Left) }

// first is the least state with a flag on the first level that has one.
type first struct {
	Level int
	State []uint64
}

// level returns the run of the level being expanded.
func (s *state) level() run { return s.Visited[len(s.Visited)-1] }

// possible refuses a state that no walk can reach.
func (s *state) possible(next int) bool {
	if len(s.Visited) == 0 || s.level().Level != s.Levels-1 {
		return false
	}
	numbers := map[int]bool{}
	for i, r := range s.runs() {
		levels := 0 <= r.Least && r.Least <= r.Most && r.Most < s.Levels &&
			(r.Level == mixed || r.Level == r.Least && r.Level == r.Most)
		ok := 0 <= r.Number && r.Number < next && !numbers[r.Number] && r.States > 0 && r.Bytes > 0 &&
			(i >= len(s.Visited) || levels)
		if !ok {
			return false
		}
		numbers[r.Number] = true
	}
	states, level := s.States, s.level().States
	ok := s.Blocks >= 0 &&
		0 <= s.Dropped && s.Dropped <= s.Sent && 0 <= s.New && s.New <= s.Sent-s.Dropped &&
		0 <= s.Counted && s.Counted <= s.Transitions && 0 <= s.Fresh && s.Fresh <= 1 &&
		level <= states && states-level <= s.Expanded && s.Expanded <= states && 1 <= s.Widest && s.Widest <= states
	for f, n := range s.Flagged {
		first := &s.First[f]
		ok = ok && 0 <= n && n <= s.Expanded && (n > 0) == (first.State != nil) && 0 <= first.Level &&
			first.Level < s.Levels
	}
	return ok
}

// flag counts states of a level with a flag.
func (s *state) flag(f, level int, n int64, least []uint64) {
	switch first := &s.First[f]; {
	case n == 0:
		return
	case s.Flagged[f] == 0:
		*first = first.of(level, least)
	case first.Level == level && compare(least, first.State) < 0:
		*first = first.of(level, least)
	}
	s.Flagged[f] += n
}

func (first) of(level int, state []uint64) first {
	return first{level, append([]uint64(nil), state...)}
}
