package checker

import (
	"cmp"
	"context"
	"runtime"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/walk"
	"github.com/seed-105a2da2/unknot/checker/internal/walk/disk"
)

// walkOptions returns the options for visiting the states of s.
func (s *subject) walkOptions(q Question) (walk.Options, error) {
	how := walk.Options{
		Workers: cmp.Or(q.Workers, runtime.GOMAXPROCS(0)), Memory: s.q.Memory, MaxStates: q.MaxStates,
		Inspect: s.walk.Inspect, Judge: s.walk.Judge, Free: s.walk.Free, Compact: q.Compact,
	}
	if !q.Compact {
		how.Sleep = s.walk.Sleep
	}
	if q.Exploring != nil {
		how.Progress = func(p walk.Progress) { q.Exploring(ExploreProgress(p)) }
	}
	if save := cmp.Or(q.Save, q.Resume); save != "" || q.Disk != "" || q.Cluster != nil {
		how.Checkpoint = walk.Checkpoint{Save: save, Every: q.Every, Resume: q.Resume, Saving: q.Saves}
		var err error
		if how.Checkpoint.Identity, err = s.identity(); err != nil {
			return how, err
		}
	}
	if !q.Whole {
		how.Until = s.enough
	}
	return how, nil
}

// visit walks the machine.
func (s *subject) visit(ctx context.Context, how walk.Options) (visited, *walk.Result, error) {
	if s.q.Cluster != nil {
		return s.onCluster(ctx, how)
	}
	if s.q.Disk != "" {
		return disk.Explore(ctx, s.walk.Machine, s.q.Disk, how)
	}
	if how.Checkpoint.Save == "" && (!s.q.Liveness || s.group == nil && s.local()) {
		how.Parents = s.parents
	}
	if s.exact() && how.Checkpoint.Resume == "" {
		s.sums = make([]sums, max(1, how.Workers))
		how.Met = func(worker int, states []uint64) { s.sums[worker].add(states, s.m.Layout().Words()) }
	}
	space, r, err := walk.Explore(ctx, s.walk.Machine, how)
	if err == nil && !space.Parents() && (s.anyOf(&r.Flagged) || r.Refusal != nil) {
		space.Release()
		how.Parents, how.Met = nil, nil
		return s.again(ctx, how, r)
	}
	return space, r, err
}

// again visits the machine once more for the path to what was found without parents. Unless all
// states are needed, it stops when it has found everything again.
func (s *subject) again(ctx context.Context, how walk.Options, first *walk.Result) (visited, *walk.Result, error) {
	if s.sums != nil && !s.q.Liveness && first.Refusal == nil && first.States > max(mostCovered, int64(s.q.Closed)) {
		how.Until = func(flagged *[walk.FlagBits]int64, _ int64) bool {
			for f, n := range first.Flagged {
				if n > 0 && flagged[f] == 0 {
					return false
				}
			}
			return true
		}
	}
	space, r, err := walk.Explore(ctx, s.walk.Machine, how)
	if err == nil && r.Reason == walk.Found {
		first.First, r = r.First, first
	}
	return space, r, err
}

// enough reports whether to stop, unless the whole space is wanted: every property is
// violated or its cover reached, or some property is violated and the space is not small. That values stay
// in range is a property, too; where it is violated the walk ends by itself.
func (s *subject) enough(flagged *[walk.FlagBits]int64, states int64) bool {
	const small = 100_000
	answered, violated := 0, false
	for _, q := range s.questions {
		if _, found := firstOf(q.violated, flagged); found {
			answered++
			violated = violated || q.cover == ""
		}
	}
	return violated && states >= small || answered > 0 && answered == len(s.questions) && !s.q.Liveness && !s.ranged
}

// parents reports whether parents of states are still kept: while they are few and take
// little memory, and once a path has to be shown.
func (s *subject) parents(flagged *[walk.FlagBits]int64, states int64) bool {
	const few = 1 << 20
	return states < few || s.anyOf(flagged)
}

// anyOf reports whether something was found that needs a path to it.
func (s *subject) anyOf(flagged *[walk.FlagBits]int64) bool {
	return slices.ContainsFunc(s.questions, func(q question) bool {
		_, found := firstOf(q.violated, flagged)
		return found
	})
}

// ProbeRate returns how many random probes a second the workers make into a table as
// large as that of an exploration of this many states: the ceiling on transitions a second
// for any search that looks up every successor in one table.
func ProbeRate(states int64, workers int) float64 { return walk.ProbeRate(states, workers) }
