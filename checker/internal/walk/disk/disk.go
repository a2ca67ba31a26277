// Package disk walks the reachable states of a machine breadth first, level by level
// and exactly, with the states on disk: a space may be larger than memory.
//
// Duplicates are found late (Stern and Dill, Using magnetic disk instead of main memory in
// the Murphi verifier, 1998; Korf, Delayed duplicate detection, 2003). States are kept in
// runs: ascending files in which each state is written as its difference from the one before.
// A level is expanded from its run; the successors are collected in memory, and sorted and
// written as a run of their own whenever memory is full. At the end of the level these runs
// are merged and compared with all runs of visited states in one pass; the states in none of
// those are the next level, whose run joins them. Once there are many runs, the smallest
// become one, in which each state carries its level.
//
// Files are read and written from the first byte to the last; nothing is looked up.
//
// Invariants. The runs of visited states have no state in common and hold each state at
// its depth. Each state sent into runs of successors is met at the merge, as a duplicate
// or as new; both are counted, so a lost run is an error. The manifest names all files that
// count, and is replaced as a whole: files that it does not name do not belong to the
// walk. So the process may be killed at any time.
//
// Parents are not kept. The path to a state is found backwards: some state of the level
// before steps to it, and so on, at the cost of at most one more walk.
package disk

import (
	"context"
	"errors"
	"time"

	"github.com/seed-105a2da2/unknot/checker/internal/walk"
)

// Explore walks the machine from its initial states, with its files in a folder, which is
// created if missing. It must be empty, or hold a walk of the same opt.Checkpoint.Identity
// that did not finish, which then continues.
//
// It uses the options Workers, Memory, MaxStates, Inspect, Judge, Leaves, Until and Progress and,
// of the checkpoint, Every, Identity and Saving. MaxStates may be exceeded by a twentieth plus
// the successors of a group of blocks of states. All states are judged in full. In the result, an ID is
// valid for [Space.Trail] only, and the First state with a flag is the least of the first level
// that has some. As everywhere, the result depends on the machine alone. Files that cannot
// be used are an error; a full disk is not, but a reason, walk.OutOfDisk.
func Explore(ctx context.Context, m walk.Machine, dir string, opt walk.Options) (*Space, *walk.Result, error) {
	return explore(ctx, m, dir, opt, tuning{})
}

func explore(
	ctx context.Context, m walk.Machine, dir string, opt walk.Options, t tuning,
) (*Space, *walk.Result, error) {
	w := &search{m: m, opt: opt, tuning: t, words: m.Layout().Words(), began: time.Now()}
	w.opt.Workers = max(1, opt.Workers)
	if opt.Judge != nil {
		w.kinds = m.(walk.Kinds)
	}
	var err error
	if w.shelf, err = openShelf(dir, w.words); err != nil {
		return nil, nil, err
	}
	w.shelf.asked, w.group = t.write, group
	if opt.MaxStates > 0 { // successors found between two checks exceed the bound
		w.shelf.most = uint32(min(max(16, opt.MaxStates/1000), blockWords))
		w.group = int(max(1, min(group, opt.MaxStates/200/min(int64(w.shelf.most), max(1, int64(blockWords/w.words))))))
	}
	if t.runs == 0 {
		w.tuning.runs = mostRuns
	}
	w.saved = w.began
	space := &Space{w: w}
	err = w.begin(ctx)
	if err == nil && w.result.Reason == walk.Complete {
		err = w.run(ctx)
	}
	for _, x := range w.workers {
		w.result.Peak += int64(x.most) * 8
		walk.Free(x.states)
		x.states = nil
	}
	var full *diskError
	if errors.As(err, &full) {
		w.result.Reason, w.result.Full, err = walk.OutOfDisk, full, nil
		w.retreat()
	}
	if err != nil {
		w.shelf.close(true)
		return nil, nil, err
	}
	w.measure()
	w.result.Visited, w.result.Disk = "disk", w.shelf.peak
	return space, &w.result, nil
}

// begin starts from the initial states, or continues from what the folder holds.
func (w *search) begin(ctx context.Context) error {
	was, err := w.shelf.restore(w.opt.Checkpoint.Identity)
	if err != nil {
		return err
	}
	if was != nil {
		w.state = *was
	}
	memory := w.opt.Memory
	if memory == 0 {
		memory = usualMemory
	}
	buffer := w.tuning.buffer
	if buffer == 0 {
		if memory < leastMemory {
			w.result.Reason = walk.OutOfMemory
			return nil
		}
		buffer = int(memory * 5 / 8 / 8 / int64(w.opt.Workers))
	}
	w.most = max(4, int(memory/8/perRun))
	for range w.opt.Workers {
		w.workers = append(w.workers, newWorker(w, max(buffer/w.words*w.words, w.words)))
	}
	if was != nil {
		return w.interrupted(ctx, w.audit(ctx))
	}
	start := w.m.Start(nil)
	sortStates(start, w.words)
	start, _ = distinct(start, w.words)
	if len(start) == 0 {
		w.shelf.close(false)
		return errNoStart
	}
	out, err := w.shelf.writer(0)
	if err == nil {
		err = out.write(start)
	}
	if err != nil {
		return err
	}
	r, err := out.close()
	if err != nil {
		return err
	}
	w.Visited, w.Levels, w.Widest, w.States, w.Fresh = []run{r}, 1, r.States, r.States, 1
	return w.interrupted(ctx, w.save(ctx))
}

func (w *search) run(ctx context.Context) error {
	for {
		w.whole = w.state.clone()
		if w.opt.MaxStates > 0 && w.States+w.New >= w.opt.MaxStates && w.Expanded < w.States {
			w.result.Reason = walk.OutOfStates
			return w.keep(ctx)
		}
		if len(w.Left) > 0 {
			if err := w.takeBack(ctx); err != nil {
				return w.asBefore(ctx, err)
			}
		}
		if done, err := w.expand(ctx); done || err != nil {
			return w.interrupted(ctx, err)
		}
		more, err := w.merge(ctx)
		if err != nil {
			return w.interrupted(ctx, err)
		}
		if !more {
			return w.interrupted(ctx, w.audit(ctx))
		}
		w.whole = w.state.clone()
		if err := w.gather(ctx); err != nil {
			return w.interrupted(ctx, err)
		}
		w.tell()
		if w.due() {
			if err := w.save(ctx); err != nil {
				return w.interrupted(ctx, err)
			}
		}
	}
}

// asBefore is interrupted, for operations that leave unchanged what was saved.
func (w *search) asBefore(ctx context.Context, err error) error {
	if !ended(ctx, err) {
		return err
	}
	w.result.Reason = walk.Interrupted
	w.state = w.whole
	return nil
}

var errNoStart = errors.New("the machine has no initial state")
