package disk

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/walk"
)

// errLost says that states that were sent are missing from their runs. This is a bug.
var errLost = errors.New("successors were lost between their runs and the merge")

// merge makes the next level from the successors, and reports whether there is one.
func (w *search) merge(ctx context.Context) (more bool, err error) {
	next, err := w.unvisited(ctx)
	if err != nil || next.States == 0 {
		return false, err
	}
	w.Found, w.Blocks, w.Sent, w.Dropped, w.New, w.Counted, w.Fresh = nil, 0, 0, 0, 0, w.Transitions, 1
	w.Visited = append(w.Visited, next)
	w.States += next.States
	w.Widest = max(w.Widest, next.States)
	w.Levels++
	return true, nil
}

// unvisited writes the successors not visited before, without duplicates, into one run. If there
// are none, it returns the zero run and changes nothing.
func (w *search) unvisited(ctx context.Context) (next run, err error) {
	errs := make([]error, len(w.workers))
	w.each(func(k int) { errs[k] = w.workers[k].sort(ctx) })
	w.collect()
	if err := ctx.Err(); err != nil { // with only part of it in memory, nothing may be taken for the whole
		return next, err
	}
	if w.tuning.meddle != nil {
		w.tuning.meddle(&w.state)
	}
	if err := w.fewer(ctx); err != nil {
		return next, err
	}
	found, err := w.openAll(w.Found, false)
	defer closeAll(found)
	if err != nil {
		return next, err
	}
	visited, err := w.openAll(w.Visited, false)
	defer closeAll(visited)
	if err != nil {
		return next, err
	}
	var sources []source
	for _, x := range w.workers {
		sources = append(sources, &sorted{x.states, w.words})
	}
	sources = append(sources, sourcesOf(found)...)
	known := int64(0)
	var struck []bool
	next, same, err := w.write(ctx, w.Levels, sources, func(states []uint64) ([]uint64, error) {
		struck = append(struck[:0], make([]bool, len(states)/w.words)...)
		if err := strikeAll(ctx, visited, states, struck, len(w.workers)); err != nil {
			return nil, err
		}
		left := unstruck(states, struck, w.words)
		known += int64(len(states)-len(left)) / int64(w.words)
		return left, nil
	})
	if err != nil {
		return next, err
	}
	if w.Sent != w.Dropped+same+known+next.States {
		return next, fmt.Errorf("%w: %d of %d", errLost, w.Sent-w.Dropped-same-known-next.States, w.Sent)
	}
	if next.States > 0 {
		w.shelf.retire(w.Found...)
		for _, x := range w.workers {
			x.states = x.states[:0]
		}
	}
	return next, nil
}

// full reports whether there are as many states as allowed, including those that the level has
// led to so far. Counting these takes a merge, so it estimates first: it assumes that as many
// steps lead to new states as at the last count (all, at the start of a level), and counts once
// that makes half of the missing states, or a twentieth of the bound. What it does depends on
// the machine and the bound alone.
func (w *search) full(ctx context.Context) (bool, error) {
	most, found := w.opt.MaxStates, w.States+w.New
	steps := w.Transitions - w.Counted
	if most <= 0 || found >= most || w.Fresh*float64(steps) < float64(max((most-found)/2, most/20)) {
		return most > 0 && found >= most, nil
	}
	next, err := w.unvisited(ctx)
	if err != nil {
		return false, err
	}
	w.Counted, w.Fresh = w.Transitions, float64(next.States-w.New)/float64(steps)
	if next.States > 0 {
		w.Found, w.Sent, w.Dropped, w.New = []run{next}, next.States, 0, next.States
	}
	return w.States+w.New >= most, nil
}

// unstruck leaves the states that are not struck.
func unstruck(states []uint64, struck []bool, words int) []uint64 {
	n := 0
	for i, s := range struck {
		copy(states[n:n+words], states[i*words:])
		if !s {
			n += words
		}
	}
	return states[:n]
}

// write writes the union of some sources, or the part that choose keeps of it, into a run;
// the zero run if that is empty.
func (w *search) write(
	ctx context.Context, level int, sources []source, choose func([]uint64) ([]uint64, error),
) (r run, same int64, err error) {
	out, err := w.shelf.writer(level)
	if err != nil {
		return r, 0, err
	}
	same, err = union(out.words, sources, func(states []uint64) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		left, err := choose(states)
		if err != nil {
			return err
		}
		return out.write(left)
	})
	if err != nil {
		out.discard()
		return r, 0, err
	}
	if r, err = out.close(); err == nil && r.States == 0 {
		w.shelf.remove(r)
		r = run{}
	}
	return r, same, err
}

func all(states []uint64) ([]uint64, error) { return states, nil }

// fewer merges runs of successors while there are more than can be merged at a time.
func (w *search) fewer(ctx context.Context) error {
	for len(w.Found) > w.most {
		some := w.Found[:w.most]
		r, same, err := w.join(ctx, w.Levels, some)
		if err != nil {
			return err
		}
		w.shelf.retire(some...)
		w.Found = append(slices.Clone(w.Found[w.most:]), r)
		w.Dropped += same
	}
	return nil
}

// gather merges the smaller half of the runs of visited states, without the newest, if
// there are too many.
func (w *search) gather(ctx context.Context) error {
	if len(w.Visited) <= w.tuning.runs {
		return nil
	}
	last := len(w.Visited) - 1
	old := slices.Clone(w.Visited[:last])
	slices.SortStableFunc(old, func(a, b run) int { return int(min(1, max(-1, a.States-b.States))) })
	half := max(2, len(old)/2)
	r, same, err := w.join(ctx, mixed, old[:half])
	if err != nil {
		return err
	}
	if same != 0 {
		return errLost
	}
	w.shelf.retire(old[:half]...)
	w.Visited = append(append(old[half:], r), w.Visited[last])
	return nil
}

// join merges several runs into one.
func (w *search) join(ctx context.Context, level int, runs []run) (r run, same int64, err error) {
	in, err := w.openAll(runs, level == mixed)
	defer closeAll(in)
	if err != nil {
		return r, 0, err
	}
	sources := sourcesOf(in)
	return w.write(ctx, level, sources, all)
}

func (w *search) openAll(runs []run, levels bool) (all []*cursor, err error) {
	for _, r := range runs {
		c, err := w.shelf.open(r, levels)
		if err != nil {
			return all, err
		}
		all = append(all, c)
	}
	return all, nil
}

func closeAll(all []*cursor) {
	for _, c := range all {
		c.close()
	}
}

// audit reads all runs: those of visited states must have no state in common, as many as
// were counted, and at existing levels, and all states must be states of the machine.
func (w *search) audit(ctx context.Context) error {
	check := walk.NewStateCheck(w.m.Layout())
	for _, found := range w.Found {
		if err := w.auditAll(ctx, []run{found}, found.States, check); err != nil {
			return err
		}
	}
	return w.auditAll(ctx, w.Visited, w.States, check)
}

func (w *search) auditAll(ctx context.Context, runs []run, states int64, check *walk.StateCheck) error {
	in, err := w.openAll(runs, true)
	defer closeAll(in)
	if err != nil {
		return err
	}
	for _, c := range in {
		c.doubted = true
	}
	sources := sourcesOf(in)
	words, left := w.words+1, states
	var before []uint64
	same, err := union(words, sources, func(batch []uint64) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		for ; len(batch) > 0; batch = batch[words:] {
			s := batch[:w.words]
			if !check.Holds(s) || len(before) > 0 && compare(before, s) >= 0 || batch[w.words] > uint64(w.Levels) {
				return w.shelf.damaged("a state is in an impossible place")
			}
			before = append(before[:0], s...)
			left--
		}
		return nil
	})
	if err == nil && (same != 0 || left != 0) {
		err = w.shelf.damaged("states are missing or occur twice")
	}
	return err
}
